//! Where packets go, and what can be taken there at once.
//!
//! A link that is fed from one wire only, on which packets do not overtake each other,
//! gets its packets in order of time, whenever it is told of them: as soon as they are
//! on that wire it can be told. The same holds for receivers, which
//! hear from the last wire of their route only, if what they answer goes to such a link.
//! So time is only kept where several wires meet and at senders.

use fairwire_laws::rate::RateLawChoice;
use fairwire_plan::{NetworkEngine, NetworkFlowPlan, NetworkPlan, Offer};
use std::collections::BTreeMap;

/// One step of a route: a link, or the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    link: u32,
    /// Whether what is sent over the link before this step is taken here at once.
    pub at_once: bool,
    /// Whether what is here is at the end of the route at once.
    pub leads_to_end: bool,
}

const END: u32 = u32::MAX;

/// No port is passed backward.
pub const NO_PORT: u32 = u32::MAX;

impl Step {
    /// The link to take; none at the end of the route.
    #[inline(always)]
    pub fn link(self) -> Option<usize> {
        (self.link != END).then_some(self.link as usize)
    }
}

/// All routes, one after the other; flows that go the same way share one, so that thousands of them find it in the cache.
#[derive(Debug)]
pub struct Routes {
    pub steps: Vec<Step>,
    /// For each flow where its route and its reverse route begin.
    pub begins: Vec<(u32, u32)>,
    /// For each step: the link whose port a control packet passes backward where it begins; [`NO_PORT`] if there is none.
    pub ports: Vec<u32>,
    /// All links, each before the one whose wire alone feeds it.
    pub last_first: Vec<u32>,
}

/// What feeds a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feeder {
    Nothing,
    /// Packets that went over this link before.
    Wire(u32),
    /// Hosts at any time, or several wires.
    Anything,
}

impl Feeder {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, other) => other,
            (one, Self::Nothing) => one,
            (one, other) if one == other => one,
            _ => Self::Anything,
        }
    }
}

impl Routes {
    /// The routes of `plan`, whose links `tell_late` of departures or have events of their own. What is `carried` from
    /// outside may begin its way back at any time.
    pub fn new(plan: &NetworkPlan, carried: bool, tell_late: impl Fn(usize) -> bool) -> Self {
        let feeders = feeders(plan, carried, tell_late);
        let mut routes =
            Self { steps: Vec::new(), begins: Vec::new(), ports: Vec::new(), last_first: last_first(&feeders) };
        let mut known = BTreeMap::new();
        for flow in &plan.flows {
            let forward = routes.push(&flow.route, &feeders, receives_at_once(plan, carried, flow, &feeders));
            routes.look_to_end(forward);
            let forward = routes.share(forward, &mut known);
            // Senders are woken by timers, too: nothing is brought to them before its time.
            let reverse = match flow.offer.is_answered() {
                true => {
                    let reverse = routes.push_back(plan, flow, &feeders);
                    routes.share(reverse, &mut known)
                }
                false => forward,
            };
            routes.begins.push((forward, reverse));
        }
        routes
    }

    /// Where the route that was pushed last, and begins here, is to be found: where another one like it stands, if one does.
    fn share(&mut self, begin: u32, known: &mut BTreeMap<Vec<(Step, u32)>, u32>) -> u32 {
        let steps = self.steps[begin as usize..].iter().copied().zip(self.ports[begin as usize..].iter().copied());
        let first = *known.entry(steps.collect()).or_insert(begin);
        if first < begin {
            self.steps.truncate(begin as usize);
            self.ports.truncate(begin as usize);
        }
        first
    }

    fn push(&mut self, route: &[u32], feeders: &[Feeder], end_at_once: bool) -> u32 {
        let begin = self.steps.len() as u32;
        let mut before = None;
        for &link in route {
            let at_once = before.is_some_and(|before| feeders[link as usize] == Feeder::Wire(before));
            self.steps.push(Step { link, at_once, leads_to_end: false });
            before = Some(link);
        }
        self.steps.push(Step { link: END, at_once: end_at_once, leads_to_end: true });
        self.ports.resize(self.steps.len(), NO_PORT);
        begin
    }

