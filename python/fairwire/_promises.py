"""What became of a scenario's promises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Promise:
    """One promise of `[expect]`, held against what came nearest to breaking it."""

    key: str
    """The promise, as the scenario writes it."""
    ok: bool
    """Whether it was kept."""
    expected: str
    """What was promised, in words."""
    expected_min: float | None
    """The least that keeps it, in `unit`; None without such a limit."""
    expected_max: float | None
    """The most that keeps it, in `unit`; None without such a limit."""
    measured: float | None
    """What came out, in `unit`; None for what never happened."""
    unit: str
    """`bps`, `ns` or `1`."""
    flow: str | None
    """The flow that was measured, where the promise is about flows."""
    law: str
    """The law that ran; empty where nothing ran."""
    seed: int
    """The experiment."""
    run: int
    """The replication."""


def promises(answers: Iterable[dict[str, Any]]) -> tuple[Promise, ...]:
    """Give the promises of an answer's `"expect"`."""
    return tuple(Promise(**answer) for answer in answers)
