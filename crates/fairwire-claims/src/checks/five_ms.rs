//! Throughput as [rpr-enhanced-conservative] shows it, in windows of 5 ms.

use crate::runs::{self, Run, Trouble, law};
use fairwire_core::{Instant, Span};
use fairwire_plan::{Detail, RingPlan};
use fairwire_scenario::Scenario;
use std::sync::Arc;

/// The paper's averaging interval, in ms.
pub const WINDOW_MS: f64 = 5.0;
/// A flow is starved in a window that brings it less than this part of what it is owed.
const STARVED: f64 = 0.1;

/// A run of `scenario` under `law_name` with these parameters, its plan changed first.
pub fn run_with(
    scenario: &Scenario,
    law_name: &str,
    parameters: &str,
    change: impl FnOnce(&mut RingPlan),
) -> Result<Arc<Run>, Trouble> {
    let law = law(law_name, parameters)?;
    as_it_stands(&scenario.with_law(law), change)
}

/// A run of `scenario` as it stands.
pub fn as_it_stands(scenario: &Scenario, change: impl FnOnce(&mut RingPlan)) -> Result<Arc<Run>, Trouble> {
    let law = scenario.law().cloned().ok_or("the scenario names no law")?;
    let mut plan = scenario.ring_plan(0).ok_or("the scenario is not a ring")?;
    plan.detail = Detail::Full;
    let end = Instant::ZERO + plan.duration;
    change(&mut plan);
    // Flows that went on to the end still do.
    let new_end = Instant::ZERO + plan.duration;
    plan.flows.iter_mut().filter(|flow| flow.stop >= end).for_each(|flow| flow.stop = new_end);
    runs::run_plan(plan, &law)
}

impl Run {
    /// Flow `flow`'s mean rate in [from, to), in Mb/s.
    pub fn mbps(&self, flow: usize, from_ms: f64, to_ms: f64) -> f64 {
        self.share_between(flow, at_ms(from_ms), at_ms(to_ms)) * self.capacity() / 1e6
    }

    /// The mean rates of `flows`, in Mb/s.
    pub fn mbps_of(&self, flows: std::ops::Range<usize>, from_ms: f64, to_ms: f64) -> Vec<f64> {
        flows.map(|flow| self.mbps(flow, from_ms, to_ms)).collect()
    }

    /// Flow `flow`'s rate window by window from `from_ms` to `to_ms`, in Mb/s.
    pub fn windows(&self, flow: usize, from_ms: f64, to_ms: f64) -> Vec<f64> {
        let count = ((to_ms - from_ms) / WINDOW_MS).round() as usize;
        let start = |window: usize| from_ms + window as f64 * WINDOW_MS;
        (0..count).map(|window| self.mbps(flow, start(window), start(window) + WINDOW_MS)).collect()
    }

    /// The part of windows in which `flow` gets less than a tenth of `owed_mbps`.
    pub fn starved(&self, flow: usize, owed_mbps: f64, from_ms: f64, to_ms: f64) -> f64 {
        let windows = self.windows(flow, from_ms, to_ms);
        windows.iter().filter(|&&rate| rate < STARVED * owed_mbps).count() as f64 / windows.len() as f64
    }

    /// The first window from `from_ms` on in which each of these flows is within `rel`
    /// of its rate in Mb/s, and how many ms after `from_ms` it begins. With `for_good`
    /// it has to stay so until `to_ms`.
    pub fn reached(&self, rates: &[(usize, f64)], rel: f64, from_ms: f64, to_ms: f64, for_good: bool) -> Option<f64> {
        let windows: Vec<Vec<f64>> = rates.iter().map(|&(flow, _)| self.windows(flow, from_ms, to_ms)).collect();
        let near = |window: &usize| {
            rates.iter().zip(&windows).all(|(&(_, rate), series)| (series[*window] - rate).abs() <= rel * rate)
        };
        let count = windows.first()?.len();
        let first = if for_good {
            let stays = (0..count).rev().take_while(near).count();
            (stays > 0).then_some(count - stays)
        } else {
            (0..count).find(near)
        };
        first.map(|window| window as f64 * WINDOW_MS)
    }

    /// Bytes that the link leaving `station` has sent from the start to `to_ms`, over its capacity.
    pub fn used_until(&self, station: u16, to_ms: f64) -> Result<f64, Trouble> {
        let rows = (at_ms(to_ms).as_nanos() / self.record.window.as_nanos()) as usize;
        let link = self.record.links.iter().find(|link| link.station.0 == station).ok_or("the link carried nothing")?;
        let bytes: u64 = link.sent_bytes[..rows].iter().map(|&bytes| u64::from(bytes)).sum();
        Ok(bytes as f64 * 8e3 / to_ms / self.capacity())
    }
}

fn at_ms(ms: f64) -> Instant {
    Instant::ZERO + Span::from_nanos((ms * 1e6).round() as u64)
}
