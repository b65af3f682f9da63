//! `[ring]`: two counter-rotating ringlets and the law that shares them.

pub mod control;
pub mod protection;
pub mod transit;

use self::control::Control;
use self::transit::Transit;
use crate::by_node::{self, IngressMinimum};
use crate::law;
use crate::reading::diagnostic::Reported;
use crate::reading::document::Value;
use crate::reading::table::{Field, Table};
use crate::run::Run;
use fairwire_core::{BitRate, Bytes, Ringlet, Span, UnitError};
use fairwire_laws::protection::Params as ProtectionParams;
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::{DeadSpans, LinkPlan, Overflow, StationQueues};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::Range;

/// Stations of the largest ring: four times what 802.17 allows. Every station keeps
/// a number for every link, so memory grows with the square.
pub(crate) const LARGEST_RING: u64 = 1024;

/// A ring.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Ring {
    /// Stations, from 2 to 1024, numbered from 0 in the direction of ringlet 0.
    pub stations: u16,
    /// Capacity of every link without an entry of its own in `links`.
    pub capacity: BitRate,
    /// Propagation time of every such link.
    pub span_delay: Span,
    /// The law that every station runs.
    pub law: RingLawChoice,
    /// The queues in front of every link.
    pub transit: Transit,
    /// How a station keeps what it has to send.
    #[serde(serialize_with = "station_queues_name")]
    pub station_queues: StationQueues,
    /// Room of each station queue.
    pub station_buffer: Bytes,
    /// Weight of every station as an ingress.
    pub weights: Vec<f64>,
    /// What every station is promised as an ingress under RIAS; empty where none is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub min_rates: Vec<IngressMinimum>,
    /// Timers of topology discovery and protection, if the ring has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protection: Option<ProtectionParams>,
    /// Control messages that get lost, and laws that are called late.
    #[serde(flatten)]
    pub control: Control,
    /// Where stations wrap: the spans that are out of use, after an event of [`Scenario::after`](crate::Scenario::after).
    #[serde(skip)]
    pub(crate) folded: Option<DeadSpans>,
    /// Links that differ from the rest.
    #[serde(rename = "link", skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<RingLink>,
}

/// One link that differs from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RingLink {
    /// Its direction.
    #[serde(serialize_with = "ringlet_number")]
    pub ringlet: Ringlet,
    /// The station it leaves.
    pub from: u16,
    /// Bits per second.
    pub capacity: BitRate,
    /// Propagation time.
    pub delay: Span,
}

impl Ring {
    /// The links of one ringlet, by the station that each leaves.
    pub fn ringlet(&self, ringlet: Ringlet) -> Vec<LinkPlan> {
        let usual = LinkPlan { capacity: self.capacity, delay: self.span_delay };
        let mut links = vec![usual; usize::from(self.stations)];
        for link in self.links.iter().filter(|link| link.ringlet == ringlet) {
            links[usize::from(link.from)] = LinkPlan { capacity: link.capacity, delay: link.delay };
        }
        links
    }

    /// What each link carries, those of ringlet 0 first, by the station that each leaves.
    pub(crate) fn capacities(&self) -> Vec<BitRate> {
        Ringlet::BOTH.iter().flat_map(|ringlet| self.ringlet(*ringlet)).map(|link| link.capacity).collect()
    }

    /// A link carries so much.
    pub(crate) fn set_capacity(&mut self, (ringlet, from): (Ringlet, u16), capacity: BitRate) {
        match self.links.iter_mut().find(|link| (link.ringlet, link.from) == (ringlet, from)) {
            Some(known) => known.capacity = capacity,
            None => self.links.push(RingLink { ringlet, from, capacity, delay: self.span_delay }),
        }
    }

    /// Propagation time once around the slower ringlet.
    pub fn lap(&self) -> Span {
        Ringlet::BOTH
            .map(|ringlet| self.ringlet(ringlet).iter().map(|link| link.delay).sum())
            .into_iter()
            .max()
            .unwrap_or_default()
    }
}

