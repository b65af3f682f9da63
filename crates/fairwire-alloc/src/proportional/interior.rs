//! An interior-point method for what Newton's method on the prices leaves.
//!
//! Where a demand lies just beside what a link would grant, a price and the
//! room below that demand run into zero together, and steps on prices alone
//! get nowhere. Here every demand has a price of its own, as every link has.
//! Rates, room and prices all stay above zero, and price × room shrinks
//! towards zero for each link and each demand, measured by the weight of
//! those who pay: a small flow beside large ones is solved as exactly as
//! they are.

use std::iter;

use super::cholesky::Cholesky;
use super::dual::Dual;
use crate::interrupt::look;

/// Larger networks are left to the other method: a step costs their cube.
pub(super) const MAX_LINKS: usize = 1000;
/// Steps at most.
const MAX_STEPS: usize = 200;
/// Price × room, as a part of the weight, at which the search ends.
const END: f64 = 1e-26;
/// How far price × room aims down after a short step, and after a long one.
const AIMS: [f64; 2] = [0.2, 0.01];
/// The part of the way to zero that a step may go.
const SHY: f64 = 0.98;
/// What is added to a link's own curvature, so that links that cost the same flows the same have one answer.
const APART: f64 = 1e-14;
/// A part of a step after which rounding is taken to stand in the way.
const STUCK: f64 = 1e-12;
/// Errors below this are rounding.
const EXACT: f64 = 1e-11;
/// Sums of rates are no more exact than this.
const ROUNDING: f64 = 1e-15;
/// A demand is met when what is missing is less than this part of it.
const MET: f64 = 1e-12;

/// Rates in the units of the dual, and what they cost.
pub(super) struct Interior {
    /// Price of each link.
    pub prices: Vec<f64>,
    /// Rate of each flow.
    pub rates: Vec<f64>,
    /// What other rates could be better by at most, relative to all weight.
    pub gap: f64,
    /// How far the prices are from right for any flow, link or demand, as a part of its own weight.
    pub error: f64,
    /// Whether each flow has its demand.
    pub satisfied: Vec<bool>,
}

/// The best rates of a problem in which somebody demands something.
pub(super) fn solve(dual: &Dual) -> Interior {
    let mut state = State::new(dual);
    let mut aim = AIMS[0];
    let mut best = state.answer();
    for _ in 0..MAX_STEPS {
        look();
        let nearness = state.nearness();
        if nearness <= END {
            break;
        }
        let Some(part) = state.step(aim * nearness) else { break };
        aim = if part > 0.9 { AIMS[1] } else { AIMS[0] };
        let now = state.answer();
        // Later is better where both are exact: what runs into zero in pairs is still on its way.
        if now.error <= best.error.max(EXACT) {
            best = now;
        }
        if part < STUCK {
            break;
        }
    }
    best
}

/// What `taken` leaves of `all`, where that is more than rounding: room may be smaller than the last digit of what it is
/// left of.
fn missing(all: f64, taken: f64) -> f64 {
    let missing = all - taken;
    if missing.abs() <= ROUNDING * all { 0.0 } else { missing }
}

/// The part of a step that leaves these values above zero; those below `rounding` do not count. Nothing if a change is
/// not a number.
fn part_of(values: &[f64], changes: &[f64], rounding: impl Iterator<Item = f64>) -> Option<f64> {
    let mut part = 1.0_f64;
    for ((value, change), rounding) in values.iter().zip(changes).zip(rounding) {
        if !change.is_finite() {
            return None;
        }
        if *change < 0.0 && *value > rounding {
            part = part.min(-SHY * value / change);
        }
    }
    Some(part)
}

/// How flows answer in a step.
struct Responses {
    /// By how much each rate moves whatever the links cost.
    moves: Vec<f64>,
    /// By how much each rate falls for a unit of price more.
    yields: Vec<f64>,
}

/// By how much everything in a state changes.
struct Step {
    prices: Vec<f64>,
    rooms: Vec<f64>,
    rates: Vec<f64>,
    demand_prices: Vec<f64>,
    demand_rooms: Vec<f64>,
}

