"""Builds the Python package: maturin builds the native module, cargo the command that lies beside it.

The command goes into the wheel as the program it is, so that ``pip install fairwire`` and ``uvx fairwire`` give both
halves of the same build. ``FAIRWIRE_COMMAND`` names a command that is built already, as releases do with a static one.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import maturin
from maturin import get_requires_for_build_sdist, get_requires_for_build_wheel

__all__ = ["build_sdist", "build_wheel", "get_requires_for_build_sdist", "get_requires_for_build_wheel"]

ROOT = Path(__file__).resolve().parent.parent
# Where `data` of pyproject.toml points.
SCRIPTS = ROOT / "target" / "wheel" / "fairwire.data" / "scripts"
NAME = "fairwire.exe" if sys.platform == "win32" else "fairwire"


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Build the source package: what the repository holds, less what `exclude` of pyproject.toml names (PEP 517)."""
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    return str(maturin.build_sdist(sdist_directory, config_settings))


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build a wheel with the native module and the command in it (PEP 517)."""
    lay_command(Path(os.environ["FAIRWIRE_COMMAND"]) if "FAIRWIRE_COMMAND" in os.environ else built_command())
    return str(maturin.build_wheel(wheel_directory, config_settings, metadata_directory))


def built_command() -> Path:
    """Build the command for this machine, and tell where it is."""
    cargo = os.environ.get("CARGO", "cargo")
    subprocess.run([cargo, "build", "--release", "--locked", "-p", "fairwire-cli"], cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / NAME


def lay_command(command: Path) -> None:
    """Put the command where maturin takes scripts from, without what debuggers want where ``strip`` is there."""
    shutil.rmtree(SCRIPTS.parent, ignore_errors=True)
    SCRIPTS.mkdir(parents=True)
    shutil.copy2(command, SCRIPTS / NAME)
    if strip := shutil.which("strip"):
        subprocess.run([strip, str(SCRIPTS / NAME)], check=False)