/// Faster links would send packets in no time at all.
pub const FASTEST: BitRate = BitRate::from_bps(100_000_000_000_000);
pub(crate) const KEYS: &[&str] = &[
    "stations",
    "capacity",
    "span-delay",
    "law",
    "transit",
    "station-queues",
    "station-buffer",
    "weights",
    "min-rates",
    "protection",
    "control-loss",
    "wake-ups",
    "lost-frame",
    "link",
];
pub(crate) const LINK_KEYS: &[&str] = &["ringlet", "from", "between", "capacity", "delay"];
pub(crate) const OVERFLOWS: &[(&str, Overflow)] = &[("drop", Overflow::Drop), ("hold", Overflow::Hold)];
pub(crate) const STATION_QUEUES: &[(&str, StationQueues)] =
    &[("per-destination", StationQueues::PerDestination), ("single", StationQueues::Single)];
pub(crate) const RINGLETS: [Ringlet; 2] = Ringlet::BOTH;
pub(crate) const DEFAULT_BUFFER: Bytes = Bytes::new(200_000);

/// `[ring]` as read, before the largest packet is known that buffers may be counted in.
pub(crate) struct Draft {
    pub stations: Result<u16, Reported>,
    beside: Result<BesideStations, Reported>,
}

/// All of it but the number of stations.
struct BesideStations {
    capacity: BitRate,
    span_delay: Span,
    law: RingLawChoice,
    transit: transit::Draft,
    station_queues: StationQueues,
    station_buffer: Buffer,
    weights: Vec<f64>,
    min_rates: Vec<IngressMinimum>,
    protection: Option<ProtectionParams>,
    control: Control,
    links: Vec<RingLink>,
}

/// Room for packets, and where it was asked for.
pub(crate) struct Buffer {
    room: Room,
    span: Range<usize>,
}

enum Room {
    Size(Bytes),
    Packets(u64),
}

impl Draft {
    /// Reads `[ring]`.
    pub fn read(field: &Field<'_>, run: Option<&Run>) -> Result<Self, Reported> {
        let ring = field.table("[ring]", KEYS, "{ stations = 10 }")?;
        let stations = ring.need("stations", "10").and_then(|field| field.integer(2..=LARGEST_RING, "10"));
        let stations = stations.map(|stations| stations as u16);
        Ok(Self { stations, beside: BesideStations::read(&ring, stations, run) })
    }

    /// The ring, once the largest packet is known.
    pub fn finish(self, field: &Field<'_>, largest_packet: Bytes) -> Result<Ring, Reported> {
        let (stations, beside) = (self.stations?, self.beside?);
        let transit = beside.transit.finish(field, largest_packet);
        let station_buffer = beside.station_buffer.resolve(field, largest_packet, largest_packet);
        let transit = transit?;
        Ok(Ring {
            stations,
            capacity: beside.capacity,
            span_delay: beside.span_delay,
            law: beside.law,
            transit,
            station_queues: beside.station_queues,
            station_buffer: station_buffer?,
            weights: beside.weights,
            min_rates: beside.min_rates,
            protection: beside.protection,
            control: beside.control,
            folded: None,
            links: beside.links,
        })
    }
}

