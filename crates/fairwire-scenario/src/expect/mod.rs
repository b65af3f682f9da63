//! `[expect]`: what a scenario promises, so that running it is a test.

pub mod explicit_rates;
pub mod table;

use crate::reading::percent::Percent;
use fairwire_alloc::Criterion;
use fairwire_core::{BitRate, Span};
use serde::{Serialize, Serializer};
use std::ops::Range;

/// One promise.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The key as written: `flow.to-hub-*.rate.mean`.
    pub key: String,
    /// What is measured.
    pub measure: Measure,
    /// What it has to be.
    pub bound: Bound,
    /// The place in the file.
    pub span: Range<usize>,
}

/// What an expectation measures.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// A measure of single flows; every one of them has to keep the bound.
    Flow {
        /// The flows, by their position among the scenario's flows; at least one.
        flows: Vec<usize>,
        /// What is measured of each.
        what: FlowMeasure,
    },
    /// Jain's index of the ratios of mean to fair rates, from 0 to 1.
    Jain,
    /// Mean over stretches of Jain's index of the active flows' rates (networks only).
    JainWindows,
    /// Load of the busiest link over its capacity.
    Utilisation,
    /// Largest oscillation range of any flow, over capacity.
    Oscillation,
    /// Time from the last change of demand until every rate stays within
    /// `within` of its fair rate, in nanoseconds.
    TimeToFair {
        /// A fraction: 0.05 for `time-to-fair.5%`.
        within: f64,
    },
    /// Whether every mean rate is the fair rate under a criterion; the bound is
    /// [`Bound::Near`] 1 for the ratio of each flow's rate to its fair rate.
    Fair {
        /// What fair means.
        criterion: Criterion,
    },
    /// `fair.after-events`: whether every allowed rate is the fair rate under a criterion right before the next event, start or
    /// stop, and at the end (where switches tell rates); the bound is [`Bound::Near`] 1 as for [`Measure::Fair`].
    FairAfterEvents {
        /// What fair means.
        criterion: Criterion,
    },
    /// `queue.max` and `queue.LINK.max`: most packets that waited at ports under a rate law, the one in transmission included;
    /// every one of them has to keep the bound.
    DeepestQueue {
        /// The links, by their position among those of the network; at least one.
        links: Vec<usize>,
    },
}

/// What can be measured of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowMeasure {
    /// `rate.mean`: mean rate after the warm-up, in bit/s.
    MeanRate,
    /// `fair-rate`: the rate that the criterion grants, in bit/s, without any simulation.
    FairRate(Criterion),
    /// `ratio`: mean rate over fair rate.
    Ratio,
    /// `loss`: part of the packets lost.
    Loss,
    /// `delay.mean`, in nanoseconds.
    MeanDelay,
    /// `delay.p50`, in nanoseconds.
    DelayP50,
    /// `delay.p95`, in nanoseconds.
    DelayP95,
    /// `delay.p99`, in nanoseconds.
    DelayP99,
    /// `transfer.mean`: mean time of its transfers, in nanoseconds.
    MeanTransfer,
    /// `transfer.p50`, in nanoseconds.
    TransferP50,
    /// `transfer.p90`, in nanoseconds.
    TransferP90,
    /// `transfer.p99`, in nanoseconds.
    TransferP99,
    /// `response`: the longest time from any event to the last change of its allowed rate before the next, in nanoseconds.
    Response,
}

/// What a measure has to be, in its base unit: bit/s, nanoseconds, or a plain number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// As near as this to a value.
    Near {
        /// The value.
        value: f64,
        /// How far off it may be, in the same unit.
        tolerance: f64,
    },
    /// Between two limits, both included.
    Between {
        /// The lower limit; minus infinity if there is none.
        min: f64,
        /// The upper limit; infinity if there is none.
        max: f64,
    },
}

