//! What a ring law is told, what it may ask, and what it can do.
//!
//! A law controls one ringlet at one station. Its driver calls the counting
//! hooks for every packet and the deciding ones for messages and timeouts:
//!
//! | call | when | may act |
//! | --- | --- | --- |
//! | [`RingLaw::prepare`] | once before it starts, if the ring is at work | only limit |
//! | [`RingLaw::start`] | once, at time zero or when a changed ring has settled | yes |
//! | [`RingLaw::on_arrival`] | a packet reaches the link's scheduler | no |
//! | [`RingLaw::on_served`] | the link starts to send a packet | no |
//! | [`RingLaw::on_message`] | a control message arrives | yes |
//! | [`RingLaw::handle_timeout`] | the time that `poll_timeout` told has come | yes |
//! | [`RingLaw::has_rested`] | many such times have come and gone, and the law was at rest | no |
//!
//! After each call that may act the driver takes [`RingLaw::poll_action`] until
//! it is empty and reads [`RingLaw::poll_timeout`] anew. Counting hooks return
//! nothing and change no rate, which is what lets a driver run a whole stretch
//! of packets between two decisions in one tight loop.

use super::{Datapath, RingSite, StationView, StqThresholds, Weighing};
use crate::{LawAbout, WireMessage};
use fairwire_core::{BitRate, Bytes, Cx, Instant, PacketMeta, Span};
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

    /// Whether the law counts packets. `false` promises that both counting
    /// hooks do nothing, and saves the driver the calls.
    const COUNTS: bool = true;

    /// The same of packets that arrive alone: `false` promises that [`RingLaw::on_arrival`]
    /// does nothing.
    const COUNTS_ARRIVALS: bool = Self::COUNTS;

    /// Whether the law ever sends a message. `false` promises that it does not,
    /// and lets a driver take stations apart that only messages would join.
    const SENDS: bool = true;

    /// Whether the law ever sends messages that are only to be noted ([`RingLaw::only_notes`]), or comes to rest
    /// ([`RingLaw::rests`]). `false` promises that it does not, and saves the driver the questions.
    const NOTES: bool = false;

    /// The smallest message that the law ever sends on a ring of so many stations; none if it does not promise any
    /// size. What takes long to send lets a driver take stations further by themselves.
    fn least_message(params: &Self::Params, stations: usize) -> Bytes {
        let _ = (params, stations);
        Bytes::ZERO
    }

    /// Whether the law ever sends a message downstream. `false` promises that it
    /// does not.
    const SENDS_DOWNSTREAM: bool = false;

    /// Whether what the law sends upstream circulates and may turn round where the
    /// ring is open, to pass all stations again on its way to the other end. If not,
    /// it goes there without anybody reading it.
    const TURNS: bool = false;

    /// Whether the law looks at the station's add queues when it decides like this. `false`
    /// promises that it does not, and saves the driver the look: the view shows none then.
    #[inline]
    fn looks_at_adds(&self, decision: Decision) -> bool {
        let _ = decision;
        true
    }

    /// The transit path that the law is described for, which a scenario that
    /// names none gets.
    const DATAPATH: Datapath = Datapath::Merged;

    /// Whether the law limits what a station adds altogether
    /// ([`RingAction::SetStationRate`], [`RingAction::SetBeyondRate`]), which a
    /// station does only where its packets wait for their turn at the link.
    const LIMITS_TOGETHER: bool = false;

    /// What the weights of stations mean to the law.
    const WEIGHING: Weighing = Weighing::Any;

    /// Whether the law keeps what stations are promised as ingresses ([`RingSite::minimum`]).
    const KEEPS_MINIMA: bool = false;

    /// From which depth on the secondary transit queue stops or outranks the
    /// station, where there is one of `secondary` bytes.
    fn stq_thresholds(params: &Self::Params, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
        let _ = params;
        StqThresholds::never_stopping(secondary, max_packet)
    }

    /// The law at `site`, before anything has happened.
    fn new(params: &Self::Params, site: RingSite) -> Self;

    /// The law is new on a ring that is at work, and will start when all others
    /// listen, about a lap from now. What it limits, it limits until then.
    fn prepare(&mut self, cx: &mut Cx<'_>) {
        let _ = cx;
    }

    /// The run begins, or goes on after the ring has changed.
    fn start(&mut self, cx: &mut Cx<'_>) {
        let _ = cx;
    }

    /// A packet reached the scheduler of the outgoing link: from upstream, or
    /// from the station after its rate limiter. Called before any drop.
    #[inline]
    fn on_arrival(&mut self, packet: &PacketMeta) {
        let _ = packet;
    }

    /// The outgoing link began to send a packet: 802.17 measures here.
    #[inline]
    fn on_served(&mut self, packet: &PacketMeta) {
        let _ = packet;
    }

    /// A message came up from downstream.
    fn on_message(&mut self, cx: &mut Cx<'_>, message: Self::Msg, view: &StationView<'_>) {
        let _ = (cx, message, view);
    }

    /// Whether [`RingLaw::on_message`] only notes down such a message, which counts when the law
    /// decides the next time. `true` promises that it leads to no action, moves no timeout, shows
    /// nothing and looks at nothing of the station, and that packets are counted as before: a
    /// driver may then tell the law of it later, right before that decision, with an empty view and
    /// the time at which it came. Asked of laws with [`RingLaw::NOTES`] alone.
    #[inline]
    fn only_notes(message: &Self::Msg) -> bool {
        let _ = message;
        false
    }

    /// When the law wants [`RingLaw::handle_timeout`] called, if at all. A time
    /// gone by means at once; after the call it must lie ahead, or the driver
    /// calls for ever.
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }

    /// The time told by [`RingLaw::poll_timeout`] has come.
    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        let _ = (cx, view);
    }

    /// Whether with these parameters all that stations send each other is only to be noted, and a later message makes up for
    /// all before it: nobody answers, or sends anything on, before it decides of its own accord.
    #[inline]
    fn sends_only_notes(&self) -> bool {
        false
    }

    /// What the law does at every timeout from now on if no packet passes its station any more and none waits there. Only
    /// who [`RingLaw::sends_only_notes`] answers. An answer promises that it stays the same as long as that is so,
    /// whatever is heard meanwhile: a driver may do what is told here without the law, which then learns of it from
    /// [`RingLaw::has_rested`].
    #[inline]
    fn rests(&self) -> Option<Rest<Self::Msg>> {
        None
    }

    /// So many timeouts have gone by at rest, and nobody who wants to be shown anything. It leads to no action.
    fn has_rested(&mut self, timeouts: u64) {
        let _ = timeouts;
    }

    /// The next thing the law wants done.
    fn poll_action(&mut self) -> Option<RingAction<Self::Msg>> {
        None
    }
}

/// What makes a law decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A message has arrived.
    Message,
    /// A timeout has passed.
    Timeout,
}

/// What a law does at each timeout while no packet passes its station.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest<M> {
    /// From one timeout to the next.
    pub period: Span,
    /// What is sent to the next station upstream at each, which there is only to be noted.
    pub message: M,
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
