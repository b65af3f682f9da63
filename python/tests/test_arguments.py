"""What no argument is: each is refused with one error that tells its name, its value and what to give."""

from __future__ import annotations

import copy
import pickle
from collections import deque
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
import pytest

import fairwire

RING: dict[str, Any] = {
    "schema": 1,
    "run": {"duration": "20 ms"},
    "ring": {"stations": 4, "capacity": "1 Gb/s", "span-delay": "0.1 ms", "law": {"name": "dvsr"}},
    "flow": [
        {"name": "far", "from": 0, "to": 2},
        {"name": "near", "from": 1, "to": 2, "demand": "300 Mb/s"},
    ],
}
HALF = "\ud800"
"""Half of a surrogate pair, which no text of the outside world holds."""


def test_dictionaries_are_taken_as_people_hold_them() -> None:
    whole = fairwire.allocate(RING).rates_bps
    for other in (
        MappingProxyType(RING),
        RING | {"ring": MappingProxyType(RING["ring"])},
        RING | {"flow": tuple(RING["flow"])},
        RING | {"flow": deque(RING["flow"])},
        RING | {"flow": (flow for flow in RING["flow"])},
        RING | {"flow": np.array(RING["flow"], dtype=object)},
        RING | {"title": None, "ring": RING["ring"] | {"stations": np.int32(4)}},
    ):
        assert fairwire.allocate(other).rates_bps == whole
    swept = {"ring.span-delay": pl.Series(["1 us", "2 us"])}
    assert len(fairwire.sweep(RING, swept, replications=1).runs) == 2


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a", "b"}, "`title` is of type set;"),
        (frozenset("a"), "`title` is of type frozenset;"),
        (b"a", "`title` is of type bytes;"),
        (bytearray(b"a"), "`title` is of type bytearray;"),
        (iter(int, 1), "longer than any list"),
        (HALF, "`title` holds half a surrogate pair"),
        (1j, "`title` is of type complex;"),
        (object(), "`title` is of type object;"),
        (2**64, "beyond 64 bits"),
    ],
)
def test_what_a_scenario_cannot_hold_is_told_with_its_place(value: Any, message: str) -> None:
    with pytest.raises(fairwire.SettingError, match=message):
        fairwire.allocate(RING | {"title": value})


