//! What a station wants sent.

use super::{FairnessFrame, Message};
use crate::ring::RingAction;
use std::collections::VecDeque;

/// Frames to be sent, in their order. Most often it is one fairness frame, which then need not
/// go through a queue.
#[derive(Debug, Default)]
pub struct Outbox {
    first: Option<FairnessFrame>,
    others: VecDeque<RingAction<Message>>,
}

impl Outbox {
    /// `frame` goes upstream.
    #[inline]
    pub fn tell(&mut self, frame: FairnessFrame) {
        if self.first.is_none() && self.others.is_empty() {
            self.first = Some(frame);
        } else {
            self.send(RingAction::SendUpstream(Message::Fairness(frame)));
        }
    }

    /// Anything else is sent.
    pub fn send(&mut self, action: RingAction<Message>) {
        self.others.push_back(action);
    }

    /// What goes next.
    #[inline]
    pub fn pop(&mut self) -> Option<RingAction<Message>> {
        match self.first.take() {
            Some(frame) => Some(RingAction::SendUpstream(Message::Fairness(frame))),
            None => self.others.pop_front(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Address, ControlFrame, ControlType};
    use crate::ring::rpr::Choke;
    use fairwire_core::Ringlet;

    #[test]
    fn frames_leave_in_the_order_in_which_they_came() {
        let frame = |rate| FairnessFrame::new(Choke::Single, Ringlet::One, Address::BROADCAST, rate);
        let told = |rate| RingAction::SendUpstream(Message::Fairness(frame(rate)));
        let control = ControlFrame::broadcast(ControlType::Attributes, Ringlet::One, Address::BROADCAST, &[1]);
        let other = RingAction::SendUpstream(Message::Control(Box::new(control)));
        let mut outbox = Outbox::default();
        for _ in 0..2 {
            outbox.tell(frame(1));
            outbox.tell(frame(2));
            outbox.send(other.clone());
            assert_eq!(outbox.pop(), Some(told(1)));
            outbox.tell(frame(3));
            let rest: Vec<_> = std::iter::from_fn(|| outbox.pop()).collect();
            assert_eq!(rest, [told(2), other.clone(), told(3)]);
        }
    }
}
