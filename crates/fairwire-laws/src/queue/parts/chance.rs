//! Draws from a law's random stream.

use fairwire_core::RandomStream;
use rand::Rng;

/// True with this probability; nothing is drawn where the outcome is certain.
#[inline]
pub fn happens(rng: &mut RandomStream, probability: f64) -> bool {
    const DRAWS: f64 = 4_294_967_296.0;
    probability > 0.0 && (probability >= 1.0 || f64::from(rng.next_u32()) < probability * DRAWS)
}

/// A number below `bound`, each as likely to within 2⁻³² × `bound`; 0 below a bound of 0.
#[inline]
pub fn below(rng: &mut RandomStream, bound: u32) -> u32 {
    ((u64::from(rng.next_u32()) * u64::from(bound)) >> 32) as u32
}