def test_a_dictionary_may_change_while_it_is_read() -> None:
    class Sly:
        def tolist(self) -> int:
            changing["ring"].clear()
            return 4

    changing: dict[str, Any] = RING | {"ring": {"stations": Sly(), **RING["ring"]}}
    changing["ring"]["stations"] = Sly()
    assert len(fairwire.allocate(changing).rates_bps) == 2


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"seed": 1.5}, "seed: a whole number, not 1.5"),
    ({"seed": True}, "seed: a whole number, not True"),
    ({"seed": "12"}, "seed: a whole number, not '12'"),
    ({"seed": b"12"}, "seed: a whole number, not b'12'"),
    ({"seed": [1, None]}, "seed: a whole number, not None"),
    ({"seed": -1}, r"seed: a whole number from 0 to 2\^63 - 1, not -1"),
    ({"seed": np.uint64(2**63)}, "not 9223372036854775808"),
    ({"replications": 2.0}, "replications: a whole number, not 2.0"),
    ({"replications": np.array([1])}, "replications: a whole number, not array"),
    ({"replications": 10**7}, "a scenario is run at most 1000000 times, not 10000000 times"),
    ({"threads": -1}, "threads: a whole number from 0"),
    ({"duration": 5}, "duration: 5 has no unit; write '5 s', in quotes"),
    ({"duration": b"5 s"}, "duration: text with a unit, such as '5 s', not b'5 s'"),
    ({"duration": np.timedelta64(5, "ms")}, "duration: text with a unit, such as '5 s'"),
    ({"duration": HALF}, "duration: .* half a surrogate pair"),
    ({"criterion": 5}, "criterion: text, not 5"),
    ({"criterion": HALF}, "criterion: .* half a surrogate pair"),
    ({"law": 5}, "law: the name of a law or a subclass of fairwire.RingLaw, not 5"),
    ({"law": b"dvsr"}, "law: the name of a law or a subclass of fairwire.RingLaw, not b'dvsr'"),
    ({"law": HALF}, "law: .* half a surrogate pair"),
    ({"law": [{"name": "dvsr"}]}, "law: a law with parameters stands alone"),
    ({"law": fairwire.RingLaw()}, "law: the name of a law or a subclass"),
    ({"detail": 0}, "detail: True or False, not 0"),
    ({"check": "no"}, "check: True or False, not 'no'"),
    ({"progress": 5}, "progress: a function, not 5"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_settings_of_a_run_are_told_by_name(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(fairwire.SettingError, match=message):
        fairwire.run(RING, **arguments)


def test_one_number_of_numpy_is_one_seed() -> None:
    assert len(fairwire.run(RING, seed=np.int64(3))) == 1
    assert len(fairwire.run(RING, seed=np.array(3))) == 1
    assert len(fairwire.run(RING, seed=np.array([3, 4]))) == 2
    assert len(fairwire.run(RING, detail=np.True_)) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"over": 5}, "over: a dictionary such as"),
        ({"over": ["x"]}, "over: a dictionary such as"),
        ({"until": 5}, "until: a dictionary such as"),
        ({"design": "sobol"}, "design: a dictionary such as"),
        ({"points": [1]}, "points: a dictionary such as"),
        ({"points": {5: [1]}}, "points: text, not 5"),
        ({"points": {"flow.far.weight": 5}}, r"points\['flow.far.weight'\]: a list of values"),
        ({"points": {"ring.span-delay": "1 us"}}, r"points\['ring.span-delay'\]: a list of values"),
        ({"points": {"ring.span-delay": [HALF]}}, "half a surrogate pair"),
        ({"measures": "jain"}, "measures: a list of names, not 'jain'"),
        ({"replications": 2.0}, "replications: a whole number, not 2.0"),
        ({"series": 5}, "series: True or False, not 5"),
        ({"folder": 5}, "folder: a path as text or pathlib.Path, not 5"),
        ({"folder": b"x"}, "folder: a path as text or pathlib.Path, not b'x'"),
        ({"folder": ""}, "folder: '' is no path"),
        ({"folder": "a\0b"}, "folder: .* is no path"),
        ({"folder": HALF}, "folder: .* half a surrogate pair"),
        ({"executor": 5}, "executor: what has `submit`, or a function that makes one, not 5"),
        ({"executor": lambda: None}, "executor: the function made None, which has no `submit`"),
        ({"threads": -1}, "threads: a whole number from 0"),
        ({"progress": 5}, "progress: a function, not 5"),
        ({"batch_s": float("nan")}, "batch_s: a number of seconds from 0 on, not nan"),
        ({"batch_s": -1}, "batch_s: a number of seconds from 0 on, not -1"),
        ({"batch_s": "1 s"}, "batch_s: a number of seconds from 0 on, not '1 s'"),
    ],
)
def test_settings_of_a_sweep_are_told_by_name(arguments: dict[str, Any], message: str) -> None:
    whole: dict[str, Any] = {"over": {"ring.span-delay": ["1 us"]}, "replications": 1} | arguments
    with pytest.raises(fairwire.SettingError, match=message):
        fairwire.sweep(RING, **whole)


def test_paths_are_told_by_name() -> None:
    runs = fairwire.run(RING)
    asks: list[Any] = [runs.save, fairwire.replay]
    wrongs: list[Any] = [5, None, b"x", "", "a\0b", HALF]
    for ask in asks:
        for wrong in wrongs:
            with pytest.raises(fairwire.SettingError, match="folder: "):
                ask(wrong)


