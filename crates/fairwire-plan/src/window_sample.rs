//! The state of senders over time.

use fairwire_core::{Instant, Span};

/// A sender at one moment, at the end of each row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowSample {
    /// When.
    pub t: Instant,
    /// Which of the flow's micro-flows.
    pub micro_flow: u32,
    /// cwnd: congestion window in segments.
    pub cwnd: f64,
    /// ssthresh: slow-start threshold in segments.
    pub ssthresh: f64,
    /// SRTT: smoothed round-trip time; zero before the first sample.
    pub srtt: Span,
    /// What it is doing: `slow-start`, `congestion-avoidance`, `fast-recovery`, `loss`.
    pub state: &'static str,
}
