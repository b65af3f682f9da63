//! RPR's swings in the packet simulator, beside what propositions and models say.

mod losses;
mod propositions;
mod traces;

pub use losses::{aggressive_loss, conservative_loss, upstream_parallel};
pub use propositions::{proposition_three, proposition_two};
pub use traces::{aggressive_trace, conservative_trace};

use super::{Claim, Trouble};
use crate::runs::{self, Run, law};
use crate::tolerance::rounded;
use fairwire_core::StationId;
use fairwire_plan::Detail;
use fairwire_scenario::Scenario;
use std::fmt::Write;
use std::sync::Arc;

/// The papers' link, in Mb/s.
const LINK: f64 = 622.0;

/// One constant flow of a made-up ring.
#[derive(Clone, Copy)]
struct Constant {
    from: usize,
    to: usize,
    mbps: f64,
    packet_bytes: u32,
}

impl Constant {
    fn new(from: usize, to: usize, mbps: f64) -> Self {
        Self { from, to, mbps, packet_bytes: 1_000 }
    }
}

/// A law's name, and its parameters as TOML.
type Chosen = (&'static str, &'static str);

const AGGRESSIVE: Chosen = ("rpr-aggressive", "");
const CONSERVATIVE: Chosen = ("rpr-conservative", "");
/// As [dvsr] §II-D prints it: active is who had a packet served in the last aging interval alone.
const FORGETFUL: Chosen = ("rpr-conservative", "active-intervals = 1");

/// Ten stations, 622 Mb/s, 0.1 ms a span, 200 kB, rows of 0.1 ms, one second to settle in.
fn measured(flows: &[Constant], chosen: Chosen, seconds: f64, detail: Detail) -> Result<Arc<Run>, Trouble> {
    let mut text = format!(
        "schema = 1\n[run]\nduration = \"{seconds} s\"\nwarmup = \"1 s\"\nwindow = \"0.1 ms\"\n[ring]\nstations = 10\n\
         capacity = \"{LINK} Mb/s\"\nspan-delay = \"0.1 ms\"\nlaw = {{ name = \"fifo\" }}\n"
    );
    for Constant { from, to, mbps, packet_bytes } in flows {
        let _ = write!(
            text,
            "[[flow]]\nname = \"from-{from}\"\nfrom = {from}\nto = {to}\nringlet = 0\n\
             traffic = {{ kind = \"cbr\", rate = \"{mbps} Mb/s\", packet = \"{packet_bytes} B\", size-jitter = \"5 %\" }}\n"
        );
    }
    let scenario = Scenario::parse("made-up ring", &text).map_err(|errors| errors.to_string())?;
    runs::run(&scenario, &law(chosen.0, chosen.1)?, 0, detail)
}

/// What a station allows its only flow, in bit/s, each aging interval after the warm-up.
fn allowed(run: &Run, station: usize) -> Vec<f64> {
    let begin = fairwire_core::Instant::ZERO + run.record.warmup;
    let of_station = run.record.laws.iter().filter(|sample| {
        sample.name == "allowed_rate_bps" && sample.station == StationId(station as u16) && sample.t >= begin
    });
    of_station.map(|sample| sample.value).collect()
}

/// Lengths of the cycles of a rate, in steps, from one fall to the next.
fn cycle_lengths(rates: &[f64]) -> Vec<f64> {
    falls(rates).windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect()
}

/// When a rate falls from above 3/4 of its range to below 1/4, in steps.
fn falls(rates: &[f64]) -> Vec<usize> {
    let (low, high) = rates.iter().fold((f64::INFINITY, 0.0f64), |(low, high), rate| (low.min(*rate), high.max(*rate)));
    let (quarter, three) = (low + (high - low) / 4.0, low + (high - low) * 0.75);
    let mut falls = Vec::new();
    let mut was_high = false;
    for (step, &rate) in rates.iter().enumerate() {
        if rate >= three {
            was_high = true;
        } else if rate <= quarter && was_high {
            falls.push(step);
            was_high = false;
        }
    }
    falls
}

fn in_mbps(rates_bps: &[f64]) -> Vec<f64> {
    let low = rates_bps.iter().copied().fold(f64::INFINITY, f64::min);
    let high = rates_bps.iter().copied().fold(0.0, f64::max);
    rounded(&[low / 1e6, high / 1e6])
}

fn expected_rate(claim: &Claim, key: &str) -> Result<f64, Trouble> {
    claim.scenario.get(key).and_then(crate::catalogue::number).ok_or_else(|| format!("the catalogue gives no `{key}`"))
}
