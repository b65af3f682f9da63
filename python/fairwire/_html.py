"""Answers as tables of a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from fairwire._text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MOST_ROWS = 40
"""A notebook shows so many rows and says how many more there are."""


def table(title: str, headings: Sequence[str], rows: Iterable[Sequence[Any]], *, more: int = 0) -> str:
    """Give rows as an HTML table; numbers stand to the right, and text of others is only text.

    It says how many more rows there are: those beyond the first of `rows`, and `more` besides.
    """
    all_rows = list(rows)
    shown = all_rows[:MOST_ROWS]
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    body = "".join("<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in shown)
    more += len(all_rows) - len(shown)
    after = f"<p>{counted(more, 'more row')}</p>" if more else ""
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{after}"


def rate(bps: float | None) -> str:
    """Give a rate with its unit; `no end` for none."""
    if bps is None:
        return "no end"
    for unit, size in (("Gb/s", 1e9), ("Mb/s", 1e6), ("kb/s", 1e3)):
        if abs(bps) >= size:
            return f"{bps / size:.6g} {unit}"
    return f"{bps:.6g} b/s"


def time(ns: float) -> str:
    """Give a time with its unit."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if abs(ns) >= size:
            return f"{ns / size:.4g} {unit}"
    return f"{ns:.4g} ns"


def estimate(
    unit: str, mean: float | None, half_width: float | None, ends: tuple[float, float] | None = None
) -> str | None:
    """Give a mean with half of its interval; with both ends of one that lies unevenly, as of a share."""
    words: Callable[[float], str]
    words = {"ns": time, "bit/s": rate}.get(unit, lambda value: f"{value:.4g}")
    if mean is None:
        return None
    if half_width is None:
        return words(mean)
    if ends is not None and abs(ends[0] + ends[1] - 2 * mean) > 1e-3 * (ends[1] - ends[0]):
        return f"{words(mean)} ({ends[0]:.2g} to {ends[1]:.2g})"
    return f"{words(mean)} ± {words(half_width)}"


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.5g}</td>'
    return f"<td>{escape(str(value))}</td>"
