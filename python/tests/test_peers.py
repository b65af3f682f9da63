"""Rates against solvers that know nothing of fairness: HiGHS and Clarabel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import clarabel
import highspy
import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray

import fairwire
from fairwire import Problem

INSTANCES = int(os.environ.get("FAIRWIRE_INSTANCES", "100"))

Reals = NDArray[np.float64]


def random_problem(seed: int, *, minimums: bool = False, weights: bool = True) -> Problem:
    """Flows on distinct links in random order; capacities 1 to 10; demands on half of them."""
    rng = np.random.default_rng(seed)
    links, flows = int(rng.integers(1, 12)), int(rng.integers(1, 24))
    routes = [rng.choice(links, rng.integers(1, min(links, 6) + 1), replace=False) for _ in range(flows)]
    # Round capacities make flows meet at equal levels; any others keep them apart.
    capacities = rng.uniform(1, 10, links) if rng.random() < 0.7 else rng.integers(1, 5, links).astype(float)
    arrays: dict[str, Any] = {
        "demands_bps": np.where(rng.random(flows) < 0.5, rng.uniform(0, 3, flows), np.inf)
    }
    if weights:
        arrays["weights"] = rng.choice([1.0, 2.0, 4.0, 8.0], flows)
    if minimums:
        crossing = np.bincount(np.concatenate(routes), minlength=links)
        room = np.array([(capacities / np.maximum(crossing, 1))[route].min() for route in routes])
        arrays["minimums_bps"] = np.where(rng.random(flows) < 0.5, rng.random(flows) * room, 0.0)
    return Problem.from_routes(capacities, routes, **arrays)


def incidence(problem: Problem) -> scipy.sparse.csc_array:
    """Links by flows."""
    shape = (problem.flows, problem.links)
    ones = np.ones(problem.indices.size)
    rows = scipy.sparse.csr_array(
        (ones, problem.indices.astype(np.int32), problem.indptr.astype(np.int32)), shape=shape
    )
    return rows.T.tocsc()


def successive_lp(problem: Problem, weights: Reals, minimums: Reals) -> Reals:
    """Raise the lowest excess over weight as far as it goes; fix whom a dual price holds; go on."""
    demands = problem.demands_bps
    assert demands is not None
    flows, routes = problem.flows, incidence(problem)
    granted = np.minimum(minimums, demands)
    room = problem.capacities_bps - routes @ granted
    most = demands - granted
    fixed = np.full(flows, np.nan)
    while np.isnan(fixed).any():
        free = np.flatnonzero(np.isnan(fixed))
        level, prices = raise_level(routes, room, most, weights, fixed, free)
        # Whoever has a positive price is held at this level in every best answer.
        held = free[prices > 1e-7 * prices.max()]
        fixed[held] = np.minimum(weights[held] * level, most[held])
    rates: Reals = granted + fixed
    return rates


def raise_level(
    routes: scipy.sparse.csc_array,
    room: Reals,
    most: Reals,
    weights: Reals,
    fixed: Reals,
    free: NDArray[np.intp],
) -> tuple[float, Reals]:
    """Maximise t with x ≥ w t for whoever is free; the level and the prices of these rows."""
    flows, links = fixed.size, room.size
    program = highspy.HighsLp()
    program.num_col_ = flows + 1
    program.num_row_ = links + free.size
    program.sense_ = highspy.ObjSense.kMaximize
    program.col_cost_ = np.append(np.zeros(flows), 1.0)
    known = ~np.isnan(fixed)
    program.col_lower_ = np.append(np.where(known, fixed, 0.0), 0.0)
    program.col_upper_ = np.append(np.where(known, fixed, np.minimum(most, 1e3)), 1e3)
    level_rows = scipy.sparse.csr_array(
        (np.ones(free.size), (np.arange(free.size), free)), shape=(free.size, flows)
    )
    matrix = scipy.sparse.block_array(
        [[routes, None], [level_rows, scipy.sparse.csr_array(-weights[free][:, None])]], format="csc"
    )
    program.row_lower_ = np.append(np.full(links, -highspy.kHighsInf), np.zeros(free.size))
    program.row_upper_ = np.append(
        np.maximum(room, routes[:, known] @ fixed[known]), np.full(free.size, highspy.kHighsInf)
    )
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = matrix.indptr
    program.a_matrix_.index_ = matrix.indices
    program.a_matrix_.value_ = matrix.data
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("primal_feasibility_tolerance", 1e-10)
    solver.setOptionValue("dual_feasibility_tolerance", 1e-10)
    solver.passModel(program)
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    solution = solver.getSolution()
    return solution.col_value[-1], np.abs(np.array(solution.row_dual[links:]))


def unit_weights(problem: Problem) -> Reals:
    return np.ones(problem.flows)


def flow_weights(problem: Problem) -> Reals:
    assert problem.weights is not None
    return problem.weights


def hop_weights(problem: Problem) -> Reals:
    weights: Reals = 1.0 / np.diff(problem.indptr)
    return weights


@pytest.mark.parametrize(
    ("criterion", "weights", "minimums"),
    [
        ("max-min", unit_weights, False),
        ("weighted-max-min", flow_weights, False),
        ("inverse-hop", hop_weights, False),
        ("general-weighted", flow_weights, True),
    ],
)
def test_the_max_min_family_equals_successive_linear_programs(
    criterion: str, weights: Any, minimums: bool
) -> None:
    for seed in range(INSTANCES):
        problem = random_problem(seed, minimums=minimums)
        promised = problem.minimums_bps if minimums else np.zeros(problem.flows)
        assert promised is not None
        expected = successive_lp(problem, weights(problem), promised)
        found = problem.solve(criterion).rates_bps
        assert found == pytest.approx(expected, abs=1e-9 * problem.capacities_bps.max()), f"seed {seed}"


def test_proportional_equals_clarabel() -> None:
    compared = 0
    for seed in range(INSTANCES):
        problem = random_problem(seed)
        demands, weights = problem.demands_bps, flow_weights(problem)
        assert demands is not None
        demands[:] = np.maximum(demands, 0.01)
        found = problem.solve("proportional").rates_bps
        expected, is_exact = most_utility(problem)
        # Ours keeps every bound, so it cannot be above the most there is; below it must not be either.
        assert weights @ np.log(found) >= weights @ np.log(expected) - 1e-6, f"seed {seed}"
        if is_exact:
            compared += 1
            assert found == pytest.approx(expected, abs=1e-6 * problem.capacities_bps.max()), f"seed {seed}"
    assert compared >= 0.7 * INSTANCES


def most_utility(problem: Problem) -> tuple[Reals, bool]:
    """Maximise the weighted sum of logarithms: variables x and u with u ≤ log x in exponential cones.

    Tells also whether Clarabel came as near as it was asked to.
    """
    flows, weights, demands = problem.flows, problem.weights, problem.demands_bps
    assert weights is not None
    assert demands is not None
    bounded = np.flatnonzero(np.isfinite(demands))
    none = scipy.sparse.csc_array
    rows = [
        scipy.sparse.hstack([incidence(problem), none((problem.links, flows))]),
        scipy.sparse.csr_array(
            (np.ones(bounded.size), (np.arange(bounded.size), bounded)), shape=(bounded.size, 2 * flows)
        ),
    ]
    cone_rows = scipy.sparse.lil_array((3 * flows, 2 * flows))
    offsets = np.zeros(3 * flows)
    for flow in range(flows):
        cone_rows[3 * flow, flows + flow] = -1.0  # u
        offsets[3 * flow + 1] = 1.0  # 1
        cone_rows[3 * flow + 2, flow] = -1.0  # x
    matrix = scipy.sparse.csc_matrix(scipy.sparse.vstack([*rows, cone_rows]))
    right = np.concatenate([problem.capacities_bps, demands[bounded], offsets])
    cones = [clarabel.NonnegativeConeT(problem.links + bounded.size)] + [clarabel.ExponentialConeT()] * flows
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
    cost = np.concatenate([np.zeros(flows), -weights])
    nothing = scipy.sparse.csc_matrix((2 * flows, 2 * flows))
    solution = clarabel.DefaultSolver(nothing, cost, matrix, right, cones, settings).solve()
    assert str(solution.status) in ("Solved", "AlmostSolved")
    return np.array(solution.x[:flows]), str(solution.status) == "Solved"


if "proportional" not in fairwire.criteria():
    del test_proportional_equals_clarabel


@pytest.mark.parametrize(("solver", "rates"), [("highs", [1 / 2] * 3), ("clarabel", [1 / 3, 2 / 3, 2 / 3])])
def test_the_benchmark_hears_its_peers(root: Path, tmp_path: Path, solver: str, rates: list[float]) -> None:
    # One flow over both links, and one over each. Whatever a solver prints, the answer is one line.
    problem = tmp_path / "problem"
    arrays = [
        np.array([3, 2, 4], "<u8"),
        np.array([1.0, 1.0], "<f8"),
        np.array([0, 2, 3, 4, 0, 1, 0, 1], "<u4"),
        np.array([np.inf, np.inf, np.inf, 1.0, 1.0, 1.0], "<f8"),
    ]
    problem.write_bytes(b"".join(array.tobytes() for array in arrays))
    peers, answer = str(root / "benches/python/peers.py"), str(tmp_path / "rates")
    command = [sys.executable, peers, solver, str(problem), answer, "1"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert json.loads(said)["solve_s"][0] > 0
    assert np.fromfile(answer, "<f8") == pytest.approx(rates, abs=1e-6)
