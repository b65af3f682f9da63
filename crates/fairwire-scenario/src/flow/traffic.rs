//! `traffic`: what a flow offers.

use super::explicit_rate::{self, ExplicitRate};
use super::tcp::{self, Tcp};
use super::work::{self, Work};
use crate::reading::diagnostic::Reported;
use crate::reading::document::Value;
use crate::reading::percent::Percent;
use crate::reading::table::{Field, Table};
use fairwire_core::{BitRate, Bytes, Span};
use fairwire_plan as plan;
use serde::Serialize;

/// What a flow offers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Traffic {
    /// Packets that nobody acknowledges.
    Datagrams(Datagrams),
    /// TCP connections.
    Tcp(Tcp),
    /// Packets at a rate that switches tell.
    Rate(ExplicitRate),
}

/// Packets that nobody acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Datagrams {
    /// When packets arise.
    #[serde(flatten)]
    pub arrivals: Arrivals,
    /// Mean size of a packet, from 1 to 65535 bytes.
    pub packet: Bytes,
    /// Sizes are uniform in ± this part of the mean.
    pub size_jitter: Percent,
}

/// When packets arise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Arrivals {
    /// Whenever the station may send: demand without end.
    Greedy,
    /// At a constant rate.
    Cbr {
        /// Mean rate.
        rate: BitRate,
        /// Each interval is uniform in ± this part of its length.
        interval_jitter: Percent,
    },
    /// A Poisson process.
    Poisson {
        /// Mean rate.
        rate: BitRate,
    },
    /// On and off in turn, both lengths Pareto.
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

pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("greedy", Kind::Greedy),
    ("cbr", Kind::Cbr),
    ("poisson", Kind::Poisson),
    ("pareto-on-off", Kind::ParetoOnOff),
    ("tcp", Kind::Tcp),
    ("transfers", Kind::Transfers),
    ("web", Kind::Web),
    ("explicit-rate", Kind::ExplicitRate),
];
/// The keys of all kinds, in the order in which they are written.
pub(crate) const KEYS: &[&str] = &[
    "kind",
    "rate",
    "peak",
    "mean-on",
    "mean-off",
    "shape",
    "interval-jitter",
    "packet",
    "size-jitter",
    "control-every",
    "control-within",
    "control-least",
    "initial",
    "on-change",
    "manner",
    "count",
    "pages",
    "mean-interval",
    "mean-think-time",
    "mean-objects",
    "mean-gap",
    "size",
    "profile",
    "control",
    "segment",
    "ack",
    "receive-window",
    "initial-window",
    "initial-threshold",
    "min-timeout",
    "granularity",
    "delayed-ack",
    "ecn",
];
pub(crate) const DEFAULT_PACKET: Bytes = Bytes::new(1_000);
/// The usual shape of on-off sources: finite mean, infinite variance.
pub(crate) const DEFAULT_SHAPE: f64 = 1.5;
pub(crate) const LARGEST_PACKET: Bytes = Bytes::new(u16::MAX as u64);

#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Greedy,
    Cbr,
    Poisson,
    ParetoOnOff,
    Tcp,
    Transfers,
    Web,
    ExplicitRate,
}

impl Kind {
    /// The keys of the kind, `kind` first.
    pub fn keys(self) -> Vec<&'static str> {
        let (own, common): (&[&str], &[&str]) = match self {
            Self::Greedy => (&[], DATAGRAM_KEYS),
            Self::Cbr => (&["rate", "interval-jitter"], DATAGRAM_KEYS),
            Self::Poisson => (&["rate"], DATAGRAM_KEYS),
            Self::ParetoOnOff => (&["peak", "mean-on", "mean-off", "shape"], DATAGRAM_KEYS),
            Self::Tcp => (&[], tcp::KEYS),
            Self::Transfers => (work::TRANSFERS_KEYS, tcp::KEYS),
            Self::Web => (work::WEB_KEYS, tcp::KEYS),
            Self::ExplicitRate => (explicit_rate::KEYS, &[]),
        };
        ["kind"].into_iter().chain(own.iter().copied()).chain(common.iter().copied()).collect()
    }
}

/// The keys of every kind of datagrams.
const DATAGRAM_KEYS: &[&str] = &["packet", "size-jitter"];

impl Traffic {
    /// Demand without end, in packets of the usual size.
    pub const GREEDY: Self = Self::Datagrams(Datagrams::GREEDY);

