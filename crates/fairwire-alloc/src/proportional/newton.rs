//! Newton's method on prices that may not be negative.
//!
//! First along the central path of interior points, which soon tells the
//! links that cost something from those that do not; then by projected Newton
//! steps, in which links at price zero with room to spare take no part. Every
//! step comes from conjugate gradients, which need only the routes and no
//! matrix.

use super::dual::{Dual, Point};
use crate::interrupt::look;

/// Steps along the central path at most …
const MAX_PATH_STEPS: usize = 100;
/// … and the residual at which it is left: soon, as the projected steps that
/// follow are fewer, or late, if those went astray.
const NEAR_ENOUGH: [f64; 2] = [1e-5, 1e-11];
/// The residual that must be reached to do without the second attempt.
const GOOD: f64 = 1e-12;
/// How much nearer to the end of the path each step aims, …
const AIM: f64 = 0.1;
/// … and after a step that could be taken nearly whole.
const BOLD_AIM: f64 = 0.003;
/// The part of the way to a price of zero that a step may go.
const SHY: f64 = 0.95;

/// Steps after which the best prices so far are taken.
const MAX_STEPS: usize = 100;
/// Steps without progress after which rounding is taken to stand in the way.
const PATIENCE: usize = 3;
/// Halvings of a step before it is given up.
const MAX_HALVINGS: usize = 40;
/// The least part of the promised decrease that a step must bring.
const SUFFICIENT: f64 = 1e-4;
/// Where hardly any flow on a link answers to its price, the capped ones count
/// with this part of the curvature they would have.
const CAPPED: f64 = 1e-3;

/// Minimises the dual: prices whose residual is at most `goal`, or as good as
/// rounding allows.
pub(super) fn minimise(dual: &Dual, goal: f64) -> Point {
    let first = polish(dual, follow_path(dual, NEAR_ENOUGH[0]), goal);
    if first.0 <= GOOD {
        return first.1;
    }
    let second = polish(dual, follow_path(dual, NEAR_ENOUGH[1]), goal);
    if second.0 < first.0 { second.1 } else { first.1 }
}

/// Projected Newton steps from a point near the end of the path; with the
/// residual.
fn polish(dual: &Dual, mut point: Point, goal: f64) -> (f64, Point) {
    let mut best = (dual.residual(&point), point.clone());
    let mut without_progress = 0;
    for _ in 0..MAX_STEPS {
        if best.0 <= goal || without_progress > PATIENCE {
            break;
        }
        let Some(next) = step(dual, &point) else { break };
        point = next;
        let residual = dual.residual(&point);
        without_progress = if residual < 0.5 * best.0 { 0 } else { without_progress + 1 };
        if residual < best.0 {
            best = (residual, point.clone());
        }
    }
    best
}

/// Follows price × spare = µ towards µ = 0, from prices evenly spent.
fn follow_path(dual: &Dual, near_enough: f64) -> Point {
    let mut prices = dual.first_prices();
    prices.iter_mut().for_each(|price| *price = price.max(1e-3 * dual.weight / dual.capacities.len() as f64));
    let mut spares: Vec<f64> = dual.capacities.iter().map(|capacity| 0.5 * capacity).collect();
    let everybody = vec![true; prices.len()];
    let mut point = dual.at(prices);
    let mut best = (dual.residual(&point), point.clone());
    let mut ahead = AIM;
    for _ in 0..MAX_PATH_STEPS {
        look();
        if best.0 <= near_enough {
            break;
        }
        let links = spares.len();
        let middle = dot(&point.prices, &spares) / links as f64;
        let aim: Vec<f64> = point.prices.iter().map(|price| ahead * middle / price).collect();
        let slope: Vec<f64> = (0..links).map(|link| dual.capacities[link] - point.loads[link] - aim[link]).collect();
        let mut curvature = Curvature::new(dual, &point, &everybody);
        for (link, (spare, price)) in spares.iter().zip(&point.prices).enumerate() {
            curvature.stiffen(link, spare / price);
        }
        let down = curvature.solve(&slope, best.0.clamp(1e-8, 0.03));
        let change: Vec<f64> =
            (0..links).map(|link| aim[link] - spares[link] + spares[link] / point.prices[link] * down[link]).collect();
        let mut part = 1.0_f64;
        for link in 0..links {
            if down[link] > 0.0 {
                part = part.min(SHY * point.prices[link] / down[link]);
            }
            if change[link] < 0.0 {
                part = part.min(-SHY * spares[link] / change[link]);
            }
        }
        let prices = point.prices.iter().zip(&down).map(|(price, down)| price - part * down).collect();
        spares.iter_mut().zip(&change).for_each(|(spare, change)| *spare += part * change);
        ahead = if part > 0.9 { BOLD_AIM } else { AIM };
        point = dual.at(prices);
        let residual = dual.residual(&point);
        if residual < best.0 {
            best = (residual, point.clone());
        }
    }
    best.1
}

