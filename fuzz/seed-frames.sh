#!/bin/sh
# Starts the corpora of the targets that take frames from good ones, whose checksums and
# lengths no chance finds: fairness and round-trip frames, the frames that circulate under
# dvsr and dvsr-plus, what stations tell of the topology, and control packets of rate laws.
set -eu
cd "$(dirname "$0")/.."
cargo run --quiet --release -p fairwire-laws --example good_frames -- fuzz/corpus
