//! What entrants are tried on.

use super::entrants::SOURCES;
use super::fair::FairPhase;
use super::network::{Deed, Network};
use super::{paper, random};
use crate::ScoreError;
use fairwire_core::Span;
use serde::{Deserialize, Serialize};

/// What a network looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The network of the paper.
    Paper,
    /// Switches in a row.
    Chain,
    /// A tree.
    Tree,
    /// A tree with more links.
    Mesh,
}

/// One case: a network under any entrant.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name: `paper-lan`, `paper-wan`, or `network-NUMBER`.
    pub id: String,
    /// What it looks like.
    pub kind: Kind,
    /// The network.
    pub network: Network,
    /// It from step to step.
    pub phases: Vec<FairPhase>,
    /// The time of a phase.
    pub gap: Span,
}

/// Packet-hops of a run, if rates are fair; more if that leaves a phase less than [`FEWEST_LOOPS`].
const HOPS: f64 = 1.5e6;
/// Loops of a phase, of sources as the paper has them.
const FEWEST_LOOPS: f64 = 16.0;
const MOST_LOOPS: f64 = 40.0;

impl Case {
    /// The network of the paper with links of 10 µs and of 250 µs, and the first `networks` random ones.
    ///
    /// # Errors
    /// [`ScoreError::Reference`] if one has no fair rates; none of them does that.
    pub fn all(networks: u64) -> Result<Vec<Self>, ScoreError> {
        let random = (0..networks).map(Self::random);
        paper::DELAYS.map(Self::paper).into_iter().chain(random).collect()
    }

    /// The case called `id`.
    ///
    /// # Errors
    /// [`ScoreError::UnknownRatesCase`] if there is none.
    pub fn named(id: &str) -> Result<Self, ScoreError> {
        if let Some(setting) = paper::DELAYS.into_iter().find(|(name, _)| id == *name) {
            return Self::paper(setting);
        }
        let number = id.strip_prefix("network-").and_then(|number| number.parse().ok());
        number.map_or_else(|| Err(ScoreError::UnknownRatesCase(id.to_owned())), Self::random)
    }

    /// The network of the paper.
    fn paper((id, delay): (&str, Span)) -> Result<Self, ScoreError> {
        let network = paper::network(delay);
        let phases = FairPhase::all(id, &network)?;
        Ok(Self { id: id.to_owned(), kind: Kind::Paper, network, phases, gap: paper::STEP })
    }

    /// Random network `number` of the endless list.
    ///
    /// # Errors
    /// [`ScoreError::Reference`] if it has no fair rates; none does that.
    pub fn random(number: u64) -> Result<Self, ScoreError> {
        let id = format!("network-{number}");
        let (kind, network) = random::network(number);
        let phases = FairPhase::all(&id, &network)?;
        let gap = gap(&network, &phases);
        Ok(Self { id, kind, network, phases, gap })
    }

    /// Whether a link falls to a lower capacity.
    pub fn falls(&self) -> bool {
        let mut capacities: Vec<_> = self.network.links.iter().map(|link| link.capacity).collect();
        self.network.steps.iter().flatten().any(|deed| match *deed {
            Deed::Capacity(link, capacity) => std::mem::replace(&mut capacities[link], capacity) > capacity,
            _ => false,
        })
    }

    /// Whether links lose packets.
    pub fn is_lossy(&self) -> bool {
        self.network.loss > 0.0
    }
}

fn gap(network: &Network, phases: &[FairPhase]) -> Span {
    let longest_s = phases.iter().map(|phase| phase.loop_s(network, &SOURCES[0])).fold(0.0, f64::max);
    let hops: f64 = phases.iter().map(|phase| phase.hops_per_s(network) * longest_s).sum();
    Span::from_secs_f64(longest_s * (HOPS / hops).clamp(FEWEST_LOOPS, MOST_LOOPS))
}
