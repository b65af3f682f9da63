//! What a ring law is told, what it may ask, and what it can do.
//!
//! A law controls one ringlet at one station. Its driver counts packets; the law
//! reads the counters when it is called, and never hears of a single packet:
//!
//! | call | when |
//! | --- | --- |
//! | [`RingLaw::prepare`] | once before the start, if the ring is at work already |
//! | [`RingLaw::start`] | once, at any time: the run begins, or a changed ring has settled |
//! | [`RingLaw::on_message`] | a control message arrives |
//! | [`RingLaw::handle_timeout`] | the time that `poll_timeout` told has come, or has gone by |
//! | [`RingLaw::on_change`] | a capacity, a weight or a promise is another from now on |
//!
//! After each call the driver takes [`RingLaw::poll_action`] until it is empty and
//! reads [`RingLaw::poll_timeout`] anew. Between two calls all limits stand still.
//!
//! A driver may call late: a process that sleeps is woken late, and may be stopped
//! for milliseconds. `cx.now` is the true time of the call, and counters cover the
//! true time since the law last read them. A law that wants a rate divides by that time.

use super::{Counters, RingHints, RingNeeds, RingSite, StationView, StqThresholds};
use crate::{LawAbout, WireMessage};
use fairwire_core::{BitRate, Bytes, Cx, Instant, StationId, Weight};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// A control law for one ringlet at one station.
pub trait RingLaw: Sized + 'static {
    /// What a scenario may set, documented field by field with range and default.
    type Params: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema;
    /// What stations say to each other.
    type Msg: WireMessage + Clone;

    /// Name, idea and source.
    const ABOUT: LawAbout;

    /// What the law needs of its ring.
    const NEEDS: RingNeeds = RingNeeds::PLAIN;

    /// What a driver may skip for speed. A law need not tell anything here.
    const HINTS: RingHints<Self> = RingHints::NONE;

    /// What is wrong with the parameters, in words that name the key as a scenario
    /// writes it and say what to write; none if nothing is.
    fn problem(params: &Self::Params) -> Option<String> {
        let _ = params;
        None
    }

    /// Which packets the driver has to count for the law.
    fn counters(params: &Self::Params) -> Counters {
        let _ = params;
        Counters::NONE
    }

    /// From which depth on the secondary transit queue stops or outranks the
    /// station, where there is one of `secondary` bytes.
    fn stq_thresholds(params: &Self::Params, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
        let _ = params;
        StqThresholds::never_stopping(secondary, max_packet)
    }

    /// What one stands for in the rates that the law's messages tell, in bit/s per unit of weight, on a ringlet whose links
    /// carry `capacities`; none where they tell rates in another way, or tell none. Asked by those who show messages to people.
    fn rate_unit_bps(params: &Self::Params, capacities: &[BitRate]) -> Option<f64> {
        let _ = (params, capacities);
        None
    }

    /// The law at `site`, before anything has happened.
    fn new(params: &Self::Params, site: RingSite) -> Self;

    /// The law is new on a ring that is at work, and will start when all others
    /// listen, about a lap from now. What it limits, it limits until then.
    fn prepare(&mut self, cx: &mut Cx<'_>) {
        let _ = cx;
    }

    /// The law begins at `cx.now`. What the counters of `view` tell has passed before.
    fn start(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        let _ = (cx, view);
    }

    /// A control message has arrived: from downstream, or from upstream if the law
    /// sends downstream. Messages may be lost, come twice, or overtake each other.
    fn on_message(&mut self, cx: &mut Cx<'_>, message: Self::Msg, view: &StationView<'_>) {
        let _ = (cx, message, view);
    }

    /// When the law wants [`RingLaw::handle_timeout`] called, if at all. A time
    /// gone by means at once; after the call it must lie ahead, or the driver
    /// calls for ever.
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }

    /// The time told by [`RingLaw::poll_timeout`] has come, or has gone by.
    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        let _ = (cx, view);
    }

    /// Something of the law's [`RingSite`] is another from now on. Where it is the capacity of the outgoing link, the
    /// driver has cut limits above it to it, and lifted those that stood at the old one: a law that has set any
    /// sets them anew, now or when it is called next.
    fn on_change(&mut self, cx: &mut Cx<'_>, change: SiteChange, view: &StationView<'_>) {
        let _ = (cx, change, view);
    }

    /// The next thing the law wants done.
    fn poll_action(&mut self) -> Option<RingAction<Self::Msg>> {
        None
    }
}

/// What of a [`RingSite`] has become another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SiteChange {
    /// The link that leaves a station carries more or less than before.
    Capacity {
        /// The station that the link leaves.
        link: StationId,
        /// What it carries from now on.
        capacity: BitRate,
    },
    /// A station weighs more or less than before as an ingress.
    Weight {
        /// Which.
        station: StationId,
        /// What it weighs from now on.
        weight: Weight,
    },
    /// The law's own station is promised more or less than before.
    Minimum {
        /// What it is promised from now on, on every link that its flows cross.
        minimum: BitRate,
    },
}

impl SiteChange {
    /// Whether the link that leaves `station` carries more or less than before.
    pub fn is_of_link(&self, station: StationId) -> bool {
        matches!(self, Self::Capacity { link, .. } if *link == station)
    }
}

/// What a law can have done.
#[derive(Clone, Debug, PartialEq)]
pub enum RingAction<M> {
    /// Send a message to the next station upstream, ahead of all data.
    SendUpstream(M),
    /// Send a message to the next station downstream, on the ringlet of the data.
    SendDownstream {
        /// What to send.
        message: M,
        /// Whether it goes ahead of all data, or waits its turn in the secondary
        /// transit queue as class C does (where there is none: in the only one,
        /// unless the station's packets join that one: then ahead).
        queue: MessageQueue,
    },
    /// Limit the fairness-eligible traffic that the station adds for one egress.
    SetAddRate {
        /// Its number in [`RingSite::flows`].
        flow: usize,
        /// The limit, from now on; never above the outgoing link's capacity.
        rate: BitRate,
    },
    /// Limit all fairness-eligible traffic that the station adds.
    SetStationRate {
        /// The limit, from now on; never above the outgoing link's capacity.
        rate: BitRate,
    },
    /// Limit the fairness-eligible traffic that the station adds and that crosses
    /// more than `hops` links. There is one such limit at a time.
    SetBeyondRate {
        /// Packets that leave the ring after so many links, or fewer, pass freely.
        hops: usize,
        /// The limit, from now on; never above the outgoing link's capacity.
        rate: BitRate,
    },
}

/// Where a message to the next station downstream waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageQueue {
    /// Nowhere: it goes ahead of all data, as class A does at best.
    Ahead,
    /// Behind the transit traffic of classes B and C.
    Secondary,
}
