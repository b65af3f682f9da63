//! The two ends of a micro-flow whose rate switches tell: when it is on, and what it counts.

use super::periods::Periods;
use fairwire_core::Instant;
use fairwire_laws::rate::{Leaving, RateLawChoice, Refusal, Sender, Terms};
use fairwire_plan::{RatePlan, RateRecord};
use prefetch_index::prefetch_index;
use std::mem::offset_of;
use std::slice;
use std::sync::Arc;

/// When a micro-flow is on, and its two ends.
///
/// What each data packet needs stands first, in two lines of the processor's cache, as what a flow of thousands has comes
/// from afar.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct RateEnd {
    pub arrivals: Arrivals,
    /// None if it is never silent.
    periods: Option<Arc<Periods>>,
    sender: Sender,
    law: Arc<RateLawChoice>,
    told_bps: f64,
    terms: Terms,
    packets: Option<u64>,
    /// When it comes on and goes off, the next time at the end.
    on_times: Vec<OnTime>,
    /// All of them, in order of time, for what arrives.
    on: Arc<[OnTime]>,
    /// Each change of its allowed rate: when, in ns, and to what.
    pub allowed: Vec<(u64, f64)>,
    pub counts: RateRecord,
}

/// The first two lines: all before the sender's terms.
const _: () = assert!(offset_of!(RateEnd, sender) == 32);

/// Data packets that arrive.
#[derive(Clone, Copy, Debug)]
pub struct Arrivals {
    /// The on_time in which the last one came, if it came in one.
    on_time: OnTime,
    pub while_on: u64,
}

/// A time in which a micro-flow is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnTime {
    pub start: u64,
    pub stop: u64,
}

impl RateEnd {
    /// A micro-flow that is on in these `on_times`, which do not overlap and are in order of time.
    pub fn new(plan: &RatePlan, law: Arc<RateLawChoice>, on_times: Vec<OnTime>, periods: Arc<Periods>) -> Self {
        let on: Arc<[OnTime]> = on_times.iter().copied().collect();
        let mut on_times = on_times;
        on_times.reverse();
        Self {
            arrivals: Arrivals { on_time: OnTime { start: 0, stop: 0 }, while_on: 0 },
            sender: Sender::new(&law, &plan.sending, &plan.terms),
            law,
            terms: plan.terms,
            packets: plan.packets(),
            periods: (!periods.are_always()).then_some(periods),
            on_times,
            on,
            told_bps: 0.0,
            allowed: Vec::new(),
            counts: RateRecord::default(),
        }
    }

    /// When it came on before `reached`, in order of time.
    pub fn began(&self, reached: u64) -> impl Iterator<Item = u64> {
        self.on.iter().map(|on_time| on_time.start).filter(move |start| *start < reached)
    }

    /// What was agreed for it, as its destination and ports know it.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Size of a data packet in bytes.
    pub fn data_bytes(&self) -> u16 {
        self.sender.packet_bytes()
    }

    /// When it does something by itself, `u64::MAX` if never. A time gone by means now.
    #[inline]
    pub fn next_at(&self) -> u64 {
        if self.sender.is_on() {
            return self.sender.poll_timeout().as_nanos();
        }
        self.on_times.last().map_or(u64::MAX, |on_time| on_time.start)
    }

    /// Whether it sends no more, ever.
    pub fn is_over(&self) -> bool {
        !self.sender.is_on() && self.on_times.is_empty()
    }

    /// The packet that leaves at `now`, which is the time that was told, and whether it is the last; a control packet is
    /// written into `bytes`. None if none leaves.
    pub fn take(&mut self, now: u64, bytes: &mut Vec<u8>) -> Option<(Leaving, bool)> {
        if !self.sender.is_on() {
            let on_time = self.on_times.pop()?;
            self.sender.start(Instant::from_nanos(now), Instant::from_nanos(on_time.stop), self.packets);
            self.pass_over_silence(now);
            self.note(now);
            if self.next_at() > now {
                return None;
            }
        }
        let taken = self.sender.take(Instant::from_nanos(now), bytes);
        if let Some((Leaving::Control, _)) = taken {
            self.counts.control_sent += 1;
            self.counts.control_bytes += bytes.len() as u64;
        }
        let pauses = self.pass_over_silence(now);
        // Data that leaves changes nothing in what is allowed.
        if pauses || !self.sender.is_on() || !matches!(taken, Some((Leaving::Data, _))) {
            self.note(now);
        }
        taken
    }

    /// Nothing is sent while the flow is silent: whether it is going to be.
    #[inline]
    fn pass_over_silence(&mut self, now: u64) -> bool {
        let Some(periods) = &self.periods else { return false };
        let next_at = self.sender.poll_timeout().as_nanos().max(now);
        let pauses = next_at != u64::MAX && !periods.is_active(next_at);
        if pauses {
            self.sender.pause(Instant::from_nanos(periods.next_active(next_at)));
        }
        pauses
    }

    /// A data packet will soon leave: what it needs is fetched into the cache.
    #[inline]
    pub fn look_at_sender(&self) {
        self.look_at_arrivals();
        self.sender.look_ahead();
    }

    /// A control packet will soon come back.
    #[inline]
    pub fn look_at_source(&self) {
        self.look_at_arrivals();
        self.sender.look_at_source();
        prefetch_index(slice::from_ref(&self.counts), 0);
    }

    /// A data packet will soon arrive.
    #[inline]
    pub fn look_at_arrivals(&self) {
        prefetch_index(slice::from_ref(&self.arrivals), 0);
    }

    /// The destination turns a control packet around.
    pub fn turn(&self, bytes: &mut Vec<u8>) -> Result<(), Refusal> {
        self.law.turn(&self.terms, bytes)
    }

    /// A control packet came back, or a notice came, which a port had sent by itself.
    pub fn on_return(&mut self, now: u64, bytes: &[u8], is_notice: bool) {
        match self.sender.on_return(Instant::from_nanos(now), bytes) {
            _ if is_notice => {}
            Ok(_) => self.counts.control_returned += 1,
            Err(_) => self.counts.control_refused += 1,
        }
        self.pass_over_silence(now);
        self.note(now);
    }

    /// What was agreed is another.
    pub fn on_terms(&mut self, now: u64, terms: &Terms) {
        self.terms = *terms;
        self.sender.on_terms(Instant::from_nanos(now), terms);
        self.note(now);
    }

    /// Writes down what is allowed, if that is another than before; nothing from the end of a on_time on.
    fn note(&mut self, now: u64) {
        let (at, told_bps) = match self.sender.is_on() {
            true => (now, self.sender.allowed_bps()),
            false => (self.sender.stops_at().as_nanos().max(now), 0.0),
        };
        if told_bps != self.told_bps {
            self.told_bps = told_bps;
            self.allowed.push((at, told_bps));
        }
    }

    /// A data packet arrives at the destination.
    #[inline]
    pub fn on_data(&mut self, now: u64) {
        if !self.arrivals.on_time.contains(now) {
            let begun = self.on.partition_point(|on_time| on_time.start <= now);
            let Some(last) = begun.checked_sub(1).map(|last| self.on[last]) else { return };
            if !last.contains(now) {
                return;
            }
            self.arrivals.on_time = last;
        }
        self.arrivals.while_on += 1;
    }
}

impl OnTime {
    fn contains(self, at: u64) -> bool {
        (self.start..self.stop).contains(&at)
    }
}