    /// A constant rate, in packets of the usual size.
    pub(crate) fn constant(rate: BitRate) -> Self {
        let arrivals = Arrivals::Cbr { rate, interval_jitter: Percent::default() };
        Self::Datagrams(Datagrams { arrivals, ..Datagrams::GREEDY })
    }

    /// The same at another rate: without end, at a constant one.
    pub(crate) fn at_rate(&self, rate: BitRate) -> Self {
        match self {
            Self::Datagrams(Datagrams { arrivals: Arrivals::Poisson { .. }, packet, size_jitter }) => {
                Self::Datagrams(Datagrams {
                    arrivals: Arrivals::Poisson { rate },
                    packet: *packet,
                    size_jitter: *size_jitter,
                })
            }
            Self::Datagrams(datagrams) => {
                let arrivals = Arrivals::Cbr { rate, interval_jitter: Percent::default() };
                Self::Datagrams(Datagrams { arrivals, ..*datagrams })
            }
            Self::Tcp(tcp) => Self::Tcp(*tcp),
            Self::Rate(rate) => Self::Rate(*rate),
        }
    }

    /// Mean rate while the flow is active; none for demand without end. Jitter does
    /// not matter; of transfers and pages it is what they ask for, before acknowledgements
    /// and whatever their transfer takes.
    pub fn mean_rate(&self) -> Option<BitRate> {
        match self {
            Self::Datagrams(datagrams) => datagrams.arrivals.plan().mean_rate(),
            Self::Tcp(tcp) => tcp.work.mean_rate(),
            Self::Rate(_) => None,
        }
    }

    /// The largest packet it makes.
    pub fn largest_packet(&self) -> Bytes {
        match self {
            Self::Datagrams(datagrams) => datagrams.largest_packet(),
            Self::Tcp(tcp) => tcp.segment,
            Self::Rate(rate) => rate.packet,
        }
    }

    /// The mean packet it makes; of TCP, a whole segment.
    pub fn mean_packet(&self) -> Bytes {
        match self {
            Self::Datagrams(datagrams) => datagrams.packet,
            Self::Tcp(tcp) => tcp.segment,
            Self::Rate(rate) => rate.packet,
        }
    }

    /// Whether it is made of transfers that end.
    pub fn makes_transfers(&self) -> bool {
        matches!(self, Self::Tcp(Tcp { work: Work::Transfers { .. } | Work::Web { .. }, .. }))
    }

    /// Whether something must come back.
    pub fn is_acknowledged(&self) -> bool {
        matches!(self, Self::Tcp(_) | Self::Rate(_))
    }

    /// Whether switches tell its rate.
    pub fn is_explicit_rate(&self) -> bool {
        matches!(self, Self::Rate(_))
    }

    pub(crate) fn read(field: &Field<'_>) -> Result<Self, Reported> {
        // Who writes a kind alone means that.
        let kind = match &field.node.value {
            Value::Text(word) if KINDS.iter().any(|(name, _)| name == word) => word,
            _ => "greedy",
        };
        let example = format!("{{ kind = \"{kind}\" }}");
        let traffic = field.open_table(format!("`traffic` of {}", field.place), &example)?;
        let kind = traffic.need("kind", "\"cbr\"")?.word(KINDS)?;
        let name = KINDS.iter().find(|(_, other)| *other as u8 == kind as u8).map_or("", |(name, _)| name);
        let traffic = Table { place: format!("`{name}` traffic"), ..traffic };
        traffic.check_keys(&kind.keys());
        let tcp = |work| Tcp::read(field, &traffic, work).map(Self::Tcp);
        match kind {
            Kind::ExplicitRate => ExplicitRate::read(&traffic).map(Self::Rate),
            Kind::Tcp => tcp(Ok(Work::Tcp)),
            Kind::Transfers => tcp(Work::read_transfers(&traffic)),
            Kind::Web => tcp(Work::read_web(&traffic)),
            Kind::Greedy | Kind::Cbr | Kind::Poisson | Kind::ParetoOnOff => {
                Datagrams::read(field, kind, &traffic).map(Self::Datagrams)
            }
        }
    }
}

impl Datagrams {
    /// Demand without end, in packets of the usual size.
    pub const GREEDY: Self =
        Self { arrivals: Arrivals::Greedy, packet: DEFAULT_PACKET, size_jitter: Percent::new(0.0) };

    fn largest_packet(&self) -> Bytes {
        Bytes::new((self.packet.get() as f64 * (1.0 + self.size_jitter.fraction())) as u64)
    }

