"""A million flows through NumPy: no copy of the routes, and memory in proportion."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def test_a_million_flows_share_their_routes(root: Path) -> None:
    # In a process of its own, for the peak of its memory is what is measured.
    command = [sys.executable, str(root / "benches/python/arrays.py"), "1000000"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    measured = json.loads(answer.stdout)
    assert measured["shared"]
    assert measured["overload"] < 1e-9
    assert measured["held"] == 1.0
    # The rates, who holds whom, and what the solver notes for itself.
    assert measured["peak_above_mib"] is None or measured["peak_above_mib"] < 100
