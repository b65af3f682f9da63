//! Random networks on which flows, terms and bandwidth change.

use super::reference::fair_rates;
use super::{Change, FlowPlan, Plan, PortPlan};
use fairwire_core::{Instant, RandomStream, Span, Streams};
use fairwire_laws::rate::{FirstRate, Manner, OnChange, SendingPlan, Terms};
use rand::RngExt;

/// What networks are drawn from, and what happens on them.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    pub most_flows: usize,
    pub changes: usize,
    /// How many loops a phase lasts.
    pub loops: u64,
    /// By how much bandwidth may fall at most, as a part: 0 for not at all.
    pub fall: f64,
    pub control_loss: f64,
    pub first: FirstRate,
}

impl Default for Draw {
    fn default() -> Self {
        Self { most_flows: 200, changes: 6, loops: 50, fall: 0.0, control_loss: 0.0, first: FirstRate::Ask }
    }
}

/// What holds between two changes.
#[derive(Clone, Debug)]
pub struct Phase {
    pub from: Instant,
    /// A loop before the next change: the last packet of a flow comes a little before the flow stops.
    pub to: Instant,
    /// The fair rate of every flow that is on.
    pub fair: Vec<Option<f64>>,
    /// The longest round trip and the longest time between two control packets of one flow.
    pub turn: Span,
    /// Whether bandwidth fell at its beginning.
    pub falls: bool,
}

/// A random network and its phases.
pub struct Trial {
    pub plan: Plan,
    pub phases: Vec<Phase>,
}

/// A logarithmically uniform number.
fn log_uniform(rng: &mut RandomStream, from: f64, to: f64) -> f64 {
    (from.ln() + rng.random::<f64>() * (to / from).ln()).exp()
}

/// Links of a chain, a tree or a mesh: from an earlier node to a later one, so that no link carries data both ways.
fn links(rng: &mut RandomStream) -> Vec<(usize, usize)> {
    let nodes = rng.random_range(3..=8);
    match rng.random_range(0..3) {
        0 => (1..nodes).map(|node| (node - 1, node)).collect(),
        1 => (0..nodes - 1).map(|node| (node, rng.random_range(node + 1..nodes))).collect(),
        _ => {
            let mut links: Vec<(usize, usize)> = (1..nodes).map(|node| (node - 1, node)).collect();
            for _ in 0..nodes {
                let from = rng.random_range(0..nodes - 1);
                links.push((from, rng.random_range(from + 1..nodes)));
            }
            links
        }
    }
}

/// A walk over links from anywhere.
fn route(rng: &mut RandomStream, links: &[(usize, usize)]) -> Vec<usize> {
    let mut route = vec![rng.random_range(0..links.len())];
    loop {
        let end = links[route[route.len() - 1]].1;
        let next: Vec<usize> = (0..links.len()).filter(|&link| links[link].0 == end).collect();
        if next.is_empty() || rng.random_bool(0.2) {
            return route;
        }
        route.push(next[rng.random_range(0..next.len())]);
    }
}

/// Terms of which minimums fit everywhere, even when all flows are on and bandwidth has fallen.
fn terms(rng: &mut RandomStream, least_bps: f64, flows: usize) -> Terms {
    let equal = least_bps / flows as f64;
    let minimum_bps = if rng.random_bool(0.5) { 0.0 } else { 0.15 * equal * rng.random::<f64>() };
    let mut bound = || if rng.random_bool(0.5) { 1e11 } else { minimum_bps + log_uniform(rng, 0.3, 100.0) * equal };
    let (peak_bps, supported_bps) = (bound().min(2e10), bound());
    Terms { minimum_bps, peak_bps, supported_bps, weight: log_uniform(rng, 0.25, 4.0) }
}

impl Trial {
    pub fn draw(seed: u64, draw: &Draw) -> Self {
        let rng = &mut Streams::new(seed, 0).component("network");
        let links = links(rng);
        let size = [53, 500, 1500, 9000][rng.random_range(0..4)];
        // A round trip of more than some hundred packets would only take long to simulate.
        let (base_bps, way_s) = loop {
            let (bps, way_s) = (log_uniform(rng, 5e7, 1e10), log_uniform(rng, 5e-6, 0.025));
            if bps * 2.0 * way_s / (8.0 * f64::from(size)) < 300.0 {
                break (bps, way_s);
            }
        };
        let mut port = |_: &(usize, usize)| PortPlan {
            capacity_bps: (base_bps * log_uniform(rng, 1.0, 4.0)).min(1e10) as u64,
            delay: Span::from_secs_f64(way_s * log_uniform(rng, 0.05, 0.5)),
            buffer: u32::MAX,
        };
        let ports: Vec<PortPlan> = links.iter().map(&mut port).collect();
        let flows = log_uniform(rng, 2.0, draw.most_flows as f64 + 0.99) as usize;
        let sending = SendingPlan {
            packet_bytes: size,
            control_every: 30,
            control_within: Some(Span::from_micros(500)),
            control_least: 16,
            first: draw.first,
            on_change: OnChange::Reschedule,
            manner: Manner::Honest,
        };
        let mut flow = |_| FlowPlan {
            route: route(rng, &links),
            access: Span::from_secs_f64(way_s * log_uniform(rng, 0.01, 0.1)),
            terms: terms(rng, base_bps, flows),
            sending,
            start: Instant::NEVER,
            stop: Instant::NEVER,
        };
        let flows: Vec<FlowPlan> = (0..flows).map(&mut flow).collect();
        let plan = Plan { ports, flows, changes: Vec::new(), control_loss: draw.control_loss, seed };
        let mut story = Story { draw: *draw, plan, on: Vec::new(), phases: Vec::new() };
        story.tell(rng, base_bps);
        Self { plan: story.plan, phases: story.phases }
    }
}

