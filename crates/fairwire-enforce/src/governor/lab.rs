//! A network of governors on links of arithmetic: rates flow at once, and a link sends what it can.

use super::node::NodeGovernor;
use crate::counts::ClassCounts;
use crate::desk::options;
use crate::envelope::FlowHead;
use crate::plan::{Hop, NodePlan};
use crate::{EnforceError, Options};
use fairwire_core::{Instant, RandomStream, Span, Streams};
use fairwire_exchange::GovernedQueue;
use fairwire_scenario::Scenario;
use rand::RngExt;
use std::net::SocketAddr;

/// From one step to the next. A message takes one, or as many more as `Lab::late` says at most.
pub const STEP: Span = Span::from_millis(2);
pub const LEASE: Span = Span::from_millis(500);
const PACKET_BYTES: f64 = 1_514.0;
/// What a class holds.
const MOST_WAITING: f64 = 300.0 * PACKET_BYTES;

/// How a node of a scenario is governed: node `n` has the addresses 10.99.n.0/24, and its links devices of their numbers.
pub fn node_options(scenario: &Scenario, node: usize) -> Options {
    let plan = scenario.network_plan(0).expect("a network");
    let network = scenario.network().expect("a network");
    let crossed = |link: &usize| plan.flows.iter().any(|flow| flow.route.contains(&(*link as u32)));
    let leaving = (0..plan.links.len()).filter(|&link| plan.links[link].from as usize == node).filter(crossed);
    let next = |pair: (u32, u32)| match pair {
        (from, to) if from as usize == node => Some(to),
        (from, to) if to as usize == node => Some(from),
        _ => None,
    };
    let links = (0..plan.links.len()).filter(crossed).map(|link| (plan.links[link].from, plan.links[link].to));
    let mut peers: Vec<u32> = links.filter_map(next).collect();
    peers.sort_unstable();
    peers.dedup();
    let addresses = network.nodes.iter().enumerate();
    let ring = options(0);
    Options {
        devices: leaving.map(|link| (plan.links[link].name.clone(), format!("eth{link}"))).collect(),
        addresses: addresses.map(|(n, name)| (name.clone(), format!("10.99.{n}.0/24").parse().unwrap())).collect(),
        peers: peers.into_iter().map(|n| (network.nodes[n as usize].clone(), at(n as usize))).collect(),
        tick: Span::from_millis(10),
        lease: LEASE,
        ..ring
    }
}

fn at(node: usize) -> SocketAddr {
    SocketAddr::from(([10, 99, node as u8, 1], crate::PORT))
}

/// The plan of a node by its place.
pub fn node_plan(scenario: &Scenario, node: usize, options: Options) -> Result<NodePlan, EnforceError> {
    let fair = scenario.fair_rates(scenario.criterion()).unwrap();
    NodePlan::new(scenario, &fair.rates_bps, &scenario.network().unwrap().nodes[node], options)
}

/// The plans of all nodes that flows come by.
pub fn plans(scenario: &Scenario) -> Vec<NodePlan> {
    let nodes = 0..scenario.network().expect("a network").nodes.len();
    let plan = |node| node_plan(scenario, node, node_options(scenario, node));
    let reached = |plan: Result<NodePlan, EnforceError>| match plan {
        Ok(plan) => Some(plan),
        Err(EnforceError::Tc(fairwire_exchange::TcError::NoFlows(_))) => None,
        Err(error) => panic!("{error}"),
    };
    nodes.map(plan).filter_map(reached).collect()
}

/// A class of a flow at a link.
#[derive(Clone, Copy, Debug, Default)]
struct Class {
    sent_bytes: f64,
    waiting_bytes: f64,
    limit_bps: f64,
}

/// A router, if it is there, and its classes: of each link, of each flow.
struct Router<'a> {
    plan: &'a NodePlan,
    governor: Option<NodeGovernor<'a>>,
    classes: Vec<Vec<Class>>,
    other_bytes: Vec<f64>,
}

/// A message under way.
struct Letter {
    arrives: Instant,
    to: Hop,
    head: FlowHead,
    bytes: Vec<u8>,
}

/// The network.
pub struct Lab<'a> {
    routers: Vec<Router<'a>>,
    /// What flows offer; none for one that never runs out.
    pub offers: Vec<Option<f64>>,
    /// Of so many messages one is lost on a link; one as many comes twice.
    pub lost: f64,
    pub twice: f64,
    /// So many steps later a message comes at most.
    pub late: u32,
    /// What belongs to no flow at a link, by its name.
    pub other: Option<(String, f64)>,
    under_way: Vec<Letter>,
    rng: RandomStream,
    now: Instant,
    lives: u64,
}

