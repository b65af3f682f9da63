"""What every answer about fair rates says of itself."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any


class Answer:
    """An answer of the solvers, as JSON with the keys of `fairwire allocate --json`."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _answer(self) -> dict[str, Any]:
        return self.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """Give the answer with the keys of `fairwire allocate --json`."""
        answer: dict[str, Any] = json.loads(self._text)
        return answer

    def __eq__(self, other: object) -> bool:
        return self._text == other._text if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    @property
    def title(self) -> str:
        """The scenario's title."""
        title: str = self._answer["scenario"]
        return title

    @property
    def criterion(self) -> str:
        """The criterion's name."""
        criterion: str = self._answer["criterion"]
        return criterion

    @property
    def unique(self) -> str:
        """Whether these are the only fair rates: `yes`, `no` or `not-decided`."""
        unique: str = self._answer["unique"]
        return unique

    @property
    def is_fair(self) -> bool:
        """Whether a checker that shares no code with the solver agrees."""
        fair: bool = self._answer["check"]["fair"]
        return fair

    @property
    def why_unfair(self) -> str | None:
        """What the checker objects to; None where the rates are fair."""
        why: str | None = self._answer["check"]["why"]
        return why
