//! RIAS-fair rates: Ring Ingress Aggregated with Spatial Reuse.
//!
//! A feasible matrix is RIAS fair when every flow has its demand or a
//! bottleneck link: full, no ingress ahead of its own there, and no flow of
//! its own ingress ahead of it there (`[dvsr] §III-A`, Proposition 1, with the
//! aggregate taken per link). Bounds on all such matrices come first; where
//! they meet, the answer is unique and made exact by one linear system.

pub(crate) mod bounds;
mod chain;
mod exact;
mod insatiable;
pub(crate) mod layout;
mod limits;
mod settle;

use bounds::{Bounds, bound};
use layout::Layout;

use crate::allocation::{Rates, Uniqueness};
use crate::check::check_valid;
use crate::{AllocError, Criterion, Problem};

/// How exactly the answer must pass the certificate, relative to capacity.
const CERTIFIED: f64 = 1e-11;
/// The same for answers that no linear system could sharpen.
const CERTIFIED_ROUGHLY: f64 = 1e-9;
/// Slack within which a flow counts as held by a link or its demand while
/// the rates are still inexact.
const NEAR: f64 = 1e-7;

/// RIAS-fair rates of a valid problem.
pub(crate) fn solve(problem: &Problem) -> Result<Rates, AllocError> {
    let layout = Layout::new(problem);
    let bounds = bound(&layout);
    if bounds.closed {
        let rates = certify(&layout, &bounds.rates.low)?;
        let bottleneck = holding_links(&layout, &rates);
        return Ok(Rates::sole(rates, bottleneck));
    }
    any_fair(&layout, bounds)
}

/// A certified matrix without a decision on uniqueness.
fn any_fair(layout: &Layout, bounds: Bounds) -> Result<Rates, AllocError> {
    let rates = [1.0, 0.5]
        .into_iter()
        .find_map(|step| settle::settle(layout, &bounds.rates.low, step))
        .unwrap_or_else(|| bounds.rates.low.clone());
    let rates = certify(layout, &rates)?;
    let low = bounds.rates.low.iter().zip(&rates).map(|(low, rate)| low.min(*rate)).collect();
    let high = bounds.rates.high.iter().zip(&rates).map(|(high, rate)| high.max(*rate)).collect();
    Ok(Rates {
        bottleneck: holding_links(layout, &rates),
        rates_bps: rates,
        low_bps: low,
        high_bps: high,
        unique: Uniqueness::NotDecided,
    })
}

/// Makes nearly fair rates exact and has the independent checker confirm it.
fn certify(layout: &Layout, rates: &[f64]) -> Result<Vec<f64>, AllocError> {
    let problem = layout.problem;
    let sharp = exact::exact(layout, &limits::limits(layout, rates, NEAR), rates);
    if check_valid(problem, Criterion::Rias, &sharp, CERTIFIED).is_ok() {
        return Ok(sharp);
    }
    check_valid(problem, Criterion::Rias, rates, CERTIFIED_ROUGHLY)
        .map(|()| rates.to_vec())
        .map_err(|violation| AllocError::NotCertified {
            criterion: Criterion::Rias,
            violation: violation.to_string(),
        })
}

/// The link that holds each flow under exact rates.
fn holding_links(layout: &Layout, rates: &[f64]) -> Vec<Option<usize>> {
    let limits = limits::limits(layout, rates, CERTIFIED_ROUGHLY);
    limits.slot.iter().map(|slot| slot.map(|slot| layout.slot_link[slot])).collect()
}
