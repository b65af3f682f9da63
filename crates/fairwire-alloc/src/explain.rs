//! What holds each flow, in words that can be checked by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::allocation::{Allocation, FlowRate, Limit, LinkLoad, Sharer};
use crate::incidence::Incidence;
use crate::interrupt::look;
use crate::solve::{Solved, flow_weights};
use crate::text;
use crate::{Criterion, Problem, Terms, general_weighted, ingress_egress};

/// Differences below this, relative to capacity, are rounding.
const SAME: f64 = 1e-8;

/// Dresses rates with loads, limits and reasons.
pub(crate) fn explain(problem: &Problem, terms: &Terms, criterion: Criterion, solved: Solved) -> Allocation {
    let Solved { rates, prices } = &solved;
    let parties = Parties::new(problem, terms, criterion, &rates.rates_bps);
    let links: Vec<LinkLoad> = (0..problem.links.len()).map(|link| LinkLoad { load_bps: parties.load(link) }).collect();
    // All flows held by one link share one account of it.
    let mut accounts: Vec<Option<Account>> = vec![None; problem.links.len()];
    let flows = (0..problem.flows.len())
        .map(|flow| FlowRate {
            rate_bps: rates.rates_bps[flow],
            low_bps: rates.low_bps[flow],
            high_bps: rates.high_bps[flow],
            limited_by: match rates.bottleneck[flow] {
                None => Limit::Demand,
                Some(link) if criterion == Criterion::Proportional => {
                    let account = accounts[link].get_or_insert_with(|| Account::priced(&parties, link));
                    let why = format!("{}{}", account.opening, paid(problem, flow, link, prices));
                    Limit::Link { link, why, sharers: Arc::clone(&account.sharers) }
                }
                Some(link) => {
                    let account = accounts[link].get_or_insert_with(|| Account::new(&parties, link));
                    Limit::Link {
                        link,
                        why: format!("{}{}", account.opening, parties.inside(flow, link, &account.insides)),
                        sharers: Arc::clone(&account.sharers),
                    }
                }
            },
        })
        .collect();
    Allocation { criterion, unique: rates.unique, flows, links }
}

/// What a link costs beside the dearest one of a route, below which it costs nothing: what solving leaves.
const NOTHING: f64 = 1e-9;

/// What a proportionally fair flow pays, and that this is its weight.
fn paid(problem: &Problem, flow: usize, link: usize, prices: &[f64]) -> String {
    let of_flow = &problem.flows[flow];
    let costing = of_flow.route.iter().filter(|&&other| prices[other] > NOTHING * prices[link]).count();
    let price: f64 = of_flow.route.iter().map(|&link| prices[link]).sum();
    let per_mbps = |price: f64| text::number(price * 1e6, 6);
    let total = match costing {
        1 => "no other link of its route costs anything".to_owned(),
        links => format!("with the {links} links that cost anything the route costs {}", per_mbps(price)),
    };
    format!(
        "; it costs {} per Mb/s, the most on this route, and {total}: a weight of {} buys {}",
        per_mbps(prices[link]),
        text::number(of_flow.weight, 6),
        text::rate(of_flow.weight / price)
    )
}

/// The units among which a criterion shares a link.
struct Parties<'a> {
    problem: &'a Problem,
    criterion: Criterion,
    rates: &'a [f64],
    /// Party of each flow.
    party_of_flow: Vec<usize>,
    weights: Vec<f64>,
    /// Whether all weigh one.
    are_unweighted: bool,
    /// What each party is promised, bit/s; empty if nobody is.
    promises: Vec<f64>,
    is_anybody_promised: bool,
    crossing: Incidence,
}

impl<'a> Parties<'a> {
    fn new(problem: &'a Problem, terms: &Terms, criterion: Criterion, rates: &'a [f64]) -> Self {
        let flows = problem.flows.len();
        let (party_of_flow, weights) = match criterion {
            Criterion::Rias | Criterion::RiasIterative => {
                (problem.flows.iter().map(|flow| flow.ingress).collect(), problem.ingress_weights.clone())
            }
            Criterion::IngressEgress => {
                let pairs = ingress_egress::pairs(problem);
                let mut party = vec![0; flows];
                for (index, pair) in pairs.iter().enumerate() {
                    pair.iter().for_each(|&flow| party[flow] = index);
                }
                (party, vec![1.0; pairs.len()])
            }
            _ => ((0..flows).collect(), flow_weights(problem, criterion)),
        };
        let routes = Incidence::from_rows(problem.flows.iter().map(|flow| flow.route.iter().copied()));
        let crossing = routes.transposed(problem.links.len());
        let promises = match criterion {
            Criterion::Rias => terms.ingress_min_rates_bps.clone(),
            Criterion::GeneralWeighted if !terms.min_rates_bps.is_empty() => general_weighted::granted(problem, terms),
            _ => Vec::new(),
        };
        // Asked by every full link.
        let are_unweighted = weights.iter().all(|&weight| weight == 1.0);
        let is_anybody_promised = promises.iter().any(|&promise| promise > 0.0);
        Self {
            problem,
            criterion,
            rates,
            party_of_flow,
            weights,
            are_unweighted,
            promises,
            is_anybody_promised,
            crossing,
        }
    }

