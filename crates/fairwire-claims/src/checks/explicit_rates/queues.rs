//! How long queues grow and what waits in them: Figs. 4 to 7 of [wmfqc].

use super::runs::{Scheme, Seen, Setting, TRUNKS, Test, tests};
use super::spread::Spread;
use super::table::FLOWS;
use super::{Claim, Finding, Trouble, expected_number};
use crate::tolerance::{compare, round, rounded};
use fairwire_results::{Curve, Figure};
use serde_json::{Map, Value, json};

/// Links at which connections meet that are promised more than there is: L1, L2 and L4.
const CONGESTED: [usize; 3] = [0, 1, 3];

/// One row of a figure: a test, its values, and their means over draws.
struct Row {
    test: Test,
    values: Vec<f64>,
    drawn: Vec<f64>,
}

fn rows(setting: Setting, count: usize, of: impl Fn(&Seen, usize) -> f64) -> Result<Vec<Row>, Trouble> {
    let row = |test: Test| {
        let (printed, drawn) = (test.printed()?, test.drawn()?);
        let mean = |at| Spread::of(drawn.iter().map(|seen| of(seen, at))).mean;
        let values = (0..count).map(|at| of(&printed, at)).collect();
        Ok(Row { test, values, drawn: (0..count).map(mean).collect() })
    };
    tests(setting)?.into_iter().map(row).collect()
}

fn json_of(rows: &[Row], of: impl Fn(&Row) -> Value) -> Value {
    rows.iter().map(|row| (row.test.name(), of(row))).collect::<Map<_, _>>().into()
}

fn figure(title: &str, x: &str, y: &str, rows: &[Row]) -> Figure {
    Figure {
        title: title.to_owned(),
        x: x.to_owned(),
        y: y.to_owned(),
        curves: rows.iter().map(|row| Curve::counted(&row.test.name(), 1, &row.values)).collect(),
        printed: Vec::new(),
    }
}

/// How often a later value is above the one before.
fn rises(values: &[f64]) -> usize {
    values.windows(2).filter(|pair| pair[1] > pair[0]).count()
}

/// Figs. 4 and 5.
pub fn deepest(_claim: &Claim) -> Result<Finding, Trouble> {
    let (mut measured, mut holds) = (Map::new(), true);
    let mut figures = Vec::new();
    for (key, setting) in [("lan", Setting::Lan), ("wan", Setting::Wan)] {
        let rows = rows(setting, TRUNKS, |seen, link| f64::from(seen.deepest[link]))?;
        let at = |link: usize, of: fn(&Row) -> &Vec<f64>| rows.iter().map(|row| of(row)[link]).collect::<Vec<f64>>();
        let (mut highest, mut trend) = (true, 0);
        let mut mean_trend = 0;
        for link in CONGESTED {
            let (values, means) = (at(link, |row| &row.values), at(link, |row| &row.drawn));
            highest &= values[1..].iter().all(|value| *value <= values[0]);
            trend = trend.max(rises(&values[1..]));
            mean_trend = mean_trend.max(rises(&means[1..]));
        }
        let beyond = rows.iter().filter_map(|row| match row.test.scheme {
            Scheme::Controlled { q_d, .. } => Some(row.values[0] - f64::from(q_d)),
            _ => None,
        });
        let beyond = beyond.fold(f64::NEG_INFINITY, f64::max);
        holds &= highest && trend <= 1;
        measured.insert(
            key.to_owned(),
            json!({
                "max_queue_cells": json_of(&rows, |row| json!(row.values)), "highest_without_control": highest,
                "rises_at_a_link": trend, "rises_of_means": mean_trend, "beyond_q_d": beyond,
                "mean_of_draws": json_of(&rows, |row| json!(rounded(&row.drawn))),
            }),
        );
        let title = if setting == Setting::Lan { "Fig. 4: longest queues in the LAN" } else { "Fig. 5: longest queues in the WAN" };
        figures.push(figure(title, "link L1 to L5", "cells", &rows));
    }
    let note = "cells at L1 to L5 with the one in transmission, once on the printed schedule, and means over 100 draws. The paper's \
                values are lost. The order of queues is asked of L1, L2 and L4, as nothing waits at L3 and L5; `rises` \
                counts at the worst of them how often a smaller ratio has the longer queue";
    Ok(figures.into_iter().fold(Finding::new(measured.into(), holds, note), Finding::drawn))
}

