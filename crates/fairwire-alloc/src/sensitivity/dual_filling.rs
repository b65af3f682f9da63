//! Progressive filling with numbers a + b·δ for an infinitely small δ > 0.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::Problem;
use crate::incidence::Incidence;
use crate::interrupt::look;

/// Values that differ by less, relative to the larger one, are the same, and
/// the slopes decide.
const TIE: f64 = 1e-11;

/// a + b·δ.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Dual {
    value: f64,
    slope: f64,
}

impl Dual {
    /// Whether this is clearly less, or as much and growing more slowly.
    fn is_less(self, other: Self) -> bool {
        match self.compare(other.value) {
            Ordering::Equal => self.slope < other.slope,
            order => order == Ordering::Less,
        }
    }

    /// Compares values up to rounding.
    fn compare(self, value: f64) -> Ordering {
        let off = (self.value - value).abs();
        if self.value == value || (off.is_finite() && off <= TIE * self.value.abs().max(value.abs())) {
            Ordering::Equal
        } else {
            self.value.total_cmp(&value)
        }
    }
}

/// A filling in which one capacity moves by ±δ.
pub(super) struct DualFilling<'a> {
    routes: Incidence,
    crossing: Incidence,
    wanted: &'a [f64],
    weights: &'a [f64],
    left: Vec<Dual>,
    active: Vec<u32>,
    frozen: Vec<bool>,
    slopes: Vec<f64>,
    queue: BinaryHeap<Surfaced>,
}

impl<'a> DualFilling<'a> {
    pub fn new(
        problem: &Problem,
        capacities: &[f64],
        wanted: &'a [f64],
        weights: &'a [f64],
        moving: usize,
        side: f64,
    ) -> Self {
        let routes = Incidence::from_rows(problem.flows.iter().map(|flow| flow.route.iter().copied()));
        let crossing = routes.transposed(capacities.len());
        let mut left: Vec<Dual> = capacities.iter().map(|&value| Dual { value, slope: 0.0 }).collect();
        left[moving].slope = side;
        let active = (0..capacities.len()).map(|link| crossing.row(link).len() as u32).collect();
        let flows = problem.flows.len();
        let (frozen, slopes, queue) = (vec![false; flows], vec![0.0; flows], BinaryHeap::new());
        Self { routes, crossing, wanted, weights, left, active, frozen, slopes, queue }
    }

    /// The slope of every rate.
    pub fn run(mut self) -> Vec<f64> {
        for link in 0..self.left.len() {
            self.enqueue(link);
        }
        while let Some(first) = self.queue.pop() {
            look();
            if self.active[first.link] == 0 {
                continue;
            }
            let level = self.level(first.link);
            if level.compare(first.level) == Ordering::Greater {
                self.enqueue(first.link);
                continue;
            }
            // Among all that fill up at this very level, the slowest is first.
            let (mut chosen, mut least) = (first.link, level);
            let mut others = Vec::new();
            while self.queue.peek().is_some_and(|next| level.compare(next.level) != Ordering::Less) {
                let Some(Surfaced { link, .. }) = self.queue.pop() else { break };
                if self.active[link] == 0 {
                    continue;
                }
                let theirs = self.level(link);
                let is_slower = theirs.compare(level.value) == Ordering::Equal && theirs.slope < least.slope;
                others.push(if is_slower { std::mem::replace(&mut chosen, link) } else { link });
                if is_slower {
                    least = theirs;
                }
            }
            if !self.meet_demands(chosen, least) {
                self.fill_link(chosen, least);
            }
            others.push(chosen);
            others.into_iter().for_each(|link| self.enqueue(link));
        }
        self.slopes
    }

    fn enqueue(&mut self, link: usize) {
        if self.active[link] > 0 {
            self.queue.push(Surfaced { level: self.level(link).value, link });
        }
    }

    fn level(&self, link: usize) -> Dual {
        let rising = self.crossing.indices(link).filter(|&flow| !self.frozen[flow]);
        let weight: f64 = rising.map(|flow| self.weights[flow]).sum();
        Dual { value: self.left[link].value.max(0.0) / weight, slope: self.left[link].slope / weight }
    }

    /// Freezes flows that want no more than the level gives.
    fn meet_demands(&mut self, link: usize, level: Dual) -> bool {
        let modest: Vec<usize> = self
            .crossing
            .indices(link)
            .filter(|&flow| {
                let demand = Dual { value: self.wanted[flow] / self.weights[flow], slope: 0.0 };
                !self.frozen[flow] && !level.is_less(demand)
            })
            .collect();
        modest.iter().for_each(|&flow| self.freeze(flow, Dual { value: self.wanted[flow], slope: 0.0 }));
        !modest.is_empty()
    }

    fn fill_link(&mut self, link: usize, level: Dual) {
        let rising: Vec<usize> = self.crossing.indices(link).filter(|&flow| !self.frozen[flow]).collect();
        for flow in rising {
            let weight = self.weights[flow];
            self.freeze(flow, Dual { value: weight * level.value, slope: weight * level.slope });
        }
    }

    fn freeze(&mut self, flow: usize, rate: Dual) {
        self.frozen[flow] = true;
        self.slopes[flow] = rate.slope;
        for link in self.routes.indices(flow) {
            self.left[link].value -= rate.value;
            self.left[link].slope -= rate.slope;
            self.active[link] -= 1;
        }
    }
}

/// A link at a level that it reaches at the earliest; lowest first.
struct Surfaced {
    level: f64,
    link: usize,
}

impl Ord for Surfaced {
    fn cmp(&self, other: &Self) -> Ordering {
        other.level.total_cmp(&self.level).then(other.link.cmp(&self.link))
    }
}

impl PartialOrd for Surfaced {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Surfaced {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Surfaced {}
