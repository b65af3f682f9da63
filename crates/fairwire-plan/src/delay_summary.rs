//! Delays in a few numbers.

/// Percentiles of a delay, to two significant digits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DelaySummary {
    /// Packets measured.
    pub count: u64,
    /// Mean.
    pub mean_ns: f64,
    /// Median.
    pub p50_ns: u64,
    /// 95th percentile.
    pub p95_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// Largest.
    pub max_ns: u64,
}