def test_a_text_that_is_no_scenario_says_what_one_is() -> None:
    with pytest.raises(fairwire.ScenarioError, match="this text is empty"):
        fairwire.allocate("")
    with pytest.raises(fairwire.ScenarioError, match="text in TOML has more than one line"):
        fairwire.allocate("schema = 1")
    with pytest.raises(fairwire.SettingError, match="half a surrogate pair"):
        fairwire.allocate(f"title = '{HALF}'\n")
    with pytest.raises(fairwire.ScenarioError, match="surrogates not allowed") as caught:
        fairwire.allocate(HALF)
    str(caught.value).encode()


def test_a_simulation_tells_arguments_by_name() -> None:
    simulation = fairwire.Simulation(RING)
    asks: list[tuple[Any, str]] = [
        (lambda: simulation.advance(5), "by: 5 has no unit; write '5 ms', in quotes"),  # type: ignore[arg-type]
        (lambda: simulation.inject(5, number=1, size_bytes=9), "flow: text, not 5"),  # type: ignore[arg-type]
        (lambda: simulation.inject("far", number=True, size_bytes=9), "number: a whole number, not True"),
        (lambda: simulation.inject("far", number=1, size_bytes=0), "has no bytes"),
        (lambda: simulation.change("capacity", at="1 ms"), "at: give the time as `at_ns`"),
        (lambda: simulation.add_flow("x", from_=0, **{"from": 1}), "give `from` or `from_`, not both"),
        (lambda: simulation.add_flow("x", from_=0, to=2, at_ns=10**12), "the run ends at 20000000 ns"),
        (lambda: simulation.end_flow(["far"]), r"name: text, not \['far'\]"),  # type: ignore[arg-type]
        (lambda: fairwire.Simulation(RING, seed=True), "seed: a whole number, not True"),
        (lambda: fairwire.Simulation(RING, detail=1), "detail: True or False, not 1"),  # type: ignore[arg-type]
    ]
    for ask, message in asks:
        with pytest.raises(fairwire.SettingError, match=message):
            ask()


def test_a_simulation_that_has_ended_can_still_be_shown_and_none_is_copied() -> None:
    simulation = fairwire.Simulation(RING | {"title": "short"})
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="begin another one") as caught:
            duplicate(simulation)
        assert isinstance(caught.value, fairwire.FairwireError)
    simulation.advance()
    simulation.finish()
    said = "this simulation was ended by finish(); begin another one"
    assert repr(simulation) == f"<fairwire.Simulation of 'short': {said}>"


def test_questions_about_answers_are_told_by_name() -> None:
    fair = fairwire.allocate(RING)
    for wrong in (0, "zz"):
        with pytest.raises(KeyError, match=f"^there is no flow {wrong!r}") as caught:
            fair.why(wrong)  # type: ignore[arg-type]
        assert isinstance(caught.value, fairwire.NoSuchNameError)
        assert isinstance(caught.value, fairwire.FairwireError)
    with pytest.raises(fairwire.SettingError, match="there is no drawing 5; use one of rates"):
        fairwire.run(RING).plot(5)  # type: ignore[arg-type]
    with pytest.raises(fairwire.SettingError, match="change: text, not 5"):
        fairwire.what_if(RING, 5)  # type: ignore[arg-type]
    asks: list[Any] = [fairwire.allocate, fairwire.sensitivities]
    for ask in asks:
        with pytest.raises(fairwire.SettingError, match="criterion: text, not 5"):
            ask(RING, 5)


def test_another_type_is_a_type_error_and_one_of_the_family() -> None:
    with pytest.raises(TypeError, match="criterion: text, not 5") as caught:
        fairwire.allocate(RING, 5)  # type: ignore[arg-type]
    assert isinstance(caught.value, fairwire.SettingError)
    with pytest.raises(fairwire.SettingError) as other:
        fairwire.run(RING, seed=-1)
    assert not isinstance(other.value, TypeError)
