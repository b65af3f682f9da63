//! What a station has written into the ledger, and what it may write.

use super::frame::{Frame, ROOM_UNIT, WHOLE_LINK, WeightWidth};
use crate::ring::RingSite;
use fairwire_core::Weight;

/// What a station has in one link's entry.
#[derive(Clone, Copy, Debug, Default)]
struct Claim {
    /// Room taken: all it uses there, or its minimum if the link holds it, less what those
    /// who are held there are ahead of it.
    units: i32,
    /// Its weight if the link holds it, else nothing.
    held: u32,
    /// What it uses, in bit/s above its minimum.
    above_bps: f64,
}

/// Whoever uses less than this part of the largest use is the smaller one.
const SMALLER: f64 = 15.0 / 16.0;

/// What a station does to a link on its way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Use {
    /// What it takes, in bit/s.
    pub bps: f64,
    /// Whether the link holds it: it would take more.
    pub held: bool,
    /// By how much those whom the link holds are ahead of it, in bit/s at its weight: what it would have beyond
    /// its use if it had as much per weight as they do without it.
    pub ahead_bps: f64,
}

/// A station's entries, by how many hops downstream the link is.
#[derive(Clone, Debug)]
pub struct Claims {
    links: Vec<Link>,
    claims: Vec<Claim>,
    weight: u32,
    /// The station's weight in units of the mean.
    relative_weight: f64,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    number: usize,
    /// What the link has for fairness-eligible traffic.
    capacity_bps: f64,
    /// The station's promised rate there.
    minimum_bps: f64,
}

impl Claims {
    /// No claims yet, of a station whose farthest egress is `longest` hops away.
    pub fn new(site: &RingSite, longest: usize) -> Self {
        let mut claims =
            Self { links: Vec::new(), claims: vec![Claim::default(); longest], weight: 1, relative_weight: 1.0 };
        claims.follow(site);
        claims
    }

    /// Capacities, weights or promises are these from now on. What has been claimed stands until it is taken back.
    pub fn follow(&mut self, site: &RingSite) {
        let link = |hops| {
            let number = site.downstream(hops);
            let capacity_bps = free_bps(site, number);
            Link { number, capacity_bps, minimum_bps: site.minimum.as_bps_f64().min(capacity_bps) }
        };
        self.links = (0..self.claims.len()).map(link).collect();
        self.weight = whole_weight(&site.weights, site.station.index());
        self.relative_weight = site.weight().get() * site.stations() as f64 / weights_together(site);
    }

    /// The ledger holds none of these.
    pub fn forget(&mut self) {
        self.claims.fill(Claim::default());
    }

    /// Takes everything back, so that the ledger tells of the others only.
    pub fn take_back(&self, ledger: &mut Frame) {
        for (link, claim) in self.links.iter().zip(&self.claims) {
            ledger.add_room(link.number, claim.units);
            ledger.take_held(link.number, claim.held);
        }
    }

    /// What the station may have on link `h` if it wants as much as it can get, in
    /// bit/s: its minimum, and beside it its part by weight of the room that all that
    /// the link holds share with it.
    pub fn grant_bps(&self, ledger: &Frame, h: usize) -> f64 {
        let Link { number, capacity_bps, minimum_bps } = self.links[h];
        let others = f64::from(ledger.held(number));
        let room_bps = f64::from(ledger.room(number)) * ROOM_UNIT * capacity_bps - minimum_bps;
        let part = f64::from(self.weight) / (others + f64::from(self.weight));
        let above_bps = (room_bps * part).max(self.lent_bps(ledger, h, room_bps));
        (minimum_bps + above_bps).clamp(0.0, capacity_bps)
    }

    /// By how much those whom link `h` holds are ahead of a station that leaves `left_bps` of its grant to them, in bit/s
    /// at its weight. Where nobody is held it is what the station leaves.
    pub fn ahead_bps(&self, ledger: &Frame, h: usize, left_bps: f64) -> f64 {
        match ledger.held(self.links[h].number) {
            0 => left_bps,
            others => left_bps * (1.0 + f64::from(self.weight) / f64::from(others)),
        }
    }

    /// What of a use of link `h` is above the station's minimum, in bit/s.
    pub fn above_minimum_bps(&self, h: usize, bps: f64) -> f64 {
        (bps - self.links[h].minimum_bps).max(0.0)
    }

    /// What the station would have if the link held the one who uses most of it, too:
    /// that one has to give way first, and will when it is his turn.
    fn lent_bps(&self, ledger: &Frame, h: usize, room_bps: f64) -> f64 {
        let Link { number, capacity_bps, .. } = self.links[h];
        let largest_bps = ledger.largest_use(number) * capacity_bps * self.relative_weight;
        let smaller_bps = SMALLER * largest_bps;
        if self.claims[h].above_bps >= smaller_bps {
            return f64::NEG_INFINITY;
        }
        // The other one counts with the station's own weight, to which its use was scaled.
        let part = f64::from(self.weight) / (f64::from(ledger.held(number)) + 2.0 * f64::from(self.weight));
        ((room_bps + largest_bps) * part).min(smaller_bps)
    }

