"""What a user holds, copied, pickled and sent to other processes."""

from __future__ import annotations

import copy
import functools
import json
import multiprocessing
import pickle
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import joblib
import numpy as np
import pytest

import fairwire
from fairwire import RingLaw

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)

RING: dict[str, Any] = {
    "schema": 1,
    "run": {"duration": "20 ms", "warmup": "5 ms"},
    "ring": {"stations": 4, "capacity": "1 Gb/s", "span-delay": "0.1 ms", "law": {"name": "dvsr"}},
    "flow": [{"name": "far", "from": 0, "to": 2}, {"name": "near", "from": 1, "to": 2}],
    "expect": {"jain": {"min": 0.5}},
}
NETWORK: dict[str, Any] = {
    "schema": 1,
    "run": {"duration": "1 s"},
    "network": {
        "nodes": ["office", "exchange"],
        "link": [{"from": "office", "to": "exchange", "capacity": "8 Mb/s", "delay": "5 ms", "duplex": True}],
    },
    "flow": [
        {"name": "backup", "from": "office", "to": "exchange", "traffic": {"kind": "tcp"}},
        {"name": "probe", "from": "office", "to": "exchange", "demand": "8 kb/s"},
    ],
}
SWEPT = {"ring.span-delay": ["0.1 ms", "0.2 ms"]}
TABLES = sorted({column.table for column in fairwire.columns()})


class Idle(RingLaw):
    """Controls nothing."""

    parameters: ClassVar[dict[str, int]] = {"interval_ns": 1}


def problem() -> fairwire.Problem:
    demands = [1e6, np.inf]
    return fairwire.Problem.from_routes(
        [10e6, 4e6], [[0, 1], [0]], demands_bps=demands, flow_names=["long", "short"]
    )


def a_simulation() -> fairwire.Simulation:
    simulation = fairwire.Simulation(RING)
    simulation.advance("10 ms")
    return simulation


def swept() -> fairwire.Sweep:
    return fairwire.sweep(RING, SWEPT, replications=2, series=True)


# Each makes the same thing however often it is asked.
HELD: dict[str, Callable[[], Any]] = {
    "allocation": lambda: fairwire.allocate(RING),
    "allocation of a problem": lambda: problem().explain(),
    "flow of an allocation": lambda: fairwire.allocate(RING).flow_rates[0],
    "link of an allocation": lambda: fairwire.allocate(RING).link_loads[0],
    "what if": lambda: fairwire.what_if(RING, "link 1 +10%"),
    "flow of a what if": lambda: fairwire.what_if(RING, "link 1 +10%").flow_changes[0],
    "worth of a link": lambda: fairwire.sensitivities(RING)[0],
    "problem": problem,
    "solution": lambda: problem().solve(),
    "runs of a ring": lambda: fairwire.run(RING, law=["dvsr", "fifo"], seed=[1, 2]),
    "runs of a network": lambda: fairwire.run(NETWORK),
    "runs of a simulation": lambda: a_simulation().finish(),
    "promise": lambda: fairwire.run(RING).promises[0],
    "table": lambda: fairwire.run(NETWORK).transfers,
    "table of a sweep": lambda: swept().points,
    "sweep": swept,
    "view": lambda: a_simulation().view(),
    "law of the list": lambda: fairwire.laws()[0],
    "column": lambda: fairwire.columns()[0],
    "finding": lambda: fairwire.Finding("message", "label", "help", 1, 2),
}


def copies(of: Any) -> list[Any]:
    pickled = [pickle.loads(pickle.dumps(of, protocol)) for protocol in PROTOCOLS]
    return [copy.copy(of), copy.deepcopy(of), *pickled, pickle.loads(pickle.dumps(pickled[-1]))]


@pytest.mark.parametrize("name", HELD)
def test_copies_are_equal_and_look_the_same(name: str) -> None:
    held = HELD[name]()
    for other in copies(held):
        assert type(other) is type(held)
        assert other == held
        assert repr(other) == repr(held)
        if hasattr(held, "_repr_html_"):
            assert other._repr_html_() == held._repr_html_()
        if hash_of(held) is not None:
            assert hash(other) == hash(held)
    assert held != object()


def hash_of(held: Any) -> int | None:
    try:
        return hash(held)
    except TypeError:
        return None


def test_what_can_be_written_into_has_no_hash_and_all_else_has() -> None:
    without = {name for name, make in HELD.items() if hash_of(make()) is None}
    assert without == {"problem", "solution", "worth of a link", "view"}


@pytest.mark.parametrize("name", sorted(set(HELD) - {"sweep", "table of a sweep"}))
def test_what_is_made_alike_is_equal(name: str) -> None:
    assert HELD[name]() == HELD[name]()


