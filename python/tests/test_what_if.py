"""What changes would do, and what capacity is worth."""

from __future__ import annotations

from pathlib import Path

import pytest

import fairwire


@pytest.fixture
def chain(scenarios: Path) -> Path:
    return scenarios / "operators/radio-chain.toml"


def test_a_change_tells_who_gains_and_which_bottleneck_moves(chain: Path) -> None:
    answer = fairwire.what_if(chain, "link hop-3 = 150 Mb/s", criterion="weighted-max-min")
    before = fairwire.allocate(chain, criterion="weighted-max-min").rates_bps
    assert {flow.id: flow.before_bps for flow in answer.flow_changes} == pytest.approx(before)
    # 150 Mb/s by 60 and 40 customers would be 90 and 60.
    gains = answer.gains_bps
    assert gains["church"] > 0
    assert gains["farm"] > 0
    assert [flow.id for flow in answer.winners] == sorted(
        (name for name in gains if gains[name] > 1), key=lambda name: -gains[name]
    )
    assert all(flow.gain_bps < 0 for flow in answer.losers)
    changed = next(link for link in answer.link_changes if link.id == "hop-3")
    assert (changed.capacity_before_bps, changed.capacity_after_bps) == (100e6, 150e6)
    assert answer.to_dict()["said"] == list(answer.said)


def test_what_if_equals_a_solve_of_the_changed_scenario(chain: Path) -> None:
    text = chain.read_text(encoding="utf-8")
    changed = text.replace('capacity = "300 Mb/s"', 'capacity = "240 Mb/s"')
    assert changed != text
    answer = fairwire.what_if(text, "link hop-2 -20%", criterion="max-min")
    fair = fairwire.allocate(changed, criterion="max-min").rates_bps
    assert {flow.id: flow.after_bps for flow in answer.flow_changes} == pytest.approx(fair)


def test_lost_links_take_their_flows_along(chain: Path) -> None:
    answer = fairwire.what_if(chain, "link hop-4 lost")
    farm = next(flow for flow in answer.flow_changes if flow.id == "farm")
    assert (farm.after_bps, farm.held_after) == (None, None)
    assert next(link for link in answer.link_changes if link.id == "hop-4").capacity_after_bps is None


def test_changes_are_tables(chain: Path) -> None:
    answer = fairwire.what_if(chain, "link hop-4 lost")
    rows = {row["flow"]: row for row in answer.flows.to_dicts()}
    assert [*rows] == [flow.id for flow in answer.flow_changes]
    farm, before = rows["farm"], fairwire.allocate(chain).flows.to_dicts()
    assert (farm["after_bps"], farm["limited_by_after"], farm["link_after"]) == (None, None, None)
    for was in before:
        row = rows[was["flow"]]
        assert (row["limited_by_before"], row["link_before"]) == (was["limited_by"], was["link"])
        assert row["before_bps"] == pytest.approx(was["rate_bps"])
        assert row["gain_bps"] == pytest.approx((row["after_bps"] or 0) - row["before_bps"], abs=1)
    lost = next(row for row in answer.links.to_dicts() if row["link"] == "hop-4")
    assert (lost["capacity_after_bps"], lost["holds_after"]) == (None, 0)
    assert answer.links["holds_before"].sum() == sum(was["link"] is not None for was in before)


def test_changes_that_make_no_sense_are_refused(chain: Path) -> None:
    with pytest.raises(fairwire.SettingError, match="hop-9"):
        fairwire.what_if(chain, "link hop-9 +10%")
    with pytest.raises(fairwire.SettingError, match="write `link`"):
        fairwire.what_if(chain, "lnk hop-1 +10%")
    with pytest.raises(fairwire.CriterionError):
        fairwire.what_if(chain, "link hop-1 +10%", criterion="equal")


def test_capacity_is_worth_what_a_change_brings(chain: Path) -> None:
    worth = {link.link: link for link in fairwire.sensitivities(chain, "weighted-max-min")}
    assert "hop-3" in worth
    answer = fairwire.what_if(chain, "link hop-3 +1 kb/s", criterion="weighted-max-min")
    for name, part in worth["hop-3"].up.items():
        assert answer.gains_bps[name] == pytest.approx(1000 * part, rel=1e-3, abs=1e-2)
    assert worth["hop-3"].total_up == pytest.approx(sum(worth["hop-3"].up.values()))


def test_what_is_equal_is_no_change(scenarios: Path) -> None:
    chain = scenarios / "operators/radio-chain.toml"
    answer = fairwire.what_if(chain, "link hop-3 = 50 Mb/s")
    assert 50e6 in [link.capacity_after_bps for link in answer.link_changes]
    with pytest.raises(fairwire.SettingError, match="out of range"):
        fairwire.what_if(chain, "link hop-3 = -5 Mb/s")
