"""What there is: criteria, laws, columns."""

from __future__ import annotations

from typing import NamedTuple

from fairwire import _native


class Law(NamedTuple):
    """A control law."""

    kind: str
    """Where it acts: `ring`, `queue`, `rate` (a port tells sources) or `control` (a sender of TCP)."""
    name: str
    """Its name in scenarios and in :func:`fairwire.run`."""
    summary: str
    """What it does, in one sentence."""
    source: str
    """Paper and section."""


class Column(NamedTuple):
    """A column of a table of :class:`fairwire.Runs`."""

    table: str
    """The table it belongs to."""
    name: str
    """Its name; the unit is its last part where it has one."""
    unit: str
    """The unit, or nothing."""
    meaning: str
    """What it tells."""


def criteria() -> list[str]:
    """Name every definition of fair that can be asked for."""
    return _native.criteria()


def laws() -> list[Law]:
    """List every control law."""
    return [Law(*law) for law in _native.laws()]


def columns() -> list[Column]:
    """List every column of every table of :class:`fairwire.Runs`."""
    return [Column(*column) for column in _native.columns()]
