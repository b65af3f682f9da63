"""Ring laws written in Python run as built-in ones do."""

from __future__ import annotations

import signal
import struct
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import fairwire
from fairwire.laws import RingLaw, StationView

LAST_LINK = {
    "schema": 1,
    "run": {"duration": "60 ms", "warmup": "20 ms", "window": "1 ms"},
    "ring": {"stations": 5, "capacity": "100 Mb/s", "span-delay": "20 us", "law": {"name": "dvsr"}},
    "flow": [{"name": f"{sender}", "from": sender, "to": 4} for sender in range(4)],
}


class NoLaw(RingLaw):
    """Does what fifo does: nothing."""

    weighing = "alike"
    sends = "nothing"


class EqualParts(RingLaw):
    """Divides each link equally among the stations that have used it of late."""

    summary = "Every station that uses a link gets an equal part of it"
    parameters: ClassVar[Mapping[str, int]] = {"interval_ns": 1_000_000}

    def start(self, view: StationView) -> None:
        self.parts = [self.site.capacities_bps[self.site.downstream(h)] for h in range(self.site.stations)]
        self.seen = [0] * self.site.stations
        self.on_timeout(view)

    def on_timeout(self, view: StationView) -> None:
        arrived = view.arrived_by_ingress
        active = sum(now > then for now, then in zip(arrived, self.seen, strict=True))
        self.seen = arrived
        self.parts[0] = self.site.unreserved_bps // max(active, 1)
        self.send_upstream(struct.pack(f">{len(self.parts) - 1}Q", *self.parts[:-1]))
        self.wake_at(view.now_ns + self.parameters["interval_ns"])
        self.set_limits()

    def on_message(self, message: bytes, view: StationView) -> None:
        self.parts[1:] = struct.unpack(f">{len(message) // 8}Q", message)
        self.set_limits()

    def set_limits(self) -> None:
        for number, flow in enumerate(self.site.flows):
            rate_bps = min(self.parts[hops] // self.crossing(hops) for hops in range(flow.hops))
            self.limit(number, rate_bps)
            self.show("allowed_rate_bps", flow.egress, rate_bps)

    def crossing(self, hops: int) -> int:
        """How many flows of the station share its part of the link so many hops downstream."""
        return sum(flow.hops > hops for flow in self.site.flows)


def rows(table: fairwire.Table, law: str) -> pl.DataFrame:
    return table.to_polars().filter(pl.col("law") == law).drop("law")


def test_a_law_that_does_nothing_gives_the_tables_of_fifo(scenarios: Path) -> None:
    lot = scenarios / "papers" / "parallel-parking-lot.toml"
    for scenario, duration in ((LAST_LINK, "30 ms"), (lot, "0.15 s")):
        runs = fairwire.compare(scenario, laws=["fifo", NoLaw], duration=duration)
        for name in ("flows", "links", "queues", "summary"):
            table: fairwire.Table = getattr(runs, name)
            fifo = rows(table, "fifo")
            assert len(fifo) > 0
            assert fifo.equals(rows(table, "no-law")), name


def test_a_fair_law_is_fair() -> None:
    runs = fairwire.compare(LAST_LINK, laws=["dvsr", EqualParts, "fifo"], check=True)
    assert [run["law"] for run in runs.summaries] == ["dvsr", "equal-parts", "fifo"]
    for flow in runs.summaries[1]["flows"]:
        assert flow["ratio"] == pytest.approx(1, abs=0.02)
    assert min(flow["ratio"] for flow in runs.summaries[2]["flows"]) < 0.8
    shown = rows(runs.laws, "equal-parts")
    assert set(shown["name"]) == {"allowed_rate_bps"}


def test_the_same_tables_however_many_threads() -> None:
    one, many = (
        fairwire.run(LAST_LINK, law=[EqualParts, "dvsr"], seed=[1, 2, 3], threads=threads)
        for threads in (1, 4)
    )
    assert one.flows.to_polars().equals(many.flows.to_polars())
    assert one.laws.to_polars().equals(many.laws.to_polars())


def test_random_numbers_are_those_of_station_seed_and_run() -> None:
    class Draws(RingLaw):
        sends = "nothing"

        def start(self, view: StationView) -> None:
            self.show("draw_fraction", 0, self.random.random())

    draws = [fairwire.run(LAST_LINK, law=Draws, seed=seed).laws.to_polars() for seed in (1, 1, 2)]
    assert draws[0].equals(draws[1])
    assert not draws[0].drop("seed").equals(draws[2].drop("seed"))


def test_messages_go_both_ways() -> None:
    heard: list[tuple[int, int, bytes]] = []

    class Greets(RingLaw):
        sends = "both-ways"

        def start(self, view: StationView) -> None:
            if (self.site.station, self.site.ringlet) == (2, 0):
                self.send_upstream(b"up")
                self.send_downstream(b"down")
                self.send_downstream(b"later", ahead=False)

        def on_message(self, message: bytes, view: StationView) -> None:
            heard.append((self.site.station, self.site.ringlet, message))

    fairwire.run(LAST_LINK, law=Greets, duration="30 ms")
    assert sorted(heard) == [(1, 0, b"up"), (3, 0, b"down"), (3, 0, b"later")]


def test_a_station_sees_itself() -> None:
    seen: list[tuple[Any, StationView]] = []

    class Looks(RingLaw):
        sends = "nothing"

        def start(self, view: StationView) -> None:
            self.wake_at(view.now_ns + 10_000_000)

        def on_timeout(self, view: StationView) -> None:
            if self.site.ringlet == 0:
                seen.append((self.site, view))

    fairwire.run(LAST_LINK, law=Looks, duration="30 ms")
    site, view = next(pair for pair in seen if pair[0].station == 3)
    assert site.stations == 5
    assert site.capacity_bps == site.unreserved_bps == 100_000_000
    assert [(flow.egress, flow.hops, flow.weight) for flow in site.flows] == [(4, 1, 1.0)]
    assert site.delays_ns == [20_000] * 5
    assert site.ring_time_ns == 100_000
    assert [site.downstream(hops) for hops in range(3)] == [3, 4, 0]
    assert view.now_ns == 10_000_000
    assert view.busy_since_ns is not None
    assert view.busy_since_ns < view.now_ns
    assert view.sent.eligible == view.added.eligible + view.forwarded.eligible
    assert view.sent.eligible == sum(view.sent_by_ingress.eligible)
    assert view.forwarded.eligible == sum(view.forwarded_by_hops.eligible)
    # 100 Mb/s for 10 ms are 125 000 bytes.
    assert view.sent.eligible == pytest.approx(125_000, rel=0.05)
    # Stations 0 and 1 are nearer to 4 the other way round.
    assert [arrived > 0 for arrived in view.arrived_by_ingress] == [False, False, True, True, False]
    assert view.adds[0].packets is None or view.adds[0].packets > 0


def test_a_law_is_chosen_with_parameters() -> None:
    quick = EqualParts.having(interval_ns=500_000)
    assert quick.name == "equal-parts interval_ns=500000"
    runs = fairwire.compare(LAST_LINK, laws=[EqualParts, quick], duration="30 ms")
    assert [run["law"] for run in runs.summaries] == ["equal-parts", quick.name]
    assert not rows(runs.laws, "equal-parts").equals(rows(runs.laws, quick.name))
    with pytest.raises(fairwire.SettingError, match="did you mean `interval_ns`"):
        EqualParts.having(intervals_ns=1)


def test_runs_are_kept(tmp_path: Path) -> None:
    runs = fairwire.run(LAST_LINK, law=EqualParts, duration="30 ms")
    folder = runs.save(tmp_path / "runs")
    assert "equal-parts" in (folder / "report.html").read_text()


def test_all_laws_are_compared_unless_told() -> None:
    runs = fairwire.compare(LAST_LINK, duration="25 ms", detail=False)
    laws = [law.name for law in fairwire.laws() if law.kind == "ring"]
    assert [run["law"] for run in runs.summaries] == laws


def test_what_a_law_raises_is_raised() -> None:
    class Wrong(RingLaw):
        def start(self, view: StationView) -> None:
            self.wake_at(5_000_000)

        def on_timeout(self, view: StationView) -> None:
            raise LookupError("nobody there")

    with pytest.raises(LookupError, match="nobody there") as raised:
        fairwire.compare(LAST_LINK, laws=["fifo", Wrong], seed=[1, 2, 3])
    assert "in on_timeout" in "".join(traceback.format_exception(raised.value))
    assert "at 5000000 ns" in raised.value.__notes__[0]
    assert "station" in raised.value.__notes__[0]


@pytest.mark.parametrize(
    ("error", "message", "body"),
    [
        (IndexError, "flow 9: the station has", lambda law: law.limit(9, 1e6)),
        (ValueError, "a limit is a number from 0 on", lambda law: law.limit(0, float("nan"))),
        (ValueError, "a limit is a number from 0 on", lambda law: law.limit(0, -1)),
        (ValueError, "one byte or more", lambda law: law.send_upstream(b"")),
        (ValueError, 'sends = "both-ways"', lambda law: law.send_downstream(b"x")),
        (TypeError, "message: bytes, such as", lambda law: law.send_upstream("text")),
        (ValueError, "at_ns: -1", lambda law: law.wake_at(-1)),
        (ZeroDivisionError, "", lambda law: 1 / 0),
    ],
)
def test_mistakes_of_laws_are_told(error: type[Exception], message: str, body: Any) -> None:
    class Mistaken(RingLaw):
        def start(self, view: StationView) -> None:
            if self.site.flows:
                body(self)

    with pytest.raises(error, match=message or None):
        fairwire.run(LAST_LINK, law=Mistaken)


def test_a_law_that_cannot_be_made_is_told() -> None:
    class Unmade(RingLaw):
        def __init__(self) -> None:
            raise KeyError(self.site.station)

    with pytest.raises(KeyError):
        fairwire.run(LAST_LINK, law=Unmade)


def test_a_law_cannot_wake_for_ever_at_one_time() -> None:
    class Hasty(RingLaw):
        def start(self, view: StationView) -> None:
            self.wake_at(0)

        def on_timeout(self, view: StationView) -> None:
            self.wake_at(view.now_ns)

    with pytest.raises(ValueError, match="not ahead of now"):
        fairwire.run(LAST_LINK, law=Hasty)


def test_what_is_no_law_is_refused() -> None:
    class Fifo(RingLaw):
        name = "fifo"

    class Odd(RingLaw):
        sends = "everywhere"  # type: ignore[assignment]

    for law in (int, RingLaw, [3], [EqualParts()]):
        with pytest.raises(fairwire.SettingError, match="subclass of fairwire"):
            fairwire.run(LAST_LINK, law=law)  # type: ignore[arg-type]
    for laws in ([Fifo], [EqualParts, EqualParts], ["fifo", Fifo]):
        with pytest.raises(fairwire.SettingError, match="two laws are called"):
            fairwire.compare(LAST_LINK, laws=laws)  # type: ignore[arg-type]
    for called, kind in [
        ("fifo", "ring law"),
        ("red", "queue law"),
        ("erica", "rate law"),
        ("reno", "congestion control"),
    ]:

        class Same(RingLaw):
            name = called

        said = f"two laws are called `{called}`, and one is a built-in {kind}; give the class another `name`"
        with pytest.raises(fairwire.SettingError, match=said):
            fairwire.run(LAST_LINK, law=Same)
        with pytest.raises(fairwire.SettingError, match=said):
            fairwire.compare(LAST_LINK, laws=["dvsr", Same])
        with pytest.raises(fairwire.SettingError, match=said):
            fairwire.Simulation(LAST_LINK, law=Same)
    with pytest.raises(fairwire.SettingError, match="use one of nothing, upstream, both-ways"):
        fairwire.run(LAST_LINK, law=Odd)
    gateway = {
        "schema": 1,
        "network": {
            "nodes": ["a", "b"],
            "link": [{"from": "a", "to": "b", "capacity": "1 Mb/s", "delay": "1 ms"}],
        },
        "flow": [{"name": "only", "from": "a", "to": "b"}],
    }
    with pytest.raises(fairwire.SettingError, match="a law of rings"):
        fairwire.run(gateway, law=EqualParts)


def test_a_simulation_goes_step_by_step_under_a_law() -> None:
    simulation = fairwire.Simulation(LAST_LINK, law=EqualParts, step="7 ms")
    for _ in simulation:
        pass
    stepped = simulation.finish()
    assert stepped.flows.to_polars().equals(fairwire.run(LAST_LINK, law=EqualParts).flows.to_polars())

    class Wrong(RingLaw):
        def start(self, view: StationView) -> None:
            self.wake_at(1_000_000)

        def on_timeout(self, view: StationView) -> None:
            raise LookupError("nobody there")

    simulation = fairwire.Simulation(LAST_LINK, law=Wrong)
    with pytest.raises(LookupError):
        simulation.advance("2 ms")
    with pytest.raises(fairwire.SettingError, match="raised an error before"):
        simulation.finish()


def test_ctrl_c_stops_a_law() -> None:
    def interrupt() -> None:
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        fairwire.run(LAST_LINK, law=EqualParts.having(interval_ns=10_000), duration="1000 s")
    timer.join()


def test_what_a_law_returns_is_not_lost_without_a_word() -> None:
    class Yields(RingLaw):
        def start(self, view: StationView) -> Any:
            yield 1e6

    class Returns(RingLaw):
        def start(self, view: StationView) -> Any:
            return 1e6

    for law, kind in ((Yields, "generator"), (Returns, "float")):
        with pytest.raises(TypeError, match=f"start returned something of type {kind}, which nobody heeds"):
            fairwire.run(LAST_LINK, law=law)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda law: law.limit(-1, 1e6), IndexError, "flow -1: the station has"),
        (lambda law: law.limit(2**64, 1e6), IndexError, "flow 18446744073709551616: the station has"),
        (lambda law: law.limit(True, 1e6), TypeError, "flow: a whole number, not bool"),
        (lambda law: law.limit(0, float("nan")), ValueError, "rate_bps: NaN"),
        (lambda law: law.wake_at(-1), ValueError, "at_ns: -1; a time is"),
        (lambda law: law.wake_at(2**64), ValueError, "at_ns: 18446744073709551616; a time is"),
        (lambda law: law.wake_at(1.5), TypeError, "at_ns: a whole number, not float"),
        (lambda law: law.show("x_bps", -1, 1.0), ValueError, "index: -1; the station .* from 0 to 4"),
        (lambda law: law.show("x_bps", 5, 1.0), ValueError, "index: 5; the station .* from 0 to 4"),
        (lambda law: law.show("x_bps", 2**64, 1.0), ValueError, "index: 18446744073709551616; the station"),
        (
            lambda law: law.show("rate", 0, 2.5),
            ValueError,
            'name: "rate"; end it .* of 2.5, one of _bps, .*_ns',
        ),
        (lambda law: law.show("rate_Mbps", 0, 2), ValueError, "a name without one shows 0 or 1"),
        (lambda law: law.show("x_bps", 0, float("nan")), ValueError, "value: NaN; what is shown as"),
        (lambda law: law.show("x_bps", 0, float("inf")), ValueError, "value: inf; what is shown as"),
        (lambda law: law.send_upstream("str"), TypeError, "message: bytes, such as .*, not str"),
        (lambda law: law.send_upstream(None), TypeError, "message: bytes, such as .*, not NoneType"),
        (
            lambda law: law.send_upstream(iter([1])),
            TypeError,
            "message: bytes, such as .*, not list_iterator",
        ),
        (lambda law: law.send_upstream([1, 2, 300]), ValueError, r"message\[2\]: 300; a byte is"),
        (lambda law: law.send_upstream([1, -2]), ValueError, r"message\[1\]: -2; a byte is"),
        (lambda law: law.send_upstream([1.5]), TypeError, r"message\[0\]: a whole number, not float"),
        (lambda law: law.send_downstream(b"x", ahead=5), TypeError, "ahead: True or False, not 5"),
        (lambda law: law.site.downstream(-1), ValueError, "hops: -1; a number of links"),
        (lambda law: law.site.downstream("1"), TypeError, "hops: a whole number, not str"),
        (lambda law: law.limit(0, None), TypeError, "rate_bps: a number, not NoneType"),
        (lambda law: law.limit(0, "5"), TypeError, "rate_bps: a number, not str"),
        (lambda law: law.limit(0, True), TypeError, "rate_bps: a number, not bool"),
        (lambda law: law.limit(0, 10**400), ValueError, "rate_bps: 10+; a number that fits into a float"),
        (lambda law: law.show(5, 0, 1.0), TypeError, "name: text, not 5"),
        (lambda law: law.show("", 0, 1.0), ValueError, "name: '' is empty"),
        (lambda law: law.show(" ", 0, 1.0), ValueError, "name: ' ' is empty"),
        (lambda law: law.show("a\nb_bps", 0, 1.0), ValueError, r"name: 'a\\nb_bps' has control characters"),
        (lambda law: law.show("\ud800_bps", 0, 1.0), ValueError, "name: .* half a surrogate pair"),
        (lambda law: law.show("x_bps", 0, [1.0]), TypeError, "value: a number, not list"),
    ],
)
def test_what_a_law_cannot_want_is_told_with_its_name(ask: Any, error: Any, message: str) -> None:
    class Wrong(RingLaw):
        def start(self, view: StationView) -> None:
            if self.site.flows:
                ask(self)

    with pytest.raises(error, match=message) as caught:
        fairwire.run(LAST_LINK, law=Wrong)
    assert isinstance(caught.value, fairwire.SettingError)
    assert "in start" in "".join(traceback.format_exception(caught.value)), "the line of the law is told"


