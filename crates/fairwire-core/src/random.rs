//! Named random streams: every component draws from its own.
//!
//! A stream is keyed by (seed, run, component). The seed names the experiment,
//! the run its replication, and the component, a path such as
//! `source/to-hub-1`, whoever draws. Adding a component never changes what the
//! others draw, and no draw depends on the order in which components run.

use rand::SeedableRng;
use rand_pcg::Pcg32;

/// The generator behind every stream: one multiplication a draw, 2^63 sequences
/// of period 2^64 each, of which every component has its own.
pub type RandomStream = Pcg32;

/// All streams of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
    run: u64,
}

impl Streams {
    /// The streams of replication `run` of the experiment `seed`.
    pub const fn new(seed: u64, run: u64) -> Self {
        Self { seed, run }
    }

    /// The stream of `component`.
    pub fn component(&self, component: &str) -> RandomStream {
        let mut state = mix(mix(self.seed) ^ self.run.rotate_left(32));
        for byte in component.bytes() {
            state = mix(state ^ u64::from(byte));
        }
        let mut key = [0; 16];
        key[..8].copy_from_slice(&mix(state ^ 1).to_le_bytes());
        key[8..].copy_from_slice(&mix(state ^ 2).to_le_bytes());
        RandomStream::from_seed(key)
    }
}

/// The finaliser of SplitMix64 after one step: a bijection that spreads every input bit.
const fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn streams_differ_by_seed_run_and_component_and_repeat() {
        let draw = |seed, run, name| Streams::new(seed, run).component(name).next_u64();
        let all = [draw(1, 0, "a"), draw(2, 0, "a"), draw(1, 1, "a"), draw(1, 0, "b"), draw(1, 0, "aa")];
        for (i, x) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|y| x != y));
        }
        assert_eq!(draw(1, 0, "a"), all[0]);
    }
}
