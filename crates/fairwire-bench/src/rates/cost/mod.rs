//! `fairwire-bench rates --cost`: what a control packet costs a port, by the number of its flows.

mod loaded;
mod plot;
mod show;
mod tree;

use fairwire_laws::rate::RateLawChoice;
use fairwire_terminal::Interrupt;
use loaded::Loaded;
pub use plot::plot;
use serde::Serialize;
pub use show::show;
use tree::Tree;

/// Flows on the port, in the order of measuring; a decade has two.
const FLOWS: [u32; 9] = [100, 316, 1_000, 3_162, 10_000, 31_623, 100_000, 316_228, 1_000_000];
/// How many of these are enough for a first look.
const QUICK: usize = 5;
/// From so many flows on costs count for the exponent: below, what does not grow covers what does.
const LEAST_FLOWS: u32 = 1_000;
/// Rounds of which the median counts.
const ROUNDS: usize = 9;
/// A port that would take longer than this to be filled is left out, in s of processor time.
const MOST_FILL_S: f64 = 20.0;

/// The answer.
#[derive(Debug, Serialize)]
pub struct Costs {
    /// An entry a law and pass of a control packet.
    pub passes: Vec<Pass>,
    /// The tree of shares by itself.
    pub tree: Tree,
}

/// One way of a control packet through a port.
#[derive(Debug, Serialize)]
pub struct Pass {
    /// The law.
    pub law: &'static str,
    /// Which way.
    pub way: Direction,
    /// Processor time of one control packet, in ns, by the number of flows; ports that take too long are left out.
    pub points: Vec<Point>,
    /// How the time grows with the number of flows, from 1000 on: the slope of both logarithms.
    pub exponent: Option<f64>,
    /// How often as long 10⁶ flows take as 10³.
    pub growth: Option<f64>,
}

/// One number of flows.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Point {
    /// Flows on the port.
    pub flows: u32,
    /// Processor time in ns.
    pub ns: f64,
}

/// Which way a control packet goes, and what it brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// To the destination, with another explicit rate than the one before.
    ForwardChanged,
    /// To the destination, with the same.
    ForwardSame,
    /// At the destination, which keeps nothing of it: what is left is the cost of its bytes, read and written.
    Turned,
    /// Back to the source, with the same.
    Backward,
}

impl Direction {
    /// All of them, in the order of the table.
    const ALL: [Self; 4] = [Self::ForwardChanged, Self::ForwardSame, Self::Turned, Self::Backward];
}

/// Measures these laws, whole or for a first look.
pub fn measure(laws: &[RateLawChoice], quick: bool, interrupt: &Interrupt) -> Costs {
    let flows = if quick { &FLOWS[..QUICK] } else { &FLOWS };
    let passes = laws.iter().flat_map(|law| of_law(law, flows, interrupt)).collect();
    Costs { passes, tree: tree::measure(flows, interrupt) }
}

fn of_law(law: &RateLawChoice, flows: &[u32], interrupt: &Interrupt) -> Vec<Pass> {
    let mut points: [Vec<Point>; 4] = Default::default();
    for &flows in flows {
        let grown =
            |point: &Point| point.ns * (f64::from(flows) / f64::from(point.flows)).powi(2) * f64::from(point.flows);
        let fill_s = points[0].last().map_or(0.0, |point| grown(point) / 1e9);
        // What grows with the number of flows grows with its square when all flows come; others are taken for that, too.
        let is_linear = exponent(&points[0]).is_some_and(|exponent| exponent > 0.5);
        if interrupt.is_raised() || (is_linear && fill_s > MOST_FILL_S) {
            break;
        }
        let mut port = Loaded::new(law, flows);
        for (way, points) in Direction::ALL.into_iter().zip(&mut points) {
            points.push(Point { flows, ns: median((0..ROUNDS).map(|_| port.round(way)).collect()) });
        }
    }
    let pass = |(way, points): (Direction, Vec<Point>)| Pass {
        law: law.about().name,
        way,
        exponent: exponent(&points),
        growth: at(&points, 1_000_000).zip(at(&points, 1_000)).map(|(most, least)| most / least),
        points,
    };
    Direction::ALL.into_iter().zip(points).map(pass).collect()
}

fn at(points: &[Point], flows: u32) -> Option<f64> {
    points.iter().find(|point| point.flows == flows).map(|point| point.ns)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The slope of the line through the logarithms, by least squares; none of fewer than two points.
fn exponent(points: &[Point]) -> Option<f64> {
    let points = points.iter().filter(|point| point.flows >= LEAST_FLOWS);
    let logs: Vec<(f64, f64)> = points.map(|point| (f64::from(point.flows).ln(), point.ns.ln())).collect();
    if logs.len() < 2 {
        return None;
    }
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(|log| log.0), mean(|log| log.1));
    let product = logs.iter().map(|log| (log.0 - x) * (log.1 - y)).sum::<f64>();
    Some(product / logs.iter().map(|log| (log.0 - x).powi(2)).sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_slopes_of_logarithms() {
        let of = |power: f64| {
            let point = |flows: u32| Point { flows, ns: 7.0 * f64::from(flows).powf(power) };
            exponent(&FLOWS.map(point)).unwrap()
        };
        assert!((of(1.0) - 1.0).abs() < 1e-9 && of(0.0).abs() < 1e-9 && (of(0.25) - 0.25).abs() < 1e-9);
        assert_eq!(exponent(&[Point { flows: 1_000, ns: 1.0 }]), None);
    }
}
