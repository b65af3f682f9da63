//! What is under way between two neighbours.

mod arrivals;
mod frame;
mod link;
mod losses;
mod outage;
mod packet;
mod repeated;
mod tap;

pub use arrivals::{Arrival, Arrivals};
pub use frame::{Addressee, Frame};
pub use link::OutgoingLink;
pub use losses::Losses;
pub use outage::{Outages, outages};
pub use packet::Packet;
pub use repeated::Repeated;
pub use tap::{Sent, Tap};

use super::lateness::Lateness;
use fairwire_laws::PackedMessage;
use std::collections::VecDeque;

/// One directed link between its sender's serialiser and its receiver: what has
/// been sent and not yet been taken in.
#[derive(Debug)]
pub struct Wire {
    pub data: Arrivals,
    /// Packets of TCP that end where the wire ends: each is an event there.
    pub ending: Arrivals,
    /// The station it leads to.
    to: u16,
    /// Messages for the law of the other ringlet, advice, and all other frames.
    messages: VecDeque<(u64, PackedMessage)>,
    advice: VecDeque<(u64, PackedMessage)>,
    frames: VecDeque<(u64, Frame)>,
    /// When the first arrives of those that make something happen, `u64::MAX` if there is none.
    next_frame_at: u64,
    /// Advice that comes again and again, after `advice`.
    repeated: Option<Repeated>,
    /// Whether nobody cares for advice any more.
    advice_unheeded: bool,
    outages: Outages,
    /// All that arrives before does so and is seen by nobody: there is no outage, and no tap.
    plain_until: u64,
    tap: Option<Box<Tap>>,
    /// Messages of laws that are lost on the way, if any are.
    losses: Option<Box<Losses>>,
    /// How late messages are handed to laws, if they are.
    lateness: Option<Box<Lateness>>,
}

impl Wire {
    /// One that leads to station `to`.
    pub fn new(to: u16, outages: Outages) -> Self {
        let (data, ending) = (Arrivals::new(), Arrivals::new());
        let (messages, advice, frames) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        Self {
            data,
            ending,
            to,
            messages,
            advice,
            frames,
            next_frame_at: u64::MAX,
            repeated: None,
            advice_unheeded: false,
            plain_until: outages.first(),
            outages,
            tap: None,
            losses: None,
            lateness: None,
        }
    }

    /// The same, where laws' messages may get lost, or are handed over late.
    pub fn troubled(self, losses: Option<Box<Losses>>, lateness: Option<Box<Lateness>>) -> Self {
        Self { losses, lateness, ..self }
    }

    /// A packet is under way and arrives at `arrival`.
    #[inline(always)]
    pub fn push(&mut self, arrival: u64, packet: Packet) {
        if packet.is_answered_at(self.to) {
            self.push_ending(arrival, packet);
        } else {
            self.data.push(arrival, packet);
        }
    }

    #[cold]
    fn push_ending(&mut self, arrival: u64, packet: Packet) {
        self.ending.push(arrival, packet);
    }

