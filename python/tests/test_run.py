"""Simulations from Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings

import fairwire
from fairwire.testing import rings

TABLES = ("flows", "links", "queues", "laws", "summary", "runs")


@pytest.fixture(scope="module")
def two_laws(scenarios: Path) -> fairwire.Runs:
    return fairwire.run(
        scenarios / "teaching/two-flows.toml",
        law=["dvsr", "fifo"],
        seed=[1, 2],
        replications=2,
        duration="0.5 s",
    )


def test_runs_are_in_order_of_law_seed_and_replication(two_laws: fairwire.Runs) -> None:
    keys = [(run["law"], run["seed"], run["run"]) for run in two_laws.summaries]
    assert keys == [(law, seed, run) for law in ("dvsr", "fifo") for seed in (1, 2) for run in (0, 1)]
    assert two_laws.runs.to_polars().select("law", "seed", "run").rows() == keys
    assert (len(two_laws), two_laws.criterion) == (8, "rias")


def test_rates_come_near_the_fair_ones(two_laws: fairwire.Runs) -> None:
    dvsr = two_laws.summary.to_polars().filter(pl.col("law") == "dvsr")
    assert dvsr["fair_rate_bps"].to_list() == [500e6] * 8
    assert ((dvsr["rate_bps"] / dvsr["fair_rate_bps"] - 1).abs() < 0.05).all()


def test_tables_have_the_documented_columns(two_laws: fairwire.Runs) -> None:
    for table in TABLES:
        documented = [column.name for column in fairwire.columns() if column.table == table]
        assert getattr(two_laws, table).column_names == documented
    for table in ("flows", "links", "queues", "summary", "runs"):
        assert len(getattr(two_laws, table)) > 0


def test_tables_equal_those_of_the_folder(two_laws: fairwire.Runs, tmp_path: Path) -> None:
    folder = two_laws.save(tmp_path / "runs")
    assert (folder / "report.html").stat().st_size > 1000
    for table in TABLES:
        kept = pl.read_parquet(folder / f"{table}.parquet")
        assert getattr(two_laws, table).to_polars().equals(kept), table
    with pytest.raises(fairwire.FolderError):
        two_laws.save(Path(__file__).parent)
    two_laws.save(folder, csv=True, replace=True)
    assert (folder / "flows.csv").is_file()


def test_the_same_seed_gives_the_same_bits_at_any_number_of_threads(scenarios: Path) -> None:
    def tables(threads: int) -> list[pl.DataFrame]:
        runs = fairwire.run(
            scenarios / "teaching/mixed-demands.toml", seed=range(3), duration="0.3 s", threads=threads
        )
        return [getattr(runs, table).to_polars() for table in TABLES]

    for one, four in zip(tables(1), tables(4), strict=True):
        assert one.equals(four)


def test_seeds_and_laws_make_a_difference(scenarios: Path) -> None:
    runs = fairwire.run(scenarios / "teaching/two-flows.toml", seed=[1, 2], duration="0.4 s")
    first, second = runs.summaries
    assert first["flows"] != second["flows"]


def test_a_law_may_come_with_parameters(scenarios: Path) -> None:
    file = scenarios / "papers/parking-lot.toml"
    plain = fairwire.run(file, law="rpr-aggressive", duration="0.2 s")
    same = fairwire.run(file, law={"name": "rpr-aggressive"}, duration="0.2 s")
    assert plain.summary.to_polars().equals(same.summary.to_polars())
    with pytest.raises(fairwire.ScenarioError, match="rpr-aggressive"):
        fairwire.run(file, law={"name": "rpr-aggressive", "no-such-key": 1})


def test_without_detail_only_flows_are_kept(scenarios: Path) -> None:
    runs = fairwire.run(scenarios / "teaching/two-flows.toml", duration="0.4 s", detail=False)
    assert len(runs.queues) == len(runs.laws) == 0
    assert len(runs.flows) > 0


@pytest.mark.parametrize(
    "settings",
    [
        {"law": "fastest"},
        {"law": []},
        {"seed": []},
        {"seed": -1},
        {"seed": 2**64},
        {"seed": 2**63},
        {"seed": [0.5]},
        {"replications": 0},
        {"duration": "0.5"},
        {"duration": "0 s"},
        {"duration": 5},
        {"criterion": "fairest"},
        {"threads": -1},
    ],
)
def test_bad_settings_raise_the_one_family(settings: dict[str, Any], scenarios: Path) -> None:
    with pytest.raises(fairwire.FairwireError):
        fairwire.run(scenarios / "teaching/two-flows.toml", **settings)


def test_progress_is_told_up_to_the_end(scenarios: Path) -> None:
    told: list[float] = []
    fairwire.run(scenarios / "bench/w1.toml", duration="3 s", seed=range(4), progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


# A weight may stand alone at its station, which is told.
@pytest.mark.filterwarnings("ignore::fairwire.ScenarioWarning")
@settings(max_examples=10)
@given(rings(laws=("dvsr", "fifo", "rpr-aggressive")))
def test_random_rings_run_with_all_checks(ring: dict[str, Any]) -> None:
    (summary,) = fairwire.run(ring, check=True).summaries
    assert summary["violations"] == []


GATEWAY: dict[str, Any] = {
    "schema": 1,
    "title": "A gateway",
    "run": {"duration": "4 s", "warmup": "1 s", "window": "100 ms"},
    "network": {
        "nodes": ["a", "b", "c"],
        "link": [
            {"from": "a", "to": "b", "capacity": "10 Mb/s", "delay": "1 ms", "duplex": True},
            {"from": "b", "to": "c", "capacity": "5 Mb/s", "delay": "1 ms", "duplex": True},
        ],
    },
    "flow": [
        {"name": "tcp", "from": "a", "to": "c", "traffic": {"kind": "tcp"}},
        {
            "name": "udp",
            "from": "b",
            "to": "c",
            "traffic": {"kind": "cbr", "rate": "1 Mb/s", "packet": "500 B"},
        },
    ],
}


@pytest.fixture(scope="module")
def gateway() -> fairwire.Runs:
    return fairwire.run(GATEWAY, law=["fq-codel", "droptail"], seed=[1, 2], detail=True)


def test_networks_run_under_queue_laws_and_are_held_against_fair_rates(gateway: fairwire.Runs) -> None:
    assert gateway.criterion == "max-min"
    assert [run["law"] for run in gateway.summaries] == ["fq-codel"] * 2 + ["droptail"] * 2
    for run in gateway.summaries:
        flows = {flow["id"]: flow for flow in run["flows"]}
        assert (flows["udp"]["fair_rate_bps"], flows["tcp"]["fair_rate_bps"]) == (1e6, 4e6)
        if run["law"] == "fq-codel":
            assert flows["udp"]["rate_bps"] == pytest.approx(1e6, rel=0.03)
            assert flows["tcp"]["rate_bps"] == pytest.approx(4e6, rel=0.1)


def test_tables_of_networks_equal_those_of_the_folder(gateway: fairwire.Runs, tmp_path: Path) -> None:
    folder = gateway.save(tmp_path / "runs")
    for table in ("flows", "links", "queues", "summary", "link_summary", "windows", "runs"):
        made = getattr(gateway, table)
        assert len(made) > 0, table
        assert made.to_polars().equals(pl.read_parquet(folder / f"{table}.parquet")), table


def test_switches_that_tell_rates_have_tables_of_their_own(scenarios: Path, tmp_path: Path) -> None:
    told = fairwire.run(scenarios / "teaching/explicit-rate-events.toml")
    assert all(promise.ok for promise in told.promises), told.promises
    folder = told.save(tmp_path / "runs")
    for table in ("explicit_rates", "allowed_rates", "responses", "ports"):
        made = getattr(told, table)
        assert len(made) > 0, table
        assert made.to_polars().equals(pl.read_parquet(folder / f"{table}.parquet")), table
    summary = told.summaries[0]
    answered = told.responses.to_polars()
    for number, change in enumerate(summary["changes"]):
        rows = answered.filter(pl.col("change") == number)
        assert rows["response_ns"].max() == change["allowed"]["response_max_ns"]
        assert rows["allowed_rate_bps"].to_list() == pytest.approx(rows["fair_rate_bps"].to_list(), rel=1e-5)
    assert answered["response_ns"].max() == summary["explicit_rates"]["response_max_ns"]
    assert told.criterion == fairwire.allocate(scenarios / "teaching/explicit-rate-events.toml").criterion


def test_networks_repeat_to_the_bit(gateway: fairwire.Runs) -> None:
    again = fairwire.run(GATEWAY, law=["fq-codel", "droptail"], seed=[1, 2], detail=True, threads=1)
    assert again.summary.to_polars().equals(gateway.summary.to_polars())


def test_a_law_of_rings_does_not_run_a_network() -> None:
    with pytest.raises(fairwire.SettingError, match="dvsr"):
        fairwire.run(GATEWAY, law="dvsr")


def test_what_to_know_before_trusting_the_numbers_is_told_and_kept(tmp_path: Path) -> None:
    scenario = {
        "schema": 1,
        "run": {"duration": "2 s"},
        "network": {
            "nodes": ["a", "b"],
            "link": [{"from": "a", "to": "b", "capacity": "1 Mb/s", "queue": {"name": "red"}}],
        },
        "flow": [{"name": "late", "from": "a", "to": "b", "start": "1 s"}],
    }
    runs = fairwire.run(scenario, law="codel")
    assert "nothing runs under codel" in runs.warnings[0]
    assert "late sends for part" in runs.warnings[1]
    runs.save(tmp_path / "kept")
    assert json.loads((tmp_path / "kept/manifest.json").read_text())["warnings"] == list(runs.warnings)


def test_promises_are_judged_as_by_the_command(scenarios: Path) -> None:
    file = scenarios / "teaching/two-flows.toml"
    kept = fairwire.run(file).promises
    assert [promise.key for promise in kept] == ["flow.*.rate.mean", "flow.*.fair-rate", "fair", "jain"]
    assert all(promise.ok and promise.law == "dvsr" for promise in kept)
    broken = fairwire.run(file, law="fifo", seed=[1, 2]).promises
    assert {promise.law for promise in broken} == {"fifo"}
    rate = next(promise for promise in broken if promise.key == "flow.*.rate.mean")
    assert not rate.ok
    assert rate.measured is not None
    assert rate.expected_max is not None
    assert rate.unit == "bps"
    assert rate.seed in (1, 2)


def test_promises_are_about_the_scenarios_own_law(two_laws: fairwire.Runs, scenarios: Path) -> None:
    assert {promise.law for promise in two_laws.promises} == {"dvsr"}
    others = fairwire.run(scenarios / "teaching/two-flows.toml", law=["fifo", "darwin"], duration="0.4 s")
    assert others.promises == ()
    assert any("none was checked" in warning for warning in others.warnings)


def test_what_is_asked_for_twice_runs_once(scenarios: Path) -> None:
    path = scenarios / "teaching/two-flows.toml"
    runs = fairwire.run(path, law=["dvsr", "fifo", "dvsr"], seed=[2, 1, 2], duration="0.3 s")
    told = [(summary["law"], summary["seed"]) for summary in runs.summaries]
    assert told == [("dvsr", 2), ("dvsr", 1), ("fifo", 2), ("fifo", 1)]
