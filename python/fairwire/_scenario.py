"""Scenarios from Python: a path, text, or a dictionary with the keys of a scenario file."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from fairwire import _native
from fairwire._arguments import text
from fairwire.errors import Finding, ScenarioError, ScenarioWarning

MOST_BYTES = 64 << 20
"""No file is read that is larger: a device that never ends is none."""

ScenarioLike: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]
"""A path, text in TOML (it has more than one line), or a dictionary."""


def read(scenario: ScenarioLike, *, stacklevel: int = 3) -> tuple[str, str]:
    """Give the name and the text of a scenario, and warn of what is probably not meant."""
    name, toml = name_and_text(scenario)
    for message, _, mend, line, _ in _native.check(name, toml):
        warnings.warn(f"{name}:{line}: {message} - {mend}", ScenarioWarning, stacklevel=stacklevel)
    return name, toml


def name_and_text(scenario: ScenarioLike) -> tuple[str, str]:
    """Give the name that messages use, and the text."""
    if isinstance(scenario, Mapping):
        return "<dict>", _native.to_toml(dict(scenario))
    if isinstance(scenario, str) and "\n" in scenario:
        return "<text>", text("scenario", scenario)
    if not isinstance(scenario, str | os.PathLike):
        kind = type(scenario).__name__
        message = f"a scenario is a path, text in TOML or a dictionary, not {kind}"
        raise ScenarioError(message, file=f"<{kind}>")
    path = Path(scenario)
    if isinstance(scenario, str) and not scenario:
        raise ScenarioError(
            "a scenario is a path, text in TOML or a dictionary, and this text is empty", file="<text>"
        )
    try:
        with path.open("rb") as file:
            read = file.read(MOST_BYTES + 1)
        toml = read[:MOST_BYTES].decode("utf-8")
    except (OSError, ValueError) as error:
        place = str(path).encode(errors="backslashreplace").decode()
        hint = "; text in TOML has more than one line" if "=" in place else ""
        raise ScenarioError(f"cannot read {place}: {error}{hint}", file=place) from error
    if len(read) > MOST_BYTES:
        raise ScenarioError(f"{path} has more than {MOST_BYTES >> 20} MiB", file=str(path))
    return str(path), toml


def check_scenario(scenario: ScenarioLike) -> list[Finding]:
    """Read a scenario and tell what is allowed but probably not meant.

    Raises:
        ScenarioError: with all mistakes, if there are any.

    """
    return [Finding(*finding) for finding in _native.check(*name_and_text(scenario))]


def resolve_scenario(scenario: ScenarioLike) -> dict[str, Any]:
    """Give the scenario with every default filled in and every flow spelt out.

    Raises:
        ScenarioError: with all mistakes, if there are any.

    """
    resolved: dict[str, Any] = json.loads(_native.resolve(*name_and_text(scenario)))
    return resolved
