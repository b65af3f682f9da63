"""Tables that any library reads through Arrow's PyCapsule interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairwire import _native
from fairwire._arguments import natural
from fairwire._html import MOST_ROWS, table
from fairwire._libraries import needed_for
from fairwire._text import counted, no_such
from fairwire.errors import NoSuchNameError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas
    import polars
    import pyarrow
    from numpy.typing import NDArray


class Table:
    """A table in Arrow's memory layout, shared with whoever reads it.

    `polars.DataFrame(table)`, `pyarrow.table(table)` and
    `pandas.DataFrame.from_arrow(table)` take it as it stands; the methods below
    are the same with fewer letters. `table["rate_bps"]` is a column as an array of NumPy.

    Nobody can write into it. Two tables are equal where their columns and all cells are.
    """

    __slots__ = ("_native",)
    # Not by rows, as a list, nor by columns, as a data frame: who goes through it might mean either.
    __iter__ = None

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._native,)

    def __eq__(self, other: object) -> bool:
        return self._native.same(other._native) if isinstance(other, Table) else NotImplemented

    def __hash__(self) -> int:
        return hash((len(self), *self.column_names))

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order."""
        return self._native.column_names

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        return len(self), len(self.column_names)

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """Give a column as an array of NumPy of its own, with an entry a row.

        Whole numbers are int64 or uint64, others float64, text is `str` objects. A cell that is
        missing is None in text and NaN in numbers, whole ones of which are float64 then.

        Raises:
            NoSuchNameError: if there is no such column.

        """
        return self.to_dict(column)[column]

    def _ipython_key_completions_(self) -> list[str]:
        return self.column_names

    def __repr__(self) -> str:
        return f"<fairwire.Table: {counted(len(self), 'row')} of {', '.join(self.column_names)}>"

    def head(self, rows: int = 5) -> Table:
        """Give the first rows."""
        return Table(self._native.head(natural("rows", rows)))

    def __arrow_c_schema__(self) -> object:
        """Give the schema as an Arrow PyCapsule."""
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Give the rows as an Arrow PyCapsule; buffers are shared, not copied."""
        return self._native.__arrow_c_stream__(requested_schema)

    def to_polars(self) -> polars.DataFrame:
        """Give the table as a polars data frame.

        Raises:
            MissingLibraryError: if polars is not installed.

        """
        with needed_for("to_polars()"):
            import polars
        return polars.DataFrame(self)

    def to_pyarrow(self) -> pyarrow.Table:
        """Give the table as a pyarrow table.

        Raises:
            MissingLibraryError: if pyarrow is not installed.

        """
        with needed_for("to_pyarrow()"):
            import pyarrow
        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Give the table as a pandas data frame, with rows numbered from 0; needs pandas and pyarrow.

        Raises:
            MissingLibraryError: if one of them is not installed.

        """
        with needed_for("to_pandas()"):
            import pandas
            import pyarrow
        if not hasattr(pandas.DataFrame, "from_arrow"):  # before pandas 3
            converted: pandas.DataFrame = pyarrow.table(self).to_pandas()
            return converted
        frame: pandas.DataFrame = pandas.DataFrame.from_arrow(self)
        return frame

    def _repr_html_(self) -> str:
        shown = self.head(MOST_ROWS)
        rows = [tuple(row.values()) for row in shown.to_dicts()]
        return table(counted(len(self), "row"), self.column_names, rows, more=len(self) - len(rows))

    def to_dict(self, *columns: str) -> dict[str, NDArray[Any]]:
        """Give columns by name as arrays of NumPy, each as `table[name]` does: all unless some are named.

        `pandas.DataFrame(table.to_dict())` and `xarray.Dataset({name: ("row", cells) for …})` take them.

        Raises:
            NoSuchNameError: if there is no such column.

        """
        import numpy as np

        for name in columns:
            if name not in self.column_names:
                raise NoSuchNameError(no_such("column", name, self.column_names))
        found: dict[str, NDArray[Any]] = {}
        for name, kind, _, cells, there in self._native.columns(list(columns) or None):
            if kind == "text":
                found[name] = np.array(cells, dtype=object)
            else:
                numbers = np.asarray(cells)
                found[name] = numbers if there is None else np.where(there, numbers, np.nan)
        return found

    def to_dicts(self) -> list[dict[str, Any]]:
        """Give the rows as dictionaries; a cell that is missing is None."""
        columns = []
        for _, _, _, cells, there in self._native.columns():
            plain = cells if isinstance(cells, list) else cells.tolist()
            if there is not None:
                plain = [cell if known else None for cell, known in zip(plain, there, strict=True)]
            columns.append(plain)
        names = self.column_names
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def table_of(columns: Mapping[str, tuple[str, Sequence[Any]]]) -> Table:
    """Give a table of columns, each `text`, `int64` or `float64` with a cell a row; None is missing."""
    import numpy as np

    made: list[_native._Column] = []
    for name, (kind, cells) in columns.items():
        if kind == "text":
            made.append((name, kind, None in cells, list(cells), None))
        else:
            there = np.array([cell is not None for cell in cells], dtype=bool)
            numbers = np.array([0 if cell is None else cell for cell in cells], dtype=kind)
            made.append((name, kind, not there.all(), numbers, None if there.all() else there))
    rows = len(next(iter(columns.values()))[1])
    return Table(_native.table_of([rows], made))
