//! CoDel's control law, for one first-in-first-out lane: shared by codel, fq_codel and cake.
//!
//! Source: RFC 8289 §5 (the functions dodequeue and dequeue, the control law, and
//! how a new cycle starts from the count of the last one). Marking in place of dropping
//! is as in Linux: a marked packet is sent, and the next deed scheduled.

use super::lanes::{Lane, Waiting};
use fairwire_core::{Instant, Span};

/// What all lanes of a queue are held to.
#[derive(Clone, Copy, Debug)]
pub struct CodelSettings {
    /// Sojourn time that a standing queue may cause.
    pub target: Span,
    /// How long it must be exceeded.
    pub interval: Span,
    /// Whether capable packets are marked.
    pub ecn: bool,
}

impl CodelSettings {
    /// What is wrong with the two times.
    pub fn problem(target: Span, interval: Span) -> Option<String> {
        if target == Span::ZERO {
            Some(format!("`target` is {target}; write a time above 0, such as \"5 ms\""))
        } else if interval < target {
            Some(format!("`interval` is {interval}; write a time not below `target`, which is {target}"))
        } else {
            None
        }
    }
}

/// What to do with the head of the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Send,
    Mark,
    /// Drop it, then judge the next head.
    Drop,
}

/// The state of one lane.
#[derive(Clone, Debug, Default)]
pub struct Codel {
    /// When the sojourn time will have been too long for an interval; none while it is not.
    first_above: Option<Instant>,
    drop_next: Instant,
    count: u32,
    last_count: u32,
    is_dropping: bool,
    step: Step,
}

/// Where in the RFC's dequeue the next head is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Begin,
    /// In its loop, after a drop.
    Again,
    /// After the drop that began a cycle: this packet is sent whatever it waited.
    Entered,
}

impl Codel {
    /// Judges the head of `lane`; `largest` is the largest packet seen, in bytes.
    pub fn judge(&mut self, settings: &CodelSettings, now: Instant, lane: &Lane, largest: u32) -> Deed {
        let Some(head) = lane.head() else { return Deed::Send };
        let may_drop = self.may_drop(settings, now, head, lane, largest);
        let marks = settings.ecn && head.packet.ecn_capable;
        match std::mem::take(&mut self.step) {
            Step::Entered => Deed::Send,
            _ if self.is_dropping && !may_drop => {
                self.is_dropping = false;
                Deed::Send
            }
            Step::Again => {
                self.drop_next = next(settings, self.drop_next, self.count);
                self.go_on(settings, now, marks)
            }
            Step::Begin if self.is_dropping => self.go_on(settings, now, marks),
            Step::Begin if may_drop => self.enter(settings, now, marks),
            Step::Begin => Deed::Send,
        }
    }

    /// Whether the lane is being drained of a standing queue.
    pub fn is_dropping(&self) -> bool {
        self.is_dropping
    }

    /// RFC 8289 §5, dodequeue: whether the sojourn time was above the target for an interval.
    fn may_drop(&mut self, settings: &CodelSettings, now: Instant, head: &Waiting, lane: &Lane, largest: u32) -> bool {
        let behind = lane.bytes() - u64::from(head.packet.size_bytes);
        if now.since(head.since) < settings.target || behind <= u64::from(largest) {
            self.first_above = None;
            return false;
        }
        let first_above = *self.first_above.get_or_insert(now + settings.interval);
        now >= first_above
    }

    /// In a cycle: act if it is time.
    fn go_on(&mut self, settings: &CodelSettings, now: Instant, marks: bool) -> Deed {
        if now < self.drop_next {
            return Deed::Send;
        }
        self.count += 1;
        if marks {
            self.drop_next = next(settings, self.drop_next, self.count);
            Deed::Mark
        } else {
            self.step = Step::Again;
            Deed::Drop
        }
    }

    /// A cycle begins, as fast as the last one was if that is not long ago.
    fn enter(&mut self, settings: &CodelSettings, now: Instant, marks: bool) -> Deed {
        const LONG_AGO_INTERVALS: u64 = 16;
        let of_last_cycle = self.count - self.last_count;
        let is_recent = now.since(self.drop_next) < settings.interval * LONG_AGO_INTERVALS;
        self.count = if of_last_cycle > 1 && is_recent { of_last_cycle } else { 1 };
        self.last_count = self.count;
        self.drop_next = next(settings, now, self.count);
        self.is_dropping = true;
        if marks {
            Deed::Mark
        } else {
            self.step = Step::Entered;
            Deed::Drop
        }
    }
}

/// The control law: intervals shrink with the root of the count.
fn next(settings: &CodelSettings, from: Instant, count: u32) -> Instant {
    let gap_ns = settings.interval.as_nanos() as f64 / f64::from(count.max(1)).sqrt();
    from + Span::from_nanos(gap_ns as u64)
}