@pytest.mark.parametrize(
    ("says", "error", "message"),
    [
        ({"name": ""}, fairwire.SettingError, "^Odd.name: '' is empty; use letters, digits and marks$"),
        ({"name": " "}, fairwire.SettingError, "^Odd.name: ' ' is empty"),
        ({"name": 5}, fairwire.ArgumentTypeError, "^Odd.name: text, not 5$"),
        ({"name": "a/b\n<x>"}, fairwire.SettingError, r"^Odd.name: 'a/b\\n<x>' has control characters; use"),
        ({"name": "\u202eodd"}, fairwire.SettingError, "^Odd.name: .* has control characters"),
        ({"name": "\ud800"}, fairwire.SettingError, "^Odd.name: .* half a surrogate pair"),
        ({"summary": ""}, fairwire.SettingError, "^Odd.summary: '' is empty"),
        ({"source": None}, fairwire.ArgumentTypeError, "^Odd.source: text, not None$"),
        ({"sends": ""}, fairwire.SettingError, '^sends = "": use one of nothing, upstream, both-ways$'),
        ({"sends": 5}, fairwire.ArgumentTypeError, "^Odd.sends: text, not 5$"),
        ({"parameters": 5}, fairwire.ArgumentTypeError, "^Odd.parameters: a dictionary such as .*, not 5$"),
    ],
)
def test_what_a_law_says_of_itself_makes_sense(
    says: dict[str, Any], error: type[Exception], message: str
) -> None:
    odd: type[RingLaw] = type("Odd", (RingLaw,), says)
    for ask in (fairwire.run, fairwire.Simulation):
        with pytest.raises(error, match=message):
            ask(LAST_LINK, law=odd)
    if "parameters" in says:
        with pytest.raises(error, match=message):
            odd.having(interval_ns=1)


