//! Gateways in a line, and the hosts beside them.

use super::{Layout, Neighbours, Point};
use crate::plan::{FlowOutline, Outline};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Between two gateways, and from a gateway to the hosts beside it: what there is room for.
const WIDTH: f64 = 760.0;
const NARROWEST: f64 = 46.0;
const WIDEST: f64 = 150.0;
/// From a gateway to the hosts above and below it, as a part of that.
const RISE: f64 = 0.6;
const LEAST_RISE: f64 = 52.0;
/// Between two hosts, where there is room.
const APART: f64 = 30.0;
/// The column of hosts beside a gateway grows to this height.
const TALLEST: f64 = 420.0;

/// Places in the making.
struct Line {
    places: BTreeMap<usize, Point>,
    gateways: BTreeSet<usize>,
    apart: f64,
    /// Between two gateways.
    step: f64,
}

/// Gateways in line, hosts beside them: those of the first to its left, those of the last
/// to its right, those in between above (who sends) and below (who receives).
pub(super) fn lay_out(plan: &Outline, neighbours: &Neighbours, gateways: BTreeSet<usize>) -> Layout {
    let columns = columns(neighbours, &gateways, plan);
    let step = (WIDTH / (columns.len() + 1) as f64).clamp(NARROWEST, WIDEST);
    let mut line = Line { places: BTreeMap::new(), gateways, apart: APART, step };
    let last = columns.len().saturating_sub(1);
    for (column, nodes) in columns.iter().enumerate() {
        for (row, &gateway) in nodes.iter().enumerate() {
            let y = (row as f64 - (nodes.len() as f64 - 1.0) / 2.0) * 2.0 * line.rise();
            let place = (column as f64 * step, y);
            line.places.insert(gateway, place);
            let hosts = neighbours[&gateway].iter().copied().filter(|host| !line.gateways.contains(host));
            let hosts: Vec<usize> = hosts.collect();
            line.place_hosts(plan, &hosts, place, (column == 0, column == last));
        }
    }
    Layout { places: line.places, gateways: line.gateways, apart: line.apart }
}

impl Line {
    fn rise(&self) -> f64 {
        (self.step * RISE).max(LEAST_RISE)
    }

    fn place_hosts(&mut self, plan: &Outline, hosts: &[usize], gateway: Point, (first, last): (bool, bool)) {
        let sends = |host: &usize| plan.flows.iter().any(|flow: &FlowOutline| flow.from == *host);
        let (senders, receivers): (Vec<usize>, Vec<usize>) = hosts.iter().partition(|host| sends(host));
        match (first, last) {
            (true, true) => {
                self.column(&senders, gateway, -self.step);
                self.column(&receivers, gateway, self.step);
            }
            (true, false) => self.column(hosts, gateway, -self.step),
            (false, true) => self.column(hosts, gateway, self.step),
            (false, false) => {
                self.row(&senders, gateway, -self.rise());
                self.row(&receivers, gateway, self.rise());
            }
        }
    }

    fn column(&mut self, hosts: &[usize], gateway: Point, beside: f64) {
        let apart = (TALLEST / hosts.len().max(1) as f64).min(APART);
        for (row, &host) in hosts.iter().enumerate() {
            let y = gateway.1 + (row as f64 - (hosts.len() as f64 - 1.0) / 2.0) * apart;
            self.places.insert(host, (gateway.0 + beside, y));
        }
        self.apart = if hosts.len() > 1 { self.apart.min(apart) } else { self.apart };
    }

    fn row(&mut self, hosts: &[usize], gateway: Point, above: f64) {
        let apart = (self.step * 0.8 / hosts.len().max(1) as f64).min(APART);
        for (column, &host) in hosts.iter().enumerate() {
            let x = gateway.0 + (column as f64 - (hosts.len() as f64 - 1.0) / 2.0) * apart;
            self.places.insert(host, (x, gateway.1 + above));
        }
        self.apart = if hosts.len() > 1 { self.apart.min(apart) } else { self.apart };
    }
}

/// Gateways by their distance from the one at an end of the network, where flows start.
fn columns(neighbours: &Neighbours, gateways: &BTreeSet<usize>, plan: &Outline) -> Vec<Vec<usize>> {
    let Some(&any) = gateways.iter().next() else { return Vec::new() };
    let farthest = |from: usize| {
        let distances = distances(neighbours, gateways, from);
        distances
            .into_iter()
            .max_by_key(|&(node, distance)| (distance, std::cmp::Reverse(node)))
            .map_or(from, |end| end.0)
    };
    let one_end = farthest(any);
    let other_end = farthest(one_end);
    // Most flows read from left to right.
    let from = |end: usize| {
        let here = |node: usize| node == end || neighbours[&end].contains(&node) && !gateways.contains(&node);
        plan.flows.iter().filter(|flow| here(flow.from)).count()
    };
    let start = if from(other_end) > from(one_end) { other_end } else { one_end };
    let mut columns: Vec<Vec<usize>> = Vec::new();
    for (node, distance) in distances(neighbours, gateways, start) {
        if columns.len() <= distance {
            columns.resize_with(distance + 1, Vec::new);
        }
        columns[distance].push(node);
    }
    // Parts that hang together with nothing else stand at the end.
    let known: BTreeSet<usize> = columns.iter().flatten().copied().collect();
    columns.extend(gateways.difference(&known).map(|&node| vec![node]));
    columns
}

/// Steps over gateways from `from`.
fn distances(neighbours: &Neighbours, gateways: &BTreeSet<usize>, from: usize) -> BTreeMap<usize, usize> {
    let mut distances = BTreeMap::from([(from, 0)]);
    let mut waiting = VecDeque::from([from]);
    while let Some(here) = waiting.pop_front() {
        for &there in neighbours[&here].intersection(gateways) {
            if !distances.contains_key(&there) {
                distances.insert(there, distances[&here] + 1);
                waiting.push_back(there);
            }
        }
    }
    distances
}
