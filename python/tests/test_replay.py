"""Real packets once more: `fairwire run --real --out` left `real-run`, and said what is in `answer.json`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import fairwire

FOLDER = Path(__file__).parent / "real-run"


def test_a_folder_gives_the_flows_that_were_real() -> None:
    answer = json.loads((FOLDER / "answer.json").read_text())
    runs = fairwire.replay(FOLDER)
    assert (len(runs), runs.criterion) == (1, "rias")
    [was], [summary] = answer["runs"], runs.summaries
    # Later versions tell more of a flow, and never less.
    for now, then in zip(summary["flows"], was["flows"], strict=True):
        assert {key: now[key] for key in then} == then
    assert (summary["law"], summary["seed"], summary["run"]) == (was["law"], was["seed"], was["run"])
    assert [promise.ok for promise in runs.promises] == [promise["ok"] for promise in answer["expect"]]
    again = fairwire.replay(str(FOLDER))
    assert runs.flows.to_polars().equals(again.flows.to_polars())


def test_another_law_gets_the_same_packets_and_says_so() -> None:
    own, fifo = fairwire.replay(FOLDER), fairwire.replay(FOLDER, law="fifo")
    offered = [[flow["offered"] for flow in runs.summaries[0]["flows"]] for runs in (own, fifo)]
    assert offered[0] == offered[1]
    first, *_, last = (flow["rate_bps"] for flow in fifo.summaries[0]["flows"])
    assert last > 1.2 * first, "without control whoever enters last gets most"
    assert any("nobody who sent them hears what fifo does" in warning for warning in fifo.warnings)
    assert not any("nobody who sent them" in warning for warning in own.warnings)
    several = fairwire.replay(FOLDER, law=["dvsr-plus", "fifo", "dvsr"])
    assert [run["law"] for run in several.summaries] == ["dvsr-plus", "fifo", "dvsr"]


def test_what_was_saved_can_be_replayed(tmp_path: Path) -> None:
    runs = fairwire.replay(FOLDER)
    saved = runs.save(tmp_path / "saved", csv=True)
    assert json.loads((saved / "manifest.json").read_text())["driver"] == "replay"
    assert fairwire.replay(saved).summaries[0]["flows"] == runs.summaries[0]["flows"]


def test_what_cannot_be_replayed_is_told(tmp_path: Path) -> None:
    with pytest.raises(fairwire.FolderError, match="there are no arrivals in"):
        fairwire.replay(tmp_path)
    with pytest.raises(fairwire.FolderError, match="cannot read"):
        fairwire.replay(tmp_path / "nothing")
    broken = tmp_path / "broken"
    shutil.copytree(FOLDER, broken)
    [journal] = broken.glob("*.fwa")
    good = journal.read_bytes()
    journal.write_bytes(good[: len(good) // 2])
    with pytest.raises(fairwire.FolderError, match="cut off"):
        fairwire.replay(broken)
    journal.write_bytes(good[:100] + bytes([good[100] ^ 1]) + good[101:])
    with pytest.raises(fairwire.FolderError):
        fairwire.replay(broken)
    journal.write_bytes(good)
    text = (broken / "scenario.toml").read_text().replace("from = [0, 1, 2]", "from = [0, 1]")
    (broken / "scenario.toml").write_text(text)
    with pytest.raises(fairwire.FolderError, match="another scenario"):
        fairwire.replay(broken)
    with pytest.raises(fairwire.SettingError, match="dvsr"):
        fairwire.replay(FOLDER, law="dvrs")
