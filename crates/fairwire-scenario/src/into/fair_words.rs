//! What fair means, in words: the criterion, and who counts for how much.

use crate::{Scenario, Topology};
use fairwire_alloc::Criterion;
use std::collections::BTreeMap;
use std::fmt::Write;

/// So many weights are told by name.
const NAMED: usize = 4;

impl Scenario {
    /// What `criterion` means here, and the weights by which it compares: `weighted-max-min: equal rate over weight where a link
    /// is full; weights gold 3, all others 1`.
    pub fn fair_words(&self, criterion: Criterion) -> String {
        format!("{criterion}: {}; {}", meaning(criterion), self.weights_in_words(criterion))
    }

    fn weights_in_words(&self, criterion: Criterion) -> String {
        let of_flows = || self.flows().iter().map(|flow| (flow.name.as_str(), flow.share())).collect::<Vec<_>>();
        match criterion {
            Criterion::WeightedMaxMin | Criterion::GeneralWeighted | Criterion::Proportional => {
                told(&of_flows(), "all weights are equal")
            }
            Criterion::Rias | Criterion::RiasIterative => {
                let names: Vec<String>;
                let weights = match self.topology() {
                    Topology::Ring(ring) => {
                        names = (0..ring.stations).map(|station| format!("station {station}")).collect();
                        &ring.weights
                    }
                    Topology::Network(network) => {
                        names = network.nodes.clone();
                        &network.weights
                    }
                };
                let weights: Vec<_> = names.iter().map(String::as_str).zip(weights.iter().copied()).collect();
                told(&weights, "all stations count the same")
            }
            Criterion::MaxMin if equal(&of_flows()) => "all flows count the same".to_owned(),
            Criterion::MaxMin => "all flows count the same, whatever their weights and micro-flows".to_owned(),
            _ => "weights do not count".to_owned(),
        }
    }
}

fn meaning(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Rias => "on every link max-min between the stations where flows enter, then inside each",
        Criterion::RiasIterative => "the slides' steps towards RIAS",
        Criterion::MaxMin => "equal rates where a link is full",
        Criterion::WeightedMaxMin => "equal rate over weight where a link is full",
        Criterion::GeneralWeighted => "minimum rates first, then equal rate over weight where a link is full",
        Criterion::IngressEgress => "max-min between pairs of ends, then inside each",
        Criterion::InverseHop => "equal rate times hops where a link is full",
        Criterion::Proportional => "the largest sum of weight times logarithm of rate",
        _ => "as its definition says",
    }
}

fn equal(weights: &[(&str, f64)]) -> bool {
    weights.windows(2).all(|pair| pair[0].1 == pair[1].1)
}

/// Who has another weight than most, and what the others have.
fn told(weights: &[(&str, f64)], all_equal: &str) -> String {
    if equal(weights) {
        return all_equal.to_owned();
    }
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    weights.iter().for_each(|(_, weight)| *counts.entry(weight.to_bits()).or_default() += 1);
    let count = |weight: f64| counts[&weight.to_bits()];
    // The first of the most frequent; told by name where it is not more frequent than all others.
    let usual = weights
        .iter()
        .map(|(_, weight)| *weight)
        .reduce(|best, weight| if count(weight) > count(best) { weight } else { best });
    let usual = usual.filter(|weight| count(*weight) > 1);
    let named: Vec<_> = weights.iter().filter(|(_, weight)| Some(*weight) != usual).collect();
    let mut words = "weights".to_owned();
    for (number, (name, weight)) in named.iter().take(NAMED).enumerate() {
        let _ = write!(words, "{} {name} {weight}", if number == 0 { "" } else { "," });
    }
    if named.len() > NAMED {
        let _ = write!(words, ", {} more by name", named.len() - NAMED);
    }
    match usual {
        Some(weight) => words + &format!(", all others {weight}"),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn whoever_differs_is_named() {
        assert_eq!(told(&[("a", 1.0), ("b", 1.0)], "equal"), "equal");
        assert_eq!(told(&[("a", 3.0), ("b", 1.0)], "equal"), "weights a 3, b 1");
        assert_eq!(told(&[("a", 1.0), ("b", 2.5), ("c", 1.0)], "equal"), "weights b 2.5, all others 1");
        let many: Vec<_> = ["a", "b", "c", "d", "e", "f"].into_iter().zip([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).collect();
        assert_eq!(told(&many, "equal"), "weights a 1, b 2, c 3, d 4, 2 more by name");
    }
}
