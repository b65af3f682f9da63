//! Are rates proportionally fair? Decided from the rates alone.
//!
//! Rates x are best when no feasible y has Σ w (y − x) / x > 0. Link prices p
//! bound that from above, whatever they are: by
//! Σ c p + Σ d max(0, w/x − q) − Σ w, with q the price of a route and d the
//! most a flow could have. The prices tried are those that come nearest to
//! q x = w for every flow short of its demand (and to no more than that for
//! the others), by non-negative least squares over the full links.

use super::violation::Violation;
use super::{is_satisfied, narrowest};
use crate::Problem;
use crate::interrupt::look;

/// Links with less than the first to spare, relative to capacity, may have a price; flows that lack less than the second,
/// relative to their demand, have met it. First what is so but for rounding, then what inexact rates leave nearly so: what
/// proves the rates best under any of them proves it.
const NEARLY: [(f64, f64); 3] = [(1e-12, 1e-12), (1e-9, f64::INFINITY), (1e-6, f64::INFINITY)];
/// Rounds of choosing which links are priced.
const MAX_ROUNDS: usize = 200;
/// Rounds in which many choices change at once.
const BOLD_ROUNDS: usize = 20;

pub(super) fn check(problem: &Problem, rates: &[f64], loads: &[f64], tolerance: f64) -> Result<(), Violation> {
    let asks: Vec<usize> = (0..rates.len()).filter(|&flow| problem.flows[flow].demand_bps > 0.0).collect();
    let not_fair = |gain: f64, flow: usize| Violation::NotProportional {
        gain,
        flow: problem.flows[flow].id.clone(),
        rate_bps: rates[flow],
    };
    if let Some(&starved) = asks.iter().find(|&&flow| rates[flow] <= 0.0) {
        return Err(not_fair(f64::INFINITY, starved));
    }
    if asks.is_empty() {
        return Ok(());
    }
    let mut least = (f64::INFINITY, asks[0]);
    for (nearly_full, nearly_met) in NEARLY {
        let has_met = |flow: usize| {
            let demand = problem.flows[flow].demand_bps;
            rates[flow] >= demand * (1.0 - nearly_met) && is_satisfied(problem, flow, rates[flow], tolerance)
        };
        let met: Vec<bool> = (0..rates.len()).map(has_met).collect();
        let full = |(link, &load): (&crate::Link, &f64)| link.capacity_bps - load <= nearly_full * link.capacity_bps;
        let can_cost: Vec<bool> = problem.links.iter().zip(loads).map(full).collect();
        let mut prices = Pricing::new(problem, rates, can_cost, &met, &asks).fit();
        for _ in 0..2 {
            let found = gain(problem, rates, &prices, &met, &asks);
            if found.0 <= tolerance {
                return Ok(());
            }
            if found.0 < least.0 {
                least = found;
            }
            tighten(problem, rates, &asks, &mut prices);
        }
    }
    Err(not_fair(least.0, least.1))
}

/// Takes each link's price to where the bound is least while the other prices stay: down while those who then pay too
/// little could together have less than the link carries.
fn tighten(problem: &Problem, rates: &[f64], asks: &[usize], prices: &mut [f64]) {
    let mut on_link = vec![Vec::new(); prices.len()];
    for &flow in asks {
        problem.flows[flow].route.iter().for_each(|&link| on_link[link].push(flow));
    }
    for (link, flows) in on_link.iter().enumerate().filter(|(_, flows)| !flows.is_empty()) {
        look();
        let mut right: Vec<(f64, f64)> = flows
            .iter()
            .map(|&index| {
                let flow = &problem.flows[index];
                let others: f64 = flow.route.iter().filter(|&&other| other != link).map(|&other| prices[other]).sum();
                (flow.weight / rates[index] - others, flow.demand_bps.min(narrowest(problem, &flow.route)))
            })
            .collect();
        right.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut left = problem.links[link].capacity_bps;
        let enough = right.iter().find(|(_, most)| {
            left -= most;
            left <= 0.0
        });
        prices[link] = enough.map_or(0.0, |(price, _)| price.max(0.0));
    }
}

