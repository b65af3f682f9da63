//! All fair matrices between bounds that do not meet.
//!
//! Say for every flow what holds it (its demand or a link of its route), and
//! the fair matrices that agree are a polyhedron. Their union over all such
//! assignments is searched depth first; an assignment is dropped as soon as
//! its polyhedron is empty, and a flow that is held all over the polyhedron
//! is not branched on.

use std::collections::BTreeSet;

use super::bounds::Intervals;
use super::layout::Layout;
use super::leximin::{is_larger, leximin};
use super::linear::{Constraint, Linear};
use super::polyhedron::Polyhedron;

/// Assignments looked at, whole or in part, before giving up.
const MAX_NODES: usize = 1 << 12;
/// Largest number of open rates in one part.
const MAX_VARIABLES: usize = 40;
/// Intervals narrower than this, relative to capacity, are points.
const POINT: f64 = 1e-9;
/// Slack in deciding whether a condition can hold or must hold.
const SLACK: f64 = 1e-8;

/// The fair matrices of one independent part of the problem.
#[derive(Debug)]
pub(crate) struct Part {
    /// Flows whose rates differ, or might, between fair matrices.
    pub flows: Vec<usize>,
    /// What was found; `None` when the search was cut short.
    pub found: Option<Found>,
}

/// The outcome of a complete search.
#[derive(Debug)]
pub(crate) struct Found {
    /// Leximin rate of each flow of the part, bit/s.
    pub best: Vec<f64>,
    /// Smallest rate over all fair matrices, bit/s.
    pub low: Vec<f64>,
    /// Largest rate over all fair matrices, bit/s.
    pub high: Vec<f64>,
}

/// Searches every part of the problem whose rates the bounds leave open.
pub(crate) fn enumerate(layout: &Layout, rates: &Intervals) -> Vec<Part> {
    parts(layout, rates)
        .into_iter()
        .map(|(flows, watched)| {
            let found = (flows.len() <= MAX_VARIABLES)
                .then(|| Search::new(layout, rates, &flows, watched).run())
                .flatten();
            Part { flows, found }
        })
        .collect()
}

fn is_open(layout: &Layout, rates: &Intervals, flow: usize) -> bool {
    rates.high[flow] - rates.low[flow] > POINT * layout.narrowest(flow)
}

/// Open flows and the flows they share links with, in sets that share no
/// link with an open flow on it: (open, open and others).
fn parts(layout: &Layout, rates: &Intervals) -> Vec<(Vec<usize>, Vec<usize>)> {
    let flows = layout.problem.flows.len();
    let open: Vec<bool> = (0..flows).map(|flow| is_open(layout, rates, flow)).collect();
    let mut parent: Vec<usize> = (0..flows).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for link in 0..layout.problem.links.len() {
        let on = || layout.link_slots.indices(link).flat_map(|s| layout.slot_flows.indices(s));
        if let Some(first) = on().find(|&flow| open[flow]) {
            for other in on() {
                let (a, b) = (root(&mut parent, first), root(&mut parent, other));
                parent[a.max(b)] = a.min(b);
            }
        }
    }
    let mut parts: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    let mut part_of_root = vec![usize::MAX; flows];
    for flow in 0..flows {
        let root = root(&mut parent, flow);
        if part_of_root[root] == usize::MAX {
            part_of_root[root] = parts.len();
            parts.push((Vec::new(), Vec::new()));
        }
        let part = &mut parts[part_of_root[root]];
        part.1.push(flow);
        if open[flow] {
            part.0.push(flow);
        }
    }
    parts.retain(|(open, _)| !open.is_empty());
    parts
}

/// What holds a flow: a slot, or (`None`) its demand.
type Holder = Option<usize>;