    /// Finds from where on the route that was pushed last, and begins here, leads to its end at once.
    fn look_to_end(&mut self, begin: u32) {
        for step in (begin as usize + 1..self.steps.len()).rev() {
            self.steps[step - 1].leads_to_end = self.steps[step].at_once && self.steps[step].leads_to_end;
        }
    }

    /// The way back of a flow; where a port reads what passes, that has to wait for its time.
    fn push_back(&mut self, plan: &NetworkPlan, flow: &NetworkFlowPlan, feeders: &[Feeder]) -> u32 {
        let begin = self.push(&flow.reverse_route, feeders, false);
        if flow.offer.rate().is_some() {
            // The way back goes over the same nodes: its first step begins at the destination, its end is the source.
            for (step, &link) in flow.route.iter().rev().enumerate() {
                if plan.links[link as usize].rate.is_some() {
                    let place = begin as usize + 1 + step;
                    self.ports[place] = link;
                    self.steps[place].at_once = false;
                }
            }
        }
        begin
    }
}

/// What feeds each link; [`Feeder::Anything`] where it has to wait for its time in any case.
fn feeders(plan: &NetworkPlan, carried: bool, tell_late: impl Fn(usize) -> bool) -> Vec<Feeder> {
    let mut feeders = vec![Feeder::Nothing; plan.links.len()];
    let mut feed = |link: u32, feeder| {
        let place = &mut feeders[link as usize];
        *place = place.and(feeder);
    };
    for flow in &plan.flows {
        feed(flow.route[0], Feeder::Anything);
        flow.route.windows(2).for_each(|pair| feed(pair[1], Feeder::Wire(pair[0])));
        if flow.offer.is_answered() {
            let held_back = carried || flow.offer.tcp().is_some_and(|tcp| tcp.settings.delayed_ack.is_some());
            let last = flow.route[flow.route.len() - 1];
            feed(flow.reverse_route[0], if held_back { Feeder::Anything } else { Feeder::Wire(last) });
            flow.reverse_route.windows(2).for_each(|pair| feed(pair[1], Feeder::Wire(pair[0])));
        }
        if flow.offer.rate().is_some() {
            // Ports send notices at any time.
            let onward = flow.reverse_route.iter().skip(1).zip(flow.route.iter().rev());
            let sends_notices =
                |link: u32| plan.links[link as usize].rate.as_ref().is_some_and(RateLawChoice::sends_notices);
            onward.filter(|(_, port)| sends_notices(**port)).for_each(|(link, _)| feed(*link, Feeder::Anything));
        }
    }
    // Ports are read from both directions.
    let waits = |link: usize| {
        !tell_late(link)
            || plan.links[link].rate.is_some()
            || matches!(feeders[link], Feeder::Wire(wire) if plan.links[wire as usize].reordering.as_nanos() > 0)
    };
    (0..feeders.len()).map(|link| if waits(link) { Feeder::Anything } else { feeders[link] }).collect()
}

/// All links in the order of how many others feed only each other and them, most first.
fn last_first(feeders: &[Feeder]) -> Vec<u32> {
    let before = |link: &u32| match feeders[*link as usize] {
        Feeder::Wire(wire) => Some(wire),
        Feeder::Nothing | Feeder::Anything => None,
    };
    // A route begins at a link that anything feeds: no link is fed by itself.
    let depth = |link: u32| std::iter::successors(Some(link), before).take(feeders.len()).count();
    let mut links: Vec<u32> = (0..feeders.len() as u32).collect();
    links.sort_by_cached_key(|link| std::cmp::Reverse(depth(*link)));
    links
}

/// Whether packets of `flow` are taken in by its destination as soon as they are on the last wire.
fn receives_at_once(plan: &NetworkPlan, carried: bool, flow: &NetworkFlowPlan, feeders: &[Feeder]) -> bool {
    let last = flow.route[flow.route.len() - 1];
    if plan.engine == NetworkEngine::Events || plan.links[last as usize].reordering.as_nanos() > 0 {
        return false;
    }
    match &flow.offer {
        Offer::Datagrams(_) => true,
        Offer::Tcp(_) if carried => true,
        Offer::Tcp(_) => feeders[flow.reverse_route[0] as usize] == Feeder::Wire(last),
        // What the destination knows of the flow's terms may change on the way.
        Offer::Rate(_) => plan.flow_changes.is_empty() && feeders[flow.reverse_route[0] as usize] == Feeder::Wire(last),
    }
}