/// A network while its changes are drawn.
struct Story {
    draw: Draw,
    plan: Plan,
    /// By flow: whether it is on, and its terms now.
    on: Vec<(bool, Terms)>,
    phases: Vec<Phase>,
}

impl Story {
    fn tell(&mut self, rng: &mut RandomStream, base_bps: f64) {
        let mut bandwidth: Vec<u64> = self.plan.ports.iter().map(|port| port.capacity_bps).collect();
        let mut now = Instant::from_nanos(1_000);
        for flow in 0..self.plan.flows.len() {
            let begins = flow < 2 || rng.random_bool(0.6);
            self.on.push((begins, self.plan.flows[flow].terms));
            if begins {
                self.plan.flows[flow].start = now;
            }
        }
        now = self.phase(now, &bandwidth, false);
        for _ in 0..self.draw.changes {
            let falls = self.change(rng, now, base_bps, &mut bandwidth);
            now = self.phase(now, &bandwidth, falls);
        }
    }

    /// Starts, stops, other terms or bandwidth; whether bandwidth falls.
    fn change(&mut self, rng: &mut RandomStream, now: Instant, base_bps: f64, bandwidth: &mut [u64]) -> bool {
        let kind = rng.random_range(0..4);
        if kind == 3 {
            let port = rng.random_range(0..bandwidth.len());
            let full = self.plan.ports[port].capacity_bps as f64;
            let least = if self.draw.fall > 0.0 { 1.0 - self.draw.fall } else { 1.0 };
            let wanted = match self.draw.fall {
                0.0 => bandwidth[port] as f64 * log_uniform(rng, 1.0, 2.0),
                _ => full * (least + (1.0 - least) * rng.random::<f64>()),
            };
            let bps = wanted.min(1e10) as u64;
            let falls = bps < bandwidth[port];
            bandwidth[port] = bps;
            self.plan.changes.push((now, Change::Capacity { port, bps }));
            return falls;
        }
        let flows = self.plan.flows.len();
        let touched = rng.random_range(1..=1 + flows / 4);
        for _ in 0..touched {
            let flow = rng.random_range(0..flows);
            match (self.on[flow].0, kind) {
                (true, 2) => {
                    let terms = terms(rng, base_bps * (1.0 - self.draw.fall), flows);
                    self.on[flow].1 = terms;
                    self.plan.changes.push((now, Change::Terms { flow, terms }));
                }
                (true, 1) if self.on.iter().filter(|on| on.0).count() > 1 => {
                    self.plan.flows[flow].stop = now;
                    self.on[flow].0 = false;
                }
                (false, _) => self.start(flow, now),
                _ => {}
            }
        }
        false
    }

    /// A flow that was on before comes back as another one.
    fn start(&mut self, flow: usize, now: Instant) {
        if self.plan.flows[flow].start == Instant::NEVER {
            self.plan.flows[flow].start = now;
            self.on[flow].0 = true;
        } else {
            let terms = self.on[flow].1;
            let again = FlowPlan { start: now, stop: Instant::NEVER, terms, ..self.plan.flows[flow].clone() };
            self.plan.flows.push(again);
            self.on.push((true, terms));
        }
    }

    /// The phase from `now` on: when the next one begins.
    fn phase(&mut self, now: Instant, bandwidth: &[u64], falls: bool) -> Instant {
        let on: Vec<usize> = (0..self.on.len()).filter(|&flow| self.on[flow].0).collect();
        let sharers: Vec<(&[usize], Terms)> =
            on.iter().map(|&flow| (&self.plan.flows[flow].route[..], self.on[flow].1)).collect();
        let capacities: Vec<f64> = bandwidth.iter().map(|&bps| bps as f64).collect();
        let rates = fair_rates(&capacities, &sharers);
        let mut fair = vec![None; self.plan.flows.len()];
        let (mut trip, mut gap) = (Span::ZERO, Span::ZERO);
        for (&flow, rate) in on.iter().zip(rates) {
            fair[flow] = Some(rate);
            trip = trip.max(self.round_trip(flow, bandwidth));
            gap = gap.max(between_controls(&self.plan.flows[flow].sending, rate));
        }
        let turn = trip + gap;
        let to = now + turn * (self.draw.loops - 1);
        self.phases.push(Phase { from: now, to, fair, turn, falls });
        to + turn
    }

    /// Propagation both ways, and the time of a packet at each port.
    fn round_trip(&self, flow: usize, bandwidth: &[u64]) -> Span {
        let plan = &self.plan.flows[flow];
        let bits = f64::from(plan.sending.packet_bytes) * 8.0;
        let sending: f64 = plan.route.iter().map(|&port| bits / bandwidth[port] as f64).sum();
        self.plan.round_trip(flow) + Span::from_secs_f64(sending)
    }
}

/// The time between two control packets of a flow at this rate.
pub fn between_controls(sending: &SendingPlan, rate_bps: f64) -> Span {
    let packet = f64::from(sending.packet_bytes) * 8.0 / rate_bps;
    let by_count = f64::from(sending.control_every) * packet;
    let by_time = sending
        .control_within
        .map_or(f64::INFINITY, |within| within.as_secs_f64().max(f64::from(sending.control_least + 1) * packet));
    Span::from_secs_f64(by_count.min(by_time).min(0.1 + packet))
}
