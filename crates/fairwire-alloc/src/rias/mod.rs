//! RIAS-fair rates: Ring Ingress Aggregated with Spatial Reuse.
//!
//! A feasible matrix is RIAS fair when every flow has its demand or a
//! bottleneck link: full, no ingress ahead of its own there, and no flow of
//! its own ingress ahead of it there (`[dvsr] §III-A`, Proposition 1, with the
//! aggregate taken per link). Bounds on all such matrices come first; where
//! they meet, the answer is unique and made exact by one linear system.

mod bounds;
mod chain;
mod conditions;
mod enumerate;
mod exact;
mod insatiable;
pub(crate) mod layout;
mod leximin;
mod limits;
mod linear;
mod polyhedron;
mod settle;

use bounds::{Bounds, Intervals, bound};
use layout::Layout;

use crate::allocation::{Rates, Uniqueness};
use crate::check::{Promised, Violation, check_valid};
use crate::promises::{Promise, first_overbooked};
use crate::{AllocError, Criterion, Problem, Terms};

/// How exactly the answer must pass the certificate, relative to capacity.
const CERTIFIED: f64 = 1e-11;
/// The same for answers that Newton's method could not refine.
const CERTIFIED_ROUGHLY: f64 = 1e-9;
/// Slack within which a flow counts as held by a link or its demand while
/// the rates are still inexact.
const NEAR: f64 = 1e-7;
/// Smaller values for `NEAR`, tried in turn where that gives no fair rates.
const FINER: [f64; 4] = [1e-9, 1e-11, 1e-13, 0.0];

/// Attempts to correct what holds each flow from one state of the iteration.
const NEWTON_STEPS: usize = 4;
/// Fair matrices that differ by less, relative to capacity, are one.
const DISTINCT: f64 = 1e-7;

/// RIAS-fair rates of a valid problem whose ingresses are promised what
/// `terms` says.
pub(crate) fn solve(problem: &Problem, terms: &Terms) -> Result<Rates, AllocError> {
    let layout = Layout::with_minimums(problem, &terms.ingress_min_rates_bps);
    refuse_overbooked(&layout)?;
    let bounds = bound(&layout);
    if bounds.closed {
        let rates = any_fair(&layout, &bounds.rates.low)?;
        let bottleneck = holding_links(&layout, &rates);
        let mut answer = Rates::sole(rates, bottleneck);
        if !is_within(&layout, &answer.rates_bps, &bounds.rates) {
            answer.unique = Uniqueness::NotDecided;
        }
        return Ok(answer);
    }
    open_ended(&layout, bounds)
}

fn refuse_overbooked(layout: &Layout) -> Result<(), AllocError> {
    let promises = |link: usize| {
        let slots = layout.link_slots.indices(link);
        slots.map(|slot| Promise { of: layout.slot_ingress(slot), rate_bps: layout.slot_minimum[slot] }).collect()
    };
    let Some(proof) = first_overbooked(layout.problem, promises) else { return Ok(()) };
    let link = &layout.problem.links[proof.link];
    Err(AllocError::InfeasibleIngressMinimums {
        link: link.id.clone(),
        capacity_bps: link.capacity_bps,
        promised_bps: proof.promised_bps,
        ingresses: proof.of.iter().map(|&node| layout.problem.nodes[node].clone()).collect(),
    })
}

/// Bounds that do not meet: search between them, part by part.
fn open_ended(layout: &Layout, bounds: Bounds) -> Result<Rates, AllocError> {
    let parts = enumerate::enumerate(layout, &bounds.rates);
    let complete = parts.iter().all(|part| part.found.is_some());
    let mut rates = middle(&bounds.rates);
    if !complete {
        rates = any_fair(layout, &rates)?;
    }
    let Intervals { mut low, mut high } = bounds.rates;
    let mut several = false;
    for (flows, found) in parts.iter().filter_map(|part| Some((&part.flows, part.found.as_ref()?))) {
        for (at, &flow) in flows.iter().enumerate() {
            rates[flow] = found.best[at];
            low[flow] = found.low[at];
            high[flow] = found.high[at];
            several |= high[flow] - low[flow] > DISTINCT * layout.narrowest(flow);
        }
    }
    let rates = any_fair(layout, &rates)?;
    let complete = complete && is_within(layout, &rates, &Intervals { low: low.clone(), high: high.clone() });
    for (flow, &rate) in rates.iter().enumerate() {
        let is_point = high[flow] - low[flow] <= DISTINCT * layout.narrowest(flow);
        if is_point {
            (low[flow], high[flow]) = (rate, rate);
        } else {
            (low[flow], high[flow]) = (low[flow].min(rate), high[flow].max(rate));
        }
    }
    Ok(Rates {
        bottleneck: holding_links(layout, &rates),
        rates_bps: rates,
        low_bps: low,
        high_bps: high,
        unique: match (complete, several) {
            (false, _) => Uniqueness::NotDecided,
            (true, false) => Uniqueness::Yes,
            (true, true) => Uniqueness::No,
        },
    })
}

