//! What queue control delivers and loses: Tables 6 and 7 of [wmfqc].

use super::runs::{RunMeasured, Setting, Test, tests};
use super::spread::{Spread, all_json};
use super::{Claim, Finding, Trouble, expected_number, expected_numbers, margin, medians_of_draws};
use crate::tolerance::{round, rounded};
use fairwire_results::{Curve, Figure};
use serde_json::{Map, Value, json};

/// A table's columns: on the printed schedule, and over draws.
struct Columns {
    tests: Vec<Test>,
    successful: Vec<f64>,
    lost: Vec<f64>,
    drawn_successful: Vec<Spread>,
    drawn_lost: Vec<Spread>,
}

/// What is counted of a run.
type Count = fn(&RunMeasured) -> f64;

impl Columns {
    fn of(setting: Setting) -> Result<Self, Trouble> {
        let tests = tests(setting)?;
        let printed = tests.iter().map(|test| test.printed()).collect::<Result<Vec<_>, Trouble>>()?;
        let drawn = tests.iter().map(|test| test.drawn()).collect::<Result<Vec<_>, Trouble>>()?;
        let once = |of: Count| printed.iter().map(|seen| of(seen)).collect();
        let spread = |of: Count| drawn.iter().map(|runs| Spread::of(runs.iter().map(|run| of(run)))).collect();
        let [successful, lost]: [Count; 2] = [|seen| seen.successful as f64, |seen| seen.lost as f64];
        Ok(Self {
            successful: once(successful),
            lost: once(lost),
            drawn_successful: spread(successful),
            drawn_lost: spread(lost),
            tests,
        })
    }

    fn ratios(&self) -> Vec<f64> {
        self.lost.iter().zip(&self.successful).map(|(lost, successful)| lost / (lost + successful)).collect()
    }

    /// Q_T/Q_D in per cent of the test that delivers most of those with thresholds.
    fn best(&self, successful: &[f64]) -> u32 {
        let with = self.tests.iter().zip(successful).skip(1);
        with.max_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(test, _)| test.ratio_percent())
    }

    fn medians(spreads: &[Spread]) -> Vec<f64> {
        spreads.iter().map(|spread| spread.median).collect()
    }

    fn figure(&self, title: &str, printed: &[f64]) -> Figure {
        let ratios: Vec<f64> = self.tests.iter().map(|test| f64::from(test.ratio_percent())).collect();
        let of = |spread: fn(&Spread) -> f64| self.drawn_lost.iter().map(spread).collect::<Vec<f64>>();
        Figure {
            title: title.to_owned(),
            x: "Q_T/Q_D, per cent; 100 without thresholds".to_owned(),
            y: "lost cells".to_owned(),
            curves: vec![
                Curve::over("printed schedule", &ratios, &self.lost),
                Curve::over("median of 100 draws", &ratios, &of(|spread| spread.median)),
                Curve::over("5th percentile", &ratios, &of(|spread| spread.low)),
                Curve::over("95th percentile", &ratios, &of(|spread| spread.high)),
            ],
            printed: vec![Curve::over("the paper", &ratios, printed)],
            ..Figure::default()
        }
    }
}

