#!/usr/bin/env python3
"""Build the routers of `network.toml` on this machine, and measure what senders without end get of them.

`fairwire enforce` runs at each and limits flows where they enter; no packet passes through it. Needs
iproute2 and user namespaces, but no root: see `kernel_lab.py` in the folder above.

    lab.py [--fairwire COMMAND] [--seconds S] [--law NAME] [--json]
"""

import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import kernel_lab as lab  # noqa: E402

SCENARIO = HERE / "network.toml"
TOLD = tomllib.loads(SCENARIO.read_text())
NODES = TOLD["network"]["nodes"]
LINKS = [(NODES.index(link["from"]), NODES.index(link["to"])) for link in TOLD["network"]["link"]]
MBPS = 20
ENDS = [(flow["name"], flow["from"], flow["to"]) for flow in TOLD["flow"]]
FLOWS = [lab.Flow(NODES.index(one), NODES.index(to), f"{name} {one} to {to}") for name, one, to in ENDS]
SILENT = FLOWS[2]
WITHOUT = "without"


def neighbours(node: int) -> dict[int, tuple[str, str]]:
    """Tell the nodes one link away: the address of the own end of the link, and that of theirs."""
    near = {}
    for link, (one, other) in enumerate(LINKS):
        if node == one:
            near[other] = lab.end(link, 1), lab.end(link, 2)
        elif node == other:
            near[one] = lab.end(link, 2), lab.end(link, 1)
    return near


def device(to: int) -> str:
    """Name the device of a link by where it leads."""
    return f"to-{NODES[to]}"


def reached(node: int, via: int) -> list[int]:
    """Tell which nodes of the tree lie behind a neighbour."""
    behind = [via]
    for other in behind:
        behind += [next_one for next_one in neighbours(other) if next_one not in [node, *behind]]
    return behind


def build() -> None:
    """Make nodes, links between them, and routes."""
    lab.add_routers(len(NODES))
    for link, (one, other) in enumerate(LINKS):
        lab.add_link(link, (one, device(other)), (other, device(one)))
    for node in range(len(NODES)):
        lab.set_up(node, [device(other) for other in neighbours(node)])
    for node in range(len(NODES)):
        for via, (_, address) in neighbours(node).items():
            for other in reached(node, via):
                lab.add_route(node, other, address, device(via))


def hold_to_capacity() -> list[subprocess.Popen]:
    """Give each link a queue that knows no flows."""
    for one, other in [*LINKS, *[(other, one) for one, other in LINKS]]:
        queue = f"root tbf rate {MBPS}mbit burst 4kb limit 150kb"
        lab.run(*f"tc -n {lab.name(one)} qdisc add dev {device(other)} {queue}".split())
    return []


def govern(command: str, law: str, told: Path) -> list[subprocess.Popen]:
    """Start `fairwire enforce` at all nodes."""
    routers = []
    for node, named in enumerate(NODES):
        options = ["--node", named, "--law", law]
        for link, (one, other) in zip(TOLD["network"]["link"], LINKS, strict=True):
            if one == node:
                options += ["--device", f"{link['name']}={device(other)}"]
        for other, (_, address) in neighbours(node).items():
            options += ["--peer", f"{NODES[other]}={address}"]
        for other, other_name in enumerate(NODES):
            options += ["--address", f"{other_name}=10.99.{other}.0/24"]
        routers.append(lab.govern(command, SCENARIO, node, options, told / f"{law}-{named}.json"))
    return routers


def main(told: Path) -> None:
    """Measure without a law, with one, and once more when a sender has fallen silent."""
    own = TOLD["network"]["rate"]["name"]
    options = lab.arguments(__doc__, own, "queues that know no flows")
    build()
    cases = {WITHOUT: hold_to_capacity, options.law: partial(govern, options.fairwire, options.law, told)}
    lab.measure(FLOWS, SILENT, cases, options)


if __name__ == "__main__":
    lab.laboratory(__file__, main)