/// What other rates could gain at most, relative to all weight, as these prices prove; and the flow whose price is the
/// farthest from what it should pay.
fn gain(problem: &Problem, rates: &[f64], prices: &[f64], met: &[bool], asks: &[usize]) -> (f64, usize) {
    let all_weight: f64 = asks.iter().map(|&flow| problem.flows[flow].weight).sum();
    let priced: f64 = prices.iter().zip(&problem.links).map(|(price, link)| price * link.capacity_bps).sum();
    let route_price = |flow: usize| -> f64 { problem.flows[flow].route.iter().map(|&link| prices[link]).sum() };
    let worth = |flow: usize| problem.flows[flow].weight / rates[flow];
    let most = |flow: usize| problem.flows[flow].demand_bps.min(narrowest(problem, &problem.flows[flow].route));
    let underpaid = |flow: usize| (worth(flow) - route_price(flow)).max(0.0) * most(flow);
    let as_they_are = priced + asks.iter().map(|&flow| underpaid(flow)).sum::<f64>();
    // The same with all prices raised until only flows at their demand pay
    // too little.
    let short = |flow: &&usize| !met[**flow];
    let raise = asks.iter().filter(short).map(|&flow| worth(flow) / route_price(flow)).fold(1.0, f64::max);
    let still = |flow: usize| (worth(flow) - raise * route_price(flow)).max(0.0) * most(flow);
    let raised = raise * priced + asks.iter().map(|&flow| still(flow)).sum::<f64>();

    // Not a number: a route without a price.
    let bound = if raised.is_nan() { as_they_are } else { as_they_are.min(raised) };
    let off = |flow: usize| {
        let paid = route_price(flow) / worth(flow) - 1.0;
        if met[flow] { paid.max(0.0) } else { paid.abs() }
    };
    let worst = asks.iter().copied().reduce(|a, b| if off(b) > off(a) { b } else { a }).unwrap_or(0);
    ((bound - all_weight) / all_weight, worst)
}

/// Least squares for the prices. What flows pay counts in their weights, what links earn in the weight of all who
/// cross them, so that small flows are held to as much as large ones.
struct Pricing<'a> {
    problem: &'a Problem,
    rates: &'a [f64],
    asks: &'a [usize],
    /// Whether a flow, by position in `asks`, must pay its weight exactly; the
    /// others pay no more than that.
    exact: Vec<bool>,
    can_cost: Vec<bool>,
    /// The weight of all flows that cross a link and ask for anything.
    link_weights: Vec<f64>,
}

impl<'a> Pricing<'a> {
    fn new(problem: &'a Problem, rates: &'a [f64], can_cost: Vec<bool>, met: &[bool], asks: &'a [usize]) -> Self {
        let exact = asks.iter().map(|&flow| !met[flow]).collect();
        let mut link_weights = vec![0.0; problem.links.len()];
        for flow in asks.iter().map(|&flow| &problem.flows[flow]) {
            flow.route.iter().for_each(|&link| link_weights[link] += flow.weight);
        }
        Self { problem, rates, asks, exact, can_cost, link_weights }
    }

    /// What part of its weight a flow pays to a link that earns the weight of all.
    fn part(&self, flow: usize, link: usize) -> f64 {
        let taken = self.rates[flow] / self.problem.links[link].capacity_bps;
        taken * self.link_weights[link] / self.problem.flows[flow].weight
    }

    /// What each flow pays beyond its weight when links earn `incomes`, as a part of it.
    fn overpaid(&self, incomes: &[f64]) -> Vec<f64> {
        let paid = |&flow: &usize| -> f64 {
            self.problem.flows[flow].route.iter().map(|&link| incomes[link] * self.part(flow, link)).sum()
        };
        self.asks.iter().map(|flow| paid(flow) - 1.0).collect()
    }

