//! How long queues grow and what waits in them: Figs. 4 to 7 of [wmfqc].

use super::runs::{CELL_BITS, RunMeasured, Scheme, Setting, TRUNKS, Test, tests};
use super::spread::Spread;
use super::table::FLOWS;
use super::{Claim, Finding, Trouble, expected_number, medians_of_draws};
use crate::tolerance::{compare, round, rounded};
use fairwire_results::{Curve, Figure};
use serde_json::{Map, Value, json};

/// Links at which connections meet that are promised more than there is: L1, L2 and L4.
const CONGESTED: [usize; 3] = [0, 1, 3];

/// One row of a figure: a test, its values, and their medians over draws.
struct Row {
    test: Test,
    values: Vec<f64>,
    drawn: Vec<f64>,
}

fn rows(setting: Setting, count: usize, of: impl Fn(&RunMeasured, usize) -> f64) -> Result<Vec<Row>, Trouble> {
    let row = |test: Test| {
        let (printed, drawn) = (test.printed()?, test.drawn()?);
        let median = |at| Spread::of(drawn.iter().map(|seen| of(seen, at))).median;
        let values = (0..count).map(|at| of(&printed, at)).collect();
        Ok(Row { test, values, drawn: (0..count).map(median).collect() })
    };
    tests(setting)?.into_iter().map(row).collect()
}

fn json_of(rows: &[Row], of: impl Fn(&Row) -> Value) -> Value {
    rows.iter().map(|row| (row.test.name(), of(row))).collect::<Map<_, _>>().into()
}

fn figure(title: &str, place: &str, y: &str, rows: &[Row]) -> Figure {
    let places = rows.first().map_or(0, |row| row.values.len());
    Figure {
        title: title.to_owned(),
        y: y.to_owned(),
        names: (1..=places).map(|number| format!("{place}{number}")).collect(),
        curves: rows.iter().map(|row| Curve::counted(&row.test.name(), 1, &row.values)).collect(),
        ..Figure::default()
    }
}

/// How often a later value is above the one before.
fn rises(values: &[f64]) -> usize {
    values.windows(2).filter(|pair| pair[1] > pair[0]).count()
}

/// Which of a row's values are judged.
type Pick = fn(&Row) -> &Vec<f64>;

/// What rows come to, and whether that is as the paper tells.
type Judge = fn(&[Row], Pick) -> (Value, bool);

/// Two figures alike, of the LAN and of the WAN, judged on the printed schedule and by medians of draws.
fn both_figures(
    count: usize,
    of: fn(&RunMeasured, usize) -> f64,
    judge: Judge,
    [titles, axes]: [[&str; 2]; 2],
    note: &str,
) -> Result<Finding, Trouble> {
    let picks: [Pick; 2] = [|row| &row.values, |row| &row.drawn];
    let (mut told, mut holds) = ([Map::new(), Map::new()], [true; 2]);
    let mut figures = Vec::new();
    for ((key, setting), title) in [("lan", Setting::Lan), ("wan", Setting::Wan)].into_iter().zip(titles) {
        let rows = rows(setting, count, of)?;
        for ((pick, told), holds) in picks.into_iter().zip(&mut told).zip(&mut holds) {
            let (found, is_so) = judge(&rows, pick);
            told.insert(key.to_owned(), found);
            *holds &= is_so;
        }
        figures.push(figure(title, axes[0], axes[1], &rows));
    }
    let [printed, drawn] = told.map(Value::from);
    let finding = Finding::new(printed, holds[0], note).tried(medians_of_draws().found(drawn, holds[1]));
    Ok(figures.into_iter().fold(finding, Finding::drawn))
}

/// Longest queues: none longer than without control, and a smaller ratio has the longer one at most once at a link.
fn judge_queues(rows: &[Row], pick: Pick) -> (Value, bool) {
    let at = |link: usize| rows.iter().map(|row| pick(row)[link]).collect::<Vec<f64>>();
    let (mut highest, mut rise) = (true, 0);
    for link in CONGESTED {
        let values = at(link);
        highest &= values[1..].iter().all(|value| *value <= values[0]);
        rise = rise.max(rises(&values[1..]));
    }
    let told = json!({
        "max_queue_cells": json_of(rows, |row| json!(pick(row))), "highest_without_control": highest,
        "a_smaller_ratio_has_the_longer_queue": rise,
    });
    (told, highest && rise <= 1)
}

