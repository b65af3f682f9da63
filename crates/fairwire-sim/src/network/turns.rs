//! Which components draw [`Lots`] where they come at the same nanosecond.

use super::engine::Component;
use crate::lots::Lots;
use crate::ties::Ties;
use fairwire_core::Streams;

/// Lots for one run: between wires, and between micro-flows; otherwise the order of
/// components stands.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    lots: Lots,
    /// Who draws, under which number.
    drawers: Vec<Option<u32>>,
}

impl Turns {
    /// For components in their places.
    pub fn of_components(streams: &Streams, components: &[Component]) -> Self {
        let drawer = |component: &Component| match *component {
            Component::Samples | Component::Changes | Component::Silence | Component::Queue(_) | Component::Port(_) => {
                None
            }
            Component::Wire(link) => Some(link),
        };
        Self { lots: Lots::new(streams.component("turns")), drawers: components.iter().map(drawer).collect() }
    }

    /// For so many micro-flows.
    pub fn of_micro_flows(streams: &Streams, count: usize) -> Self {
        Self { lots: Lots::new(streams.component("turns")), drawers: (0..count as u32).map(Some).collect() }
    }
}

impl Ties for Turns {
    #[inline(never)]
    fn right_is_first(&self, at_ns: u64, left: u32, right: u32) -> bool {
        match (self.drawers.get(left as usize), self.drawers.get(right as usize)) {
            (Some(Some(left)), Some(Some(right))) => self.lots.prefer(at_ns, *right as usize, *left as usize),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Tournament;

    #[test]
    fn everyone_is_first_about_as_often() {
        let components: Vec<_> = (0..5).map(Component::Wire).collect();
        let turns = Turns::of_components(&Streams::new(1, 0), &components);
        let mut firsts = [0u32; 5];
        for at_ns in (0..10_000u64).map(|k| k * 800_000) {
            firsts[Tournament::new(vec![at_ns; 5], turns.clone()).first().0] += 1;
        }
        assert!(firsts.iter().all(|count| (1_850..2_150).contains(count)), "{firsts:?}");
    }

    #[test]
    fn kinds_keep_their_order() {
        let components = [Component::Queue(0), Component::Queue(1), Component::Port(1), Component::Wire(0)];
        for at_ns in 0..1_000 {
            let turns = Turns::of_components(&Streams::new(1, at_ns), &components);
            let mut tree = Tournament::new(vec![at_ns; 4], turns);
            for place in 0..4 {
                assert_eq!(tree.first(), (place, at_ns));
                tree.update(place, u64::MAX);
            }
        }
    }
}
