"""Notebooks and the code in docs/python.md run from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbclient
import nbformat
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_run(file: Path) -> None:
    notebook = nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == [], "clear the outputs before committing"
    nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(file.parent)}}
    ).execute()


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize(("name", "least"), [("python.md", 5), ("sweeps.md", 2)])
def test_the_code_of_guides_runs(
    name: str, least: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = (DOCS / name).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= least
    for folder in ["scenarios", "python"]:
        (tmp_path / folder).symlink_to(DOCS.parent / folder)
    for file, text in re.findall(r"^<!-- file: (.*?) -->\n```\w*\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        (tmp_path / file).write_text(text)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"} if "__main__" in page else {}
    for block in blocks:
        exec(compile(block, f"docs/{name}", "exec"), names)
    plt.close("all")
