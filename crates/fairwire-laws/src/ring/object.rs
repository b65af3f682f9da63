//! Laws as objects: what a driver holds that is not built for one law.
//!
//! A law is written as a [`RingLaw`], with types of its own. Any such law can be driven as
//! a [`RingLawObject`], one call at a time: the call, all actions that follow from it, and
//! the next timeout. [`RingLawFactory`] makes the objects for the stations of a ring.

use super::{
    Call, Counters, Rest, RingAction, RingHints, RingLaw, RingNeeds, RingSite, SiteChange, StationView, StqThresholds,
};
use crate::{LawAbout, MessageError, PackedMessage, WireMessage};
use fairwire_core::{Bytes, Cx, Instant};
use std::fmt::{self, Debug, Formatter};

/// A message that a law wants sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// The message.
    pub message: PackedMessage,
    /// Whether it is advice, which changes nothing when it arrives ([`super::AdviceHints`]).
    pub is_advice: bool,
}

/// A ring law at one station, of whatever make.
///
/// After each call a driver takes [`RingLawObject::poll_action`] until it is empty and reads
/// [`RingLawObject::poll_timeout`] anew.
pub trait RingLawObject {
    /// As [`RingLaw::prepare`].
    fn prepare(&mut self, cx: &mut Cx<'_>);
    /// As [`RingLaw::start`].
    fn start(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>);
    /// As [`RingLaw::on_message`]. A message of another make is dropped.
    fn on_message(&mut self, cx: &mut Cx<'_>, message: PackedMessage, view: &StationView<'_>);
    /// As [`RingLaw::handle_timeout`].
    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>);
    /// As [`RingLaw::on_change`].
    fn on_change(&mut self, cx: &mut Cx<'_>, change: SiteChange, view: &StationView<'_>);
    /// As [`RingLaw::poll_timeout`].
    fn poll_timeout(&self) -> Option<Instant>;
    /// As [`RingLaw::poll_action`].
    fn poll_action(&mut self) -> Option<RingAction<Outgoing>>;
    /// The message in these bytes, which came over a wire.
    ///
    /// # Errors
    /// [`MessageError`] if they are none of the law's.
    fn read(&self, bytes: Vec<u8>) -> Result<PackedMessage, MessageError>;
    /// The message as it reads from its bytes.
    ///
    /// # Errors
    /// [`MessageError`] if the law wrote what it cannot read.
    fn reread(&self, message: PackedMessage) -> Result<PackedMessage, MessageError> {
        self.read(self.bytes_of(message)?)
    }
    /// The bytes of a message as they go on the wire.
    ///
    /// # Errors
    /// [`MessageError`] if the law has not packed it.
    fn bytes_of(&self, message: PackedMessage) -> Result<Vec<u8>, MessageError> {
        message.into_bytes()
    }
    /// As [`RingHints::reads_adds`].
    fn reads_adds(&self, call: Call) -> bool;
    /// As [`super::AdviceHints::sends_only_advice`].
    fn sends_only_advice(&self) -> bool;
    /// As [`super::AdviceHints::rests`].
    fn rests(&self) -> Option<Rest<PackedMessage>>;
    /// As [`super::AdviceHints::has_rested`].
    fn has_rested(&mut self, timeouts: u64);
}

/// A ring law with its parameters: from the list, from another crate, or from another language.
pub trait RingLawFactory: Send + Sync {
    /// Name, idea and source.
    fn about(&self) -> LawAbout;
    /// What the law needs of its ring.
    fn needs(&self) -> RingNeeds;
    /// As [`RingLaw::counters`].
    fn counters(&self) -> Counters;
    /// As [`RingLaw::stq_thresholds`].
    fn stq_thresholds(&self, secondary: Bytes, max_packet: Bytes) -> StqThresholds;
    /// As [`RingHints::least_message`].
    fn least_message(&self, stations: usize) -> Bytes;
    /// Whether the law ever sends advice.
    fn sends_advice(&self) -> bool;
    /// The law at `site`, before anything has happened.
    fn make(&self, site: RingSite) -> Box<dyn RingLawObject>;
}

/// A law given as a type, with its parameters.
pub struct Typed<L: RingLaw>(pub L::Params);

impl<L: RingLaw> Debug for Typed<L> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple(L::ABOUT.name).field(&self.0).finish()
    }
}

impl<L: RingLaw> RingLawFactory for Typed<L>
where
    L::Params: Send + Sync,
{
    fn about(&self) -> LawAbout {
        L::ABOUT
    }

    fn needs(&self) -> RingNeeds {
        L::NEEDS
    }

    fn counters(&self) -> Counters {
        L::counters(&self.0)
    }

    fn stq_thresholds(&self, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
        L::stq_thresholds(&self.0, secondary, max_packet)
    }

    fn least_message(&self, stations: usize) -> Bytes {
        (L::HINTS.least_message)(&self.0, stations)
    }

    fn sends_advice(&self) -> bool {
        L::HINTS.advice.is_some()
    }

    fn make(&self, site: RingSite) -> Box<dyn RingLawObject> {
        Box::new(Packed(L::new(&self.0, site)))
    }
}

