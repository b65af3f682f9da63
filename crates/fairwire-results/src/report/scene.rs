//! What flows run on, and what is fair there: all that can be drawn without a run.

use super::tints::Tint;
use crate::measures::Reference;
use crate::plan::{Outline, Plan};
use fairwire_alloc::{Allocation, Criterion, Limit, Problem};

/// A ring or network with its flows and their fair rates.
pub(super) struct Scene<'a> {
    pub ground: &'a Plan,
    pub plan: Outline,
    pub problem: &'a Problem,
    pub allocation: &'a Allocation,
    /// Fair rates, one a flow.
    pub references: Vec<Reference>,
    pub tints: Vec<Tint>,
    /// The criterion as text has it: `RIAS`, `max-min`.
    pub criterion: &'static str,
    /// What holds each flow that no link holds, in a word and a sentence; empty if that is not known.
    pub satisfied: &'a [(String, String)],
}

impl<'a> Scene<'a> {
    /// `tints` gives every flow its colour.
    pub fn new(
        ground: &'a Plan,
        problem: &'a Problem,
        allocation: &'a Allocation,
        tints: impl FnOnce(&Outline) -> Vec<Tint>,
    ) -> Self {
        let plan = ground.outline();
        Self {
            tints: tints(&plan),
            ground,
            plan,
            problem,
            allocation,
            references: allocation.flows.iter().map(Reference::from).collect(),
            criterion: match allocation.criterion {
                Criterion::Rias => "RIAS",
                Criterion::RiasIterative => "iterated RIAS",
                other => other.name(),
            },
            satisfied: &[],
        }
    }

    /// What a station or node is called.
    pub fn place(&self, at: usize) -> String {
        self.problem.nodes.get(at).map_or_else(|| at.to_string(), Clone::clone)
    }

    /// The link that holds each flow back under the fair rates, by its position in the plan; none for a flow that no link
    /// holds.
    pub fn held_by(&self) -> Vec<Option<usize>> {
        let position = |name: &str| self.plan.links.iter().position(|link| link.name == name);
        let held = self.allocation.flows.iter().map(|flow| match &flow.limited_by {
            Limit::Link { link, .. } => position(&self.problem.links.get(*link)?.id),
            _ => None,
        });
        held.collect()
    }

    /// What flows run on, as text has it.
    pub fn ground_name(&self) -> &'static str {
        match self.ground {
            Plan::Ring(_) => "ring",
            Plan::Network(_) => "network",
        }
    }
}