impl<'a> Lab<'a> {
    pub fn new(plans: &'a [NodePlan], flows: usize) -> Self {
        let router = |plan: &'a NodePlan| Router {
            plan,
            governor: None,
            classes: plan.links.iter().map(|link| vec![Class::default(); link.flows.len()]).collect(),
            other_bytes: vec![0.0; plan.links.len()],
        };
        let mut lab = Self {
            routers: plans.iter().map(router).collect(),
            offers: vec![None; flows],
            lost: 0.0,
            twice: 0.0,
            late: 0,
            other: None,
            under_way: Vec::new(),
            rng: Streams::new(7, 0).component("lab"),
            now: Instant::ZERO,
            lives: 0,
        };
        for place in 0..plans.len() {
            lab.begin(place);
        }
        lab
    }

    /// A router's process begins, with safe limits.
    pub fn begin(&mut self, place: usize) {
        self.lives += 1;
        let router = &mut self.routers[place];
        router.set_safe();
        let mut governor = NodeGovernor::new(router.plan, self.lives);
        governor.start(self.now, &router.counts());
        router.governor = Some(governor);
    }

    /// A router's process ends, and limits are safe.
    pub fn kill(&mut self, place: usize) {
        self.routers[place].governor = None;
        self.routers[place].set_safe();
    }

    /// Runs so long.
    pub fn run(&mut self, span: Span) {
        let end = self.now + span;
        while self.now < end {
            self.now += STEP;
            self.flow();
            self.deliver();
            for router in &mut self.routers {
                let counts = router.counts();
                if let Some(governor) = &mut router.governor {
                    governor.look(self.now, &counts);
                    if governor.due_at().is_some_and(|due| due <= self.now) {
                        governor.advance(self.now);
                    }
                }
            }
            self.carry_out();
        }
    }

    /// The mean rates at which flows enter over so long, in Mb/s.
    pub fn rates(&mut self, span: Span) -> Vec<f64> {
        let before = self.entered();
        self.run(span);
        let bits = self.entered().into_iter().zip(before).map(|(now, before)| (now - before) * 8.0);
        bits.map(|bits| bits / span.as_secs_f64() / 1e6).collect()
    }

    /// Limits where flows enter, in Mb/s, and whether they are the law's.
    pub fn limits(&self) -> Vec<(f64, bool)> {
        let of = |flow: usize| {
            let router = self.routers.iter().find(|router| router.enters(flow as u32)).unwrap();
            let (link, place) = router.plan.flows[&(flow as u32)].leaves.unwrap();
            let source = router.governor.as_ref().and_then(|governor| governor.source(flow as u32));
            let leased = source.is_some_and(super::source::Source::is_leased);
            (router.classes[link][place].limit_bps / 1e6, leased)
        };
        (0..self.offers.len()).map(of).collect()
    }

    /// What waits for links on the way, in packets at most.
    pub fn longest_queue(&self) -> f64 {
        let waiting = |router: &Router<'_>| -> f64 {
            let classes = router.plan.links.iter().zip(&router.classes).flat_map(|(link, classes)| {
                link.flows.iter().zip(classes).filter(|(flow, _)| !router.enters(**flow)).map(|(_, class)| class)
            });
            classes.map(|class| class.waiting_bytes / PACKET_BYTES).fold(0.0, f64::max)
        };
        self.routers.iter().map(waiting).fold(0.0, f64::max)
    }

    pub fn refused(&self) -> u64 {
        self.routers.iter().filter_map(|router| Some(router.governor.as_ref()?.refused())).sum()
    }

    fn entered(&self) -> Vec<f64> {
        let of = |flow: usize| {
            let router = self.routers.iter().find(|router| router.enters(flow as u32)).unwrap();
            let (link, place) = router.plan.flows[&(flow as u32)].leaves.unwrap();
            router.classes[link][place].sent_bytes
        };
        (0..self.offers.len()).map(of).collect()
    }

    /// What passes each link in a step, first link of a way first.
    fn flow(&mut self) {
        let mut arriving: Vec<(u32, u32, f64)> = Vec::new();
        for router in &mut self.routers {
            for link in 0..router.plan.links.len() {
                arriving.extend(router.send(link, &self.offers, self.other.as_ref()));
            }
        }
        for (node, flow, bytes) in arriving {
            let Some(router) = self.routers.iter_mut().find(|router| router.plan.node == node) else { continue };
            if let Some((link, place)) = router.plan.flows[&flow].leaves {
                let class = &mut router.classes[link][place];
                class.waiting_bytes = (class.waiting_bytes + bytes).min(MOST_WAITING);
            }
        }
    }

    fn deliver(&mut self) {
        let now = self.now;
        let (due, later) = std::mem::take(&mut self.under_way).into_iter().partition(|letter| letter.arrives <= now);
        self.under_way = later;
        let mut due: Vec<Letter> = due;
        due.sort_by_key(|letter| letter.arrives);
        for letter in due {
            let router = self.routers.iter_mut().find(|router| router.plan.node == letter.to.node);
            if let Some(governor) = router.and_then(|router| router.governor.as_mut()) {
                governor.on_message(now, &letter.head, letter.bytes);
            }
        }
    }

    fn carry_out(&mut self) {
        for place in 0..self.routers.len() {
            let router = &mut self.routers[place];
            let Some(governor) = &mut router.governor else { continue };
            let wanted = governor.take_wanted();
            for ((link, flow), limit) in wanted.limits {
                router.classes[link][flow].limit_bps = limit.as_bps_f64();
            }
            for (to, head, bytes) in wanted.messages {
                let copies = 1 + u32::from(self.rng.random_bool(self.twice));
                for _ in 0..copies {
                    if !self.rng.random_bool(self.lost) {
                        let late = self.rng.random_range(0..=self.late);
                        let arrives = self.now + STEP * u64::from(1 + late);
                        self.under_way.push(Letter { arrives, to, head, bytes: bytes.clone() });
                    }
                }
            }
        }
    }
}

