"""Arguments: each is what it has to be, or is told with its name, its value and what to give."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fairwire.errors import ArgumentTypeError, SettingError


def natural(name: str, number: Any) -> int:
    """Give a whole number from 0 to 2^63 - 1; truth is no number."""
    try:
        if isinstance(number, bool):
            raise TypeError
        whole: int = number.__index__()
    except (AttributeError, TypeError):
        raise ArgumentTypeError(f"{name}: a whole number, not {number!r}") from None
    if not 0 <= whole < 2**63:
        raise SettingError(f"{name}: a whole number from 0 to 2^63 - 1, not {whole}")
    return whole


def naturals(name: str, numbers: Any) -> list[int]:
    """Give one whole number or several."""
    if not isinstance(numbers, Iterable) or isinstance(numbers, str | bytes) or _is_a_scalar(numbers):
        return [natural(name, numbers)]
    return [natural(name, number) for number in numbers]


def text(name: str, value: Any) -> str:
    """Give text that can be written down."""
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{name}: text, not {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise SettingError(f"{name}: {value!r} holds half a surrogate pair; give whole characters") from error
    return value


def criterion_called(name: Any) -> str | None:
    """Give the name of a criterion; nothing stays nothing."""
    return None if name is None else text("criterion", name)


def with_unit(name: str, value: Any, unit: str) -> str:
    """Give a quantity with its unit; `unit` is an example of one."""
    if isinstance(value, str):
        return text(name, value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise ArgumentTypeError(f"{name}: {value!r} has no unit; write {f'{value} {unit}'!r}, in quotes")
    raise ArgumentTypeError(f"{name}: text with a unit, such as '5 {unit}', not {value!r}")


def truth(name: str, value: Any) -> bool:
    """Give True or False, NumPy's too."""
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise ArgumentTypeError(f"{name}: True or False, not {value!r}")


def function(name: str, value: Any) -> Any:
    """Give what can be called; nothing stays nothing."""
    if value is not None and not callable(value):
        raise ArgumentTypeError(f"{name}: a function, not {value!r}")
    return value


def seconds(name: str, value: Any) -> float:
    """Give a number of seconds from 0 on."""
    try:
        number = float("nan") if isinstance(value, str | bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not 0 <= number < float("inf"):
        raise SettingError(f"{name}: a number of seconds from 0 on, not {value!r}")
    return number


def path(name: str, value: Any) -> str:
    """Give a path as text."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise ArgumentTypeError(f"{name}: a path as text or pathlib.Path, not {value!r}")
    told: str = os.fspath(value)
    if not told or "\0" in told:
        raise SettingError(f"{name}: {told!r} is no path")
    try:
        os.fsencode(told)
    except UnicodeEncodeError as error:
        raise SettingError(f"{name}: {told!r} holds half a surrogate pair; give whole characters") from error
    return told


def mapping(name: str, value: Any, example: str) -> Mapping[str, Any]:
    """Give a dictionary; `example` is one."""
    if not isinstance(value, Mapping):
        raise ArgumentTypeError(f"{name}: a dictionary such as {example}, not {value!r}")
    return value


def several(name: str, values: Any, what: str) -> Sequence[Any]:
    """Give several of what is told by `what` as a list; text is one thing, not several letters."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable) or _is_a_scalar(values):
        raise ArgumentTypeError(f"{name}: a list of {what}, not {values!r}")
    return list(values)


def _is_a_scalar(value: Any) -> bool:
    """Whether it is an array of NumPy without a dimension, which says that it can be gone through."""
    return getattr(value, "ndim", None) == 0
