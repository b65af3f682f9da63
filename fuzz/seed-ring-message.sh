#!/bin/sh
# Starts the corpus of the ring_message target from good frames, whose checksums no
# chance finds: a fairness frame of each kind, LRTT request and response, an FDD frame.
set -eu
cd "$(dirname "$0")/.."
cargo run --quiet --release -p fairwire-laws --example good_frames -- fuzz/corpus/ring_message
