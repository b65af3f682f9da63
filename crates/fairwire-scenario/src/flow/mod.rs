//! A flow: who sends where, what, and when.

pub mod activity;
pub mod ends;
pub mod explicit_rate;
pub mod guarantee;
pub mod table;
pub mod tcp;
pub(crate) mod tcp_profile;
pub mod traffic;
pub mod work;

use self::activity::Activity;
use self::traffic::Traffic;
use fairwire_core::{BitRate, Ringlet, ServiceClass, Span};
use serde::{Serialize, Serializer};
use std::ops::Range;

/// One flow. A table that stands for several has become as many of these.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Flow {
    /// Its id; unique.
    pub name: String,
    /// Where it enters.
    pub from: End,
    /// Where it leaves.
    pub to: End,
    /// How it gets there.
    #[serde(flatten)]
    pub way: Way,
    /// Its weight: among the flows of its ingress on a ring and under RIAS,
    /// among all flows under weighted max-min.
    pub weight: f64,
    /// Its service class (rings only).
    #[serde(serialize_with = "class_name")]
    pub class: ServiceClass,
    /// Whether its packets stay in order whatever protection does (rings only).
    #[serde(rename = "order", serialize_with = "order_name", skip_serializing_if = "is_zero")]
    pub strict_order: bool,
    /// Whether a station at a dead span may put its packets on the other ringlet (rings that wrap).
    #[serde(skip_serializing_if = "is_true")]
    pub wrap_eligible: bool,
    /// The rate reserved for it in classes A0 and A1, its committed rate in class B, and
    /// elsewhere what it is promised under general weighted fairness.
    #[serde(skip_serializing_if = "is_zero")]
    pub min_rate: BitRate,
    /// Of how many micro-flows it is made, each of which offers `traffic`.
    #[serde(skip_serializing_if = "is_one")]
    pub micro_flows: u32,
    /// What it offers.
    pub traffic: Traffic,
    /// Whether its packets go before others in every queue (networks only).
    #[serde(rename = "priority", serialize_with = "priority_name", skip_serializing_if = "is_false")]
    pub high_priority: bool,
    /// When it begins to offer.
    pub start: Span,
    /// Each micro-flow begins later by a uniform time up to this.
    #[serde(skip_serializing_if = "is_zero")]
    pub start_jitter: Span,
    /// In which periods it offers traffic, if not in all (networks only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<Activity>,
    /// When it stops, if before the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Span>,
    /// No more than this is granted, whatever it offers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_rate: Option<BitRate>,
    /// The equipment on its way lets no more through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported_rate: Option<BitRate>,
    /// Where the file says what it is promised.
    #[serde(skip)]
    pub(crate) min_rate_span: Range<usize>,
    /// Where the table stands that declares it.
    #[serde(skip)]
    pub(crate) span: Range<usize>,
}

/// A station or node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Its number, from 0.
    pub index: usize,
    /// Its name, if it is a node of a network.
    pub name: Option<String>,
}

/// How a flow gets where it goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged, rename_all_fields = "kebab-case")]
pub enum Way {
    /// Along one ringlet.
    Ring {
        /// Which.
        #[serde(serialize_with = "ringlet_number")]
        ringlet: Ringlet,
    },
    /// Over links of a network.
    Network {
        /// Their names, in order.
        route: Vec<String>,
        /// Their numbers.
        #[serde(skip)]
        links: Vec<usize>,
        /// The links that acknowledgements take; none where nothing comes back.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        reverse_route: Vec<String>,
        /// Their numbers.
        #[serde(skip)]
        reverse_links: Vec<usize>,
    },
}

impl Way {
    /// Links of a network that it goes over, there and back.
    pub(crate) fn hops(&self) -> usize {
        match self {
            Self::Ring { .. } => 0,
            Self::Network { links, reverse_links, .. } => links.len() + reverse_links.len(),
        }
    }
}

impl Flow {
    /// Its part of a bottleneck of a network under weighted criteria: its weight, once for each micro-flow.
    pub fn share(&self) -> f64 {
        self.weight * f64::from(self.micro_flows)
    }

    /// What it offers in bit/s; infinite for demand without end.
    pub fn offered_bps(&self) -> f64 {
        let each = self.traffic.mean_rate().map_or(f64::INFINITY, BitRate::as_bps_f64);
        each * f64::from(self.micro_flows)
    }

    /// The largest rate it can use in bit/s: what it offers, up to its peak and supported
    /// rates; infinite for demand without end.
    pub fn demand_bps(&self) -> f64 {
        self.cap().map_or(self.offered_bps(), |cap| self.offered_bps().min(cap.as_bps_f64()))
    }

    /// Whether it has no part in what is shared: what it gets is granted to it before.
    pub fn has_all_it_gets(&self) -> bool {
        self.class.is_primary() || self.high_priority
    }

    /// The smaller of its peak and supported rates, if it has any.
    pub fn cap(&self) -> Option<BitRate> {
        [self.peak_rate, self.supported_rate].into_iter().flatten().min()
    }

    /// What its class guarantees it, in bit/s: granted first under every criterion.
    pub fn committed(&self) -> BitRate {
        if self.class == ServiceClass::C { BitRate::ZERO } else { self.min_rate }
    }

    /// What it is promised under general weighted fairness.
    pub fn promised(&self) -> BitRate {
        if self.class == ServiceClass::C { self.min_rate } else { BitRate::ZERO }
    }
}

/// The number of a station, or the name of a node.
impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.name {
            Some(name) => f.pad(name),
            None => self.index.fmt(f),
        }
    }
}

impl Serialize for End {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.name {
            Some(name) => serializer.serialize_str(name),
            None => serializer.serialize_u64(self.index as u64),
        }
    }
}

fn class_name<S: Serializer>(class: &ServiceClass, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{class:?}"))
}

fn order_name<S: Serializer>(strict: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *strict { "strict" } else { "relaxed" })
}

fn priority_name<S: Serializer>(_high: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str("high")
}

fn is_false(value: &bool) -> bool {
    !*value
}

fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_true(value: &bool) -> bool {
    *value
}

fn is_one(number: &u32) -> bool {
    *number == 1
}

fn ringlet_number<S: Serializer>(ringlet: &Ringlet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(ringlet.index() as u64)
}