    /// Sum over the flows of a link of what they pay to it times `values`.
    fn gathered(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.problem.links.len()];
        for (&flow, value) in self.asks.iter().zip(values) {
            for &link in &self.problem.flows[flow].route {
                sums[link] += value * self.part(flow, link);
            }
        }
        sums
    }

    fn fit(&self) -> Vec<f64> {
        let links = self.problem.links.len();
        let mut costs = self.can_cost.clone();
        let mut counts = self.exact.clone();
        let mut incomes = vec![0.0; links];
        for round in 0..MAX_ROUNDS {
            incomes = self.least_squares(&costs, &counts, incomes);
            let overpaid = self.overpaid(&incomes);
            let counting: Vec<f64> = overpaid.iter().zip(&counts).map(|(o, c)| if *c { *o } else { 0.0 }).collect();
            let pull = self.gathered(&counting);
            let mut wrong: Vec<(f64, bool, usize)> = Vec::new();
            for link in (0..links).filter(|&link| self.can_cost[link]) {
                if costs[link] && incomes[link] < -1e-13 {
                    wrong.push((-incomes[link], true, link));
                } else if !costs[link] && pull[link] < -1e-12 {
                    wrong.push((-pull[link], true, link));
                }
            }
            for at in (0..counts.len()).filter(|&at| !self.exact[at]) {
                if counts[at] != (overpaid[at] > 0.0) && overpaid[at].abs() > 1e-13 {
                    wrong.push((overpaid[at].abs(), false, at));
                }
            }
            if wrong.is_empty() {
                break;
            }
            if round >= BOLD_ROUNDS {
                wrong.sort_by(|a, b| b.0.total_cmp(&a.0));
                wrong.truncate(1);
            }
            for (_, is_link, at) in wrong {
                let choice = if is_link { &mut costs[at] } else { &mut counts[at] };
                *choice = !*choice;
            }
            for (income, costs) in incomes.iter_mut().zip(&costs) {
                *income = if *costs { income.max(0.0) } else { 0.0 };
            }
        }
        let priced = incomes.iter().zip(&self.link_weights).zip(&self.problem.links);
        priced.map(|((income, weight), link)| income.max(0.0) * weight / link.capacity_bps).collect()
    }

    /// Incomes of the links that cost anything for which the counting flows
    /// pay what they should as nearly as possible: conjugate gradients on the
    /// normal equations.
    fn least_squares(&self, costs: &[bool], counts: &[bool], start: Vec<f64>) -> Vec<f64> {
        let links = costs.len();
        let mask = |values: Vec<f64>, keep: &[bool]| -> Vec<f64> {
            values.into_iter().zip(keep).map(|(value, keep)| if *keep { value } else { 0.0 }).collect()
        };
        let mut sizes = vec![f64::MIN_POSITIVE; links];
        for (&flow, _) in self.asks.iter().zip(counts).filter(|(_, counts)| **counts) {
            self.problem.flows[flow].route.iter().for_each(|&link| sizes[link] += self.part(flow, link).powi(2));
        }
        let mut incomes = start;
        let lacking: Vec<f64> = self.overpaid(&incomes).iter().map(|overpaid| -overpaid).collect();
        let mut lacking = mask(lacking, counts);
        let mut slope = mask(self.gathered(&lacking), costs);
        let scaled =
            |slope: &[f64]| -> Vec<f64> { slope.iter().zip(&sizes).map(|(slope, size)| slope / size).collect() };
        let mut way = scaled(&slope);
        let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let mut norm = product(&slope, &way);
        let enough = 1e-30 * self.asks.len() as f64;
        for _ in 0..(4 * links + 50).min(4000) {
            look();
            if norm <= enough {
                break;
            }
            let paid = |&flow: &usize| -> f64 {
                self.problem.flows[flow].route.iter().map(|&link| way[link] * self.part(flow, link)).sum()
            };
            let image = mask(self.asks.iter().map(paid).collect(), counts);
            let along = product(&image, &image);
            if along <= 0.0 {
                break;
            }
            let length = norm / along;
            incomes.iter_mut().zip(&way).for_each(|(income, way)| *income += length * way);
            lacking.iter_mut().zip(&image).for_each(|(lacking, image)| *lacking -= length * image);
            slope = mask(self.gathered(&lacking), costs);
            let next = scaled(&slope);
            let next_norm = product(&slope, &next);
            let keep = next_norm / norm;
            way.iter_mut().zip(&next).for_each(|(way, next)| *way = next + keep * *way);
            norm = next_norm;
        }
        incomes
    }
}
