//! What a flow offers: datagrams of some pattern, or TCP connections with work to do.

use fairwire_core::{BitRate, Bytes, Span};
use fairwire_laws::transport::{ControlChoice, TcpSettings};
use std::ops::RangeInclusive;

/// What a micro-flow offers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Offer {
    /// Packets that nobody acknowledges. In networks, demand without end offers the first link's rate.
    Datagrams(Traffic),
    /// One TCP connection after another.
    Tcp(TcpPlan),
}

impl Offer {
    /// The datagrams, if it is made of such.
    pub fn datagrams(&self) -> Option<&Traffic> {
        match self {
            Self::Datagrams(traffic) => Some(traffic),
            Self::Tcp(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn datagrams_mut(&mut self) -> Option<&mut Traffic> {
        match self {
            Self::Datagrams(traffic) => Some(traffic),
            Self::Tcp(_) => None,
        }
    }

    /// The connections, if it is made of such.
    pub fn tcp(&self) -> Option<&TcpPlan> {
        match self {
            Self::Datagrams(_) => None,
            Self::Tcp(tcp) => Some(tcp),
        }
    }

    /// The same, to be changed.
    pub fn tcp_mut(&mut self) -> Option<&mut TcpPlan> {
        match self {
            Self::Datagrams(_) => None,
            Self::Tcp(tcp) => Some(tcp),
        }
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
        }
    }

    /// The largest packet that it makes.
    pub fn largest_packet(&self) -> Bytes {
        match self {
            Self::Datagrams(traffic) => Bytes::new((*traffic.sizes().end()).into()),
            Self::Tcp(tcp) => tcp.settings.segment,
        }
    }

    /// The smallest packet that it makes; of connections, whose last segments and acknowledgements may be of any
    /// size, a byte.
    pub fn smallest_packet(&self) -> Bytes {
        match self {
            Self::Datagrams(traffic) => Bytes::new((*traffic.sizes().start()).into()),
            Self::Tcp(_) => Bytes::new(1),
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
        }
    }
}

/// Datagrams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    /// When packets arise.
    pub arrivals: Arrivals,
    /// Mean size of a packet in bytes, at least 1.
    pub packet_bytes: u16,
    /// Sizes are uniform in ± this fraction of the mean, from 0 to below 1.
    pub size_jitter: f64,
}

/// When packets arise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// Whenever the station may send: demand without end. Where it shares a
    /// queue with others it offers the link's rate instead.
    Greedy,
    /// At a constant rate; each interval is uniform in ± `jitter` of its length.
    Cbr {
        /// Mean rate.
        rate: BitRate,
        /// From 0 to 1.
        jitter: f64,
    },
    /// A Poisson process.
    Poisson {
        /// Mean rate.
        rate: BitRate,
    },
    /// On and off in turn, both lengths Pareto; constant `peak` while on.
    ParetoOnOff {
        /// Rate while on.
        peak: BitRate,
        /// Mean length of an on period.
        mean_on: Span,
        /// Mean length of an off period.
        mean_off: Span,
        /// Shape of both distributions, above 1.
        shape: f64,
    },
}

impl Arrivals {
    /// Rate while it is not silent; none for demand without end.
    fn peak_rate(&self) -> Option<BitRate> {
        match *self {
            Self::Greedy => None,
            Self::Cbr { rate, .. } | Self::Poisson { rate } | Self::ParetoOnOff { peak: rate, .. } => Some(rate),
        }
    }

    /// Mean rate while the flow is active; none for demand without end.
    pub fn mean_rate(&self) -> Option<BitRate> {
        match *self {
            Self::Greedy => None,
            Self::Cbr { rate, .. } | Self::Poisson { rate } => Some(rate),
            Self::ParetoOnOff { peak, mean_on, mean_off, .. } => {
                let cycle = (mean_on + mean_off).as_nanos() as f64;
                Some(peak.scaled(mean_on.as_nanos() as f64 / cycle))
            }
        }
    }
}

impl Traffic {
    /// The sizes of packets in bytes, from the least to the greatest.
    pub(crate) fn sizes(&self) -> RangeInclusive<u16> {
        let swing = (f64::from(self.packet_bytes) * self.size_jitter) as u16;
        (self.packet_bytes - swing).max(1)..=self.packet_bytes + swing
    }

    /// What is out of range, if anything is.
    fn problem(&self) -> Option<&'static str> {
        if self.packet_bytes == 0 || !(0.0..1.0).contains(&self.size_jitter) {
            return Some("packets need at least one byte and a size jitter from 0 to below 1");
        }
        if f64::from(self.packet_bytes) * (1.0 + self.size_jitter) > f64::from(u16::MAX) {
            return Some("packets of more than 65535 bytes");
        }
        match self.arrivals {
            Arrivals::Cbr { jitter, .. } if !(0.0..=1.0).contains(&jitter) => Some("interval jitter goes from 0 to 1"),
            Arrivals::ParetoOnOff { shape, mean_on, .. }
                if !(shape > 1.0 && shape.is_finite()) || mean_on == Span::ZERO =>
            {
                Some("a Pareto source needs a finite shape above 1 and a mean on-time above zero")
            }
            arrivals if arrivals.mean_rate() == Some(BitRate::ZERO) => Some("it offers nothing"),
            _ => None,
        }
    }
}

