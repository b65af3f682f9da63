"""Notebooks hold what they show, and they and the code in docs/python.md run from top to bottom."""

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


def read(file: Path) -> Any:
    return nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]


def outputs(notebook: Any) -> list[list[Any]]:
    """What each cell of code shows."""
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


def words(notebook: Any) -> list[list[tuple[str, str]]]:
    """What each cell of code shows in text, and which pictures there are."""
    return [[_words(output) for output in shown] for shown in outputs(notebook)]


def _words(output: Any) -> tuple[str, str]:
    data = output.get("data", {})
    if "image/png" in data:
        return ("image/png", "")
    kind = "text/html" if "text/html" in data else "text/plain"
    return (kind, data.get(kind, output.get("text", "")))


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_hold_what_they_show(file: Path) -> None:
    shown = [output for outs in outputs(read(file)) for output in outs]
    assert shown, "run `make notebooks`"
    assert all(output.output_type != "error" for output in shown)
    assert any("image/png" in output.get("data", {}) for output in shown), "a notebook draws something"
    text = file.read_text()
    assert not re.search(r"/(home|root|tmp|work|Users)/", text), "no path of the machine that ran it"
    assert len(text) < 300_000


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_run_and_show_what_they_hold(file: Path) -> None:
    notebook = read(file)
    held = words(notebook)
    nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(file.parent)}}
    ).execute()
    assert words(notebook) == held, "run `make notebooks`"


def test_every_figure_of_a_notebook_shows() -> None:
    cells = [
        "import fairwire",
        f"runs = fairwire.run({str(DOCS.parent / 'scenarios/teaching/two-flows.toml')!r}, duration='300 ms')",
        "figure = runs.plot('rates')",
        "figure = runs.plot('time')",
    ]
    new = nbformat.v4
    code = [new.new_code_cell(cell) for cell in cells]  # type: ignore[no-untyped-call]
    notebook = new.new_notebook(cells=code)  # type: ignore[no-untyped-call]
    nbclient.NotebookClient(notebook, timeout=120).execute()
    assert [len(shown) for shown in outputs(notebook)] == [0, 0, 1, 1]


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize(("name", "least"), [("python.md", 5), ("sweeps.md", 2), ("../README.md", 1)])
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
