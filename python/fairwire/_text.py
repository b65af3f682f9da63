"""Words of messages."""

from __future__ import annotations

from fairwire import _native


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Say how many there are: `1 link`, `2 links`, `2 entries`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def no_such(what: str, asked: object, known: list[str]) -> str:
    """Say that there is nothing of this name, and which was probably meant."""
    nearest = _native.nearest(str(asked).encode(errors="replace").decode(), known)
    return f"there is no {what} {asked!r}" + (f"; did you mean {nearest!r}?" if nearest else "")
