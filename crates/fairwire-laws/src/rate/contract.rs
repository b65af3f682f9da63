//! What a rate law is told, what it decides, and in which order.
//!
//! Sources put control packets between their data packets. Ports of switches on the way read and rewrite them, the
//! destination turns them around, and what comes back tells the source its allowed rate. A law has three parts: a port
//! ([`RateLaw`] itself), a source ([`RateSource`]), and what the destination does ([`RateLaw::turn`]).
//!
//! | call | when | answers |
//! | --- | --- | --- |
//! | [`RateLaw::on_open`] | the first packet of a flow arrives at the port, or a control packet of one that the law forgot; not a control packet that ends a flow which is not open | – |
//! | [`RateLaw::on_terms`] | an open flow has other terms | – |
//! | [`RateLaw::on_data`] | a data packet arrives at the port's queue | let it in or drop it |
//! | [`RateLaw::on_forward`] | a control packet arrives on its way to the destination | rewritten, or refused |
//! | [`RateLaw::on_backward`] | a control packet arrives on its way to the source, at the switch of the port that the flow takes forward | rewritten, or refused |
//! | [`RateLaw::on_close`] | the last packet of a flow has arrived at the port | – |
//! | [`RateLaw::on_capacity`] | the link has another capacity | – |
//! | [`RateLaw::handle_timeout`] | the time that `poll_timeout` told has come, or has passed | – |
//! | [`RateLaw::poll_notice`] | after each `handle_timeout`, until there is none | a control packet for the source of a flow |
//!
//! A control packet is bytes. The driver hands on what the law's [`RateMessage`] makes of them, and drops those that it
//! refuses. What a port must know of its link and queue stands in [`PortView`]: counters that a driver keeps anyway.
//!
//! All rates are in bit/s and finite. A driver may be late, as with the other contracts: a law goes by the time of the call.
//! Some flows end without a word; a law that keeps state for flows lets it age. If such a flow goes on after all, its next
//! control packet opens it anew ([`AnyRateLaw::on_forward_of_open`](super::AnyRateLaw::on_forward_of_open)).

