//! Flows spread over a number of lanes by a hash with a secret salt.

use fairwire_core::RandomStream;
use rand::Rng;

/// So many lanes at most, as in Linux's fq_codel and sfq: a lane takes about 100 bytes whether anybody is hashed to it or not.
pub const MOST_HASHED_LANES: u32 = 1 << 16;

/// The salt, drawn from the law's own stream when it is needed first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Salt(Option<u32>);

impl Salt {
    #[inline]
    pub fn get(&mut self, rng: &mut RandomStream) -> u32 {
        *self.0.get_or_insert_with(|| rng.next_u32())
    }

    /// The salt, if it was needed before.
    pub fn known(self) -> Option<u32> {
        self.0
    }
}

/// The place of `flow` among `places`.
#[inline]
pub fn place(flow: u32, salt: u32, places: u32) -> u32 {
    ((u64::from(mix(flow ^ salt)) * u64::from(places)) >> 32) as u32
}

/// The 32-bit finaliser of MurmurHash3: a bijection that spreads every input bit.
const fn mix(value: u32) -> u32 {
    let value = (value ^ (value >> 16)).wrapping_mul(0x85eb_ca6b);
    let value = (value ^ (value >> 13)).wrapping_mul(0xc2b2_ae35);
    value ^ (value >> 16)
}