    /// The same for a simulator.
    pub(crate) fn plan(&self) -> plan::Traffic {
        plan::Traffic {
            arrivals: self.arrivals.plan(),
            packet_bytes: self.packet.get() as u16,
            size_jitter: self.size_jitter.fraction(),
        }
    }

    fn read(field: &Field<'_>, kind: Kind, table: &Table<'_>) -> Result<Self, Reported> {
        let packet = table.field("packet").map_or(Ok(DEFAULT_PACKET), |field| read_packet(&field));
        let size_jitter = table.field("size-jitter").map_or(Ok(Percent::default()), |field| field.percent(true));
        let arrivals = Arrivals::read(kind, table);
        let datagrams = Self { packet: packet?, size_jitter: size_jitter?, arrivals: arrivals? };
        if datagrams.largest_packet() > LARGEST_PACKET {
            let message =
                format!("packets of {} ± {} reach beyond {LARGEST_PACKET}", datagrams.packet, datagrams.size_jitter);
            return Err(field.error(message, "too large", "write a smaller `packet` or `size-jitter`"));
        }
        Ok(datagrams)
    }
}

impl Arrivals {
    fn read(kind: Kind, traffic: &Table<'_>) -> Result<Self, Reported> {
        // A rate of zero offers nothing, as a `demand` of zero does.
        let rate = || traffic.need("rate", "\"622 Mb/s\"").and_then(|field| field.quantity::<BitRate>());
        match kind {
            // TCP and explicit rates have no arrivals of their own and do not come here.
            Kind::Greedy | Kind::Tcp | Kind::Transfers | Kind::Web | Kind::ExplicitRate => Ok(Self::Greedy),
            Kind::Cbr => {
                let rate = rate();
                let jitter =
                    traffic.field("interval-jitter").map_or(Ok(Percent::default()), |field| field.percent(false));
                Ok(Self::Cbr { rate: rate?, interval_jitter: jitter? })
            }
            Kind::Poisson => Ok(Self::Poisson { rate: rate()? }),
            Kind::ParetoOnOff => {
                let peak = traffic.need("peak", "\"622 Mb/s\"").and_then(|field| field.positive::<BitRate>());
                let mean_on = traffic.need("mean-on", "\"10 ms\"").and_then(|field| field.positive::<Span>());
                let mean_off = traffic.need("mean-off", "\"10 ms\"").and_then(|field| field.quantity());
                let shape = traffic.field("shape").map_or(Ok(DEFAULT_SHAPE), |field| read_shape(&field));
                let arrivals = Self::ParetoOnOff { peak: peak?, mean_on: mean_on?, mean_off: mean_off?, shape: shape? };
                if arrivals.plan().mean_rate() == Some(BitRate::ZERO) {
                    let message = "these on and off times leave a mean rate of zero";
                    let help = "write a longer `mean-on` or a shorter `mean-off`";
                    return Err(traffic.report.error(traffic.span.clone(), message, "offers nothing", help));
                }
                Ok(arrivals)
            }
        }
    }

    fn plan(&self) -> plan::Arrivals {
        match *self {
            Self::Greedy => plan::Arrivals::Greedy,
            Self::Cbr { rate, interval_jitter } => plan::Arrivals::Cbr { rate, jitter: interval_jitter.fraction() },
            Self::Poisson { rate } => plan::Arrivals::Poisson { rate },
            Self::ParetoOnOff { peak, mean_on, mean_off, shape } => {
                plan::Arrivals::ParetoOnOff { peak, mean_on, mean_off, shape }
            }
        }
    }
}

pub(crate) fn read_packet(field: &Field<'_>) -> Result<Bytes, Reported> {
    let packet = field.positive::<Bytes>()?;
    if packet > LARGEST_PACKET {
        let message = format!("a packet has at most {LARGEST_PACKET}, not {packet}");
        return Err(field.error(message, "too large", "write a packet size such as `packet = \"1 kB\"`"));
    }
    Ok(packet)
}

pub(crate) fn read_shape(field: &Field<'_>) -> Result<f64, Reported> {
    let shape = field.weight()?;
    if shape <= 1.0 {
        let message =
            format!("`shape` of {} is above 1, not {shape}: at 1 and below the mean is infinite", field.place);
        return Err(field.error(message, "too small", "write a shape above 1, such as `shape = 1.5`"));
    }
    Ok(shape)
}
