"""Answers as a notebook shows them."""

import re
import sys
from xml.etree import ElementTree

import pytest

import fairwire
from fairwire import _html

CHAIN = """
schema = 1
title = "A <b>chain</b>"

[network]
nodes = ["a", "b"]

[[network.link]]
from = "a"
to = "b"
capacity = "10 Mb/s"

[[flow]]
name = "one & <i>all</i>"
from = "a"
to = "b"

[[flow]]
name = "few"
from = "a"
to = "b"
traffic = { kind = "cbr", rate = "2 Mb/s" }
"""


def cells(html: str) -> list[list[str]]:
    """Read a page back; it is well-formed, or this raises."""
    page = ElementTree.fromstring(f"<body>{html}</body>")
    return [["".join(cell.itertext()) for cell in row] for row in page.iter("tr")]


def test_fair_rates_are_a_table_and_names_are_only_text() -> None:
    head, first, second = cells(fairwire.allocate(CHAIN)._repr_html_())
    assert head[:5] == ["flow", "from", "to", "rate", "demand"]
    assert first[:5] == ["one & <i>all</i>", "a", "b", "8 Mb/s", "no end"]
    assert second[3:5] == ["2 Mb/s", "2 Mb/s"]
    assert "10 Mb/s" in first[5], "the link that holds it, with its capacity"


def test_runs_have_a_row_for_each_law_run_and_flow() -> None:
    runs = fairwire.compare(CHAIN, laws=["droptail", "drr"])
    html = runs._repr_html_()
    _, *rows = cells(html)
    assert [row[0] for row in rows] == ["droptail", "droptail", "drr", "drr"]
    assert all(re.fullmatch(r"\d\.\d+ Mb/s|\d Mb/s", row[3]) for row in rows), rows
    assert "A &lt;b&gt;chain&lt;/b&gt;" in html


def test_seeds_are_told_where_there_are_several() -> None:
    head, *rows = cells(fairwire.run(CHAIN, seed=[3, 7])._repr_html_())
    assert head[:3] == ["law", "seed", "run"]
    assert [row[1] for row in rows] == ["3", "3", "7", "7"]


def test_a_sweep_has_a_row_for_each_point_and_law() -> None:
    found = fairwire.sweep(CHAIN, over={"flow.few.traffic.rate": ["1 Mb/s", "2 Mb/s"]}, replications=2)
    html = found._repr_html_()
    head, *rows = cells(html)
    assert head[:3] == ["point", "flow.few.traffic.rate", "law"], "units stand in the cells"
    assert head[-2:] == ["runs", "stopped"]
    assert len(rows) == 2
    assert [row[1] for row in rows] == ["1 Mb/s", "2 Mb/s"]
    assert re.search(r"\(\d+ more measures in .points\)", html)


def test_means_have_their_unit_and_interval() -> None:
    assert _html.estimate("ns", 2.6e7, 1.5e5) == "26 ms ± 150 us"
    assert _html.estimate("bit/s", 466.5e6, None) == "466.5 Mb/s"
    assert _html.estimate("1", 0.99871, 0.0012) == "0.9987 ± 0.0012"
    assert _html.estimate("ns", None, None) is None
    assert _html.estimate("1", 0.5, 0.25, (0.25, 0.75)) == "0.5 ± 0.25"
    assert _html.estimate("1", 1.0, 0.139, (0.7225, 1.0)) == "1 (0.72 to 1)", "a share of ten runs"


def test_long_tables_say_how_much_more_there_is() -> None:
    html = _html.table("", ["n"], [[number] for number in range(_html.MOST_ROWS + 2)])
    assert html.count("<tr>") == _html.MOST_ROWS + 1
    assert html.endswith("<p>2 more rows</p>")


def test_rates_have_their_unit() -> None:
    assert [_html.rate(value) for value in (None, 0.0, 999.0, 64e3, 466.5e6, 10e9)] == [
        "no end",
        "0 b/s",
        "999 b/s",
        "64 kb/s",
        "466.5 Mb/s",
        "10 Gb/s",
    ]


def test_tables_show_their_first_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = fairwire.run(CHAIN)
    page = runs.flows._repr_html_()
    assert page.count("<tr>") == 41
    assert f"<p>{len(runs.flows) - 40} more rows</p>" in page
    assert f"<caption>{len(runs.flows)} rows</caption>" in page
    monkeypatch.setitem(sys.modules, "polars", None)
    assert runs.flows._repr_html_() == page
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert runs.flows._repr_html_() == page


def test_what_ifs_are_a_table() -> None:
    head, first, second = cells(fairwire.what_if(CHAIN, "link a-b +10%")._repr_html_())
    assert head == ["flow", "before", "after", "gain", "held by", "then by"]
    assert first == ["one & <i>all</i>", "8 Mb/s", "9 Mb/s", "1 Mb/s", "a-b", "a-b"]
    assert second == ["few", "2 Mb/s", "2 Mb/s", "", "demand", "demand"]


def test_one_rate_is_one_rate() -> None:
    problem = fairwire.Problem.from_routes([1.0], [[0]])
    assert repr(problem.solve()) == "<fairwire.Solution: 1 rate under max-min, unique: yes>"
