"""One answer to what is fair: Python says the same rates in every way, and the same as the command."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import fairwire
from fairwire.testing import networks, rings


def allocated(scenario: Any) -> list[float]:
    return [flow.rate_bps for flow in fairwire.allocate(scenario).flow_rates]


def compared_with(scenario: Any, duration: str = "1 ms") -> list[float]:
    [run] = fairwire.run(scenario, replications=1, duration=duration).summaries
    return [flow["fair_rate_bps"] for flow in run["flows"]]


def shortest_run(text: str) -> str:
    """A millisecond beyond the warm-up."""
    number, unit = str(tomllib.loads(text).get("run", {}).get("warmup", "0 s")).split()
    return f"{float(number) * {'s': 1e3, 'ms': 1.0, 'us': 1e-3}[unit] + 1:.6f} ms"


def tells_rates(text: str) -> bool:
    return "explicit-rate" in text


def test_shipped_scenarios_have_one_answer(scenarios: Path) -> None:
    paths = sorted(path for path in scenarios.glob("*/*.toml"))
    assert len(paths) > 20
    for path in paths:
        text = path.read_text()
        # Where rates are told, runs are held against means; a sweep is several scenarios.
        if tells_rates(text) or "[sweep]" in text:
            continue
        assert allocated(path) == compared_with(path, shortest_run(text)), path


@pytest.mark.parametrize("kind", ["teaching", "operators"])
def test_the_command_says_the_same(root: Path, scenarios: Path, kind: str) -> None:
    command = Path(os.environ.get("FAIRWIRE", root / "target/release/fairwire"))
    if not command.exists():
        pytest.skip("the command is not built")
    for path in sorted((scenarios / kind).glob("*.toml")):
        said = subprocess.run(
            [command, "allocate", path, "--json"], capture_output=True, text=True, check=False
        )
        assert said.returncode in (0, 1), said.stderr
        told = json.loads(said.stdout)
        assert [flow["rate_bps"] for flow in told["flows"]] == allocated(path), path
        assert told["criterion"] == fairwire.allocate(path).criterion


@pytest.mark.filterwarnings("ignore::fairwire.ScenarioWarning")
@given(networks())
@settings(max_examples=25)
def test_random_networks_have_one_answer(scenario: dict[str, Any]) -> None:
    assert allocated(scenario) == compared_with(scenario)


@pytest.mark.filterwarnings("ignore::fairwire.ScenarioWarning")
@given(rings())
@settings(max_examples=25)
def test_random_rings_have_one_answer(scenario: dict[str, Any]) -> None:
    assert allocated(scenario) == compared_with(scenario)
