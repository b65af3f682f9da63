//! The bandwidth that is kept for minimums and beside them: §3.2 of [wmfqc].

use super::runs::CELL_BITS;
use super::{Claim, Finding, Trouble, expected_number, margin};
use crate::runs::{checked_network, wmfqc_guard};
use crate::tolerance::round;
use fairwire_core::Instant;
use fairwire_plan::{Detail, NetworkPlan, NetworkRecord, Offer};
use serde_json::json;

/// Minimum rates in bit/s of the flows that are told their rates, by their numbers.
fn minimums(plan: &NetworkPlan) -> Vec<(usize, f64)> {
    let flows = plan.flows.iter().enumerate();
    let minimum = |(flow, planned): (usize, &fairwire_plan::NetworkFlowPlan)| match &planned.offer {
        Offer::Rate(rate) => Some((flow, rate.terms.minimum_bps)),
        _ => None,
    };
    flows.filter_map(minimum).collect()
}

/// Rows in which all flows have been at their minimums since the row before, from some time on.
fn at_minimums(record: &NetworkRecord, minimums: &[(usize, f64)], from: Instant) -> Vec<usize> {
    let row = record.window.as_nanos();
    let is_at = |flow: usize, minimum: f64, from_ns: u64, until_ns: u64| {
        let Some(rate) = &record.flows[flow].rate else { return false };
        let before = rate.allowed.iter().take_while(|allowed| allowed.t.as_nanos() <= from_ns).last();
        let within = rate.allowed.iter().filter(|allowed| (from_ns + 1..until_ns).contains(&allowed.t.as_nanos()));
        before.into_iter().chain(within).all(|allowed| allowed.rate_bps == minimum) && before.is_some()
    };
    // What was sent before arrives within a row.
    let rows = (from.as_nanos() / row + 2)..record.duration.as_nanos() / row;
    let all = |number: &u64| {
        minimums.iter().all(|(flow, minimum)| is_at(*flow, *minimum, (number - 2) * row, (number + 1) * row))
    };
    rows.filter(all).map(|number| number as usize).collect()
}

/// The longest stretch of numbers one after the other.
fn longest_stretch(rows: &[usize]) -> &[usize] {
    let mut best = 0..0;
    let mut start = 0;
    for at in 0..rows.len() {
        if at > 0 && rows[at] != rows[at - 1] + 1 {
            start = at;
        }
        if at + 1 - start > best.len() {
            best = start..at + 1;
        }
    }
    &rows[best]
}

/// §3.2: a guard over the minimums drains the queue.
pub fn drains(claim: &Claim) -> Result<Finding, Trouble> {
    let mut plan = wmfqc_guard()?.network_plan(0).ok_or("the scenario is not a network")?;
    plan.detail = Detail::Full;
    let record = checked_network(&plan)?;
    let minimums = minimums(&plan);
    let others_come = plan.flows.iter().find(|flow| flow.high_priority).ok_or("nothing goes before the flows")?.start;
    let reserved: f64 = minimums.iter().map(|(_, bps)| bps).sum();
    let factor = expected_number(claim, "guard_factor")?;
    let rows = at_minimums(&record, &minimums, others_come);
    let stretch = longest_stretch(&rows);
    let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else {
        return Err("the flows are never at their minimums for longer".to_owned());
    };
    let link = &record.links[0];
    let (from, until) = (link.waiting_packets[*first], link.waiting_packets[*last]);
    let row_s = record.window.as_secs_f64();
    let drained_bps = (f64::from(from) - f64::from(until)) * CELL_BITS / ((last - first) as f64 * row_s);
    // Before the others come, in the second half of that time.
    let quiet = others_come.as_nanos() / record.window.as_nanos();
    let sent: u64 = link.sent_bytes[(quiet / 2) as usize..quiet as usize].iter().map(|bytes| u64::from(*bytes)).sum();
    let used = sent as f64 * 8.0 / ((quiet - quiet / 2) as f64 * row_s * plan.links[0].capacity.as_bps_f64());
    let within = margin(claim, "rel")?;
    let least_bps = factor * reserved;
    let holds = drained_bps >= least_bps * (1.0 - within)
        && (used - expected_number(claim, "steady_utilisation_limit")?).abs() <= within;
    let measured = json!({
        "guard_factor": factor, "sum_of_mr_mbps": round(reserved / 1e6), "drain_rate_mbps": round(drained_bps / 1e6),
        "gf_times_sum_of_mr_mbps": round(least_bps / 1e6), "from_cells": from, "to_cells": until,
        "for_ms": round((last - first) as f64 * row_s * 1e3), "steady_utilisation": round(used),
    });
    let note = "scenarios/papers/wmfqc-guard.toml: flows with minimums of 40 of 100 Mb/s; traffic that goes first comes with 58 Mb/s, which leaves \
                1.05·Σ MR, and the queue grows beyond Q_T until all flows are at their minimums. The drain is measured over the longest time in which \
                they are; the use of the link before, when nobody goes first";
    Ok(Finding::new(measured, holds, note))
}

#[cfg(test)]
mod tests {
    use super::longest_stretch;

    #[test]
    fn the_longest_stretch_has_no_gap() {
        assert_eq!(longest_stretch(&[1, 2, 5, 6, 7, 9]), [5, 6, 7]);
        assert_eq!(longest_stretch(&[1, 2, 3, 8]), [1, 2, 3]);
        assert_eq!(longest_stretch(&[]), [0usize; 0]);
    }
}
