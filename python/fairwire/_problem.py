"""Links with capacities, and flows with routes over them, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from fairwire import _native
from fairwire._allocation import Allocation
from fairwire._arrays import ArrayLike, reals, whole
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


class Problem:
    """Links, and the flows that compete for them, given as arrays.

    Flow `f` crosses the links `indices[indptr[f]:indptr[f + 1]]`: the rows of a
    sparse matrix in compressed form (CSR), as SciPy keeps it.

    Arrays of the right kind (float64 for rates and weights, int32 or uint32 for
    indices, in one piece) are shared, not copied: write new capacities or demands
    into them, and the next call answers the new question. Anything else that is like
    an array is converted once, int64 indices for one.
    """

    __slots__ = ("_arrays", "_native")

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
            capacities_bps: capacity of each link, bit/s.
            indptr: where each flow's route begins in `indices`; one entry more than flows.
            indices: the links of all routes, one route after the other.
            weights: weight of each flow; 1 unless given.
            demands_bps: what each flow asks for, bit/s; infinite unless given.
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
        _check_length("flow_names", flow_names, flows, "flow")
        _check_length("link_names", link_names, links, "link")
        self._native = _native.Problem(
            **self._arrays,
            flow_names=None if flow_names is None else list(flow_names),
            link_names=None if link_names is None else list(link_names),
            node_names=None if node_names is None else list(node_names),
        )

    @classmethod
    def from_routes(cls, capacities_bps: ArrayLike, routes: Iterable[Iterable[int]], **arrays: Any) -> Self:
        """Make a problem of one list of links a flow; the other arguments are those of the class."""
        import numpy as np

        rows = [list(route) for route in routes]
        indptr = np.cumsum([0, *(len(row) for row in rows)])
        return cls(capacities_bps, indptr, [link for row in rows for link in row], **arrays)

    @classmethod
    def from_incidence(cls, capacities_bps: ArrayLike, incidence: Any, **arrays: Any) -> Self:
        """Make a problem of a sparse matrix, flows by links, in compressed rows (SciPy's CSR)."""
        return cls(capacities_bps, incidence.indptr, incidence.indices, **arrays)

    @classmethod
    def from_arrow(cls, capacities_bps: ArrayLike, routes: Any, **arrays: Any) -> Self:
        """Make a problem of an Arrow column of lists, one list of links a flow; needs pyarrow.

        Offsets and links are shared with the column.
        """
        import pyarrow

        column = (
            pyarrow.chunked_array(routes) if hasattr(routes, "__arrow_c_stream__") else pyarrow.array(routes)
        )
        if isinstance(column, pyarrow.ChunkedArray):
            column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
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
        return self._native.solve(criterion)

    def explain(self, criterion: str = "max-min") -> Allocation:
        """Compute the fair rates, and say in words what holds each flow.

        Raises:
            as :meth:`solve`.

        """
        return Allocation(self._native.explain(criterion))

    def sensitivities(self, criterion: str = "max-min") -> list[Sensitivity]:
        """Tell what a little more, or less, capacity on each full link is worth.

        Raises:
            as :meth:`solve`.

        """
        return [
            Sensitivity(link, total_up, total_down, dict(up), dict(down))
            for link, total_up, total_down, up, down in self._native.sensitivities(criterion)
        ]

    def why_unfair(
        self, rates_bps: ArrayLike, criterion: str = "max-min", *, tolerance: float = 1e-9
    ) -> str | None:
        """Say what is unfair about rates; None where they are fair.

        The checker shares no code with the solver. `tolerance` is relative to link
        capacity: 1e-9 lets a link of 1 Gb/s be off by 1 b/s.

        Raises:
            ProblemError: if the question makes no sense.
            CriterionError: if nobody knows the criterion.

        """
        return self._native.why_unfair(reals("rates_bps", rates_bps), criterion, tolerance)

    def loads_bps(self, rates_bps: ArrayLike) -> NDArray[np.float64]:
        """Sum what each link carries at the given rates, bit/s.

        Raises:
            ProblemError: if the arrays do not fit together.

        """
        return self._native.loads(reals("rates_bps", rates_bps))

    def __repr__(self) -> str:
        return f"<fairwire.Problem: {counted(self.flows, 'flow')} over {counted(self.links, 'link')}>"


def _check_length(name: str, values: Sized | None, wanted: int, noun: str) -> None:
    if values is not None and len(values) != wanted:
        given = counted(len(values), "entry", "entries")
        raise ProblemError(f"{name} has {given} for {counted(wanted, noun)}", "length")