use super::{Packets, PortSite, PortView, QueueThresholds, Refusal, Terms};
use crate::{LawAbout, WireMessage};
use fairwire_core::{BitRate, Cx, FlowId, Instant, Span};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// A rate law at one output port, and its rules at the two ends of a flow.
pub trait RateLaw: Sized + Clone + Debug + 'static {
    /// What a scenario may set, documented field by field with range and default.
    type Params: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema;

    /// What its control packets are.
    type Message: RateMessage;

    /// What it makes of a source.
    type Source: RateSource<Message = Self::Message, Params = Self::Params>;

    /// Name, idea and source.
    const ABOUT: LawAbout;

    /// What is wrong with the parameters, in words that name the key as a scenario
    /// writes it and say what to write; none if nothing is.
    fn problem(params: &Self::Params) -> Option<String> {
        let _ = params;
        None
    }

    /// The thresholds of the queue that ports go by.
    fn queue_thresholds(params: &Self::Params) -> QueueThresholds {
        let _ = params;
        QueueThresholds::default()
    }

    /// The same parameters with these thresholds; none if the law does not have both.
    fn with_queue_thresholds(params: &Self::Params, q_t: Packets, q_d: Packets) -> Option<Self::Params> {
        let _ = (params, q_t, q_d);
        None
    }

    /// The port before any flow has come.
    fn new(params: &Self::Params, site: &PortSite) -> Self;

    /// What the destination makes of a control packet before it sends it back: `terms` are those of the flow. It may write
    /// the explicit rate anew, so that ports hear apart what holds the flow above and below them.
    fn turn(params: &Self::Params, terms: &Terms, message: &mut Self::Message);

    /// The first packet of `flow` arrives; its terms were admitted before.
    fn on_open(&mut self, cx: &mut Cx<'_>, flow: FlowId, terms: &Terms);

    /// `flow`, which is open, has other terms.
    fn on_terms(&mut self, cx: &mut Cx<'_>, flow: FlowId, terms: &Terms);

    /// `flow` sends no more.
    fn on_close(&mut self, cx: &mut Cx<'_>, flow: FlowId);

    /// A data packet of `flow`, which is open, arrives; the queue does not hold it yet.
    fn on_data(&mut self, cx: &mut Cx<'_>, flow: FlowId, size_bytes: u32, port: &PortView) -> Admission;

    /// A control packet of `flow` is on its way to the destination; the queue does not hold it yet.
    ///
    /// # Errors
    /// [`Refusal`] if it cannot be what it says; the driver discards it then.
    fn on_forward(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        message: &mut Self::Message,
        port: &PortView,
    ) -> Result<(), Refusal>;

    /// A control packet of `flow` is on its way back to the source.
    ///
    /// # Errors
    /// [`Refusal`] if it cannot be what it says; the driver discards it then.
    fn on_backward(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        message: &mut Self::Message,
        port: &PortView,
    ) -> Result<(), Refusal>;

    /// A packet of `flow` will be there soon, a `control` packet or data: a law of many flows may have the processor fetch what
    /// it keeps of this one. That changes nothing but the time that it takes.
    #[inline]
    fn look_ahead(&self, flow: FlowId, control: bool) {
        let _ = (flow, control);
    }

    /// The link's capacity is another from `now` on; above zero.
    fn on_capacity(&mut self, now: Instant, capacity: BitRate);

    /// What traffic of higher priority must leave to the flows, in bit/s: their minimums, and a guard.
    fn reserved_bps(&self) -> f64 {
        0.0
    }

    /// When the law wants [`RateLaw::handle_timeout`] called, if at all.
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }

    /// The time told by [`RateLaw::poll_timeout`] has come, or has passed.
    fn handle_timeout(&mut self, cx: &mut Cx<'_>, port: &PortView) {
        let _ = (cx, port);
    }

    /// Whether ports send control packets by themselves.
    const SENDS_NOTICES: bool = false;

    /// A control packet that the port sends to the source of a flow by itself, as if it came back; asked after each
    /// [`RateLaw::handle_timeout`] until there is none, if the law [sends any](RateLaw::SENDS_NOTICES).
    fn poll_notice(&mut self) -> Option<(FlowId, Self::Message)> {
        None
    }

    /// What does not add up in the state that the port keeps, in words.
    fn violation(&self) -> Option<String> {
        None
    }

    /// For how many flows the port keeps state.
    fn flows(&self) -> usize;
}

/// What a law makes of a source: it writes control packets, and learns from those that come back.
pub trait RateSource: Sized + Clone + Debug + 'static {
    /// What its control packets are.
    type Message: RateMessage;
    /// What a scenario may set.
    type Params;

    /// A source that has sent nothing.
    fn new(params: &Self::Params, terms: &Terms, first: FirstRate) -> Self;

    /// The rate at which packets may leave, control packets included, in bit/s; zero or more.
    fn allowed_bps(&self) -> f64;

    /// Whether data may be sent at all: a source that asks first sends control packets alone.
    fn may_send_data(&self) -> bool {
        true
    }

    /// When a control packet should leave by itself, however slow the flow is; none if none should. Who may send no data
    /// sends by this alone, if it is told.
    fn asks_at(&self) -> Option<Instant> {
        None
    }

    /// The flow comes on, for the first time or again. If it asks and hears nothing, it asks again after `again_after` at
    /// the earliest.
    fn on_start(&mut self, now: Instant, again_after: Span) {
        let _ = (now, again_after);
    }

    /// Nothing leaves `until` then.
    fn on_pause(&mut self, until: Instant) {
        let _ = until;
    }

    /// The next control packet; `closing` if it is the last packet of the flow.
    fn write(&mut self, now: Instant, closing: bool) -> Self::Message;

    /// A control packet came back.
    ///
    /// # Errors
    /// [`Refusal`] if it cannot be what it says; nothing has changed then.
    fn on_return(&mut self, now: Instant, message: &Self::Message) -> Result<(), Refusal>;

    /// The flow has other terms.
    fn on_terms(&mut self, terms: &Terms);

    /// How a flow says that it ends.
    const FAREWELL: Farewell = Farewell::LastPacket;

    /// From now on nothing is confirmed that switches wait for: a source that lies. Laws in which sources confirm nothing
    /// have nothing to do.
    fn confirm_nothing(&mut self) {}
}

/// How ports hear that a flow ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// Its last packet says so, whatever it is.
    LastPacket,
    /// A control packet says so, as ports learn from it what to forget.
    ControlPacket,
    /// Its last packet says so. If that is a control packet another one says it again when the flow stops, so that both would
    /// have to be lost.
    Twice,
}

/// A control packet of a rate law.
pub trait RateMessage: WireMessage + Clone + Debug {
    /// Whether it is on its way back to the source.
    fn is_backward(&self) -> bool;

    /// The destination turns it around.
    fn set_backward(&mut self);

    /// The message that `bytes` are.
    ///
    /// # Errors
    /// [`Refusal`] if they are none of this kind; no byte sequence makes it panic.
    fn read(bytes: &[u8]) -> Result<Self, Refusal>;

    /// Writes its bytes in place of what `bytes` held.
    fn write(&self, bytes: &mut Vec<u8>);
}

/// What becomes of a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The queue may take it.
    Accept,
    /// It is dropped, as the queue is too long.
    TooLong,
    /// It is dropped, as its flow sends more than it may.
    AboveAllowed,
}

/// The rate at which a source begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FirstRate {
    /// The peak rate PR, as [wmfqc] has it.
    #[default]
    Peak,
    /// The minimum rate MR.
    Minimum,
    /// None: control packets alone, until one comes back.
    Ask,
}