/// A law behind the face that all have in common.
pub struct Packed<L>(pub L);

impl<L: RingLaw> Packed<L> {
    const HINTS: RingHints<L> = L::HINTS;
}

impl<L: RingLaw> RingLawObject for Packed<L> {
    fn prepare(&mut self, cx: &mut Cx<'_>) {
        self.0.prepare(cx);
    }

    fn start(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        self.0.start(cx, view);
    }

    #[inline(always)]
    fn on_message(&mut self, cx: &mut Cx<'_>, message: PackedMessage, view: &StationView<'_>) {
        if let Ok(message) = L::Msg::unpack(message) {
            self.0.on_message(cx, message, view);
        }
    }

    #[inline(always)]
    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        self.0.handle_timeout(cx, view);
    }

    fn on_change(&mut self, cx: &mut Cx<'_>, change: SiteChange, view: &StationView<'_>) {
        self.0.on_change(cx, change, view);
    }

    #[inline(always)]
    fn poll_timeout(&self) -> Option<Instant> {
        self.0.poll_timeout()
    }

    #[inline(always)]
    fn poll_action(&mut self) -> Option<RingAction<Outgoing>> {
        self.0.poll_action().map(packed::<L>)
    }

    fn read(&self, bytes: Vec<u8>) -> Result<PackedMessage, MessageError> {
        L::Msg::parse(bytes).map(L::Msg::pack)
    }

    fn bytes_of(&self, message: PackedMessage) -> Result<Vec<u8>, MessageError> {
        L::Msg::unpack(message).map(L::Msg::into_bytes)
    }

    #[inline(always)]
    fn reads_adds(&self, call: Call) -> bool {
        (Self::HINTS.reads_adds)(&self.0, call)
    }

    fn sends_only_advice(&self) -> bool {
        Self::HINTS.advice.is_some_and(|hints| (hints.sends_only_advice)(&self.0))
    }

    fn rests(&self) -> Option<Rest<PackedMessage>> {
        let rest = Self::HINTS.advice.and_then(|hints| (hints.rests)(&self.0))?;
        Some(Rest { period: rest.period, message: rest.message.pack() })
    }

    fn has_rested(&mut self, timeouts: u64) {
        if let Some(hints) = Self::HINTS.advice {
            (hints.has_rested)(&mut self.0, timeouts);
        }
    }
}

impl RingLawObject for Box<dyn RingLawObject> {
    fn prepare(&mut self, cx: &mut Cx<'_>) {
        (**self).prepare(cx);
    }

    fn start(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        (**self).start(cx, view);
    }

    fn on_message(&mut self, cx: &mut Cx<'_>, message: PackedMessage, view: &StationView<'_>) {
        (**self).on_message(cx, message, view);
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        (**self).handle_timeout(cx, view);
    }

    fn on_change(&mut self, cx: &mut Cx<'_>, change: SiteChange, view: &StationView<'_>) {
        (**self).on_change(cx, change, view);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        (**self).poll_timeout()
    }

    fn poll_action(&mut self) -> Option<RingAction<Outgoing>> {
        (**self).poll_action()
    }

    fn read(&self, bytes: Vec<u8>) -> Result<PackedMessage, MessageError> {
        (**self).read(bytes)
    }

    fn bytes_of(&self, message: PackedMessage) -> Result<Vec<u8>, MessageError> {
        (**self).bytes_of(message)
    }

    fn reads_adds(&self, call: Call) -> bool {
        (**self).reads_adds(call)
    }

    fn sends_only_advice(&self) -> bool {
        (**self).sends_only_advice()
    }

    fn rests(&self) -> Option<Rest<PackedMessage>> {
        (**self).rests()
    }

    fn has_rested(&mut self, timeouts: u64) {
        (**self).has_rested(timeouts);
    }
}

/// The same action with its message packed.
#[inline(always)]
fn packed<L: RingLaw>(action: RingAction<L::Msg>) -> RingAction<Outgoing> {
    let pack = |message: L::Msg| {
        let is_advice = L::HINTS.advice.is_some_and(|hints| (hints.is_advice)(&message));
        Outgoing { message: message.pack(), is_advice }
    };
    match action {
        RingAction::SendUpstream(message) => RingAction::SendUpstream(pack(message)),
        RingAction::SendDownstream { message, queue } => RingAction::SendDownstream { message: pack(message), queue },
        RingAction::SetAddRate { flow, rate } => RingAction::SetAddRate { flow, rate },
        RingAction::SetStationRate { rate } => RingAction::SetStationRate { rate },
        RingAction::SetBeyondRate { hops, rate } => RingAction::SetBeyondRate { hops, rate },
    }
}