fn table(claim: &Claim, setting: Setting, title: &str) -> Result<Finding, Trouble> {
    let columns = Columns::of(setting)?;
    let (successful, lost) = (expected_numbers(claim, "successful_cells")?, expected_numbers(claim, "lost_cells")?);
    let (successful_rel, lost_abs) = (margin(claim, "successful_rel")?, margin(claim, "lost_abs")?);
    let farthest = |found: &[f64], printed: &[f64], distance: fn(f64, f64) -> f64| {
        found.iter().zip(printed).map(|(found, printed)| distance(*found, *printed)).fold(0.0, f64::max)
    };
    let successful_off = farthest(&columns.successful, &successful, |found, printed| (found / printed - 1.0).abs());
    let lost_off = farthest(&columns.lost, &lost, |found, printed| (found - printed).abs());
    let inside = columns.drawn_lost.iter().zip(&lost).filter(|(spread, printed)| spread.holds(**printed)).count();
    let measured = json!({
        "tests": columns.tests.iter().map(|test| test.name()).collect::<Vec<_>>(),
        "successful_cells": columns.successful, "lost_cells": columns.lost, "loss_ratio": rounded(&columns.ratios()),
        "successful_off_by": round(successful_off), "lost_off_by": round(lost_off),
        "drawn_successful": all_json(&columns.drawn_successful), "drawn_lost": all_json(&columns.drawn_lost),
        "printed_losses_within_draws": inside,
        "judged_by": format!("delivered cells within {} %, lost cells within {lost_abs}", round(successful_rel * 100.0)),
    });
    let holds = successful_off <= successful_rel && lost_off <= lost_abs && successful.len() == columns.tests.len();
    let note = format!(
        "once on the printed schedule; drawn: 5th percentile, median and 95th percentile of 100 draws in which each connection comes on \
         up to 0.5 ms later. Nine of ten draws are around the printed loss in {inside} of {} tests",
        lost.len()
    );
    Ok(Finding::new(measured, holds, note).drawn(columns.figure(title, &lost)))
}

/// Table 6.
pub fn lan_table(claim: &Claim) -> Result<Finding, Trouble> {
    table(claim, Setting::Lan, "Table 6: lost cells in the LAN")
}

/// Table 7.
pub fn wan_table(claim: &Claim) -> Result<Finding, Trouble> {
    table(claim, Setting::Wan, "Table 7: lost cells in the WAN")
}

/// Whether each loss is no more than the one before, from the first thresholds on.
fn falls(lost: &[f64]) -> bool {
    lost[1..].windows(2).all(|pair| pair[1] <= pair[0])
}

/// Losses and deliveries of WAN and LAN: what comes of them, and whether that is as the paper tells.
fn judge(
    claim: &Claim,
    [wan, lan]: [&Columns; 2],
    of: fn(&Columns) -> [Vec<f64>; 2],
) -> Result<(Value, bool), Trouble> {
    let (mut measured, mut holds) = (Map::new(), true);
    let mut monotone = true;
    for (name, columns) in [("wan", wan), ("lan", lan)] {
        let [successful, lost] = of(columns);
        let key = format!("{name}_best_ratio_percent");
        let (best, printed) = (columns.best(&successful), expected_number(claim, &key)?);
        let place = |ratio: f64| columns.tests.iter().position(|test| f64::from(test.ratio_percent()) == ratio);
        let steps = place(f64::from(best)).zip(place(printed)).map(|(found, printed)| found.abs_diff(printed));
        monotone &= falls(&lost);
        holds &= falls(&lost) && steps.is_some_and(|steps| steps <= 1);
        measured.insert(key, best.into());
        measured.insert(format!("{name}_successful"), json!(successful));
        measured.insert(format!("{name}_lost"), json!(lost));
    }
    measured.insert("loss_monotone".to_owned(), monotone.into());
    Ok((measured.into(), holds))
}

/// §5.2: a smaller ratio loses less, and about 60 % delivers most.
pub fn trend(claim: &Claim) -> Result<Finding, Trouble> {
    let columns = [Columns::of(Setting::Wan)?, Columns::of(Setting::Lan)?];
    let [wan, lan] = &columns;
    let (measured, holds) = judge(claim, [wan, lan], |columns| [columns.successful.clone(), columns.lost.clone()])?;
    let medians =
        |columns: &Columns| [Columns::medians(&columns.drawn_successful), Columns::medians(&columns.drawn_lost)];
    let (drawn, drawn_holds) = judge(claim, [wan, lan], medians)?;
    let with = &lan.successful[1..];
    let [least, most] = [with.iter().copied().fold(f64::INFINITY, f64::min), with.iter().copied().fold(0.0, f64::max)];
    let note = format!(
        "losses and deliveries of Tables 6 and 7 on the printed schedule, unlimited queues first, then from the largest ratio on. The smallest \
         ratio delivers most: fewer cells are lost, and fewer are still in a queue when their connection goes off. In the LAN all ratios deliver \
         the same to {:.3} %",
        (most / least - 1.0) * 100.0
    );
    Ok(Finding::new(measured, holds, note).tried(medians_of_draws().found(drawn, drawn_holds)))
}