/// Where the search stands.
struct State<'a> {
    dual: &'a Dual,
    /// Flows that demand anything.
    flows: Vec<usize>,
    /// Weight of the flows on each link; links without any take no part.
    link_weights: Vec<f64>,
    prices: Vec<f64>,
    rooms: Vec<f64>,
    /// By flow.
    rates: Vec<f64>,
    /// Price of each flow's own demand, and the room below it.
    demand_prices: Vec<f64>,
    demand_rooms: Vec<f64>,
}

impl<'a> State<'a> {
    fn new(dual: &'a Dual) -> Self {
        let flows: Vec<usize> = (0..dual.weights.len()).filter(|&flow| dual.weights[flow] > 0.0).collect();
        let mut link_weights = vec![0.0; dual.capacities.len()];
        for &flow in &flows {
            dual.routes.indices(flow).for_each(|link| link_weights[link] += dual.weights[flow]);
        }
        // Shares by weight fit into every link.
        let mut rates = vec![0.0; dual.weights.len()];
        for &flow in &flows {
            let share = |link: usize| dual.capacities[link] * dual.weights[flow] / link_weights[link];
            let most = dual.routes.indices(flow).map(share).fold(dual.ceilings[flow], f64::min);
            rates[flow] = 0.5 * most;
        }
        let mut state = Self {
            dual,
            rooms: dual.capacities.clone(),
            prices: vec![0.0; link_weights.len()],
            demand_prices: vec![0.0; rates.len()],
            demand_rooms: vec![f64::INFINITY; rates.len()],
            link_weights,
            rates,
            flows,
        };
        let loads = state.loads(&state.rates);
        for (link, load) in loads.iter().enumerate() {
            state.rooms[link] -= load;
            state.prices[link] = state.link_weights[link] / dual.capacities[link];
        }
        for &flow in &state.flows {
            if dual.is_demand[flow] {
                state.demand_rooms[flow] = dual.ceilings[flow] - state.rates[flow];
                state.demand_prices[flow] = dual.weights[flow] / dual.ceilings[flow];
            }
        }
        state
    }

    fn loads(&self, rates: &[f64]) -> Vec<f64> {
        let mut loads = vec![0.0; self.prices.len()];
        for &flow in &self.flows {
            self.dual.routes.indices(flow).for_each(|link| loads[link] += rates[flow]);
        }
        loads
    }

    /// What a flow pays per unit of rate: to its links and for its demand.
    fn price(&self, flow: usize) -> f64 {
        self.dual.routes.indices(flow).map(|link| self.prices[link]).sum::<f64>() + self.demand_prices[flow]
    }

    /// Price × room as a part of the weight, the mean of all.
    fn nearness(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for link in self.used_links() {
            sum += self.prices[link] * self.rooms[link] / self.link_weights[link];
            count += 1.0;
        }
        for &flow in self.flows.iter().filter(|&&flow| self.dual.is_demand[flow]) {
            sum += self.demand_prices[flow] * self.demand_rooms[flow] / self.dual.weights[flow];
            count += 1.0;
        }
        sum / count
    }

    fn used_links(&self) -> impl Iterator<Item = usize> {
        (0..self.prices.len()).filter(|&link| self.link_weights[link] > 0.0)
    }

    /// Takes a step towards price × room = `aim` times the weight everywhere; returns the part of the step that could be
    /// taken, or nothing if the step is not a number.
    fn step(&mut self, aim: f64) -> Option<f64> {
        let responses = self.responses(aim);
        let prices = self.price_changes(aim, &responses);
        let step = self.changes(aim, responses, prices);
        let part = self.part_to_take(&step)?;
        self.take(&step, part);
        Some(part)
    }

