//! Jain's index over stretches of a run, among the flows that are active in each.

use super::{Interval, WindowedRate};
use crate::plan::{FlowKind, Outline};
use crate::record::Counts;
use fairwire_alloc::jain_index;
use fairwire_core::{Instant, Span};
use serde::Serialize;

/// Jain's index of the throughputs of active flows, stretch by stretch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JainWindows {
    /// Length of a stretch.
    pub window_ns: u64,
    /// Its index in each stretch after the warm-up with at least two active flows, in order of time.
    pub indices: Vec<f64>,
    /// Mean over the stretches.
    pub mean: f64,
    /// Half of the 95 % interval of the mean, as if stretches were independent.
    pub half_width: Option<f64>,
}

/// The stretch where no flow has periods of its own.
const USUAL: Span = Span::from_millis(1_000);

/// The index (Σb)² / (N Σb²) of the throughputs b of the N flows that are active
/// in each stretch ([vrr-gateway] §III eq. (1)), each over the flow's weight and number of micro-flows.
///
/// A stretch is a period in which flows are active or not ([vrr-gateway] §III-D), the shortest of theirs, or
/// a second if none has periods. Stretches count from time zero; only whole ones after the
/// warm-up are told. Flows of transfers take no part: their throughput is what they happen
/// to fetch. None if fewer than two stretches have two active flows.
pub fn jain_windows(outline: &Outline, counts: &Counts<'_>) -> Option<JainWindows> {
    let stretch = outline.flows.iter().filter_map(|flow| flow.period).min().unwrap_or(USUAL);
    let series: Vec<_> = counts
        .flows
        .iter()
        .map(|flow| WindowedRate::new(flow.delivered_bytes, counts.window, counts.duration))
        .collect();
    let first = outline.warmup.as_nanos().div_ceil(stretch.as_nanos());
    let beyond = outline.duration.as_nanos() / stretch.as_nanos();
    let index = |number: u64| {
        let (from, until) = (Instant::ZERO + stretch * number, Instant::ZERO + stretch * (number + 1));
        let active = (0..outline.flows.len()).filter(|&flow| is_active(outline, counts, flow, from, until));
        let rates: Vec<f64> = active
            .map(|flow| {
                let rows = series[flow].row_from(from)..series[flow].row_from(until);
                series[flow].rate_bps(rows.start, rows.len()) / outline.flows[flow].share
            })
            .collect();
        (rates.len() > 1 && rates.iter().any(|rate| *rate > 0.0)).then(|| jain_index(&rates))
    };
    let indices: Vec<f64> = (first..beyond).filter_map(index).collect();
    let Interval { mean, half_width } = Interval::of(&indices);
    (indices.len() > 1).then_some(JainWindows { window_ns: stretch.as_nanos(), indices, mean, half_width })
}

/// Whether a flow takes part in all of a stretch: of its own periods, all that have a part of it are active.
fn is_active(outline: &Outline, counts: &Counts<'_>, flow: usize, from: Instant, until: Instant) -> bool {
    let planned = &outline.flows[flow];
    let in_period = planned.period.is_none_or(|every| {
        let (first, beyond) = (from.as_nanos() / every.as_nanos(), until.as_nanos().div_ceil(every.as_nanos()));
        let active = counts.flows[flow].active;
        (first..beyond).all(|period| active.get(period as usize).copied().unwrap_or(false))
    });
    planned.kind != FlowKind::Transfers && planned.start <= from && planned.stop >= until && in_period
}
