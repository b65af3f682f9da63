//! How unfair feedback that comes once a window can be, at most.

/// Lemmas 1 and 2: a flow that always has something to send is let through at
/// most this much too much, or held back at most this much too much, in bits:
/// (1 − 1/N)·C·T for `flows` = N ingresses (`[dvsr]` §VI-B).
pub fn throttling_bound_bits(capacity_bps: f64, window_s: f64, flows: usize) -> f64 {
    (1.0 - 1.0 / flows.max(1) as f64) * capacity_bps * window_s
}

/// Lemma 3: over any interval the services of two such flows differ by at most
/// this much, in bits: 2·(C − C/N)·T (`[dvsr]` §VI-B).
pub fn pairwise_bound_bits(capacity_bps: f64, window_s: f64, flows: usize) -> f64 {
    2.0 * throttling_bound_bits(capacity_bps, window_s, flows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_example_is_123_kilobytes() {
        // [dvsr] §VI-C: 1 Gb/s, 64 nodes, T = 0.5 ms; printed as 125 kB.
        assert_eq!(pairwise_bound_bits(1e9, 0.5e-3, 64) / 8.0, 123_046.875);
    }

    #[test]
    fn nothing_can_go_wrong_alone_or_without_delay() {
        assert_eq!(throttling_bound_bits(1e9, 1e-3, 1), 0.0);
        assert_eq!(throttling_bound_bits(1e9, 1e-3, 0), 0.0);
        assert_eq!(pairwise_bound_bits(1e9, 0.0, 64), 0.0);
    }
}
