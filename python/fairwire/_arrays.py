"""What people have as arrays, as NumPy arrays that share its memory where they can."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias

from fairwire.errors import ProblemError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Reals: TypeAlias = NDArray[np.float64]
    Whole: TypeAlias = NDArray[np.uint32]

ArrayLike: TypeAlias = Any
"""A NumPy array, a list, or a column of polars, pandas, pyarrow or any library with `to_numpy`."""


def reals(name: str, values: ArrayLike) -> Reals:
    """Give real numbers; the array itself if it is float64 in one piece."""
    import numpy as np

    array = _numpy(name, values)
    if array.dtype.kind not in "fiu":
        raise ProblemError(f"{name}: an array of numbers, not of {array.dtype}", "array")
    return np.ascontiguousarray(array, dtype=np.float64)


def whole(name: str, values: ArrayLike) -> Whole:
    """Give indices as uint32; the memory of the array itself if it is uint32 or int32 in one piece."""
    import numpy as np

    array = _numpy(name, values)
    if array.size == 0:
        return np.zeros(0, dtype=np.uint32)
    if array.dtype.kind not in "iu":
        raise ProblemError(f"{name}: an array of whole numbers, not of {array.dtype}", "array")
    if array.dtype == np.uint32:
        return np.ascontiguousarray(array)
    if array.dtype.kind == "i" and array.min() < 0:
        at = int(array.argmin())
        raise ProblemError(f"{name}[{at}] is {array[at]}; an index is 0 or more", "negative-index")
    if array.dtype == np.int32:
        return np.ascontiguousarray(array).view(np.uint32)
    if array.max() >= 2**32:
        at = int(array.argmax())
        raise ProblemError(f"{name}[{at}] is {array[at]}; an index is below 2^32", "large-index")
    return np.ascontiguousarray(array, dtype=np.uint32)


def _numpy(name: str, values: ArrayLike) -> NDArray[Any]:
    import numpy as np

    try:
        array = values if isinstance(values, np.ndarray) else np.asarray(_without_copy(values))
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{name}: cannot be read as an array: {error}", "array") from error
    if array.ndim == 0:
        raise ProblemError(f"{name}: an array or a list, not {type(values).__name__}", "array")
    if array.ndim != 1:
        raise ProblemError(f"{name}: an array of one dimension, not of {array.ndim}", "array")
    # NumPy loads masked arrays only when somebody asks for them.
    if "numpy.ma" in sys.modules and np.ma.is_masked(array):
        at = int(np.flatnonzero(np.ma.getmaskarray(array))[0])
        raise ProblemError(f"{name}[{at}] is masked; fill it, as with `array.filled(…)`", "array")
    missing = np.flatnonzero(_missing(values, array))
    if missing.size:
        raise ProblemError(f"{name}[{missing[0]}] is missing; every entry is a number", "array")
    return array


def _missing(values: ArrayLike, array: NDArray[Any]) -> Any:
    """Tell which entries are missing; `array` is made of `values`, and holds NaN or None there."""
    import numpy as np

    # pandas, to which NaN is missing, too; polars and pyarrow.
    for ask in ("isna", "is_null"):
        if hasattr(values, "to_numpy") and hasattr(values, ask):
            return np.asarray(getattr(values, ask)(), dtype=bool)
    return [entry is None for entry in array] if array.dtype == object else []


def _without_copy(values: ArrayLike) -> Any:
    # pyarrow, polars and pandas hand out their memory; pyarrow refuses where it would have to copy.
    to_numpy = getattr(values, "to_numpy", None)
    if to_numpy is None:
        return values
    try:
        return to_numpy()
    except Exception:  # each library has its own error for "not without a copy"
        return to_numpy(zero_copy_only=False) if hasattr(values, "validate") else values.to_numpy(copy=True)
