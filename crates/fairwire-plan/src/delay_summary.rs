//! Delays in a few numbers.

/// Delays of many packets: mean and largest exactly, percentiles to two significant digits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DelaySummary {
    /// Packets measured.
    pub count: u64,
    /// Mean, of the exact delays.
    pub mean_ns: f64,
    /// Median.
    pub p50_ns: u64,
    /// 95th percentile.
    pub p95_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// Largest, exactly.
    pub max_ns: u64,
}
