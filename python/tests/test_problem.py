"""Problems made of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import fairwire
from fairwire import Problem
from fairwire.testing import problems

FLOW_CRITERIA = ("max-min", "weighted-max-min", "inverse-hop")


def small(**arrays: Any) -> Problem:
    return Problem.from_routes([10e6, 4e6], [[0, 1], [0]], **arrays)


def test_a_problem_is_solved_and_explained() -> None:
    solution = small().solve("max-min")
    assert solution.rates_bps.tolist() == [4e6, 6e6]
    assert solution.bottleneck.tolist() == [1, 0]
    assert (solution.criterion, solution.unique, len(solution)) == ("max-min", "yes", 2)
    named = small(flow_names=["long", "short"], link_names=["ab", "bc"], demands_bps=[np.inf, 1e6])
    fair = named.explain("max-min")
    assert fair.rates_bps == {"long": 4e6, "short": 1e6}
    assert fair.why("long") == "link bc is full (4 Mb/s); flow long has it alone"
    assert named.solve().bottleneck.tolist() == [1, -1]


def test_promises_and_ceilings_count() -> None:
    share = Problem.from_routes([10e6], [[0], [0], [0]], minimums_bps=[4e6, 0, 0], weights=[1, 1, 2])
    assert share.solve("general-weighted").rates_bps == pytest.approx([5.5e6, 1.5e6, 3e6])
    capped = Problem.from_routes([10e6], [[0], [0]], peaks_bps=[1e6, np.inf], supported_bps=[np.inf, 3e6])
    assert capped.solve("max-min").rates_bps == pytest.approx([1e6, 3e6])
    kinds = [flow.limited_by.kind for flow in capped.explain("max-min").flow_rates]
    assert kinds == ["peak", "supported"]
    assert capped.explain("max-min").why("0") == "it may have no more than its peak rate of 1 Mb/s"


def test_minimums_that_do_not_fit_name_a_smallest_set() -> None:
    too_much = Problem.from_routes(
        [10e6], [[0]] * 3, minimums_bps=[1e6, 6e6, 5e6], flow_names=["a", "b", "c"]
    )
    with pytest.raises(fairwire.ProblemError) as caught:
        too_much.solve("general-weighted")
    assert caught.value.kind == "infeasible-minimums"
    assert caught.value.names == ("b", "c")
    assert caught.value.link == "0"


def test_ingresses_count_under_rias() -> None:
    # Two flows of node 0 share with one of node 1: half each for the nodes.
    problem = Problem.from_routes([12e6], [[0], [0], [0]], ingress=[0, 0, 1], egress=[2, 3, 2])
    assert problem.solve("rias").rates_bps == pytest.approx([3e6, 3e6, 6e6])
    assert problem.solve("max-min").rates_bps == pytest.approx([4e6, 4e6, 4e6])
    heavier = Problem.from_routes([12e6], [[0], [0]], ingress=[0, 1], ingress_weights=[1, 3])
    assert heavier.solve("rias").rates_bps == pytest.approx([3e6, 9e6])


def test_capacity_is_worth_what_a_solve_with_more_of_it_gives() -> None:
    capacities = np.array([10e6, 4e6])
    problem = Problem.from_routes(capacities, [[0, 1], [0]])
    first, second = problem.sensitivities()
    assert (first.link, first.total_up, first.up) == (0, 1.0, {1: 1.0})
    # What the second link gives to the long flow it takes from the short one on the first.
    assert (second.link, second.up) == (1, {0: 1.0, 1: -1.0})
    before = problem.solve().rates_bps
    capacities[1] += 1e3
    assert (problem.solve().rates_bps - before).tolist() == [1e3, -1e3]


@pytest.mark.parametrize("kind", [np.uint32, np.int32])
def test_arrays_are_shared_and_later_changes_count(kind: type) -> None:
    capacities = np.array([10e6, 4e6])
    indptr: NDArray[Any] = np.array([0, 2, 3], dtype=kind)
    indices: NDArray[Any] = np.array([0, 1, 0], dtype=kind)
    problem = Problem(capacities, indptr, indices)
    assert np.shares_memory(problem.indices, indices)
    assert np.shares_memory(problem.indptr, indptr)
    assert np.shares_memory(problem.capacities_bps, capacities)
    capacities[1] = 5e6
    assert problem.solve().rates_bps.tolist() == [5e6, 5e6]
    indices[1] = 7
    with pytest.raises(fairwire.ProblemError, match="link index 7"):
        problem.solve()


def test_columns_of_other_libraries_are_taken() -> None:
    expected = [4e6, 6e6]
    for column in (pl.Series, pa.array, np.array, list):
        problem = Problem(column([10e6, 4e6]), column([0, 2, 3]), column([0, 1, 0]))
        assert problem.solve().rates_bps.tolist() == expected
    chunked = pa.chunked_array([[10e6], [4e6]])
    assert Problem(chunked, [0, 2, 3], [0, 1, 0]).solve().rates_bps.tolist() == expected


def test_lists_in_arrow_are_routes_without_a_copy() -> None:
    routes = pa.array([[0, 1], [0]], type=pa.list_(pa.uint32()))
    problem = Problem.from_arrow([10e6, 4e6], routes)
    assert problem.solve().rates_bps.tolist() == [4e6, 6e6]
    assert problem.indices.ctypes.data == routes.values.buffers()[1].address
    assert Problem.from_arrow([10e6, 4e6], routes[1:]).solve().rates_bps.tolist() == [10e6]
    series = pl.Series([[0, 1], [0]])
    assert Problem.from_arrow([10e6, 4e6], series).solve().rates_bps.tolist() == [4e6, 6e6]


def test_a_sparse_matrix_is_shared() -> None:
    matrix = scipy.sparse.csr_array(np.array([[1, 1], [1, 0]]))
    problem = Problem.from_incidence([10e6, 4e6], matrix)
    assert problem.solve().rates_bps.tolist() == [4e6, 6e6]
    assert np.shares_memory(problem.indices, matrix.indices)


def test_a_solution_is_an_arrow_table() -> None:
    frame = pl.DataFrame(small(demands_bps=[1e6, np.inf]).solve())
    assert frame.columns == ["rate_bps", "rate_low_bps", "rate_high_bps", "bottleneck"]
    assert frame["bottleneck"].to_list() == [None, 0]


def test_a_solution_has_a_table_of_its_flows() -> None:
    solution = fairwire.Problem.from_routes(
        [10e6, 4e6], [[0, 1], [0], [1]], demands_bps=[1e6, 20e6, 20e6]
    ).solve()
    assert solution.flows.to_dicts() == [
        {"rate_bps": 1e6, "rate_low_bps": 1e6, "rate_high_bps": 1e6, "bottleneck": None},
        {"rate_bps": 9e6, "rate_low_bps": 9e6, "rate_high_bps": 9e6, "bottleneck": 0},
        {"rate_bps": 3e6, "rate_low_bps": 3e6, "rate_high_bps": 3e6, "bottleneck": 1},
    ]
    assert "<caption>3 rows</caption>" in solution._repr_html_()


def test_no_flows_have_no_rates() -> None:
    assert Problem([1e6], [0], []).solve().rates_bps.tolist() == []


NAN = float("nan")
BAD: dict[str, tuple[str, Any]] = {
    "negative capacity": ("capacity", lambda: Problem([-1.0], [0, 1], [0])),
    "no capacity": ("capacity", lambda: Problem([0.0], [0, 1], [0])),
    "capacity not a number": ("capacity", lambda: Problem([NAN], [0, 1], [0])),
    "2^53": ("too-large", lambda: Problem([2.0**53], [0, 1], [0])),
    "unknown link": ("unknown-link", lambda: Problem([1.0], [0, 1], [1])),
    "negative link": ("negative-index", lambda: Problem([1.0], [0, 1], [-1])),
    "huge link": ("large-index", lambda: Problem([1.0], [0, 1], [2**40])),
    "link twice": ("repeated-link", lambda: Problem([1.0], [0, 2], [0, 0])),
    "empty route": ("empty-route", lambda: Problem([1.0], [0, 0, 1], [0])),
    "demand not a number": ("demand", lambda: Problem([1.0], [0, 1], [0], demands_bps=[NAN])),
    "negative demand": ("demand", lambda: Problem([1.0], [0, 1], [0], demands_bps=[-1.0])),
    "no weight": ("flow-weight", lambda: Problem([1.0], [0, 1], [0], weights=[0.0])),
    "infinite weight": ("flow-weight", lambda: Problem([1.0], [0, 1], [0], weights=[np.inf])),
    "minimum over peak": (
        "minimum-over-peak",
        lambda: Problem([9.0], [0, 1], [0], minimums_bps=[2.0], peaks_bps=[1.0]),
    ),
    "minimums too large": (
        "infeasible-minimums",
        lambda: Problem([1.0], [0, 1, 2], [0, 0], minimums_bps=[0.6, 0.6]),
    ),
    "rows that end elsewhere": ("indptr", lambda: Problem([1.0], [0, 2], [0])),
    "rows that fall": ("indptr", lambda: Problem([1.0], [0, 2, 1], [0])),
    "rows that begin late": ("indptr", lambda: Problem([1.0], [1, 1], [0])),
    "no rows": ("indptr", lambda: Problem([1.0], [], [])),
    "too few weights": ("length", lambda: Problem([1.0], [0, 1], [0], weights=[])),
    "too many names": ("length", lambda: Problem([1.0], [0, 1], [0], flow_names=["a", "b"])),
    "text": ("array", lambda: Problem(["a"], [0, 1], [0])),
    "fractions as links": ("array", lambda: Problem([1.0], [0, 1], [0.5])),
    "two dimensions": ("array", lambda: Problem([[1.0]], [0, 1], [0])),
    "ragged": ("array", lambda: Problem([[1.0], []], [0, 1], [0])),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_problems_raise_the_one_family(name: str) -> None:
    kind, make = BAD[name]
    with pytest.raises(fairwire.ProblemError) as caught:
        make().solve("general-weighted")
    assert isinstance(caught.value, fairwire.FairwireError)
    assert isinstance(caught.value, ValueError)
    assert caught.value.kind == kind
    assert str(caught.value)


def test_one_link_is_told_in_the_singular() -> None:
    one = Problem([10e6], indptr=[0, 1], indices=[3])
    for ask in (lambda: one.solve("max-min"), lambda: one.loads_bps([1e6])):
        with pytest.raises(fairwire.ProblemError, match=r"link index 3, but there is only 1 link$") as caught:
            ask()
        assert caught.value.kind == "unknown-link"
    with pytest.raises(fairwire.ProblemError, match=r"2 entries for 1 flow$"):
        one.loads_bps([1e6, 1e6])
    assert repr(one) == "<fairwire.Problem: 1 flow over 1 link>"


def test_criteria_that_ask_for_ends_say_so() -> None:
    with pytest.raises(fairwire.ProblemError, match="ingress") as caught:
        small().solve("rias")
    assert caught.value.kind == "ingress"
    with pytest.raises(fairwire.ProblemError, match="egress"):
        small(ingress=[0, 0]).solve("ingress-egress")
    with pytest.raises(fairwire.ProblemError, match="node"):
        small(ingress=[0, 4_000_000_000]).solve("rias")
    with pytest.raises(fairwire.CriterionError):
        small().solve("fairest")


@given(problems())
def test_the_checker_agrees_and_rejects_what_is_moved(problem: Problem) -> None:
    for criterion in FLOW_CRITERIA:
        rates = problem.solve(criterion).rates_bps
        assert problem.why_unfair(rates, criterion) is None
        assert (problem.loads_bps(rates) <= problem.capacities_bps * (1 + 1e-12)).all()
        flow = int(rates.argmax())
        if rates[flow] > 1e-6 * problem.capacities_bps.max():  # else within the tolerance
            less = rates.copy()
            less[flow] *= 0.99
            assert problem.why_unfair(less, criterion) is not None
            less[flow] = rates[flow] * 1.01
            assert problem.why_unfair(less, criterion) is not None


@given(problems(with_ends=True))
def test_rias_rates_of_random_problems_are_fair(problem: Problem) -> None:
    try:
        solution = problem.solve("rias")
    except fairwire.SolveError:
        return
    assert problem.why_unfair(solution.rates_bps, "rias") is None
    assert (solution.low_bps <= solution.rates_bps * (1 + 1e-9)).all()
    assert (solution.rates_bps <= solution.high_bps * (1 + 1e-9)).all()


@given(problems(with_minimums=True))
def test_minimums_are_kept(problem: Problem) -> None:
    solution = problem.solve("general-weighted")
    minimums = problem.minimums_bps
    assert minimums is not None
    assert (solution.rates_bps >= minimums * (1 - 1e-9)).all()
    assert problem.why_unfair(solution.rates_bps, "general-weighted") is None


@given(problems(), st.randoms(use_true_random=False), st.integers(-2, 2))
def test_order_and_unit_do_not_matter(problem: Problem, random: Any, power: int) -> None:
    """Flows in another order have the same rates; doubled rates everywhere double the answer."""
    rates = problem.solve("weighted-max-min").rates_bps
    order = list(range(problem.flows))
    random.shuffle(order)
    routes = [problem.indices[problem.indptr[f] : problem.indptr[f + 1]].tolist() for f in order]
    assert problem.weights is not None
    assert problem.demands_bps is not None
    scale = 2.0**power
    other = Problem.from_routes(
        problem.capacities_bps * scale,
        routes,
        weights=problem.weights[order],
        demands_bps=problem.demands_bps[order] * scale,
    )
    largest = problem.capacities_bps.max()
    assert other.solve("weighted-max-min").rates_bps / scale == pytest.approx(
        rates[order], abs=1e-9 * largest
    )


def test_incidence_is_read_whatever_its_format() -> None:
    dense = np.array([[1, 1, 0], [0, 0, 1]])
    capacities = [10.0, 4.0, 3.0]
    for kind in ("csr", "csc", "coo", "lil", "dok", "bsr"):
        problem = fairwire.Problem.from_incidence(capacities, scipy.sparse.csr_array(dense).asformat(kind))
        assert list(problem.solve().rates_bps) == [4.0, 3.0], kind


def test_incidence_that_is_none_is_refused() -> None:
    rows = scipy.sparse.csr_array(np.array([[1, 1], [1, 0]]))
    zero, share, oriented = rows.copy(), rows.astype(float), rows.copy()
    zero.data[0], share.data[1], oriented.data[2] = 0, 0.5, -1
    for wrong, message in (
        (5, "a sparse matrix of SciPy, such as csr_array"),
        (np.eye(2), "a sparse matrix of SciPy, such as csr_array"),
        (scipy.sparse.csr_array((3, 5)), "incidence has 5 columns for 2 links"),
        (zero, r"incidence\[0, 0\] is 0"),
        (share, r"incidence\[0, 1\] is 0.5"),
        (oriented, r"incidence\[1, 0\] is -1"),
    ):
        with pytest.raises(fairwire.ProblemError, match=message):
            fairwire.Problem.from_incidence([10.0, 4.0], wrong)


def test_masked_entries_are_no_numbers() -> None:
    capacities = np.ma.array([10.0, 4.0], mask=[False, True])
    with pytest.raises(fairwire.ProblemError, match=r"capacities_bps\[1\] is masked"):
        fairwire.Problem.from_routes(capacities, [[0, 1]])
    nothing_masked = np.ma.array([10.0, 4.0], mask=False)
    assert fairwire.Problem.from_routes(nothing_masked, [[0, 1]]).solve().rates_bps == [4.0]


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([10.0, None]),
        pl.Series([10, None]),
        pd.Series([10.0, None]),
        pd.Series([10.0, np.nan]),
        pd.Series([10, None], dtype="Int64"),
        pd.Series([10.0, None], dtype="float64[pyarrow]"),
        pd.array([10, None], dtype="Int64"),
        pa.array([10.0, None]),
        pa.array([10, None]),
        pa.chunked_array([[10.0], [None]]),
        [10.0, None],
        np.array([10.0, None], dtype=object),
    ],
    ids=lambda column: f"{type(column).__module__.partition('.')[0]}-{getattr(column, 'dtype', '')}",
)
def test_missing_entries_are_no_numbers(column: Any) -> None:
    made = fairwire.Problem.from_routes([10.0, 4.0], [[0, 1], [0]])
    asks: list[tuple[str, Callable[[], object]]] = [
        ("capacities_bps", lambda: fairwire.Problem(column, [0, 1], [0])),
        ("indices", lambda: fairwire.Problem([1.0], [0, 2], column)),
        ("demands_bps", lambda: fairwire.Problem.from_routes([1.0], [[0], [0]], demands_bps=column)),
        ("rates_bps", lambda: made.loads_bps(column)),
    ]
    for name, ask in asks:
        with pytest.raises(fairwire.ProblemError, match=rf"{name}\[1\] is missing; every entry is a number"):
            ask()


def test_what_is_no_number_is_not_missing() -> None:
    for column in (np.array([10.0, NAN]), pl.Series([10.0, NAN])):
        problem = fairwire.Problem.from_routes(column, [[0, 1]])
        with pytest.raises(fairwire.ProblemError, match="not NaN"):
            problem.solve()


WEIGHTS = (NAN, -1.0, 0.0, np.inf, 1e7)
PROMISES = (NAN, -1.0, np.inf)


@pytest.mark.parametrize("criterion", fairwire.criteria())
@pytest.mark.parametrize(
    ("name", "kind", "wrong"),
    [
        *(("weights", "flow-weight", wrong) for wrong in WEIGHTS),
        *(("ingress_weights", "ingress-weight", wrong) for wrong in WEIGHTS),
        *(("minimums_bps", "term", wrong) for wrong in PROMISES),
        *(("ingress_minimums_bps", "term", wrong) for wrong in PROMISES),
    ],
)
def test_numbers_make_sense_whoever_heeds_them(criterion: str, name: str, kind: str, wrong: float) -> None:
    arrays: dict[str, Any] = {"ingress": [0, 0], "egress": [1, 1], name: [1.0, wrong]}
    problem = fairwire.Problem.from_routes([10.0], [[0], [0]], **arrays)
    for ask in (problem.solve, problem.explain):
        with pytest.raises(fairwire.ProblemError) as caught:
            ask(criterion)
        assert caught.value.kind == kind
    with pytest.raises(fairwire.ProblemError):
        problem.why_unfair([5.0, 5.0], criterion)


@pytest.mark.parametrize("names", ["flow_names", "link_names", "node_names"])
def test_names_are_text_and_stand_once(names: str) -> None:
    for wrong, message in (
        (["a", "a"], rf"{names}\[1\]: 'a' is there already"),
        ([1, 2], rf"{names}\[0\]: a name is text, not 1"),
        ("ab", f"{names}: a list of names, not 'ab'"),
        (5, f"{names}: a list of names, not 5"),
    ):
        with pytest.raises(fairwire.ProblemError, match=message):
            fairwire.Problem.from_routes([1.0, 1.0], [[0], [1]], **{names: wrong})  # type: ignore[arg-type]


def test_routes_that_are_none_are_refused() -> None:
    make = fairwire.Problem
    cases: list[tuple[Callable[[], Problem], str]] = [
        (lambda: make.from_routes([1.0], [0]), r"routes\[0\]: a list of links, not 0"),  # type: ignore[list-item]
        (lambda: make.from_routes([1.0], 5), "routes: a list of links a flow, not 5"),  # type: ignore[arg-type]
        (lambda: make.from_routes({1.0}, [[0]]), "capacities_bps: an array or a list, not set"),
        (lambda: make.from_arrow([1.0], 5), "routes: cannot be read as a column of lists"),
        (lambda: make.from_arrow([1.0], [0]), "routes: a column of lists, not of int64"),
        (lambda: make.from_arrow([1.0], [[0], None]), r"routes\[1\] is null"),
    ]
    for ask, message in cases:
        with pytest.raises(fairwire.ProblemError, match=message):
            ask()
    fixed = pa.array([[0, 1], [1, 0]], pa.list_(pa.int32(), 2))
    assert list(make.from_arrow([10.0, 4.0], fixed).solve().rates_bps) == [2.0, 2.0]


def test_what_cannot_be_judged_is_no_answer() -> None:
    problem = fairwire.Problem.from_routes([10e6, 4e6], [[0, 1], [0]])
    for arguments, message in (
        (([1.0],), "rates_bps has 1 entry for 2 flows"),
        (([4e6, 6e6], "max-min", float("nan")), "the tolerance must be"),
        (([4e6, 6e6], "max-min", -1.0), "the tolerance must be"),
        (([4e6, 6e6], "max-min", "x"), "tolerance: a small number"),
    ):
        rates, *others = arguments
        settings = dict(zip(("criterion", "tolerance"), others, strict=False))
        with pytest.raises(fairwire.ProblemError, match=message):
            problem.why_unfair(rates, **settings)  # type: ignore[arg-type]
