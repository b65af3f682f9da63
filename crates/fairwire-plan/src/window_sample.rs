//! The state of senders over time.

use fairwire_core::{Instant, Span};

/// A sender at one moment, at the end of each row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowSample {
    /// When.
    pub t: Instant,
    /// Which of the flow's micro-flows.
    pub micro_flow: u32,
    /// Congestion window in segments.
    pub congestion_window: f64,
    /// Slow-start threshold in segments.
    pub slow_start_threshold: f64,
    /// Smoothed round-trip time; zero before the first sample.
    pub smoothed_rtt: Span,
    /// What it is doing: `slow-start`, `congestion-avoidance`, `fast-recovery`, `loss`.
    pub state: &'static str,
}
