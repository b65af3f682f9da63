"""In which order functions lie in the command: `python benches/python/link_order.py BINARY...`.

Systems load a program in pieces of 64 KiB or so. Functions that a run calls lie all over the
program, so that a run of W3 touched eighty such pieces, 5 MiB, for 0.8 MiB of functions. This
script has a few runs tell which functions they call (with `valgrind --tool=callgrind`), and
prints the symbols of those that more than one calls: what more of them call first, then as they
were met; behind them those that the first run alone calls, whose memory is measured. The linker
puts them side by side (`crates/fairwire-cli/build.rs`); symbols that it does not find it passes
over. Symbols are not the same in a build of the command alone, in one beside its tests and in one
beside those of all crates, since libraries have other features there: give all three.
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

RUNS = [
    ["w3.toml", "--duration", "20 ms"],
    ["w5.toml", "--duration", "100 ms"],
    ["w5.toml", "--law", "rpr-aggressive", "--duration", "100 ms"],
    ["w2b.toml", "--duration", "25 s"],
]


def called_functions(profile, binary):
    """Read from a profile of callgrind which functions of the binary ran, in its order."""
    named = {"ob": {}, "fn": {}}
    here, called = None, {}
    for line in profile.splitlines():
        match = re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?", line)
        if not match:
            continue
        of_callee, kind, number, name = match.groups()
        if name:
            named[kind][number] = name
        if of_callee:
            continue
        if kind == "ob":
            here = named["ob"][number]
        elif Path(here).name == binary.name:
            # Calls of itself are told apart by a number behind the name.
            called[re.sub(r"'\d+$", "", named["fn"][number])] = None
    return list(called)


def profile_of(binary, scenario, *options):
    """Run a scenario under callgrind."""
    with tempfile.NamedTemporaryFile() as out:
        tool = ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={out.name}"]
        command = [binary, "run", f"scenarios/bench/{scenario}", "--json", "--no-folder", *options]
        subprocess.run([*tool, *command], check=True, capture_output=True)
        return Path(out.name).read_text()


def main():
    """Print the symbols, a line each."""
    runs_calling, called_first = Counter(), set()
    for binary in map(Path, sys.argv[1:]):
        called = [called_functions(profile_of(binary, *run), binary) for run in RUNS]
        runs_calling |= Counter(symbol for symbols in called for symbol in symbols)
        called_first.update(called[0])
    # Sorting keeps the order in which equals were met.
    for symbol, runs in sorted(runs_calling.items(), key=lambda called: -called[1]):
        if (runs > 1 or symbol in called_first) and symbol.startswith("_"):
            print(symbol)


if __name__ == "__main__":
    main()
