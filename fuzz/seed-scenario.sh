#!/bin/sh
# Starts the corpus of the scenario target from the files we have.
set -eu
cd "$(dirname "$0")/.."
mkdir -p fuzz/corpus/scenario
for file in scenarios/*/*.toml crates/fairwire-scenario/src/templates/*.toml crates/fairwire-scenario/tests/malformed/*.toml; do
    cp "$file" "fuzz/corpus/scenario/$(basename "$file" .toml)"
done
