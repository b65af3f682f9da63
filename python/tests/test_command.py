"""The command that the package puts on the path."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import fairwire

SCRIPT = Path(sysconfig.get_path("scripts")) / ("fairwire.exe" if sys.platform == "win32" else "fairwire")
WAYS = [[str(SCRIPT)], [sys.executable, "-m", "fairwire"]]


def call(way: list[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*way, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("way", WAYS, ids=["script", "module"])
def test_the_command_is_of_the_same_version(way: list[str]) -> None:
    said = call(way, "--version")
    assert (said.returncode, said.stdout) == (0, f"fairwire {fairwire.__version__}\n")


@pytest.mark.parametrize("way", WAYS, ids=["script", "module"])
def test_the_command_answers_as_the_package_does(way: list[str], tmp_path: Path) -> None:
    file = tmp_path / "ring.toml"
    file.write_text(call(way, "scenario", "new", "parking-lot").stdout)
    said = call(way, "allocate", str(file), "--json")
    assert said.returncode == 0, said.stderr
    rates = {flow["id"]: flow["rate_bps"] for flow in json.loads(said.stdout)["flows"]}
    assert rates == dict(fairwire.allocate(file).rates_bps)


def test_what_goes_wrong_has_the_exit_code_of_the_command(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text("schema = 1\n")
    assert call(WAYS[0], "run", str(file)).returncode == 2
    assert call(WAYS[0], "no-such-verb").returncode == 2


def test_all_of_a_long_answer_arrives() -> None:
    said = call(WAYS[0], "laws", "--json")
    assert {law["name"] for law in json.loads(said.stdout)["laws"]} >= {law.name for law in fairwire.laws()}


def test_the_command_does_not_wait_for_numpy() -> None:
    loaded = (
        "import sys, fairwire_command; sys.argv = ['fairwire', 'laws']; fairwire_command.main();"
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, check=False).returncode == 0
