//! How soon rates are fair again: Tables 2, 3 and 10 of [wmfqc], without queue control.

use super::runs::{Scheme, Setting, Test};
use super::table::{OFF, ON, ResponseTable};
use super::{Claim, Finding, Trouble, margin};
use crate::tolerance::round;
use serde_json::json;

const MAX_MIN: Test = Test::new(Setting::Equal, Scheme::MaxMin);
const WMFQC: Test = Test::new(Setting::Equal, Scheme::Wmfqc);
const WEIGHTED: Test = Test::new(Setting::Wan, Scheme::Wmfqc);

/// Table 2.
pub fn table2(claim: &Claim) -> Result<Finding, Trouble> {
    let (printed, found) = (ResponseTable::printed(claim)?, MAX_MIN.printed()?.responses());
    let (on, off) = (found.farthest_us(&printed, ON), found.farthest_us(&printed, OFF));
    let measured =
        json!({ "response_us": found.json(), "on_rows_off_by_us": round(on), "off_rows_off_by_us": round(off) });
    Ok(Finding::new(measured, on <= margin(claim, "on_rows_abs_us")? && off == 0.0, "x"))
}

/// Table 3.
pub fn table3(claim: &Claim) -> Result<Finding, Trouble> {
    let (printed, found) = (ResponseTable::printed(claim)?, WMFQC.printed()?.responses());
    let (on, off) = (found.farthest_us(&printed, ON), found.farthest_part(&printed, OFF));
    let measured =
        json!({ "response_us": found.json(), "on_rows_off_by_us": round(on), "off_rows_off_by": round(off) });
    let holds = on <= margin(claim, "on_rows_abs_us")? && off <= margin(claim, "off_rows_rel")?;
    Ok(Finding::new(measured, holds, "x"))
}

/// Table 10.
pub fn table10(claim: &Claim) -> Result<Finding, Trouble> {
    let (printed, found) = (ResponseTable::printed(claim)?, WEIGHTED.printed()?.responses());
    let (on, off) = (found.farthest_us(&printed, ON), found.farthest_part(&printed, OFF));
    let measured =
        json!({ "response_us": found.json(), "on_rows_off_by_us": round(on), "off_rows_off_by": round(off) });
    let holds = on <= margin(claim, "on_rows_abs_us")? && off <= margin(claim, "off_rows_rel")?;
    Ok(Finding::new(measured, holds, "x"))
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
