"""Links with capacities, and flows with routes over them, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypedDict, Unpack

from fairwire import _native
from fairwire._allocation import Allocation
from fairwire._arguments import text
from fairwire._arrays import ArrayLike, reals, whole
from fairwire._libraries import needed_for
from fairwire._text import counted
from fairwire.errors import ProblemError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Sensitivity(NamedTuple):
    """What capacity on one full link is worth."""

    link: int
    """The link."""
    total_up: float
    """What all flows together gain per bit/s added to its capacity."""
    total_down: float
    """What all flows together lose per bit/s taken from it."""
    up: dict[int, float]
    """What each flow whose rate changes gains per bit/s added."""
    down: dict[int, float]
    """What each flow whose rate changes loses per bit/s taken away."""


class _More(TypedDict, total=False):
    """What a problem may have beside capacities and routes."""

    weights: ArrayLike | None
    demands_bps: ArrayLike | None
    minimums_bps: ArrayLike | None
    peaks_bps: ArrayLike | None
    supported_bps: ArrayLike | None
    ingress: ArrayLike | None
    egress: ArrayLike | None
    ingress_weights: ArrayLike | None
    ingress_minimums_bps: ArrayLike | None
    flow_names: Sequence[str] | None
    link_names: Sequence[str] | None
    node_names: Sequence[str] | None


class Problem:
    """Links, and the flows that compete for them, given as arrays.

    Flow `f` crosses the links `indices[indptr[f]:indptr[f + 1]]`: the rows of a
    sparse matrix in compressed form (CSR), as SciPy keeps it.

    Arrays of the right kind (float64 for rates and weights, int32 or uint32 for
    indices, in one piece) are shared, not copied: write new capacities or demands
    into them, and the next call answers the new question. Anything else that is like
    an array is converted once, int64 indices for one.

    Two problems are equal where their arrays and names are; since arrays can be written into, a problem has
    no hash. `copy.copy` shares the arrays, `copy.deepcopy` and pickles have their own.
    """

    __slots__ = ("_arrays", "_names", "_native")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        capacities_bps: ArrayLike,
        indptr: ArrayLike,
        indices: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        demands_bps: ArrayLike | None = None,
        minimums_bps: ArrayLike | None = None,
        peaks_bps: ArrayLike | None = None,
        supported_bps: ArrayLike | None = None,
        ingress: ArrayLike | None = None,
        egress: ArrayLike | None = None,
        ingress_weights: ArrayLike | None = None,
        ingress_minimums_bps: ArrayLike | None = None,
        flow_names: Sequence[str] | None = None,
        link_names: Sequence[str] | None = None,
        node_names: Sequence[str] | None = None,
    ) -> None:
        """Share arrays that describe a problem.

        Args:
            capacities_bps: capacity of each link, bit/s; above 0 and below 2^53.
            indptr: where each flow's route begins in `indices`, from 0 on; one entry more than flows.
            indices: the links of all routes, from 0 on, one route after the other; a route has one link
                or more, and none of them twice.
            weights: weight of each flow, from 1e-6 to 1e6; 1 unless given.
            demands_bps: what each flow asks for, bit/s, 0 or more; infinite unless given.
            minimums_bps: what each flow is promised, bit/s; `general-weighted` heeds it.
            peaks_bps: what each flow may send at most, bit/s; every criterion heeds it.
            supported_bps: what the equipment along each flow's way lets through, bit/s; likewise.
            ingress: the node where each flow enters; criteria such as `rias` ask for it.
            egress: the node where each flow leaves.
            ingress_weights: weight of each node as an ingress; 1 unless given.
            ingress_minimums_bps: what each node is promised as an ingress on every link that
                its flows cross, bit/s; `rias` heeds it.
            flow_names: what explanations call the flows; their numbers unless given.
            link_names: what explanations call the links.
            node_names: what explanations call the nodes.

        Raises:
            ProblemError: if the arrays do not fit together. What they hold is looked
                at when something is asked.

        """
        rates = {
            "weights": weights,
            "demands_bps": demands_bps,
            "minimums_bps": minimums_bps,
            "peaks_bps": peaks_bps,
            "supported_bps": supported_bps,
            "ingress_weights": ingress_weights,
            "ingress_minimums_bps": ingress_minimums_bps,
        }
        ends = {"ingress": ingress, "egress": egress}
        self._arrays: dict[str, Any] = {
            "capacities_bps": reals("capacities_bps", capacities_bps),
            "indptr": whole("indptr", indptr),
            "indices": whole("indices", indices),
            **{name: None if given is None else reals(name, given) for name, given in rates.items()},
            **{name: None if given is None else whole(name, given) for name, given in ends.items()},
        }
        flows, links = max(self.indptr.size - 1, 0), self.capacities_bps.size
        for name in (
            "weights",
            "demands_bps",
            "minimums_bps",
            "peaks_bps",
            "supported_bps",
            "ingress",
            "egress",
        ):
            _check_length(name, self._arrays[name], flows, "flow")
        self._names: dict[str, Any] = {
            name: None if given is None else _names(name, given)
            for name, given in (
                ("flow_names", flow_names),
                ("link_names", link_names),
                ("node_names", node_names),
            )
        }
        _check_length("flow_names", self._names["flow_names"], flows, "flow")
        _check_length("link_names", self._names["link_names"], links, "link")
        self._native = _native.Problem(**self._arrays, **self._names)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy shares the arrays; a deep copy and a pickle have their own.
        return _again, (type(self), self._arrays, self._names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        import numpy as np

        alike = (
            array is theirs
            or (array is not None and theirs is not None and np.array_equal(array, theirs, equal_nan=True))
            for array, theirs in zip(self._arrays.values(), other._arrays.values(), strict=True)
        )
        return self._names == other._names and all(alike)

    @classmethod
    def from_routes(
        cls, capacities_bps: ArrayLike, routes: Iterable[Iterable[int]], **arrays: Unpack[_More]
    ) -> Self:
        """Make a problem of one list of links a flow; the other arguments are those of the class."""
        import numpy as np

        rows = _lists(routes)
        indptr = np.cumsum([0, *(len(row) for row in rows)])
        return cls(capacities_bps, indptr, [link for row in rows for link in row], **arrays)

    @classmethod
    def from_incidence(cls, capacities_bps: ArrayLike, incidence: Any, **arrays: Unpack[_More]) -> Self:
        """Make a problem of a sparse matrix, flows by links: 1 where a flow crosses a link, 0 elsewhere.

        One of compressed rows (SciPy's CSR) with int32 indices is shared; another one is converted.

        Raises:
            ProblemError: if it is none, has other entries, or not a column a link.

        """
        import numpy as np

        convert = getattr(incidence, "tocsr", None)
        if convert is None:
            kind = type(incidence).__name__
            raise ProblemError(
                f"incidence: a sparse matrix of SciPy, such as csr_array(…), not {kind}", "array"
            )
        rows = convert()
        links = np.size(capacities_bps)
        if rows.shape[1] != links:
            columns = counted(int(rows.shape[1]), "column")
            raise ProblemError(f"incidence has {columns} for {counted(links, 'link')}", "length")
        if rows.has_canonical_format is False:
            rows = rows.copy()
            rows.sum_duplicates()
        wrong = np.flatnonzero(np.asarray(rows.data) != 1)
        if wrong.size:
            at = int(wrong[0])
            flow = int(np.searchsorted(rows.indptr, at, side="right")) - 1
            entry = f"incidence[{flow}, {rows.indices[at]}] is {rows.data[at]}"
            mend = "1 says that a flow crosses a link; `eliminate_zeros()` takes stored zeros out"
            raise ProblemError(f"{entry}; {mend}", "array")
        return cls(capacities_bps, rows.indptr, rows.indices, **arrays)

    @classmethod
    def from_arrow(cls, capacities_bps: ArrayLike, routes: Any, **arrays: Unpack[_More]) -> Self:
        """Make a problem of an Arrow column of lists, one list of links a flow; needs pyarrow.

        Offsets and links are shared with the column.

        Raises:
            MissingLibraryError: if pyarrow is not installed.
            ProblemError: if it is no such column, or misses a list.

        """
        with needed_for("Problem.from_arrow()"):
            import pyarrow
        try:
            column = (
                pyarrow.chunked_array(routes)
                if hasattr(routes, "__arrow_c_stream__")
                else pyarrow.array(routes)
            )
        except (TypeError, ValueError) as error:
            raise ProblemError(f"routes: cannot be read as a column of lists: {error}", "array") from error
        if isinstance(column, pyarrow.ChunkedArray):
            column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        if column.null_count:
            at = column.is_null().index(True).as_py()
            raise ProblemError(f"routes[{at}] is null; every flow has a list of links", "array")
        kinds = pyarrow.types
        if not (kinds.is_list(column.type) or kinds.is_large_list(column.type)):
            if not (kinds.is_fixed_size_list(column.type) or kinds.is_list_view(column.type)):
                raise ProblemError(f"routes: a column of lists, not of {column.type}", "array")
            column = column.cast(pyarrow.large_list(column.type.value_type))
        offsets = column.offsets
        first, last = offsets[0].as_py(), offsets[-1].as_py()
        values = column.values[first:last]
        indptr = offsets.to_numpy()
        return cls(capacities_bps, indptr - first if first else indptr, values, **arrays)

    @property
    def flows(self) -> int:
        """The number of flows."""
        return self._native.flows

    @property
    def links(self) -> int:
        """The number of links."""
        return self._native.links

    @property
    def capacities_bps(self) -> NDArray[np.float64]:
        """Capacity of each link, bit/s; shared."""
        array: NDArray[np.float64] = self._arrays["capacities_bps"]
        return array

    @property
    def indptr(self) -> NDArray[np.uint32]:
        """Where each flow's route begins in `indices`; shared."""
        array: NDArray[np.uint32] = self._arrays["indptr"]
        return array

    @property
    def indices(self) -> NDArray[np.uint32]:
        """The links of all routes; shared."""
        array: NDArray[np.uint32] = self._arrays["indices"]
        return array

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """Weight of each flow; shared."""
        array: NDArray[np.float64] | None = self._arrays["weights"]
        return array

    @property
    def demands_bps(self) -> NDArray[np.float64] | None:
        """What each flow asks for, bit/s; shared."""
        array: NDArray[np.float64] | None = self._arrays["demands_bps"]
        return array

    @property
    def minimums_bps(self) -> NDArray[np.float64] | None:
        """What each flow is promised, bit/s; shared."""
        array: NDArray[np.float64] | None = self._arrays["minimums_bps"]
        return array

    def solve(self, criterion: str = "max-min") -> _native.Solution:
        """Compute the fair rates as arrays.

        Raises:
            ProblemError: if the question makes no sense.
            CriterionError: if nobody knows the criterion.
            SolveError: if no fair rates are found.

        """
        return self._native.solve(text("criterion", criterion))

    def explain(self, criterion: str = "max-min") -> Allocation:
        """Compute the fair rates, and say in words what holds each flow.

        Raises:
            as :meth:`solve`.

        """
        return Allocation(self._native.explain(text("criterion", criterion)))

    def sensitivities(self, criterion: str = "max-min") -> list[Sensitivity]:
        """Tell what a little more, or less, capacity on each full link is worth.

        Raises:
            as :meth:`solve`.

        """
        return [
            Sensitivity(link, total_up, total_down, dict(up), dict(down))
            for link, total_up, total_down, up, down in self._native.sensitivities(
                text("criterion", criterion)
            )
        ]

    def why_unfair(
        self, rates_bps: ArrayLike, criterion: str = "max-min", *, tolerance: float = 1e-9
    ) -> str | None:
        """Say what is unfair about rates; None where they are fair.

        The checker shares no code with the solver. `tolerance` is relative to link
        capacity: 1e-9 lets a link of 1 Gb/s be off by 1 b/s.

        Raises:
            ProblemError: if the question makes no sense, or there is not one rate a flow.
            CriterionError: if nobody knows the criterion.

        """
        if isinstance(tolerance, str | bool) or not hasattr(tolerance, "__float__"):
            raise ProblemError(f"tolerance: a small number, such as 1e-9, not {tolerance!r}", "tolerance")
        rates = reals("rates_bps", rates_bps)
        return self._native.why_unfair(rates, text("criterion", criterion), tolerance)

    def loads_bps(self, rates_bps: ArrayLike) -> NDArray[np.float64]:
        """Sum what each link carries at the given rates, bit/s.

        Raises:
            ProblemError: if the arrays do not fit together.

        """
        return self._native.loads(reals("rates_bps", rates_bps))

    def __repr__(self) -> str:
        return f"<fairwire.Problem: {counted(self.flows, 'flow')} over {counted(self.links, 'link')}>"


def _again(kind: type[Problem], arrays: dict[str, Any], names: dict[str, Any]) -> Problem:
    """Make a problem that was copied or pickled."""
    return kind(**arrays, **names)


def _lists(routes: Iterable[Iterable[int]]) -> list[list[int]]:
    """Give the links of each route."""
    if isinstance(routes, str | bytes) or not isinstance(routes, Iterable):
        raise ProblemError(f"routes: a list of links a flow, not {routes!r}", "array")
    rows = []
    for flow, route in enumerate(routes):
        try:
            rows.append(list(route))
        except TypeError:
            raise ProblemError(f"routes[{flow}]: a list of links, not {route!r}", "array") from None
    return rows


def _names(name: str, given: Sequence[str]) -> list[str]:
    """Give names, none of them twice: answers are found by them."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ProblemError(f"{name}: a list of names, not {given!r}", "names")
    names = list(given)
    for at, said in enumerate(names):
        if not isinstance(said, str):
            raise ProblemError(f"{name}[{at}]: a name is text, not {said!r}", "names")
    if len(set(names)) < len(names):
        last = {said: at for at, said in enumerate(names)}
        at, twice = next((last[said], said) for at, said in enumerate(names) if last[said] != at)
        raise ProblemError(f"{name}[{at}]: {twice!r} is there already; every name stands once", "names")
    return [text(name, said) for said in names]


def _check_length(name: str, values: Sized | None, wanted: int, noun: str) -> None:
    if values is not None and len(values) != wanted:
        given = counted(len(values), "entry", "entries")
        raise ProblemError(f"{name} has {given} for {counted(wanted, noun)}", "length")