    /// All packets under way.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.data.packets().chain(self.ending.packets())
    }

    /// From now on all that is put on the wire is kept until [`Wire::take_seen`].
    pub fn capture(&mut self) {
        (self.plain_until, self.tap) = (0, Some(Box::default()));
    }

    /// What was put on the wire since the last call, and when.
    pub fn take_seen(&mut self) -> Vec<(u64, Sent)> {
        self.tap.as_mut().map_or_else(Vec::new, |tap| tap.take())
    }

    /// Whether a packet that begins to be sent at `sent` and arrives at `arrival` gets there. Asked once for each.
    #[inline(always)]
    pub fn carries(&mut self, sent: u64, arrival: u64, packet: Packet) -> bool {
        arrival < self.plain_until || self.sees(sent, arrival, Sent::Packet(packet))
    }

    /// The same of a control frame, which may be a law's message and get lost. Asked once for each, as they are sent.
    #[inline(always)]
    pub fn carries_frame(&mut self, sent: u64, arrival: u64, of_law: bool, frame: impl FnOnce() -> Sent) -> bool {
        let lost = of_law && self.losses.as_mut().is_some_and(|losses| losses.takes(sent));
        let carried = arrival < self.plain_until || self.sees(sent, arrival, frame());
        carried && !lost
    }

    #[cold]
    fn sees(&mut self, sent_at: u64, arrival: u64, sent: Sent) -> bool {
        if let Some(tap) = &mut self.tap {
            tap.see(sent_at, sent);
        }
        self.outages.spares(sent_at, arrival)
    }

    /// Whether messages wake their law later than they arrive, so that what is put on the wire may be ready to be taken off before what
    /// was put there earlier.
    #[inline(always)]
    pub fn wakes_late(&self) -> bool {
        self.lateness.is_some()
    }

    /// When the law at the end is handed a message that arrives at `at`.
    #[inline(always)]
    fn hand_over(&mut self, at: u64) -> u64 {
        self.lateness.as_mut().map_or(at, |lateness| lateness.hand_over(at))
    }

    /// When the next control frame arrives that makes something happen, `u64::MAX` if none is under way.
    #[inline(always)]
    pub fn next_frame_at(&self) -> u64 {
        self.next_frame_at
    }

    /// When the first packet arrives that does not end where the wire ends, or the one behind the first `most`. Packets
    /// before number `ending`, counted from the first one ever sent, are known to end there, and as many as are found to.
    #[inline(always)]
    pub fn next_passing_at(&self, ending: &mut usize, most: usize) -> u64 {
        let (arrivals, taken) = (self.data.as_slice(), self.data.taken());
        let mut known = ending.saturating_sub(taken);
        while let Some(arrival) = arrivals.get(known)
            && known < most
            && arrival.packet.leaves_unmarked_at(self.to)
        {
            known += 1;
        }
        *ending = taken + known;
        arrivals.get(known).map_or(u64::MAX, |arrival| arrival.at)
    }

    /// A message for the law of the other ringlet is under way and arrives at `at`; it may be advice. Advice wakes nobody, so that
    /// nobody is late for it: the law finds it when it looks.
    #[inline(always)]
    pub fn push_message<const ADVICE: bool>(&mut self, at: u64, message: PackedMessage) {
        if ADVICE {
            if !self.advice_unheeded {
                self.advice.push_back((at, message));
            }
        } else {
            let at = self.hand_over(at);
            self.next_frame_at = self.next_frame_at.min(at);
            self.messages.push_back((at, message));
        }
    }

    #[inline(always)]
    pub fn push_frame(&mut self, at: u64, frame: Frame) {
        match frame {
            Frame::Law(message) => self.push_message::<false>(at, message),
            Frame::Advice(message) => self.push_message::<true>(at, message),
            frame => {
                let late = self.lateness.is_some() && matches!(frame, Frame::Addressed { .. });
                let at = if late { self.hand_over(at) } else { at };
                self.next_frame_at = self.next_frame_at.min(at);
                let after = self.frames.iter().rev().take_while(|(due, _)| *due > at).count();
                self.frames.insert(self.frames.len() - after, (at, frame));
            }
        }
    }

    /// Advice that arrived up to and including `now`, one after the other, and when.
    #[inline(always)]
    pub fn pop_advice(&mut self, now: u64) -> Option<(u64, PackedMessage)> {
        let advice = self.advice.pop_front_if(|(at, _)| *at <= now);
        advice.or_else(|| self.repeated.as_mut().and_then(|repeated| repeated.pop(now)))
    }

    /// From now on the same advice comes again and again.
    pub fn repeat_advice(&mut self, repeated: Repeated) {
        if !self.advice_unheeded {
            self.repeated = Some(repeated);
        }
    }

    /// Nobody cares for advice from now on.
    pub fn ignore_advice(&mut self) {
        (self.advice_unheeded, self.repeated) = (true, None);
        self.advice.clear();
    }

    /// The next frame that makes something happen when it arrives, and when.
    #[inline]
    pub fn pop_frame(&mut self) -> Option<(u64, Frame)> {
        if let Some((at, message)) = self.pop_message() {
            return Some((at, Frame::Law(message)));
        }
        let frame = self.frames.pop_front();
        self.find_next_frame();
        frame
    }

    /// That frame if it is a message from law to law, as most are.
    #[inline(always)]
    pub fn pop_message(&mut self) -> Option<(u64, PackedMessage)> {
        let message = self.messages.pop_front_if(|(at, _)| *at == self.next_frame_at)?;
        self.find_next_frame();
        Some(message)
    }

    #[inline(always)]
    fn find_next_frame(&mut self) {
        self.next_frame_at = first_at(&self.messages).min(first_at(&self.frames));
    }
}

/// When the first of these arrives, `u64::MAX` if there is none.
#[inline(always)]
fn first_at<T>(frames: &VecDeque<(u64, T)>) -> u64 {
    frames.front().map_or(u64::MAX, |(at, _)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Late by up to 1000 ns, a message that wakes its law; advice, which wakes nobody, is there when it has come.
    #[test]
    fn nobody_is_late_for_advice() {
        let message = || PackedMessage::Bytes(Box::new([0; 8]));
        let late = crate::ring::lateness::tests::lateness(1_000, 0, 0, 0);
        let mut wire = Wire::new(1, Outages::none()).troubled(None, Some(Box::new(late)));
        (1..=20).for_each(|at| wire.push_message::<true>(at, message()));
        assert_eq!(
            std::iter::from_fn(|| wire.pop_advice(20)).map(|(at, _)| at).collect::<Vec<_>>(),
            Vec::from_iter(1..=20)
        );
        (1..=20).for_each(|at| wire.push_message::<false>(at, message()));
        let taken: Vec<u64> = std::iter::from_fn(|| wire.pop_frame()).map(|(at, _)| at).collect();
        assert!(taken.len() == 20 && taken.iter().any(|at| *at > 20), "{taken:?}");
    }

    /// Laws that are woken late are handed several frames at one instant.
    #[test]
    fn frames_that_come_at_one_instant_come_in_the_order_in_which_they_were_sent() {
        let mut wire = Wire::new(1, Outages::none());
        for (at, number) in [(5, 1), (5, 2), (3, 3), (5, 4)] {
            wire.push_frame(at, Frame::Protection(vec![number]));
        }
        let frames: Vec<_> = std::iter::from_fn(|| wire.pop_frame()).collect();
        let told: Vec<_> = frames.iter().map(|(at, frame)| (*at, format!("{frame:?}"))).collect();
        assert_eq!(told, [(3, 3), (5, 1), (5, 2), (5, 4)].map(|(at, number)| (at, format!("Protection([{number}])"))));
    }
}