/// Mean delays: highest without control, then falling with the ratio, on average over all connections.
fn judge_delays(rows: &[Row], pick: Pick) -> (Value, bool) {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let means: Vec<f64> = rows.iter().map(|row| mean(pick(row))).collect();
    let highest = means[1..].iter().all(|value| *value < means[0]);
    let each = (0..FLOWS).all(|flow| rows[1..].iter().all(|row| pick(row)[flow] < pick(&rows[0])[flow]));
    let falls = rises(&means[1..]) == 0;
    let told = json!({
        "delay_us": json_of(rows, |row| json!(rounded(pick(row)))), "mean_over_vcs_us": rounded(&means),
        "highest_without_control": highest, "highest_for_each_vc": each, "falls_with_the_ratio": falls,
    });
    (told, highest && falls)
}

/// Figs. 4 and 5.
pub fn deepest(_claim: &Claim) -> Result<Finding, Trouble> {
    let titles = ["Fig. 4: longest queues in the LAN", "Fig. 5: longest queues in the WAN"];
    let note = "cells at L1 to L5 with the one in transmission and the one that arrives, once on the printed schedule. The paper's values are lost. \
                The order is asked of L1, L2 and L4, as nothing waits at L3 and L5; counted is, at the worst of them, how often a smaller \
                ratio has the longer queue";
    let axes = ["L", "cells"];
    both_figures(TRUNKS, |seen, link| f64::from(seen.deepest[link]), judge_queues, [titles, axes], note)
}

/// Figs. 6 and 7.
pub fn delays(_claim: &Claim) -> Result<Finding, Trouble> {
    let titles = ["Fig. 6: mean delay in the LAN", "Fig. 7: mean delay in the WAN"];
    let note = "end-to-end delay of data cells, once on the printed schedule. The paper's values are lost";
    both_figures(FLOWS, |seen, flow| seen.delay_us[flow], judge_delays, [titles, ["VC", "µs"]], note)
}

/// §5.2: no cell waits longer than Q_D over the bandwidth.
pub fn longest_wait(claim: &Claim) -> Result<Finding, Trouble> {
    let (mut formula, mut expected, mut measured) = (Vec::new(), Vec::new(), Map::new());
    let mut within = true;
    for (key, setting) in [("derived_wan_ms", Setting::Wan), ("derived_lan_ms", Setting::Lan)] {
        let link = setting.plan(Scheme::Wmfqc)?.links.swap_remove(0).capacity.as_bps_f64();
        expected.push(expected_number(claim, key)?);
        for test in tests(setting)? {
            let Scheme::Controlled { q_d, .. } = test.scheme else { continue };
            let bound_ms = f64::from(q_d) * CELL_BITS / link * 1e3;
            if formula.len() < expected.len() {
                formula.push(bound_ms);
            }
            let longest_ms = test.printed()?.longest_wait_us / 1e3;
            within &= longest_ms <= bound_ms * (1.0 + super::margin(claim, "rel")?);
            measured.insert(
                test.name(),
                json!({ "longest_wait_ms": round(longest_ms), "of_q_d": round(longest_ms / bound_ms) }),
            );
        }
    }
    let holds = compare(claim, &formula, &expected).holds && within;
    measured.insert("formula_ms".to_owned(), json!(rounded(&formula)));
    let note = "Q_D cells at the rate of L1, where nothing goes before them, and the longest wait there in each test on the printed \
                schedule: control cells come on top of Q_D, and one data cell more";
    Ok(Finding::new(measured.into(), holds, note))
}

/// Definition 1: queues come to rest under Q_T, and data stops at Q_D.
pub fn below_target(claim: &Claim) -> Result<Finding, Trouble> {
    let cells = super::margin(claim, "cells")?;
    let (mut measured, mut holds) = (Map::new(), true);
    for test in tests(Setting::Wan)? {
        let Scheme::Controlled { q_t, q_d } = test.scheme else { continue };
        let seen = test.printed()?;
        // One more is in transmission. Ten milliseconds between turn-ons do not suffice to drain a queue.
        let standing = seen.standing[FLOWS - 1..].iter().flatten().max().map_or(0, |most| most + 1);
        let peak = seen.deepest.iter().copied().max().unwrap_or(0);
        holds &= f64::from(standing) <= f64::from(q_t) + cells && f64::from(peak) <= f64::from(q_d) + 1.0 + cells;
        measured.insert(test.name(), json!({ "q_t": q_t, "q_d": q_d, "standing_cells": standing, "peak_cells": peak }));
    }
    let note = "queues of L1 to L5 in Table 7's tests on the printed schedule: longest before VC1 goes off and before each later event, 50 ms or \
                more after the one before, and longest ever, with the cell in transmission and the one that arrives. Data is let in up to Q_D; \
                what is beyond are control cells";
    Ok(Finding::new(measured.into(), holds, note))
}
