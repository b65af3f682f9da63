"""Figures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

import fairwire


@pytest.fixture(autouse=True)
def _close_figures() -> None:
    plt.close("all")


@pytest.mark.parametrize("kind", ["rates", "time", "queues"])
def test_runs_are_drawn(kind: str, scenarios: Path, tmp_path: Path) -> None:
    before = mpl.rcParams.copy()
    runs = fairwire.run(
        scenarios / "papers/parallel-parking-lot.toml", law=["dvsr", "fifo"], seed=[1, 2], duration="0.3 s"
    )
    figure = runs.plot(kind)
    assert isinstance(figure, Figure)
    panels = 1 if kind == "rates" else 2
    assert len(figure.axes) == panels
    assert all(axes.has_data() for axes in figure.axes)
    figure.savefig(tmp_path / "figure.pdf")
    assert mpl.rcParams == before


DUMBBELL = """
schema = 1
title = "Two behind one"
[run]
duration = "6 s"
[network]
nodes = ["a", "b", "c"]
queue = { name = "droptail" }
limit = "40 packets"
link = [
    { name = "wide", from = "a", to = "b", capacity = "100 Mb/s", delay = "5 ms", duplex = true },
    { name = "narrow", from = "b", to = "c", capacity = "10 Mb/s", delay = "10 ms", duplex = true },
]
[[flow]]
name = "one"
from = "a"
to = "c"
traffic = { kind = "tcp" }
[[flow]]
name = "two"
from = "a"
to = "c"
traffic = { kind = "tcp" }
"""


def test_figures_need_matplotlib_alone(scenarios: Path) -> None:
    code = f"""
import sys
for name in ("pandas", "polars", "pyarrow"):
    sys.modules[name] = None
import fairwire
runs = fairwire.run({str(scenarios / "teaching/two-flows.toml")!r}, duration="0.3 s")
print([len(runs.plot(kind).axes) for kind in ("rates", "time", "queues")])
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "[1, 1, 1]\n"


def test_no_rate_over_time_is_above_capacity_and_networks_have_queues() -> None:
    runs = fairwire.run(DUMBBELL)
    frame = runs.flows.to_pandas()
    rolled = frame[frame["flow"] == "one"]["rate_bps"].rolling(10).mean()
    assert rolled.max() > 15e6, "in order a flow has far more than its link at times, else this tells nothing"
    rates = np.asarray(runs.plot("time").axes[0].lines[0].get_ydata(), dtype=float)
    assert 5 < rates.max() <= 10.1
    waiting = runs.plot("queues").axes[0]
    assert "packets" in waiting.get_ylabel()
    deepest = [np.asarray(line.get_ydata(), dtype=float).max() for line in waiting.lines]
    assert max(deepest) > 20


def test_no_legend_covers_a_bar(scenarios: Path) -> None:
    runs = fairwire.run(scenarios / "teaching/two-flows.toml", law=["dvsr", "fifo"], duration="0.3 s")
    figure = runs.plot("rates")
    figure.canvas.draw()
    (legend,) = figure.legends
    assert not legend.get_window_extent().overlaps(figure.axes[0].get_window_extent())


def test_an_allocation_is_drawn_coloured_by_bottleneck(scenarios: Path) -> None:
    fair = fairwire.allocate(scenarios / "operators/radio-chain.toml", "weighted-max-min")
    axes = fair.plot()
    assert len(axes.patches) == len(fair.flow_rates)
    colours = {patch.get_facecolor() for patch in axes.patches}
    assert len(colours) == len({flow.limited_by.link or flow.limited_by.kind for flow in fair.flow_rates})
    _, own = plt.subplots()
    assert fair.plot(own) is own


def test_what_cannot_be_drawn_is_refused(scenarios: Path) -> None:
    runs = fairwire.run(scenarios / "teaching/two-flows.toml", duration="0.4 s", detail=False)
    with pytest.raises(fairwire.SettingError, match="rates"):
        runs.plot("pie")
    with pytest.raises(fairwire.SettingError, match="detail"):
        runs.plot("queues")


def test_fair_rates_over_time_follow_events(scenarios: Path) -> None:
    def drawn(runs: fairwire.Runs, line: int) -> tuple[list[float], list[float]]:
        data = runs.plot("time").axes[0].lines[line].get_data()
        times_s, rates = (np.asarray(part, dtype=float).tolist() for part in data)
        return times_s, rates

    # A line for what each flow got, and one for what is fair, up to the last row.
    events = fairwire.run(scenarios / "teaching/changes.toml")
    for line, fair in (1, [8, 6, 3, 3]), (3, [1, 4, 3, 3]):
        times_s, rates = drawn(events, line)
        assert times_s == pytest.approx([0, 2, 4, 5.98])
        assert rates == pytest.approx(fair)
    intact = fairwire.run(scenarios / "teaching/two-flows.toml", duration="0.3 s")
    times_s, rates = drawn(intact, 1)
    assert times_s == [0, pytest.approx(0.3, rel=0.1)]
    assert rates == pytest.approx([500, 500])
