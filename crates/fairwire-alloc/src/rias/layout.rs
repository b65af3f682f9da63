//! The problem seen by families: one ingress's flows on connected links.
//!
//! On a ring an ingress has one family a ringlet; the two never meet. A
//! *slot* is one family on one link, the place of its ingress aggregate
//! A_n(i).

use std::ops::Range;

use crate::Problem;
use crate::incidence::Incidence;

/// One ingress's flows on one connected set of links.
#[derive(Debug)]
pub(crate) struct Family {
    /// Weight of the ingress.
    pub weight: f64,
    /// Its part of [`Layout::order`].
    pub flows: Range<usize>,
    /// Its slots; along the chain, nearest link first, when it is one.
    pub slots: Range<usize>,
    /// Every route is a prefix of the longest one, as always on a ring.
    /// Then [`Layout::order`] lists shorter routes first.
    pub is_chain: bool,
}

/// A problem indexed by family, slot, link and flow.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    pub problem: &'a Problem,
    /// What each node is promised as an ingress, bit/s; empty for nothing.
    pub ingress_minimums: &'a [f64],
    pub families: Vec<Family>,
    /// Flow indices, family by family.
    pub order: Vec<usize>,
    /// Link of each slot.
    pub slot_link: Vec<usize>,
    /// Ingress weight of each slot.
    pub slot_weight: Vec<f64>,
    /// What the ingress of each slot is promised there, no more than its
    /// flows demand, bit/s.
    pub slot_minimum: Vec<f64>,
    /// Slots of each link.
    pub link_slots: Incidence,
    /// Slots of each flow, in the order of its route.
    pub flow_slots: Incidence,
    /// Flows of each slot.
    pub slot_flows: Incidence,
}

impl<'a> Layout<'a> {
    /// Groups the flows of a valid problem without promises.
    pub fn new(problem: &'a Problem) -> Self {
        Self::with_minimums(problem, &[])
    }

    /// Groups the flows of a valid problem whose ingresses are promised these
    /// rates on every link they cross, bit/s.
    pub fn with_minimums(problem: &'a Problem, ingress_minimums: &'a [f64]) -> Self {
        let mut builder = Builder::new(problem);
        let mut by_ingress: Vec<Vec<usize>> = vec![Vec::new(); problem.nodes.len()];
        for (index, flow) in problem.flows.iter().enumerate() {
            by_ingress[flow.ingress].push(index);
        }
        for (ingress, flows) in by_ingress.iter().enumerate() {
            for family in connected(problem, flows, &mut builder.first_on_link) {
                builder.add_family(ingress, family);
            }
        }
        let mut layout = builder.finish();
        layout.ingress_minimums = ingress_minimums;
        if !ingress_minimums.is_empty() {
            for slot in 0..layout.slot_link.len() {
                let demand: f64 = layout.slot_flows.indices(slot).map(|flow| problem.flows[flow].demand_bps).sum();
                layout.slot_minimum[slot] = ingress_minimums[layout.slot_ingress(slot)].min(demand);
            }
        }
        layout
    }

    /// Capacity of the link of a slot, bit/s.
    pub fn slot_capacity(&self, slot: usize) -> f64 {
        self.problem.links[self.slot_link[slot]].capacity_bps
    }

    /// Node index of the ingress of a slot.
    pub fn slot_ingress(&self, slot: usize) -> usize {
        self.problem.flows[self.slot_flows.row(slot)[0] as usize].ingress
    }

    /// Smallest capacity along a flow's route, bit/s.
    pub fn narrowest(&self, flow: usize) -> f64 {
        self.problem.flows[flow]
            .route
            .iter()
            .map(|&link| self.problem.links[link].capacity_bps)
            .fold(f64::INFINITY, f64::min)
    }

    /// Flow indices of a family.
    pub fn family_flows(&self, family: &Family) -> &[usize] {
        &self.order[family.flows.clone()]
    }

    /// Ingress aggregate of every slot under the given rates, bit/s.
    pub fn totals(&self, rates: &[f64]) -> Vec<f64> {
        (0..self.slot_link.len()).map(|slot| self.slot_flows.indices(slot).map(|flow| rates[flow]).sum()).collect()
    }
}

