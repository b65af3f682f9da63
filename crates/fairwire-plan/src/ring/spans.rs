//! Spans that are out of use, and the ways that are left beside them.

use fairwire_core::Ringlet;

/// Which spans of a ring are out of use, by the station at their western end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadSpans {
    dead: Vec<bool>,
}

impl DeadSpans {
    /// Those for which `dead` says so.
    pub fn new(dead: Vec<bool>) -> Self {
        Self { dead }
    }

    /// An intact ring of so many stations.
    pub fn none(stations: usize) -> Self {
        Self { dead: vec![false; stations] }
    }

    /// Whether there are any.
    pub fn any(&self) -> bool {
        self.dead.contains(&true)
    }

    fn stations(&self) -> usize {
        self.dead.len()
    }

    /// Whether the link of `ringlet` that leaves `station` crosses one.
    pub fn cut(&self, ringlet: Ringlet, station: usize) -> bool {
        let span = if ringlet == Ringlet::Zero { station } else { ringlet.downstream(station, self.stations()) };
        self.dead[span]
    }

    /// Whether none lies between `from` and `to` on `ringlet`.
    pub fn spare(&self, ringlet: Ringlet, from: usize, to: usize) -> bool {
        let stations = self.stations();
        let next = |at: &usize| Some(ringlet.downstream(*at, stations));
        let on_the_way = std::iter::successors(Some(from), next).take(ringlet.hops(from, to, stations));
        on_the_way.into_iter().all(|at| !self.cut(ringlet, at))
    }

    /// All links, by their ringlets and the stations that they leave, that make one ringlet with the link of
    /// `ringlet` that leaves `station`, from that on downstream. A link that crosses a dead span
    /// ends in the station where it begins, and the other ringlet goes on there.
    pub fn orbit(&self, ringlet: Ringlet, station: usize) -> Vec<(Ringlet, usize)> {
        let first = (ringlet, station);
        let next = |&(ringlet, at): &(Ringlet, usize)| {
            let next = if self.cut(ringlet, at) {
                (ringlet.opposite(), at)
            } else {
                (ringlet, ringlet.downstream(at, self.stations()))
            };
            (next != first).then_some(next)
        };
        std::iter::successors(Some(first), next).collect()
    }

    /// The links that a packet crosses that is sent on `ringlet` from `from` to `to` where stations wrap: it
    /// is taken only on the ringlet that it was sent on. None if it never gets there.
    pub fn wrapped_route(&self, ringlet: Ringlet, from: usize, to: usize) -> Option<Vec<(Ringlet, usize)>> {
        let orbit = self.orbit(ringlet, from);
        let there = orbit.iter().position(|link| *link == (ringlet, to))?;
        Some(orbit[..there].to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dead(spans: &[usize]) -> DeadSpans {
        DeadSpans::new((0..6).map(|span| spans.contains(&span)).collect())
    }

    #[test]
    fn a_wrapped_packet_goes_all_the_way_round_and_on() {
        use Ringlet::{One, Zero};
        let route = dead(&[2]).wrapped_route(Zero, 1, 4).unwrap();
        let there = [(Zero, 1), (Zero, 2)];
        let back = [2, 1, 0, 5, 4, 3].map(|station| (One, station));
        assert_eq!(route, [&there[..], &back[..], &[(Zero, 3)]].concat());
        assert_eq!(dead(&[2]).wrapped_route(Zero, 3, 2).unwrap().len(), 5, "nothing lies in its way");
        assert_eq!(dead(&[2]).orbit(One, 4).len(), 12);
        assert_eq!(dead(&[]).orbit(One, 4).len(), 6);
    }

    #[test]
    fn nothing_gets_to_another_part_of_the_ring() {
        let parts = dead(&[1, 4]);
        for (from, to, part) in [(2, 4, 6), (5, 1, 6), (0, 5, 6)] {
            assert!(parts.wrapped_route(Ringlet::Zero, from, to).is_some());
            assert_eq!(parts.orbit(Ringlet::Zero, from).len(), part);
        }
        for (from, to) in [(1, 2), (2, 5), (4, 0)] {
            assert_eq!(parts.wrapped_route(Ringlet::One, from, to), None);
            assert!(!parts.spare(Ringlet::One, from, to));
        }
        assert_eq!(dead(&[1, 2]).wrapped_route(Ringlet::Zero, 2, 3), None, "a lost station reaches nobody");
    }
}
