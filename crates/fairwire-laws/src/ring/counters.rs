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
    /// How many links away each station is.
    hops_to: Vec<usize>,
}

impl LinkCounters {
    /// All at zero, for a law at `site` that reads the `wanted` ones.
    pub fn new(wanted: Counters, site: &RingSite) -> Self {
        let (here, stations) = (site.station.index(), site.stations());
        Self {
            traffic: LinkTraffic::of_ring(stations),
            wanted,
            last: None,
            own: here,
            hops_to: (0..stations).map(|to| site.ringlet.hops(here, to, stations)).collect(),
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
            self.traffic.arrived_by_ingress[packet.ingress.index()] += size;
        } else if packet.is_reclaimable() {
            self.traffic.arrived_reclaimable += size;
        }
    }

    /// The link began to send a packet, of whatever station.
    #[inline(always)]
    pub fn send(&mut self, packet: &PacketMeta) {
        self.traffic.sent.add(packet);
    }

    /// The link began to send a packet, and it matters whether it is the station's own.
    #[inline(always)]
    pub fn send_of_station(&mut self, packet: &PacketMeta) {
        let LinkTraffic { added, forwarded, .. } = &mut self.traffic;
        if packet.ingress.index() == self.own { added } else { forwarded }.add(packet);
        self.last = Some(*packet);
    }

    /// The packet that the link began to send last, of which so many bytes have not left yet.
    #[inline]
    pub fn sending(&self, left_bytes: u64) -> Option<Sending> {
        self.last.map(|packet| Sending { packet, left_bytes: left_bytes.min(packet.size_bytes.into()) })
    }

    /// The link began to send a packet: counts all that is wanted.
    #[inline]
    pub fn send_in_full(&mut self, packet: &PacketMeta) {
        self.send(packet);
        self.send_of_station(packet);
        let ingress = packet.ingress.index();
        self.traffic.sent_by_ingress.add(ingress, packet);
        if ingress != self.own {
            self.traffic.forwarded_by_hops.add(self.hops_to[packet.egress.index()], packet);
        }
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
        if packet.fairness_eligible {
            self.eligible[place] += size;
        } else if packet.is_reclaimable() {
            self.reclaimable[place] += size;
        }
    }
}
