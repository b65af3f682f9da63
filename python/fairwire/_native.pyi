"""The native module: what `crates/fairwire-py` exports."""

from collections.abc import Callable
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

VERSION: str

_Finding = tuple[str, str, str, int, int]
_Reals = NDArray[np.float64]
_Whole = NDArray[np.uint32]

def check(name: str, text: str) -> list[_Finding]: ...
def resolve(name: str, text: str) -> str: ...
def to_toml(scenario: dict[str, Any]) -> str: ...
def nearest(word: str, known: list[str]) -> str | None: ...
def criteria() -> list[str]: ...
def laws() -> list[tuple[str, str, str, str]]: ...
def columns() -> list[tuple[str, str, str, str]]: ...
def allocate(name: str, text: str, criterion: str | None = None) -> Allocated: ...
def what_if(name: str, text: str, change: str, criterion: str | None = None) -> str: ...
def sensitivities(
    name: str, text: str, criterion: str | None = None
) -> list[tuple[str, float, float, list[tuple[str, float]], list[tuple[str, float]]]]: ...
def run(
    name: str,
    text: str,
    laws: list[str] | None,
    seeds: list[int] | None,
    replications: int | None,
    duration: str | None,
    criterion: str | None,
    full: bool,
    check: bool,
    threads: int,
    progress: Callable[[float], object] | None,
) -> Runs: ...
def nanoseconds(name: str, text: str) -> int: ...

@final
class Table:
    @property
    def column_names(self) -> list[str]: ...
    @property
    def num_rows(self) -> int: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Allocated:
    @property
    def json(self) -> str: ...
    @property
    def flows(self) -> Table: ...
    @property
    def links(self) -> Table: ...

@final
class Solution:
    """Fair rates, one a flow in the order of the problem."""

    @property
    def criterion(self) -> str:
        """The name of the criterion."""

    @property
    def unique(self) -> str:
        """Whether these are the only fair rates: `yes`, `no` or `not-decided`."""

    @property
    def rates_bps(self) -> _Reals:
        """The rate of each flow, bit/s."""

    @property
    def low_bps(self) -> _Reals:
        """The smallest rate of each flow over all fair sets of rates, bit/s."""

    @property
    def high_bps(self) -> _Reals:
        """The largest rate of each flow over all fair sets of rates, bit/s."""

    @property
    def bottleneck(self) -> NDArray[np.int64]:
        """The link that holds each flow; -1 where it has all it asks for."""

    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Problem:
    def __init__(
        self,
        capacities_bps: _Reals,
        indptr: _Whole,
        indices: _Whole,
        weights: _Reals | None,
        demands_bps: _Reals | None,
        minimums_bps: _Reals | None,
        peaks_bps: _Reals | None,
        supported_bps: _Reals | None,
        ingress: _Whole | None,
        egress: _Whole | None,
        ingress_weights: _Reals | None,
        ingress_minimums_bps: _Reals | None,
        flow_names: list[str] | None,
        link_names: list[str] | None,
        node_names: list[str] | None,
    ) -> None: ...
    @property
    def flows(self) -> int: ...
    @property
    def links(self) -> int: ...
    def solve(self, criterion: str) -> Solution: ...
    def explain(self, criterion: str) -> Allocated: ...
    def sensitivities(
        self, criterion: str
    ) -> list[tuple[int, float, float, list[tuple[int, float]], list[tuple[int, float]]]]: ...
    def why_unfair(self, rates_bps: _Reals, criterion: str, tolerance: float) -> str | None: ...
    def loads(self, rates_bps: _Reals) -> _Reals: ...

@final
class Runs:
    @property
    def title(self) -> str: ...
    @property
    def criterion(self) -> str: ...
    @property
    def wall_s(self) -> float: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def promises_json(self) -> str: ...
    @property
    def summaries_json(self) -> str: ...
    def __len__(self) -> int: ...
    def table(self, name: str) -> Table: ...
    def save(self, folder: PathLike[str], csv: bool, replace: bool) -> None: ...

@final
class Simulation:
    def __init__(
        self,
        name: str,
        text: str,
        law: str | None,
        seed: int | None,
        replication: int,
        duration: str | None,
        criterion: str | None,
        full: bool,
        check: bool,
    ) -> None: ...
    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def now_ns(self) -> int: ...
    @property
    def end_ns(self) -> int: ...
    @property
    def window_ns(self) -> int: ...
    @property
    def outstanding(self) -> int: ...
    def advance(self, until_ns: int) -> None: ...
    def view_json(self) -> str: ...
    def inject(self, flow: str, number: int, size_bytes: int, at_ns: int) -> None: ...
    def deliveries(self) -> list[tuple[int, str, int, int, str, int]]: ...
    def change(self, name: str, text: str) -> None: ...
    def finish(self) -> Runs: ...
