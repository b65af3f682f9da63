//! Who goes first of those who come at the same nanosecond.
//!
//! Equal packets over equal links meet at a queue at exactly the same time, again and
//! again, and whoever goes first finds the one free place of a full drop-tail queue: a
//! fixed order would give bandwidth to those that a file names first. So lots are drawn,
//! anew for each instant. They depend on seed, run, instant and component alone, so that
//! they are the same whichever way the engine takes.

use super::engine::Component;
use crate::winner_tree::Ties;
use fairwire_core::Streams;
use rand::RngExt;

/// Lots for one run: between wires, and between micro-flows; otherwise the order of
/// components stands.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    salt: u64,
    drawers: Vec<Drawer>,
}

/// What draws lots with its like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drawer {
    Nobody,
    Wire(u32),
    MicroFlow(u32),
}

/// 2⁶⁴ over the golden ratio, odd: its multiples spread evenly.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Turns {
    /// For components in their places.
    pub fn new(streams: &Streams, components: &[Component]) -> Self {
        let drawer = |component: &Component| match *component {
            Component::Samples | Component::Queue(_) => Drawer::Nobody,
            Component::Wire(link) => Drawer::Wire(link),
            Component::MicroFlow(micro_flow) => Drawer::MicroFlow(micro_flow),
        };
        Self { salt: streams.component("turns").random(), drawers: components.iter().map(drawer).collect() }
    }

    fn lot(&self, at_ns: u64, component: u32) -> u64 {
        let mixed = (at_ns ^ self.salt).wrapping_add(u64::from(component).wrapping_mul(SPREAD)).wrapping_mul(SPREAD);
        (mixed ^ mixed >> 32).wrapping_mul(SPREAD)
    }
}

impl Ties for Turns {
    #[inline(never)]
    fn right_is_first(&self, at_ns: u64, left: u32, right: u32) -> bool {
        match (self.drawers.get(left as usize), self.drawers.get(right as usize)) {
            (Some(Drawer::Wire(left)), Some(Drawer::Wire(right)))
            | (Some(Drawer::MicroFlow(left)), Some(Drawer::MicroFlow(right))) => {
                self.lot(at_ns, *right) < self.lot(at_ns, *left)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::winner_tree::WinnerTree;

    #[test]
    fn everyone_is_first_about_as_often() {
        let components: Vec<_> = (0..5).map(Component::Wire).collect();
        let turns = Turns::new(&Streams::new(1, 0), &components);
        let mut firsts = [0u32; 5];
        for at_ns in (0..10_000u64).map(|k| k * 800_000) {
            firsts[WinnerTree::with_ties(vec![at_ns; 5], turns.clone()).first().0] += 1;
        }
        assert!(firsts.iter().all(|count| (1_850..2_150).contains(count)), "{firsts:?}");
    }

    #[test]
    fn kinds_keep_their_order() {
        let components = [Component::Queue(0), Component::Queue(1), Component::Wire(1), Component::MicroFlow(0)];
        for at_ns in 0..1_000 {
            let turns = Turns::new(&Streams::new(1, at_ns), &components);
            let mut tree = WinnerTree::with_ties(vec![at_ns; 4], turns);
            for place in 0..4 {
                assert_eq!(tree.first(), (place, at_ns));
                tree.update(place, u64::MAX);
            }
        }
    }
}
