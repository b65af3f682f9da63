//! What laws are tried on.

mod papers;
mod parking_lot;
pub mod random_ring;

use crate::ScoreError;
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::RingPlan;
use fairwire_scenario::Scenario;
use random_ring::RandomRing;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Rings of the whole sample.
pub const ALL_RINGS: u64 = 500;
/// Rings of the quick look: the first of the same list.
pub const QUICK_RINGS: u64 = 40;

/// Where a case comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// A figure of a paper.
    Paper,
    /// A parking lot of so many hops.
    ParkingLot,
    /// A random ring.
    RandomRing,
}

/// One case: a scenario under any law.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name: `ring-17`, `lot-8`, or that of the scenario.
    pub id: String,
    /// Where it comes from.
    pub group: Group,
    /// The scenario.
    pub scenario: Scenario,
    /// The scenario as a file.
    pub toml: String,
}

impl Case {
    /// All cases with these random rings, in the order of the tables.
    ///
    /// # Errors
    /// A scenario that does not read; none of the shipped ones does that.
    pub fn all(rings: Range<u64>) -> Result<Vec<Self>, ScoreError> {
        let papers = papers::PAPERS.iter().map(|(name, _)| (*name).to_owned());
        let lots = parking_lot::HOPS.map(|hops| format!("lot-{hops}"));
        let rings = rings.map(|number| format!("ring-{number}"));
        papers.chain(lots).chain(rings).map(|id| Self::named(&id)).collect()
    }

    /// The case called `id`.
    ///
    /// # Errors
    /// [`ScoreError::UnknownCase`] if there is none.
    pub fn named(id: &str) -> Result<Self, ScoreError> {
        let unknown = || ScoreError::UnknownCase(id.to_owned());
        let (group, (scenario, toml)) = if let Some(number) = id.strip_prefix("ring-") {
            let ring = RandomRing::new(number.parse().map_err(|_| unknown())?)?;
            (Group::RandomRing, (ring.scenario, ring.toml))
        } else if let Some(hops) = id.strip_prefix("lot-") {
            let hops = hops.parse().ok().filter(|hops| parking_lot::HOPS.contains(hops)).ok_or_else(unknown)?;
            (Group::ParkingLot, parking_lot::parking_lot(hops)?)
        } else {
            let (name, text) = papers::PAPERS.iter().find(|(name, _)| *name == id).ok_or_else(unknown)?;
            (Group::Paper, papers::paper(name, text)?)
        };
        Ok(Self { id: id.to_owned(), group, scenario, toml })
    }

    /// What is simulated under `law`, on the transit path that it is described for, or on the one that
    /// tells classes apart where there are several. The second half of the run is measured.
    pub fn plan(&self, law: &RingLawChoice) -> Option<RingPlan> {
        let mut plan = self.scenario.with_law(law.clone()).ring_plan(0)?;
        plan.warmup = fairwire_core::Span::from_nanos(plan.duration.as_nanos() / 2);
        Some(plan)
    }
}
