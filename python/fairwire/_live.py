"""How far a sweep is, for people: a table that follows it in a notebook, a line in a terminal."""

from __future__ import annotations

import re
import sys
from html import escape
from time import monotonic
from typing import TYPE_CHECKING, Any

from fairwire._html import MOST_ROWS, estimate, table, time
from fairwire._text import counted

if TYPE_CHECKING:
    from fairwire import _native

_EVERY_S = 0.5
"""From one look to the next."""


class Live:
    """What `progress=True` calls: shows runs done and time left, and in a notebook all points so far."""

    def __init__(self, native: _native.Sweep) -> None:
        self._native = native
        self._began = self._shown = monotonic()
        self._handle: Any = None
        self._in_notebook = _in_notebook()
        self._in_terminal = not self._in_notebook and sys.stderr.isatty()

    def __call__(self, done: int, of: int) -> None:
        """Show it, if it was not shown a moment ago."""
        if monotonic() - self._shown >= _EVERY_S:
            self._show(done, of)

    def close(self, done: int) -> None:
        """Show the end of it."""
        if self._handle is not None:
            self._show(done, done)
        elif self._in_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _show(self, done: int, of: int) -> None:
        self._shown = monotonic()
        words = in_words(done, of, self._shown - self._began)
        if self._in_terminal:
            print(f"\r{words}\x1b[K", end="", file=sys.stderr, flush=True)
        elif self._in_notebook:
            from IPython.display import HTML, display

            page = HTML(points_html(self._native, words))  # type: ignore[no-untyped-call]
            if self._handle is None:
                self._handle = display(page, display_id=True)  # type: ignore[no-untyped-call]
            else:
                self._handle.update(page)


def in_words(done: int, of: int, elapsed_s: float) -> str:
    """Say how many runs are done, and about how long the others take if it goes on as it went."""
    words = f"{done} of {counted(of, 'run')}"
    if 0 < done < of:
        words += f", about {time(elapsed_s * (of - done) / done * 1e9)} left"
    return words


def points_html(native: _native.Sweep, words: str) -> str:
    """Give the points as far as they are, as a table."""
    measure, unit, points = native.so_far(MOST_ROWS)
    headings = [*native.axes, re.sub(r"_(ns|bps)$", "", measure), "runs"]
    rows = [
        [*values, estimate(unit, mean, half_width, ends), runs]
        for values, runs, mean, half_width, ends in points
    ]
    return f"<p>{escape(words)}</p>" + table(native.title, headings, rows)


def _in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None
