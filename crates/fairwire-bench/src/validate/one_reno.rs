//! One Reno flow over a drop-tail queue: the sawtooth, tooth by tooth.

use super::case::{self, inside};
use super::peer::Peer;
use super::row::Row;
use fairwire_core::Span;
use fairwire_plan::{Detail, NetworkRecord};
use fairwire_sim::simulate_network;
use fairwire_terminal::CliError;
use serde::Deserialize;

/// What one run showed; of ns-2 as its script prints it.
#[derive(Debug, Deserialize)]
pub struct Sawtooth {
    /// Acknowledged after the warm-up.
    pub rate_mbps: f64,
    /// Packets dropped in all.
    pub dropped: f64,
    /// When the first was.
    pub first_drop_s: f64,
    /// When the window was cut, and its size before.
    pub cuts: Vec<(f64, f64)>,
}

const NAME: &str = "one-reno";
const FILE: &str = "one-reno.toml";
pub(super) const TEXT: &str = include_str!("../../../../scenarios/gateways/one-reno.toml");
/// How often both sides look at window and drops.
const LOOK: Span = Span::from_millis(10);
/// Teeth are regular from here on.
const REGULAR_FROM_S: f64 = 10.0;
/// What falls by more between two looks has been cut.
const CUT: f64 = 0.9;

/// Runs it on both sides and compares.
///
/// # Errors
/// [`CliError::Missing`] if ns-2 fails.
pub fn compare(peer: &Peer) -> Result<Vec<Row>, CliError> {
    let (there, here) = (peer.one_reno()?, here()?);
    let row =
        |what: &str, of: &dyn Fn(&Sawtooth) -> f64, within: f64| Row::fixed(NAME, what, of(&there), of(&here), within);
    Ok(vec![
        row("first drop, s", &|seen| seen.first_drop_s, 0.03),
        row("dropped, packets", &|seen| seen.dropped, 2.0 / 145.0),
        row("window in slow start, packets", &Sawtooth::first_peak, 0.02),
        row("window before a cut, packets", &Sawtooth::peak, 0.01),
        row("time between cuts, s", &Sawtooth::period_s, 0.01),
        row("goodput, Mb/s", &|seen| seen.rate_mbps, 0.001),
    ])
}

fn here() -> Result<Sawtooth, CliError> {
    let mut plan = case::plan(FILE, TEXT, Ok)?;
    plan.window = LOOK;
    plan.detail = Detail::Full;
    let record = simulate_network(&plan).map_err(|error| inside(error.to_string()))?;
    Ok(Sawtooth::of(&record))
}

impl Sawtooth {
    fn of(record: &NetworkRecord) -> Self {
        let flow = &record.flows[0];
        let measured_s = (record.duration - record.warmup).as_secs_f64();
        let window = record.window.as_secs_f64();
        let first =
            record.links.iter().filter_map(|link| link.dropped_in_row.iter().position(|&drops| drops > 0)).min();
        let pairs = flow.windows.windows(2);
        let cuts = pairs.filter(|pair| pair[1].cwnd < CUT * pair[0].cwnd);
        Self {
            rate_mbps: flow.measured_bytes as f64 * 8e-6 / measured_s,
            dropped: flow.dropped as f64,
            first_drop_s: first.map_or(f64::NAN, |row| (row + 1) as f64 * window),
            cuts: cuts.map(|pair| (pair[1].t.as_secs_f64(), pair[0].cwnd)).collect(),
        }
    }

    /// The window at the first cut.
    fn first_peak(&self) -> f64 {
        self.cuts.first().map_or(f64::NAN, |cut| cut.1)
    }

    /// The cuts once they are regular.
    fn regular(&self) -> impl Iterator<Item = &(f64, f64)> {
        self.cuts.iter().filter(|cut| cut.0 >= REGULAR_FROM_S)
    }

    fn peak(&self) -> f64 {
        let count = self.regular().count() as f64;
        self.regular().map(|cut| cut.1).sum::<f64>() / count
    }

    fn period_s(&self) -> f64 {
        let first = self.regular().next().map_or(f64::NAN, |cut| cut.0);
        let last = self.regular().last().map_or(f64::NAN, |cut| cut.0);
        (last - first) / (self.regular().count() as f64 - 1.0)
    }
}
