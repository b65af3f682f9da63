//! All fair matrices between bounds that do not meet.
//!
//! Say for every flow what holds it (its demand or a link of its route), and
//! the fair matrices that agree are a polyhedron. Their union over all such
//! assignments is searched depth first; an assignment is dropped as soon as
//! its polyhedron is empty, and a flow that is held all over the polyhedron
//! is not branched on.
//!
//! "Held" allows for what the bounds are not known exactly. Where two links, or a link and a demand, are nearly but not quite full
//! together, that is too much: a polyhedron is taken for fair whose inner points are not. The independent checker is asked about
//! one of them; where it says no, the search begins again and allows for less.

use std::collections::BTreeSet;

use super::bounds::Intervals;
use super::conditions::{Condition, Variables};
use super::layout::Layout;
use super::leximin::{is_larger, leximin};
use super::linear::{Constraint, Linear};
use super::polyhedron::Polyhedron;
use crate::interrupt::look;

/// Assignments looked at, whole or in part, before giving up.
const MAX_NODES: usize = 1 << 12;
/// Numbers touched by the simplex method before giving up: about a second.
const MAX_WORK: u64 = 1_000_000_000;
/// Largest number of open rates in one part.
const MAX_VARIABLES: usize = 40;
/// Intervals narrower than this, relative to capacity, are points.
const POINT: f64 = 1e-9;
/// Slack in deciding whether a condition can hold or must hold.
const SLACK: f64 = 1e-8;
/// The same where that takes matrices for fair that are not.
const FINER_SLACK: f64 = 1e-10;
/// A matrix that is further from fair, relative to capacity, is not: closed bounds are known better.
const DOUBTED: f64 = 2e-10;

/// The fair matrices of one independent part of the problem.
#[derive(Debug)]
pub(crate) struct Part {
    /// Flows whose rates differ, or might, between fair matrices.
    pub flows: Vec<usize>,
    /// What was found; `None` when the search was cut short.
    pub found: Option<SearchOutcome>,
}

/// The outcome of a complete search.
#[derive(Debug)]
pub(crate) struct SearchOutcome {
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
            let search = |slack: f64| Search::new(layout, rates, &flows, &watched, slack);
            let found = (flows.len() <= MAX_VARIABLES).then(|| match search(SLACK).run() {
                (found, true) => search(FINER_SLACK).run().0.or(found),
                (found, false) => found,
            });
            Part { found: found.flatten(), flows }
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
    for (flow, &is_open) in open.iter().enumerate() {
        let root = root(&mut parent, flow);
        if part_of_root[root] == usize::MAX {
            part_of_root[root] = parts.len();
            parts.push((Vec::new(), Vec::new()));
        }
        let part = &mut parts[part_of_root[root]];
        part.1.push(flow);
        if is_open {
            part.0.push(flow);
        }
    }
    parts.retain(|(open, _)| !open.is_empty());
    parts
}

/// A flow that must be shown to be held, and all that could hold it.
struct Watched {
    conditions: Vec<Condition>,
}