impl BesideStations {
    fn read(ring: &Table<'_>, stations: Result<u16, Reported>, run: Option<&Run>) -> Result<Self, Reported> {
        let capacity = ring.need("capacity", "\"622 Mb/s\"").and_then(|field| read_capacity(&field, ""));
        let span_delay = ring.need("span-delay", "\"0.1 ms\"").and_then(|field| field.quantity());
        let law = ring.need("law", "{ name = \"dvsr\" }").and_then(|field| law::read(&field));
        let transit = transit::Draft::read(ring);
        let station_queues =
            ring.field("station-queues").map_or(Ok(StationQueues::PerDestination), |field| field.word(STATION_QUEUES));
        let station_buffer = Buffer::read(ring, "station-buffer");
        let names: Result<Vec<String>, _> =
            stations.map(|stations| (0..stations).map(|station| station.to_string()).collect());
        let weights =
            names.as_ref().map_err(|r| *r).and_then(|names| by_node::weights(ring.field("weights"), names, "stations"));
        let min_rates = names.and_then(|names| by_node::minimums(ring.field("min-rates"), &names, "stations"));
        let protection = protection::read(ring);
        let control = Control::read(ring, stations, run);
        let usual = capacity.and_then(|capacity| span_delay.map(|delay| LinkPlan { capacity, delay }));
        let links = read_links(ring, stations, usual);
        Ok(Self {
            capacity: capacity?,
            span_delay: span_delay?,
            law: law?,
            transit: transit?,
            station_queues: station_queues?,
            station_buffer: station_buffer?,
            weights: weights?,
            min_rates: min_rates?,
            protection: protection?,
            control: control?,
            links: links?,
        })
    }
}

/// What to do with a link that carries nothing: on a ring, in a network, and there from some time on.
pub(crate) const CUT: &str = "; a link that is dead is an [[event]] of kind \"cut\"";
pub(crate) const LEFT_OUT: &str = "; a link that is not there is left out";
pub(crate) const NEARLY_NOTHING: &str = "; a link that is down may carry \"1 b/s\"";

/// A capacity above zero that still takes time to send a packet. `nothing` says what to write where there is none.
pub(crate) fn read_capacity(field: &Field<'_>, nothing: &str) -> Result<BitRate, Reported> {
    if let Value::Text(text) = &field.node.value
        && let Err(UnitError::OutOfRange { .. }) = text.parse::<BitRate>()
    {
        let message = format!("{}: `{}` is out of range", field.called(), text.trim());
        return Err(field.error(message, "out of range", format!("write a bit rate from 1 b/s to {FASTEST}{nothing}")));
    }
    let capacity = field.positive_or::<BitRate>(nothing)?;
    if capacity > FASTEST {
        let message = format!("`{}` of {} is at most {FASTEST}, not {capacity}", field.name, field.place);
        return Err(field.error(message, "too fast", format!("write at most \"{FASTEST}\"")));
    }
    Ok(capacity)
}

impl Buffer {
    /// A size, or a number of the largest packets: `"200 kB"`, `"1000 packets"`.
    pub fn read(table: &Table<'_>, key: &str) -> Result<Self, Reported> {
        let Some(field) = table.field(key) else { return Ok(Self::usual(table)) };
        let room = match field.packets() {
            Some(packets) => Room::Packets(packets?),
            None => Room::Size(field.quantity()?),
        };
        Ok(Self { room, span: field.span() })
    }

    /// What there is if nothing is said.
    pub fn usual(table: &Table<'_>) -> Self {
        Self { room: Room::Size(DEFAULT_BUFFER), span: table.span.clone() }
    }

    pub fn resolve(&self, field: &Field<'_>, largest_packet: Bytes, least: Bytes) -> Result<Bytes, Reported> {
        let bytes = match self.room {
            Room::Size(bytes) => bytes,
            Room::Packets(packets) => Bytes::new(packets.saturating_mul(largest_packet.get())),
        };
        if bytes < least {
            let message = format!("a buffer of {bytes} has no room: packets have up to {largest_packet}");
            return Err(field.report.error(
                self.span.clone(),
                message,
                "too small",
                format!("write a buffer of at least \"{least}\""),
            ));
        }
        Ok(bytes)
    }
}

