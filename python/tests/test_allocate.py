"""Fair rates of scenarios."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given

import fairwire
from fairwire.testing import networks, rings

TWO_FLOWS: dict[str, Any] = {
    "schema": 1,
    "ring": {"stations": 4, "capacity": "1 Gb/s", "span-delay": "0.1 ms", "law": {"name": "dvsr"}},
    "flow": [
        {"name": "far", "from": 0, "to": 2},
        {"name": "near", "from": 1, "to": 2, "demand": "100 Mb/s"},
    ],
}

TEXT = """\
schema = 1

[ring]
stations = 4
capacity = "1 Gb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }

[[flow]]
name = "far"
from = 0
to = 2

[[flow]]
name = "near"
from = 1
to = 2
demand = "100 Mb/s"
"""


def test_path_text_and_dictionary_ask_the_same_question(tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(TEXT)
    expected = {"far": 900e6, "near": 100e6}
    for scenario in (file, str(file), TEXT, TWO_FLOWS):
        assert fairwire.allocate(scenario).rates_bps == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("scenario", [None, 5, [], b"x"])
def test_what_is_no_scenario_is_refused_in_the_packages_own_words(scenario: Any) -> None:
    with pytest.raises(fairwire.ScenarioError, match="a path, text in TOML or a dictionary, not"):
        fairwire.allocate(scenario)


def test_sharers_belong_to_links_and_long_lists_only_to_them() -> None:
    few = fairwire.allocate(TWO_FLOWS)
    assert few.link_loads[1].sharers == few.flow_rates[0].limited_by.sharers
    many = {**TWO_FLOWS, "flow": [{"name": f"f{number}", "from": 0, "to": 2} for number in range(65)]}
    fair = fairwire.allocate(many, "max-min")
    assert all(flow.limited_by.sharers == () for flow in fair.flow_rates)
    assert len(fair.link_loads[0].sharers) == 64


def test_an_allocation_says_who_is_held_by_what_and_why() -> None:
    fair = fairwire.allocate(TWO_FLOWS)
    assert (fair.criterion, fair.unique, fair.is_fair, fair.why_unfair) == ("rias", "yes", True, None)
    far, near = fair.flow_rates
    assert (far.limited_by.kind, far.limited_by.link, far.route) == ("link", "r0:1", ("r0:0", "r0:1"))
    assert (near.limited_by.kind, near.limited_by.link, near.demand_bps) == ("demand", None, 100e6)
    assert [sharer.name for sharer in far.limited_by.sharers] == ["0", "1"]
    assert fair.why("far").startswith("link r0:1 is full (1 Gb/s)")
    with pytest.raises(KeyError, match="there is no flow 'nobody'"):
        fair.why("nobody")
    with pytest.raises(KeyError, match="did you mean 'near'"):
        fair.why("neer")
    loads = {link.id: link.load_bps for link in fair.link_loads}
    assert loads["r0:1"] == pytest.approx(1e9)
    assert json.dumps(fair.to_dict()["flows"][1]["limited_by"]["kind"]) == '"demand"'


def test_peak_rates_are_told_from_demands(scenarios: Path) -> None:
    fair = fairwire.allocate(scenarios / "operators/radio-chain.toml", "weighted-max-min")
    assert fair.flow_rates[0].limited_by.kind == "peak"
    assert fair.why("hill") == "it may have no more than its peak rate of 200 Mb/s"


@pytest.mark.parametrize("criterion", fairwire.criteria())
def test_every_criterion_is_reached_by_its_name(criterion: str, scenarios: Path) -> None:
    for name in ("teaching/mixed-demands.toml", "operators/metro-ring.toml"):
        fair = fairwire.allocate(scenarios / name, criterion=criterion)
        assert fair.criterion == criterion
        assert criterion == "rias-iterative" or fair.is_fair, fair.why_unfair


def test_tables_are_read_by_three_libraries_without_a_copy() -> None:
    flows = fairwire.allocate(TWO_FLOWS).flows
    assert len(flows) == 2
    frame, table, pandas_frame = flows.to_polars(), flows.to_pyarrow(), flows.to_pandas()
    assert (
        frame["flow"].to_list()
        == table["flow"].to_pylist()
        == pandas_frame["flow"].to_list()
        == ["far", "near"]
    )
    assert table.schema.field("rate_bps") == pa.field("rate_bps", pa.float64(), nullable=False)
    assert frame["demand_bps"].to_list() == [None, 100e6]
    assert flows.to_dicts()[1]["limited_by"] == "demand"
    assert isinstance(pandas_frame, pd.DataFrame)
    # Two readers see the same memory.
    first, second = (pa.table(flows)["rate_bps"].chunk(0).buffers()[1].address for _ in range(2))
    assert first == second
    assert pl.DataFrame(pa.table(flows)).equals(frame)


def test_all_mistakes_are_told_with_their_lines() -> None:
    wrong = TEXT.replace('"1 Gb/s"', "622").replace("to = 2\ndemand", "too = 2\ndemand")
    with pytest.raises(fairwire.ScenarioError) as caught:
        fairwire.allocate(wrong)
    error = caught.value
    assert isinstance(error, fairwire.FairwireError)
    assert error.file == "<text>"
    assert error.line == 5
    assert error.help is not None
    assert "622" in error.help
    assert [finding.line for finding in error.findings] == sorted(finding.line for finding in error.findings)
    assert len(error.findings) >= 2
    assert str(error).splitlines()[0].startswith("<text>:5:")


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"schema": 1, "ring": {"stations": 2**70}},
        {"schema": 1, "ring": {"stations": object()}},
        {1: 2},
        {"schema": 1, "ring": []},
        "no/such/file.toml",
        "a = \n",
        "\0\n",
        "nul\0.toml",
        "",
    ],
)
def test_bad_scenarios_raise_the_one_family(bad: Any) -> None:
    with pytest.raises(fairwire.FairwireError):
        fairwire.allocate(bad)
    with pytest.raises(fairwire.FairwireError):
        fairwire.run(bad)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no file without end here")
def test_a_file_without_end_is_refused() -> None:
    with pytest.raises(fairwire.ScenarioError, match="more than 64 MiB"):
        fairwire.allocate("/dev/zero")


def test_a_dictionary_that_holds_itself_comes_to_an_end() -> None:
    endless: dict[str, Any] = {"schema": 1}
    endless["ring"] = endless
    with pytest.raises(fairwire.FairwireError, match="deeper"):
        fairwire.allocate(endless)


def test_unknown_criteria_name_those_there_are() -> None:
    with pytest.raises(fairwire.CriterionError, match="max-min"):
        fairwire.allocate(TWO_FLOWS, criterion="fairest")
    with pytest.raises(fairwire.CriterionError, match="did you mean `max-min`"):
        fairwire.allocate(TWO_FLOWS, criterion="maxmin")


def test_numpy_values_in_a_dictionary_are_values() -> None:
    scenario = TWO_FLOWS | {"ring": TWO_FLOWS["ring"] | {"stations": np.int32(4)}}
    assert fairwire.resolve_scenario(scenario)["ring"]["stations"] == 4


def test_scenarios_of_the_checkout_are_fine(scenarios: Path) -> None:
    files = sorted(scenarios.glob("*/*.toml"))
    assert files
    for file in files:
        fairwire.check_scenario(file)


def test_warnings_come_as_warnings() -> None:
    silent = fairwire.check_scenario(TWO_FLOWS)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fairwire.allocate(TWO_FLOWS)
    assert len(caught) == len(silent)


# A weight may stand alone at its station, which is told.
@pytest.mark.filterwarnings("ignore::fairwire.ScenarioWarning")
@given(rings())
def test_rates_of_random_rings_are_fair(ring: dict[str, Any]) -> None:
    fair = fairwire.allocate(ring)
    assert fair.is_fair, fair.why_unfair
    for link in fair.link_loads:
        assert link.load_bps <= link.capacity_bps * (1 + 1e-9)


@given(networks())
def test_rates_of_random_networks_are_fair(network: dict[str, Any]) -> None:
    for criterion in ("max-min", "weighted-max-min"):
        fair = fairwire.allocate(network, criterion)
        assert fair.is_fair, fair.why_unfair


def keys(value: object, path: str) -> set[str]:
    """Write the keys of an answer as the pages do: `flows[].limited_by.kind`."""
    if isinstance(value, dict):
        below = {f"{path}.{key}" if path else key: inner for key, inner in value.items()}
        return set(below).union(*(keys(inner, key) for key, inner in below.items()))
    if isinstance(value, list):
        return set().union(*(keys(inner, f"{path}[]") for inner in value))
    return set()


def test_answers_have_the_keys_of_the_command(scenarios: Path) -> None:
    page = (scenarios.parent / "docs/reference/allocate.md").read_text()
    told = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")}
    relay = scenarios / "operators/radio-relay.toml"
    fair = keys(fairwire.allocate(relay, "general-weighted").to_dict(), "")
    assert fair == {key for key in told if not key.startswith(("what_if", "sensitivities"))}
    what_if = fairwire.what_if(relay, "link hop-4 +50%", "general-weighted").to_dict()
    inside = {key.removeprefix("what_if[].") for key in told if key.startswith("what_if[].")}
    assert keys(what_if, "") == inside | {"scenario", "criterion"}


def test_promises_about_fair_rates_are_judged() -> None:
    promised = {
        "flow.far.fair-rate": {"value": "900 Mb/s", "within": "1 %"},
        "flow.near.fair-rate": {"min": "1 Gb/s"},
    }
    kept, broken = fairwire.allocate({**TWO_FLOWS, "expect": promised}).promises
    assert (kept.ok, kept.law) == (True, "")
    assert kept.measured == pytest.approx(900e6)
    assert (broken.ok, broken.flow, broken.expected_min) == (False, "near", 1e9)
    assert fairwire.allocate(TWO_FLOWS).promises == ()
    assert fairwire.Problem.from_routes([1e6], routes=[[0]]).explain("max-min").promises == ()
