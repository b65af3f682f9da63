//! Tables I to III of [rpr-enhanced-conservative], row by row: the law at one
//! station goes through long random histories beside the tables as printed.

use super::lone_station::{AGING, FAR, Interval, LoneStation, UNRESERVED_BPS, rate_bps};
use super::{Claim, Finding, Trouble};
use crate::runs::of_toml;
use crate::tolerance::round;
use fairwire_core::Streams;
use fairwire_laws::ring::rpr::Message;
use fairwire_laws::ring::{RingLaw, rpr_aggressive_stq, rpr_conservative_enhanced, rpr_conservative_original};
use rand::RngExt;
use serde_json::json;

/// The station that is asked; the stations upstream of it, each with its weight.
const HERE: u16 = 4;
const WEIGHTS: [f64; 8] = [1.0, 2.0, 3.0, 1.0, 2.0, 1.0, 1.0, 1.0];
const INTERVALS: usize = 200_000;
/// Round trips are fixed so that the table alone is looked at: ten intervals.
const ROUND_TRIP: &str = "rtt = \"1 ms\"\nlp-coef = 1\n";
const ROUND_TRIP_INTERVALS: usize = 10;
/// Marks of a queue of 256 kB.
const LOW: u64 = 32_000;
const MEDIUM: u64 = 48_000;
const HIGH: u64 = 64_000;
/// Coefficients; β as bytes in an aging interval is the slack of the exit test.
const ALPHA: f64 = 64.0;
const BETA: f64 = 64.0;

/// What a table looks at in one interval.
#[derive(Clone, Copy)]
struct IntervalSample {
    stq: u64,
    add_bps: f64,
    forward_bps: f64,
    /// Weight of this station, and of the active ones upstream together.
    weight: f64,
    others: f64,
    active_others: f64,
    /// Whether a round trip has passed since it was reset.
    trip_over: bool,
}

/// A table's state and L.
struct Table {
    congested: bool,
    fair_bps: f64,
    /// Intervals since the round trip was reset.
    since_reset: usize,
    /// How often each row came, and how often one was left as the law's notes say.
    rows: [u32; 7],
    guarded: u32,
}

impl Table {
    /// Row 1.
    fn new() -> Self {
        Self { congested: false, fair_bps: UNRESERVED_BPS, since_reset: 0, rows: [1, 0, 0, 0, 0, 0, 0], guarded: 0 }
    }

    fn row(&mut self, number: usize, fair_bps: f64) {
        self.rows[number - 1] += 1;
        self.fair_bps = fair_bps;
    }

    fn is_near_the_whole(&self) -> bool {
        self.fair_bps >= UNRESERVED_BPS - rate_bps(BETA as u32)
    }
}

type Step = fn(&mut Table, &IntervalSample);

/// Table I.
fn aggressive(table: &mut Table, now: &IntervalSample) {
    match (table.congested, now.stq > LOW) {
        (false, true) => table.row(2, now.add_bps),
        (false, false) => table.row(3, UNRESERVED_BPS),
        (true, false) => table.row(4, UNRESERVED_BPS),
        (true, true) => table.row(5, now.add_bps),
    }
    table.congested = now.stq > LOW;
}

/// Table II, with a weight of one.
fn original(table: &mut Table, now: &IntervalSample) {
    let (all, fair) = (UNRESERVED_BPS, table.fair_bps);
    if !table.congested {
        if now.stq <= LOW {
            return table.row(3, all);
        }
        table.row(2, all / (now.active_others + 1.0));
        (table.congested, table.since_reset) = (true, 0);
    } else if table.is_near_the_whole() {
        table.row(4, all);
        table.congested = false;
    } else if now.stq > HIGH && now.trip_over {
        table.row(5, fair - fair / BETA);
        table.since_reset = 0;
    } else if now.stq <= LOW && now.trip_over {
        table.row(6, all.min(fair + (all - fair) / BETA));
        table.since_reset = 0;
    }
}

/// Table III.
fn enhanced(table: &mut Table, now: &IntervalSample) {
    let (all, sum) = (UNRESERVED_BPS, now.weight + now.others);
    if !table.congested {
        if now.stq <= LOW {
            return table.row(3, all);
        }
        onset(table, now);
        (table.congested, table.since_reset) = (true, 0);
        return;
    }
    if table.is_near_the_whole() {
        table.row(4, all);
        table.congested = false;
        return;
    }
    let (fair, total) = (table.fair_bps, now.add_bps + now.forward_bps);
    if now.stq > MEDIUM && now.trip_over {
        table.row(5, fair - fair / BETA);
        table.since_reset = 0;
    } else if now.stq < LOW && now.trip_over {
        table.guarded += u32::from(total > all);
        table.row(6, all.min(fair + (all - total).max(0.0) / ALPHA));
        table.since_reset = 0;
    }
    if now.stq > HIGH && now.others > 0.0 && now.add_bps / now.weight < now.forward_bps / now.others {
        table.row(7, table.fair_bps.min(now.weight * total / sum));
    }
}