/// Splits the flows of one ingress into groups that share no link, in the
/// order of their first flow. `first_on_link` must be all `usize::MAX` and is
/// left so.
fn connected(problem: &Problem, flows: &[usize], first_on_link: &mut [usize]) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..flows.len()).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for (position, &flow) in flows.iter().enumerate() {
        for &link in &problem.flows[flow].route {
            if first_on_link[link] == usize::MAX {
                first_on_link[link] = position;
            } else {
                let a = root(&mut parent, first_on_link[link]);
                let b = root(&mut parent, position);
                parent[a.max(b)] = a.min(b);
            }
        }
    }
    for &flow in flows {
        for &link in &problem.flows[flow].route {
            first_on_link[link] = usize::MAX;
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut group_of_root = vec![usize::MAX; flows.len()];
    for (position, &flow) in flows.iter().enumerate() {
        let root = root(&mut parent, position);
        if group_of_root[root] == usize::MAX {
            group_of_root[root] = groups.len();
            groups.push(Vec::new());
        }
        groups[group_of_root[root]].push(flow);
    }
    groups
}

struct Builder<'a> {
    problem: &'a Problem,
    families: Vec<Family>,
    order: Vec<usize>,
    slot_link: Vec<usize>,
    slot_family: Vec<usize>,
    /// Slots of each flow, by flow index.
    slots_of_flow: Vec<Range<usize>>,
    scattered: Vec<usize>,
    first_on_link: Vec<usize>,
    slot_on_link: Vec<usize>,
}

impl<'a> Builder<'a> {
    fn new(problem: &'a Problem) -> Self {
        Self {
            problem,
            families: Vec::new(),
            order: Vec::with_capacity(problem.flows.len()),
            slot_link: Vec::new(),
            slot_family: Vec::new(),
            slots_of_flow: vec![0..0; problem.flows.len()],
            scattered: Vec::new(),
            first_on_link: vec![usize::MAX; problem.links.len()],
            slot_on_link: vec![usize::MAX; problem.links.len()],
        }
    }

    fn add_family(&mut self, ingress: usize, mut flows: Vec<usize>) {
        let route = |flow: usize| self.problem.flows[flow].route.as_slice();
        flows.sort_by_key(|&flow| route(flow).len());
        let longest = *flows.last().expect("a group has at least one flow");
        let is_chain = flows.iter().all(|&flow| route(longest).starts_with(route(flow)));

        let first_slot = self.slot_link.len();
        for &flow in flows.iter().rev() {
            for &link in &self.problem.flows[flow].route {
                if self.slot_on_link[link] == usize::MAX {
                    self.slot_on_link[link] = self.slot_link.len();
                    self.slot_link.push(link);
                    self.slot_family.push(self.families.len());
                }
            }
        }
        for &flow in &flows {
            let start = self.scattered.len();
            let route = &self.problem.flows[flow].route;
            self.scattered.extend(route.iter().map(|&link| self.slot_on_link[link]));
            self.slots_of_flow[flow] = start..self.scattered.len();
        }
        for &link in &self.slot_link[first_slot..] {
            self.slot_on_link[link] = usize::MAX;
        }
        let first_flow = self.order.len();
        self.order.append(&mut flows);
        self.families.push(Family {
            weight: self.problem.ingress_weights[ingress],
            flows: first_flow..self.order.len(),
            slots: first_slot..self.slot_link.len(),
            is_chain,
        });
    }

    fn finish(self) -> Layout<'a> {
        let slots = self.slot_link.len();
        let flow_slots =
            Incidence::from_rows(self.slots_of_flow.iter().map(|range| self.scattered[range.clone()].iter().copied()));
        let link_of_slot = Incidence::from_rows(self.slot_link.iter().map(|&link| [link]));
        Layout {
            problem: self.problem,
            ingress_minimums: &[],
            link_slots: link_of_slot.transposed(self.problem.links.len()),
            slot_flows: flow_slots.transposed(slots),
            flow_slots,
            slot_minimum: vec![0.0; slots],
            slot_weight: self.slot_family.iter().map(|&family| self.families[family].weight).collect(),
            families: self.families,
            order: self.order,
            slot_link: self.slot_link,
        }
    }
}
