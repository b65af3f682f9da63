//! What one law of the packet ring does otherwise than the next.

use super::limits::Limits;
use super::meter::MeterSettings;
use super::params::{Contributes, Encoding};
use super::round_trip::RoundTripWay;
use super::rules::FairRateRule;
use super::situation::Gauge;
use crate::ring::{Datapath, LawAbout, RingSite, StqThresholds};
use fairwire_core::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// A named law with its generation's defaults.
pub trait Profile: Sized + 'static {
    /// What a scenario may set.
    type Params: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema;
    /// How the local fair rate is found.
    type Rule: FairRateRule;
    /// How a station is limited.
    type Limits: Limits;

    /// Name, idea and source.
    const ABOUT: LawAbout;
    /// The transit path it is described for.
    const DATAPATH: Datapath = Datapath::DualQueue;
    /// Whether stations have weights.
    const WEIGHTED: bool = true;
    /// Whether it may send frames with the data.
    const SENDS_DOWNSTREAM: bool = false;

    /// What is wrong with the parameters, as [`crate::ring::RingLaw::problem`].
    fn problem(_params: &Self::Params) -> Option<String> {
        None
    }

    /// Its settings at `site`.
    fn settings(params: &Self::Params, site: &RingSite) -> Settings;

    /// Its rule, before anything has happened.
    fn rule(params: &Self::Params) -> Self::Rule;

    /// From which depth on the secondary transit queue stops or outranks the station.
    fn stq_thresholds(_params: &Self::Params, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
        StqThresholds::never_stopping(secondary, max_packet)
    }
}

/// All that the shared station needs to know of a law.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How it measures, and how long an aging interval is.
    pub meter: MeterSettings,
    /// How often it advertises.
    pub advertising: Span,
    /// Allowed rates climb by one part in so many.
    pub ramp_coef: f64,
    /// What tells congestion.
    pub gauge: Gauge,
    /// How long a station may wait to add, if that matters.
    pub access: Option<Span>,
    /// When an advertisement is passed on.
    pub contributes: Contributes,
    /// Whether a congested station tells the minimum in any case.
    pub minimum: bool,
    /// The unit of rates on the wire.
    pub encoding: Encoding,
    /// A multi-choke frame every so many advertisements; 0 for none.
    pub report_every: u32,
    /// Whether the client obeys multi-choke frames.
    pub obeys_reports: bool,
    /// How the round trip is known.
    pub round_trip: RoundTripWay,
    /// The round trip if it is fixed.
    pub fixed_round_trip: Span,
    /// How often a tail sends a pair of FDD frames.
    pub pair_every: Span,
}
