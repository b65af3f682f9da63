"""Figures for papers: one column wide, fonts that embed, colours that everybody can tell apart.

Matplotlib is asked for when something is drawn, and its settings are left as they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from fairwire._libraries import needed_for
from fairwire._text import no_such
from fairwire.errors import SettingError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fairwire._allocation import Allocation
    from fairwire._runs import Runs
    from fairwire._sweep import Sweep

COLUMN_INCHES = 3.5
"""The width of a column in the journals of the field."""

# An axis whose values are multiples of each other in even steps has a log scale, from so many values on that
# reach so far. Steps are even up to what rounding to whole nanoseconds and bits changes.
LEAST_VALUES, LEAST_RANGE, EVEN = 3, 10, 1.02

# Okabe and Ito's colours, which people with colour-blindness tell apart.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000")

# What flows that no link holds are called.
_HELD = {
    "demand": "has its demand",
    "peak": "at its peak rate",
    "supported": "at what equipment supports",
    "priority": "goes before others",
}

# Rates are told in the unit in which the largest is at least 1.
_UNITS = ((1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1.0, "b/s"))


@contextmanager
def style() -> Iterator[None]:
    """Draw in the style of these figures, for figures of your own."""
    with needed_for("drawing"):
        import matplotlib as mpl
    from cycler import cycler

    settings: Any = {
        "axes.grid": True,
        "axes.grid.axis": "y",
        "axes.axisbelow": True,
        "axes.linewidth": 0.6,
        "axes.prop_cycle": cycler(color=COLOURS),
        "axes.spines.right": False,
        "axes.spines.top": False,
        "figure.constrained_layout.use": True,
        "figure.dpi": 150,
        "font.size": 8,
        "grid.color": "#dddddd",
        "grid.linewidth": 0.5,
        "legend.frameon": False,
        "lines.linewidth": 1.0,
        # Type 42 fonts stay text in the PDF, as journals ask.
        "pdf.fonttype": 42,
        "ps.fonttype": 42,
        "savefig.bbox": "tight",
        "svg.fonttype": "none",
    }
    with mpl.rc_context(settings):
        yield
        # A notebook's backend is loaded by the first figure, and says then that figures show by themselves.
        # That has to last.
        shows_itself = mpl.is_interactive()
    mpl.interactive(shows_itself)


def draw_sweep(sweep: Sweep, measure: str, along: str, ax: Axes | None = None) -> Axes:
    """Draw a measure of a sweep along one of its axes, with 95 % intervals, a line for each law.

    Where other axes are swept besides, a line is the mean over their values, and intervals are left out.
    """
    with needed_for("drawing"):
        import matplotlib.pyplot as plt
    rows = sweep.points.to_dicts()
    column, x_unit = _axis_column(sweep, along)
    names = list(dict.fromkeys(row["measure"] for row in rows))
    found = next((name for name in names if measure in (name, _without_unit(name))), None)
    if found is None:
        raise SettingError(no_such("measure", measure, [_without_unit(name) for name in names]))
    rows = [row for row in rows if row["measure"] == found and row["mean"] is not None]
    y_unit = {"bit/s": (1e6, "Mb/s"), "ns": (1e6, "ms")}.get(rows[0]["unit"] if rows else "1", (1.0, ""))
    with style():
        if ax is None:
            _, ax = plt.subplots(figsize=(COLUMN_INCHES, 0.7 * COLUMN_INCHES))
        for law in dict.fromkeys(row["law"] for row in rows):
            at: dict[Any, list[Any]] = {}
            for row in rows:
                if row["law"] == law:
                    at.setdefault(row[column], []).append(row)
            places = sorted(at)
            xs = [place / x_unit[0] if isinstance(place, int | float) else place for place in places]
            means = [sum(row["mean"] for row in at[place]) / len(at[place]) / y_unit[0] for place in places]
            ends = None
            if all(len(at[place]) == 1 for place in places):
                single = [at[place][0] for place in places]
                low = [_reach(row["mean"], row["low"]) / y_unit[0] for row in single]
                high = [_reach(row["high"], row["mean"]) / y_unit[0] for row in single]
                ends = [low, high]
            ax.errorbar(xs, means, yerr=ends, capsize=2, marker="o", markersize=2.5, label=law)
        if _is_geometric([row[column] for row in rows]):
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlabel(f"{along} ({x_unit[1]})" if x_unit[1] else along)
        name = _without_unit(found)
        ax.set_ylabel(f"{name} ({y_unit[1]})" if y_unit[1] else name)
        if len(ax.get_legend_handles_labels()[1]) > 1:
            ax.legend()
    return ax


def _is_geometric(values: Sequence[Any]) -> bool:
    """Say whether values are multiples of each other in even steps, which lie evenly on a log axis."""
    places = sorted({value for value in values if isinstance(value, int | float)})
    if len(places) < LEAST_VALUES or places[0] <= 0 or places[-1] < LEAST_RANGE * places[0]:
        return False
    steps = [b / a for a, b in pairwise(places)]
    return max(steps) <= EVEN * min(steps)


def _axis_column(sweep: Sweep, along: str) -> tuple[str, tuple[float, str]]:
    """Give the column of an axis, and what its numbers are shown in."""
    units = {
        "_ns": (1e6, "ms"),
        "_bps": (1e6, "Mb/s"),
        "_bytes": (1e3, "kB"),
        "_packets": (1.0, "packets"),
        "": (1.0, ""),
    }
    columns = sweep.points.column_names
    axes = columns[1 : columns.index("law")]
    for end, unit in units.items():
        if along + end in axes:
            return along + end, unit
    raise SettingError(no_such("axis", along, [_without_unit(axis) for axis in axes]))


def _without_unit(name: str) -> str:
    ends = ("_ns", "_bps", "_bytes", "_packets")
    return next((name.removesuffix(end) for end in ends if name.endswith(end)), name)


def _reach(high: float | None, low: float | None) -> float:
    return 0.0 if high is None or low is None else high - low


def draw_allocation(allocation: Allocation, ax: Axes | None = None) -> Axes:
    """Draw the rate of each flow, coloured by the link that holds it."""
    with needed_for("drawing"):
        import matplotlib.pyplot as plt
    flows = allocation.flow_rates
    factor, unit = _unit(max((flow.rate_bps for flow in flows), default=0.0))
    with style():
        if ax is None:
            _, ax = plt.subplots(figsize=(COLUMN_INCHES, 0.9 + 0.16 * len(flows)))
        holders = list(dict.fromkeys(flow.limited_by.link or flow.limited_by.kind for flow in flows))
        for number, holder in enumerate(holders):
            held = [
                (place, flow)
                for place, flow in enumerate(flows)
                if (flow.limited_by.link or flow.limited_by.kind) == holder
            ]
            ax.barh(
                [place for place, _ in held],
                [flow.rate_bps / factor for _, flow in held],
                color=COLOURS[number % len(COLOURS)],
                hatch="//" if number >= len(COLOURS) else None,
                label=_HELD.get(holder, f"held by {holder}"),
            )
        for place, flow in enumerate(flows):
            if flow.rate_high_bps > flow.rate_low_bps * (1 + 1e-9):
                ax.plot(
                    [flow.rate_low_bps / factor, flow.rate_high_bps / factor], [place, place], color="black"
                )
        ax.set_yticks(range(len(flows)), [flow.id for flow in flows])
        ax.invert_yaxis()
        ax.grid(visible=False, axis="y")
        ax.grid(visible=True, axis="x")
        ax.set_xlabel(f"fair rate under {allocation.criterion} ({unit})")
        # Beside the bars, never over them.
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")
    return ax


def draw_runs(runs: Runs, kind: str) -> Figure:
    """Draw `rates`, `time` or `queues` of finished runs."""
    drawings = {"rates": _draw_rates, "time": _draw_time, "queues": _draw_queues}
    if kind not in list(drawings):
        raise SettingError(f"{no_such('drawing', kind, list(drawings))}; use one of {', '.join(drawings)}")
    if len(runs) == 0:
        raise SettingError("there is no run to draw")
    with style():
        return drawings[kind](runs)


def _draw_rates(runs: Runs) -> Figure:
    """Draw a bar for each flow and law, with the range over runs, beside its fair rate."""
    import numpy as np

    with needed_for("drawing"):
        import matplotlib.pyplot as plt

    laws = _laws(runs)
    names = [flow["id"] for flow in runs.summaries[0]["flows"]]
    fair = np.array([flow["fair_rate_bps"] for flow in runs.summaries[0]["flows"]])
    rates = {
        law: np.array(
            [[flow["rate_bps"] for flow in run["flows"]] for run in runs.summaries if run["law"] == law]
        )
        for law in laws
    }
    factor, unit = _unit(
        max([float(fair.max(initial=0.0)), *(float(rate.max(initial=0.0)) for rate in rates.values())])
    )
    figure, ax = plt.subplots(figsize=(COLUMN_INCHES, 2.2))
    places, width = np.arange(len(names)), 0.8 / len(laws)
    for number, law in enumerate(laws):
        mean = rates[law].mean(axis=0)
        at = places + (number - (len(laws) - 1) / 2) * width
        spread = np.abs(np.stack([mean - rates[law].min(axis=0), rates[law].max(axis=0) - mean]))
        several = len(rates[law]) > 1
        ax.bar(
            at,
            mean / factor,
            width * 0.95,
            yerr=spread / factor if several else None,
            error_kw={"elinewidth": 0.8, "capsize": 1.5},
            label=law,
        )
    for place, rate in zip(places, fair, strict=True):
        label = f"fair ({runs.criterion})" if place == 0 else None
        ax.plot([place - 0.45, place + 0.45], [rate / factor] * 2, color="black", linewidth=0.8, label=label)
    turned = sum(map(len, names)) > 40
    ax.set_xticks(places, names, rotation=45 if turned else 0, ha="right" if turned else "center")
    ax.set_ylabel(f"rate ({unit})")
    ax.margins(y=0.1)
    ax.set_ylim(bottom=0)
    _legend_above(figure, ax)
    return figure


def _draw_time(runs: Runs) -> Figure:
    """Draw the rate of each flow over time, in the first run of each law."""
    laws = _laws(runs)
    # As in the report: the bytes as they left the narrowest link, averaged over the measuring window.
    window_ns = max(run["time_to_fair"][0]["window_ns"] for run in runs.summaries)
    raw = _series(runs, "flows", "flow", "left_bps")
    series = {key: (t_ns, _trailing_mean(t_ns, y, window_ns)) for key, (t_ns, y) in raw.items()}
    fair = _fair_over_time(runs.summaries[0])
    factor, unit = _unit(max((float(y.max(initial=0.0)) for _, y in series.values()), default=0.0))
    figure, axes = _panels(laws, "time (s)")
    for ax, law in zip(axes, laws, strict=True):
        mine = {name: xy for (of, name), xy in series.items() if of == law}
        for number, (name, (t_ns, rate_bps)) in enumerate(mine.items()):
            colour = COLOURS[number % len(COLOURS)]
            ax.plot(t_ns / 1e9, rate_bps / factor, color=colour, label=name)
            since_s, fair_bps = fair[name]
            until_s = max(since_s[-1], float(t_ns.max(initial=0)) / 1e9)
            steps = [bps / factor for bps in (*fair_bps, fair_bps[-1])]
            ax.step([*since_s, until_s], steps, where="post", color=colour, linestyle=":", linewidth=0.8)
        ax.set_ylabel(f"rate ({unit})")
    axes[-1].set_xlabel(f"time (s); means over {window_ns / 1e6:g} ms")
    axes[0].set_ylim(bottom=0)  # shared, so only once all is drawn
    if len(fair) <= len(COLOURS):
        _legend_above(figure, axes[0])
    return figure


def _fair_over_time(run: dict[str, Any]) -> dict[str, tuple[list[float], list[float]]]:
    """Tell for each flow since when, in seconds, which rate is fair: the last ones to the end of the run."""
    # Where spans fail, other rates are fair in between than changes tell of.
    changes = [] if run.get("protection") else run.get("changes", [])
    fair = {}
    for place, flow in enumerate(run["flows"]):
        since_s = [change["at_ns"] / 1e9 for change in changes]
        fair_bps = [change["fair_rates_bps"][place] for change in changes]
        if not since_s or since_s[0] > 0:
            # Where switches tell rates, nobody has any before the first change, and the one beside is a mean.
            is_mean = "explicit_rates" in run and bool(changes)
            since_s.insert(0, 0.0)
            fair_bps.insert(0, 0.0 if is_mean else flow["fair_rate_bps"])
        fair[flow["id"]] = (since_s, fair_bps)
    return fair


def _draw_queues(runs: Runs) -> Figure:
    """Draw what waited in front of each link over time, in the first run of each law."""
    laws = _laws(runs)
    # Queues of a ring count bytes, those of a network packets.
    series, factor, unit = _series(runs, "queues", "link", "waiting_bytes"), 1e3, "kB"
    if not series:
        raise SettingError("these runs kept no queues; run with detail=True")
    if all(_is_untold(values) for _, values in series.values()):
        series, factor, unit = _series(runs, "queues", "link", "waiting_packets"), 1.0, "packets"
    figure, axes = _panels(laws, "time (s)")
    drawn: dict[str, int] = {}
    for ax, law in zip(axes, laws, strict=True):
        # A queue in which nothing ever waited says nothing.
        mine = {name: xy for (of, name), xy in series.items() if of == law and xy[1].max(initial=0) > 0}
        for name, (t_ns, waiting) in mine.items():
            # A link has the same colour under every law.
            place = drawn.setdefault(name, len(drawn))
            colour = COLOURS[place % len(COLOURS)]
            ax.plot(t_ns / 1e9, waiting / factor, color=colour, label=name)
        ax.set_ylabel(f"waiting ({unit})")
    if 0 < len(drawn) <= len(COLOURS):
        _legend_above(figure, *axes)
    axes[0].set_ylim(bottom=0)
    return figure


def _panels(laws: list[str], xlabel: str) -> tuple[Figure, list[Axes]]:
    with needed_for("drawing"):
        import matplotlib.pyplot as plt
    figure, grid = plt.subplots(
        len(laws), figsize=(COLUMN_INCHES, 0.5 + 1.6 * len(laws)), sharex=True, sharey=True, squeeze=False
    )
    axes = list(grid[:, 0])
    for ax, law in zip(axes, laws, strict=True):
        ax.set_title(law, loc="left", fontsize="medium")
    axes[-1].set_xlabel(xlabel)
    return figure, axes


def _legend_above(figure: Figure, *axes: Axes) -> None:
    """Name the lines or bars of `axes` above all panels, where the legend covers none of them."""
    handles, labels = [], []
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            if label not in labels:
                handles.append(handle)
                labels.append(label)
    figure.legend(handles, labels, loc="outside upper center", fontsize="small", ncols=3)


def _trailing_mean(t_ns: Any, values: Any, window_ns: int) -> Any:
    """At each row the mean over the window before its end, or over what there is since the start."""
    import numpy as np

    if len(values) < 2:
        return values
    rows = max(1, round(window_ns / max(1, int(t_ns[1] - t_ns[0]))))
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=float)])
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(0, ends - rows)
    return (sums[ends] - sums[starts]) / (ends - starts)


def _is_untold(values: Any) -> bool:
    """Whether a column has no value at all."""
    import numpy as np

    return bool(np.isnan(np.asarray(values, dtype=float)).all())


def _laws(runs: Runs) -> list[str]:
    return list(dict.fromkeys(run["law"] for run in runs.summaries))


def _series(runs: Runs, table: str, name: str, value: str) -> dict[tuple[str, str], tuple[Any, Any]]:
    """Time and value of each named series in the first run of each law."""
    import numpy as np

    columns = getattr(runs, table).to_dict("law", "seed", "run", name, "t_ns", value)
    first: dict[str, tuple[int, int]] = {}
    for run in runs.summaries:
        first.setdefault(run["law"], (run["seed"], run["run"]))
    series = {}
    for law, (seed, run_number) in first.items():
        mine = (columns["law"] == law) & (columns["seed"] == seed) & (columns["run"] == run_number)
        names, t_ns, values = columns[name][mine], columns["t_ns"][mine], columns[value][mine]
        # The rows of a series lie together, in order of time.
        cuts = np.flatnonzero(names[1:] != names[:-1]) + 1
        for part_names, part_t, part_values in zip(
            np.split(names, cuts), np.split(t_ns, cuts), np.split(values, cuts), strict=True
        ):
            if part_names.size:
                series[law, str(part_names[0])] = (part_t, part_values)
    return series


def _unit(largest_bps: float) -> tuple[float, str]:
    return next((unit for unit in _UNITS if largest_bps >= unit[0]), _UNITS[-1])