    /// What a party with `rate` on a link has there beyond what it is
    /// promised, per unit of weight.
    fn level(&self, party: usize, rate: f64) -> f64 {
        (rate - self.promises.get(party).copied().unwrap_or(0.0)).max(0.0) / self.weights[party]
    }

    fn load(&self, link: usize) -> f64 {
        self.crossing.indices(link).map(|flow| self.rates[flow]).sum()
    }

    /// Parties on a link with what they hold there and one of their flows,
    /// by party number.
    fn on(&self, link: usize) -> Vec<(usize, f64, usize)> {
        look();
        // Who asks for nothing shares nothing.
        let asking = self.crossing.indices(link).filter(|&flow| self.problem.flows[flow].demand_bps > 0.0);
        let mut flows: Vec<(usize, usize)> = asking.map(|flow| (self.party_of_flow[flow], flow)).collect();
        flows.sort_unstable();
        let mut parties: Vec<(usize, f64, usize)> = Vec::new();
        for (party, flow) in flows {
            match parties.last_mut() {
                Some(last) if last.0 == party => last.1 += self.rates[flow],
                _ => parties.push((party, self.rates[flow], flow)),
            }
        }
        parties
    }

    fn name(&self, party: usize, flow: usize) -> String {
        let flow = &self.problem.flows[flow];
        match self.criterion {
            Criterion::Rias | Criterion::RiasIterative => self.problem.nodes[party].clone(),
            Criterion::IngressEgress => {
                format!("{}->{}", self.problem.nodes[flow.ingress], self.problem.nodes[flow.egress])
            }
            _ => flow.id.clone(),
        }
    }

    fn noun(&self, count: usize) -> &'static str {
        match (self.criterion, count) {
            (Criterion::Rias | Criterion::RiasIterative, 1) => "ingress",
            (Criterion::Rias | Criterion::RiasIterative, _) => "ingresses",
            (Criterion::IngressEgress, 1) => "pair",
            (Criterion::IngressEgress, _) => "pairs",
            (_, 1) => "flow",
            _ => "flows",
        }
    }

    /// Whether each flow is a party by itself.
    fn are_flows(&self) -> bool {
        !matches!(self.criterion, Criterion::Rias | Criterion::RiasIterative | Criterion::IngressEgress)
    }

    /// The weight by which a flow is compared with others of its party.
    fn weight_inside(&self, flow: usize) -> f64 {
        if self.criterion == Criterion::Rias { self.problem.flows[flow].weight } else { 1.0 }
    }

    /// The flows of each party on `link`; none where flows of a party are not compared.
    fn insides(&self, link: usize) -> BTreeMap<usize, Inside> {
        let mut insides: BTreeMap<usize, Inside> = BTreeMap::new();
        if self.are_flows() || self.criterion == Criterion::RiasIterative {
            return insides;
        }
        for flow in self.crossing.indices(link) {
            let (rate, weight) = (self.rates[flow], self.weight_inside(flow));
            let inside = insides.entry(self.party_of_flow[flow]).or_insert_with(|| Inside::new(weight));
            inside.total += rate;
            inside.levels.push(rate / weight);
            inside.one_weight &= weight == inside.first_weight;
        }
        insides.values_mut().for_each(|inside| inside.levels.sort_by(f64::total_cmp));
        insides
    }

    /// How a flow stands among those of its own party on `link`; empty when
    /// it is alone there or is a party itself.
    fn inside(&self, flow: usize, link: usize, insides: &BTreeMap<usize, Inside>) -> String {
        let party = self.party_of_flow[flow];
        let Some(own) = insides.get(&party).filter(|own| own.levels.len() > 1) else { return String::new() };
        let level = self.rates[flow] / self.weight_inside(flow);
        let per_weight = if own.one_weight { "" } else { " for its weight" };
        let standing = if own.are_level_with(level, SAME * self.problem.links[link].capacity_bps) {
            format!("all {} of its flows here hold the same{per_weight}", own.levels.len())
        } else {
            format!("none of its {} flows here holds more{per_weight}", own.levels.len())
        };
        format!(
            "; of the {} of {} this flow has {}, {standing}",
            text::rate(own.total),
            self.name(party, flow),
            text::rate(self.rates[flow]),
        )
    }
}

/// The flows of one party on a link.
#[derive(Debug, Clone)]
struct Inside {
    /// The sum of their rates.
    total: f64,
    /// Their rates per unit of weight, ascending.
    levels: Vec<f64>,
    first_weight: f64,
    /// Whether all weigh the same.
    one_weight: bool,
}

