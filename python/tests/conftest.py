"""What the tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import hypothesis
import matplotlib as mpl
import pytest

mpl.use("agg")

# Shells start what runs in the background deaf to Ctrl-C, which the tests press.
signal.signal(signal.SIGINT, signal.default_int_handler)

# FAIRWIRE_INSTANCES=10000 asks for as many random instances a test as a release should pass.
INSTANCES = int(os.environ.get("FAIRWIRE_INSTANCES", "100"))

hypothesis.settings.register_profile(
    "fairwire",
    max_examples=INSTANCES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("fairwire")


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def scenarios(root: Path) -> Path:
    """The scenarios of the checkout."""
    return root / "scenarios"
