"""Tables by themselves: columns as arrays, rows as dictionaries, and what other libraries make of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import fairwire


@pytest.fixture(scope="module")
def runs(scenarios: Path) -> fairwire.Runs:
    return fairwire.run(scenarios / "teaching/two-flows.toml", law=["dvsr", "fifo"], duration="0.3 s")


@pytest.fixture(scope="module")
def shares() -> fairwire.Table:
    """A table with missing text and numbers."""
    return fairwire.Problem.from_routes([10e6, 4e6], [[0, 1], [0]], demands_bps=[1e6, np.inf]).explain().flows


def test_columns_are_arrays(runs: fairwire.Runs) -> None:
    table, frame = runs.flows, runs.flows.to_polars()
    assert table.shape == frame.shape
    assert table["rate_bps"].dtype == np.float64
    assert table["t_ns"].dtype in (np.int64, np.uint64)
    assert table["flow"].tolist() == frame["flow"].to_list()
    for name, cells in table.to_dict().items():
        assert cells.tolist() == frame[name].to_list()
    table["rate_bps"][:] = 0
    assert table["rate_bps"].any(), "an array is one's own"


def test_what_is_missing_is_nan_or_none(shares: fairwire.Table) -> None:
    assert shares["demand_bps"].tolist()[0] == 1e6
    assert np.isnan(shares["demand_bps"][1])
    assert shares["link"].tolist() == [None, "0"]
    assert [row["demand_bps"] for row in shares.to_dicts()] == [1e6, None]


def test_whole_numbers_with_gaps_are_told_as_numbers(runs: fairwire.Runs) -> None:
    table = fairwire.Table(
        fairwire._native.table_of([1, 1], [("n", "int64", True, np.array([7, 0]), np.array([True, False]))])
    )
    assert table["n"].dtype == np.float64
    assert table["n"][0] == 7
    assert np.isnan(table["n"][1])
    assert table.to_dicts() == [{"n": 7}, {"n": None}]
    assert table != fairwire.Table(
        fairwire._native.table_of([2], [("n", "int64", True, np.array([7, 0]), None)])
    )


def test_rows_are_what_other_libraries_say(runs: fairwire.Runs, shares: fairwire.Table) -> None:
    for table in (runs.flows, runs.summary, runs.runs, shares):
        assert table.to_dicts() == table.to_polars().to_dicts() == table.to_pyarrow().to_pylist()


def test_first_rows_are_a_table(runs: fairwire.Runs) -> None:
    first = runs.flows.head(3)
    assert len(first) == 3
    assert first.to_polars().equals(runs.flows.to_polars().head(3))
    assert first != runs.flows
    assert len(runs.flows.head(10**6)) == len(runs.flows)
    assert len(runs.flows.head(0)) == 0
    # Over the end of a piece.
    rows = len(runs.flows) - 1
    assert runs.flows.head(rows).to_dicts() == runs.flows.to_dicts()[:rows]
    with pytest.raises(fairwire.ArgumentTypeError, match="rows: a whole number"):
        runs.flows.head("3")  # type: ignore[arg-type]


def test_a_column_that_is_not_there_is_told(runs: fairwire.Runs) -> None:
    with pytest.raises(KeyError, match=r"there is no column 'rate'; did you mean 'rate_bps'"):
        runs.flows["rate"]
    for wrong in (0, None, ["flow"]):
        for ask in (runs.flows.__getitem__, runs.flows.to_dict):
            with pytest.raises(KeyError, match="there is no column") as caught:
                ask(wrong)  # type: ignore[arg-type,index]
            assert isinstance(caught.value, fairwire.NoSuchNameError)
            assert isinstance(caught.value, fairwire.FairwireError)


def test_nobody_takes_a_table_for_a_list(runs: fairwire.Runs) -> None:
    with pytest.raises(TypeError):
        iter(runs.flows)  # type: ignore[call-overload]
    with pytest.raises((TypeError, ValueError)):
        pandas.DataFrame(runs.flows)
    assert pandas.DataFrame(runs.flows.to_dict()).shape == runs.flows.shape
    assert runs.flows._ipython_key_completions_() == runs.flows.column_names


def test_libraries_read_it_as_it_stands(runs: fairwire.Runs) -> None:
    assert polars.DataFrame(runs.flows).shape == runs.flows.shape
    assert pyarrow.table(runs.flows).shape == runs.flows.shape
    assert pandas.DataFrame.from_arrow(runs.flows).shape == runs.flows.shape


def test_an_older_pandas_is_served_by_pyarrow(runs: fairwire.Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = runs.summary.to_pandas()
    monkeypatch.delattr(pandas.DataFrame, "from_arrow")
    pandas.testing.assert_frame_equal(runs.summary.to_pandas(), frame)


def test_numpy_is_enough(scenarios: Path) -> None:
    code = f"""
import sys
for name in ("pandas", "polars", "pyarrow"):
    sys.modules[name] = None
import fairwire
runs = fairwire.run({str(scenarios / "teaching/two-flows.toml")!r}, duration="0.3 s")
print(runs.summary["flow"].tolist(), len(runs.summary.to_dicts()), "<table>" in runs.summary._repr_html_())
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "['far', 'near'] 2 True\n"


@pytest.mark.parametrize(
    ("ask", "missing", "message"),
    [
        ("runs.summary.to_polars()", "polars", "to_polars() needs polars: `pip install polars`"),
        ("runs.summary.to_pyarrow()", "pyarrow", "to_pyarrow() needs pyarrow: `pip install pyarrow`"),
        ("runs.summary.to_pandas()", "pandas", "to_pandas() needs pandas: `pip install pandas pyarrow`"),
        ("runs.summary.to_pandas()", "pyarrow", "to_pandas() needs pyarrow: `pip install pyarrow`"),
        (
            "fairwire.Problem.from_arrow([1.0], [[0]])",
            "pyarrow",
            "Problem.from_arrow() needs pyarrow: `pip install pyarrow`",
        ),
        *(
            (
                ask,
                "matplotlib",
                "drawing needs matplotlib: `pip install matplotlib`, or fairwire with its extra `plot`",
            )
            for ask in (
                "runs.plot()",
                "runs.plot('time')",
                "fair.plot()",
                "fairwire.plotting.style().__enter__()",
            )
        ),
        (
            "import fairwire.testing",
            "hypothesis",
            "fairwire.testing needs hypothesis: "
            "`pip install hypothesis`, or fairwire with its extra `testing`",
        ),
    ],
)
def test_a_library_that_is_not_there_is_told_with_what_to_install(
    ask: str, missing: str, message: str, scenarios: Path
) -> None:
    scenario = str(scenarios / "teaching/two-flows.toml")
    code = f"""
import pickle, sys
sys.modules[{missing!r}] = None
import fairwire
runs, fair = fairwire.run({scenario!r}, duration="0.3 s"), fairwire.allocate({scenario!r})
try:
    {ask}
except ImportError as error:
    again = pickle.loads(pickle.dumps(error))
    print(type(again).__name__, isinstance(again, fairwire.FairwireError), again.name, again)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == f"MissingLibraryError True {missing} {message}\n"