impl Router<'_> {
    fn enters(&self, flow: u32) -> bool {
        self.plan.flows.get(&flow).is_some_and(|flow| flow.before.is_none())
    }

    fn set_safe(&mut self) {
        for (link, classes) in self.plan.links.iter().zip(&mut self.classes) {
            for (flow, class) in link.flows.iter().zip(classes) {
                let flow = &self.plan.flows[flow];
                let limit = if flow.before.is_none() { flow.safe } else { link.site.capacity };
                class.limit_bps = limit.as_bps_f64();
            }
        }
    }

    fn counts(&self) -> Vec<ClassCounts> {
        let of = |(classes, other): (&Vec<Class>, &f64)| {
            let mut counts = ClassCounts::new();
            counts.entry(GovernedQueue::REST).or_default().sent_bytes = *other as u64;
            for (place, class) in classes.iter().enumerate() {
                let count = counts.entry(GovernedQueue::class_of(place)).or_default();
                count.sent_packets = (class.sent_bytes / PACKET_BYTES) as u32;
                count.sent_bytes = u64::from(count.sent_packets) * PACKET_BYTES as u64;
                count.waiting_packets = (class.waiting_bytes / PACKET_BYTES).ceil() as u32;
                count.waiting_bytes = class.waiting_bytes as u32;
            }
            counts
        };
        self.classes.iter().zip(&self.other_bytes).map(of).collect()
    }

    /// Classes of a link take turns until it is full or nothing is left: what goes on to the next node.
    fn send(&mut self, link: usize, offers: &[Option<f64>], other: Option<&(String, f64)>) -> Vec<(u32, u32, f64)> {
        let (plan, seconds) = (&self.plan.links[link], STEP.as_secs_f64());
        let bytes = |bps: f64| bps * seconds / 8.0;
        let other = other.filter(|(name, _)| *name == plan.name).map_or(0.0, |(_, bps)| bytes(*bps));
        self.other_bytes[link] += other;
        let mut room = bytes(plan.site.capacity.as_bps_f64()) - other;
        let enters: Vec<bool> = plan.flows.iter().map(|flow| self.enters(*flow)).collect();
        let classes = &mut self.classes[link];
        let mut may = Vec::new();
        for ((flow, class), enters) in plan.flows.iter().zip(classes.iter_mut()).zip(&enters) {
            if *enters {
                let offered = offers[*flow as usize].map_or(MOST_WAITING, bytes);
                class.waiting_bytes = (class.waiting_bytes + offered).min(MOST_WAITING);
            }
            may.push(class.waiting_bytes.min(bytes(class.limit_bps)));
        }
        let mut sent = vec![0.0; may.len()];
        let turns = |place: usize| if enters[place] { 1.0 } else { 4.0 };
        let mut open: Vec<usize> = (0..may.len()).collect();
        while room > 1e-6 && !open.is_empty() {
            let part = room / open.iter().map(|place| turns(*place)).sum::<f64>();
            for &place in &open {
                let more = (may[place] - sent[place]).min(part * turns(place));
                sent[place] += more;
                room -= more;
            }
            open.retain(|&place| may[place] - sent[place] > 1e-9);
        }
        let mut goes_on = Vec::new();
        for (place, bytes) in sent.into_iter().enumerate() {
            classes[place].sent_bytes += bytes;
            classes[place].waiting_bytes -= bytes;
            if let Some(after) = self.plan.flows[&plan.flows[place]].after {
                goes_on.push((after.node, plan.flows[place], bytes));
            }
        }
        goes_on
    }
}