impl Bound {
    /// Whether `measured`, in the same unit, keeps the bound.
    pub fn holds(&self, measured: f64) -> bool {
        let (min, max) = match *self {
            Self::Near { value, tolerance } => (value - tolerance, value + tolerance),
            Self::Between { min, max } => (min, max),
        };
        measured >= min && measured <= max
    }
}

/// The unit of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bit/s.
    Rate,
    /// Nanoseconds.
    Time,
    /// A plain number.
    Number,
    /// A part of a whole, written as a percentage.
    Fraction,
}

impl Measure {
    /// The unit in which it is measured and bounded.
    pub fn unit(&self) -> Unit {
        match self {
            Self::Flow { what: FlowMeasure::MeanRate | FlowMeasure::FairRate(_), .. } => Unit::Rate,
            Self::Flow { what: FlowMeasure::Ratio, .. } => Unit::Number,
            Self::Flow { what: FlowMeasure::Loss, .. } => Unit::Fraction,
            Self::Flow { .. } | Self::TimeToFair { .. } => Unit::Time,
            Self::Utilisation | Self::Oscillation => Unit::Fraction,
            Self::Jain | Self::JainWindows | Self::Fair { .. } => Unit::Number,
            Self::FairAfterEvents { .. } | Self::DeepestQueue { .. } => Unit::Number,
        }
    }
}

impl Unit {
    /// A value in this unit as people write it.
    pub fn text(self, value: f64) -> String {
        match self {
            _ if !value.is_finite() => value.to_string(),
            Self::Rate => BitRate::from_bps_f64(value).to_text(),
            Self::Time => Span::from_nanos(value.round() as u64).to_text(),
            Self::Number => value.to_string(),
            Self::Fraction => Percent::of(value).to_string(),
        }
    }
}

impl Expectation {
    /// The expectation as its table in a file says it.
    fn written(&self) -> Vec<(&'static str, toml::Value)> {
        let unit = self.measure.unit();
        let value = |number: f64| match unit {
            Unit::Number => toml::Value::Float(number),
            _ => toml::Value::String(unit.text(number)),
        };
        let mut pairs = Vec::new();
        match &self.measure {
            Measure::Fair { criterion }
            | Measure::FairAfterEvents { criterion }
            | Measure::Flow { what: FlowMeasure::FairRate(criterion), .. } => {
                pairs.push(("criterion", toml::Value::String(criterion.name().to_owned())));
            }
            _ => {}
        }
        match (&self.measure, self.bound) {
            (Measure::Fair { .. } | Measure::FairAfterEvents { .. }, Bound::Near { tolerance, .. }) => {
                pairs.push(("within", toml::Value::String(Percent::of(tolerance).to_string())));
            }
            (_, Bound::Near { value: number, tolerance }) => {
                pairs.push(("value", value(number)));
                pairs.push(("within", value(tolerance)));
            }
            (_, Bound::Between { min, max }) => {
                pairs.extend(min.is_finite().then(|| ("min", value(min))));
                pairs.extend(max.is_finite().then(|| ("max", value(max))));
            }
        }
        pairs
    }
}

impl Serialize for Expectation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.written())
    }
}

/// Writes expectations as a table by key.
pub(crate) fn by_key<S: Serializer>(expectations: &[Expectation], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(expectations.iter().map(|expectation| (&expectation.key, expectation)))
}

/// Whether a name fits a pattern in which `*` stands for any characters.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, fits) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("to-*", "to-hub-1", true),
            ("*-1", "to-hub-1", true),
            ("t*-*1", "to-hub-1", true),
            ("t*x*1", "to-hub-1", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn bounds_include_their_ends() {
        assert!(Bound::Near { value: 100.0, tolerance: 1.0 }.holds(101.0));
        assert!(!Bound::Near { value: 100.0, tolerance: 1.0 }.holds(98.9));
        assert!(Bound::Between { min: f64::NEG_INFINITY, max: 0.1 }.holds(0.1));
        assert!(!Bound::Between { min: 0.0, max: 1.0 }.holds(f64::NAN));
    }
}
