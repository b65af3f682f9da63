//! Questions that have no answer.

use fairwire_alloc::text;

/// Why a model gives no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AnalysisError {
    /// A parameter outside the range in which the model makes sense.
    #[error("`{name}` is {value}, but it has to be {needed}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// What it was.
        value: f64,
        /// What it may be.
        needed: &'static str,
    },
    /// Rates that do not belong to the problem.
    #[error("{} given for {}", text::count(*.given, "rate"), text::count(*.flows, "flow"))]
    RateCount {
        /// Flows of the problem.
        flows: usize,
        /// Rates given.
        given: usize,
    },
    /// The link never becomes congested, so there is no cycle.
    #[error("the link never becomes congested: the flow asks for no more than its share")]
    NeverCongested,
    /// The cycle takes more steps than anybody wants to wait for.
    #[error("one cycle takes more than {0} aging intervals")]
    EndlessCycle(usize),
    /// Rates around a ring did not settle.
    #[error("the rates around the ring did not settle within {0} rounds")]
    Unsettled(usize),
}

/// Refuses a parameter that is not both finite and `good`.
pub(crate) fn parameter(
    name: &'static str,
    value: f64,
    good: impl Fn(f64) -> bool,
    needed: &'static str,
) -> Result<(), AnalysisError> {
    if value.is_finite() && good(value) { Ok(()) } else { Err(AnalysisError::Parameter { name, value, needed }) }
}