def test_values_of_several_lines_are_told_in_a_name() -> None:
    class Matrix(RingLaw):
        sends = "nothing"
        parameters: ClassVar[Mapping[str, Any]] = {"by": None}

    law = Matrix.having(by=np.eye(2))
    assert law.name == "matrix by=[[1. 0.] [0. 1.]]"
    assert fairwire.run(LAST_LINK, law=law, duration="30 ms").summaries[0]["law"] == law.name


def test_messages_are_bytes_however_they_are_held() -> None:
    heard: set[bytes] = set()

    class Sends(RingLaw):
        def start(self, view: StationView) -> None:
            for message in (
                b"ab",
                bytearray(b"ab"),
                memoryview(b"ab"),
                [97, 98],
                np.frombuffer(b"ab", np.uint8),
            ):
                self.send_upstream(message)  # type: ignore[arg-type]

        def on_message(self, message: bytes, view: StationView) -> None:
            heard.add(message)

    fairwire.run(LAST_LINK, law=Sends, duration="30 ms")
    assert heard == {b"ab"}


def test_what_is_so_or_not_is_shown_without_a_unit() -> None:
    class Flags(RingLaw):
        def start(self, view: StationView) -> None:
            self.show("congested", self.site.stations - 1, True)
            self.show("tail_hops", 0, 3)

    shown = fairwire.run(LAST_LINK, law=Flags, duration="30 ms").laws.to_polars()
    assert set(shown.select("name", "about", "value").rows()) == {
        ("congested", 4, 1.0),
        ("tail_hops", 0, 3.0),
    }


def test_numbers_of_numpy_are_numbers() -> None:
    class FromNumPy(RingLaw):
        def start(self, view: StationView) -> None:
            for flow in np.arange(len(self.site.flows)):
                self.limit(flow, np.float32(1e6))
                self.show("x_bps", flow, np.float32(1))
            self.wake_at(np.uint64(2**63))

    assert len(fairwire.run(LAST_LINK, law=FromNumPy)) == 1
