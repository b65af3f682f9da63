//! What each flow of a case should get.

use crate::ScoreError;
use fairwire_alloc::{Criterion, Uniqueness};
use fairwire_results::measures::Reference;
use fairwire_scenario::Scenario;
use serde::{Deserialize, Serialize};

/// RIAS-fair rates, one a flow in the order of the scenario, in bit/s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Rates that the certificate was checked for.
    pub rates_bps: Vec<f64>,
    /// Smallest rate over all fair matrices.
    pub low_bps: Vec<f64>,
    /// Largest rate over all fair matrices.
    pub high_bps: Vec<f64>,
    /// Whether these are the only fair rates.
    pub unique: Unique,
}

/// Whether there is exactly one fair matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unique {
    /// Proved.
    Yes,
    /// Proved: there are several.
    No,
    /// The solver gave up; the rates are fair, others may be, too.
    NotDecided,
}

impl Rates {
    /// Solves a scenario.
    ///
    /// # Errors
    /// [`ScoreError::Reference`] if no fair rates are found.
    pub fn solve(case: &str, scenario: &Scenario) -> Result<Self, ScoreError> {
        let rates = scenario
            .fair_rates(Criterion::Rias)
            .map_err(|source| ScoreError::Reference { case: case.to_owned(), source })?;
        Ok(Self {
            rates_bps: rates.rates_bps,
            low_bps: rates.low_bps,
            high_bps: rates.high_bps,
            unique: match rates.unique {
                Uniqueness::Yes => Unique::Yes,
                Uniqueness::No => Unique::No,
                Uniqueness::NotDecided => Unique::NotDecided,
            },
        })
    }

    /// The same where all links and demands are so many times as large.
    pub fn times(&self, factor: f64) -> Self {
        let times = |rates: &[f64]| rates.iter().map(|rate| rate * factor).collect();
        let [rates_bps, low_bps, high_bps] = [&self.rates_bps, &self.low_bps, &self.high_bps].map(|rates| times(rates));
        Self { rates_bps, low_bps, high_bps, unique: self.unique }
    }

    /// What flow `flow` is compared with: the interval of its fair rates where
    /// they are known, and the certified rate where they are not.
    pub fn reference(&self, flow: usize) -> Reference {
        let rate_bps = self.rates_bps[flow];
        match self.unique {
            Unique::NotDecided => Reference::exactly(rate_bps),
            _ => Reference { rate_bps, low_bps: self.low_bps[flow], high_bps: self.high_bps[flow] },
        }
    }
}
