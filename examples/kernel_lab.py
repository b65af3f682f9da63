"""What laboratories of Linux routers share: namespaces, senders without end, receivers that count.

Each router is a network namespace with Linux's own IP forwarding. A laboratory stands in namespaces of its
own, and is gone when its script ends. It needs iproute2 and user namespaces, but no root.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

SETTLES = 2.0
PORT = 9
PAYLOAD = bytes(1400)
INSIDE = "FAIRWIRE_LAB"


class Flow(NamedTuple):
    """Whose packets are counted, by the places of the routers at its ends."""

    source: int
    destination: int
    label: str


def name(router: int) -> str:
    """Tell the namespace of a router."""
    return f"s{router}"


def behind(router: int) -> str:
    """Tell an address behind a router."""
    return f"10.99.{router}.1"


def end(link: int, side: int) -> str:
    """Tell the address of a link's end: side 1 at the router that the link leaves, side 2 at the other."""
    return f"10.98.{link}.{side}"


def run(*command: str) -> None:
    """Run a command that has to succeed."""
    subprocess.run(command, check=True)


def in_router(router: int, *command: str, **options: object) -> subprocess.Popen:
    """Start a command in the namespace of a router."""
    return subprocess.Popen(["ip", "netns", "exec", name(router), *command], **options)


def add_routers(count: int) -> None:
    """Make the namespaces."""
    for router in range(count):
        run("ip", "netns", "add", name(router))


def add_link(link: int, here: tuple[int, str], there: tuple[int, str]) -> None:
    """Make a link between the devices of two routers."""
    (router, device), (other, other_device) = here, there
    peer = f"peer name {other_device} netns {name(other)}"
    run(*f"ip link add name {device} netns {name(router)} type veth {peer}".split())
    run(*f"ip -n {name(router)} address add {end(link, 1)}/30 dev {device}".split())
    run(*f"ip -n {name(other)} address add {end(link, 2)}/30 dev {other_device}".split())


def set_up(router: int, devices: list[str]) -> None:
    """Have a router forward what comes by its devices."""
    run(*f"ip -n {name(router)} address add {behind(router)}/24 dev lo".split())
    for device in ["lo", *devices]:
        run(*f"ip -n {name(router)} link set {device} up".split())
    settings = {"ip_forward": 1} | {f"conf/{device}/rp_filter": 0 for device in ["all", *devices]}
    for key, value in settings.items():
        setting = f"echo {value} > /proc/sys/net/ipv4/{key}"
        run("ip", "netns", "exec", name(router), "sh", "-c", setting)


def add_route(router: int, other: int, via: str, device: str) -> None:
    """Send packets for what is behind another router to the next one."""
    route = f"10.99.{other}.0/24 via {via} dev {device} src {behind(router)}"
    run(*f"ip -n {name(router)} route add {route}".split())


def govern(command: str, scenario: Path, router: int, options: list[str], out: Path) -> subprocess.Popen:
    """Start `fairwire enforce` at a router; what it tells goes to a file."""
    options = [*options, "--json", "--every", "500 ms", "--lease", "500 ms", "--replace"]
    with out.open("w") as told:
        return in_router(router, command, "enforce", str(scenario), *options, stdout=told)


