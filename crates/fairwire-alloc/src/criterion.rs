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
    /// Minimum rates first; what is left max-min by flow weight, up to peak
    /// and supported rates (`[wmfqc] §II`). Without [`crate::Terms`] the same
    /// as weighted max-min.
    GeneralWeighted,
    /// Max-min among (ingress, egress) pairs; inside a pair max-min again.
    /// Flows of one pair that take different routes count once a route.
    IngressEgress,
    /// Max-min with weight 1/hops: what `[dvsr] §III-B` prints as
    /// "proportional fair" for the parking lot.
    InverseHop,
    /// The largest Σ w log x over feasible rates x, with flow weights w.
    Proportional,
}

impl Criterion {
    /// Every criterion that can be solved and checked.
    pub const ALL: [Self; 8] = [
        Self::Rias,
        Self::RiasIterative,
        Self::MaxMin,
        Self::WeightedMaxMin,
        Self::GeneralWeighted,
        Self::IngressEgress,
        Self::Proportional,
        Self::InverseHop,
    ];

    /// The name in kebab case, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rias => "rias",
            Self::RiasIterative => "rias-iterative",
            Self::MaxMin => "max-min",
            Self::WeightedMaxMin => "weighted-max-min",
            Self::GeneralWeighted => "general-weighted",
            Self::IngressEgress => "ingress-egress",
            Self::Proportional => "proportional",
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
        Err(AllocError::UnknownCriterion { name: name.to_owned(), known: Self::ALL.map(Self::name).join(", ") })
    }
}
