//! The meanings of "fair" that can be asked for.

use std::fmt;
use std::str::FromStr;

use crate::AllocError;

/// A definition of fair rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Criterion {
    /// Ring Ingress Aggregated with Spatial Reuse: on every link first
    /// max-min between ingresses, then max-min inside each ingress
    /// (`[dvsr] §III-A`).
    Rias,
    /// The slides' three-step construction, repeated on what is left over
    /// (`[rias-benchmark-slides]`, backup slides). Close to RIAS, not equal.
    RiasIterative,
    /// Max-min among the declared flows; weights do not count.
    MaxMin,
    /// Max-min among the declared flows of rate over flow weight.
    WeightedMaxMin,
    /// Max-min among (ingress, egress) pairs; inside a pair max-min again.
    /// Flows of one pair that take different routes count once a route.
    IngressEgress,
    /// Max-min with weight 1/hops: what `[dvsr] §III-B` prints as
    /// "proportional fair" for the parking lot.
    InverseHop,
}

/// Names reserved for criteria that are still to come.
const TO_COME: [&str; 2] = ["general-weighted", "proportional"];

impl Criterion {
    /// Every criterion that can be solved and checked.
    pub const ALL: [Self; 6] =
        [Self::Rias, Self::RiasIterative, Self::MaxMin, Self::WeightedMaxMin, Self::IngressEgress, Self::InverseHop];

    /// The name in kebab case, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rias => "rias",
            Self::RiasIterative => "rias-iterative",
            Self::MaxMin => "max-min",
            Self::WeightedMaxMin => "weighted-max-min",
            Self::IngressEgress => "ingress-egress",
            Self::InverseHop => "inverse-hop",
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Criterion {
    type Err = AllocError;

    fn from_str(name: &str) -> Result<Self, AllocError> {
        if let Some(found) = Self::ALL.into_iter().find(|criterion| criterion.name() == name) {
            return Ok(found);
        }
        let name = name.to_owned();
        let known = Self::ALL.map(Self::name).join(", ");
        Err(if TO_COME.contains(&name.as_str()) {
            AllocError::NotBuiltYet { name, known }
        } else {
            AllocError::UnknownCriterion { name, known }
        })
    }
}
