"""Fair rates by general solvers: `python benches/python/peers.py SOLVER PROBLEM RATES RUNS`.

SOLVER is `highs` (max-min by successive linear programs), `clarabel` (proportional, in
exponential cones) or `versions`, which solves nothing and tells which of them are here.
PROBLEM: the numbers of flows, links and crossings as 64-bit integers; capacities (double);
where each route starts, and where the last one ends (32 bit); the links of all routes
(32 bit); demands, possibly infinite, and weights (double); all little-endian. RATES gets one
double a flow. Prints one line of JSON with the seconds of processor time of each of RUNS
solves, building the programs included, and whether the solver came as near as it was asked to.
"""

import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import NamedTuple


class Problem(NamedTuple):
    """A network as flat arrays."""

    capacities: "numpy.ndarray"
    routes: "scipy.sparse.csr_array"
    demands: "numpy.ndarray"
    weights: "numpy.ndarray"


def read(path):
    """Read a problem."""
    content = memoryview(Path(path).read_bytes())

    def take(kind, count):
        nonlocal content
        size = numpy.dtype(kind).itemsize * count
        values, content = numpy.frombuffer(content[:size], kind), content[size:]
        return values

    flows, links, crossings = (int(count) for count in take("<u8", 3))
    capacities = take("<f8", links)
    starts, items = take("<u4", flows + 1).astype(numpy.int32), take("<u4", crossings).astype(numpy.int32)
    routes = scipy.sparse.csr_array((numpy.ones(crossings), items, starts), shape=(flows, links))
    return Problem(capacities, routes, take("<f8", flows), take("<f8", flows))


def successive_lp(problem):
    """Raise the lowest rate a weight as far as it goes, fix whom a price holds, and go on.

    One model is kept: variables are the rates and the level t; rows are the links, and for each
    flow x - w t >= 0, which is dropped when the flow is fixed. HiGHS starts from its last basis.
    """
    infinity = highspy.kHighsInf
    flows, links = problem.routes.shape
    most = numpy.minimum(problem.demands, problem.capacities.max())
    level_rows = scipy.sparse.hstack(
        [scipy.sparse.eye_array(flows), scipy.sparse.csr_array(-problem.weights[:, None])]
    )
    link_rows = scipy.sparse.hstack([problem.routes.T, scipy.sparse.csr_array((links, 1))])
    matrix = scipy.sparse.vstack([link_rows, level_rows], format="csc")
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = flows + 1, links + flows
    program.sense_ = highspy.ObjSense.kMaximize
    program.col_cost_ = numpy.append(numpy.zeros(flows), 1.0)
    program.col_lower_ = numpy.zeros(flows + 1)
    program.col_upper_ = numpy.append(most, problem.capacities.max() / problem.weights.min())
    program.row_lower_ = numpy.append(numpy.full(links, -infinity), numpy.zeros(flows))
    program.row_upper_ = numpy.append(problem.capacities, numpy.full(flows, infinity))
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = matrix.indptr
    program.a_matrix_.index_ = matrix.indices
    program.a_matrix_.value_ = matrix.data
    solver = highspy.Highs()
    for option, value in [
        ("output_flag", False),
        ("threads", 1),
        ("primal_feasibility_tolerance", 1e-10),
        ("dual_feasibility_tolerance", 1e-10),
    ]:
        solver.setOptionValue(option, value)
    solver.passModel(program)

    fixed = numpy.full(flows, numpy.nan)
    while True:
        free = numpy.flatnonzero(numpy.isnan(fixed))
        if free.size == 0:
            return fixed, True
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise SystemExit(f"HiGHS ended with {solver.getModelStatus()}")
        solution = solver.getSolution()
        level = solution.col_value[-1]
        prices = numpy.abs(numpy.array(solution.row_dual[links:])[free])
        # Whoever has a positive price is held at this level in every best answer.
        held = free[prices > 1e-7 * prices.max()]
        fixed[held] = numpy.minimum(problem.weights[held] * level, most[held])
        columns, rows = held.astype(numpy.int32), (links + held).astype(numpy.int32)
        solver.changeColsBounds(held.size, columns, fixed[held], fixed[held])
        for row in rows:
            solver.changeRowBounds(int(row), -infinity, infinity)


def most_utility(problem, tolerance=1e-8):
    """Maximise the weighted sum of logarithms: rates x, and u with u <= log x in exponential cones.

    1e-8 is how near Clarabel goes by itself; rates are then right to about 1e-5.
    """
    flows, links = problem.routes.shape
    bounded = numpy.flatnonzero(numpy.isfinite(problem.demands))
    every, some = numpy.arange(flows), numpy.arange(bounded.size)
    upper = scipy.sparse.csr_array(
        (numpy.ones(bounded.size), (some, bounded)), shape=(bounded.size, 2 * flows)
    )
    cones = scipy.sparse.csr_array(
        (
            -numpy.ones(2 * flows),
            (numpy.concatenate([3 * every, 3 * every + 2]), numpy.concatenate([flows + every, every])),
        ),
        shape=(3 * flows, 2 * flows),
    )
    link_rows = scipy.sparse.hstack([problem.routes.T, scipy.sparse.csr_array((links, flows))])
    matrix = scipy.sparse.csc_matrix(scipy.sparse.vstack([link_rows, upper, cones]))
    right = numpy.concatenate(
        [problem.capacities, problem.demands[bounded], numpy.tile([0.0, 1.0, 0.0], flows)]
    )
    kinds = [clarabel.NonnegativeConeT(links + bounded.size)] + [clarabel.ExponentialConeT()] * flows
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    cost = numpy.concatenate([numpy.zeros(flows), -problem.weights])
    nothing = scipy.sparse.csc_matrix((2 * flows, 2 * flows))
    solution = clarabel.DefaultSolver(nothing, cost, matrix, right, kinds, settings).solve()
    if str(solution.status) not in ("Solved", "AlmostSolved"):
        raise SystemExit(f"Clarabel ended with {solution.status}")
    return numpy.array(solution.x[:flows]), str(solution.status) == "Solved"


def versions():
    """Tell which solvers are here."""
    here = {}
    for name, module in [("highs", "highspy"), ("clarabel", "clarabel")]:
        try:
            importlib.import_module(module)
            importlib.import_module("scipy.sparse")
            here[name] = importlib.import_module("importlib.metadata").version(module)
        except ImportError:
            here[name] = None
    return here


def main():
    """Solve, and print what it took."""
    solve = {"highs": successive_lp, "clarabel": most_utility}[sys.argv[1]]
    # Some solvers print who they are. That goes to stderr, and the answer alone to stdout.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    problem = read(sys.argv[2])
    seconds = []
    for _ in range(int(sys.argv[4])):
        begin = time.process_time()
        rates, is_exact = solve(problem)
        seconds.append(time.process_time() - begin)
    if solve is most_utility:
        # Timed as it is used; compared as near as it goes.
        rates, is_exact = most_utility(problem, tolerance=1e-13)
    rates.astype("<f8").tofile(sys.argv[3])
    print(json.dumps({"solve_s": seconds, "is_exact": is_exact}), file=answer, flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["versions"]:
        print(json.dumps(versions()))
    else:
        import numpy
        import scipy.sparse

        if sys.argv[1] == "highs":
            import highspy
        else:
            import clarabel
        main()