/// Row 2 of Table III, eq. (1), and where it gives no less than the whole.
fn onset(table: &mut Table, now: &IntervalSample) {
    let equal = now.weight * UNRESERVED_BPS / (now.weight + now.others);
    if now.others == 0.0 {
        table.guarded += 1;
        return table.row(2, UNRESERVED_BPS);
    }
    if now.add_bps >= equal {
        return table.row(2, equal);
    }
    table.row(2, now.weight * (UNRESERVED_BPS - now.add_bps) / now.others);
    if table.is_near_the_whole() {
        table.guarded += 1;
        table.fair_bps = equal;
    }
}

/// Table I.
pub fn aggressive_table(_claim: &Claim) -> Result<Finding, Trouble> {
    beside::<rpr_aggressive_stq::Law>("lp-coef = 1", aggressive, true, 5, "")
}

/// Table II.
pub fn original_table(_claim: &Claim) -> Result<Finding, Trouble> {
    let note = "; weights count as one, β as 64 bytes per aging interval in row 4";
    beside::<rpr_conservative_original::Law>(ROUND_TRIP, original, false, 6, note)
}

/// Table III.
pub fn enhanced_table(_claim: &Claim) -> Result<Finding, Trouble> {
    let note = "; β is 64 bytes per aging interval in row 4. Guarded: alone, L = R in row 2; where eq. (1) gives no less \
                than row 4 asks, the equal part (else a heavy head leaves and returns in turn); row 6 never lowers L";
    let text = format!("{ROUND_TRIP}round-trip = \"fixed\"");
    beside::<rpr_conservative_enhanced::Law>(&text, enhanced, true, 7, note)
}

/// Leads the law and the table through the same history.
fn beside<L: RingLaw<Msg = Message>>(
    parameters: &str,
    step: Step,
    weighted: bool,
    rows: usize,
    note: &str,
) -> Result<Finding, Trouble> {
    let mut law = LoneStation::<L>::new(&of_toml(parameters)?, HERE, &WEIGHTS)?;
    let mut table = Table::new();
    let mut rng = Streams::new(1, 0).component("fairness tables");
    let (mut worst, mut differing, mut stretch, mut regime) = (0.0f64, 0u32, 0u32, 0u32);
    for _ in 0..INTERVALS {
        if stretch == 0 {
            regime = rng.random_range(0..5);
            // Long enough, when calm, for L to climb all the way.
            stretch = rng.random_range(1..if regime == 0 { 8_000 } else { 400 });
        }
        stretch -= 1;
        let stq = match regime {
            0 | 1 => rng.random_range(0..=LOW),
            2 => rng.random_range(LOW..=MEDIUM),
            3 => rng.random_range(MEDIUM..=HIGH + 20_000),
            _ => [LOW, LOW + 1, MEDIUM, MEDIUM + 1, HIGH, HIGH + 1][rng.random_range(0..6)],
        };
        // At times light, so that the rate climbs; at times none upstream.
        let most = if regime == 0 { 500 } else { 3_000 };
        let add = rng.random_range(0..=most);
        let senders: Vec<u16> = (0..HERE).filter(|_| rng.random_range(0..3) > 0).collect();
        let forward: Vec<(u16, u16, u32)> =
            senders.iter().map(|&from| (from, FAR, rng.random_range(1..=most))).collect();
        let found = law.pass(&Interval { add, forward: forward.clone(), stq, heard: None })?;
        let weight_of = |station: u16| if weighted { WEIGHTS[usize::from(station)] } else { 1.0 };
        table.since_reset += 1;
        let seen = IntervalSample {
            stq,
            add_bps: rate_bps(add),
            forward_bps: rate_bps(forward.iter().map(|(_, _, bytes)| bytes).sum()),
            weight: weight_of(HERE),
            others: senders.iter().map(|&from| weight_of(from)).sum(),
            active_others: senders.len() as f64,
            trip_over: table.since_reset >= ROUND_TRIP_INTERVALS,
        };
        step(&mut table, &seen);
        let off = (found.fair_bps - table.fair_bps).abs() / UNRESERVED_BPS;
        worst = worst.max(off);
        differing += u32::from(found.congested != table.congested || off > 1e-12);
    }
    let all_rows = table.rows[..rows].iter().all(|times| *times > 0);
    let measured = json!({
        "times_row_taken": table.rows[..rows],
        "intervals": INTERVALS,
        "intervals_that_differ": differing,
        "largest_difference_over_R": round(worst),
        "guarded": table.guarded,
    });
    let note = format!(
        "the law itself and the table beside it through {INTERVALS} random aging intervals of {} with LPCOEF 1{note}",
        AGING.to_text()
    );
    Ok(Finding::new(measured, all_rows && differing == 0, note))
}
