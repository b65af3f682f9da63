//! `traffic`: what a flow offers.

use crate::diagnostic::Reported;
use crate::percent::Percent;
use crate::table::{Field, Table};
use fairwire_core::{BitRate, Bytes, Span};
use fairwire_sim as sim;
use serde::Serialize;

/// What a flow offers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Traffic {
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

pub(crate) const KINDS: &[(&str, Kind)] =
    &[("greedy", Kind::Greedy), ("cbr", Kind::Cbr), ("poisson", Kind::Poisson), ("pareto-on-off", Kind::ParetoOnOff)];
/// The keys of all kinds, in the order in which they are written.
pub(crate) const KEYS: &[&str] =
    &["kind", "rate", "peak", "mean-on", "mean-off", "shape", "interval-jitter", "packet", "size-jitter"];
pub(crate) const DEFAULT_PACKET: Bytes = Bytes::new(1_000);
/// The usual shape of on-off sources: finite mean, infinite variance.
pub(crate) const DEFAULT_SHAPE: f64 = 1.5;
const LARGEST_PACKET: Bytes = Bytes::new(u16::MAX as u64);

#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Greedy,
    Cbr,
    Poisson,
    ParetoOnOff,
}

impl Kind {
    pub const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Greedy => &["kind", "packet", "size-jitter"],
            Self::Cbr => &["kind", "rate", "interval-jitter", "packet", "size-jitter"],
            Self::Poisson => &["kind", "rate", "packet", "size-jitter"],
            Self::ParetoOnOff => &["kind", "peak", "mean-on", "mean-off", "shape", "packet", "size-jitter"],
        }
    }
}

impl Traffic {
    /// Demand without end, in packets of the usual size.
    pub const GREEDY: Self =
        Self { arrivals: Arrivals::Greedy, packet: DEFAULT_PACKET, size_jitter: Percent::new(0.0) };

    /// A constant rate, in packets of the usual size.
    pub(crate) fn constant(rate: BitRate) -> Self {
        Self { arrivals: Arrivals::Cbr { rate, interval_jitter: Percent::default() }, ..Self::GREEDY }
    }

    /// Mean rate while the flow is active; none for demand without end. Jitter does not matter.
    pub fn mean_rate(&self) -> Option<BitRate> {
        self.arrivals.plan().mean_rate()
    }

    /// The largest packet it makes.
    pub fn largest_packet(&self) -> Bytes {
        Bytes::new((self.packet.get() as f64 * (1.0 + self.size_jitter.fraction())) as u64)
    }

    /// The same for the simulator.
    pub(crate) fn plan(&self) -> sim::Traffic {
        sim::Traffic {
            arrivals: self.arrivals.plan(),
            packet_bytes: self.packet.get() as u16,
            size_jitter: self.size_jitter.fraction(),
        }
    }

    pub(crate) fn read(field: &Field<'_>) -> Result<Self, Reported> {
        let traffic = field.open_table(format!("`traffic` of {}", field.place), "{ kind = \"greedy\" }")?;
        let kind = traffic.need("kind", "\"cbr\"")?.word(KINDS)?;
        let name = KINDS.iter().find(|(_, other)| *other as u8 == kind as u8).map_or("", |(name, _)| name);
        let traffic = Table { place: format!("`{name}` traffic"), ..traffic };
        traffic.check_keys(kind.keys());
        let packet = traffic.field("packet").map_or(Ok(DEFAULT_PACKET), |field| read_packet(&field));
        let size_jitter = traffic.field("size-jitter").map_or(Ok(Percent::default()), |field| field.percent(true));
        let arrivals = Arrivals::read(kind, &traffic);
        let traffic = Self { packet: packet?, size_jitter: size_jitter?, arrivals: arrivals? };
        if traffic.largest_packet() > LARGEST_PACKET {
            let message =
                format!("packets of {} ± {} reach beyond {LARGEST_PACKET}", traffic.packet, traffic.size_jitter);
            return Err(field.error(message, "too large", "write a smaller `packet` or `size-jitter`"));
        }
        Ok(traffic)
    }
}

impl Arrivals {
    fn read(kind: Kind, traffic: &Table<'_>) -> Result<Self, Reported> {
        let rate = |key: &str| traffic.need(key, "\"622 Mb/s\"").and_then(|field| field.positive::<BitRate>());
        match kind {
            Kind::Greedy => Ok(Self::Greedy),
            Kind::Cbr => {
                let rate = rate("rate");
                let jitter =
                    traffic.field("interval-jitter").map_or(Ok(Percent::default()), |field| field.percent(false));
                Ok(Self::Cbr { rate: rate?, interval_jitter: jitter? })
            }
            Kind::Poisson => Ok(Self::Poisson { rate: rate("rate")? }),
            Kind::ParetoOnOff => {
                let peak = rate("peak");
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

    fn plan(&self) -> sim::Arrivals {
        match *self {
            Self::Greedy => sim::Arrivals::Greedy,
            Self::Cbr { rate, interval_jitter } => sim::Arrivals::Cbr { rate, jitter: interval_jitter.fraction() },
            Self::Poisson { rate } => sim::Arrivals::Poisson { rate },
            Self::ParetoOnOff { peak, mean_on, mean_off, shape } => {
                sim::Arrivals::ParetoOnOff { peak, mean_on, mean_off, shape }
            }
        }
    }
}

fn read_packet(field: &Field<'_>) -> Result<Bytes, Reported> {
    let packet = field.positive::<Bytes>()?;
    if packet > LARGEST_PACKET {
        let message = format!("a packet has at most {LARGEST_PACKET}, not {packet}");
        return Err(field.error(message, "too large", "write a packet size such as `packet = \"1 kB\"`"));
    }
    Ok(packet)
}

fn read_shape(field: &Field<'_>) -> Result<f64, Reported> {
    let shape = field.weight()?;
    if shape <= 1.0 {
        let message =
            format!("`shape` of {} is above 1, not {shape}: at 1 and below the mean is infinite", field.place);
        return Err(field.error(message, "too small", "write a shape above 1, such as `shape = 1.5`"));
    }
    Ok(shape)
}
