//! How soon rates are fair again without queue control: Tables 2, 3 and 10 of [wmfqc], and the network that
//! they give away.

use super::runs::{Scheme, Setting, TRUNKS, Test};
use super::table::{OFF, ON, ResponseTable};
use super::{Claim, Finding, Trouble, expected_numbers, list, margin};
use crate::catalogue::number;
use crate::tolerance::round;
use serde_json::json;

const MAX_MIN: Test = Test::new(Setting::Equal, Scheme::MaxMin);
const WMFQC: Test = Test::new(Setting::Equal, Scheme::Wmfqc);
const WEIGHTED: Test = Test::new(Setting::Wan, Scheme::Wmfqc);

/// Table 2.
pub fn max_min_table(claim: &Claim) -> Result<Finding, Trouble> {
    let (printed, found) = (ResponseTable::printed(claim)?, MAX_MIN.printed()?.responses());
    let (on, off) = (found.farthest_us(&printed, ON), found.farthest_us(&printed, OFF));
    let measured =
        json!({ "response_us": found.json(), "on_rows_off_by_us": round(on), "off_rows_off_by_us": round(off) });
    let holds = on <= margin(claim, "on_rows_abs_us")? && off == 0.0;
    let note = "the rebuilt network, once on the printed schedule; the law runs at the exit ports of VC1 and VC5, too";
    Ok(Finding::new(measured, holds, note).drawn(found.figure("Table 2: slowest answers, Max-Min", &printed)))
}

/// Table 3.
pub fn wmfqc_table(claim: &Claim) -> Result<Finding, Trouble> {
    let (printed, found) = (ResponseTable::printed(claim)?, WMFQC.printed()?.responses());
    let (on, off) = (found.farthest_us(&printed, ON), found.farthest_part(&printed, OFF));
    let measured =
        json!({ "response_us": found.json(), "on_rows_off_by_us": round(on), "off_rows_off_by": round(off) });
    let holds = on <= margin(claim, "on_rows_abs_us")? && off <= margin(claim, "off_rows_rel")?;
    Ok(Finding::new(measured, holds, OF_OFF_ROWS).drawn(found.figure("Table 3: slowest answers, WMFQC", &printed)))
}

const OF_OFF_ROWS: &str = "the rebuilt network, once on the printed schedule. A port takes a connection for over when its last cell \
                           has come, in place of the paper's measuring interval, which is not given; another model with the same \
                           rule has these turn-off rows, too (`derived_model_response_us_off`)";

/// Table 10.
pub fn weighted_table(claim: &Claim) -> Result<Finding, Trouble> {
    let (printed, found) = (ResponseTable::printed(claim)?, WEIGHTED.printed()?.responses());
    let (on, off) = (found.farthest_us(&printed, ON), found.farthest_part(&printed, OFF));
    let (average, expected) = (found.average(), super::expected_number(claim, "average_us")?);
    let average_off = (average / expected - 1.0).abs();
    let measured = json!({
        "response_us": found.json(), "average_us": round(average), "on_rows_off_by_us": round(on), "off_rows_off_by": round(off),
        "average_off_by": round(average_off),
    });
    let holds = on <= margin(claim, "on_rows_abs_us")?
        && off <= margin(claim, "off_rows_rel")?
        && average_off <= margin(claim, "average_rel")?;
    Ok(Finding::new(measured, holds, OF_OFF_ROWS).drawn(found.figure("Table 10: slowest answers, WQCX", &printed)))
}

/// §5.1: Max-Min and WMFQC answer in the same time when a connection comes on.
pub fn equal_runs(claim: &Claim) -> Result<Finding, Trouble> {
    let (max_min, wmfqc) = (MAX_MIN.printed()?.responses(), WMFQC.printed()?.responses());
    let apart = max_min.farthest_us(&wmfqc, ON);
    let within = (apart - super::expected_number(claim, "difference_us")?).abs() <= margin(claim, "abs")?;
    let note = "largest difference between the turn-on rows of both laws, each run once on the printed schedule";
    Ok(Finding::new(json!({ "difference_us": round(apart) }), within, note))
}

/// §5.1: what is known of Fig. 3.
pub fn rebuilt_network(claim: &Claim) -> Result<Finding, Trouble> {
    let (mut farthest, mut entries) = (0.0f64, 0);
    let mut peaks = Vec::new();
    for (test, times, queues) in [
        (WMFQC, "derived_table3_on_us", "derived_max_queue_cells_unweighted"),
        (WEIGHTED, "derived_table10_on_us", "derived_max_queue_cells_weighted"),
    ] {
        let seen = test.printed()?;
        // Entries above zero, row by row.
        let found: Vec<f64> = seen.responses().0[ON]
            .iter()
            .flat_map(|row| row.iter().flatten())
            .copied()
            .filter(|us| *us > 0.0)
            .collect();
        let printed: Vec<f64> = list(&claim.expected, times)?
            .iter()
            .flat_map(|row| row.as_array().into_iter().flatten())
            .filter_map(number)
            .collect();
        if found.len() != printed.len() {
            return Err(format!("{} answers were found and {} are expected", found.len(), printed.len()));
        }
        entries += found.len();
        farthest = found.iter().zip(&printed).map(|(found, printed)| (found - printed).abs()).fold(farthest, f64::max);
        peaks.push((seen.deepest, expected_numbers(claim, queues)?));
    }
    let same_peaks = peaks.iter().all(|(found, expected): &([u32; TRUNKS], Vec<f64>)| {
        found.iter().zip(expected).all(|(found, expected)| f64::from(*found) == *expected)
    });
    let measured = json!({
        "entries": entries, "farthest_us": round(farthest),
        "max_queue_cells_unweighted": peaks[0].0, "max_queue_cells_weighted": peaks[1].0,
    });
    let holds = farthest <= margin(claim, "abs_us")? && same_peaks;
    let note = "turn-on entries of Tables 3 and 10 above zero, and queues with the cell in transmission";
    Ok(Finding::new(measured, holds, note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    fn claim(id: &str) -> &'static Claim {
        catalogue().iter().find(|claim| claim.id == id).expect("an id of the catalogue")
    }

    #[test]
    fn turn_on_rows_are_the_printed_ones_to_a_twentieth_of_a_microsecond() {
        for (id, test) in [("wmfqc-table2", MAX_MIN), ("wmfqc-table3", WMFQC), ("wmfqc-table10", WEIGHTED)] {
            let (printed, found) = (ResponseTable::printed(claim(id)).unwrap(), test.printed().unwrap().responses());
            assert!(found.farthest_us(&printed, ON) <= 0.05, "{id}: {found:?}");
        }
    }

    #[test]
    fn under_max_min_nobody_answers_a_connection_that_goes_off() {
        let (printed, found) =
            (ResponseTable::printed(claim("wmfqc-table2")).unwrap(), MAX_MIN.printed().unwrap().responses());
        assert_eq!(found.farthest_us(&printed, OFF), 0.0, "{found:?}");
    }

    #[test]
    fn a_table_that_differs_is_told_from_the_printed_one() {
        let printed = ResponseTable::printed(claim("wmfqc-table3")).unwrap();
        let mut other = printed.clone();
        other.0[1][0] = other.0[1][0].map(|us| us + 0.06);
        assert!(other.farthest_us(&printed, ON) > 0.05);
        assert_eq!(other.farthest_us(&printed, OFF), 0.0);
        other.0[7][5] = None;
        assert_eq!(other.farthest_us(&printed, OFF), f64::INFINITY);
    }
}
