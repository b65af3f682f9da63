//! The slides' three-step construction of RIAS rates, repeated on leftovers.
//!
//! `[rias-benchmark-slides]`, backup slides, Steps I to III, with end-to-end
//! rates subtracted in Step III. It reproduces the slides' scenarios but is
//! not RIAS in general: each leftover is shared without regard to what an
//! ingress already holds.
//!
//! Leftovers shrink geometrically, with unequal weights by less than a
//! thousandth a round. Once every grant shrinks by the same factor the rounds
//! to come are known, and are summed instead of being run.

use crate::allocation::Rates;
use crate::interrupt::look;
use crate::one_resource::max_min_shares;
use crate::rias::layout::Layout;
use crate::{AllocError, Criterion, Problem};

/// A construction that has not come to its end after so many rounds is given up: weights that are far apart can make it as
/// slow as one likes. Rounds that are summed count, too, so that the checker can work through all of them.
const MAX_ROUNDS: f64 = 200_000.0;
/// Rounds that are run, at most.
const MAX_RUN: usize = 10_000;
/// A round that grants less than this, relative to capacity, is the last.
const NOTHING: f64 = 1e-15;

/// Rates of the repeated construction for a valid problem.
///
/// # Errors
/// [`AllocError::NotCertified`] if the construction does not come to its end.
pub(crate) fn solve(problem: &Problem) -> Result<Rates, AllocError> {
    let layout = Layout::new(problem);
    let mut state = State::new(problem);
    let mut before: Vec<f64> = Vec::new();
    let mut rounds = 0.0;
    for _ in 0..MAX_RUN {
        let granted = construct(&layout, &state.left, &state.unmet);
        state.take(problem, &granted, 1.0);
        rounds += 1.0;
        let largest = granted.iter().enumerate().map(|(flow, rate)| rate / layout.narrowest(flow)).fold(0.0, f64::max);
        if largest <= NOTHING {
            let bottleneck = bottlenecks(problem, &state.rates, &state.left);
            return Ok(Rates::sole(state.rates, bottleneck));
        }
        if let Some(ratio) = common_ratio(&before, &granted) {
            let ahead = state.rounds_ahead(problem, &granted, ratio);
            state.take(problem, &granted, ahead.times);
            rounds += ahead.rounds.unwrap_or_else(|| (NOTHING / largest).ln() / ratio.ln());
        }
        if rounds > MAX_ROUNDS {
            break;
        }
        before = granted;
    }
    Err(AllocError::NotCertified {
        criterion: Criterion::RiasIterative,
        violation: format!(
            "after {rounds:.0} rounds the construction still hands out rates; weights nearer to one another end it sooner"
        ),
    })
}

/// The factor by which all grants shrank in one round, if it is the same.
fn common_ratio(before: &[f64], now: &[f64]) -> Option<f64> {
    let (largest, most) = now.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    let ratio = most / before.get(largest)?;
    let alike = before.iter().zip(now).all(|(old, new)| (new - ratio * old).abs() <= 1e-11 * most);
    (alike && ratio < 1.0).then_some(ratio)
}

/// Rounds to come that need not be run.
struct Ahead {
    /// How many they are, unless they are all.
    rounds: Option<f64>,
    /// How many times the last grants they add up to.
    times: f64,
}

struct State {
    rates: Vec<f64>,
    left: Vec<f64>,
    unmet: Vec<f64>,
}

impl State {
    fn new(problem: &Problem) -> Self {
        Self {
            rates: vec![0.0; problem.flows.len()],
            left: problem.links.iter().map(|link| link.capacity_bps).collect(),
            unmet: problem.flows.iter().map(|flow| flow.demand_bps).collect(),
        }
    }

    /// Step III: hands out `times` the grants and keeps what is left.
    fn take(&mut self, problem: &Problem, granted: &[f64], times: f64) {
        for (index, flow) in problem.flows.iter().enumerate() {
            let rate = times * granted[index];
            self.rates[index] += rate;
            self.unmet[index] = (self.unmet[index] - rate).max(0.0);
            for &link in &flow.route {
                self.left[link] = (self.left[link] - rate).max(0.0);
            }
        }
    }

