//! What a proposal would do: both scenarios solved, and what lies between them.

use super::Proposal;
use crate::Scenario;
use crate::flow::guarantee::Granting;
use fairwire_alloc::{self as alloc, AllocError, Change, Criterion, Holder, Terms, WhatIf, what_if};

impl Proposal {
    /// What fair means before and after where the question does not say: what it means for `scenario`, or for the one
    /// proposed, whichever heeds more. (Max-min takes no notice of a weight that is proposed, weighted max-min does, and is
    /// the same where all weights are equal.)
    pub fn criterion(&self, scenario: &Scenario) -> Criterion {
        let heeds = |criterion| match criterion {
            Criterion::WeightedMaxMin => 1,
            Criterion::GeneralWeighted => 2,
            _ => 0,
        };
        let (before, after) = (scenario.criterion(), self.changed.criterion());
        let is_refined = matches!(before, Criterion::MaxMin | Criterion::WeightedMaxMin) && scenario.fair.is_none();
        if is_refined && heeds(after) > heeds(before) { after } else { before }
    }

    /// Solves `scenario` as it is and as proposed, and compares; what classes guarantee
    /// is included in rates, loads and capacities of flows and links. (Problem, terms
    /// and rates of the answer are of what is shared beyond that.)
    ///
    /// # Errors
    /// As [`alloc::what_if`].
    pub fn what_if(&self, scenario: &Scenario, criterion: Criterion) -> Result<WhatIf, AllocError> {
        let changes = self.changes(scenario);
        let mut answer = what_if(&scenario.problem(), &scenario.terms(), criterion, &changes)?;
        self.add_guarantees(scenario, &mut answer);
        Ok(answer)
    }

    /// What has to be changed in the problem of `scenario` to get the one proposed.
    fn changes(&self, scenario: &Scenario) -> Vec<Change> {
        let (before, after) = (scenario.problem(), self.changed.problem());
        let (old_terms, new_terms) = (scenario.terms(), self.changed.terms());
        let mut changes = Vec::new();
        for (link, (old, new)) in before.links.iter().zip(&after.links).enumerate() {
            if old.capacity_bps != new.capacity_bps && !self.lost.contains(&link) {
                changes.push(Change::Capacity { link, capacity_bps: new.capacity_bps });
            }
        }
        for (node, (old, new)) in before.ingress_weights.iter().zip(&after.ingress_weights).enumerate() {
            if old != new {
                changes.push(Change::IngressWeight { node, weight: *new });
            }
            let minimum = |terms: &Terms| terms.ingress_min_rates_bps.get(node).copied().unwrap_or(0.0);
            if minimum(&old_terms) != minimum(&new_terms) {
                changes.push(Change::IngressMinRate { node, min_rate_bps: minimum(&new_terms) });
            }
        }
        changes.extend(after.flows[self.known..].iter().cloned().map(Change::FlowAdded));
        for (flow, new) in after.flows.iter().enumerate().filter(|(flow, _)| !self.gone.contains(flow)) {
            if let Some(old) = before.flows.get(flow) {
                differences(flow, old, new, &mut changes);
            }
            term_differences(flow, &old_terms, &new_terms, &mut changes);
        }
        changes.extend(self.gone.iter().map(|&flow| Change::FlowRemoved { flow }));
        changes.extend(self.lost.iter().map(|&link| Change::LinkLost { link }));
        changes
    }

    fn add_guarantees(&self, scenario: &Scenario, answer: &mut WhatIf) {
        let (old, new) = (scenario.guaranteed_bps(), self.changed.guaranteed_bps());
        let [granting_before, granting_after] = [scenario, &self.changed].map(Scenario::granting);
        let whole = |granting: &Option<Granting>, flow: usize, shared_bps: f64| {
            granting.as_ref().map_or(shared_bps, |granting| granting.rate_bps(flow, shared_bps))
        };
        for (number, flow) in answer.flows.iter_mut().enumerate() {
            flow.before_bps = flow.before_bps.map(|shared| whole(&granting_before, number, shared));
            flow.after_bps = flow.after_bps.map(|shared| whole(&granting_after, number, shared));
            let ceiling = |scenario: &Scenario, held: Option<Holder>| match held {
                Some(Holder::Ceiling(_)) => Some(Holder::Ceiling(scenario.why_satisfied(number).ceiling)),
                held => held,
            };
            flow.held_before = ceiling(scenario, flow.held_before);
            flow.held_after = ceiling(&self.changed, flow.held_after);
        }
        let (before, after) = (scenario.offered_problem(), self.changed.offered_problem());
        let load = |problem: &alloc::Problem, granted: &[f64], link: usize| -> f64 {
            let crossing = problem.flows.iter().zip(granted).filter(|(flow, _)| flow.route.contains(&link));
            crossing.map(|(_, granted)| granted).sum()
        };
        let any_granted = old.iter().chain(&new).any(|&granted| granted > 0.0);
        for (number, link) in answer.links.iter_mut().enumerate() {
            link.capacity_before_bps = before.links[number].capacity_bps;
            link.capacity_after_bps = link.capacity_after_bps.map(|_| after.links[number].capacity_bps);
            if any_granted {
                link.before_bps += load(&before, &old, number);
                link.after_bps += load(&after, &new, number);
            }
        }
    }
}

/// What differs between a flow as it is and as proposed.
fn differences(flow: usize, old: &alloc::Flow, new: &alloc::Flow, changes: &mut Vec<Change>) {
    if old.demand_bps != new.demand_bps {
        changes.push(Change::Demand { flow, demand_bps: new.demand_bps });
    }
    if old.weight != new.weight {
        changes.push(Change::Weight { flow, weight: new.weight });
    }
    if old.route != new.route {
        changes.push(Change::Route { flow, route: new.route.clone() });
    }
}

/// The same of what it is promised and may have; a new flow had no terms.
fn term_differences(flow: usize, old: &Terms, new: &Terms, changes: &mut Vec<Change>) {
    let entry = |list: &[f64], usual: f64| list.get(flow).copied().unwrap_or(usual);
    let differs = |old: &[f64], new: &[f64], usual: f64| {
        let (old, new) = (entry(old, usual), entry(new, usual));
        (old != new).then_some(new)
    };
    changes.extend(
        differs(&old.min_rates_bps, &new.min_rates_bps, 0.0).map(|min_rate_bps| Change::MinRate { flow, min_rate_bps }),
    );
    changes.extend(
        differs(&old.peak_rates_bps, &new.peak_rates_bps, f64::INFINITY)
            .map(|peak_rate_bps| Change::PeakRate { flow, peak_rate_bps }),
    );
    changes.extend(
        differs(&old.supported_rates_bps, &new.supported_rates_bps, f64::INFINITY)
            .map(|supported_rate_bps| Change::SupportedRate { flow, supported_rate_bps }),
    );
}
