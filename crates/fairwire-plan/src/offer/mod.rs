//! What a flow offers: datagrams of some pattern, or TCP connections with work to do.

mod change;
mod datagrams;
mod rate;
mod tcp;

pub use change::DemandChange;
pub use datagrams::{Arrivals, Traffic};
pub use rate::{FlowChange, FlowChangeKind, RatePlan};
pub use tcp::{TcpPlan, TransferSize, Work};

use fairwire_core::{BitRate, Bytes};

/// What a micro-flow offers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Offer {
    /// Packets that nobody acknowledges. In networks, demand without end offers the first link's rate.
    Datagrams(Traffic),
    /// One TCP connection after another.
    Tcp(TcpPlan),
    /// Packets at a rate that switches tell (networks only).
    Rate(RatePlan),
}

impl Offer {
    /// The datagrams, if it is made of such.
    pub fn datagrams(&self) -> Option<&Traffic> {
        match self {
            Self::Datagrams(traffic) => Some(traffic),
            Self::Tcp(_) | Self::Rate(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn datagrams_mut(&mut self) -> Option<&mut Traffic> {
        match self {
            Self::Datagrams(traffic) => Some(traffic),
            Self::Tcp(_) | Self::Rate(_) => None,
        }
    }

    /// The connections, if it is made of such.
    pub fn tcp(&self) -> Option<&TcpPlan> {
        match self {
            Self::Datagrams(_) | Self::Rate(_) => None,
            Self::Tcp(tcp) => Some(tcp),
        }
    }

    /// The same, to be changed.
    pub fn tcp_mut(&mut self) -> Option<&mut TcpPlan> {
        match self {
            Self::Datagrams(_) | Self::Rate(_) => None,
            Self::Tcp(tcp) => Some(tcp),
        }
    }

    /// The flow whose rate switches tell, if it is one.
    pub fn rate(&self) -> Option<&RatePlan> {
        match self {
            Self::Rate(rate) => Some(rate),
            Self::Datagrams(_) | Self::Tcp(_) => None,
        }
    }

    /// Whether something comes back to its source.
    pub fn is_answered(&self) -> bool {
        !matches!(self, Self::Datagrams(_))
    }

    /// Mean rate of one micro-flow while it is active; none for demand without end, and
    /// for connections, which ask for more once they have lost something.
    pub fn mean_rate(&self) -> Option<BitRate> {
        self.datagrams().and_then(|traffic| traffic.arrivals.mean_rate())
    }

    /// Size of a usual packet: mean size of a datagram, size of a full segment.
    pub fn packet_bytes(&self) -> u16 {
        match self {
            Self::Datagrams(traffic) => traffic.packet_bytes,
            Self::Tcp(tcp) => u16::try_from(tcp.settings.segment.get()).unwrap_or(u16::MAX),
            Self::Rate(rate) => rate.sending.packet_bytes,
        }
    }

    /// The largest packet that it makes.
    pub fn largest_packet(&self) -> Bytes {
        match self {
            Self::Datagrams(traffic) => Bytes::new((*traffic.sizes().end()).into()),
            Self::Tcp(tcp) => tcp.settings.segment,
            Self::Rate(rate) => Bytes::new(rate.sending.packet_bytes.into()),
        }
    }

    /// The smallest packet that it makes; of connections, whose last segments and acknowledgements may be of any
    /// size, and of flows with control packets, a byte.
    pub fn smallest_packet(&self) -> Bytes {
        match self {
            Self::Datagrams(traffic) => Bytes::new((*traffic.sizes().start()).into()),
            Self::Tcp(_) | Self::Rate(_) => Bytes::new(1),
        }
    }

    /// Packets or transfers that one micro-flow begins in a second while it is active, at most but for chance; none where
    /// that hangs on what comes back, or on the station.
    pub fn begun_per_s(&self) -> Option<f64> {
        match self {
            Self::Datagrams(traffic) => {
                let bits = f64::from(traffic.packet_bytes) * 8.0;
                traffic.arrivals.peak_rate().map(|rate| rate.as_bps_f64() / bits)
            }
            Self::Tcp(TcpPlan { work: Work::Transfers { mean_interval, .. }, .. }) => {
                Some(1.0 / mean_interval.as_secs_f64())
            }
            Self::Tcp(_) => None,
            Self::Rate(rate) => Some(rate.terms.peak_bps / (f64::from(rate.sending.packet_bytes) * 8.0)),
        }
    }

    /// Whether it has something to send at any time.
    pub fn is_greedy(&self) -> bool {
        self.datagrams().is_some_and(|traffic| traffic.arrivals == Arrivals::Greedy)
    }

    /// What is out of range, if anything is.
    pub(crate) fn problem(&self) -> Option<String> {
        match self {
            Self::Datagrams(traffic) => traffic.problem().map(str::to_owned),
            Self::Tcp(tcp) => tcp.problem(),
            Self::Rate(rate) => rate.problem(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::rate::tests::SENDING;
    use super::*;
    use fairwire_core::Span;
    use fairwire_laws::rate::Terms;

    /// While it is on, a packet of 1000 B at 8 Mb/s is a millisecond, however long it is off.
    #[test]
    fn packets_begin_at_the_rate_of_those_who_are_on() {
        let arrivals = Arrivals::ParetoOnOff {
            peak: BitRate::from_mbps(8),
            mean_on: Span::from_millis(1),
            mean_off: Span::from_millis(3),
            shape: 1.5,
        };
        let offer = |arrivals| Offer::Datagrams(Traffic { arrivals, packet_bytes: 1_000, size_jitter: 0.0 });
        assert_eq!(offer(arrivals).begun_per_s(), Some(1_000.0));
        assert_eq!(offer(arrivals).mean_rate(), Some(BitRate::from_mbps(2)));
        assert_eq!(offer(Arrivals::Greedy).begun_per_s(), None);
        let terms = Terms { minimum_bps: 0.0, peak_bps: 8e6, supported_bps: 8e6, weight: 1.0 };
        let told = Offer::Rate(RatePlan { sending: SENDING, terms, size: None });
        assert_eq!(told.begun_per_s(), Some(1_000.0), "nobody sends more than the peak");
    }

    /// A length is 16 bits.
    #[test]
    fn no_packet_is_longer_than_its_length_can_say() {
        let arrivals = Arrivals::Greedy;
        let problem = |packet_bytes, size_jitter| Traffic { arrivals, packet_bytes, size_jitter }.problem();
        assert_eq!([problem(65_535, 0.0), problem(43_690, 0.5), problem(1, 0.999)], [None; 3]);
        assert_eq!(problem(43_691, 0.5), Some("packets of more than 65535 bytes"));
        let needs = Some("packets need at least one byte and a size jitter from 0 to below 1");
        assert_eq!([problem(0, 0.0), problem(1_000, 1.0), problem(1_000, -0.1)], [needs; 3]);
    }
}