struct Search<'a> {
    layout: &'a Layout<'a>,
    bounds: &'a Intervals,
    open: &'a [usize],
    /// Flows that must be shown to be held.
    watched: Vec<usize>,
    /// Position of each flow in `open`.
    variable_of: Vec<usize>,
    /// Rates are divided by this.
    unit: f64,
    base: Vec<Constraint>,
    nodes: usize,
    best: Option<Vec<f64>>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(
        layout: &'a Layout<'a>,
        bounds: &'a Intervals,
        open: &'a [usize],
        watched: Vec<usize>,
    ) -> Self {
        let mut variable_of = vec![usize::MAX; layout.problem.flows.len()];
        for (variable, &flow) in open.iter().enumerate() {
            variable_of[flow] = variable;
        }
        let unit = open.iter().map(|&flow| layout.narrowest(flow)).fold(0.0, f64::max);
        let mut this = Self {
            layout,
            bounds,
            open,
            watched,
            variable_of,
            unit,
            base: Vec::new(),
            nodes: 0,
            best: None,
            low: vec![f64::INFINITY; open.len()],
            high: vec![0.0; open.len()],
        };
        this.base = this.base_constraints();
        this
    }

    fn run(mut self) -> Option<Found> {
        let mut chosen = Vec::new();
        self.descend(&mut chosen)?;
        let scale = |values: Vec<f64>| -> Vec<f64> {
            values.into_iter().map(|value| value * self.unit).collect()
        };
        Some(Found { best: scale(self.best?), low: scale(self.low), high: scale(self.high) })
    }

    /// `None` when the budget is spent.
    fn descend(&mut self, chosen: &mut Vec<(usize, Holder)>) -> Option<()> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return None;
        }
        let constraints = self.constraints(chosen);
        let Some(mut set) = Polyhedron::new(self.open.len(), &constraints) else {
            return Some(());
        };
        let reach = self.reach(&mut set);
        let mut branch: Option<(usize, Vec<Holder>)> = None;
        for &flow in &self.watched {
            if chosen.iter().any(|&(done, _)| done == flow) {
                continue;
            }
            let holders = self.possible_holders(flow, &reach);
            if holders.is_empty() {
                return Some(());
            }
            if holders.iter().any(|&holder| self.must_hold(flow, holder, &reach, &mut set)) {
                continue;
            }
            if branch.as_ref().is_none_or(|(_, fewest)| holders.len() < fewest.len()) {
                branch = Some((flow, holders));
            }
        }
        let Some((flow, holders)) = branch else {
            self.record(&constraints, &reach);
            return Some(());
        };
        for holder in holders {
            chosen.push((flow, holder));
            self.descend(chosen)?;
            chosen.pop();
        }
        Some(())
    }

    /// Takes in a polyhedron all of whose points are fair.
    fn record(&mut self, constraints: &[Constraint], reach: &Intervals) {
        for variable in 0..self.open.len() {
            self.low[variable] = self.low[variable].min(reach.low[variable]);
            self.high[variable] = self.high[variable].max(reach.high[variable]);
        }
        let per_weight: Vec<Linear> = self
            .open
            .iter()
            .map(|&flow| {
                let mut value = Linear::zero(self.open.len());
                value.add(1.0 / self.ingress_weight(flow), &self.rate(flow));
                value
            })
            .collect();
        let is_point =
            (0..self.open.len()).all(|at| reach.high[at] - reach.low[at] <= POINT);
        let levels = if is_point {
            let weights = self.open.iter().map(|&flow| self.ingress_weight(flow));
            Some(reach.low.iter().zip(weights).map(|(rate, weight)| rate / weight).collect())
        } else {
            leximin(self.open.len(), constraints, &per_weight)
        };
        let Some(levels): Option<Vec<f64>> = levels else { return };
        let levels_of_best = self.best.as_ref().map(|best| -> Vec<f64> {
            let weights = self.open.iter().map(|&flow| self.ingress_weight(flow));
            best.iter().zip(weights).map(|(rate, weight)| rate / weight).collect()
        });
        if levels_of_best.is_none_or(|best| is_larger(&levels, &best)) {
            let weights = self.open.iter().map(|&flow| self.ingress_weight(flow));
            self.best =
                Some(levels.iter().zip(weights).map(|(level, weight)| level * weight).collect());
        }
    }

    fn ingress_weight(&self, flow: usize) -> f64 {
        self.layout.problem.ingress_weights[self.layout.problem.flows[flow].ingress]
    }

    /// Smallest and largest rate of each open flow over a set.
    fn reach(&self, set: &mut Polyhedron) -> Intervals {
        let rates: Vec<Linear> = self.open.iter().map(|&flow| self.rate(flow)).collect();
        Intervals {
            low: rates.iter().map(|rate| set.minimise(rate)).collect(),
            high: rates.iter().map(|rate| set.maximise(rate)).collect(),
        }
    }

    /// The rate of a flow, in units, as an expression: variables count from
    /// the lower bounds.
    fn rate(&self, flow: usize) -> Linear {
        let mut rate = Linear::zero(self.open.len());
        rate.constant = match self.variable_of[flow] {
            usize::MAX => self.bounds.low[flow].midpoint(self.bounds.high[flow]),
            variable => {
                rate.factors[variable] = 1.0;
                self.bounds.low[flow]
            }
        } / self.unit;
        rate
    }

    fn total(&self, slot: usize) -> Linear {
        let mut total = Linear::zero(self.open.len());
        for flow in self.layout.slot_flows.indices(slot) {
            total.add(1.0, &self.rate(flow));
        }
        total
    }

    /// Capacity of a link minus its load.
    fn spare(&self, link: usize) -> Linear {
        let mut spare = Linear::zero(self.open.len());
        spare.constant = self.layout.problem.links[link].capacity_bps / self.unit;
        for slot in self.layout.link_slots.indices(link) {
            spare.add(-1.0, &self.total(slot));
        }
        spare
    }

    /// How far a slot is ahead of another on its link, in rate.
    fn lead_of_slot(&self, slot: usize, other: usize) -> Linear {
        let weights = (self.layout.slot_weight[slot], self.layout.slot_weight[other]);
        lead(&self.total(slot), &self.total(other), weights)
    }

    /// How far a flow is ahead of another of its ingress, in rate.
    fn lead_of_flow(&self, flow: usize, other: usize) -> Linear {
        let weight = |flow: usize| self.layout.problem.flows[flow].weight;
        lead(&self.rate(flow), &self.rate(other), (weight(flow), weight(other)))
    }

    /// What a flow lacks of its demand; `None` when that is infinite.
    fn unmet(&self, flow: usize) -> Option<Linear> {
        let demand = self.layout.problem.flows[flow].demand_bps;
        demand.is_finite().then(|| {
            let mut unmet = Linear::zero(self.open.len());
            unmet.constant = demand / self.unit;
            unmet.add(-1.0, &self.rate(flow));
            unmet
        })
    }

    /// Bounds on the rates, and no link over its capacity.
    fn base_constraints(&self) -> Vec<Constraint> {
        let mut constraints = Vec::new();
        let mut links = BTreeSet::new();
        for (variable, &flow) in self.open.iter().enumerate() {
            let mut room = Linear::zero(self.open.len());
            room.factors[variable] = -1.0;
            room.constant = (self.bounds.high[flow] - self.bounds.low[flow]) / self.unit;
            constraints.push(Constraint::NotNegative(room));
            links.extend(self.layout.problem.flows[flow].route.iter().copied());
        }
        constraints.extend(links.into_iter().map(|link| Constraint::NotNegative(self.spare(link))));
        constraints
    }

    fn constraints(&self, chosen: &[(usize, Holder)]) -> Vec<Constraint> {
        let mut constraints = self.base.clone();
        let mut slots = BTreeSet::new();
        for &(flow, holder) in chosen {
            match holder {
                None => constraints.extend(self.unmet(flow).map(Constraint::Zero)),
                Some(slot) => {
                    if slots.insert(slot) {
                        let (full, ahead) = self.slot_conditions(slot);
                        constraints.push(Constraint::Zero(full));
                        constraints.extend(ahead.into_iter().map(Constraint::NotNegative));
                    }
                    let ahead = self.flow_conditions(flow, slot);
                    constraints.extend(ahead.into_iter().map(Constraint::NotNegative));
                }
            }
        }
        constraints
    }

    /// What is zero when the link of a slot is full, and what is not negative
    /// when nobody there is ahead of the slot.
    fn slot_conditions(&self, slot: usize) -> (Linear, Vec<Linear>) {
        let link = self.layout.slot_link[slot];
        let rivals = self.layout.link_slots.indices(link).filter(|&other| other != slot);
        (self.spare(link), rivals.map(|other| self.lead_of_slot(slot, other)).collect())
    }

    /// What is not negative when no flow of a slot is ahead of `flow`.
    fn flow_conditions(&self, flow: usize, slot: usize) -> Vec<Linear> {
        let rivals = self.layout.slot_flows.indices(slot).filter(|&other| other != flow);
        rivals.map(|other| self.lead_of_flow(flow, other)).collect()
    }

    /// What may hold a flow somewhere within `reach`.
    fn possible_holders(&self, flow: usize, reach: &Intervals) -> Vec<Holder> {
        let most = |linear: &Linear| self.extreme(linear, reach, true);
        let least = |linear: &Linear| self.extreme(linear, reach, false);
        let demand = self.unmet(flow).filter(|unmet| least(unmet) <= SLACK).map(|_| None);
        let slots = self.layout.flow_slots.indices(flow).filter(|&slot| {
            let (full, ahead) = self.slot_conditions(slot);
            least(&full) <= SLACK
                && ahead.iter().all(|lead| most(lead) >= -SLACK)
                && self.flow_conditions(flow, slot).iter().all(|lead| most(lead) >= -SLACK)
        });
        demand.into_iter().chain(slots.map(Some)).collect()
    }

    /// Whether `holder` holds the flow everywhere in the set: first by
    /// intervals, then, for what they leave open, by the set itself.
    fn must_hold(
        &self,
        flow: usize,
        holder: Holder,
        reach: &Intervals,
        set: &mut Polyhedron,
    ) -> bool {
        let (small, not_negative) = match holder {
            None => match self.unmet(flow) {
                None => return false,
                Some(unmet) => (unmet, Vec::new()),
            },
            Some(slot) => {
                let (full, mut ahead) = self.slot_conditions(slot);
                ahead.extend(self.flow_conditions(flow, slot));
                (full, ahead)
            }
        };
        let mut never_over = |linear: &Linear| {
            self.extreme(linear, reach, true) <= SLACK || set.maximise(linear) <= SLACK
        };
        if !never_over(&small) {
            return false;
        }
        not_negative.iter().all(|linear| {
            let mut behind = Linear::zero(self.open.len());
            behind.add(-1.0, linear);
            never_over(&behind)
        })
    }

    /// Largest or smallest value of an expression over a box of rates.
    fn extreme(&self, linear: &Linear, reach: &Intervals, largest: bool) -> f64 {
        let mut value = linear.constant;
        for (variable, &factor) in linear.factors.iter().enumerate() {
            let rate = if (factor > 0.0) == largest {
                reach.high[variable]
            } else {
                reach.low[variable]
            };
            value += factor * (rate - self.bounds.low[self.open[variable]] / self.unit);
        }
        value
    }
}

/// a/w − b/v, scaled back to a rate by the smaller weight.
fn lead(a: &Linear, b: &Linear, (w, v): (f64, f64)) -> Linear {
    let scale = w.min(v);
    let mut lead = Linear::zero(a.factors.len());
    lead.add(scale / w, a);
    lead.add(-scale / v, b);
    lead
}