def send(source: str, destination: str, port: int) -> None:
    """Send without end, until ended."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.bind((source, 0))
        while True:
            try:
                sender.sendto(PAYLOAD, (destination, port))
            except OSError:
                time.sleep(0.001)


def count(ports: list[int]) -> None:
    """Tell on each line that is read how many packets have come to each port."""
    receivers = []
    for port in ports:
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        receiver.bind(("0.0.0.0", port))
        receiver.setblocking(False)
        receivers.append(receiver)
    counts = [0] * len(ports)
    os.set_blocking(0, False)
    while True:
        for place, receiver in enumerate(receivers):
            try:
                while receiver.recv_into(bytearray(2000)):
                    counts[place] += 1
            except BlockingIOError:
                pass
        try:
            if not os.read(0, 100):
                return
            print(json.dumps(counts), flush=True)
        except BlockingIOError:
            time.sleep(0.002)


class Receivers:
    """What counts where flows end."""

    def __init__(self, flows: list[Flow]) -> None:
        self.flows = {to: [flow for flow in flows if flow.destination == to] for _, to, _ in flows}
        self.order = flows
        self.processes = {
            to: in_router(
                to, sys.executable, __file__, "count", *[str(PORT + flow.source) for flow in flows],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
            for to, flows in self.flows.items()
        }  # fmt: skip

    def counts(self) -> dict[Flow, int]:
        """Count the packets of each flow that have come so far."""
        counts = {}
        for to, process in self.processes.items():
            process.stdin.write("?\n")
            process.stdin.flush()
            counts |= zip(self.flows[to], json.loads(process.stdout.readline()), strict=True)
        return counts

    def rates(self, seconds: float) -> list[float]:
        """Measure what each flow has from now on, in bit/s of packets with their Ethernet header."""
        begun, before = time.monotonic(), self.counts()
        time.sleep(seconds)
        took, after = time.monotonic() - begun, self.counts()
        packet_bits = 8 * (len(PAYLOAD) + 42)
        return [(after[flow] - before[flow]) * packet_bits / took for flow in self.order]


def start_sender(flow: Flow) -> subprocess.Popen:
    """Start what sends the packets of a flow."""
    ends = [behind(flow.source), behind(flow.destination), str(PORT + flow.source)]
    return in_router(flow.source, sys.executable, __file__, "send", *ends)


def arguments(description: str, law: str, without: str) -> argparse.Namespace:
    """Read the options of a laboratory."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--fairwire", default="fairwire", help="the command")
    parser.add_argument("--seconds", type=float, default=4.0, help="how long rates are measured")
    parser.add_argument("--law", default=law, help=f"the law beside {without}")
    parser.add_argument("--json", action="store_true", help="tell rates in bit/s as JSON")
    return parser.parse_args()


def measure(
    flows: list[Flow],
    silent: Flow,
    cases: dict[str, Callable[[], list[subprocess.Popen]]],
    options: argparse.Namespace,
) -> None:
    """Tell what flows have in each case, and in that of the law once more when a sender has fallen silent."""
    receivers = Receivers(flows)
    senders = {flow: start_sender(flow) for flow in flows}
    measured = {}
    for case, begin in cases.items():
        governors = begin()
        time.sleep(SETTLES)
        measured[case] = receivers.rates(options.seconds)
        if case == options.law:
            senders.pop(silent).kill()
            time.sleep(SETTLES)
            measured[f"{case}, {silent.label.split()[0]} silent"] = receivers.rates(options.seconds)
        for governor in governors:
            governor.send_signal(signal.SIGTERM)
        ended = [governor.wait() for governor in governors]
        if any(ended):
            sys.exit(f"`fairwire enforce` ended with {ended}")
    for process in [*senders.values(), *receivers.processes.values()]:
        process.kill()
    if options.json:
        print(json.dumps(measured))
        return
    first = max(len(flow.label) for flow in flows) + 1
    widths = {case: max(len(case) + 2, 23) for case in measured}
    print(f"{'flow':<{first}}" + "".join(f"{case:>{width}}" for case, width in widths.items()))
    for place, flow in enumerate(flows):
        rates = [f"{rates[place] / 1e6:.2f} Mb/s" for rates in measured.values()]
        cells = [f"{rate:>{width}}" for rate, width in zip(rates, widths.values(), strict=True)]
        print(f"{flow.label:<{first}}" + "".join(cells))


def laboratory(script: str, main: Callable[[Path], None]) -> None:
    """Do `main` in namespaces of its own, where names of others' networks are not in the way."""
    if INSIDE in os.environ:
        main(Path(os.environ[INSIDE]))
        return
    shell = f'mount -t tmpfs none /run && mkdir -p /run/told && {INSIDE}=/run/told exec "$@"'
    unshare = ["unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "--kill-child"]
    os.execvp("unshare", [*unshare, "sh", "-c", shell, "sh", sys.executable, script, *sys.argv[1:]])


if __name__ == "__main__":
    role, *parts = sys.argv[1:]
    if role == "send":
        send(parts[0], parts[1], int(parts[2]))
    elif role == "count":
        count([int(port) for port in parts])
