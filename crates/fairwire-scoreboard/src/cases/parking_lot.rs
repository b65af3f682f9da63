//! Parking lots: all stations on the way send to its end.

use crate::ScoreError;
use fairwire_scenario::Scenario;
use std::ops::RangeInclusive;

/// Lots that are tried, by the hops of the farthest sender.
pub const HOPS: RangeInclusive<u16> = 2..=32;

/// Delay of a span and packets a lap are those of the middle of the random rings.
const SPAN_US: u64 = 300;

/// Stations 0 to `hops` − 1 of a ring of twice as many send to station `hops`,
/// all without end: each is due an equal part of the last link.
///
/// # Errors
/// [`ScoreError::Scenario`] if it makes no scenario; no lot of [`HOPS`] does that.
pub fn parking_lot(hops: u16) -> Result<(Scenario, String), ScoreError> {
    let case = format!("lot-{hops}");
    let stations = u64::from(2 * hops);
    let lap_us = stations * SPAN_US;
    // 100 packets of 8000 bits on a lap.
    let capacity_bps = 100 * 8_000 * 1_000_000 / lap_us;
    // A thousand packets a flow in each half: its fair rate is 100 / hops packets a lap.
    let laps = u64::from(10 * hops).max(500);
    let senders = (0..hops).map(|station| station.to_string()).collect::<Vec<_>>().join(", ");
    let toml = format!(
        "schema = 1\n\
         title = \"Parking lot of {hops} hops\"\n\
         \n\
         [run]\n\
         duration = \"{} us\"\n\
         warmup = \"{} us\"\n\
         window = \"{lap_us} us\"\n\
         \n\
         [ring]\n\
         stations = {stations}\n\
         capacity = \"{capacity_bps} b/s\"\n\
         span-delay = \"{SPAN_US} us\"\n\
         law = {{ name = \"dvsr\" }}\n\
         transit = {{ buffer = \"200 kB\" }}\n\
         station-queues = \"per-destination\"\n\
         station-buffer = \"200 kB\"\n\
         \n\
         [[flow]]\n\
         name = \"from\"\n\
         from = [{senders}]\n\
         to = {hops}\n\
         ringlet = 0\n\
         traffic = {{ kind = \"greedy\", packet = \"1 kB\", size-jitter = \"5 %\" }}\n",
        2 * laps * lap_us,
        laps * lap_us,
    );
    match Scenario::parse(&case, &toml) {
        Ok(scenario) => Ok((scenario, toml)),
        Err(errors) => Err(ScoreError::Scenario { case, message: errors.to_string() }),
    }
}
