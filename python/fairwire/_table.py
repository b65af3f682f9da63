"""Tables that any library reads through Arrow's PyCapsule interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairwire._html import MOST_ROWS, table
from fairwire._text import counted

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from fairwire import _native


class Table:
    """A table in Arrow's memory layout, shared with whoever reads it.

    `polars.DataFrame(table)`, `pyarrow.table(table)` and
    `pandas.DataFrame.from_arrow(table)` take it as it stands; the methods below
    are the same with fewer letters.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in order."""
        return self._native.column_names

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<fairwire.Table: {counted(len(self), 'row')} of {', '.join(self.column_names)}>"

    def __arrow_c_schema__(self) -> object:
        """Give the schema as an Arrow PyCapsule."""
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Give the rows as an Arrow PyCapsule; buffers are shared, not copied."""
        return self._native.__arrow_c_stream__(requested_schema)

    def to_polars(self) -> polars.DataFrame:
        """Give the table as a polars data frame."""
        import polars

        return polars.DataFrame(self)

    def to_pyarrow(self) -> pyarrow.Table:
        """Give the table as a pyarrow table."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Give the table as a pandas data frame."""
        import pandas

        frame: pandas.DataFrame = pandas.DataFrame.from_arrow(self)
        return frame

    def _repr_html_(self) -> str | None:
        try:
            rows = self.to_polars().head(MOST_ROWS).rows()
        except ImportError:
            try:
                rows = [tuple(row.values()) for row in self.to_pyarrow().slice(0, MOST_ROWS).to_pylist()]
            except ImportError:
                return None
        return table(counted(len(self), "row"), self.column_names, rows, more=len(self) - len(rows))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Give the rows as dictionaries; needs polars or pyarrow."""
        try:
            return self.to_polars().to_dicts()
        except ImportError:
            rows: list[dict[str, Any]] = self.to_pyarrow().to_pylist()
            return rows
