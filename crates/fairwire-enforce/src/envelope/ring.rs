//! Messages about a ringlet.

use super::{Envelope, Head};
use fairwire_core::{Ringlet, Span, StationId};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::RingPlan;

/// What a message on a ring is about. In a datagram: a byte for the ringlet, two for the station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingHead {
    /// The ringlet whose traffic it is about.
    pub ringlet: Ringlet,
    /// Who sends it.
    pub from: StationId,
}

impl Head for RingHead {
    const MARK: [u8; 4] = *b"fwm1";
    const BYTES: usize = 3;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push(self.ringlet.index() as u8);
        bytes.extend(self.from.0.to_be_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let &[ringlet, high, low] = bytes else { return None };
        let ringlet = *Ringlet::BOTH.get(usize::from(ringlet))?;
        Some(Self { ringlet, from: StationId(u16::from_be_bytes([high, low])) })
    }
}

impl Envelope<RingHead> {
    /// Of a ring. What the law has to agree on with its neighbours is part of the checksum: links, weights, the lease, and the law with
    /// its parameters; what flows there are is not.
    pub fn of_ring(plan: &RingPlan, law: &RingLawChoice, lease: Span) -> Self {
        let links = plan
            .links
            .each_ref()
            .map(|links| links.iter().map(|link| (link.capacity.as_bps(), link.delay.as_nanos())).collect::<Vec<_>>());
        let weights: Vec<f64> = plan.stations.iter().map(|station| station.weight.get()).collect();
        Self::agreed(&(links, weights, law, lease.as_nanos()))
    }
}
