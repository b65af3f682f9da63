//! Ports tell sources that their shares have moved, without being asked.
//!
//! A source hears of its share when a control packet of its own comes back, and a slow flow sends few. When flows come or
//! go, or bandwidth changes, the port looks at its flows, some at a time, and sends a *notice* to those whose share
//! is no longer what they were told. Notices are paid for by data packets, and by flows that come.

use super::super::parts::longest_time::LongestTime;
use fairwire_core::{Instant, Span};

/// A flow gets no notice while its share differs from the one it was told by less than this part, if its own control packets are
/// as frequent as notices could be (ours).
const SMALL: f64 = 1.0 / 128.0;
/// The rarer a flow's own control packets, the smaller that part, down to this one (ours).
const LEAST: f64 = 1.0 / 4096.0;
/// The port looks at its flows after shares have changed by this part (ours).
const CHANGE: f64 = LEAST / 2.0;
/// Each data packet pays for this part of a notice (ours).
const PAID: f64 = 1.0 / 16.0;
/// Notices a flow that may be saved up (ours).
const SAVED: f64 = 2.0;
/// Flows that the port looks at in the time that this many notices take on the link (ours).
pub(super) const LOOKED_AT: u32 = 32;
/// A notice is repeated when the flow has not reacted within this many of the longest reaction times; each further wait is twice
/// as long (ours).
const PATIENCE: u64 = 2;
/// The shortest reaction time that is reckoned with (ours).
const LEAST_REACTION: Span = Span::from_micros(200);
/// Notices to one flow about one share at most (ours).
const MOST_TRIES: u8 = 4;
/// While the port waits for reactions it looks at all flows again and again, after ever longer pauses, up to this one (ours).
const LONGEST_PAUSE: Span = Span::from_millis(100);

/// What a port keeps of a flow for that.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// The share that it was told last, its minimum included, in bit/s.
    pub told_bps: f64,
    /// When it was sent a notice, if it has not reacted yet, and how many there have been.
    noticed: Option<(Instant, u8)>,
}

/// Whether a flow needs a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    No,
    /// Perhaps, if it does not hear of its share otherwise.
    Later,
    Now,
}

/// Which flows are looked at, and when.
#[derive(Clone, Debug)]
pub(super) struct Notices {
    /// The normalised fair share when flows were looked at last, in bit/s a unit of weight.
    level_bps: f64,
    /// Notices that may be sent.
    credit: f64,
    /// Who is looked at next, and how many are still to be looked at.
    next: u32,
    left: u32,
    /// Whether they have to be looked at once more, and after how long.
    again: bool,
    pause: Span,
    at: Instant,
    /// How long sources took to react, of late.
    reactions: LongestTime,
}

impl Notices {
    pub fn new(start: Instant) -> Self {
        Self {
            level_bps: f64::INFINITY,
            credit: 0.0,
            next: 0,
            left: 0,
            again: false,
            pause: Span::ZERO,
            at: Instant::NEVER,
            reactions: LongestTime::new(1.0, LEAST_REACTION, start),
        }
    }

    /// How long a source takes to react.
    fn reaction(&self) -> Span {
        self.reactions.get().max(LEAST_REACTION)
    }

    /// When flows are looked at.
    pub fn poll_timeout(&self) -> Option<Instant> {
        (self.at != Instant::NEVER).then_some(self.at)
    }

    /// A data packet, or a flow, comes: it pays for notices.
    #[inline]
    pub fn pay(&mut self, now: Instant, is_new: bool, flows: usize) {
        self.credit = (self.credit + if is_new { 1.0 } else { PAID }).min(SAVED * flows as f64);
        if self.left > 0 && self.at == Instant::NEVER && self.credit >= 1.0 {
            self.at = now;
        }
    }

    /// Something may have changed for all flows: it is looked soon.
    pub fn look(&mut self, now: Instant) {
        self.at = self.at.min(now);
    }

    /// The normalised fair share is this one now, while there are so many slots.
    pub fn see(&mut self, now: Instant, level_bps: f64, slots: u32) {
        let before_bps = self.level_bps;
        let apart_bps = (level_bps - before_bps).abs();
        if level_bps != before_bps && (apart_bps.is_infinite() || apart_bps > CHANGE * level_bps.max(before_bps)) {
            (self.level_bps, self.left) = (level_bps, slots);
            (self.at, self.pause) = (self.at.min(now), Span::ZERO);
        }
    }

    /// The flow has been heard.
    pub fn heard(&mut self, now: Instant, known: &mut Known) {
        self.reactions.rounds(now);
        if let Some((at, _)) = known.noticed.take() {
            self.reactions.tell(now.since(at));
        }
    }

    /// Whether a flow with this loop that should have `share_bps`, and may have a control packet `under_way`, needs a notice.
    pub fn need(&self, now: Instant, known: &Known, loop_s: f64, share_bps: f64, under_way: bool) -> Need {
        let seldom = loop_s / (2.0 * self.reaction().as_secs_f64());
        let small = (SMALL / seldom.max(1.0)).max(LEAST);
        let apart = (share_bps - known.told_bps).abs() > small * share_bps.max(known.told_bps);
        match known.noticed {
            None if !apart => Need::No,
            // It will be told when that comes back, if it does.
            None if under_way => Need::Later,
            None => Need::Now,
            Some((_, tries)) if tries >= MOST_TRIES && !apart => Need::No,
            Some(_) if under_way => Need::Later,
            Some((at, tries)) => {
                let patience = self.reaction() * (PATIENCE << tries.min(MOST_TRIES));
                if now.since(at) >= patience { Need::Now } else { Need::Later }
            }
        }
    }

