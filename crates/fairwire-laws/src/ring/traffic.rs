//! What has passed a station's outgoing link.

use super::Counters;
use super::counters::places;

/// Counters of the outgoing link, in bytes. They only grow. What [`super::RingLaw::counters`] does
/// not ask for may be empty, or stay at zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkTraffic {
    /// What is fairness eligible and reached the link's scheduler, from upstream or from the station past its
    /// limiters, whether it found room or not; by ingress.
    pub arrived_by_ingress: Vec<u64>,
    /// The same of what is reclaimable, all ingresses together.
    pub arrived_reclaimable: u64,
    /// What the link began to send, which is where 802.17 measures.
    pub sent: ClassBytes,
    /// Of that, the station's own.
    pub added: ClassBytes,
    /// Of that, transit traffic.
    pub forwarded: ClassBytes,
    /// What was sent, by ingress.
    pub sent_by_ingress: ByteCounts,
    /// Transit traffic that was sent, by the number of links that it still crosses. The outgoing link is one of
    /// them, so that place 0 stays at zero.
    pub forwarded_by_hops: ByteCounts,
}

/// Bytes by what their service class is promised. Class A0, whose rate nobody else may use, is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassBytes {
    /// Subject to fairness: class C, and class B beyond its committed rate.
    pub eligible: u64,
    /// Promised, and others may use it while it is idle: class A1, and class B within its committed rate.
    pub reclaimable: u64,
}

/// The same for each of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteCounts {
    /// As [`ClassBytes::eligible`].
    pub eligible: Vec<u64>,
    /// As [`ClassBytes::reclaimable`].
    pub reclaimable: Vec<u64>,
}

impl LinkTraffic {
    /// Nothing has been counted.
    pub const NOTHING: Self = Self {
        arrived_by_ingress: Vec::new(),
        arrived_reclaimable: 0,
        sent: ClassBytes { eligible: 0, reclaimable: 0 },
        added: ClassBytes { eligible: 0, reclaimable: 0 },
        forwarded: ClassBytes { eligible: 0, reclaimable: 0 },
        sent_by_ingress: ByteCounts { eligible: Vec::new(), reclaimable: Vec::new() },
        forwarded_by_hops: ByteCounts { eligible: Vec::new(), reclaimable: Vec::new() },
    };

    /// Nothing has been counted on a ring of so many stations; only what is wanted has a place for each.
    pub fn of_ring(stations: usize, wanted: Counters) -> Self {
        let zeros = |wanted: bool| vec![0; places(wanted, stations).len()];
        let counts = |wanted: bool| ByteCounts { eligible: zeros(wanted), reclaimable: zeros(wanted) };
        Self {
            arrived_by_ingress: zeros(wanted.arrived_by_ingress),
            sent_by_ingress: counts(wanted.sent_by_ingress),
            forwarded_by_hops: counts(wanted.forwarded_by_hops),
            ..Self::NOTHING
        }
    }
}
