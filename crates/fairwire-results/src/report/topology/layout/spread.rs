//! A mesh: every two nodes as far apart as there are links between them, as well as that can be.
//!
//! Stress majorisation: each node in turn moves to where its distances to all others,
//! weighted by 1/d², fit best. The start and all steps are determined by the network.

use super::{Layout, Neighbours, Point, distances};
use crate::plan::Outline;
use std::collections::{BTreeMap, BTreeSet};

/// Length of a link, and what the whole may be wide.
const STEP: f64 = 125.0;
const WIDTH: f64 = 1000.0;
/// Hosts with one link stand nearer to it than gateways stand to each other.
const HOST_STEP: f64 = 0.55;
const ROUNDS: usize = 150;
/// A picture looks best if it is wider than high by this.
const FLATTENED: f64 = 0.75;

pub(super) fn lay_out(plan: &Outline, neighbours: &Neighbours, gateways: BTreeSet<usize>) -> Layout {
    let nodes: Vec<usize> = neighbours.keys().copied().collect();
    let apart = wanted(neighbours, &nodes, &gateways);
    let mut places = start(&apart);
    for _ in 0..ROUNDS {
        relax(&mut places, &apart);
    }
    lay_flat(&mut places);
    face(plan, &nodes, &mut places);
    let (low, high) =
        places.iter().fold((f64::MAX, f64::MIN), |(low, high), place| (low.min(place.0), high.max(place.0)));
    let scale = (WIDTH / (high - low).max(1e-9)).min(STEP);
    let placed = nodes.iter().zip(&places).map(|(&node, &(x, y))| (node, (x * scale, y * scale * FLATTENED)));
    Layout { places: placed.collect(), gateways, apart: scale * HOST_STEP * 0.5 }
}

/// How far apart every two nodes should be, in links; parts that do not hang together
/// stand about as far apart as a part is wide.
fn wanted(neighbours: &Neighbours, nodes: &[usize], gateways: &BTreeSet<usize>) -> Vec<Vec<f64>> {
    let beyond = (nodes.len() as f64).sqrt() + 2.0;
    let shorter = |node: &usize| if gateways.contains(node) { 0.0 } else { 1.0 - HOST_STEP };
    let from = |from: &usize| {
        let reached = distances(neighbours, *from);
        let to = |to: &usize| {
            let steps = reached.get(to).map_or(beyond, |&steps| steps as f64);
            (steps - shorter(from) - shorter(to)).max(0.4)
        };
        nodes.iter().map(to).collect()
    };
    nodes.iter().map(from).collect()
}

/// Two far ends left and right, and a third node that is far from both below.
fn start(apart: &[Vec<f64>]) -> Vec<Point> {
    let farthest = |key: &dyn Fn(usize) -> f64| {
        (0..apart.len()).max_by(|&a, &b| key(a).total_cmp(&key(b)).then(b.cmp(&a))).unwrap_or(0)
    };
    let left = farthest(&|node| apart.first().map_or(0.0, |row| row[node]));
    let right = farthest(&|node| apart[left][node]);
    let below = farthest(&|node| apart[left][node].min(apart[right][node]));
    let place = |node: usize| {
        // Nodes in the same position with regard to all three must not start in one point.
        let nudge = (node as f64 * 0.618_034).fract() - 0.5;
        ((apart[left][node] - apart[right][node]) / 2.0, -apart[below][node] + 0.2 * nudge)
    };
    (0..apart.len()).map(place).collect()
}

fn relax(places: &mut [Point], apart: &[Vec<f64>]) {
    for node in 0..places.len() {
        let (x, y) = places[node];
        let (mut sum, mut weights) = ((0.0, 0.0), 0.0);
        for (other, &(ox, oy)) in places.iter().enumerate().filter(|(other, _)| *other != node) {
            let wanted = apart[node][other];
            let weight = 1.0 / (wanted * wanted);
            let length = (x - ox).hypot(y - oy).max(1e-6);
            sum.0 += weight * (ox + wanted * (x - ox) / length);
            sum.1 += weight * (oy + wanted * (y - oy) / length);
            weights += weight;
        }
        if weights > 0.0 {
            places[node] = (sum.0 / weights, sum.1 / weights);
        }
    }
}

/// Of widths that differ by less than this part nobody sees the difference.
const ROUND: f64 = 1e-6;

/// Turns the whole so that it is widest from left to right.
fn lay_flat(places: &mut [Point]) {
    let count = places.len().max(1) as f64;
    let middle = places.iter().fold((0.0, 0.0), |sum, place| (sum.0 + place.0 / count, sum.1 + place.1 / count));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for place in places.iter_mut() {
        *place = (place.0 - middle.0, place.1 - middle.1);
        xx += place.0 * place.0;
        xy += place.0 * place.1;
        yy += place.1 * place.1;
    }
    // What is as wide in all directions stays as it is: rounding would tell where to turn.
    let is_round = (xx - yy).hypot(2.0 * xy) <= ROUND * (xx + yy);
    let angle: f64 = if is_round { 0.0 } else { 0.5 * (2.0 * xy).atan2(xx - yy) };
    let (sin, cos) = angle.sin_cos();
    for place in places {
        *place = (place.0 * cos + place.1 * sin, place.1 * cos - place.0 * sin);
    }
}

/// Most flows read from left to right, and the first node stands in the upper half.
fn face(plan: &Outline, nodes: &[usize], places: &mut [Point]) {
    let at: BTreeMap<usize, Point> = nodes.iter().copied().zip(places.iter().copied()).collect();
    let ahead = |node: usize| at.get(&node).map_or(0.0, |place| place.0);
    let forward: f64 = plan.flows.iter().map(|flow| (ahead(flow.to) - ahead(flow.from)).signum()).sum();
    let (x, y) = (if forward < 0.0 { -1.0 } else { 1.0 }, places.first().map_or(1.0, |first| -first.1.signum()));
    for place in places {
        *place = (place.0 * x, place.1 * y);
    }
}