/// TCP connections between two hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpPlan {
    /// How the sender controls its window.
    pub control: ControlChoice,
    /// Both ends' settings.
    pub settings: TcpSettings,
    /// What is to be sent.
    pub work: Work,
}

/// What connections have to send. When its flow stops, none begins any more, and an
/// unlimited one offers no new data; transfers go on to their end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Data without end, over one connection.
    Unlimited,
    /// So many transfers, each over a new connection, at the times of a Poisson process.
    Transfers {
        /// How many in all; none for no end.
        count: Option<u64>,
        /// Mean time between the starts of two.
        mean_interval: Span,
        /// Size of each.
        size: TransferSize,
    },
    /// A user who reads pages one after the other: each page's objects are fetched
    /// one after another, then the page is read.
    Web {
        /// Pages; none for no end.
        pages: Option<u64>,
        /// Mean time from a page's last object to the next page (exponential).
        mean_think_time: Span,
        /// Mean objects of a page (geometric, at least 1).
        mean_objects: f64,
        /// Mean time between the end of one object and the start of the next (exponential).
        mean_gap: Span,
        /// Size of each object.
        size: TransferSize,
    },
}

impl Work {
    /// Mean rate of what is asked for, in bit/s; none for data without end, and for pages that
    /// nothing but their transfer keeps apart.
    pub fn mean_rate_bps(&self) -> Option<f64> {
        let (bytes, time_s) = match *self {
            Self::Unlimited => return None,
            Self::Transfers { mean_interval, size, .. } => (size.mean().get() as f64, mean_interval.as_secs_f64()),
            Self::Web { mean_think_time, mean_objects, mean_gap, size, .. } => {
                let idle_s = mean_think_time.as_secs_f64() + (mean_objects - 1.0) * mean_gap.as_secs_f64();
                (mean_objects * size.mean().get() as f64, idle_s)
            }
        };
        (time_s > 0.0).then(|| bytes * 8.0 / time_s)
    }
}

/// How large a transfer is: bytes on the wire, headers included. All segments but the
/// last are full, and the last is no smaller than an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TransferSize {
    /// Always the same.
    Fixed(Bytes),
    /// Exponential with this mean.
    Exponential(Bytes),
    /// Pareto with this mean.
    Pareto {
        /// The mean.
        mean: Bytes,
        /// The shape, above 1.
        shape: f64,
    },
}

impl TransferSize {
    /// The mean.
    pub fn mean(&self) -> Bytes {
        match *self {
            Self::Fixed(mean) | Self::Exponential(mean) | Self::Pareto { mean, .. } => mean,
        }
    }
}

impl TcpPlan {
    fn problem(&self) -> Option<String> {
        let settings = &self.settings;
        let fits = |size: Bytes| (1..=u64::from(u16::MAX)).contains(&size.get());
        if !fits(settings.segment) || !fits(settings.ack) || settings.ack > settings.segment {
            return Some(
                "segments and acknowledgements have from 1 to 65535 bytes, and none is larger than a segment"
                    .to_owned(),
            );
        }
        if settings.receive_window == 0 || settings.initial_window == 0 {
            return Some("windows are at least one segment".to_owned());
        }
        if settings.granularity == Span::ZERO {
            return Some("the timer needs a granularity above zero".to_owned());
        }
        if let Some(problem) = self.control.problem() {
            return Some(problem);
        }
        match &self.work {
            Work::Unlimited => None,
            Work::Transfers { mean_interval, .. } if *mean_interval == Span::ZERO => {
                Some("transfers need a mean interval above zero".to_owned())
            }
            Work::Web { mean_objects, .. } if !(*mean_objects >= 1.0 && mean_objects.is_finite()) => {
                Some("a page has at least one object on average".to_owned())
            }
            Work::Transfers { size, .. } | Work::Web { size, .. } => size.problem(),
        }
    }
}

impl TransferSize {
    fn problem(&self) -> Option<String> {
        let (Self::Fixed(mean) | Self::Exponential(mean) | Self::Pareto { mean, .. }) = *self;
        if mean.get() == 0 {
            return Some("a transfer needs a size above zero".to_owned());
        }
        match *self {
            Self::Pareto { shape, .. } if !(shape > 1.0 && shape.is_finite()) => {
                Some("a Pareto size needs a finite shape above 1".to_owned())
            }
            _ => None,
        }
    }
}
