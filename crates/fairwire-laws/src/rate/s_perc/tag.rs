//! Tags: by them a port knows the states that it has written itself.

use super::cell::HopState;
use fairwire_core::{FlowId, RandomStream};
use rand::RngExt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The secret of a port, drawn when it is needed first.
#[derive(Clone, Debug, Default)]
pub(super) struct Secret(Option<[u64; 2]>);

impl Secret {
    /// The tag of a state of this flow: a hash behind the secret.
    pub fn tag(&mut self, rng: &mut RandomStream, flow: FlowId, state: &HopState) -> u64 {
        let secret = *self.0.get_or_insert_with(|| rng.random());
        let mut hasher = DefaultHasher::new();
        (secret, flow.0, state.elsewhere, state.round).hash(&mut hasher);
        for value in [state.excess_bps, state.weight, state.minimum_bps, state.offers] {
            value.to_bits().hash(&mut hasher);
        }
        hasher.finish()
    }
}