    /// How many times the last grants the coming rounds add up to, as long as
    /// each shrinks by `ratio`: to the end, or to the last whole round before
    /// a demand that is about to be met changes the pattern.
    fn rounds_ahead(&self, problem: &Problem, granted: &[f64], ratio: f64) -> Ahead {
        let all = ratio / (1.0 - ratio);
        let mut most = all;
        let mut used = vec![0.0; self.left.len()];
        for (index, flow) in problem.flows.iter().enumerate() {
            if granted[index] > 0.0 {
                most = most.min(self.unmet[index] / granted[index]);
                flow.route.iter().for_each(|&link| used[link] += granted[index]);
            }
        }
        for (left, used) in self.left.iter().zip(used).filter(|(_, used)| *used > 0.0) {
            // What is left may be the very sum of the series.
            most = most.min(left / used * (1.0 + 1e-9));
        }
        if most >= all {
            return Ahead { rounds: None, times: all };
        }
        let rounds = (((1.0 - most / all).ln() / ratio.ln()).floor() - 1.0).max(0.0);
        Ahead { rounds: Some(rounds), times: all * (1.0 - ratio.powf(rounds)) }
    }
}

/// Steps I and II: what one round grants end to end.
fn construct(layout: &Layout, left: &[f64], unmet: &[f64]) -> Vec<f64> {
    let problem = layout.problem;
    let wanted = layout.totals(unmet);
    let mut granted = unmet.to_vec();
    for (link, &capacity) in left.iter().enumerate() {
        look();
        let slots: Vec<usize> = layout.link_slots.indices(link).collect();
        let demands: Vec<f64> = slots.iter().map(|&slot| wanted[slot]).collect();
        let weights: Vec<f64> = slots.iter().map(|&slot| layout.slot_weight[slot]).collect();
        for (&slot, aggregate) in slots.iter().zip(max_min_shares(capacity, &demands, &weights)) {
            let flows: Vec<usize> = layout.slot_flows.indices(slot).collect();
            let demands: Vec<f64> = flows.iter().map(|&flow| unmet[flow]).collect();
            let weights: Vec<f64> = flows.iter().map(|&flow| problem.flows[flow].weight).collect();
            for (&flow, share) in flows.iter().zip(max_min_shares(aggregate, &demands, &weights)) {
                granted[flow] = granted[flow].min(share);
            }
        }
    }
    granted
}

/// The construction ends with every unmet flow at a link with nothing left;
/// the emptiest one counts.
fn bottlenecks(problem: &Problem, rates: &[f64], left: &[f64]) -> Vec<Option<usize>> {
    let emptiness = |link: usize| left[link] / problem.links[link].capacity_bps;
    problem
        .flows
        .iter()
        .zip(rates)
        .map(|(flow, &rate)| {
            if rate >= flow.demand_bps * (1.0 - 1e-12) {
                return None;
            }
            flow.route.iter().copied().min_by(|&a, &b| emptiness(a).total_cmp(&emptiness(b)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flow, Link};

    /// Rounds that are not run grant no more than a demand or a link leaves, and stop at most two rounds before they would.
    #[test]
    fn rounds_ahead_end_before_the_pattern_changes() {
        let flow = Flow { id: String::new(), ingress: 0, egress: 1, route: vec![0], demand_bps: 0.0, weight: 1.0 };
        let link = Link { id: String::new(), capacity_bps: 1e6 };
        let problem = Problem { links: vec![link], flows: vec![flow], ..Problem::default() };
        for ratio in [0.01, 0.1, 0.5, 0.9, 0.999_f64] {
            // The sum of the series ratio, ratio², …
            let all = ratio / (1.0 - ratio);
            let after = |rounds: f64| all * (1.0 - ratio.powf(rounds));
            for part in [0.001, 0.3, 0.9, 0.99, 0.999] {
                for (unmet, left) in [(part * all, 10.0 * all), (10.0 * all, part * all)] {
                    let state = State { rates: vec![0.0], left: vec![left], unmet: vec![unmet] };
                    let ahead = state.rounds_ahead(&problem, &[1.0], ratio);
                    let rounds = ahead.rounds.expect("the demand or the link ends them");
                    assert!(rounds >= 0.0 && rounds.fract() == 0.0, "whole rounds, not {rounds}");
                    assert!((ahead.times - after(rounds)).abs() <= 1e-12 * all);
                    let most = unmet.min(left) * (1.0 + 1e-8);
                    assert!(ahead.times <= most, "{ratio}, {part}: {rounds} rounds are too many");
                    assert!(after(rounds + 2.0) >= most * (1.0 - 1e-7), "{ratio}, {part}: {rounds} rounds are too few");
                }
            }
            let state = State { rates: vec![0.0], left: vec![all], unmet: vec![f64::INFINITY] };
            let ahead = state.rounds_ahead(&problem, &[1.0], ratio);
            assert!(ahead.rounds.is_none() && ahead.times == all, "what is left may be the whole sum");
        }
    }
}
