//! What is compared with what, round by round.

use super::child::{Sample, median};
use super::work::Work;
use serde::Serialize;

/// A comparison of two works.
#[derive(Debug)]
pub struct Ratio {
    id: &'static str,
    what: &'static str,
    /// The work whose price stands above the line.
    over: &'static str,
    /// The work whose price stands below it.
    under: &'static str,
    price: Price,
    /// Begun and soon ended, the two works: what that takes is taken off.
    begun: Option<(&'static str, &'static str)>,
}

/// What is compared of two works.
#[derive(Clone, Copy, Debug)]
enum Price {
    /// CPU time of the whole work.
    Work,
    /// CPU time a packet-hop.
    Hop,
    /// Time on the wall.
    Wall,
    /// Peak memory.
    Memory,
}

/// A comparison as JSON: the median of the ratios of the rounds, and their range.
#[derive(Debug, Serialize)]
pub struct RatioAnswer {
    pub id: &'static str,
    pub what: &'static str,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Every comparison.
pub const RATIOS: &[Ratio] = &[
    work("w1-ns2", "W1: CPU of ns-2 over ours", "w1-ns2", "w1"),
    work("w3-ns2", "W3: CPU of ns-2 over ours", "w3-ns2", "w3"),
    work("w2b-ns2", "W2b: CPU of ns-2 over ours", "w2b-ns2", "w2b"),
    Ratio {
        id: "w2b-cores",
        what: "W2b, ten seeds: wall time on one core over all",
        over: "w2b-seeds-one-core",
        under: "w2b-seeds",
        price: Price::Wall,
        begun: None,
    },
    Ratio {
        id: "w2b-memory",
        what: "W2b: peak memory of 1000 s over 100 s",
        over: "w2b-long",
        under: "w2b",
        price: Price::Memory,
        begun: None,
    },
    hop("w3-w1", "a hop of W3 over one of W1", "w3", "w1"),
    hop("w5-w1-windows", "a hop of W5 over one of W1, windows", "w5-windows", "w1-windows"),
    hop("w5-w1-events", "a hop of W5 over one of W1, events", "w5-events", "w1-events"),
    hop("w5-greedy-w1-windows", "the same with demand without end, windows", "w5-greedy-windows", "w1-windows"),
    hop("w5-greedy-w1-events", "the same with demand without end, events", "w5-greedy-events", "w1-events"),
    hop("w5-64-w5-windows", "a hop of W5 on 64 stations over one on 10, windows", "w5-64-windows", "w5-windows"),
    hop("w5-64-w5-events", "a hop of W5 on 64 stations over one on 10, events", "w5-64-events", "w5-events"),
    hop("w5-am-w1-windows", "a hop of W5 with rpr-aggressive over one of W1, windows", "w5-am-windows", "w1-windows"),
    hop("w5-am-w1-events", "a hop of W5 with rpr-aggressive over one of W1, events", "w5-am-events", "w1-events"),
    hop("w5-64-am-windows", "the same on 64 stations over 10, windows", "w5-64-am-windows", "w5-am-windows"),
    hop("w5-64-am-events", "the same on 64 stations over 10, events", "w5-64-am-events", "w5-am-events"),
    hop(
        "w5-greedy-am-windows",
        "rpr-aggressive, demand without end, over W1, windows",
        "w5-greedy-am-windows",
        "w1-windows",
    ),
    hop(
        "w5-greedy-am-events",
        "rpr-aggressive, demand without end, over W1, events",
        "w5-greedy-am-events",
        "w1-events",
    ),
    hop("w8", "a hop of W8 under wmfqc over one of even streams", "w8", "w8-even"),
    later_hop(
        "w9",
        "a hop of W9 with ten thousand flows over one with ten, start-up taken off",
        ("w9-10000", "w9-10"),
        ("w9-10000-begun", "w9-10-begun"),
    ),
    later_hop(
        "w9-told",
        "the same under wmfqc",
        ("w9-10000-told", "w9-10-told"),
        ("w9-10000-told-begun", "w9-10-told-begun"),
    ),
    work("w1-folder", "W1 with a result folder over W1 without", "w1-folder", "w1"),
];

const fn work(id: &'static str, what: &'static str, over: &'static str, under: &'static str) -> Ratio {
    Ratio { id, what, over, under, price: Price::Work, begun: None }
}

const fn hop(id: &'static str, what: &'static str, over: &'static str, under: &'static str) -> Ratio {
    Ratio { id, what, over, under, price: Price::Hop, begun: None }
}

/// A hop of what two works do after they have begun.
const fn later_hop(
    id: &'static str,
    what: &'static str,
    (over, under): (&'static str, &'static str),
    begun: (&'static str, &'static str),
) -> Ratio {
    Ratio { id, what, over, under, price: Price::Hop, begun: Some(begun) }
}

impl Ratio {
    /// The comparison over all rounds; none if one of the works was not measured.
    pub fn of(&self, works: &[&Work], samples: &[Vec<Sample>]) -> Option<RatioAnswer> {
        let of = |id: &str| works.iter().position(|work| work.id == id).map(|at| &samples[at]);
        let (over, under) = match self.begun {
            None => (of(self.over)?.clone(), of(self.under)?.clone()),
            Some((over, under)) => (later(of(self.over)?, of(over)?), later(of(self.under)?, of(under)?)),
        };
        let rounds = over.iter().zip(&under);
        let ratios: Vec<f64> = rounds.map(|(over, under)| self.price.of(over) / self.price.of(under)).collect();
        Some(RatioAnswer {
            id: self.id,
            what: self.what,
            value: median(ratios.iter().copied()),
            low: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            high: ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        })
    }
}

/// What works used in each round beyond what it took to begin them.
fn later(whole: &[Sample], begun: &[Sample]) -> Vec<Sample> {
    let hops = |sample: &Sample| sample.packet_hops.unwrap_or(0);
    let beyond = |(whole, begun): (&Sample, &Sample)| Sample {
        cpu_s: whole.cpu_s - begun.cpu_s,
        packet_hops: Some(hops(whole).saturating_sub(hops(begun))),
        ..*whole
    };
    whole.iter().zip(begun).map(beyond).collect()
}

impl Price {
    fn of(self, sample: &Sample) -> f64 {
        match self {
            Self::Work => sample.cpu_s,
            Self::Wall => sample.wall_s,
            Self::Memory => sample.peak_bytes as f64,
            Self::Hop => sample.cpu_s / sample.packet_hops.unwrap_or(0) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::work::WORKS, *};

    #[test]
    fn every_ratio_compares_works_that_there_are() {
        for ratio in RATIOS {
            let begun = ratio.begun.map(|(over, under)| [over, under]);
            for id in [ratio.over, ratio.under].into_iter().chain(begun.into_iter().flatten()) {
                assert!(WORKS.iter().any(|work| work.id == id), "{}: {id}", ratio.id);
            }
        }
    }

    #[test]
    fn what_it_took_to_begin_is_taken_off() {
        let sample = |cpu_s: f64, hops: u64| Sample { cpu_s, wall_s: 0.0, peak_bytes: 0, packet_hops: Some(hops) };
        let works: Vec<&Work> = WORKS.iter().filter(|work| work.id.starts_with("w9-10")).collect();
        let used = |id: &str| match id {
            "w9-10" => sample(3.0, 12),
            "w9-10-begun" => sample(1.0, 2),
            "w9-10000" => sample(9.0, 11),
            "w9-10000-begun" => sample(5.0, 1),
            _ => sample(0.0, 1),
        };
        let samples: Vec<_> = works.iter().map(|work| vec![used(work.id)]).collect();
        let ratio = RATIOS.iter().find(|ratio| ratio.id == "w9").and_then(|ratio| ratio.of(&works, &samples));
        assert_eq!(ratio.map(|ratio| ratio.value), Some(2.0));
    }

    #[test]
    fn a_ratio_is_the_median_over_the_rounds() {
        let sample = |cpu_s: f64, hops: u64| Sample { cpu_s, wall_s: 0.0, peak_bytes: 0, packet_hops: Some(hops) };
        let works: Vec<&Work> = WORKS.iter().filter(|work| ["w1", "w3"].contains(&work.id)).collect();
        let samples = vec![vec![sample(1.0, 8), sample(1.0, 8), sample(2.0, 8)], vec![sample(6.0, 16); 3]];
        let ratio = RATIOS.iter().find(|ratio| ratio.id == "w3-w1").and_then(|ratio| ratio.of(&works, &samples));
        let ratio = ratio.expect("both works were measured");
        assert_eq!((ratio.value, ratio.low, ratio.high), (3.0, 1.5, 3.0));
        assert!(RATIOS[0].of(&works, &samples).is_none(), "ns-2 did not take part");
    }
}
