"""The native module: what `crates/fairwire-py` exports."""

from collections.abc import Callable
from os import PathLike
from typing import Any, ClassVar, SupportsFloat, SupportsIndex, final

import numpy as np
from numpy.typing import NDArray

from fairwire._ring_law import RingLaw
from fairwire._table import Table as FlowTable

VERSION: str

_Finding = tuple[str, str, str, int, int]
_Reals = NDArray[np.float64]
_Whole = NDArray[np.uint32]
_Column = tuple[str, str, bool, NDArray[Any] | list[str | None], NDArray[np.bool_] | None]

def command(arguments: list[str]) -> int: ...
def check(name: str, text: str) -> list[_Finding]: ...
def resolve(name: str, text: str) -> str: ...
def to_toml(scenario: dict[str, Any]) -> str: ...
def nearest(word: str, known: list[str]) -> str | None: ...
def criteria() -> list[str]: ...
def end_laws() -> None: ...
def laws() -> list[tuple[str, str, str, str]]: ...
def laws_to_compare(name: str, text: str) -> list[str]: ...
def swept(name: str, text: str) -> list[str]: ...
def sweep_work(task: str) -> str: ...
def columns() -> list[tuple[str, str, str, str]]: ...
def allocate(name: str, text: str, criterion: str | None = None) -> Allocated: ...
def what_if(name: str, text: str, change: str, criterion: str | None = None) -> str: ...
def sensitivities(
    name: str, text: str, criterion: str | None = None
) -> list[tuple[str, float, float, list[tuple[str, float]], list[tuple[str, float]]]]: ...
def run(
    name: str,
    text: str,
    laws: list[str | type[RingLaw]] | None,
    seeds: list[int] | None,
    replications: int | None,
    duration: str | None,
    criterion: str | None,
    full: bool,
    check: bool,
    threads: int,
    progress: Callable[[float], object] | None,
) -> Runs: ...
def save_pages(
    folder: PathLike[str],
    files: list[tuple[str, bytes]],
    tables: list[tuple[str, Table]],
    csv: bool,
    replace: bool,
) -> None: ...
def table_of(pieces: list[int], columns: list[_Column]) -> Table: ...
def allocated_of(json: str, flows: Table, links: Table) -> Allocated: ...
def solution_of(
    criterion: str, unique: str, rates: list[_Reals], bottleneck: NDArray[np.int64]
) -> Solution: ...
def replay(folder: PathLike[str], laws: list[str | type[RingLaw]] | None) -> Runs: ...
def nanoseconds(name: str, text: str) -> int: ...

@final
class Table:
    @property
    def column_names(self) -> list[str]: ...
    @property
    def num_rows(self) -> int: ...
    @property
    def pieces(self) -> list[int]: ...
    def columns(self, names: list[str] | None = None) -> list[_Column]: ...
    def head(self, rows: int) -> Table: ...
    def same(self, other: Table) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
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
    def __reduce__(self) -> tuple[Any, ...]: ...

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

    @property
    def flows(self) -> FlowTable:
        """A row a flow: its rate, the smallest and the largest, and the link that holds it, if one does."""

    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __eq__(self, other: object) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __len__(self) -> int: ...
    def _repr_html_(self) -> str: ...
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
    def pages(self) -> tuple[list[tuple[str, bytes]], list[str]]: ...

@final
class Driver:
    """What a law at one station wants done."""

    def send_upstream(self, message: bytes) -> None: ...
    def send_downstream(self, message: bytes, ahead: bool) -> None: ...
    def limit(self, flow: SupportsIndex, rate_bps: SupportsFloat) -> None: ...
    def wake_at(self, at_ns: SupportsIndex | None) -> None: ...
    def show(self, name: str, index: SupportsIndex, value: SupportsFloat) -> None: ...

@final
class SiteFlow:
    """All traffic from a law's station to one egress."""

    @property
    def egress(self) -> int:
        """Where it leaves the ring."""

    @property
    def hops(self) -> int:
        """How many links it crosses; the first is the station's own outgoing link."""

    @property
    def weight(self) -> float:
        """Its weight among the flows of the same station."""

@final
class Site:
    """Where a law stands: everything it may know of the ring before the run."""

    @property
    def station(self) -> int:
        """The law's own station."""

    @property
    def home(self) -> int:
        """The same as people number it; another one where an open ring is folded into one ringlet."""

    @property
    def ringlet(self) -> int:
        """The ringlet whose traffic the law controls: 0 or 1."""

    @property
    def stations(self) -> int:
        """The number of stations on the ring."""

    @property
    def capacity_bps(self) -> int:
        """Capacity of the outgoing link, bit/s."""

    @property
    def unreserved_bps(self) -> int:
        """What of the outgoing link is not reserved for class A0, bit/s."""

    @property
    def capacities_bps(self) -> list[int]:
        """Capacity of each link, by the station that the link leaves, bit/s."""

    @property
    def delays_ns(self) -> list[int]:
        """Propagation time of each link, by the station that the link leaves, ns."""

    @property
    def ring_time_ns(self) -> int:
        """Propagation time once around the ring, ns."""

    @property
    def weight(self) -> float:
        """The station's own weight as an ingress."""

    @property
    def weights(self) -> list[float]:
        """Weight of each station as an ingress."""

    @property
    def minimum_bps(self) -> int:
        """What the station is promised on every link that its flows cross, bit/s."""

    @property
    def reserved_bps(self) -> int:
        """Rate reserved for class A0 on every link, bit/s."""

    @property
    def flows(self) -> list[SiteFlow]:
        """What the law can limit: one for each egress, nearest first."""

    @property
    def waits(self) -> bool:
        """Whether the station's packets, past their limiters, may wait for the link."""

    @property
    def secondary_buffer_bytes(self) -> int | None:
        """Room of the secondary transit queue in bytes, if there is one."""

    @property
    def max_packet_bytes(self) -> int:
        """The largest packet that any station sends, in bytes."""

    @property
    def first(self) -> bool:
        """Whether a message that circulates is put on the ring here."""

    def downstream(self, hops: int) -> int:
        """Tell the station `hops` links downstream, which is also the number of the link leaving it."""

