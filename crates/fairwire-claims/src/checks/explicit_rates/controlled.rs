//! How soon rates are fair again with queue control: Tables 8, 9 and 11 of [wmfqc], and what it gains.
//!
//! With queue control a cell that goes one place earlier moves answers by milliseconds. So each test is made
//! once on the printed schedule, and over draws of starting phases.

use super::runs::{DRAWS, RunMeasured, Scheme, Setting, Test};
use super::spread::{Spread, all_json};
use super::table::{OFF, ON, ResponseTable};
use super::{Claim, Finding, Trouble, expected_number, margin, medians_of_draws};
use crate::catalogue::number;
use crate::tolerance::{compare, round};
use fairwire_results::{Curve, Figure};
use serde_json::json;
use std::sync::Arc;

/// The test that the claim's scenario names.
fn test_of(claim: &Claim, setting: Setting) -> Result<Test, Trouble> {
    let threshold = |key: &str| {
        let cells =
            claim.scenario.get(key).and_then(toml::Value::as_integer).and_then(|cells| u32::try_from(cells).ok());
        cells.ok_or_else(|| format!("the catalogue gives no threshold `{key}`"))
    };
    Ok(Test::new(setting, Scheme::Controlled { q_t: threshold("q_t")?, q_d: threshold("q_d")? }))
}

/// The slowest answer to each event over the draws, events in order; none that nobody answers.
fn slowest(drawn: &[Arc<RunMeasured>]) -> Vec<Spread> {
    let each: Vec<Vec<f64>> =
        drawn.iter().map(|seen| seen.responses().slowest().into_iter().flatten().collect()).collect();
    let events = each.iter().map(Vec::len).min().unwrap_or(0);
    (0..events).map(|event| Spread::of(each.iter().map(|slowest| slowest[event]))).collect()
}

fn averages(drawn: &[Arc<RunMeasured>]) -> Spread {
    Spread::of(drawn.iter().map(|seen| seen.responses().average()))
}

/// Entries of `exact_entries_us`, such as `vc2_on_ar2`, with what was found.
fn exact_entries(claim: &Claim, found: &ResponseTable) -> Result<Vec<(String, f64, f64)>, Trouble> {
    let entries = claim.tolerance.get("exact_entries_us").and_then(toml::Value::as_table);
    let entries = entries.ok_or("the catalogue names no exact entries")?;
    let entry = |(key, printed): (&String, &toml::Value)| {
        let number_after = |mark: &str| key.split_once(mark)?.1.split('_').next()?.parse::<usize>().ok();
        let (event, flow) = (number_after("vc")?, number_after("_ar")?);
        let us = *found.0.get(event.checked_sub(1)?)?.get(flow.checked_sub(1)?)?;
        Some((key.clone(), us?, number(printed)?))
    };
    entries.iter().map(|named| entry(named).ok_or_else(|| format!("`{}` is no entry", named.0))).collect()
}

fn figure(title: &str, found: &ResponseTable, drawn: &[Spread], printed: &ResponseTable) -> Figure {
    let of = |name: &str, of: fn(&Spread) -> f64| Curve::counted(name, 1, &drawn.iter().map(of).collect::<Vec<f64>>());
    let mut figure = found.figure(title, printed);
    figure.curves = vec![
        found.curve("printed schedule"),
        of("median of 100 draws", |spread| spread.median),
        of("5th percentile", |spread| spread.low),
        of("95th percentile", |spread| spread.high),
    ];
    figure
}

/// Entries that the printed table has to the hundredth of a microsecond.
const EXACT_US: f64 = 0.05;

fn table(claim: &Claim, setting: Setting, title: &str) -> Result<Finding, Trouble> {
    let (test, printed) = (test_of(claim, setting)?, ResponseTable::printed(claim)?);
    let (found, drawn) = (test.printed()?.responses(), test.drawn()?);
    let (average, expected) = (found.average(), expected_number(claim, "average_us")?);
    let average_off = (average / expected - 1.0).abs();
    let average_rel = margin(claim, "average_rel")?;
    let exact = exact_entries(claim, &found)?;
    let exact_off = exact.iter().map(|(_, found, printed)| (found - printed).abs()).fold(0.0, f64::max);
    let (of_draws, slowest) = (averages(&drawn), slowest(&drawn));
    let printed_slowest: Vec<f64> = printed.slowest().into_iter().flatten().collect();
    let inside = slowest.iter().zip(&printed_slowest).filter(|(spread, printed)| spread.holds(**printed)).count();
    let measured = json!({
        "response_us": found.json(), "average_us": round(average), "average_off_by": round(average_off),
        "exact_entries_off_by_us": round(exact_off), "on_rows_off_by_us": round(found.farthest_us(&printed, ON)),
        "off_rows_off_by_us": round(found.farthest_us(&printed, OFF)),
        "drawn_average_us": of_draws.json(), "drawn_max_us": all_json(&slowest), "printed_max_within_draws": inside,
        "judged_by": format!(
            "the average within {} %, {} entries within {EXACT_US} µs; other entries are not judged",
            round(average_rel * 100.0),
            exact.len()
        ),
    });
    let holds = average_off <= average_rel && exact_off <= EXACT_US;
    let note = format!(
        "once on the printed schedule; drawn: 5th percentile, median and 95th percentile of {DRAWS} draws in which each connection comes \
         on up to 0.5 ms later. Single entries hang on which cell comes first. Nine of ten draws are around the printed maximum at {inside} of {} events, \
         and {} the printed average",
        printed_slowest.len(),
        if of_draws.holds(expected) { "around" } else { "not around" },
    );
    Ok(Finding::new(measured, holds, note).drawn(figure(title, &found, &slowest, &printed)))
}