def test_what_differs_is_not_equal() -> None:
    other = RING | {"run": {"duration": "30 ms", "warmup": "5 ms"}}
    assert fairwire.run(RING) != fairwire.run(other)
    assert fairwire.run(RING, detail=False) != fairwire.run(RING)
    assert fairwire.allocate(RING) != fairwire.allocate(RING, "max-min")
    assert fairwire.allocate(RING) != fairwire.what_if(RING, "link 1 +10%")
    assert problem() != fairwire.Problem.from_routes([10e6, 4e6], [[0, 1], [0]])
    assert problem().solve("max-min") != problem().solve("proportional")


def test_pickles_are_the_same_bytes_each_time() -> None:
    # Caches know things by them.
    names = ("runs of a ring", "table", "allocation", "problem", "solution")
    all_held = [HELD[name]() for name in names]
    pickled = [pickle.dumps(held) for held in all_held]
    hashes = [joblib.hash(held) for held in all_held]
    # When they were made does not change.
    time.sleep(1.1)
    for held, before, hash_before in zip(all_held, pickled, hashes, strict=True):
        assert pickle.dumps(held) == before
        assert joblib.hash(pickle.loads(before)) == hash_before


@pytest.mark.parametrize("scenario", [RING, NETWORK], ids=["ring", "network"])
def test_pickled_runs_answer_and_save_all_that_they_did(scenario: dict[str, Any], tmp_path: Path) -> None:
    runs = fairwire.run(scenario, seed=[1, 2])
    again: fairwire.Runs = pickle.loads(pickle.dumps(runs))
    assert (again.title, again.criterion, again.wall_s) == (runs.title, runs.criterion, runs.wall_s)
    assert (again.warnings, again.promises, len(again)) == (runs.warnings, runs.promises, 2)
    assert again.summaries == runs.summaries
    for table in TABLES:
        assert getattr(again, table).to_pyarrow().equals(getattr(runs, table).to_pyarrow()), table
    for csv in (False, True):
        saved = files(runs.save(tmp_path / f"here-{csv}", csv=csv))
        assert files(again.save(tmp_path / f"there-{csv}", csv=csv)) == saved
        assert len(saved) >= 9
    with pytest.raises(fairwire.FolderError, match="holds an older result"):
        again.save(tmp_path / "here-True")
    again.save(tmp_path / "here-True", replace=True)
    assert again.plot("time").axes


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder, without when it was written."""
    found = {file.name: file.read_bytes() for file in folder.iterdir()}
    manifest = json.loads(found["manifest.json"])
    del manifest["written_unix_s"]
    return found | {"manifest.json": json.dumps(manifest).encode()}


def test_runs_that_were_replayed_take_their_packets_along(root: Path, tmp_path: Path) -> None:
    runs = fairwire.replay(root / "python/tests/real-run")
    again: fairwire.Runs = pickle.loads(pickle.dumps(runs))
    again.save(tmp_path / "again")
    assert fairwire.replay(tmp_path / "again") == runs


def test_a_sweep_takes_its_series_along(tmp_path: Path) -> None:
    found = fairwire.sweep(RING, SWEPT, replications=2, series=True, folder=tmp_path / "sweep")
    pickled = pickle.dumps(found)
    (tmp_path / "sweep").rename(tmp_path / "elsewhere")
    again: fairwire.Sweep = pickle.loads(pickled)
    assert len(again.series) > 0
    assert again.report == found.report
    without = pickle.loads(pickle.dumps(fairwire.sweep(RING, SWEPT, replications=2)))
    with pytest.raises(fairwire.SettingError, match="series=True"):
        _ = without.series


def test_a_copy_of_a_problem_shares_its_arrays_and_a_deep_copy_does_not() -> None:
    capacities = np.array([10e6, 4e6])
    held = fairwire.Problem.from_routes(capacities, [[0, 1], [0]])
    shallow, deep = copy.copy(held), copy.deepcopy(held)
    capacities[1] = 1e6
    assert shallow.solve().rates_bps.tolist() == [1e6, 9e6]
    assert deep.solve().rates_bps.tolist() == [4e6, 6e6]
    assert held == shallow
    assert held != deep


def test_what_is_written_into_a_copy_stays_there() -> None:
    solution = problem().solve()
    deep = copy.deepcopy(solution)
    deep.rates_bps[0] = 7
    assert deep != solution
    assert np.shares_memory(deep.rates_bps, deep.low_bps), "the only rates are smallest and largest, too"
    runs = fairwire.run(RING)
    copy.deepcopy(runs).summaries[0]["law"] = "another"
    assert runs.summaries[0]["law"] == "dvsr"


def test_a_live_simulation_says_what_to_do_instead() -> None:
    simulation = a_simulation()
    attempts: list[Callable[[], object]] = [
        lambda: copy.copy(simulation),
        lambda: copy.deepcopy(simulation),
        *(functools.partial(pickle.dumps, simulation, protocol) for protocol in range(6)),
    ]
    for attempt in attempts:
        with pytest.raises(TypeError, match=r"finish\(\).*scenario.*advance"):
            attempt()
    assert simulation.now_ns == 10_000_000, "it goes on as it was"
    begun_anew = fairwire.Simulation(simulation.scenario)
    begun_anew.advance(until="10 ms")
    assert begun_anew.view() == simulation.view()


def test_every_error_can_be_pickled() -> None:
    attempts: list[Callable[[], object]] = [
        lambda: fairwire.allocate({"schema": 1, "ring": {"stations": 4, "capacity": "622"}}),
        lambda: fairwire.allocate(RING, "fairest"),
        lambda: fairwire.run(RING, law="dvs"),
        lambda: fairwire.run(RING, seed="one"),  # type: ignore[arg-type]
        lambda: fairwire.Problem([1.0], [0, 2], [0, 5]).solve(),
        lambda: fairwire.Problem.from_routes([1.0], [[0]], minimums_bps=[2.0]).solve("general-weighted"),
        lambda: fairwire.replay("nowhere"),
        lambda: fairwire.allocate(RING).why("nobody"),
        lambda: fairwire.allocate(RING).flows["nothing"],
    ]
    for attempt in attempts:
        with pytest.raises(fairwire.FairwireError) as raised:
            attempt()
        for protocol in PROTOCOLS:
            again = pickle.loads(pickle.dumps(raised.value, protocol))
            assert type(again) is raised.type
            assert str(again) == str(raised.value)
            assert vars(again) == vars(raised.value)


def test_a_pickle_of_something_else_is_refused() -> None:
    damaged: list[tuple[list[int], list[float], list[bool] | None]]
    damaged = [([2], [1.0], None), ([1], [1.0, 2.0], None), ([1], [1.0], [])]
    for pieces, cells, there in damaged:
        column = (
            "rate_bps",
            "float64",
            True,
            np.array(cells),
            None if there is None else np.array(there, bool),
        )
        with pytest.raises(fairwire.SettingError, match="no table of this version"):
            fairwire._native.table_of(pieces, [column])
    with pytest.raises(ValueError, match="another version"):
        fairwire._native.table_of([1], [("x", "int8", False, np.array([1]), None)])


SPAWN = multiprocessing.get_context("spawn")


def test_runs_come_back_from_a_pool_of_processes() -> None:
    scenarios = [RING, NETWORK]
    with SPAWN.Pool(2) as pool:
        assert pool.map(fairwire.run, scenarios) == [fairwire.run(scenario) for scenario in scenarios]
        assert pool.map(fairwire.allocate, scenarios) == [fairwire.allocate(one) for one in scenarios]


def test_all_that_is_held_goes_to_another_process_and_comes_back() -> None:
    # Things are made here, for sweeps tell where they were done.
    held = [make() for make in HELD.values()]
    with ProcessPoolExecutor(1, mp_context=SPAWN) as executor:
        for thing, other in zip(held, executor.map(copy.copy, held), strict=True):
            assert other == thing


@pytest.mark.parametrize("law", [Idle, Idle.having(interval_ns=5), Idle.having().having(interval_ns=6)])
def test_laws_in_python_go_to_other_processes(law: type[RingLaw]) -> None:
    for protocol in PROTOCOLS:
        again = pickle.loads(pickle.dumps(law, protocol))
        assert (again.name, again.parameters) == (law.name, law.parameters)
    with ProcessPoolExecutor(1, mp_context=SPAWN) as executor:
        assert executor.submit(fairwire.run, RING, law=law).result() == fairwire.run(RING, law=law)


def test_a_law_may_be_abstract_first() -> None:
    from abc import ABC, abstractmethod

    class Family(RingLaw, ABC):
        @abstractmethod
        def pace(self) -> int: ...

    assert Family.name == "family"


def test_joblib_runs_in_processes_and_keeps_what_it_knows(tmp_path: Path) -> None:
    delayed = [joblib.delayed(fairwire.run)(RING, seed=seed) for seed in (1, 2)]
    with joblib.parallel_config("loky", n_jobs=2):
        assert joblib.Parallel()(delayed) == [fairwire.run(RING, seed=seed) for seed in (1, 2)]
    run = joblib.Memory(tmp_path, verbose=0).cache(fairwire.run)
    assert not run.check_call_in_cache(RING)
    first = run(RING)
    assert run.check_call_in_cache(RING)
    assert run(RING) == first
    assert run(RING).wall_s == first.wall_s, "it was not run again"
    assert not run.check_call_in_cache(RING, seed=2)