/// Figs. 6 and 7.
pub fn delays(_claim: &Claim) -> Result<Finding, Trouble> {
    let (mut measured, mut holds) = (Map::new(), true);
    let mut figures = Vec::new();
    for (key, setting) in [("lan", Setting::Lan), ("wan", Setting::Wan)] {
        let rows = rows(setting, FLOWS, |seen, flow| seen.delay_us[flow])?;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let means: Vec<f64> = rows.iter().map(|row| mean(&row.values)).collect();
        let drawn_means: Vec<f64> = rows.iter().map(|row| mean(&row.drawn)).collect();
        let highest = means[1..].iter().all(|value| *value < means[0]);
        let falls = rises(&means[1..]) == 0;
        let each = (0..FLOWS).all(|flow| rows[1..].iter().all(|row| row.values[flow] < rows[0].values[flow]));
        holds &= highest && falls;
        measured.insert(
            key.to_owned(),
            json!({
                "delay_us": json_of(&rows, |row| json!(rounded(&row.values))), "mean_over_vcs_us": rounded(&means),
                "highest_without_control": highest, "highest_for_each_vc": each, "falls_with_the_ratio": falls,
                "drawn_mean_over_vcs_us": rounded(&drawn_means), "drawn_falls_with_the_ratio": rises(&drawn_means[1..]) == 0,
            }),
        );
        let title = if setting == Setting::Lan { "Fig. 6: mean delay in the LAN" } else { "Fig. 7: mean delay in the WAN" };
        figures.push(figure(title, "VC1 to VC6", "µs", &rows));
    }
    let note = "end-to-end delay of data cells, once on the printed schedule, and means over 100 draws. The paper's values are lost";
    Ok(figures.into_iter().fold(Finding::new(measured.into(), holds, note), Finding::drawn))
}

/// §5.2: no cell waits longer than Q_D over the bandwidth.
pub fn longest_wait(claim: &Claim) -> Result<Finding, Trouble> {
    let (mut formula, mut expected, mut measured) = (Vec::new(), Vec::new(), Map::new());
    let mut within = true;
    for (key, setting) in [("derived_wan_ms", Setting::Wan), ("derived_lan_ms", Setting::Lan)] {
        let cell_bits = 424.0;
        let link = setting.plan(Scheme::Wmfqc)?.links.swap_remove(0).capacity.as_bps_f64();
        expected.push(expected_number(claim, key)?);
        for test in tests(setting)? {
            let Scheme::Controlled { q_d, .. } = test.scheme else { continue };
            let bound_ms = f64::from(q_d) * cell_bits / link * 1e3;
            if formula.len() < expected.len() {
                formula.push(bound_ms);
            }
            let longest_ms = test.printed()?.longest_wait_us / 1e3;
            within &= longest_ms <= bound_ms * (1.0 + super::margin(claim, "rel")?);
            measured.insert(test.name(), json!({ "longest_wait_ms": round(longest_ms), "of_q_d": round(longest_ms / bound_ms) }));
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
        // One more is in transmission.
        let standing = seen.standing.iter().flatten().max().map_or(0, |most| most + 1);
        let peak = seen.deepest.iter().copied().max().unwrap_or(0);
        holds &= f64::from(standing) <= f64::from(q_t) + cells;
        measured.insert(test.name(), json!({ "q_t": q_t, "q_d": q_d, "standing_cells": standing, "peak_cells": peak }));
    }
    Ok(Finding::new(measured.into(), holds, "x"))
}