    /// What each flow does in a step whatever the links cost, and how it answers to what they cost more.
    fn responses(&self, aim: f64) -> Responses {
        let dual = self.dual;
        let mut responses = Responses { moves: vec![0.0; self.rates.len()], yields: vec![0.0; self.rates.len()] };
        for &flow in &self.flows {
            let (rate, price) = (self.rates[flow], self.price(flow));
            let mut stiffness = price / rate;
            let mut push = dual.weights[flow] / rate - price;
            if dual.is_demand[flow] {
                let (demand_price, room) = (self.demand_prices[flow], self.demand_rooms[flow]);
                let short = self.missing_below_demand(flow);
                stiffness += demand_price / room;
                push -= (aim * dual.weights[flow] - demand_price * room - demand_price * short) / room;
            }
            responses.yields[flow] = 1.0 / stiffness;
            responses.moves[flow] = push / stiffness;
        }
        responses
    }

    /// How the prices of links change: a linear equation for each link that is used.
    fn price_changes(&self, aim: f64, responses: &Responses) -> Vec<f64> {
        let links: Vec<usize> = self.used_links().collect();
        let loads = self.loads(&self.rates);
        let moved = self.loads(&responses.moves);
        let mut matrix = self.yields_on(&links, responses);
        let mut right = Vec::with_capacity(links.len());
        for (at, &link) in links.iter().enumerate() {
            let (price, room) = (self.prices[link], self.rooms[link]);
            let own = &mut matrix[at * links.len() + at];
            *own = *own * (1.0 + APART) + room / price;
            let missing = self.missing_on_link(link, &loads);
            right.push((aim * self.link_weights[link] - price * room) / price - missing + moved[link]);
        }
        let solution = Cholesky::new(matrix, links.len()).solve(&right);
        let mut changes = vec![0.0; self.prices.len()];
        links.iter().zip(solution).for_each(|(&link, change)| changes[link] = change);
        changes
    }

    /// By how much the load of one of these links falls when another one costs more: a matrix, row by row.
    fn yields_on(&self, links: &[usize], responses: &Responses) -> Vec<f64> {
        let mut position = vec![usize::MAX; self.prices.len()];
        links.iter().enumerate().for_each(|(at, &link)| position[link] = at);
        let mut matrix = vec![0.0; links.len() * links.len()];
        for &flow in &self.flows {
            for one in self.dual.routes.indices(flow) {
                for other in self.dual.routes.indices(flow) {
                    matrix[position[one] * links.len() + position[other]] += responses.yields[flow];
                }
            }
        }
        matrix
    }

    /// The whole step, once the changes of the links' prices are known.
    fn changes(&self, aim: f64, responses: Responses, prices: Vec<f64>) -> Step {
        let dual = self.dual;
        let mut rates = responses.moves;
        for &flow in &self.flows {
            let dearer: f64 = dual.routes.indices(flow).map(|link| prices[link]).sum();
            rates[flow] -= responses.yields[flow] * dearer;
        }
        let (loads, load_changes) = (self.loads(&self.rates), self.loads(&rates));
        let mut rooms = vec![0.0; self.prices.len()];
        for link in self.used_links() {
            rooms[link] = self.missing_on_link(link, &loads) - load_changes[link];
        }
        let (mut demand_prices, mut demand_rooms) = (vec![0.0; self.rates.len()], vec![0.0; self.rates.len()]);
        for &flow in self.flows.iter().filter(|&&flow| dual.is_demand[flow]) {
            let (price, room) = (self.demand_prices[flow], self.demand_rooms[flow]);
            let change = self.missing_below_demand(flow) - rates[flow];
            demand_rooms[flow] = change;
            demand_prices[flow] = (aim * dual.weights[flow] - price * room - price * change) / room;
        }
        Step { prices, rooms, rates, demand_prices, demand_rooms }
    }

    /// What the load and the room of a link leave of its capacity.
    fn missing_on_link(&self, link: usize, loads: &[f64]) -> f64 {
        missing(self.dual.capacities[link], loads[link] + self.rooms[link])
    }

    /// What the rate and the room of a flow leave of its demand.
    fn missing_below_demand(&self, flow: usize) -> f64 {
        missing(self.dual.ceilings[flow], self.rates[flow] + self.demand_rooms[flow])
    }

