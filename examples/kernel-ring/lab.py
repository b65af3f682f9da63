#!/usr/bin/env python3
"""Build a ring of six routers on this machine, and measure what senders without end get of it.

Each router is a network namespace with Linux's own IP forwarding. `fairwire enforce` runs at each and moves
the limits of its queues; no packet passes through it. Needs iproute2 and user namespaces, but no root: all of
it stands in namespaces of its own, and is gone when this script ends.

    lab.py [--fairwire COMMAND] [--seconds S] [--law NAME] [--json]
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCENARIO = HERE / "ring.toml"
STATIONS = 6
FLOWS = [(0, 3), (1, 3), (2, 3), (0, 1)]
SILENT = (1, 3)
SETTLES = 2.0
PORT = 9
PAYLOAD = bytes(1400)
INSIDE = "FAIRWIRE_LAB"


def behind(station: int) -> str:
    """Tell an address behind a station."""
    return f"10.99.{station}.1"


def end(link: int, side: int) -> str:
    """Tell the address of a link's end: side 1 at the station that the link leaves, side 2 at the next."""
    return f"10.98.{link % STATIONS}.{side}"


def run(*command: str) -> None:
    """Run a command that has to succeed."""
    subprocess.run(command, check=True)


def in_station(station: int, *command: str, **options: object) -> subprocess.Popen:
    """Start a command in the namespace of a station."""
    return subprocess.Popen(["ip", "netns", "exec", f"s{station}", *command], **options)


def build() -> None:
    """Make stations, links between them, and routes in the direction of ringlet 0."""
    for station in range(STATIONS):
        run("ip", "netns", "add", f"s{station}")
    for link in range(STATIONS):
        after = (link + 1) % STATIONS
        here, there = f"s{link}", f"s{after}"
        run(*f"ip link add name right netns {here} type veth peer name left netns {there}".split())
        run(*f"ip -n {here} address add {end(link, 1)}/30 dev right".split())
        run(*f"ip -n {there} address add {end(link, 2)}/30 dev left".split())
    for station in range(STATIONS):
        name = f"s{station}"
        run(*f"ip -n {name} address add {behind(station)}/24 dev lo".split())
        for device in ("lo", "left", "right"):
            run(*f"ip -n {name} link set {device} up".split())
        settings = {"ip_forward": 1} | {f"conf/{device}/rp_filter": 0 for device in ("all", "left", "right")}
        for key, value in settings.items():
            setting = f"echo {value} > /proc/sys/net/ipv4/{key}"
            run("ip", "netns", "exec", name, "sh", "-c", setting)
    for station in range(STATIONS):
        for other in range(STATIONS):
            if other != station:
                route = f"10.99.{other}.0/24 via {end(station, 2)} dev right src {behind(station)}"
                run(*f"ip -n s{station} route add {route}".split())


def govern(command: str, station: int, law: str, out: Path) -> subprocess.Popen:
    """Start `fairwire enforce` at a station; what it tells goes to a file."""
    before, after = (station - 1) % STATIONS, (station + 1) % STATIONS
    options = ["--station", str(station), "--law", law, "--device", "right", "--json", "--every", "500 ms"]
    # Router 0 begins when others have forgotten what it said in another life: a lease later.
    options += ["--lease", "500 ms"]
    options += ["--peer", f"{before}={end(before, 1)}", "--peer", f"{after}={end(station, 2)}"]
    for other in range(STATIONS):
        options += ["--address", f"{other}=10.99.{other}.0/24"]
    with out.open("w") as told:
        return in_station(station, command, "enforce", str(SCENARIO), *options, stdout=told)


def send(station: int, to: int) -> None:
    """Send without end, until ended."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.bind((behind(station), 0))
        while True:
            try:
                sender.sendto(PAYLOAD, (behind(to), PORT + station))
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
    """What counts at the stations where flows end."""

    def __init__(self) -> None:
        self.flows = {to: [flow for flow in FLOWS if flow[1] == to] for _, to in FLOWS}
        self.processes = {
            to: in_station(
                to, sys.executable, __file__, "count", *[str(PORT + station) for station, _ in flows],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
            for to, flows in self.flows.items()
        }  # fmt: skip

    def counts(self) -> dict[tuple[int, int], int]:
        """Count the packets of each flow that have come so far."""
        counts = {}
        for to, process in self.processes.items():
            process.stdin.write("?\n")
            process.stdin.flush()
            counts |= zip(self.flows[to], json.loads(process.stdout.readline()), strict=True)
        return counts

    def rates(self, seconds: float) -> dict[tuple[int, int], float]:
        """Measure what each flow has from now on, in bit/s of packets with their Ethernet header."""
        begun, before = time.monotonic(), self.counts()
        time.sleep(seconds)
        took, after = time.monotonic() - begun, self.counts()
        packet_bits = 8 * (len(PAYLOAD) + 42)
        return {flow: (after[flow] - before[flow]) * packet_bits / took for flow in FLOWS}


def main() -> None:
    """Measure without a law, with one, and once more when a sender has fallen silent."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fairwire", default="fairwire", help="the command")
    parser.add_argument("--seconds", type=float, default=4.0, help="how long rates are measured")
    parser.add_argument("--law", default="dvsr-plus", help="the law beside `fifo`, which limits nobody")
    parser.add_argument("--json", action="store_true", help="tell rates in bit/s as JSON")
    options = parser.parse_args()
    told = Path(os.environ[INSIDE])
    build()
    receivers = Receivers()
    senders = {flow: in_station(flow[0], sys.executable, __file__, "send", *map(str, flow)) for flow in FLOWS}
    measured = {}
    for law in dict.fromkeys(["fifo", options.law]):
        stations = [govern(options.fairwire, n, law, told / f"{law}-{n}.json") for n in range(STATIONS)]
        time.sleep(SETTLES)
        measured[law] = receivers.rates(options.seconds)
        if law == options.law:
            senders.pop(SILENT).kill()
            time.sleep(SETTLES)
            measured[f"{law}, {SILENT[0]} silent"] = receivers.rates(options.seconds)
        for station in stations:
            station.send_signal(signal.SIGTERM)
        ended = [station.wait() for station in stations]
        if any(ended):
            sys.exit(f"`fairwire enforce` ended with {ended}")
    for process in [*senders.values(), *receivers.processes.values()]:
        process.kill()
    if options.json:
        print(json.dumps({law: list(rates.values()) for law, rates in measured.items()}))
        return
    print("flow  " + "".join(f"{law:>23}" for law in measured))
    for flow in FLOWS:
        rates = "".join(f"{rates[flow] / 1e6:>18.2f} Mb/s" for rates in measured.values())
        print(f"{flow[0]} to {flow[1]}{rates}")


def enter() -> None:
    """Go on in namespaces of its own, where names of others' networks are not in the way."""
    script = 'mount -t tmpfs none /run && mkdir -p /run/told && FAIRWIRE_LAB=/run/told exec "$@"'
    unshare = ["unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "--kill-child"]
    os.execvp("unshare", [*unshare, "sh", "-c", script, "sh", sys.executable, __file__, *sys.argv[1:]])


if __name__ == "__main__":
    if sys.argv[1:2] == ["send"]:
        send(int(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:2] == ["count"]:
        count([int(port) for port in sys.argv[2:]])
    elif INSIDE in os.environ:
        main()
    else:
        enter()