impl Inside {
    fn new(first_weight: f64) -> Self {
        Self { total: 0.0, levels: Vec::new(), first_weight, one_weight: true }
    }

    /// Whether no level differs from `level` by more than `slack`.
    fn are_level_with(&self, level: f64, slack: f64) -> bool {
        let is_near = |other: Option<&f64>| other.is_none_or(|other| (other - level).abs() <= slack);
        is_near(self.levels.first()) && is_near(self.levels.last())
    }
}

/// How a full link is shared, told once for all flows it holds.
#[derive(Debug, Clone)]
struct Account {
    opening: String,
    sharers: Arc<[Sharer]>,
    /// By party.
    insides: BTreeMap<usize, Inside>,
}

impl Account {
    fn new(parties: &Parties, link: usize) -> Self {
        let id = &parties.problem.links[link].id;
        let capacity = parties.problem.links[link].capacity_bps;
        let on = parties.on(link);
        let level = |&(party, rate, _): &(usize, f64, usize)| parties.level(party, rate);
        let highest = on.iter().map(level).fold(0.0, f64::max);
        let heaviest = on.iter().map(|(party, ..)| parties.weights[*party]).fold(0.0, f64::max);
        let same = |entry: &(usize, f64, usize)| highest - level(entry) <= SAME * capacity / heaviest;
        let top: Vec<_> = on.iter().filter(|entry| same(entry)).copied().collect();

        let full = format!("link {id} is full ({})", text::rate(capacity));
        let opening = if parties.criterion == Criterion::RiasIterative {
            format!("{full}: the construction has nothing left to hand out there")
        } else if on.len() == 1 {
            let (party, _, flow) = on[0];
            format!("{full}; {} {} has it alone", parties.noun(1), parties.name(party, flow))
        } else {
            format!("{full}; {}, {}", holders(parties, &top), remainder(on.len() - top.len()))
        };
        Self { opening, sharers: sharers(parties, on), insides: parties.insides(link) }
    }

    /// A full link under proportional fairness, where nobody is level with
    /// anybody.
    fn priced(parties: &Parties, link: usize) -> Self {
        let of_link = &parties.problem.links[link];
        let opening = format!("link {} is full ({})", of_link.id, text::rate(of_link.capacity_bps));
        Self { opening, sharers: sharers(parties, parties.on(link)), insides: BTreeMap::new() }
    }
}

/// The parties on a link, cut to the length of a list that is written out.
fn sharers(parties: &Parties, mut on: Vec<(usize, f64, usize)>) -> Arc<[Sharer]> {
    if on.len() > Limit::SHARERS_LISTED {
        let level = |&(party, rate, _): &(usize, f64, usize)| parties.level(party, rate);
        on.sort_by(|a, b| level(b).total_cmp(&level(a)).then(a.0.cmp(&b.0)));
        on.truncate(Limit::SHARERS_LISTED);
    }
    let sharer = |(party, rate_bps, flow)| Sharer {
        name: parties.name(party, flow),
        rate_bps,
        weight: parties.weights[party],
        promised_bps: parties.promises.get(party).copied().unwrap_or(0.0),
    };
    on.into_iter().map(sharer).collect()
}

/// Who holds the most on a link, and how much.
fn holders(parties: &Parties, top: &[(usize, f64, usize)]) -> String {
    const NAMED: usize = 8;
    let mut names: Vec<String> = top.iter().take(NAMED).map(|&(party, _, flow)| parties.name(party, flow)).collect();
    if top.len() > NAMED {
        names.push(format!("{} more", top.len() - NAMED));
    }
    let names = match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    };
    let noun = parties.noun(top.len());
    let verb = if top.len() == 1 { "holds" } else { "hold" };
    let (first, rate, _) = top[0];
    let weight = parties.weights[first];
    let unweighted = parties.are_unweighted;
    if parties.is_anybody_promised {
        let level = text::rate(parties.level(first, rate));
        let per_weight = if unweighted { "" } else { " per unit of weight" };
        format!("beyond what is promised to each, {noun} {names} {verb} {level}{per_weight}")
    } else if unweighted {
        let each = if top.len() == 1 { "" } else { " each" };
        format!("{noun} {names} {verb} {}{each}", text::rate(rate))
    } else if parties.criterion == Criterion::InverseHop {
        format!("{noun} {names} {verb} {} divided by the number of hops", text::rate(rate / weight))
    } else if top.len() == 1 {
        format!("{noun} {names} {verb} {} for a weight of {}", text::rate(rate), text::number(weight, 6))
    } else {
        format!("{noun} {names} {verb} {} per unit of weight", text::rate(rate / weight))
    }
}

fn remainder(others: usize) -> String {
    match others {
        0 => "and there is nobody else".to_owned(),
        1 => "and the other one holds less".to_owned(),
        more => format!("and the other {more} hold less"),
    }
}
