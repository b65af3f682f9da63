"""Answers as a notebook shows them."""

import re
from xml.etree import ElementTree

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
