//! When a micro-flow's connections begin, and how much each has to send.

use super::connection::Load;
use super::periods::Periods;
use fairwire_core::{RandomStream, Span};
use fairwire_plan::{TcpPlan, TransferSize, Work};
use rand::RngExt;
use rand_distr::{Exp1, Pareto};
use std::sync::Arc;

/// The work of one micro-flow.
#[derive(Clone, Debug)]
pub struct Schedule {
    work: Work,
    segment_bytes: u64,
    ack_bytes: u64,
    periods: Arc<Periods>,
    rng: RandomStream,
    stop: u64,
    /// When the next connection begins, `u64::MAX` if that is not known or never.
    next_begin: u64,
    /// When an unlimited connection ends to offer new data.
    next_end: u64,
    /// Transfers or pages left; none for no end.
    left: Option<u64>,
    /// Objects left of a page that has begun.
    objects_left: u64,
}

impl Schedule {
    pub fn new(tcp: &TcpPlan, start: u64, stop: u64, periods: Arc<Periods>, rng: RandomStream) -> Self {
        let left = match tcp.work {
            Work::Unlimited => None,
            Work::Transfers { count, .. } => count,
            Work::Web { pages, .. } => pages,
        };
        let mut schedule = Self {
            work: tcp.work,
            segment_bytes: tcp.settings.segment.get(),
            ack_bytes: tcp.settings.ack.get(),
            periods,
            rng,
            stop,
            next_begin: u64::MAX,
            next_end: u64::MAX,
            left,
            objects_left: 0,
        };
        match schedule.work {
            Work::Transfers { mean_interval, .. } => schedule.begin_after(start, mean_interval),
            Work::Unlimited | Work::Web { .. } => schedule.begin_when_active(start),
        }
        schedule
    }

    #[inline]
    pub fn next_begin(&self) -> u64 {
        self.next_begin
    }

    #[inline]
    pub fn next_end(&self) -> u64 {
        self.next_end
    }

    /// Whether its connections are transfers that are told of one by one.
    pub fn has_transfers(&self) -> bool {
        !matches!(self.work, Work::Unlimited)
    }

    /// The time of [`Schedule::next_begin`] has come: what the new connection has to send,
    /// if there is one after all. With no `room` for another there is none.
    pub fn begin(&mut self, now: u64, room: bool) -> Option<Load> {
        match self.work {
            Work::Unlimited => {
                self.next_begin = u64::MAX;
                self.next_end = self.stop.min(self.periods.next_silent(now));
                room.then_some(Load { segments: None, last_segment_bytes: self.segment_bytes as u32 })
            }
            Work::Transfers { mean_interval, size, .. } => {
                let begins = room && self.periods.is_active(now);
                if begins {
                    self.left = self.left.map(|left| left - 1);
                }
                let load = begins.then(|| self.draw_load(size));
                self.begin_after(now, mean_interval);
                load
            }
            Work::Web { mean_objects, size, .. } => {
                if self.objects_left == 0 {
                    self.left = self.left.map(|left| left - 1);
                    self.objects_left = self.draw_objects(mean_objects);
                }
                self.objects_left -= 1;
                self.next_begin = u64::MAX;
                Some(self.draw_load(size))
            }
        }
    }

    /// The time of [`Schedule::next_end`] has come.
    pub fn end(&mut self, now: u64) {
        self.next_end = u64::MAX;
        self.begin_when_active(now);
    }

    /// All of a connection is acknowledged.
    pub fn on_closed(&mut self, now: u64) {
        if let Work::Web { mean_gap, mean_think_time, .. } = self.work {
            self.begin_after(now, if self.objects_left > 0 { mean_gap } else { mean_think_time });
            self.begin_when_active(self.next_begin);
        }
    }

    fn begin_after(&mut self, now: u64, mean: Span) {
        let interval = self.rng.sample::<f64, _>(Exp1) * mean.as_nanos() as f64;
        self.begin_at(now.saturating_add(interval.round() as u64));
    }

    fn begin_when_active(&mut self, from: u64) {
        self.begin_at(self.periods.next_active(from));
    }

    fn begin_at(&mut self, at: u64) {
        let none_left = self.left == Some(0) && self.objects_left == 0;
        self.next_begin = if none_left || at >= self.stop { u64::MAX } else { at };
    }

    /// Geometric with this mean, at least 1.
    fn draw_objects(&mut self, mean: f64) -> u64 {
        if mean <= 1.0 {
            return 1;
        }
        let survives = 1.0 - 1.0 / mean;
        let drawn = 1.0 - self.rng.random::<f64>();
        1 + (drawn.ln() / survives.ln()) as u64
    }

    fn draw_load(&mut self, size: TransferSize) -> Load {
        let bytes = match size {
            TransferSize::Fixed(bytes) => bytes.get() as f64,
            TransferSize::Exponential(mean) => self.rng.sample::<f64, _>(Exp1) * mean.get() as f64,
            TransferSize::Pareto { mean, shape } => {
                let scale = mean.get() as f64 * (shape - 1.0) / shape;
                Pareto::new(scale, shape).map_or(scale, |pareto| self.rng.sample(pareto))
            }
        };
        let bytes = (bytes.round() as u64).max(1);
        let segments = bytes.div_ceil(self.segment_bytes).min(u64::from(u32::MAX - 1));
        let last = (bytes - (segments - 1) * self.segment_bytes).clamp(self.ack_bytes, self.segment_bytes);
        Load { segments: Some(segments as u32), last_segment_bytes: last as u32 }
    }
}