/// Table 9.
pub fn lan_table(claim: &Claim) -> Result<Finding, Trouble> {
    table(claim, Setting::Lan, "Table 9: slowest answers, LQC67%")
}

/// Table 11.
pub fn wan_table(claim: &Claim) -> Result<Finding, Trouble> {
    table(claim, Setting::Wan, "Table 11: slowest answers, WQC60%")
}

/// Table 8, which is lost: its average, from the printed improvement.
pub fn lost_table(claim: &Claim) -> Result<Finding, Trouble> {
    let seen = Test::new(Setting::Lan, Scheme::Wmfqc);
    let (found, drawn) = (seen.printed()?.responses(), seen.drawn()?);
    let (average, expected) = (found.average(), expected_number(claim, "derived_average_us")?);
    let off = (average / expected - 1.0).abs();
    let measured = json!({
        "response_us": found.json(), "average_us": round(average), "average_off_by": round(off),
        "drawn_average_us": averages(&drawn).json(),
    });
    let note = "the table that is lost, as it comes out here on the printed schedule without queue control; drawn: 5th percentile, median \
                and 95th percentile over 100 draws of starting phases. The expected average follows from Table 9 and the 16 % by which queue control \
                is said to improve on it; here queue control does not, and the three entries that are known of the table come out";
    let drawn = Figure { printed: Vec::new(), ..found.figure("Table 8: slowest answers, LQCX", &found) }
        .at_level("mean of those that answer, worked out from the paper", expected);
    Ok(Finding::new(measured, off <= margin(claim, "rel")?, note).drawn(drawn))
}

/// What the averages fall by with these thresholds: on the printed schedule, and draw by draw.
fn improvement(setting: Setting, scheme: Scheme) -> Result<(f64, Spread), Trouble> {
    let (without, with) = (Test::new(setting, Scheme::Wmfqc), Test::new(setting, scheme));
    let gain =
        |without: &RunMeasured, with: &RunMeasured| 1.0 - with.responses().average() / without.responses().average();
    let drawn =
        without.drawn()?.iter().zip(with.drawn()?).map(|(without, with)| gain(without, &with)).collect::<Vec<_>>();
    Ok((gain(&*without.printed()?, &*with.printed()?), Spread::of(drawn)))
}

/// §5.2: 16 and 34 %.
pub fn gain(claim: &Claim) -> Result<Finding, Trouble> {
    let (lan, lan_drawn) = improvement(Setting::Lan, Scheme::Controlled { q_t: 50, q_d: 75 })?;
    let (wan, wan_drawn) = improvement(Setting::Wan, Scheme::Controlled { q_t: 300, q_d: 500 })?;
    let expected = [expected_number(claim, "lan_improvement")?, expected_number(claim, "wan_improvement")?];
    let holds = compare(claim, &[lan, wan], &expected).holds;
    let measured = json!({
        "lan_improvement": round(lan), "wan_improvement": round(wan),
        "drawn_lan_improvement": lan_drawn.json(), "drawn_wan_improvement": wan_drawn.json(),
    });
    let medians = [lan_drawn.median, wan_drawn.median];
    let medians_hold = compare(claim, &medians, &expected).holds;
    let drawn = json!({ "lan_improvement": round(medians[0]), "wan_improvement": round(medians[1]) });
    let around = |spread: &Spread, printed: f64| if spread.holds(printed) { "around" } else { "not around" };
    let note = format!(
        "LQC67% beside LQCX and WQC60% beside WQCX, once on the printed schedule; drawn: 5th percentile, median and 95th percentile over \
         {DRAWS} draws, the same starting phases with and without. Nine of ten draws are {} the printed 16 % and {} the printed 34 %. What is \
         won when connections go off is lost when VC3 and VC4 come on: at their minimums the connections send a control cell every 0.8 to 3 ms, and hear no \
         sooner that they may go on",
        around(&lan_drawn, expected[0]),
        around(&wan_drawn, expected[1]),
    );
    Ok(Finding::new(measured, holds, note).tried(medians_of_draws().found(drawn, medians_hold)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn exact_entries_are_those_that_their_keys_name() {
        let claim = catalogue().iter().find(|claim| claim.id == "wmfqc-table9").expect("an id of the catalogue");
        let printed = ResponseTable::printed(claim).unwrap();
        let entries = exact_entries(claim, &printed).unwrap();
        assert_eq!(entries.len(), 3);
        assert!(entries.iter().all(|(_, found, expected)| found == expected), "{entries:?}");
    }

    #[test]
    fn printed_averages_are_over_events_that_somebody_answers() {
        for id in ["wmfqc-table9", "wmfqc-table10", "wmfqc-table11"] {
            let claim = catalogue().iter().find(|claim| claim.id == id).expect("an id of the catalogue");
            let (average, told) =
                (ResponseTable::printed(claim).unwrap().average(), expected_number(claim, "average_us").unwrap());
            assert!((average - told).abs() < 0.01, "{id}: {average}");
        }
    }
}
