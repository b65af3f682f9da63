"""Figures."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
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
