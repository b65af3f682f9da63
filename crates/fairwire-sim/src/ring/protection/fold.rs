//! An open ring folded together at its two ends, where stations wrap.
//!
//! The two ringlets are then one, on which each station stands twice: once where it
//! sends on ringlet 0 and once where it sends on ringlet 1. Down ringlet 0 from the
//! western end to the eastern one, through that station to ringlet 1, down that one to the
//! western end, and through that station to ringlet 0 again. Each place on it has a
//! number from 0 on in this order. To a law it is a closed ringlet like any other, with
//! twice as many stations, on which nothing has to be forgotten, turned round or made up.

use fairwire_core::{BitRate, Ringlet, Span, StationId};
use fairwire_laws::ring::{RingSite, SiteFlow};

/// The places of an open ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// From the western end to the eastern one.
    stations: Vec<StationId>,
}

impl Fold {
    /// Of an open ring of these stations, in the direction of ringlet 0; at least two.
    pub fn new(stations: Vec<StationId>) -> Self {
        Self { stations }
    }

    /// How many places there are: each station has two.
    pub fn places(&self) -> usize {
        2 * self.stations.len()
    }

    /// Where `station` sends on `ringlet`, if it is on this part of the ring.
    pub fn place(&self, ringlet: Ringlet, station: StationId) -> Option<usize> {
        let at = self.stations.iter().position(|other| *other == station)?;
        Some(match ringlet {
            Ringlet::Zero => at,
            Ringlet::One => self.places() - 1 - at,
        })
    }

    /// The number of the same place; who is on another part of the ring, and of whom packets
    /// may still be about, goes by the first.
    pub fn number(&self, ringlet: Ringlet, station: StationId) -> u16 {
        self.place(ringlet, station).unwrap_or(0) as u16
    }

    /// Who sends where at `place`.
    pub fn at(&self, place: usize) -> (Ringlet, StationId) {
        match self.stations.get(place) {
            Some(station) => (Ringlet::Zero, *station),
            None => (Ringlet::One, self.stations[self.places() - 1 - place]),
        }
    }

    /// The stations by the numbers of their places.
    pub fn names(&self) -> Vec<u16> {
        (0..self.places()).map(|place| self.at(place).1.0).collect()
    }

    /// Whether what is sent at `place` stays in the station, to go on down the other ringlet.
    fn turns_at(&self, place: usize) -> bool {
        place + 1 == self.stations.len() || place + 1 == self.places()
    }

    /// Where the law of `ringlet` stands that stood at `sites` of both ringlets, now that class
    /// A0 has `reserved` so much.
    pub fn site(&self, ringlet: Ringlet, sites: &[RingSite; 2], reserved: BitRate) -> RingSite {
        let site = &sites[ringlet.index()];
        let place = self.number(ringlet, site.station);
        let links = |what: &dyn Fn(&RingSite, usize) -> Span| -> Vec<Span> {
            let link = |place: usize| {
                let (ringlet, station) = self.at(place);
                if self.turns_at(place) { Span::ZERO } else { what(&sites[ringlet.index()], station.index()) }
            };
            (0..self.places()).map(link).collect()
        };
        let delays = links(&|site, station| site.delays[station]);
        let each = |place: usize| self.at(place);
        RingSite {
            station: StationId(place),
            ringlet: Ringlet::Zero,
            capacities: (0..self.places())
                .map(each)
                .map(|(ringlet, station)| sites[ringlet.index()].capacities[station.index()])
                .collect(),
            weights: (0..self.places()).map(each).map(|(_, station)| site.weights[station.index()]).collect(),
            flows: self.flows(ringlet, site),
            // What goes up the ringlet crosses the same spans as what goes down.
            ring_time: delays.iter().copied().sum(),
            delays,
            reserved,
            first: place == 0,
            ..site.clone()
        }
    }

    /// The pairs, in the order they had: down the ringlet stations come in the same order.
    /// One whose egress is not on this part of the ring is held, and stands beside the one before it.
    fn flows(&self, ringlet: Ringlet, site: &RingSite) -> Vec<SiteFlow> {
        let here = usize::from(self.number(ringlet, site.station));
        let mut farthest = 1;
        let flow = |flow: &SiteFlow| {
            if let Some(place) = self.place(ringlet, flow.egress) {
                farthest = (place + self.places() - here) % self.places();
            }
            SiteFlow { egress: StationId(((here + farthest) % self.places()) as u16), hops: farthest, ..*flow }
        };
        site.flows.iter().map(flow).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::Weight;

    /// A ring of six, open between 3 and 4.
    fn fold() -> Fold {
        Fold::new([4, 5, 0, 1, 2, 3].map(StationId).to_vec())
    }

    fn sites(station: u16, egresses: &[u16]) -> [RingSite; 2] {
        Ringlet::BOTH.map(|ringlet| {
            let rate = |of: u64| BitRate::from_mbps(100 * (ringlet.index() as u64 + 1) + of);
            let hops = |to: u16| ringlet.hops(station.into(), to.into(), 6);
            let mut flows: Vec<_> = egresses
                .iter()
                .map(|&to| SiteFlow { egress: StationId(to), hops: hops(to), weight: Weight::ONE })
                .collect();
            flows.sort_by_key(|flow| flow.hops);
            RingSite {
                flows,
                delays: vec![Span::from_micros(10); 6],
                ..RingSite::bare(StationId(station), ringlet, (0..6).map(rate).collect())
            }
        })
    }

    #[test]
    fn down_one_ringlet_and_up_the_other() {
        let fold = fold();
        assert_eq!(fold.names(), [4, 5, 0, 1, 2, 3, 3, 2, 1, 0, 5, 4]);
        for place in 0..12 {
            let (ringlet, station) = fold.at(place);
            assert_eq!(fold.place(ringlet, station), Some(place));
        }
        assert_eq!(fold.place(Ringlet::Zero, StationId(9)), None);
    }

    #[test]
    fn a_law_sees_a_closed_ringlet_of_all_places() {
        let site = fold().site(Ringlet::One, &sites(1, &[0, 2, 5]), BitRate::ZERO);
        assert_eq!((site.station, site.home, site.stations()), (StationId(8), StationId(1), 12));
        // On ringlet 1 the nearest is 0; 2 lies past both ends, five links of ringlet 0 and two turns on.
        let flows: Vec<_> = site.flows.iter().map(|flow| (flow.egress.0, flow.hops)).collect();
        assert_eq!(flows, [(9, 1), (10, 2), (7, 11)]);
        let mbps: Vec<u64> = site.capacities.iter().map(|rate| rate.as_bps() / 1_000_000).collect();
        assert_eq!(mbps, [104, 105, 100, 101, 102, 103, 203, 202, 201, 200, 205, 204]);
        assert_eq!(site.ring_time, Span::from_micros(100), "two of twelve links stay in a station");
        assert!(site.flows.iter().all(|flow| site.downstream(flow.hops) == flow.egress.index()));
    }

    #[test]
    fn what_cannot_be_reached_stands_beside_the_one_before_it() {
        let fold = Fold::new([5, 0, 1, 2].map(StationId).to_vec());
        let site = fold.site(Ringlet::Zero, &sites(0, &[1, 3, 5]), BitRate::ZERO);
        let flows: Vec<_> = site.flows.iter().map(|flow| (flow.egress.0, flow.hops)).collect();
        assert_eq!(flows, [(2, 1), (2, 1), (0, 7)]);
        assert!(site.flows.is_sorted_by_key(|flow| flow.hops));
    }
}
