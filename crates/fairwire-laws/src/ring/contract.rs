//! What a ring law is told, what it may ask, and what it can do.
//!
//! A law controls one ringlet at one station. Its driver calls the counting
//! hooks for every packet and the deciding ones for messages and timeouts:
//!
//! | call | when | may act |
//! | --- | --- | --- |
//! | [`RingLaw::start`] | once, at time zero | yes |
//! | [`RingLaw::on_arrival`] | a packet reaches the link's scheduler | no |
//! | [`RingLaw::on_served`] | the link starts to send a packet | no |
//! | [`RingLaw::on_message`] | a control message arrives | yes |
//! | [`RingLaw::handle_timeout`] | the time that `poll_timeout` told has come | yes |
//!
//! After each call that may act the driver takes [`RingLaw::poll_action`] until
//! it is empty and reads [`RingLaw::poll_timeout`] anew. Counting hooks return
//! nothing and change no rate, which is what lets a driver run a whole stretch
//! of packets between two decisions in one tight loop.

use crate::WireMessage;
use fairwire_core::{BitRate, Bytes, Cx, Instant, PacketMeta, Probe, Ringlet, Span, StationId, Weight};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// A control law for one ringlet at one station.
pub trait RingLaw: Sized {
    /// What a scenario may set, documented field by field with range and default.
    type Params: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema;
    /// What stations say to each other.
    type Msg: WireMessage;

    /// Name, idea and source.
    const ABOUT: LawAbout;

    /// Whether the law counts packets. `false` promises that both counting
    /// hooks do nothing, and saves the driver the calls.
    const COUNTS: bool = true;

    /// Whether the law ever sends a message. `false` promises that it does not,
    /// and lets a driver take stations apart that only messages would join.
    const SENDS: bool = true;

    /// The law at `site`, before anything has happened.
    fn new(params: &Self::Params, site: RingSite) -> Self;

    /// The run begins.
    fn start<P: Probe>(&mut self, cx: &mut Cx<'_, P>) {
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
    fn on_message<P: Probe>(&mut self, cx: &mut Cx<'_, P>, message: Self::Msg, view: &StationView<'_>) {
        let _ = (cx, message, view);
    }

    /// When the law wants [`RingLaw::handle_timeout`] called, if at all. A time
    /// gone by means at once; after the call it must lie ahead, or the driver
    /// calls for ever.
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }

    /// The time told by [`RingLaw::poll_timeout`] has come.
    fn handle_timeout<P: Probe>(&mut self, cx: &mut Cx<'_, P>, view: &StationView<'_>) {
        let _ = (cx, view);
    }

    /// The next thing the law wants done.
    fn poll_action(&mut self) -> Option<RingAction<Self::Msg>> {
        None
    }
}

/// What is to be known of a law before running it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LawAbout {
    /// Its name in scenarios and on the command line.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Paper and section.
    pub source: &'static str,
}

/// What a law can have done.
#[derive(Clone, Debug, PartialEq)]
pub enum RingAction<M> {
    /// Send a message to the next station upstream, ahead of all data.
    SendUpstream(M),
    /// Limit what one of the station's own flows may add to the ring.
    SetAddRate {
        /// Its number in [`RingSite::flows`].
        flow: usize,
        /// The limit, from now on; never above the outgoing link's capacity.
        rate: BitRate,
    },
}

/// Where a law stands: everything it may know of the ring before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct RingSite {
    /// Its own station.
    pub station: StationId,
    /// The ringlet whose traffic it controls.
    pub ringlet: Ringlet,
    /// Capacity of each link of the ringlet, by the station that the link leaves.
    pub capacities: Vec<BitRate>,
    /// Weight of each station as an ingress.
    pub weights: Vec<Weight>,
    /// The pairs that enter the ringlet here: one for each egress, nearest first.
    pub flows: Vec<SiteFlow>,
    /// Propagation time once around the ring.
    pub ring_time: Span,
    /// The largest packet that any station sends.
    pub max_packet: Bytes,
}

impl RingSite {
    /// The number of stations on the ring.
    pub fn stations(&self) -> usize {
        self.capacities.len()
    }

    /// The station `hops` links downstream, which is also the number of the link leaving it.
    pub fn downstream(&self, hops: usize) -> usize {
        let (here, stations) = (self.station.index(), self.stations());
        match self.ringlet {
            Ringlet::Zero => (here + hops) % stations,
            Ringlet::One => (here + stations - hops % stations) % stations,
        }
    }

    /// Capacity of the outgoing link.
    pub fn capacity(&self) -> BitRate {
        self.capacities[self.station.index()]
    }
}

/// All traffic from the law's station to one egress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteFlow {
    /// Where it leaves the ring.
    pub egress: StationId,
    /// How many links it crosses; the first is the station's own outgoing link.
    pub hops: usize,
    /// Its weight among the flows of the same station.
    pub weight: Weight,
}

/// The station as a law may see it when it decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StationView<'a> {
    /// The outgoing link.
    pub link: LinkView,
    /// The station's add queues, in the order of [`RingSite::flows`].
    pub adds: &'a [AddQueueView],
}

/// The outgoing link and the queue in front of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkView {
    /// How often, since the run began, the link ended a packet and found no other.
    pub ran_dry: u64,
    /// Bytes that wait now, the packet in transmission not counted.
    pub waiting: Bytes,
}

/// What waits at the station for one egress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddQueueView {
    /// Packets that wait now; `u32::MAX` for a source that never runs out.
    pub packets: u32,
    /// Bytes that its sources have offered since the run began.
    pub offered_bytes: u64,
    /// How often, since the run began, the queue became empty.
    pub ran_empty: u64,
}
