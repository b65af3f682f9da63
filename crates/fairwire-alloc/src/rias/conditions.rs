//! What holds a flow, as conditions on the open rates of a part.

use super::bounds::Intervals;
use super::layout::Layout;
use super::linear::Linear;

/// The open rates of a part as variables, in units of its widest link,
/// counted from their lower bounds.
pub(super) struct Variables<'a> {
    layout: &'a Layout<'a>,
    bounds: &'a Intervals,
    /// The flows whose rates are open.
    pub open: &'a [usize],
    /// Position of each flow in `open`.
    variable_of: Vec<usize>,
    /// Rates are divided by this, bit/s.
    pub unit: f64,
}

impl<'a> Variables<'a> {
    pub fn new(layout: &'a Layout<'a>, bounds: &'a Intervals, open: &'a [usize]) -> Self {
        let mut variable_of = vec![usize::MAX; layout.problem.flows.len()];
        for (variable, &flow) in open.iter().enumerate() {
            variable_of[flow] = variable;
        }
        let unit = open.iter().map(|&flow| layout.narrowest(flow)).fold(0.0, f64::max);
        Self { layout, bounds, open, variable_of, unit }
    }

    /// The lower bound of a variable, from which it counts.
    pub fn origin(&self, variable: usize) -> f64 {
        self.bounds.low[self.open[variable]] / self.unit
    }

    /// How far a variable may go.
    pub fn width(&self, variable: usize) -> f64 {
        let flow = self.open[variable];
        (self.bounds.high[flow] - self.bounds.low[flow]) / self.unit
    }

    /// Rates of all flows halfway between their bounds, bit/s.
    pub fn middle(&self) -> Vec<f64> {
        super::middle(self.bounds)
    }

    /// Zero.
    pub fn zero(&self) -> Linear {
        Linear::zero(self.open.len())
    }

    /// The rate of a flow.
    pub fn rate(&self, flow: usize) -> Linear {
        let mut rate = self.zero();
        match self.variable_of[flow] {
            usize::MAX => {
                rate.constant = self.bounds.low[flow].midpoint(self.bounds.high[flow]) / self.unit;
            }
            variable => {
                rate.factors[variable] = 1.0;
                rate.constant = self.origin(variable);
            }
        }
        rate
    }

    /// The ingress aggregate of a slot.
    fn total(&self, slot: usize) -> Linear {
        let mut total = self.zero();
        for flow in self.layout.slot_flows.indices(slot) {
            total.add(1.0, &self.rate(flow));
        }
        total
    }

    /// What an ingress aggregate has beyond what it is promised.
    fn beyond(&self, slot: usize) -> Linear {
        let mut beyond = self.total(slot);
        beyond.constant -= self.layout.slot_minimum[slot] / self.unit;
        beyond
    }

    /// Capacity of a link minus its load.
    pub fn spare(&self, link: usize) -> Linear {
        let mut spare = self.zero();
        spare.constant = self.layout.problem.links[link].capacity_bps / self.unit;
        for slot in self.layout.link_slots.indices(link) {
            spare.add(-1.0, &self.total(slot));
        }
        spare
    }

    /// The conditions for each thing that could hold a flow.
    pub fn conditions(&self, flow: usize) -> Vec<Condition> {
        let demand = self.layout.problem.flows[flow].demand_bps;
        let by_demand = demand.is_finite().then(|| {
            let mut zero = self.zero();
            zero.constant = demand / self.unit;
            zero.add(-1.0, &self.rate(flow));
            Condition { slot: None, zero, between: Vec::new(), inside: Vec::new() }
        });
        let by_slots = self.layout.flow_slots.indices(flow).map(|slot| {
            let link = self.layout.slot_link[slot];
            let own = self.beyond(slot);
            let rivals = self.layout.link_slots.indices(link).filter(|&other| other != slot);
            let between = rivals.map(|other| {
                let weights = (self.layout.slot_weight[slot], self.layout.slot_weight[other]);
                lead(&own, &self.beyond(other), weights)
            });
            let weight = |flow: usize| self.layout.problem.flows[flow].weight;
            let siblings = self.layout.slot_flows.indices(slot).filter(|&other| other != flow);
            let inside = siblings.map(|other| lead(&self.rate(flow), &self.rate(other), (weight(flow), weight(other))));
            let doubtful = |linear: &Linear| self.may_be_negative(linear);
            Condition {
                slot: Some(slot),
                zero: self.spare(link),
                between: between.filter(doubtful).collect(),
                inside: inside.filter(doubtful).collect(),
            }
        });
        by_demand.into_iter().chain(by_slots).collect()
    }

    /// Whether an expression is negative anywhere within the bounds.
    pub fn may_be_negative(&self, linear: &Linear) -> bool {
        let widths = linear.factors.iter().enumerate();
        let down: f64 = widths.map(|(variable, factor)| factor.min(0.0) * self.width(variable)).sum();
        linear.constant + down < 0.0
    }

    /// Largest value of an expression over a box of rates.
    pub fn most(&self, linear: &Linear, reach: &Intervals) -> f64 {
        self.extreme(linear, &reach.high, &reach.low)
    }

    /// Smallest value of an expression over a box of rates.
    pub fn least(&self, linear: &Linear, reach: &Intervals) -> f64 {
        self.extreme(linear, &reach.low, &reach.high)
    }

    fn extreme(&self, linear: &Linear, if_positive: &[f64], if_negative: &[f64]) -> f64 {
        let mut value = linear.constant;
        for (variable, &factor) in linear.factors.iter().enumerate() {
            let rates = if factor > 0.0 { if_positive } else { if_negative };
            value += factor * (rates[variable] - self.origin(variable));
        }
        value
    }
}

/// When a flow is held by one particular thing.
#[derive(Debug)]
pub(super) struct Condition {
    /// The slot that holds it; `None` for its demand.
    pub slot: Option<usize>,
    /// Zero when the link is full, or the demand met.
    pub zero: Linear,
    /// Not negative when no other ingress is ahead there. What the bounds
    /// settle is left out.
    pub between: Vec<Linear>,
    /// Not negative when no other flow of the ingress is ahead there.
    pub inside: Vec<Linear>,
}

impl Condition {
    /// All that must not be negative.
    pub fn not_negative(&self) -> impl Iterator<Item = &Linear> {
        self.between.iter().chain(&self.inside)
    }
}

/// How far a/w is ahead of b/v, scaled back to a rate by the smaller weight.
fn lead(a: &Linear, b: &Linear, (w, v): (f64, f64)) -> Linear {
    let scale = w.min(v);
    let mut lead = Linear::zero(a.factors.len());
    lead.add(scale / w, a);
    lead.add(-scale / v, b);
    lead
}
