"""A million flows through NumPy: no copy of the routes, and memory in proportion."""

from __future__ import annotations

import json
import subprocess
import sys

# In a process of its own, for the peak of its memory is what is measured.
MILLION = """
import json, sys, time
import numpy as np
import fairwire

flows, links = int(sys.argv[1]), int(sys.argv[1]) // 10
rng = np.random.default_rng(1)
hops = rng.integers(4, 9, flows)
indptr = np.zeros(flows + 1, dtype=np.int32)
np.cumsum(hops, out=indptr[1:])
# Steps of coprime length never meet: distinct links without a set a flow.
start, step = rng.integers(0, links, flows), rng.integers(1, links // 8, flows)
within = np.arange(indptr[-1]) - np.repeat(indptr[:-1], hops)
indices = ((np.repeat(start, hops) + within * np.repeat(step, hops)) % links).astype(np.int32)
capacities = rng.uniform(1e9, 1e10, links)
del hops, start, step, within

# What building the arrays took must not hide what solving takes.
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
resident = int(status["VmRSS"].split()[0]) / 1024
problem = fairwire.Problem(capacities, indptr, indices)
shared = bool(np.shares_memory(problem.indices, indices) and np.shares_memory(problem.indptr, indptr))
begin = time.perf_counter()
solution = problem.solve("max-min")
seconds = time.perf_counter() - begin
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
peak = int(status["VmHWM"].split()[0]) / 1024
loads = problem.loads_bps(solution.rates_bps)
print(json.dumps({
    "shared": shared,
    "resident_mib": resident,
    "peak_mib": peak,
    "incidence_mib": indices.nbytes / 2**20,
    "seconds": seconds,
    "overload": float((loads / capacities).max()) - 1,
    "held": float((solution.bottleneck >= 0).mean()),
}))
"""


def measure(flows: int) -> dict[str, float]:
    answer = subprocess.run(
        [sys.executable, "-c", MILLION, str(flows)], capture_output=True, text=True, check=True, timeout=300
    )
    measured: dict[str, float] = json.loads(answer.stdout)
    print(flows, "flows:", measured)
    return measured


def test_a_million_flows_share_their_routes() -> None:
    measured = measure(1_000_000)
    assert measured["shared"]
    assert measured["overload"] < 1e-9
    assert measured["held"] == 1.0
    assert measured["peak_mib"] - measured["resident_mib"] < 300