/// Whether rates lie in their intervals: others would show that these do not contain every fair matrix.
fn is_within(layout: &Layout, rates: &[f64], intervals: &Intervals) -> bool {
    let mut all = rates.iter().zip(intervals.low.iter().zip(&intervals.high)).enumerate();
    all.all(|(flow, (rate, (low, high)))| {
        let slack = DISTINCT * layout.narrowest(flow);
        (low - slack..=high + slack).contains(rate)
    })
}

fn middle(intervals: &Intervals) -> Vec<f64> {
    intervals.low.iter().zip(&intervals.high).map(|(low, high)| low.midpoint(*high)).collect()
}

/// Some certified matrix, found from `start`.
fn any_fair(layout: &Layout, start: &[f64]) -> Result<Vec<f64>, AllocError> {
    if let Some(fair) = exactly(layout, start) {
        return Ok(fair);
    }
    // Where demands lie just beside shares, it takes a finer look to tell them apart.
    for near in FINER {
        if let Some(fair) = sharpen(layout, start, limits::limits(layout, start, near)) {
            return Ok(fair);
        }
    }
    let first = roughly(layout, start);
    if first.is_ok() {
        return first;
    }
    let found = settle::settle(layout, start, |rates, holders| {
        let sharp = || sharpen(layout, rates, holders.to_vec());
        sharp().or_else(|| exactly(layout, rates)).or_else(|| roughly(layout, rates).ok())
    });
    found.map_or(first, Ok)
}

/// Newton's method on what holds each flow: solve for the rates under these
/// holders, see what holds each flow at those rates, and so on until the
/// rates are fair or nothing new turns up.
fn sharpen(layout: &Layout, rates: &[f64], mut holders: Vec<Option<usize>>) -> Option<Vec<f64>> {
    let mut rates = rates.to_vec();
    for _ in 0..NEWTON_STEPS {
        rates = exact::exact(layout, &holders, &rates);
        if is_fair(layout, &rates, CERTIFIED).is_ok() {
            return Some(rates);
        }
        let now = settle::holders(layout, &rates);
        if now == holders {
            return None;
        }
        holders = now;
    }
    None
}

/// Makes nearly fair rates exact, if the independent checker confirms it.
fn exactly(layout: &Layout, rates: &[f64]) -> Option<Vec<f64>> {
    let sharp = exact::exact(layout, &limits::limits(layout, rates, NEAR), rates);
    is_fair(layout, &sharp, CERTIFIED).is_ok().then_some(sharp)
}

/// The rates as they are, if the independent checker takes them for nearly fair.
fn roughly(layout: &Layout, rates: &[f64]) -> Result<Vec<f64>, AllocError> {
    is_fair(layout, rates, CERTIFIED_ROUGHLY)
        .map(|()| rates.to_vec())
        .map_err(|violation| AllocError::NotCertified { criterion: Criterion::Rias, violation: violation.to_string() })
}

/// What the independent checker says.
fn is_fair(layout: &Layout, rates: &[f64], tolerance: f64) -> Result<(), Violation> {
    let promised = layout.ingress_minimums;
    check_valid(layout.problem, Promised { flows: &[], ingresses: promised }, Criterion::Rias, rates, tolerance)
}

/// The link that holds each flow under exact rates.
fn holding_links(layout: &Layout, rates: &[f64]) -> Vec<Option<usize>> {
    let limits = limits::limits(layout, rates, CERTIFIED_ROUGHLY);
    limits.iter().map(|slot| slot.map(|slot| layout.slot_link[slot])).collect()
}