/// One damped step, Newton's if it leads down; `None` when nothing does.
fn step(dual: &Dual, point: &Point) -> Option<Point> {
    let gradient: Vec<f64> = dual.capacities.iter().zip(&point.loads).map(|(capacity, load)| capacity - load).collect();
    let residual = dual.residual(point).min(1.0);
    let is_free: Vec<bool> = (0..gradient.len())
        .map(|link| {
            point.prices[link] * dual.capacities[link] > 1e-3 * residual * dual.spent[link] || gradient[link] < 0.0
        })
        .collect();
    let curvature = Curvature::new(dual, point, &is_free);
    let tolerance = residual.clamp(1e-9, 0.1);
    let newton = curvature.solve(&gradient, tolerance);
    // Where prices that run into zero spoil that direction, link by link is always downhill.
    descend(dual, point, &gradient, &newton, &is_free).or_else(|| {
        let alone: Vec<f64> = gradient.iter().zip(&curvature.diagonal).map(|(slope, own)| slope / own).collect();
        descend(dual, point, &gradient, &alone, &is_free)
    })
}

/// As far along a direction as it leads down enough.
fn descend(dual: &Dual, point: &Point, gradient: &[f64], direction: &[f64], is_free: &[bool]) -> Option<Point> {
    let mut part = 1.0;
    // Sums of many terms are only good to their last digits.
    let noise = 1e-14 * (point.value.abs() + dual.weight);
    for _ in 0..MAX_HALVINGS {
        look();
        let prices: Vec<f64> = (0..gradient.len())
            .map(|link| match is_free[link] {
                true => (point.prices[link] - part * direction[link]).max(0.0),
                // The gradient says: it is not worth anything.
                false => 0.0,
            })
            .collect();
        let promised: f64 =
            gradient.iter().zip(&point.prices).zip(&prices).map(|((slope, old), new)| slope * (old - new)).sum();
        let next = dual.at(prices);
        if next.value <= point.value - SUFFICIENT * promised + noise && next.value.is_finite() {
            return Some(next);
        }
        part *= 0.5;
    }
    None
}

/// The second derivative of the dual on the free links.
struct Curvature<'a> {
    dual: &'a Dual,
    is_free: &'a [bool],
    /// x² / w of each flow that answers to prices, zero for the others.
    elastic: Vec<f64>,
    /// Added to the diagonal.
    extra: Vec<f64>,
    diagonal: Vec<f64>,
}

impl<'a> Curvature<'a> {
    fn new(dual: &'a Dual, point: &Point, is_free: &'a [bool]) -> Self {
        let links = is_free.len();
        let (mut answering, mut all) = (vec![0.0; links], vec![0.0; links]);
        let mut elastic = vec![0.0; dual.weights.len()];
        for (flow, &weight) in dual.weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let curvature = point.rates[flow] * point.rates[flow] / weight;
            if dual.is_elastic(flow, point) {
                elastic[flow] = curvature;
                dual.routes.indices(flow).for_each(|link| answering[link] += curvature);
            }
            dual.routes.indices(flow).for_each(|link| all[link] += curvature);
        }
        let extra: Vec<f64> = answering
            .iter()
            .zip(&all)
            .map(|(answering, all)| (CAPPED * all - answering).max(1e-14 * all).max(f64::MIN_POSITIVE))
            .collect();
        let diagonal = answering.iter().zip(&extra).map(|(answering, extra)| answering + extra).collect();
        Self { dual, is_free, elastic, extra, diagonal }
    }

    /// Adds to the curvature of one link.
    fn stiffen(&mut self, link: usize, by: f64) {
        self.extra[link] += by;
        self.diagonal[link] += by;
    }

    /// Conjugate gradients, each link scaled by its own curvature, to a
    /// residual of `tolerance` times the right-hand side.
    fn solve(&self, right: &[f64], tolerance: f64) -> Vec<f64> {
        let links = right.len();
        let mut solution = vec![0.0; links];
        let mut residual: Vec<f64> =
            (0..links).map(|link| if self.is_free[link] { right[link] } else { 0.0 }).collect();
        let scaled =
            |residual: &[f64]| -> Vec<f64> { residual.iter().zip(&self.diagonal).map(|(r, d)| r / d).collect() };
        let mut conjugate = scaled(&residual);
        let mut norm = dot(&residual, &conjugate);
        let enough = tolerance * tolerance * norm;
        for _ in 0..(2 * links + 20).min(1000) {
            look();
            if norm <= enough || norm == 0.0 {
                break;
            }
            let image = self.times(&conjugate);
            let along = dot(&conjugate, &image);
            if along <= 0.0 {
                break;
            }
            let length = norm / along;
            for link in 0..links {
                solution[link] += length * conjugate[link];
                residual[link] -= length * image[link];
            }
            let next = scaled(&residual);
            let next_norm = dot(&residual, &next);
            let keep = next_norm / norm;
            for link in 0..links {
                conjugate[link] = next[link] + keep * conjugate[link];
            }
            norm = next_norm;
        }
        solution
    }

    fn times(&self, direction: &[f64]) -> Vec<f64> {
        let mut image: Vec<f64> = direction.iter().zip(&self.extra).map(|(d, extra)| d * extra).collect();
        for (flow, &curvature) in self.elastic.iter().enumerate() {
            if curvature > 0.0 {
                let change: f64 = self.dual.routes.indices(flow).map(|link| direction[link]).sum();
                let answer = curvature * change;
                self.dual.routes.indices(flow).for_each(|link| image[link] += answer);
            }
        }
        for (value, free) in image.iter_mut().zip(self.is_free) {
            if !free {
                *value = 0.0;
            }
        }
        image
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
