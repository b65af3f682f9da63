"""Hypothesis strategies: random problems, rings and networks for tests of your own.

>>> from hypothesis import given
>>> from fairwire.testing import problems
>>> @given(problems())
... def test_nobody_is_above_capacity(problem):
...     rates = problem.solve("max-min").rates_bps
...     assert (problem.loads_bps(rates) <= problem.capacities_bps * (1 + 1e-12)).all()
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fairwire._libraries import needed_for
from fairwire._problem import Problem

with needed_for("fairwire.testing"):
    from hypothesis import strategies as st

__all__ = ["capacities", "demands", "networks", "problems", "rings", "routes", "weights"]


def capacities(*, smallest_bps: float = 1e3, largest_bps: float = 1e9) -> st.SearchStrategy[float]:
    """Capacities of links, bit/s; round ones are frequent, for then rates are often equal."""
    round_ones = [rate for power in range(16) for rate in (10.0**power, 2 * 10.0**power, 5 * 10.0**power)]
    fitting = [rate for rate in round_ones if smallest_bps <= rate <= largest_bps]
    any_rate = st.floats(smallest_bps, largest_bps, allow_nan=False)
    return st.one_of(st.sampled_from(fitting), any_rate) if fitting else any_rate


def demands(*, largest_bps: float = 1e9) -> st.SearchStrategy[float]:
    """Demands of flows, bit/s: often all they can get, sometimes nothing."""
    return st.one_of(st.just(math.inf), st.just(0.0), st.floats(0.0, largest_bps, allow_nan=False))


def weights() -> st.SearchStrategy[float]:
    """Weights of flows and ingresses; small whole ones are frequent."""
    return st.one_of(st.sampled_from([1.0, 2.0, 4.0, 8.0]), st.floats(0.1, 10.0, allow_nan=False))


def routes(links: int, *, longest: int = 6) -> st.SearchStrategy[list[int]]:
    """Routes over `links` links: one link or more, none of them twice."""
    return st.lists(st.integers(0, links - 1), min_size=1, max_size=min(longest, links), unique=True)


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    max_links: int = 8,
    max_flows: int = 12,
    with_weights: bool = True,
    with_demands: bool = True,
    with_minimums: bool = False,
    with_ends: bool = False,
) -> Problem:
    """Problems that can be solved: links, routes, and as you like weights, demands, minimums, ends.

    Minimum rates fit into every link together and below the demands.
    """
    link_count = draw(st.integers(1, max_links))
    flow_count = draw(st.integers(1, max_flows))
    given_capacities = np.array(draw(_lists(capacities(), link_count)))
    given_routes = draw(_lists(routes(link_count), flow_count))
    arrays: dict[str, Any] = {}
    if with_weights:
        arrays["weights"] = np.array(draw(_lists(weights(), flow_count)))
    if with_demands:
        arrays["demands_bps"] = np.array(draw(_lists(demands(), flow_count)))
    if with_minimums:
        crossing = np.bincount(
            np.concatenate([np.array(route) for route in given_routes]), minlength=link_count
        )
        room = np.array(
            [min(given_capacities[link] / crossing[link] for link in route) for route in given_routes]
        )
        wanted = np.array(draw(_lists(st.floats(0.0, 1.0), flow_count))) * room
        arrays["minimums_bps"] = np.minimum(wanted, arrays.get("demands_bps", math.inf))
    if with_ends:
        ends = st.integers(0, max(3, flow_count // 2))
        arrays["ingress"] = np.array(draw(_lists(ends, flow_count)), dtype=np.uint32)
        arrays["egress"] = np.array(draw(_lists(ends, flow_count)), dtype=np.uint32)
    return Problem.from_routes(given_capacities, given_routes, **arrays)


@st.composite
def rings(
    draw: st.DrawFn,
    *,
    max_stations: int = 8,
    max_flows: int = 8,
    laws: tuple[str, ...] = ("dvsr",),
    duration: str = "20 ms",
) -> dict[str, Any]:
    """Ring scenarios as dictionaries, short enough to be run."""
    stations = draw(st.integers(3, max_stations))
    ends = st.tuples(st.integers(0, stations - 1), st.integers(1, stations - 1))
    pairs = draw(st.lists(ends, min_size=1, max_size=max_flows))
    capacity = draw(st.sampled_from([100, 155, 622, 1000]))
    flows = [
        {
            "name": f"f{number}",
            "from": start,
            "to": (start + hops) % stations,
            "ringlet": draw(st.integers(0, 1)),
            **_offer(draw, capacity),
        }
        for number, (start, hops) in enumerate(pairs)
    ]
    return {
        "schema": 1,
        "title": "a random ring",
        "run": {"duration": duration, "seed": draw(st.integers(0, 2**31))},
        "ring": {
            "stations": stations,
            "capacity": f"{capacity} Mb/s",
            "span-delay": draw(st.sampled_from(["1 us", "10 us", "0.1 ms"])),
            "law": {"name": draw(st.sampled_from(laws))},
        },
        "flow": flows,
    }


@st.composite
def networks(draw: st.DrawFn, *, max_nodes: int = 8, max_flows: int = 8) -> dict[str, Any]:
    """Network scenarios as dictionaries: a random tree with links both ways, and flows along it."""
    count = draw(st.integers(2, max_nodes))
    names = [f"n{number}" for number in range(count)]
    parents = [draw(st.integers(0, node - 1)) for node in range(1, count)]
    links = [
        {
            "from": names[start],
            "to": names[end],
            "capacity": f"{draw(st.sampled_from([1, 10, 45, 100]))} Mb/s",
        }
        for child, parent in enumerate(parents, start=1)
        for start, end in ((child, parent), (parent, child))
    ]
    ends = st.tuples(st.integers(0, count - 1), st.integers(1, count - 1))
    pairs = draw(st.lists(ends, min_size=1, max_size=max_flows))
    flows = [
        {"name": f"f{number}", "from": names[start], "to": names[(start + step) % count], **_offer(draw, 100)}
        for number, (start, step) in enumerate(pairs)
    ]
    return {
        "schema": 1,
        "title": "a random network",
        "network": {"nodes": names, "link": links},
        "flow": flows,
    }


def _offer(draw: st.DrawFn, capacity: int) -> dict[str, Any]:
    """Draw a demand, or none for all the flow can get; sometimes a weight."""
    demand = draw(st.one_of(st.none(), st.integers(1, capacity)))
    weight = draw(st.sampled_from([None, 1, 2, 4]))
    return {"demand": None if demand is None else f"{demand} Mb/s", "weight": weight}


def _lists(of: st.SearchStrategy[Any], count: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(of, min_size=count, max_size=count)
