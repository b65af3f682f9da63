"""What changes to a scenario would do to its fair rates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from fairwire import _native
from fairwire._answer import Answer
from fairwire._arguments import criterion_called, text
from fairwire._html import rate, table
from fairwire._scenario import ScenarioLike, read
from fairwire._table import Table, table_of


class Held(NamedTuple):
    """What keeps a flow from getting more."""

    kind: str
    """`link`, `demand`, `peak` or `supported`."""
    link: str | None
    """The link, where one holds the flow."""


@dataclass(frozen=True)
class FlowChange:
    """What a change does to one flow."""

    id: str
    """The flow's name."""
    before_bps: float | None
    """Its fair rate as things are, bit/s; None for a new flow."""
    after_bps: float | None
    """Its fair rate after the change, bit/s; None for a flow that is gone."""
    gain_bps: float
    """What it gains, bit/s; negative for what it loses."""
    held_before: Held | None
    """What holds it as things are."""
    held_after: Held | None
    """What holds it after the change."""
    changed: bool
    """Whether it comes, goes, is held by something else, or has another rate by more than rounding."""


class LinkChange(NamedTuple):
    """What a change does to one link."""

    id: str
    """The link's name."""
    capacity_before_bps: float
    """Its capacity as things are, bit/s."""
    capacity_after_bps: float | None
    """Its capacity after the change, bit/s; None for a lost link."""
    load_before_bps: float
    """What it carries as things are, bit/s."""
    load_after_bps: float
    """What it carries after the change, bit/s."""
    holds_before: int
    """How many flows it holds as things are."""
    holds_after: int
    """How many flows it holds after the change."""


@dataclass(frozen=True)
class ScenarioSensitivity:
    """What a little capacity on a full link is worth."""

    link: str
    """The link's name."""
    total_up: float
    """What all flows together gain per bit/s more."""
    total_down: float
    """What all flows together lose per bit/s less."""
    up: dict[str, float]
    """What each flow gains per bit/s more, where that is not nothing."""
    down: dict[str, float]
    """What each flow loses per bit/s less, where that is not nothing."""


