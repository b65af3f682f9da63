"""The package as a whole."""

from __future__ import annotations

import doctest
import importlib
import importlib.resources
import inspect
import subprocess
import sys

import pytest

import fairwire
from fairwire import _native

HEAVY = ("numpy", "matplotlib", "polars", "pandas", "pyarrow", "hypothesis")


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = "import sys, fairwire; print([name for name in sys.argv[1:] if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"


@pytest.mark.parametrize("name", ["fairwire", "fairwire._allocation", "fairwire._what_if"])
def test_examples_in_docstrings_hold(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert (failed, tried > 0) == (0, True)


def test_everything_public_says_what_it_is() -> None:
    for name in fairwire.__all__:
        thing = getattr(fairwire, name)
        if inspect.isclass(thing) or inspect.isroutine(thing):
            assert thing.__doc__, name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (inspect.isroutine(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"


def test_every_error_is_of_the_one_family() -> None:
    errors = [getattr(fairwire, name) for name in fairwire.__all__ if name.endswith("Error")]
    assert len(errors) > 5
    assert all(issubclass(error, fairwire.FairwireError) for error in errors)


def test_the_native_module_is_as_its_stub_says() -> None:
    stub = importlib.resources.files("fairwire").joinpath("_native.pyi").read_text()
    for name in dir(_native):
        if not name.startswith("__"):
            assert f"def {name}(" in stub or f"class {name}" in stub or f"{name}: " in stub, name


def test_laws_and_columns_are_listed() -> None:
    assert "dvsr" in [law.name for law in fairwire.laws()]
    assert {law.kind for law in fairwire.laws()} == {"ring", "queue", "rate", "control"}
    assert {column.table for column in fairwire.columns()} >= {
        "flows",
        "links",
        "queues",
        "laws",
        "summary",
        "runs",
    }
