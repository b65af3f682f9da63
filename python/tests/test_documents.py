"""Notebooks hold what they show, and they and the code of all pages run from top to bottom."""

from __future__ import annotations

import asyncio
import itertools
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import nbclient
import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))

# Seconds for a kernel to start, and for a cell.
PATIENCE: dict[str, Any] = {"startup_timeout": 120, "timeout": 120}


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


def executed(file: Path) -> Any:
    """Run a notebook anew."""
    notebook = read(file)
    place = {"metadata": {"path": str(file.parent)}}
    asyncio.run(nbclient.NotebookClient(notebook, **PATIENCE, resources=place).async_execute())
    return notebook


@pytest.fixture(scope="module")
def anew() -> Iterator[dict[Path, Future[Any]]]:
    """All notebooks as they run now, side by side: each waits for a process of its own."""
    with ThreadPoolExecutor(max_workers=2) as threads:
        yield {file: threads.submit(executed, file) for file in NOTEBOOKS}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_run_and_show_what_they_hold(file: Path, anew: dict[Path, Future[Any]]) -> None:
    assert words(anew[file].result()) == words(read(file)), "run `make notebooks`"


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
    nbclient.NotebookClient(notebook, **PATIENCE).execute()
    assert [len(shown) for shown in outputs(notebook)] == [0, 0, 1, 1]


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 3


class Block(NamedTuple):
    """A fenced block of a page."""

    line: int
    """The line before its first one."""
    comments: dict[str, str]
    """What the comments right above it say, such as `file: NAME`."""
    language: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page in their order."""
    comments: dict[str, str] = {}
    lines = enumerate(page.splitlines(), 1)
    for number, line in lines:
        if said := re.fullmatch(r"<!-- ([a-z ]+): (.*) -->", line):
            comments[said[1]] = said[2]
            continue
        if line.startswith("```"):
            text = itertools.takewhile(lambda numbered: numbered[1] != "```", lines)
            yield Block(number, comments, line[3:], "".join(f"{line}\n" for _, line in text))
        comments = {}


PAGES = sorted(
    page
    for page in [ROOT / "README.md", *DOCS.rglob("*.md")]
    if any(block.language in ("python", "py") for block in blocks(page.read_text()))
)


def test_pages_with_code_are_found() -> None:
    assert {page.name for page in PAGES} >= {"README.md", "python.md", "sweeps.md", "tutorial.md"}


def test_the_page_of_python_says_what_its_examples_need() -> None:
    page = (DOCS / "python.md").read_text()
    install = page.split("\n## Install\n")[1].split("\n## ")[0].lower()
    code = "".join(block.text for block in blocks(page) if block.language == "python")
    needed = set(re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE))
    needed |= set(re.findall(r"\.to_(polars|pandas|pyarrow)\(", code))
    if ".plot(" in code:
        needed.add("matplotlib")
    others = needed - sys.stdlib_module_names - {"fairwire"}
    assert others >= {"numpy", "polars", "pandas"}
    assert [name for name in sorted(others) if name not in install] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_pages_runs(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Block after block, in a folder with the files of the page.

    `<!-- not run: WHY -->` above a block leaves it out. `<!-- after: COMMAND -->` gives a command
    first, for what the block reads.
    """
    for folder in ["scenarios", "python"]:
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    text = page.read_text()
    names: dict[str, Any] = {"__name__": "__main__"} if "__main__" in text else {}
    for block in blocks(text):
        if "file" in block.comments:
            (tmp_path / block.comments["file"]).write_text(block.text)
        assert block.language != "py", f"{page.name}:{block.line}: code stands in a block of `python`"
        if block.language != "python":
            continue
        if "not run" in block.comments:
            compile(block.text, page.name, "exec")
            continue
        if "after" in block.comments:
            command, *arguments = shlex.split(block.comments["after"])
            assert command == "fairwire"
            subprocess.run([sys.executable, "-m", "fairwire", *arguments], check=True, capture_output=True)
        # A traceback tells the line of the page.
        exec(compile("\n" * block.line + block.text, page, "exec"), names)
    plt.close("all")