    /// The next slots to be looked at, of so many: all of them are asked for [`Notices::need`].
    pub fn next_slots(&mut self, slots: u32) -> impl Iterator<Item = u32> + use<> {
        // Each of them may need a notice.
        let many = LOOKED_AT.min(self.left).min(slots).min(self.credit as u32);
        let first = if slots == 0 { 0 } else { self.next % slots };
        self.left = self.left.min(slots) - many;
        self.next = first + many;
        (0..many).map(move |at| (first + at) % slots)
    }

    /// A flow will be sent a notice that tells it this share.
    pub fn sent(&mut self, now: Instant, known: &mut Known, share_bps: f64) {
        self.credit -= 1.0;
        let tries = known.noticed.map_or(0, |(_, tries)| tries + 1);
        *known = Known { told_bps: share_bps, noticed: Some((now, tries)) };
        self.again = true;
    }

    /// A flow has to be looked at once more.
    pub fn later(&mut self) {
        self.again = true;
    }

    /// Those slots have been looked at: when it goes on.
    pub fn go_on(&mut self, now: Instant, turn: Span, slots: u32) {
        self.at = match self.left {
            0 if self.again => {
                (self.left, self.again) = (slots, false);
                self.pause = (self.pause * 2).max(self.reaction()).max(turn).min(LONGEST_PAUSE);
                now + self.pause
            }
            0 => Instant::NEVER,
            // Data packets have to pay first.
            _ if self.credit < 1.0 => Instant::NEVER,
            _ => now + turn.max(Span::from_nanos(1)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

    /// Notices with so much credit, which have seen this level.
    fn with(credit: usize, level_bps: f64, slots: u32) -> Notices {
        let mut notices = Notices::new(us(0));
        (0..credit).for_each(|_| notices.pay(us(0), true, credit));
        notices.see(us(0), level_bps, slots);
        notices
    }

    #[test]
    fn all_flows_are_looked_at_after_a_change_a_few_at_a_time() {
        let mut notices = with(100, 1e6, 70);
        assert_eq!(notices.poll_timeout(), Some(us(0)));
        let mut looked = Vec::new();
        for turn in 0..3 {
            looked.extend(notices.next_slots(70));
            notices.go_on(us(turn), Span::from_micros(1), 70);
        }
        assert_eq!((looked, notices.poll_timeout()), ((0..70).collect(), None));
        // What changed by a ten-thousandth is not worth it; a hundredth is, and it is gone on where it ended.
        notices.see(us(9), 1.0001e6, 70);
        assert_eq!(notices.poll_timeout(), None);
        notices.see(us(9), 1.01e6, 70);
        assert_eq!((notices.poll_timeout(), notices.next_slots(70).next()), (Some(us(9)), Some(0)));
    }

    #[test]
    fn data_packets_pay_for_notices() {
        let mut notices = with(2, 1e6, 9);
        assert_eq!(notices.next_slots(9).collect::<Vec<_>>(), [0, 1]);
        let mut known = Known::default();
        notices.sent(us(0), &mut known, 1e6);
        notices.sent(us(0), &mut known, 1e6);
        notices.go_on(us(0), Span::from_micros(1), 9);
        assert_eq!(notices.poll_timeout(), None);
        (0..15).for_each(|_| notices.pay(us(5), false, 9));
        assert_eq!(notices.poll_timeout(), None);
        notices.pay(us(5), false, 9);
        assert_eq!((notices.poll_timeout(), notices.next_slots(9).collect::<Vec<_>>()), (Some(us(5)), vec![2]));
    }

    #[test]
    fn who_does_not_react_is_told_again_ever_more_seldom() {
        let mut notices = with(9, 1e6, 1);
        let mut known = Known::default();
        assert_eq!(notices.need(us(0), &known, 0.0, 0.0, false), Need::No);
        // A control packet of its own may tell it sooner.
        assert_eq!(notices.need(us(0), &known, 0.0, 1e6, true), Need::Later);
        assert_eq!(notices.need(us(0), &known, 0.0, 1e6, false), Need::Now);
        notices.sent(us(0), &mut known, 1e6);
        // Nobody has reacted so far: 200 us are taken for usual.
        assert_eq!(notices.need(us(399), &known, 0.0, 1e6, false), Need::Later);
        assert_eq!(notices.need(us(400), &known, 0.0, 1e6, false), Need::Now);
        notices.sent(us(400), &mut known, 1e6);
        assert_eq!(notices.need(us(1199), &known, 0.0, 1e6, false), Need::Later);
        assert_eq!(notices.need(us(1200), &known, 0.0, 1e6, true), Need::Later);
        assert_eq!(notices.need(us(1200), &known, 0.0, 1e6, false), Need::Now);
        // It reacts after 1.6 ms, which is what others are waited for.
        notices.heard(us(2000), &mut known);
        assert_eq!(notices.need(us(2000), &known, 0.0, 1.005e6, false), Need::No);
        assert_eq!(notices.need(us(2000), &known, 0.0, 0.9e6, false), Need::Now);
        notices.sent(us(2000), &mut known, 0.9e6);
        assert_eq!(notices.need(us(5199), &known, 0.0, 0.9e6, false), Need::Later);
        assert_eq!(notices.need(us(5200), &known, 0.0, 0.9e6, false), Need::Now);
    }
}
