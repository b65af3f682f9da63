//! The time to fair of a finished run, at any tolerance.

use crate::batch::FinishedRun;
use fairwire_core::Instant;
use fairwire_results::measures::{Reference, WindowedRate, fair_window, time_to_fair};

/// Nanoseconds from the last event until all rates are fair within `within`; infinite if never.
pub fn time_to_fair_ns(run: &FinishedRun, within: f64) -> f64 {
    let told = run.outcome.summary.time_to_fair.iter().find(|told| (told.within - within).abs() < 1e-12);
    let ns = told.map_or_else(|| computed_ns(run, within), |told| told.ns);
    ns.map_or(f64::INFINITY, |ns| ns as f64)
}

/// For tolerances that the summary does not tell.
fn computed_ns(run: &FinishedRun, within: f64) -> Option<u64> {
    let (outline, counts, summary) = (run.plan.outline(), run.outcome.record.counts(&run.plan), &run.outcome.summary);
    let references: Vec<Reference> = summary
        .flows
        .iter()
        .map(|flow| Reference {
            rate_bps: flow.fair_rate_bps,
            low_bps: flow.fair_rate_low_bps,
            high_bps: flow.fair_rate_high_bps,
        })
        .collect();
    let sizes = outline.flows.iter().map(|flow| flow.packet_bytes);
    let window = fair_window(references.iter().copied().zip(sizes), within, outline.base_time, counts.window);
    let event = Instant::from_nanos(summary.event_ns);
    let series: Vec<(WindowedRate, Reference)> = outline
        .flows
        .iter()
        .zip(&counts.flows)
        .zip(references)
        .filter(|((flow, _), _)| flow.is_active_after(event))
        .map(|((_, flow), reference)| {
            (WindowedRate::new(flow.delivered_bytes, counts.window, counts.duration), reference)
        })
        .collect();
    let judged: Vec<_> = series.iter().map(|(series, reference)| (series, *reference)).collect();
    time_to_fair(&judged, within, window.rows, event).map(|span| span.as_nanos())
}
