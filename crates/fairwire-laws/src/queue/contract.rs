//! What a queue law is told, what it decides, and in which order.
//!
//! A law manages the queue in front of one link. It owns no packet: its driver
//! keeps them, in one or more *lanes*, each first in, first out. The packet that
//! the link is sending has left the queue.
//!
//! | call | when | answers |
//! | --- | --- | --- |
//! | [`QueueLaw::on_arrival`] | a packet arrives | take it, marked or not, into a lane, or drop it |
//! | [`QueueLaw::poll_eviction`] | after each arrival, until none | a waiting packet to throw away |
//! | [`QueueLaw::select`] | the link is free and something waits | which lane goes next, or whose head is dropped first |
//! | [`QueueLaw::on_departure`] | a packet leaves the queue for the link | – |
//! | [`QueueLaw::on_idle`] | the link is free and nothing waits | – |
//! | [`QueueLaw::handle_timeout`] | the time that `poll_timeout` told has come, or has passed | – |
//! | [`QueueLaw::on_capacity`] | the link has another capacity | – |
//! | [`QueueLaw::on_flow_gone`] | a flow sends no more, and none of its packets waits | – |
//!
//! What happens at one instant happens in this order: changes of capacity, departures, timeouts, arrivals.
//!
//! A driver may be late: after a stall it tells several things with one and the same time, and
//! `handle_timeout` comes after the time that was told. A law goes by the time of the
//! call, and takes no interval for granted. No call has an earlier time than the one before,
//! and none an earlier one than [`QueueSite::start`], which may be any.
//!
//! What a law keeps of a flow ends with the flow. Its number may come again and then stands for
//! another flow: strikes, credits and lanes do not pass on. Memory follows how many flows
//! there are at once, not the largest number that ever came.
//!
//! A law that serves in the order of arrival and never changes its mind about a
//! packet says so with [`Order::Fifo`]: its driver then knows when a packet will leave
//! as soon as it is accepted, and tells departures late but in order, each
//! with its own time.

use super::{Lanes, QueueSite};
use crate::LawAbout;
use fairwire_core::{BitRate, Cx, FlowId, Instant};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// A law for the queue in front of one link.
pub trait QueueLaw: Sized + 'static {
    /// What a scenario may set, documented field by field with range and default.
    type Params: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema;

    /// Name, idea and source.
    const ABOUT: LawAbout;

    /// Whether packets leave in the order of arrival and all that are accepted leave.
    const ORDER: Order;

    /// What is wrong with the parameters, in words that name the key as a scenario
    /// writes it and say what to write; none if nothing is.
    fn problem(params: &Self::Params) -> Option<String> {
        let _ = params;
        None
    }

    /// The same parameters with marks in place of drops, where senders can hear them; none if the law never marks.
    fn marking(params: &Self::Params) -> Option<Self::Params> {
        let _ = params;
        None
    }

    /// The law at `site`, before anything has arrived.
    fn new(params: &Self::Params, site: &QueueSite) -> Self;

    /// A packet arrived; `queue` does not hold it yet.
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict;

    /// The next waiting packet to throw away, asked after every arrival until there
    /// is none; never asked of a law with [`Order::Fifo`].
    fn poll_eviction(&mut self, cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Eviction> {
        let _ = (cx, queue);
        None
    }

    /// The link is free and something waits: what to do with which lane's head.
    /// Asked again after a drop; none keeps the link idle until the next arrival
    /// or timeout. Never asked of a law with [`Order::Fifo`].
    fn select(&mut self, cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Selection> {
        let _ = (cx, queue);
        Some(Selection::Send { lane: 0, mark: false })
    }

    /// `packet` has left the queue, which holds it no longer, for the link.
    fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) {
        let _ = (cx, packet, queue);
    }

    /// The link has sent its last packet and nothing waits.
    fn on_idle(&mut self, now: Instant) {
        let _ = now;
    }

    /// When the law wants [`QueueLaw::handle_timeout`] called, if at all. After the
    /// call it must lie ahead.
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }

    /// The time told by [`QueueLaw::poll_timeout`] has come, or has passed: a driver may be late.
    fn handle_timeout(&mut self, cx: &mut Cx<'_>, queue: &QueueView<'_>) {
        let _ = (cx, queue);
    }

    /// The link's capacity is another from `now` on; above zero. Told before any call
    /// of the same or a later time.
    fn on_capacity(&mut self, now: Instant, capacity: BitRate) {
        let _ = (now, capacity);
    }

    /// `flow` sends no more and none of its packets waits. If a packet of that number comes
    /// again, it is of another flow, which the law has never seen. A driver that does not
    /// know when flows end need not tell; the law then takes the next flow of a number for the last one.
    fn on_flow_gone(&mut self, flow: FlowId) {
        let _ = flow;
    }
}

/// Who decides which packet leaves next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The order of arrival, in lane 0. What was accepted is sent, unmarked unless
    /// the verdict marked it.
    Fifo,
    /// [`QueueLaw::select`].
    Chosen,
}

/// A packet as a queue law sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedPacket {
    /// The micro-flow (one TCP connection, one UDP stream) it belongs to; any number. Numbers of flows
    /// that are gone may come again ([`QueueLaw::on_flow_gone`]).
    pub flow: FlowId,
    /// The host that sent it, by its number among the nodes.
    pub source: u32,
    /// The host it goes to.
    pub destination: u32,
    /// Its size on the wire in bytes, headers included.
    pub size_bytes: u32,
    /// Whether it may be marked instead of dropped (ECN).
    pub ecn_capable: bool,
}

/// How much waits, the packet in transmission not counted.
#[derive(Clone, Copy, Debug)]
pub struct QueueView<'a> {
    /// Packets in all lanes.
    pub packets: u32,
    /// Bytes in all lanes.
    pub bytes: u64,
    /// The lanes; empty where the law's order is [`Order::Fifo`].
    pub lanes: &'a Lanes,
}

/// What becomes of a packet that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It joins the end of a lane.
    Accept {
        /// Which; below [`super::MOST_LANES`].
        lane: u32,
        /// Whether it is marked with congestion experienced; only where it is capable.
        mark: bool,
    },
    /// It is dropped.
    Drop(DropReason),
}

impl Verdict {
    /// Into the only lane, unmarked.
    pub const ACCEPT: Self = Self::Accept { lane: 0, mark: false };
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropReason {
    /// The queue is at its limit.
    Full,
    /// To tell senders of congestion to come.
    Early,
    /// Its flow holds more than its share.
    Unfair,
}

/// A waiting packet that is thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eviction {
    /// Its lane.
    pub lane: u32,
    /// Its place in the lane, 0 at the head.
    pub place: usize,
    /// Why.
    pub reason: DropReason,
}

/// What a free link does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// It sends the head of a lane.
    Send {
        /// Which.
        lane: u32,
        /// Whether the packet is marked with congestion experienced; only where it is capable.
        mark: bool,
    },
    /// The head of a lane is dropped, and the law asked again.
    Drop {
        /// Which.
        lane: u32,
        /// Why.
        reason: DropReason,
    },
}
