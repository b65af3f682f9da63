//! `[[event]]`: what happens on the way, to rings and networks.

pub mod flows;
pub mod links;
pub mod read;

use crate::flow::Flow;
use crate::network::Network;
use crate::ring::Ring;
use fairwire_core::{BitRate, Instant, Ringlet, Span};
use fairwire_plan::DemandChange;
use serde::Serialize;
use std::ops::Range;

/// Something that happens on the way.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Event {
    /// When.
    pub at: Span,
    /// What.
    pub kind: EventKind,
    /// The two neighbours whose span is cut or mended or has another capacity, in the direction of ringlet 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<[u16; 2]>,
    /// The station that falls silent or comes back, or has another weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub station: Option<u16>,
    /// The flow that something happens to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    /// The weight that the station has as an ingress from then on, or the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// What each of its micro-flows offers from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demand: Option<BitRate>,
    /// What the flow is promised from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rate: Option<BitRate>,
    /// The rate above which its source never sends from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_rate: Option<BitRate>,
    /// The rate above which its destination does not want to receive from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported_rate: Option<BitRate>,
    /// The link whose capacity becomes another; of a ring all links, if neither this nor `between` is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// What it carries from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<BitRate>,
    /// The place of the flow, the link or the station with another weight among all.
    #[serde(skip)]
    pub(crate) place: usize,
    /// The links of a ring whose capacity becomes another, by their ringlets and the stations that they leave.
    #[serde(skip)]
    pub(crate) ring_links: Vec<(Ringlet, u16)>,
    #[serde(skip)]
    pub(crate) keys: Keys,
}

/// Where the file says what of an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Keys {
    /// When it happens.
    pub at: Range<usize>,
    /// What happens.
    pub kind: Range<usize>,
    /// What comes of it: a rate, a weight, a capacity; or what fails; what happens, if that is all.
    pub value: Range<usize>,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// Both links of a span of a ring are dead.
    Cut,
    /// They are mended.
    Restore,
    /// A station of a ring falls silent: all four links that touch it are dead.
    StationDown,
    /// It comes back.
    StationUp,
    /// A flow offers another rate.
    Demand,
    /// A link has another capacity, or several of a ring have.
    Capacity,
    /// A station of a ring has another weight; in a network, a flow whose rate switches tell.
    Weight,
    /// A flow whose rate switches tell comes on again.
    Start,
    /// It stops.
    Stop,
    /// It is promised another rate.
    MinRate,
    /// Its source sends no more than another rate.
    PeakRate,
    /// Its destination wants no more than another rate.
    SupportedRate,
}

pub(crate) const KEYS: &[&str] = &[
    "at",
    "kind",
    "between",
    "station",
    "flow",
    "weight",
    "demand",
    "min-rate",
    "peak-rate",
    "supported-rate",
    "link",
    "capacity",
];
pub(crate) const KINDS: &[(&str, EventKind)] = &[
    ("cut", EventKind::Cut),
    ("restore", EventKind::Restore),
    ("station-down", EventKind::StationDown),
    ("station-up", EventKind::StationUp),
    ("demand", EventKind::Demand),
    ("capacity", EventKind::Capacity),
    ("weight", EventKind::Weight),
    ("start", EventKind::Start),
    ("stop", EventKind::Stop),
    ("min-rate", EventKind::MinRate),
    ("peak-rate", EventKind::PeakRate),
    ("supported-rate", EventKind::SupportedRate),
];

impl EventKind {
    pub(crate) fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Whether it concerns what protection guards: spans and stations of a ring.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Cut | Self::Restore | Self::StationDown | Self::StationUp)
    }

    /// Whether something is worse afterwards.
    pub(crate) fn breaks(self) -> bool {
        matches!(self, Self::Cut | Self::StationDown)
    }

    /// Whether a flow whose rate switches tell comes or goes.
    pub(crate) fn switches(self) -> bool {
        matches!(self, Self::Start | Self::Stop)
    }

    /// Whether it changes what was agreed for a flow whose rate switches tell.
    pub(crate) fn is_of_terms(self) -> bool {
        matches!(self, Self::Weight | Self::MinRate | Self::PeakRate | Self::SupportedRate)
    }

    /// Its keys, each with an example.
    fn keys(self, ground: Where<'_>) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Cut | Self::Restore => &[("between", "[3, 4]")],
            Self::StationDown | Self::StationUp => &[("station", "3")],
            Self::Weight if matches!(ground, Where::Ring(_)) => &[("station", "3"), ("weight", "2")],
            Self::Weight => &[("flow", "\"a\""), ("weight", "2")],
            Self::Demand => &[("flow", "\"a\""), ("demand", "\"5 Mb/s\"")],
            Self::Capacity if matches!(ground, Where::Ring(_)) => {
                &[("capacity", "\"500 Mb/s\""), ("between", "[3, 4]"), ("link", "\"r0:3\"")]
            }
            Self::Capacity => &[("link", "\"a-b\""), ("capacity", "\"5 Mb/s\"")],
            Self::Start | Self::Stop => &[("flow", "\"a\"")],
            Self::MinRate => &[("flow", "\"a\""), ("min-rate", "\"5 Mb/s\"")],
            Self::PeakRate => &[("flow", "\"a\""), ("peak-rate", "\"5 Mb/s\"")],
            Self::SupportedRate => &[("flow", "\"a\""), ("supported-rate", "\"5 Mb/s\"")],
        }
    }
}

/// Where events happen.
#[derive(Clone, Copy)]
pub(crate) enum Where<'a> {
    Ring(&'a Ring),
    Network(&'a Network),
}

impl Event {
    /// What changes about a demand, if that is what happens.
    pub(crate) fn demand_change(&self, flows: &[Flow]) -> Option<DemandChange> {
        let demand = self.demand?;
        let flow = &flows[self.place];
        let most = flow.cap().map(|cap| cap.scaled(1.0 / f64::from(flow.micro_flows)));
        let demand = most.map_or(demand, |most| demand.min(most));
        Some(DemandChange { at: Instant::ZERO + self.at, flow: self.place, demand })
    }

    /// What happens, for people: `demand of a 5 Mb/s`.
    pub fn in_words(&self) -> String {
        let name = self.kind.name();
        match (self.between, self.capacity) {
            (Some([a, b]), Some(capacity)) => return format!("{name} of span {a}-{b} {capacity}"),
            (Some([a, b]), None) => return format!("{name} {a}-{b}"),
            (None, Some(capacity)) if self.link.is_none() => return format!("{name} of the ring {capacity}"),
            (None, _) => {}
        }
        let rates = [self.demand, self.min_rate, self.peak_rate, self.supported_rate, self.capacity];
        let rate = rates.into_iter().flatten().next().map(|rate| format!(" {rate}"));
        let becomes = rate.or(self.weight.map(|weight| format!(" {weight}"))).unwrap_or_default();
        match (self.station, self.flow.as_ref().or(self.link.as_ref())) {
            (Some(station), _) if self.weight.is_some() => format!("{name} of station {station}{becomes}"),
            (Some(station), _) => format!("{name} {station}"),
            (None, of) => format!("{name} of {}{becomes}", of.map_or("", String::as_str)),
        }
    }
}