class WhatIf(Answer):
    """What a change would do: who gains, who loses, and which bottleneck moves.

    Its keys are those of an entry of `what_if`; whether rates are the only fair ones, and pass the
    check, is said of those after the change.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._text,)

    @property
    def said(self) -> tuple[str, ...]:
        """Every change in a sentence."""
        return tuple(self._answer["said"])

    @cached_property
    def flow_changes(self) -> tuple[FlowChange, ...]:
        """Everything about every flow of the scenario, then about new ones."""
        return tuple(
            FlowChange(
                **{
                    **flow,
                    "held_before": _held(flow["held_before"]),
                    "held_after": _held(flow["held_after"]),
                }
            )
            for flow in self._answer["flows"]
        )

    @cached_property
    def link_changes(self) -> tuple[LinkChange, ...]:
        """Everything about every link of the scenario."""
        return tuple(LinkChange(**link) for link in self._answer["links"])

    @property
    def flows(self) -> Table:
        """A row a flow: its rate before and after, what it gains (rounding counts as 0), what holds it."""
        flows = self.flow_changes
        before, after = [flow.held_before for flow in flows], [flow.held_after for flow in flows]
        return table_of(
            {
                "flow": ("text", [flow.id for flow in flows]),
                "before_bps": ("float64", [flow.before_bps for flow in flows]),
                "after_bps": ("float64", [flow.after_bps for flow in flows]),
                "gain_bps": ("float64", [flow.gain_bps if flow.changed else 0.0 for flow in flows]),
                "limited_by_before": ("text", [held and held.kind for held in before]),
                "link_before": ("text", [held and held.link for held in before]),
                "limited_by_after": ("text", [held and held.kind for held in after]),
                "link_after": ("text", [held and held.link for held in after]),
            }
        )

    @property
    def links(self) -> Table:
        """A row a link: its capacity, its load and how many flows it holds, before and after."""
        links = self.link_changes
        rates = ("capacity_before_bps", "capacity_after_bps", "load_before_bps", "load_after_bps")
        counts = ("holds_before", "holds_after")
        columns = {name: ("float64", [getattr(link, name) for link in links]) for name in rates}
        columns |= {name: ("int64", [getattr(link, name) for link in links]) for name in counts}
        return table_of({"link": ("text", [link.id for link in links])} | columns)

    @cached_property
    def gains_bps(self) -> dict[str, float]:
        """What each flow gains by name, bit/s; negative for what it loses."""
        return {flow.id: flow.gain_bps for flow in self.flow_changes}

    @property
    def winners(self) -> tuple[FlowChange, ...]:
        """Who gains, most first."""
        return tuple(
            sorted(
                (flow for flow in self.flow_changes if flow.changed and flow.gain_bps > 0),
                key=lambda flow: -flow.gain_bps,
            )
        )

    @property
    def losers(self) -> tuple[FlowChange, ...]:
        """Who loses, most first."""
        return tuple(
            sorted(
                (flow for flow in self.flow_changes if flow.changed and flow.gain_bps < 0),
                key=lambda flow: flow.gain_bps,
            )
        )

    @property
    def moved(self) -> tuple[FlowChange, ...]:
        """Whom something else holds after the change; not who comes or goes."""
        both = (flow for flow in self.flow_changes if flow.held_before and flow.held_after)
        return tuple(flow for flow in both if flow.held_before != flow.held_after)

    def _repr_html_(self) -> str:
        rows = (
            [
                flow.id,
                _rate(flow.before_bps),
                _rate(flow.after_bps),
                rate(flow.gain_bps) if flow.changed else "",
                _holder(flow.held_before),
                _holder(flow.held_after),
            ]
            for flow in self.flow_changes
        )
        headings = ["flow", "before", "after", "gain", "held by", "then by"]
        return table(f"{'; '.join(self.said)} (fair means {self.criterion})", headings, rows)

    def __repr__(self) -> str:
        said = "; ".join(self.said)
        return f"<fairwire.WhatIf: {said}: {len(self.winners)} gain, {len(self.losers)} lose>"


def _held(held: dict[str, Any] | None) -> Held | None:
    return None if held is None else Held(**held)


def _rate(bps: float | None) -> str | None:
    return None if bps is None else rate(bps)


def _holder(held: Held | None) -> str | None:
    return None if held is None else held.link or held.kind


def what_if(scenario: ScenarioLike, change: str, criterion: str | None = None) -> WhatIf:
    """Tell what a change would do to the fair rates of a scenario.

    Args:
        scenario: a path, text in TOML (it has more than one line), or a dictionary
            with the keys of a scenario file.
        change: as after `fairwire allocate --what-if`: `link hop-3 +10%`, `flow farm weight = 60`,
            `link 4 lost`, …; `;` joins changes that are made together.
        criterion: what fair means, one of :func:`fairwire.criteria`; unless told what `[fair]` of
            the scenario says, or the criterion of its kind.

    Raises:
        SettingError: if the change cannot be read; it says what to write instead.
        as :func:`fairwire.allocate` otherwise.

    >>> import fairwire
    >>> answer = fairwire.what_if({
    ...     "schema": 1,
    ...     "ring": {"stations": 4, "capacity": "1 Gb/s", "span-delay": "0.1 ms", "law": {"name": "dvsr"}},
    ...     "flow": [{"name": "far", "from": 0, "to": 2}, {"name": "near", "from": 1, "to": 2}],
    ... }, "link 1 +10%")
    >>> answer.gains_bps
    {'far': 50000000.0, 'near': 50000000.0}

    """
    name, toml = read(scenario)
    return WhatIf(_native.what_if(name, toml, text("change", change), criterion_called(criterion)))


def sensitivities(scenario: ScenarioLike, criterion: str | None = None) -> tuple[ScenarioSensitivity, ...]:
    """Tell what a little more, or less, capacity on each full link of a scenario is worth.

    Raises:
        as :func:`fairwire.allocate`.

    """
    name, toml = read(scenario)
    return tuple(
        ScenarioSensitivity(link, total_up, total_down, dict(up), dict(down))
        for link, total_up, total_down, up, down in _native.sensitivities(
            name, toml, criterion_called(criterion)
        )
    )
