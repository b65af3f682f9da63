//! Counts for a law, for drivers that see every packet.

use super::{ByteCounts, ClassBytes, Counters, LinkTraffic, RingSite, Sending};
use fairwire_core::PacketMeta;

/// Counts what passes a station's outgoing link since the law was made, by the numbers that stations have for the law.
#[derive(Clone, Debug)]
pub struct LinkCounters {
    traffic: LinkTraffic,
    wanted: Counters,
    /// The packet that the link began to send last.
    last: Option<PacketMeta>,
    own: usize,
    /// How many links away each station is, where that is wanted.
    hops_to: Vec<usize>,
}

impl LinkCounters {
    /// All at zero, for a law at `site` that reads the `wanted` ones.
    pub fn new(wanted: Counters, site: &RingSite) -> Self {
        let (here, stations) = (site.station.index(), site.stations());
        Self {
            traffic: LinkTraffic::of_ring(stations, wanted),
            wanted,
            last: None,
            own: here,
            hops_to: places(wanted.forwarded_by_hops, stations)
                .map(|to| site.ringlet.hops(here, to, stations))
                .collect(),
        }
    }

    /// As the law reads them.
    #[inline]
    pub const fn traffic(&self) -> &LinkTraffic {
        &self.traffic
    }

    /// Which of them the law reads.
    #[inline]
    pub const fn wanted(&self) -> Counters {
        self.wanted
    }

    /// A packet reached the link's scheduler: from upstream, or from the station past its limiters.
    /// Counted before any drop.
    #[inline(always)]
    pub fn arrive(&mut self, packet: &PacketMeta) {
        let size = u64::from(packet.size_bytes);
        if packet.fairness_eligible {
            if let Some(bytes) = self.traffic.arrived_by_ingress.get_mut(packet.ingress.index()) {
                *bytes += size;
            }
        } else if packet.is_reclaimable() {
            self.traffic.arrived_reclaimable += size;
        }
    }

    /// The link has sent so many bytes in all, and nothing but class C, for drivers that know that without counting
    /// packets. What is not the station's own of that was forwarded.
    #[inline(always)]
    pub const fn set_sent(&mut self, bytes: u64) {
        self.traffic.sent.eligible = bytes;
        self.traffic.forwarded.eligible = bytes.saturating_sub(self.traffic.added.eligible);
    }

    /// The link began to send a class C packet of so many bytes that the station itself has added, for drivers that tell all
    /// else by [`LinkCounters::set_sent`].
    #[inline(always)]
    pub const fn send_own(&mut self, bytes: u64) {
        self.traffic.added.eligible += bytes;
    }

    /// The link began to send a packet: counts whose it is and how far it goes, and nothing else, for such drivers.
    #[inline(always)]
    pub fn send_sorted(&mut self, packet: &PacketMeta) {
        let ingress = packet.ingress.index();
        self.traffic.sent_by_ingress.add(ingress, packet);
        if ingress != self.own
            && let Some(hops) = self.hops_to.get(packet.egress.index())
        {
            self.traffic.forwarded_by_hops.add(*hops, packet);
        }
    }

    /// The packet that the link began to send last, of which so many bytes have not left yet.
    #[inline]
    pub fn sending(&self, left_bytes: u64) -> Option<Sending> {
        self.last.map(|packet| Sending::new(packet, left_bytes))
    }

    /// The link began to send a packet: counts all that is wanted.
    #[inline]
    pub fn send_in_full(&mut self, packet: &PacketMeta) {
        let LinkTraffic { sent, added, forwarded, .. } = &mut self.traffic;
        sent.add(packet);
        if packet.ingress.index() == self.own { added } else { forwarded }.add(packet);
        self.last = Some(*packet);
        self.send_sorted(packet);
    }
}

impl ClassBytes {
    #[inline(always)]
    fn add(&mut self, packet: &PacketMeta) {
        let size = u64::from(packet.size_bytes);
        if packet.fairness_eligible {
            self.eligible += size;
        } else if packet.is_reclaimable() {
            self.reclaimable += size;
        }
    }
}

impl ByteCounts {
    #[inline(always)]
    fn add(&mut self, place: usize, packet: &PacketMeta) {
        let size = u64::from(packet.size_bytes);
        let counts = match packet.fairness_eligible {
            true => &mut self.eligible,
            false if packet.is_reclaimable() => &mut self.reclaimable,
            false => return,
        };
        if let Some(bytes) = counts.get_mut(place) {
            *bytes += size;
        }
    }
}

/// The stations of a ring, where something is wanted of each.
pub(super) fn places(wanted: bool, stations: usize) -> std::ops::Range<usize> {
    if wanted { 0..stations } else { 0..0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::{BitRate, FlowId, Ringlet, ServiceClass, StationId};

    /// Station 1 of four sends a packet of its own to station 3, and one from station 0 to station 2.
    fn counted(wanted: Counters) -> LinkTraffic {
        let site = RingSite::bare(StationId(1), Ringlet::Zero, vec![BitRate::from_mbps(1); 4]);
        let mut counters = LinkCounters::new(wanted, &site);
        for (ingress, egress, size_bytes) in [(1, 3, 100), (0, 2, 1_000)] {
            let (ingress, egress) = (StationId(ingress), StationId(egress));
            let class = ServiceClass::C;
            let packet = PacketMeta { flow: FlowId(0), ingress, egress, size_bytes, class, fairness_eligible: true };
            counters.arrive(&packet);
            counters.send_in_full(&packet);
        }
        counters.traffic().clone()
    }

    #[test]
    fn what_is_wanted_is_counted_and_nothing_else_has_a_place_for_each_station() {
        let all =
            Counters { arrived_by_ingress: true, sent_by_ingress: true, forwarded_by_hops: true, ..Counters::NONE };
        let traffic = counted(all);
        assert_eq!(traffic.arrived_by_ingress, [1_000, 100, 0, 0]);
        assert_eq!(traffic.sent_by_ingress.eligible, [1_000, 100, 0, 0]);
        assert_eq!(traffic.forwarded_by_hops.eligible, [0, 1_000, 0, 0]);
        let traffic = counted(Counters::NONE);
        assert_eq!((traffic.sent.eligible, traffic.added.eligible, traffic.forwarded.eligible), (1_100, 100, 1_000));
        assert!(traffic.arrived_by_ingress.is_empty());
        for counts in [traffic.sent_by_ingress, traffic.forwarded_by_hops] {
            assert_eq!(counts, ByteCounts::default());
        }
    }
}