    /// The own link's station ends a lap of the ledger there.
    pub fn close_uses(&self, ledger: &mut Frame, link: usize) {
        ledger.close_uses(link, self.claims.first().map_or(0.0, |claim| self.free_use(0, claim)));
    }

    /// What the station uses of link `h` above its minimum, per unit of weight and as a
    /// fraction of the link, if the link does not hold it.
    fn free_use(&self, h: usize, claim: &Claim) -> f64 {
        if claim.held > 0 { 0.0 } else { claim.above_bps / self.links[h].capacity_bps / self.relative_weight }
    }

    /// Writes what the station now does to each link.
    pub fn write(&mut self, ledger: &mut Frame, uses: &[Use]) {
        for (h, used) in uses.iter().enumerate() {
            let link = self.links[h];
            // Counted with its weight and short of its part by that much, it leaves to the others what it did not take.
            let bps = if used.held { link.minimum_bps - used.ahead_bps } else { used.bps };
            let units = (bps / link.capacity_bps / ROOM_UNIT).round() as i32;
            let claim = Claim {
                units: units.min(WHOLE_LINK),
                held: if used.held { self.weight } else { 0 },
                above_bps: self.above_minimum_bps(h, used.bps),
            };
            self.claims[h] = claim;
            self.enter(ledger, h);
        }
    }

    /// The ledger is new: writes into it what the station had written into the one before.
    pub fn write_again(&self, ledger: &mut Frame) {
        (0..self.claims.len()).for_each(|h| self.enter(ledger, h));
    }

    fn enter(&self, ledger: &mut Frame, h: usize) {
        let (link, claim) = (self.links[h], &self.claims[h]);
        ledger.add_room(link.number, -claim.units);
        ledger.add_held(link.number, claim.held);
        if h > 0 {
            ledger.tell_use(link.number, self.free_use(h, claim));
        }
    }

    /// What the link `h` hops downstream has for fairness-eligible traffic, in bit/s.
    pub fn capacity_bps(&self, h: usize) -> f64 {
        self.links[h].capacity_bps
    }
}

fn weights_together(site: &RingSite) -> f64 {
    site.weights.iter().map(|weight| weight.get()).sum()
}

/// What a link has beside the rate reserved for class A0, in bit/s; at least a bit.
pub fn free_bps(site: &RingSite, link: usize) -> f64 {
    site.capacities[link].as_bps().saturating_sub(site.reserved.as_bps()).max(1) as f64
}

/// How weights are written on a ring of these.
pub fn weight_width(weights: &[Weight]) -> WeightWidth {
    let alike = weights.iter().all(|weight| *weight == weights[0]);
    if alike && weights.len() <= usize::from(u8::MAX) { WeightWidth::Count } else { WeightWidth::Proportional }
}

/// A station's weight as the ledger counts it: one where all are alike, else in
/// proportion, so that all together fit into four bytes.
fn whole_weight(weights: &[Weight], station: usize) -> u32 {
    match weight_width(weights) {
        WeightWidth::Count => 1,
        WeightWidth::Proportional => {
            let sum: f64 = weights.iter().map(|weight| weight.get()).sum();
            (weights[station].get() / sum * f64::from(1u32 << 31)).round().max(1.0) as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::{BitRate, Ringlet, StationId};

    /// What link 0, of 1 Gb/s, grants its own station, in Mb/s, where that one uses so much now, others use 550 Mb/s, one
    /// of them 500, and nobody is held.
    fn granted_mbps(used_mbps: f64) -> f64 {
        let site = RingSite::bare(StationId(0), Ringlet::Zero, vec![BitRate::from_mbps(1_000); 4]);
        let (mut claims, mut ledger) = (Claims::new(&site, 1), Frame::new(WeightWidth::Count, 4));
        ledger.add_room(0, -(0.55 * f64::from(WHOLE_LINK)) as i32);
        ledger.tell_use(0, 0.5);
        claims.close_uses(&mut ledger, 0);
        claims.write(&mut ledger, &[Use { bps: used_mbps * 1e6, ..Use::default() }]);
        claims.take_back(&mut ledger);
        claims.grant_bps(&ledger, 0) / 1e6
    }

    /// 15/16 of 500 Mb/s are 468.75.
    #[test]
    fn who_uses_less_than_fifteen_sixteenths_of_the_largest_use_is_granted_so_much_at_most() {
        for used_mbps in [0.0, 100.0, 468.0] {
            assert!((granted_mbps(used_mbps) - 468.75).abs() < 0.01, "{used_mbps}: {}", granted_mbps(used_mbps));
        }
        for used_mbps in [469.0, 500.0] {
            assert!((granted_mbps(used_mbps) - 450.0).abs() < 0.1, "{used_mbps}: what the others leave");
        }
    }

    #[test]
    fn equal_weights_are_counted_while_a_byte_holds_them() {
        let width = |stations| weight_width(&vec![Weight::ONE; stations]);
        assert_eq!((width(255), width(256)), (WeightWidth::Count, WeightWidth::Proportional));
    }

    #[test]
    fn different_weights_fill_half_of_what_four_bytes_hold() {
        let weights = [1.0, 3.0].map(|weight| Weight::new(weight).unwrap());
        assert_eq!([0, 1].map(|station| whole_weight(&weights, station)), [1 << 29, 3 << 29]);
    }
}