@final
class AddQueue:
    """What waits at a station for one egress."""

    @property
    def packets(self) -> int | None:
        """Packets that wait now; None for a source that never runs out."""

    @property
    def waiting_bytes(self) -> int | None:
        """Bytes that wait now; None for a source that never runs out."""

    @property
    def offered_bytes(self) -> int:
        """Bytes that its sources have offered since the run began."""

    @property
    def waits_since_ns(self) -> int | None:
        """Packets have waited at all times since then, in ns; None if none wait, or if nobody knows."""

@final
class ClassBytes:
    """Bytes by what their service class is promised."""

    @property
    def eligible(self) -> int:
        """Subject to fairness: class C, and class B beyond its committed rate."""

    @property
    def reclaimable(self) -> int:
        """Promised, and others may use it while it is idle."""

@final
class ByteCounts:
    """Bytes by what their service class is promised, for each of several."""

    @property
    def eligible(self) -> list[int]:
        """Subject to fairness: class C, and class B beyond its committed rate."""

    @property
    def reclaimable(self) -> list[int]:
        """Promised, and others may use it while it is idle."""

@final
class StationView:
    """A station at the time of one call. Counters only grow."""

    @property
    def now_ns(self) -> int:
        """The time of the call, ns."""

    @property
    def waiting_bytes(self) -> int:
        """Bytes that wait for the outgoing link, the packet in transmission not counted."""

    @property
    def busy_since_ns(self) -> int | None:
        """The link has had something to send at all times since then, in ns; None if it has nothing now."""

    @property
    def primary_bytes(self) -> int:
        """Bytes in the primary transit queue (PTQ)."""

    @property
    def secondary_bytes(self) -> int:
        """Bytes in the secondary transit queue (STQ)."""

    @property
    def secondary_deepest_bytes(self) -> int:
        """The most that waited there since the law was last called."""

    @property
    def sending_ingress(self) -> int | None:
        """The ingress of the packet that the link is sending, if it sends one."""

    @property
    def sending_left_bytes(self) -> int:
        """Bytes of that packet that have not left yet; the counters hold all of it."""

    @property
    def adds(self) -> list[AddQueue]:
        """The station's add queues in the order of `site.flows`; empty in `start` and `on_change`."""

    @property
    def arrived_by_ingress(self) -> list[int]:
        """Fairness-eligible bytes that have reached the link's scheduler, dropped or not, by ingress."""

    @property
    def arrived_reclaimable(self) -> int:
        """Reclaimable bytes that have reached the link's scheduler."""

    @property
    def sent(self) -> ClassBytes:
        """Bytes that the link began to send."""

    @property
    def added(self) -> ClassBytes:
        """Of these, the station's own."""

    @property
    def forwarded(self) -> ClassBytes:
        """Of these, transit traffic."""

    @property
    def sent_by_ingress(self) -> ByteCounts:
        """Bytes that the link began to send, by ingress."""

    @property
    def forwarded_by_hops(self) -> ByteCounts:
        """Transit bytes that the link sent, by how many links they still cross, this one included."""

@final
class Simulation:
    def __init__(
        self,
        name: str,
        text: str,
        law: str | type[RingLaw] | None,
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
    def advance(self, by_ns: int | None, until_ns: int | None) -> None: ...
    def step_json(self, by_ns: int) -> str | None: ...
    def view_json(self) -> str: ...
    def inject(self, flow: str, number: int, size_bytes: int, at_ns: int | None) -> None: ...
    def deliveries(self) -> list[tuple[int, str, int, int, str, int]]: ...
    def change(self, name: str, text: str) -> None: ...
    def finish(self) -> Runs: ...

@final
class Sweep:
    def __new__(
        cls,
        name: str,
        text: str,
        points: list[tuple[str, list[str | bool | int | float]]] | None,
        folder: str,
        series: bool = False,
    ) -> Sweep: ...
    @property
    def title(self) -> str: ...
    def next_round(self) -> int: ...
    def fill(self, threads: int, progress: Callable[[int, int], object] | None, before: int) -> int: ...
    def tasks(self, seconds: float) -> list[tuple[str, int]]: ...
    def keep(self, answer: str) -> int: ...
    @property
    def axes(self) -> list[str]: ...
    def so_far(
        self, most: int
    ) -> tuple[
        str,
        str,
        list[tuple[list[str], int, float | None, float | None, tuple[float, float] | None]],
    ]: ...
    def finish(self) -> str: ...
    def close(self) -> None: ...
    def table(self, name: str) -> Table: ...
    def series(self) -> Table: ...
