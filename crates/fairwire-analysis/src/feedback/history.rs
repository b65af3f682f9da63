//! What a link has done so far, to be asked about earlier instants.

use std::collections::VecDeque;

/// Virtual time and what was sent, as they grew, piece by piece in straight lines.
#[derive(Clone, Debug)]
pub(super) struct History {
    points: VecDeque<Point>,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    at: f64,
    virtual_time: f64,
    sent: f64,
}

impl History {
    /// Nothing has happened before time 0.
    pub fn new() -> Self {
        Self { points: VecDeque::from([Point { at: 0.0, virtual_time: 0.0, sent: 0.0 }]) }
    }

    /// Notes how far both have come.
    pub fn note(&mut self, at: f64, virtual_time: f64, sent: f64) {
        self.points.push_back(Point { at, virtual_time, sent });
    }

    /// Virtual time and what was sent, between two instants.
    pub fn growth(&self, from: f64, to: f64) -> (f64, f64) {
        let (early, late) = (self.at(from), self.at(to));
        (late.virtual_time - early.virtual_time, late.sent - early.sent)
    }

    /// Forgets what lies before an instant, but for the last point there.
    pub fn forget_before(&mut self, instant: f64) {
        while self.points.get(1).is_some_and(|next| next.at <= instant) {
            self.points.pop_front();
        }
    }

    fn at(&self, instant: f64) -> Point {
        let after = self.points.partition_point(|point| point.at <= instant);
        let Some(before) = after.checked_sub(1).map(|index| self.points[index]) else { return self.points[0] };
        let Some(next) = self.points.get(after) else { return before };
        let part = (instant - before.at) / (next.at - before.at);
        let between = |early: f64, late: f64| early + part * (late - early);
        Point {
            at: instant,
            virtual_time: between(before.virtual_time, next.virtual_time),
            sent: between(before.sent, next.sent),
        }
    }
}
