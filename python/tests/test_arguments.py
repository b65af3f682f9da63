"""What no argument is: each is refused with one error that tells its name, its value and what to give."""

from __future__ import annotations

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
        ({"a", "b"}, "`title` is a set"),
        (frozenset("a"), "`title` is a frozenset"),
        (b"a", "`title` is a bytes"),
        (bytearray(b"a"), "`title` is a bytearray"),
        (iter(int, 1), "longer than any list"),
        (HALF, "`title` holds half a surrogate pair"),
        (1j, "`title` is a complex"),
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
