"""Simulations that are taken through time by hand."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import fairwire

TABLES = ("flows", "links", "queues", "laws", "summary", "runs", "link_summary", "transfers", "windows")

GATEWAY: dict[str, Any] = {
    "schema": 1,
    "run": {"duration": "2 s", "window": "20 ms"},
    "network": {
        "nodes": ["office", "exchange"],
        "link": [{"from": "office", "to": "exchange", "capacity": "8 Mb/s", "delay": "5 ms", "duplex": True}],
    },
    "flow": [
        {"name": "backup", "from": "office", "to": "exchange", "traffic": {"kind": "tcp"}},
        {"name": "probe", "from": "office", "to": "exchange", "demand": "8 kb/s"},
    ],
}


def test_steps_leave_the_tables_of_one_run(scenarios: Path) -> None:
    cases: list[tuple[Path | dict[str, Any], str]] = [
        (scenarios / "teaching/two-flows.toml", "dvsr"),
        (scenarios / "teaching/two-flows.toml", "rpr-aggressive-stq"),
        (GATEWAY, "red"),
    ]
    for scenario, law in cases:
        whole = fairwire.run(scenario, law=law, duration="0.3 s")
        simulation = fairwire.Simulation(scenario, law=law, duration="0.3 s", step="7 ms")
        simulation.advance("1 us")
        views = list(simulation)
        assert views[-1].now_ns == simulation.end_ns
        stepped = simulation.finish()
        for table in TABLES:
            assert getattr(stepped, table).to_polars().equals(getattr(whole, table).to_polars()), table
        assert [promise.ok for promise in stepped.promises] == [promise.ok for promise in whole.promises]


def test_a_view_tells_of_flows_links_queues_and_limits(scenarios: Path) -> None:
    simulation = fairwire.Simulation(scenarios / "teaching/two-flows.toml", law="dvsr")
    simulation.advance(until="0.2 s")
    view = simulation.view()
    assert (view.now_s, simulation.now_s) == (0.2, 0.2)
    for flow in view.flows.values():
        assert flow.offered_packets >= flow.entered_packets >= flow.delivered_packets > 1_000
        assert flow.entered_packets == flow.delivered_packets + flow.dropped_packets + flow.in_flight_packets
    assert any(link.waiting_packets > 0 for link in view.links.values())
    limited = [limit.rate_bps for limit in view.limits if limit.rate_bps is not None]
    assert any(abs(rate / 500e6 - 1) < 0.05 for rate in limited), limited
    assert {queue.class_ for queue in view.queues} == {"C"}
    assert view == simulation.view(), "looking changes nothing"


def test_senders_are_seen() -> None:
    simulation = fairwire.Simulation(GATEWAY)
    simulation.advance("1 s")
    (sender,) = simulation.view().senders
    assert (sender.flow, sender.micro_flow) == ("backup", 0)
    assert sender.cwnd_packets > 1
    assert sender.srtt_ns is not None
    assert sender.srtt_ns > 10_000_000


def test_packets_are_handed_back_once(scenarios: Path) -> None:
    cases: list[tuple[Path | dict[str, Any], str]] = [
        (scenarios / "teaching/mixed-demands.toml", "modest"),
        (GATEWAY, "probe"),
    ]
    for scenario, name in cases:
        simulation = fairwire.Simulation(scenario, duration="0.5 s")
        simulation.advance("10 ms")
        before = simulation.view().flows[name].offered_packets
        for number in range(300):
            simulation.inject(name, number=number, size_bytes=1_000, at_ns=simulation.now_ns + number * 1_000)
        back: list[fairwire.Delivery] = []
        while simulation.outstanding:
            simulation.advance("1 ms")
            back.extend(simulation.deliveries())
        assert sorted(delivery.number for delivery in back) == list(range(300))
        assert {delivery.fate for delivery in back} <= {"arrived", "refused", "dropped"}
        assert all(delivery.at_ns >= delivery.sent_ns for delivery in back)
        assert simulation.view().flows[name].offered_packets >= before + 300
        assert simulation.deliveries() == []


def test_packets_that_were_written_down_give_the_same_run_again() -> None:
    def run(packets: list[tuple[int, int, int]], step: str) -> tuple[list[fairwire.Delivery], fairwire.Runs]:
        simulation = fairwire.Simulation(GATEWAY, step=step)
        for number, size, at in packets:
            simulation.inject("probe", number=number, size_bytes=size, at_ns=at)
        back = [delivery for _ in simulation for delivery in simulation.deliveries()]
        return back, simulation.finish()

    packets = [(number, 40 + number, 1_000_000 * (number * 7 % 1_500)) for number in range(1_000)]
    back, runs = run(packets, "30 ms")
    written = [(delivery.number, delivery.size_bytes, delivery.sent_ns) for delivery in back]
    back_again, runs_again = run(sorted(written), "2 s")
    assert back == back_again
    assert runs.summary.to_polars().equals(runs_again.summary.to_polars())


def test_a_run_that_ends_early_covers_what_was_simulated() -> None:
    simulation = fairwire.Simulation(GATEWAY)
    with pytest.raises(fairwire.SettingError, match="nothing has been measured"):
        simulation.finish()
    simulation.advance("0.5 s")
    runs = simulation.finish()
    shorter = fairwire.run(GATEWAY, duration="0.5 s")
    assert runs.summary.to_polars().equals(shorter.summary.to_polars())
    with pytest.raises(fairwire.SettingError, match="begin another one"):
        simulation.advance("1 ms")


def test_what_does_not_fit_is_told() -> None:
    simulation = fairwire.Simulation(GATEWAY)
    simulation.advance("1 ms")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"flow": "prob", "number": 1, "size_bytes": 10}, 'did you mean "probe"'),
        ({"flow": "backup", "number": 1, "size_bytes": 10}, "made of TCP"),
        ({"flow": "probe", "number": 1, "size_bytes": 0}, "has no bytes"),
        ({"flow": "probe", "number": 1, "size_bytes": 70_000}, "at most 65535 bytes"),
        ({"flow": "probe", "number": 1, "size_bytes": 10, "at_ns": 5}, "stands at 1 ms"),
        ({"flow": "probe", "number": -1, "size_bytes": 10}, "whole number"),
    ]
    for arguments, message in wrong:
        with pytest.raises(fairwire.SettingError, match=message):
            simulation.inject(**arguments)
    with pytest.raises(fairwire.SettingError):
        simulation.advance("10")
    with pytest.raises(fairwire.SettingError, match="not both"):
        simulation.advance("1 ms", until="2 ms")
    with pytest.raises(ValueError, match="until: 500000 ns is over, the simulation stands at 1000000 ns"):
        simulation.advance(until="0.5 ms")
    simulation.advance(until="1 ms")
    assert simulation.now_ns == 1_000_000
    with pytest.raises(fairwire.SettingError, match="above zero"):
        fairwire.Simulation(GATEWAY, step="0 ms")
    with pytest.raises(fairwire.SettingError, match="red"):
        fairwire.Simulation(GATEWAY, law="rad")


def test_a_changed_run_is_that_of_a_scenario_with_events(scenarios: Path) -> None:
    simulation = fairwire.Simulation(GATEWAY, law="red")
    simulation.inject("probe", number=1, size_bytes=400, at_ns=100_000_000)
    simulation.inject("probe", number=2, size_bytes=400, at_ns=900_000_000)
    simulation.advance(until="0.5 s")
    before = simulation.view()
    assert [delivery.number for delivery in simulation.deliveries()] == [1]
    simulation.change("demand", flow="probe", demand="2 Mb/s")
    simulation.change("capacity", link="office-exchange", capacity="4 Mb/s", at_ns=1_500_000_000)
    assert simulation.view().flows == before.flows, "what is over stays as it is"
    simulation.advance()
    assert [delivery.number for delivery in simulation.deliveries()] == [2]
    assert simulation.view().links["office-exchange"].capacity_bps == 4_000_000
    offered = simulation.view().flows["probe"].offered_packets - before.flows["probe"].offered_packets
    assert abs(offered - 1.5 * 2e6 / 8_000) <= 2

    changed = fairwire.Simulation(scenarios / "teaching/two-flows.toml", duration="0.4 s", law="fifo")
    with pytest.raises(fairwire.ScenarioError, match="sends without end"):
        changed.change("demand", flow="far", demand="1 Mb/s")
    mixed = scenarios / "teaching/mixed-demands.toml"
    changed = fairwire.Simulation(mixed, duration="0.4 s")
    changed.advance("0.1 s")
    changed.change("demand", flow="modest", demand="300 Mb/s")
    with pytest.raises(fairwire.SettingError, match="is over"):
        changed.change("demand", flow="modest", demand="1 Mb/s", at_ns=1)
    changed.advance()
    again = fairwire.run(changed.scenario, duration="0.4 s")
    runs = changed.finish()
    for table in TABLES:
        assert getattr(runs, table).to_polars().equals(getattr(again, table).to_polars()), table
    rate = (
        runs.flows.to_polars()
        .filter((pl.col("flow") == "modest") & (pl.col("t_ns") > 200_000_000))["rate_bps"]
        .mean()
    )
    assert rate == pytest.approx(300e6, rel=0.3)


def test_flows_that_come_and_go_are_those_of_a_file(scenarios: Path) -> None:
    cases: list[tuple[Path | dict[str, Any], dict[str, Any], str]] = [
        (scenarios / "teaching/two-flows.toml", {"from_": 1, "to": 3}, "dvsr"),
        (scenarios / "teaching/two-flows.toml", {"from": 3, "to": 0}, "rpr-aggressive"),
        (GATEWAY, {"from": "office", "to": "exchange"}, "codel"),
    ]
    for scenario, ends, law in cases:
        simulation = fairwire.Simulation(scenario, law=law, duration="0.6 s")
        simulation.advance(until="0.2 s")
        before = simulation.view()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            simulation.add_flow("late", demand="2 Mb/s", **ends)
        for name, flow in before.flows.items():
            assert simulation.view().flows[name] == flow, "what is over stays as it is"
        assert simulation.view().flows["late"].offered_packets == 0
        simulation.inject("late", number=7, size_bytes=500, at_ns=300_000_000)
        simulation.advance(until="0.4 s")
        assert [delivery.number for delivery in simulation.deliveries()] == [7]
        simulation.end_flow("late", at_ns=500_000_000)
        simulation.advance()
        assert simulation.deliveries() == []
        offered = simulation.view().flows["late"].offered_packets
        assert abs(offered - 1 - 0.3 * 2e6 / 8_000) <= 1

        file = fairwire.Simulation(simulation.scenario, law=law, duration="0.6 s")
        file.inject("late", number=7, size_bytes=500, at_ns=300_000_000)
        file.advance()
        runs, again = simulation.finish(), file.finish()
        for table in TABLES:
            assert getattr(runs, table).to_polars().equals(getattr(again, table).to_polars()), table


def test_a_run_that_outlasts_its_file_can_be_changed_to_its_end(scenarios: Path) -> None:
    simulation = fairwire.Simulation(scenarios / "teaching/two-flows.toml", duration="2.2 s")
    simulation.advance(until="2.1 s")  # the file ends at 2 s
    before = simulation.view()
    simulation.change("capacity", between=[1, 2], capacity="100 Mb/s")
    simulation.end_flow("far")
    assert simulation.view() == before
    simulation.advance()
    delivered = simulation.view().flows["near"].delivered_bytes - before.flows["near"].delivered_bytes
    assert delivered * 8 < 0.11 * 100e6
    again = fairwire.run(simulation.scenario)
    assert simulation.finish().flows.to_polars().equals(again.flows.to_polars())


def test_changes_of_several_threads_all_count(scenarios: Path) -> None:
    """A warning, here an error, would tell that a step of another thread made another past."""
    simulation = fairwire.Simulation(scenarios / "teaching/mixed-demands.toml", duration="0.4 s")
    end = simulation.end_ns
    wrong: list[BaseException] = []

    def work(first: int) -> None:
        try:
            for number in range(first, first + 8):
                simulation.change(
                    "demand", flow="modest", demand=f"{100 + number} Mb/s", at_ns=end - 1 - number
                )
                simulation.advance("1 ms")
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 8, 16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert simulation.scenario.count("[[event]]") == 24


def test_one_flow_of_a_table_can_end(scenarios: Path) -> None:
    lot = scenarios / "papers/parking-lot.toml"
    simulation = fairwire.Simulation(lot, duration="0.3 s")
    simulation.advance("0.1 s")
    first, second = list(simulation.view().flows)[:2]
    before = simulation.view()
    simulation.end_flow(first)
    assert simulation.view() == before
    simulation.advance()
    after = simulation.view()
    made = [
        after.flows[flow].offered_packets - before.flows[flow].offered_packets for flow in (first, second)
    ]
    assert made[0] == 0
    assert made[1] > 1_000
    with pytest.raises(fairwire.SettingError, match="has ended"):
        simulation.end_flow(first)


def test_a_flow_that_makes_the_past_another_one_is_told(scenarios: Path) -> None:
    simulation = fairwire.Simulation(scenarios / "teaching/two-flows.toml", duration="0.3 s")
    simulation.inject("far", number=1, size_bytes=400, at_ns=10_000_000)
    simulation.advance(until="0.2 s")
    assert len(simulation.deliveries()) == 1
    with pytest.warns(UserWarning, match="the past is another one"):
        simulation.add_flow("beside", from_=0, to=2, demand="1 Mb/s")  # into the station queue of `far`
    simulation.advance()
    assert simulation.deliveries() == [], "each packet is handed back once"


def test_flows_that_do_not_fit_are_told(scenarios: Path) -> None:
    simulation = fairwire.Simulation(scenarios / "teaching/two-flows.toml", duration="0.3 s")
    simulation.advance("0.1 s")
    with pytest.raises(fairwire.ScenarioError, match="declared"):
        simulation.add_flow("far", from_=0, to=2)
    with pytest.raises(fairwire.ScenarioError, match="the ring has stations 0 to 5"):
        simulation.add_flow("late", from_=0, to=9)
    with pytest.raises(fairwire.SettingError, match="at_ns"):
        simulation.add_flow("late", from_=0, to=2, start="0.2 s")
    with pytest.raises(fairwire.SettingError, match="is over"):
        simulation.add_flow("late", from_=0, to=2, at_ns=1)
    with pytest.raises(fairwire.SettingError, match='did you mean "near"'):
        simulation.end_flow("neer")
    simulation.add_flow("late", from_=1, to=3, at_ns=200_000_000)
    said = "at_ns: flow 'late' begins at 200000000 ns and cannot end at 100000000 ns; give a later time"
    with pytest.raises(fairwire.SettingError, match=said):
        simulation.end_flow("late")
    with pytest.raises(fairwire.ScenarioError, match="r0:6"):
        simulation.change("capacity", link="r0:6", capacity="1 Mb/s")
    assert list(simulation.view().flows) == ["far", "near", "late"]


def test_a_flow_that_is_about_to_begin_is_told_when_it_can_end() -> None:
    simulation = fairwire.Simulation(GATEWAY)
    said = r"^at_ns: flow 'probe' begins at 0 ns and cannot end at 0 ns; give a later time, from 1 ns on$"
    for wrong in ({}, {"at_ns": 0}):
        with pytest.raises(fairwire.SettingError, match=said):
            simulation.end_flow("probe", **wrong)
    simulation.end_flow("probe", at_ns=1)
    assert 'stop = "1 ns"' in simulation.scenario


def test_a_span_gets_slower(scenarios: Path) -> None:
    simulation = fairwire.Simulation(scenarios / "teaching/two-flows.toml", duration="0.8 s")
    simulation.advance("0.4 s")
    simulation.change("capacity", between=[1, 2], capacity="200 Mb/s")
    assert simulation.view().links["r0:1"].capacity_bps == 1_000_000_000, "from now on, not before"
    simulation.advance()
    assert simulation.view().links["r0:1"].capacity_bps == 200_000_000
    again = fairwire.run(simulation.scenario, duration="0.8 s")
    runs = simulation.finish()
    for table in TABLES:
        assert getattr(runs, table).to_polars().equals(getattr(again, table).to_polars()), table
    (change,) = runs.summaries[0]["changes"]
    assert change["fair_rates_bps"] == pytest.approx([100e6, 100e6])
    assert change["fair_again_ns"] < 300_000_000


def test_other_threads_wait_for_a_step() -> None:
    simulation = fairwire.Simulation({**GATEWAY, "run": {"duration": "40 s"}}, detail=False)
    thread = threading.Thread(target=simulation.advance)
    thread.start()
    while thread.is_alive():
        assert simulation.view().now_ns in (0, simulation.end_ns)
    thread.join()
    assert simulation.is_over


def together(threads: int, ask: Callable[[], object]) -> None:
    """Have several threads ask at once."""
    line = threading.Barrier(threads)
    wrong: list[BaseException] = []

    def one() -> None:
        line.wait()
        try:
            ask()
        except BaseException as error:
            wrong.append(error)

    all_of_them = [threading.Thread(target=one) for _ in range(threads)]
    for thread in all_of_them:
        thread.start()
    for thread in all_of_them:
        thread.join()
    assert not wrong


def test_steps_of_several_threads_all_count() -> None:
    simulation = fairwire.Simulation(GATEWAY, detail=False)

    def advance() -> None:
        for _ in range(50):
            simulation.advance("1 ms")

    together(8, advance)
    assert simulation.now_ns == 400_000_000


def test_packets_that_several_threads_bring_now_are_never_late() -> None:
    simulation = fairwire.Simulation(GATEWAY, detail=False)

    def bring() -> None:
        for number in range(100):
            simulation.inject("probe", number=number, size_bytes=100)
            simulation.advance("0.1 ms")

    together(8, bring)
    assert simulation.now_ns == 80_000_000
    assert simulation.outstanding == 800


def test_threads_that_iterate_share_the_steps() -> None:
    simulation = fairwire.Simulation(GATEWAY, step="2 ms", detail=False)
    seen: list[int] = []
    together(8, lambda: seen.extend(view.now_ns for view in simulation))
    assert sorted(seen) == [step * 2_000_000 for step in range(1, 1_001)]


def test_one_of_several_threads_ends_a_simulation() -> None:
    simulation = fairwire.Simulation({**GATEWAY, "expect": {"flow.probe.loss": {"max": "100 %"}}})
    simulation.advance("1.9 s")
    finished: list[fairwire.Runs] = []
    refused: list[str] = []

    def end() -> None:
        try:
            simulation.advance("50 ms")
            simulation.advance()
            finished.append(simulation.finish())
        except fairwire.SettingError as error:
            refused.append(str(error))

    together(8, end)
    assert refused == ["this simulation was ended by finish(); begin another one"] * 7
    (runs,) = finished
    assert len(runs.promises) == 1, "a run that has come to its end is judged"


def test_an_interrupt_stops_a_step_where_it_stands() -> None:
    simulation = fairwire.Simulation({**GATEWAY, "run": {"duration": "20000 s"}}, detail=False)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        simulation.advance()
    assert 0 < simulation.now_ns < simulation.end_ns
    before = simulation.now_ns
    simulation.advance("1 s")
    assert simulation.now_ns == before + 1_000_000_000