struct Search<'a> {
    layout: &'a Layout<'a>,
    variables: Variables<'a>,
    watched: Vec<Watched>,
    base: Vec<Constraint>,
    slack: f64,
    /// A set was taken for fair of which the checker says that it is not.
    is_doubted: bool,
    nodes: usize,
    work: u64,
    best: Option<Vec<f64>>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(layout: &'a Layout<'a>, bounds: &'a Intervals, open: &'a [usize], watched: &[usize], slack: f64) -> Self {
        let variables = Variables::new(layout, bounds, open);
        let watched = watched.iter().map(|&flow| Watched { conditions: variables.conditions(flow) }).collect();
        let base = base_constraints(layout, &variables);
        let (low, high) = (vec![f64::INFINITY; open.len()], vec![0.0; open.len()]);
        Self { layout, variables, watched, base, slack, is_doubted: false, nodes: 0, work: 0, best: None, low, high }
    }

    /// What was found, and whether that is doubted.
    fn run(mut self) -> (Option<SearchOutcome>, bool) {
        let is_complete = self.descend(&mut Vec::new()).is_some();
        let unit = self.variables.unit;
        let scale = |values: Vec<f64>| -> Vec<f64> { values.into_iter().map(|v| v * unit).collect() };
        let best = self.best.filter(|_| is_complete);
        let found = best.map(|best| SearchOutcome { best: scale(best), low: scale(self.low), high: scale(self.high) });
        (found, self.is_doubted)
    }

    /// Looks at all fair matrices that agree with the choices made: pairs of
    /// a position in `watched` and one in its conditions. `None` when the
    /// budget is spent.
    fn descend(&mut self, chosen: &mut Vec<(usize, usize)>) -> Option<()> {
        look();
        self.nodes += 1;
        if self.nodes > MAX_NODES || self.work > MAX_WORK {
            return None;
        }
        let constraints = self.constraints(chosen);
        self.work += (constraints.len() * self.variables.open.len().pow(2)) as u64;
        let Some(mut set) = Polyhedron::new(self.variables.open.len(), &constraints) else {
            return Some(());
        };
        let branch = self.branch(chosen, &mut set);
        self.work += set.work();
        match branch {
            Branch::Nowhere => {}
            Branch::Fair(reach) => {
                self.is_doubted |= !is_point(&reach) && !self.is_fair_inside(&mut set);
                self.record(&constraints, &reach);
            }
            Branch::On(watched, conditions) => {
                for condition in conditions {
                    chosen.push((watched, condition));
                    self.descend(chosen)?;
                    chosen.pop();
                }
            }
        }
        Some(())
    }

    /// Finds the flow with the fewest things that could hold it, among those
    /// that are not held all over the set.
    fn branch(&self, chosen: &[(usize, usize)], set: &mut Polyhedron) -> Branch {
        let reach = self.reach(set);
        let mut branch: Option<(usize, Vec<usize>)> = None;
        for (index, watched) in self.watched.iter().enumerate() {
            if chosen.iter().any(|&(done, _)| done == index) {
                continue;
            }
            let possible: Vec<usize> =
                (0..watched.conditions.len()).filter(|&at| self.can_hold(&watched.conditions[at], &reach)).collect();
            if possible.is_empty() {
                return Branch::Nowhere;
            }
            let held = possible.iter().any(|&at| self.must_hold(&watched.conditions[at], &reach, set));
            let fewest = branch.as_ref().map_or(usize::MAX, |(_, fewest)| fewest.len());
            if !held && possible.len() < fewest {
                branch = Some((index, possible));
            }
        }
        branch.map_or(Branch::Fair(reach), |(index, possible)| Branch::On(index, possible))
    }

    /// Whether the condition can be met somewhere within `reach`.
    fn can_hold(&self, condition: &Condition, reach: &Intervals) -> bool {
        self.variables.least(&condition.zero, reach) <= self.slack
            && condition.not_negative().all(|linear| self.variables.most(linear, reach) >= -self.slack)
    }

    /// Whether the condition is met everywhere in the set: first by
    /// intervals, then, for what they leave open, by the set itself.
    fn must_hold(&self, condition: &Condition, reach: &Intervals, set: &mut Polyhedron) -> bool {
        let slack = self.slack;
        (self.variables.most(&condition.zero, reach) <= slack || set.maximise(&condition.zero) <= slack)
            && condition
                .not_negative()
                .all(|linear| self.variables.least(linear, reach) >= -slack || set.minimise(linear) >= -slack)
    }

    /// What the checker says of the point midway between those at which one open rate is least or largest.
    fn is_fair_inside(&self, set: &mut Polyhedron) -> bool {
        let open = self.variables.open;
        let mut inside = vec![0.0; open.len()];
        for &flow in open {
            let rate = self.variables.rate(flow);
            for extreme in [Polyhedron::minimise, Polyhedron::maximise] {
                extreme(set, &rate);
                let part = 0.5 / open.len() as f64;
                inside.iter_mut().zip(set.vertex()).for_each(|(inside, at)| *inside += part * at);
            }
        }
        let mut rates = self.variables.middle();
        for (variable, &flow) in open.iter().enumerate() {
            rates[flow] = (self.variables.origin(variable) + inside[variable]) * self.variables.unit;
        }
        super::is_fair(self.layout, &rates, DOUBTED).is_ok()
    }

    /// Takes in a polyhedron all of whose points are fair.
    fn record(&mut self, constraints: &[Constraint], reach: &Intervals) {
        let open = self.variables.open;
        for variable in 0..open.len() {
            self.low[variable] = self.low[variable].min(reach.low[variable]);
            self.high[variable] = self.high[variable].max(reach.high[variable]);
        }
        let weight = |flow: usize| self.layout.problem.ingress_weights[self.layout.problem.flows[flow].ingress];
        let per_weight =
            |rates: &[f64]| -> Vec<f64> { rates.iter().zip(open).map(|(rate, &flow)| rate / weight(flow)).collect() };
        let levels = if is_point(reach) {
            Some(per_weight(&reach.low))
        } else {
            let values: Vec<Linear> = open
                .iter()
                .map(|&flow| {
                    let mut value = self.variables.zero();
                    value.add(1.0 / weight(flow), &self.variables.rate(flow));
                    value
                })
                .collect();
            leximin(open.len(), constraints, &values)
        };
        let Some(levels) = levels else { return };
        if self.best.as_ref().is_none_or(|best| is_larger(&levels, &per_weight(best))) {
            self.best = Some(levels.iter().zip(open).map(|(level, &flow)| level * weight(flow)).collect());
        }
    }

    /// Smallest and largest rate of each open flow over a set.
    fn reach(&self, set: &mut Polyhedron) -> Intervals {
        let rates: Vec<Linear> = self.variables.open.iter().map(|&flow| self.variables.rate(flow)).collect();
        Intervals {
            low: rates.iter().map(|rate| set.minimise(rate)).collect(),
            high: rates.iter().map(|rate| set.maximise(rate)).collect(),
        }
    }

    fn constraints(&self, chosen: &[(usize, usize)]) -> Vec<Constraint> {
        let mut constraints = self.base.clone();
        let mut slots = BTreeSet::new();
        for &(watched, at) in chosen {
            let condition = &self.watched[watched].conditions[at];
            let inside = condition.inside.iter().cloned();
            constraints.extend(inside.map(Constraint::NotNegative));
            // Flows held by one slot have the rest in common.
            if condition.slot.is_none_or(|slot| slots.insert(slot)) {
                constraints.push(Constraint::Zero(condition.zero.clone()));
                let between = condition.between.iter().cloned();
                constraints.extend(between.map(Constraint::NotNegative));
            }
        }
        constraints
    }
}

fn is_point(reach: &Intervals) -> bool {
    reach.high.iter().zip(&reach.low).all(|(high, low)| high - low <= POINT)
}

/// Where to go from a set of matrices.
enum Branch {
    /// Some flow is held nowhere in the set.
    Nowhere,
    /// All flows are held everywhere in the set, which reaches this far.
    Fair(Intervals),
    /// To the conditions at these positions for this watched flow.
    On(usize, Vec<usize>),
}

/// Bounds on the rates, and no link over its capacity.
fn base_constraints(layout: &Layout, variables: &Variables) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    let mut links = BTreeSet::new();
    for (variable, &flow) in variables.open.iter().enumerate() {
        let mut room = variables.zero();
        room.factors[variable] = -1.0;
        room.constant = variables.width(variable);
        constraints.push(Constraint::NotNegative(room));
        links.extend(layout.problem.flows[flow].route.iter().copied());
    }
    let spare = links.into_iter().map(|link| variables.spare(link));
    let tight = spare.filter(|spare| variables.may_be_negative(spare));
    constraints.extend(tight.map(Constraint::NotNegative));
    constraints
}