fn read_links(
    ring: &Table<'_>,
    stations: Result<u16, Reported>,
    usual: Result<LinkPlan, Reported>,
) -> Result<Vec<RingLink>, Reported> {
    let Some(field) = ring.field("link") else { return Ok(Vec::new()) };
    let items = field.tables("[[ring.link]]")?;
    let (stations, usual) = (stations?, usual?);
    let mut links = Vec::new();
    let mut seen: BTreeMap<(Ringlet, u16), &Field<'_>> = BTreeMap::new();
    let mut fine = Ok(());
    for item in &items {
        let new = match read_link(item, stations, usual) {
            Ok(new) => new,
            Err(reported) => {
                fine = Err(reported);
                continue;
            }
        };
        for link in &new {
            if let Some(other) = seen.insert((link.ringlet, link.from), item) {
                let other = other.report.line(&other.span());
                let message = format!("link {} is set here and on line {other}", link.ringlet.link_name(link.from));
                fine = Err(item.error(message, "set twice", "keep one of the two tables"));
            }
        }
        links.extend(new);
    }
    fine.map(|()| links)
}

fn read_link(item: &Field<'_>, stations: u16, usual: LinkPlan) -> Result<Vec<RingLink>, Reported> {
    let link = item.table("[[ring.link]]", LINK_KEYS, "{ ringlet = 0, from = 4 }")?;
    let capacity = link.field("capacity").map_or(Ok(usual.capacity), |field| read_capacity(&field, CUT));
    let delay = link.field("delay").map_or(Ok(usual.delay), |field| field.quantity());
    let last = u64::from(stations) - 1;
    let station = |field: &Field<'_>| field.integer(0..=last, "4").map(|station| station as u16);
    let ends = if let Some(between) = link.field("between") {
        if let Some(other) = link.field("ringlet").or(link.field("from")) {
            let message = format!("`between` names both directions, so `{}` has nothing to add", other.name);
            return Err(other.error(message, "one too many", "keep either `between`, or `ringlet` and `from`"));
        }
        read_span(&between, stations, station)
    } else {
        let ringlet = link.need("ringlet", "0").and_then(|field| field.integer(0..=1, "0"));
        let from = link.need("from", "4").and_then(|field| station(&field));
        ringlet.and_then(|ringlet| from.map(|from| vec![(RINGLETS[ringlet as usize], from)]))
    };
    let (capacity, delay) = (capacity?, delay?);
    Ok(ends?.into_iter().map(|(ringlet, from)| RingLink { ringlet, from, capacity, delay }).collect())
}

/// `between = [3, 4]`: the links of both ringlets between two neighbours.
pub(crate) fn read_span(
    field: &Field<'_>,
    stations: u16,
    station: impl Fn(&Field<'_>) -> Result<u16, Reported>,
) -> Result<Vec<(Ringlet, u16)>, Reported> {
    let items = field.items().filter(|items| items.len() == 2);
    let Some(items) = items else {
        return Err(field.error(
            "`between` names two neighbouring stations",
            "not two stations",
            "write `between = [3, 4]`",
        ));
    };
    let (a, b) = (station(&items[0])?, station(&items[1])?);
    let next = |from: u16| Ringlet::Zero.downstream(usize::from(from), usize::from(stations)) as u16;
    if next(a) == b {
        Ok(vec![(Ringlet::Zero, a), (Ringlet::One, b)])
    } else if next(b) == a {
        Ok(vec![(Ringlet::Zero, b), (Ringlet::One, a)])
    } else {
        let message = format!("stations {a} and {b} are not neighbours on a ring of {stations}");
        Err(field.error(message, "no link joins them", format!("write `between = [{a}, {}]`", next(a))))
    }
}

fn station_queues_name<S: Serializer>(queues: &StationQueues, serializer: S) -> Result<S::Ok, S::Error> {
    serializer
        .serialize_str(STATION_QUEUES.iter().find(|(_, value)| value == queues).map_or("single", |(name, _)| name))
}

fn ringlet_number<S: Serializer>(ringlet: &Ringlet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(ringlet.index() as u64)
}
