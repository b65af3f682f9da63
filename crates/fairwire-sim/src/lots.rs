//! Who goes first of those who come at the same nanosecond.
//!
//! Equal packets at equal rates meet at a queue at exactly the same time, again and
//! again, and whoever goes first finds the one free place of a full drop-tail queue: a
//! fixed order would give bandwidth to those that a file names first. So lots are drawn,
//! anew for each instant. They depend on nothing but seed, run, instant and who
//! draws, so that they are the same whichever way the engine takes.

use crate::ties::Ties;
use fairwire_core::RandomStream;
use rand::RngExt;

/// Lots for those who meet at one place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lots {
    salt: u64,
}

/// 2⁶⁴ over the golden ratio, odd: its multiples spread evenly.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Lots {
    pub fn new(mut draw: RandomStream) -> Self {
        Self { salt: draw.random() }
    }

    /// What `who` draws for this instant; the smallest goes first.
    pub fn draw(&self, at_ns: u64, who: u32) -> u64 {
        let mixed = (at_ns ^ self.salt).wrapping_add(u64::from(who).wrapping_mul(SPREAD)).wrapping_mul(SPREAD);
        (mixed ^ mixed >> 32).wrapping_mul(SPREAD)
    }

    /// Whether `one` goes before `other` at this instant.
    #[inline(never)]
    pub fn prefer(&self, at_ns: u64, one: usize, other: usize) -> bool {
        self.draw(at_ns, one as u32) < self.draw(at_ns, other as u32)
    }
}

impl Ties for Lots {
    fn right_is_first(&self, at_ns: u64, left: u32, right: u32) -> bool {
        self.prefer(at_ns, right as usize, left as usize)
    }
}