    /// The part of a step after which everything is still above zero; nothing if the step is not a number. What is as
    /// small as rounding may run into zero.
    fn part_to_take(&self, step: &Step) -> Option<f64> {
        let dual = self.dual;
        let room = |most: &f64| ROUNDING * most;
        let price = |(weight, most): (&f64, &f64)| ROUNDING * weight / most;
        let parts = [
            part_of(&self.prices, &step.prices, self.link_weights.iter().zip(&dual.capacities).map(price)),
            part_of(&self.rooms, &step.rooms, dual.capacities.iter().map(room)),
            part_of(&self.rates, &step.rates, iter::repeat(0.0)),
            part_of(&self.demand_prices, &step.demand_prices, dual.weights.iter().zip(&dual.ceilings).map(price)),
            part_of(&self.demand_rooms, &step.demand_rooms, dual.ceilings.iter().map(room)),
        ];
        parts.into_iter().try_fold(1.0, |least: f64, part| Some(least.min(part?)))
    }

    /// Moves everything by a part of a step, and nothing below a small part of what it was.
    fn take(&mut self, step: &Step, part: f64) {
        let moving = [
            (&mut self.prices, &step.prices),
            (&mut self.rooms, &step.rooms),
            (&mut self.rates, &step.rates),
            (&mut self.demand_prices, &step.demand_prices),
            (&mut self.demand_rooms, &step.demand_rooms),
        ];
        for (values, changes) in moving {
            for (value, change) in values.iter_mut().zip(changes) {
                *value = (*value + part * change).max((1.0 - SHY) * *value);
            }
        }
    }

    /// The rates as they are, made to fit into links and demands, and how good they are.
    fn answer(&self) -> Interior {
        let (rates, satisfied) = self.fitting_rates();
        let (gap, error) = self.quality(&rates);
        Interior { prices: self.prices.clone(), rates, gap, error, satisfied }
    }

    /// Rates that fit into links and demands, and whether each is its demand.
    fn fitting_rates(&self) -> (Vec<f64>, Vec<bool>) {
        let dual = self.dual;
        let mut rates = self.rates.clone();
        let mut satisfied = vec![false; rates.len()];
        for flow in 0..rates.len() {
            satisfied[flow] = dual.is_demand[flow] && rates[flow] >= dual.ceilings[flow] * (1.0 - MET);
            if satisfied[flow] {
                rates[flow] = dual.ceilings[flow];
            }
        }
        let over = |(load, capacity): (f64, &f64)| (load / capacity).max(1.0);
        let overloads: Vec<f64> = self.loads(&rates).into_iter().zip(&dual.capacities).map(over).collect();
        for &flow in &self.flows {
            let most = dual.routes.indices(flow).map(|link| overloads[link]).fold(1.0, f64::max);
            // Rounding may fill a link beyond its last digit; that much is no refusal of a demand.
            if !satisfied[flow] || most > 1.0 + MET {
                rates[flow] /= most;
            }
        }
        (rates, satisfied)
    }

    /// What other rates could be better by at most, relative to all weight, and the largest error of a price: see
    /// [`Interior`].
    fn quality(&self, rates: &[f64]) -> (f64, f64) {
        let dual = self.dual;
        let loads = self.loads(rates);
        let (mut gap, mut error) = (0.0, 0.0_f64);
        let mut count = |wasted: f64, weight: f64| {
            gap += wasted;
            error = error.max(wasted / weight);
        };
        for link in self.used_links() {
            let room = (dual.capacities[link] - loads[link]).max(0.0);
            count(self.prices[link] * room, self.link_weights[link]);
        }
        let mut unpaid = 0.0_f64;
        for &flow in &self.flows {
            let (rate, weight) = (rates[flow], dual.weights[flow]);
            let paid = self.price(flow) * rate / weight;
            unpaid = unpaid.max((paid - 1.0).abs());
            count(weight * (paid - 1.0 - paid.ln()).max(0.0), weight);
            if dual.is_demand[flow] {
                count(self.demand_prices[flow] * (dual.ceilings[flow] - rate).max(0.0), weight);
            }
        }
        (gap / dual.weight, error.max(unpaid))
    }
}
