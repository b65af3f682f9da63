"""Libraries that are asked for only where they are needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fairwire.errors import MissingLibraryError

# What to install for each of them.
_INSTALL = {
    "hypothesis": "`pip install hypothesis`, or fairwire with its extra `testing`",
    "matplotlib": "`pip install matplotlib`, or fairwire with its extra `plot`",
    "pandas": "`pip install pandas pyarrow`",
    "polars": "`pip install polars`",
    "pyarrow": "`pip install pyarrow`",
}


@contextmanager
def needed_for(what: str) -> Iterator[None]:
    """Import libraries within; of one that is not installed it says what needs it, and what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in _INSTALL:
            raise
        raise MissingLibraryError(f"{what} needs {library}: {_INSTALL[library]}", name=library) from error
