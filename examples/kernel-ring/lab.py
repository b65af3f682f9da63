#!/usr/bin/env python3
"""Build a ring of six routers on this machine, and measure what senders without end get of it.

`fairwire enforce` runs at each and moves the limits of its queues; no packet passes through it. Needs
iproute2 and user namespaces, but no root: see `kernel_lab.py` in the folder above.

    lab.py [--fairwire COMMAND] [--seconds S] [--law NAME] [--json]
"""

import subprocess
import sys
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import kernel_lab as lab  # noqa: E402

STATIONS = 6
FLOWS = [lab.Flow(source, to, f"{source} to {to}") for source, to in [(0, 3), (1, 3), (2, 3), (0, 1)]]
SILENT = FLOWS[1]


def build() -> None:
    """Make stations, links between them, and routes in the direction of ringlet 0."""
    lab.add_routers(STATIONS)
    for link in range(STATIONS):
        lab.add_link(link, (link, "right"), ((link + 1) % STATIONS, "left"))
    for station in range(STATIONS):
        lab.set_up(station, ["left", "right"])
    for station in range(STATIONS):
        for other in set(range(STATIONS)) - {station}:
            lab.add_route(station, other, lab.end(station, 2), "right")


def govern(command: str, law: str, told: Path) -> list[subprocess.Popen]:
    """Start `fairwire enforce` at all stations. Router 0 begins a lease later."""
    stations = []
    for station in range(STATIONS):
        before, after = (station - 1) % STATIONS, (station + 1) % STATIONS
        options = ["--station", str(station), "--law", law, "--device", "right"]
        options += ["--peer", f"{before}={lab.end(before, 1)}", "--peer", f"{after}={lab.end(station, 2)}"]
        for other in range(STATIONS):
            options += ["--address", f"{other}=10.99.{other}.0/24"]
        out = told / f"{law}-{station}.json"
        stations.append(lab.govern(command, HERE / "ring.toml", station, options, out))
    return stations


def main(told: Path) -> None:
    """Measure without a law, with one, and once more when a sender has fallen silent."""
    options = lab.arguments(__doc__, "dvsr-plus", "`fifo`, which limits nobody")
    build()
    laws = dict.fromkeys(["fifo", options.law])
    cases = {law: partial(govern, options.fairwire, law, told) for law in laws}
    lab.measure(FLOWS, SILENT, cases, options)


if __name__ == "__main__":
    lab.laboratory(__file__, main)
