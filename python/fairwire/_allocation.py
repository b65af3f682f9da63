"""Fair rates with their reasons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from fairwire import _native
from fairwire._answer import Answer
from fairwire._arguments import criterion_called
from fairwire._html import rate, table
from fairwire._promises import Promise, promises
from fairwire._scenario import ScenarioLike, read
from fairwire._table import Table
from fairwire._text import counted, no_such
from fairwire.errors import NoSuchNameError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Sharer(NamedTuple):
    """One party to a link that holds a flow."""

    name: str
    """A node under RIAS, `ingress->egress` under ingress-egress, else a flow."""
    rate_bps: float
    """What the party sends over the link, bit/s."""
    weight: float
    """The weight by which it is compared with the others."""
    promised_bps: float
    """What it is promised there, bit/s; only what it holds beyond that is compared."""


@dataclass(frozen=True)
class Limit:
    """What keeps a flow from getting more."""

    kind: str
    """`link`, `demand`, `peak` or `supported`."""
    link: str | None
    """The link, where one holds the flow."""
    why: str
    """A sentence that can be checked by hand against `sharers`."""
    sharers: tuple[Sharer, ...]
    """Who shares the link; empty where more than 64 flows cross it: see :attr:`LinkLoad.sharers`."""


@dataclass(frozen=True)
class FlowRate:
    """The fair rate of one flow."""

    id: str
    """The flow's name."""
    ingress: str
    """The node where it enters."""
    egress: str
    """The node where it leaves."""
    rate_bps: float
    """The fair rate, bit/s."""
    rate_low_bps: float
    """The smallest over all fair sets of rates, bit/s."""
    rate_high_bps: float
    """The largest over all fair sets of rates, bit/s."""
    demand_bps: float | None
    """What it asks for, bit/s; None for all it can get."""
    min_rate_bps: float
    """What it is promised, or guaranteed by its class, bit/s; 0 for nothing."""
    peak_rate_bps: float | None
    """The most it may send, bit/s; None for no such limit."""
    supported_rate_bps: float | None
    """The most that the equipment on its way lets through, bit/s; None for no such limit."""
    weight: float
    """Its weight."""
    route: tuple[str, ...]
    """The links it crosses, in order."""
    limited_by: Limit
    """What keeps it from getting more."""


class LinkLoad(NamedTuple):
    """What one link carries."""

    id: str
    """The link's name."""
    capacity_bps: float
    """Its capacity, bit/s."""
    load_bps: float
    """The sum of the rates that cross it, bit/s."""
    sharers: tuple[Sharer, ...] = ()
    """Who shares it where it holds any flow; at most 64, the largest holders first where there are more."""


class Allocation(Answer):
    """Fair rates of a scenario or a problem, and what holds each flow."""

    def __init__(self, native: _native.Allocated) -> None:
        super().__init__(native.json)
        self._native = native

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._native,)

    @cached_property
    def rates_bps(self) -> dict[str, float]:
        """The rate of each flow by name, bit/s."""
        return {flow["id"]: flow["rate_bps"] for flow in self._answer["flows"]}

    @cached_property
    def flow_rates(self) -> tuple[FlowRate, ...]:
        """Everything about each flow, in the order of the scenario."""
        return tuple(_flow_rate(flow) for flow in self._answer["flows"])

    @cached_property
    def link_loads(self) -> tuple[LinkLoad, ...]:
        """What each link carries."""
        return tuple(_link_load(link) for link in self._answer["links"])

    @cached_property
    def promises(self) -> tuple[Promise, ...]:
        """What became of the scenario's promises about fair rates; empty without any, and for a problem."""
        return promises(self._answer["expect"])

    @property
    def flows(self) -> Table:
        """A row a flow: rate, demand, what holds it and why."""
        return Table(self._native.flows)

    @property
    def links(self) -> Table:
        """A row a link: capacity and load."""
        return Table(self._native.links)

    def why(self, flow: str) -> str:
        """Say in a sentence why a flow can have no more.

        Raises:
            NoSuchNameError: if there is no such flow.

        """
        for known in self._answer["flows"]:
            if known["id"] == flow:
                why: str = known["limited_by"]["why"]
                return why
        raise NoSuchNameError(no_such("flow", flow, [known["id"] for known in self._answer["flows"]]))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rate of each flow, coloured by the link that holds it; needs matplotlib."""
        from fairwire.plotting import draw_allocation

        return draw_allocation(self, ax)

    def _repr_html_(self) -> str:
        rows = (
            [
                flow.id,
                flow.ingress,
                flow.egress,
                rate(flow.rate_bps),
                rate(flow.demand_bps),
                flow.limited_by.why,
            ]
            for flow in self.flow_rates
        )
        headings = ["flow", "from", "to", "rate", "demand", "why no more"]
        return table(f"fair means {self.criterion}", headings, rows)

    def __repr__(self) -> str:
        rates = counted(len(self._answer["flows"]), "rate")
        return f"<fairwire.Allocation: {rates} under {self.criterion}, unique: {self.unique}>"


def _flow_rate(flow: dict[str, Any]) -> FlowRate:
    limit = flow["limited_by"]
    return FlowRate(
        id=flow["id"],
        ingress=flow["from"],
        egress=flow["to"],
        rate_bps=flow["rate_bps"],
        rate_low_bps=flow["rate_low_bps"],
        rate_high_bps=flow["rate_high_bps"],
        demand_bps=flow["demand_bps"],
        min_rate_bps=flow["min_rate_bps"],
        peak_rate_bps=flow["peak_rate_bps"],
        supported_rate_bps=flow["supported_rate_bps"],
        weight=flow["weight"],
        route=tuple(flow["route"]),
        limited_by=Limit(
            kind=limit["kind"],
            link=limit["link"],
            why=limit["why"],
            sharers=_sharers(limit),
        ),
    )


def _link_load(link: dict[str, Any]) -> LinkLoad:
    return LinkLoad(link["id"], link["capacity_bps"], link["load_bps"], _sharers(link))


def _sharers(of: dict[str, Any]) -> tuple[Sharer, ...]:
    return tuple(Sharer(**sharer) for sharer in of["sharers"])


def allocate(scenario: ScenarioLike, criterion: str | None = None) -> Allocation:
    """Compute the fair rates of a scenario, and what holds each flow.

    Args:
        scenario: a path, text in TOML (it has more than one line), or a dictionary
            with the keys of a scenario file.
        criterion: what fair means, one of :func:`fairwire.criteria`; unless told what `[fair]` of
            the scenario says, or the criterion of its kind.

    Raises:
        ScenarioError: if the scenario has mistakes; it tells all of them.
        CriterionError: if nobody knows the criterion.
        ProblemError: if the question makes no sense.
        SolveError: if no fair rates are found.

    >>> import fairwire
    >>> fair = fairwire.allocate({
    ...     "schema": 1,
    ...     "ring": {"stations": 4, "capacity": "1 Gb/s", "span-delay": "0.1 ms", "law": {"name": "dvsr"}},
    ...     "flow": [{"name": "far", "from": 0, "to": 2}, {"name": "near", "from": 1, "to": 2}],
    ... })
    >>> fair.rates_bps
    {'far': 500000000.0, 'near': 500000000.0}
    >>> fair.why("far")
    'link r0:1 is full (1 Gb/s); ingresses 0 and 1 hold 500 Mb/s each, and there is nobody else'

    """
    name, toml = read(scenario)
    return Allocation(_native.allocate(name, toml, criterion_called(criterion)))
