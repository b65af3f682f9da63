//! Figures of the papers, drawn from what was measured.

use crate::catalogue::Claim;
use crate::runs::Run;
use crate::tandem::flows_of;
use fairwire_core::Span;
use fairwire_results::{Curve, Figure};

/// What the paper's points are called.
pub const PRINTED: &str = "the paper";
/// What points are called that the paper does not print, but gives what it takes to work them out.
pub const DERIVED: &str = "worked out from the paper";

/// "Fig. 16: what it shows", or the section where the claim has no figure.
pub fn title(claim: &Claim, what: &str) -> String {
    let place = claim.place.find("Fig").map_or(claim.place.as_str(), |at| &claim.place[at..]);
    format!("{place}: {what}")
}

/// Bars over names: curves measured here, and what the paper prints.
pub fn bars(
    title: String,
    names: Vec<String>,
    y: &str,
    curves: &[(&str, &[f64])],
    printed: &[(&str, &[f64])],
) -> Figure {
    let of = |all: &[(&str, &[f64])]| all.iter().map(|(name, values)| Curve::counted(name, 1, values)).collect();
    Figure { title, y: y.to_owned(), names, curves: of(curves), printed: of(printed), ..Figure::default() }
}

/// Shares of capacity, flow by flow.
pub fn shares(claim: &Claim, run: &Run, what: &str, curves: &[(&str, &[f64])], printed: &[(&str, &[f64])]) -> Figure {
    let figure = bars(title(claim, what), flow_names(run), "share of capacity", curves, printed);
    Figure { x: "flow".to_owned(), ..figure }
}

/// Shares of capacity over the flows of the claim's topology.
pub fn rates(claim: &Claim, what: &str, curves: &[(&str, &[f64])], printed: &[(&str, &[f64])]) -> Figure {
    let flows = flows_of(claim).unwrap_or_default();
    let names = flows.iter().map(|(from, to)| format!("({from},{to})")).collect();
    Figure { x: "flow".to_owned(), ..bars(title(claim, what), names, "part of the link", curves, printed) }
}

/// "(1,5)" for each flow of a run.
pub fn flow_names(run: &Run) -> Vec<String> {
    run.plan.flows.iter().map(|flow| format!("({},{})", flow.from.0, flow.to.0)).collect()
}

/// A flow's throughput in windows of `width`, in Mb/s over ms since `since_ms`, each at its middle.
pub fn throughput(run: &Run, flow: usize, name: &str, width: Span, [from_ms, to_ms]: [f64; 2], since_ms: f64) -> Curve {
    let row_ms = run.record.window.as_secs_f64() * 1e3;
    let rows = (width.as_nanos() / run.record.window.as_nanos()).max(1) as usize;
    let index = |ms: f64| (ms / row_ms).round().max(0.0) as usize;
    let delivered = &run.record.flows[flow].delivered_bytes;
    let begin = index(from_ms).min(delivered.len());
    let windows = delivered[begin..index(to_ms).clamp(begin, delivered.len())].chunks_exact(rows).enumerate();
    let point = |(at, bytes): (usize, &[u32])| {
        let middle = (begin as f64 + (at as f64 + 0.5) * rows as f64) * row_ms;
        let sum: f64 = bytes.iter().map(|&bytes| f64::from(bytes)).sum();
        (middle - since_ms, sum * 8e-3 / (rows as f64 * row_ms))
    };
    Curve { name: name.to_owned(), points: windows.map(point).collect() }
}

/// The throughput of all flows of a run, each under its name.
pub fn throughputs(run: &Run, title: String, width_ms: u64, from_to_ms: [f64; 2], since_ms: f64) -> Figure {
    let width = Span::from_millis(width_ms);
    let curve = |(flow, name): (usize, &String)| throughput(run, flow, name, width, from_to_ms, since_ms);
    let curves = flow_names(run).iter().enumerate().map(curve).collect();
    Figure { title, x: "ms".to_owned(), y: format!("Mb/s in windows of {width_ms} ms"), curves, ..Figure::default() }
}
