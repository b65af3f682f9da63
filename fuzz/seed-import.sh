#!/bin/sh
# Starts the corpus of the import target from a file of each kind.
set -eu
cd "$(dirname "$0")/.."
mkdir -p fuzz/corpus/import
cp crates/fairwire-exchange/tests/samples/* fuzz/corpus/import
