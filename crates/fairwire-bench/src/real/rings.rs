//! Ten shipped rings under every ring law, at 100 Mb/s and at 1 Gb/s.

use super::case::{Case, Limit, Part};
use super::scaled::{Scale, ring, shipped, under, written};
use crate::laws::ring_laws;
use fairwire_terminal::CliError;

/// The scenarios, as they are called in the table.
const SHIPPED: [(&str, &str); 10] = [
    ("lot", include_str!("../../../../scenarios/papers/parking-lot.toml")),
    ("parallel", include_str!("../../../../scenarios/papers/parallel-parking-lot.toml")),
    ("upstream", include_str!("../../../../scenarios/papers/upstream-parallel.toml")),
    ("two-exit", include_str!("../../../../scenarios/papers/two-exit.toml")),
    ("converge", include_str!("../../../../scenarios/papers/convergence.toml")),
    ("two-flow", include_str!("../../../../scenarios/papers/two-flow-am.toml")),
    ("unequal", include_str!("../../../../scenarios/papers/ecm-unequal.toml")),
    ("mixed", include_str!("../../../../scenarios/teaching/mixed-demands.toml")),
    ("two-ways", include_str!("../../../../scenarios/teaching/both-ringlets.toml")),
    ("weighted", include_str!("../../../../scenarios/teaching/weighted-parking-lot.toml")),
];

/// Their names, in the order of the columns.
pub fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(name, _)| *name)
}

/// Spans of half a millisecond make a lap of 4 ms: at least 50 packets a lap, of which `dvsr` needs 40. At 1 Gb/s packets
/// are jumbo frames, so that a laptop carries as many a second as at 100 Mb/s.
pub const SPEEDS: [(&str, Scale); 2] = [
    ("100 Mb/s", Scale { link_bps: 100e6, span: "0.5 ms", packet: None, buffers: 1.0, times: ("1.7 s", "0.5 s") }),
    ("1 Gb/s", Scale { link_bps: 1e9, span: "0.5 ms", packet: Some("9 kB"), buffers: 9.0, times: ("1.7 s", "0.5 s") }),
];

/// Simulated seeds that show whether a law comes to rest, and so many where a real run is far from them.
const SEEDS: u64 = 10;
const MANY_SEEDS: u64 = 100;
/// So many real runs where the first is far from its simulation.
const MOST_RUNS: u64 = 5;
/// Without control shares are a lottery: longer runs, and more seeds.
const LOTTERY: (&str, &str) = ("4.5 s", "0.5 s");
const LOTTERY_SEEDS: u64 = 20;

/// Speed after speed, law after law.
pub fn cases() -> Result<Vec<Case>, CliError> {
    let mut cases = Vec::new();
    for (speed, scale) in SPEEDS {
        for law in ring_laws(&[])? {
            let law = law.about().name;
            for (name, text) in SHIPPED {
                let mut table = shipped(text)?;
                let is_lottery = law == "fifo";
                let times = if is_lottery { LOTTERY } else { scale.times };
                ring(&mut table, &Scale { times, ..scale })?;
                under(&mut table, law);
                cases.push(Case {
                    part: Part::Rings,
                    name: format!("{name} at {speed}"),
                    law: law.to_owned(),
                    tcp: None,
                    toml: written(&table)?,
                    link_bps: scale.link_bps,
                    simulated: if is_lottery { LOTTERY_SEEDS } else { SEEDS },
                    simulated_most: MANY_SEEDS,
                    real: 1,
                    most: MOST_RUNS,
                    bears: "disturbed",
                    at_once: 1,
                    disturbance: None,
                    limit: if is_lottery { Limit::MeanOfLink(0.02) } else { Limit::OfLink(0.01) },
                    fair_within: match law {
                        "dvsr-plus" => Some(0.005),
                        "dvsr" => Some(0.01),
                        _ => None,
                    },
                    packet_bps: scale.packet_bps()?,
                    is_quick: scale.link_bps < 1e9
                        && ["lot", "parallel"].contains(&name)
                        && ["dvsr-plus", "dvsr", "fifo"].contains(&law),
                });
            }
        }
    }
    Ok(cases)
}
