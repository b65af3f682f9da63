//! What a checker that shares no code with the solver says of rates.

use fairwire_alloc::{Criterion, Problem, Terms, check_with_terms};
use serde::Serialize;
use std::borrow::Cow;

/// How far the checker lets rates be off, relative to link capacity.
const TOLERANCE: f64 = 1e-9;
/// The same for the slides' iteration, which approaches its end geometrically.
const ITERATION_TOLERANCE: f64 = 1e-6;

/// A verdict on rates.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Whether they are fair.
    pub fair: bool,
    /// What is wrong; none where they are.
    pub why: Option<String>,
    /// Relative to link capacity.
    pub tolerance: f64,
}

impl Check {
    /// What the checker holds against rates: an iteration towards RIAS rates is held
    /// against RIAS itself, but not to minimum rates, of which it knows nothing.
    pub fn of(problem: &Problem, terms: &Terms, criterion: Criterion, rates_bps: &[f64]) -> Self {
        let mut terms = Cow::Borrowed(terms);
        let (criterion, tolerance) = match criterion {
            Criterion::RiasIterative => {
                terms.to_mut().ingress_min_rates_bps.clear();
                (Criterion::Rias, ITERATION_TOLERANCE)
            }
            other => (other, TOLERANCE),
        };
        let violation = check_with_terms(problem, &terms, criterion, rates_bps, tolerance).err();
        Self { fair: violation.is_none(), why: violation.map(|violation| violation.to_string()), tolerance }
    }
}
