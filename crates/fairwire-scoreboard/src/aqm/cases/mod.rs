//! What queue laws are tried on.

mod burst;
mod capacity;
mod dumbbell;
mod load;
mod lot;
mod mix;
mod rtt;
mod unresponsive;

pub use dumbbell::BOTTLENECK;

use crate::ScoreError;
use fairwire_plan::{NetworkFlowPlan, Offer};
use fairwire_scenario::{Scenario, format};
use serde::{Deserialize, Serialize};

/// What a case is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Which transport the senders use.
    Mix,
    /// How far away they are.
    Rtt,
    /// Short transfers, pages and streams beside bulk.
    Burst,
    /// How many they are, and whether that changes.
    Load,
    /// Whether the link changes.
    Capacity,
    /// Senders that do not listen.
    Unresponsive,
    /// How many bottlenecks are on the way.
    Lot,
}

impl Family {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 7] =
        [Self::Mix, Self::Rtt, Self::Burst, Self::Load, Self::Capacity, Self::Unresponsive, Self::Lot];

    /// What tables call it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Mix => "Transport mix",
            Self::Rtt => "Round-trip times",
            Self::Burst => "Bursts",
            Self::Load => "Load",
            Self::Capacity => "Changing capacity",
            Self::Unresponsive => "Unresponsive traffic",
            Self::Lot => "Parking lots",
        }
    }
}

/// One case: a scenario under any queue law.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name, as `rtt-200` or `lot-tcp-8`.
    pub id: String,
    /// What it is about.
    pub family: Family,
    /// The section of RFC 7928 that it follows; none where the RFC asks for nothing like it.
    pub section: &'static str,
    /// What it is in a few words, for a heading.
    pub title: String,
    /// The question it asks.
    pub asks: String,
    /// The scenario.
    pub scenario: Scenario,
    /// The scenario as a file.
    pub toml: String,
}

/// What a family's file says of a case.
struct Draft {
    id: String,
    section: &'static str,
    title: String,
    asks: String,
    toml: String,
}

/// Cases for a first look.
const QUICK: [&str; 10] = [
    "mix-all",
    "mix-ecn",
    "rtt-200",
    "burst-short-10",
    "burst-voice",
    "load-50",
    "load-waves",
    "capacity-slow",
    "unresponsive-200",
    "lot-tcp-8",
];

impl Case {
    /// All cases, family by family.
    ///
    /// # Errors
    /// [`ScoreError::Scenario`] if one does not read; none of the shipped ones does that.
    pub fn all() -> Result<Vec<Self>, ScoreError> {
        drafts().map(|(family, draft)| Self::read(family, draft)).collect()
    }

    /// Some of them, for a first look.
    ///
    /// # Errors
    /// Those of [`Case::all`].
    pub fn quick() -> Result<Vec<Self>, ScoreError> {
        let shown = drafts().filter(|(_, draft)| QUICK.contains(&draft.id.as_str()));
        shown.map(|(family, draft)| Self::read(family, draft)).collect()
    }

    /// The case called `id`.
    ///
    /// # Errors
    /// [`ScoreError::UnknownAqmCase`] if there is none.
    pub fn named(id: &str) -> Result<Self, ScoreError> {
        let found = drafts().find(|(_, draft)| draft.id == id);
        let (family, draft) = found.ok_or_else(|| ScoreError::UnknownAqmCase(id.to_owned()))?;
        Self::read(family, draft)
    }

    /// Whether some of its connections may be told of congestion by marks. Laws that can
    /// mark are then run with `ecn = true`.
    pub fn uses_ecn(&self) -> bool {
        let plan = self.scenario.network_plan(0);
        let marked = |flow: &NetworkFlowPlan| matches!(flow.offer, Offer::Tcp(tcp) if tcp.settings.ecn);
        plan.is_some_and(|plan| plan.flows.iter().any(marked))
    }

    /// Names of all cases.
    pub fn names() -> Vec<String> {
        drafts().map(|(_, draft)| draft.id).collect()
    }

    fn read(family: Family, draft: Draft) -> Result<Self, ScoreError> {
        let Draft { id, section, title, asks, toml } = draft;
        let read = format(&toml).and_then(|toml| Ok((Scenario::parse(&id, &toml)?, toml)));
        match read {
            Ok((scenario, toml)) => Ok(Self { id, family, section, title, asks, scenario, toml }),
            Err(errors) => Err(ScoreError::Scenario { case: id, message: errors.to_string() }),
        }
    }
}

fn drafts() -> impl Iterator<Item = (Family, Draft)> {
    Family::ALL.into_iter().flat_map(|family| {
        let drafts = match family {
            Family::Mix => mix::drafts(),
            Family::Rtt => rtt::drafts(),
            Family::Burst => burst::drafts(),
            Family::Load => load::drafts(),
            Family::Capacity => capacity::drafts(),
            Family::Unresponsive => unresponsive::drafts(),
            Family::Lot => lot::drafts(),
        };
        drafts.into_iter().map(move |draft| (family, draft))
    })
}
