//! The time to fair of a finished run, at any tolerance.

use crate::batch::FinishedRun;
use fairwire_core::Instant;
use fairwire_results::measures::{Reference, WindowedRate, fair_window, only_in_last_window, time_to_fair};

/// Nanoseconds from the last event until all rates are fair within `within`; infinite if never, and not a number if only in the
/// last window of the run, which says nothing of what stays.
pub fn time_to_fair_ns(run: &FinishedRun, within: f64) -> f64 {
    let told = run.outcome.summary.time_to_fair.iter().find(|told| (told.within - within).abs() < 1e-12);
    let told = told.map(|told| told.ns.map(|ns| (ns, told.only_in_last_window)));
    match told.unwrap_or_else(|| computed(run, within)) {
        None => f64::INFINITY,
        Some((_, true)) => f64::NAN,
        Some((ns, false)) => ns as f64,
    }
}

/// For tolerances that the summary does not tell: the time, and whether it is only in the last window.
fn computed(run: &FinishedRun, within: f64) -> Option<(u64, bool)> {
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
    let time = time_to_fair(&judged, within, window.rows, event)?;
    Some((time.as_nanos(), only_in_last_window(time, window, event, outline.duration)))
}
