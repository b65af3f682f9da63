"""What a solve costs from Python with arrays: `python benches/python/arrays.py [FLOWS]`.

Random routes of 4 to 8 distinct links over a tenth as many links as flows, capacities
uniform in 1 to 10 Gb/s. Prints one line of JSON: time of one solve, whether the routes are
shared with the solver, and by how much memory peaks above what the arrays themselves take
(Linux). Below a thousand flows the time is the best mean of five rounds.
"""

import contextlib
import json
import sys
import time
from pathlib import Path

import numpy as np

import fairwire


def random_problem(flows):
    """Draw the arrays of a random problem."""
    links = max(flows // 10, 16)
    rng = np.random.default_rng(1)
    hops = rng.integers(4, 9, flows)
    indptr = np.zeros(flows + 1, dtype=np.int32)
    np.cumsum(hops, out=indptr[1:])
    # Less than an eighth of the way round each time: no link twice within 8 hops.
    start, step = rng.integers(0, links, flows), rng.integers(1, max(links // 8, 2), flows)
    within = np.arange(indptr[-1]) - np.repeat(indptr[:-1], hops)
    indices = ((np.repeat(start, hops) + within * np.repeat(step, hops)) % links).astype(np.int32)
    return rng.uniform(1e9, 1e10, links), indptr, indices


def memory_mib(what):
    """Read a line of this process's status, in MiB; nothing where there is no such file."""
    try:
        with Path("/proc/self/status").open() as file:
            status = dict(line.split(":", 1) for line in file)
    except OSError:
        return None
    return int(status[what].split()[0]) / 1024


def forget_the_peak():
    """Begin the peak of memory anew: building the arrays must not hide what solving takes."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def seconds_of(solve, flows):
    """Measure how long a solve takes."""
    begin = time.perf_counter()
    solve()
    first = time.perf_counter() - begin
    if flows >= 1_000:
        return first
    rounds, repeats = 5, 20_000
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(repeats):
            solve()
        best = min(best, (time.perf_counter() - begin) / repeats)
    return best


def main():
    """Measure and print."""
    flows = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    capacities_bps, indptr, indices = random_problem(flows)
    forget_the_peak()
    resident = memory_mib("VmRSS")
    problem = fairwire.Problem(capacities_bps, indptr, indices)
    seconds = seconds_of(lambda: problem.solve("max-min").rates_bps, flows)
    peak = memory_mib("VmHWM")
    solution = problem.solve("max-min")
    loads = problem.loads_bps(solution.rates_bps)
    print(
        json.dumps(
            {
                "flows": flows,
                "links": problem.links,
                "crossings": indices.size,
                "seconds": seconds,
                "routes_mib": indices.nbytes / 2**20,
                "peak_above_mib": None if peak is None else peak - resident,
                "shared": bool(
                    np.shares_memory(problem.indices, indices) and np.shares_memory(problem.indptr, indptr)
                ),
                "overload": float((loads / capacities_bps).max()) - 1,
                "held": float((solution.bottleneck >= 0).mean()),
            }
        )
    )


if __name__ == "__main__":
    main()
