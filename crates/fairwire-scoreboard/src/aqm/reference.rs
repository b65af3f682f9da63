//! What every flow should have got: max-min fair rates while flows come and go and links
//! change.

use crate::ScoreError;
use fairwire_alloc::{Criterion, Flow, Link, Problem, solve_rates};
use fairwire_core::Instant;
use fairwire_plan::{NetworkFlowPlan, NetworkLinkPlan, NetworkPlan, Offer};

/// Max-min fair rates over time, one a flow of the plan.
///
/// Every micro-flow counts as one. Bulk connections ask for all they can get, streams
/// for their rate, transfers and pages for what they bring on average. Acknowledgements
/// take nothing, and slow start no time: a connection has its rate from the end of its
/// start jitter on.
#[derive(Clone, Debug)]
pub struct Reference {
    phases: Vec<Phase>,
}

/// A time in which nothing starts, stops or changes.
#[derive(Clone, Debug)]
struct Phase {
    from: Instant,
    until: Instant,
    /// Of each flow with all its micro-flows; 0 where it is not active.
    rates_bps: Vec<f64>,
}

impl Reference {
    /// Solves every phase of a plan's measured time.
    ///
    /// # Errors
    /// [`ScoreError::Reference`] if there are no fair rates.
    pub fn of(case: &str, plan: &NetworkPlan) -> Result<Self, ScoreError> {
        let (from, until) = (Instant::ZERO + plan.warmup, Instant::ZERO + plan.duration);
        let starts = plan.flows.iter().flat_map(|flow| [begins(flow), flow.stop]);
        let changes = plan.links.iter().flat_map(|link| link.changes.iter().map(|change| change.at));
        let mut cuts: Vec<Instant> = starts.chain(changes).filter(|at| *at > from && *at < until).collect();
        cuts.extend([from, until]);
        cuts.sort_unstable();
        cuts.dedup();
        let phase = |pair: &[Instant]| {
            let rates_bps = solve(case, plan, pair[0], pair[1])?;
            Ok(Phase { from: pair[0], until: pair[1], rates_bps })
        };
        Ok(Self { phases: cuts.windows(2).map(phase).collect::<Result<_, ScoreError>>()? })
    }

    /// Bits that `flow` should have got between two times.
    pub fn bits(&self, flow: usize, from: Instant, until: Instant) -> f64 {
        let within = |phase: &Phase| phase.until.min(until).since(phase.from.max(from)).as_secs_f64();
        self.phases.iter().map(|phase| phase.rates_bps[flow] * within(phase)).sum()
    }
}

/// Whether the flow is there all the time from `from` to `until`.
pub fn is_active(flow: &NetworkFlowPlan, from: Instant, until: Instant) -> bool {
    begins(flow) <= from && flow.stop >= until
}

/// Capacity of a link at a time.
pub fn capacity_bps(link: &NetworkLinkPlan, at: Instant) -> f64 {
    let change = link.changes.iter().take_while(|change| change.at <= at).last();
    change.map_or(link.capacity, |change| change.capacity).as_bps_f64()
}

/// When all its micro-flows are there.
fn begins(flow: &NetworkFlowPlan) -> Instant {
    flow.start + flow.start_jitter
}

fn solve(case: &str, plan: &NetworkPlan, from: Instant, until: Instant) -> Result<Vec<f64>, ScoreError> {
    let links = plan.links.iter().map(|link| Link { id: link.name.clone(), capacity_bps: capacity_bps(link, from) });
    let active: Vec<usize> = (0..plan.flows.len()).filter(|&flow| is_active(&plan.flows[flow], from, until)).collect();
    let micro_flows = active.iter().flat_map(|&index| {
        let flow = &plan.flows[index];
        (0..flow.micro_flows).map(move |micro| Flow {
            id: format!("{}/{micro}", flow.name),
            ingress: plan.links[flow.route[0] as usize].from as usize,
            egress: flow.route.last().map_or(0, |&last| plan.links[last as usize].to as usize),
            route: flow.route.iter().map(|&link| link as usize).collect(),
            demand_bps: demand_bps(flow),
            weight: flow.weight.get(),
        })
    });
    let problem = Problem {
        nodes: (0..plan.nodes).map(|node| node.to_string()).collect(),
        ingress_weights: vec![1.0; plan.nodes],
        links: links.collect(),
        flows: micro_flows.collect(),
    };
    let mut rates_bps = vec![0.0; plan.flows.len()];
    if problem.flows.is_empty() {
        return Ok(rates_bps);
    }
    let solved = solve_rates(&problem, Criterion::WeightedMaxMin)
        .map_err(|source| ScoreError::Reference { case: case.to_owned(), source })?;
    let mut solved = solved.rates_bps.into_iter();
    for index in active {
        rates_bps[index] = solved.by_ref().take(plan.flows[index].micro_flows as usize).sum();
    }
    Ok(rates_bps)
}

/// What one micro-flow asks for on average.
fn demand_bps(flow: &NetworkFlowPlan) -> f64 {
    let mean_bps = match flow.offer {
        Offer::Datagrams(traffic) => traffic.arrivals.mean_rate().map(|rate| rate.as_bps_f64()),
        Offer::Tcp(tcp) => tcp.work.mean_rate_bps(),
        Offer::Rate(rate) => Some(rate.terms.most_bps()),
    };
    mean_bps.unwrap_or(f64::INFINITY)
}
