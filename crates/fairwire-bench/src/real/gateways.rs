//! Gateways of 10 to 20 Mb/s with the kernel's TCP and datagrams, under every queue law.

use super::case::{Case, Limit, Part};
use super::scaled::{as_kernels, lasts, law_table, shipped, written};
use crate::laws::queue_laws;
use fairwire_laws::queue::QueueLawChoice;
use fairwire_terminal::CliError;
use toml::Value;

/// A flow of four connections over three bottlenecks, as many over each of them, and a stream that heeds nobody. ECN is on.
const LOT: &str = r#"
schema = 1
title = "Three bottlenecks in a row"

[network]
nodes = ["a", "b", "c", "d", "long", "one", "two", "three", "deaf", "to-long", "to-one", "to-two", "to-three", "to-deaf"]
queue = { name = "red" }
limit = "200 packets"
link = [
    { name = "ab", from = "a", to = "b", capacity = "20 Mb/s", delay = "5 ms", duplex = true, back-queue = { name = "droptail" }, back-limit = "1000 packets" },
    { name = "bc", from = "b", to = "c", capacity = "20 Mb/s", delay = "5 ms", duplex = true, back-queue = { name = "droptail" }, back-limit = "1000 packets" },
    { name = "cd", from = "c", to = "d", capacity = "20 Mb/s", delay = "5 ms", duplex = true, back-queue = { name = "droptail" }, back-limit = "1000 packets" },
    { from = "long", to = "a", capacity = "100 Mb/s", delay = "1 ms", duplex = true, queue = { name = "droptail" }, limit = "1000 packets" },
    { from = "one", to = "a", capacity = "100 Mb/s", delay = "1 ms", duplex = true, queue = { name = "droptail" }, limit = "1000 packets" },
    { from = "two", to = "b", capacity = "100 Mb/s", delay = "1 ms", duplex = true, queue = { name = "droptail" }, limit = "1000 packets" },
    { from = "three", to = "c", capacity = "100 Mb/s", delay = "1 ms", duplex = true, queue = { name = "droptail" }, limit = "1000 packets" },
    { from = "deaf", to = "b", capacity = "100 Mb/s", delay = "1 ms", duplex = true, queue = { name = "droptail" }, limit = "1000 packets" },
    { from = "d", to = "to-long", capacity = "100 Mb/s", delay = "1 ms", duplex = true, queue = { name = "droptail" }, limit = "1000 packets" },
    { from = "b", to = "to-one", capacity = "100 Mb/s", delay = "1 ms", duplex = true, queue = { name = "droptail" }, limit = "1000 packets" },
    { from = "c", to = "to-two", capacity = "100 Mb/s", delay = "1 ms", duplex = true, queue = { name = "droptail" }, limit = "1000 packets" },
    { from = "d", to = "to-three", capacity = "100 Mb/s", delay = "1 ms", duplex = true, queue = { name = "droptail" }, limit = "1000 packets" },
    { from = "c", to = "to-deaf", capacity = "100 Mb/s", delay = "1 ms", duplex = true, queue = { name = "droptail" }, limit = "1000 packets" },
]

[[flow]]
name = "long"
from = "long"
to = "to-long"
micro-flows = 4
traffic = { kind = "tcp", control = "cubic", segment = "1500 B", receive-window = "1000 packets", initial-window = "10 packets", min-timeout = "0.2 s", delayed-ack = "40 ms", ecn = true }
start-jitter = "0.5 s"

[[flow]]
name = "first"
from = "one"
to = "to-one"
micro-flows = 4
traffic = { kind = "tcp", control = "cubic", segment = "1500 B", receive-window = "1000 packets", initial-window = "10 packets", min-timeout = "0.2 s", delayed-ack = "40 ms", ecn = true }
start-jitter = "0.5 s"

[[flow]]
name = "second"
from = "two"
to = "to-two"
micro-flows = 4
traffic = { kind = "tcp", control = "cubic", segment = "1500 B", receive-window = "1000 packets", initial-window = "10 packets", min-timeout = "0.2 s", delayed-ack = "40 ms", ecn = true }
start-jitter = "0.5 s"

[[flow]]
name = "third"
from = "three"
to = "to-three"
micro-flows = 4
traffic = { kind = "tcp", control = "cubic", segment = "1500 B", receive-window = "1000 packets", initial-window = "10 packets", min-timeout = "0.2 s", delayed-ack = "40 ms", ecn = true }
start-jitter = "0.5 s"

[[flow]]
name = "deaf"
from = "deaf"
to = "to-deaf"
traffic = { kind = "cbr", rate = "8 Mb/s", interval-jitter = "50 %", packet = "1 kB" }
"#;

/// Nine connections and three streams.
pub const MIX: &str = include_str!("../../../../scenarios/gateways/vrr-mix.toml");

/// A gateway, and how it is run.
struct Gateway {
    name: &'static str,
    text: &'static str,
    /// Capacity of the bottleneck.
    link_bps: f64,
    /// Whether connections can be marked.
    ecn: bool,
    /// How long it runs, and how much of that is not measured.
    times: (&'static str, &'static str),
}

const GATEWAYS: [Gateway; 3] = [
    Gateway { name: "vrr-mix", text: MIX, link_bps: 10e6, ecn: false, times: ("12 s", "3 s") },
    Gateway {
        name: "unfair-link",
        text: include_str!("../../../../scenarios/operators/unfair-link.toml"),
        link_bps: 20e6,
        ecn: false,
        times: ("12 s", "3 s"),
    },
    // The simulated CUBIC, which has no HyStart++, loses much when its first slow start ends, and who crosses three full queues
    // needs ten seconds to come back from that (`docs/validation.md`).
    Gateway { name: "three bottlenecks", text: LOT, link_bps: 20e6, ecn: true, times: ("32 s", "12 s") },
];

/// Gateway after gateway, law after law.
pub fn cases() -> Result<Vec<Case>, CliError> {
    let mut cases = Vec::new();
    for Gateway { name, text, link_bps, ecn, times } in GATEWAYS {
        for law in queue_laws(&[])? {
            let marks = ecn && law.marking().is_some();
            let law = law.about().name;
            let mut table = shipped(text)?;
            lasts(&mut table, times);
            as_kernels(&mut table);
            let mut queue = law_table(law);
            if let Some(queue) = queue.as_table_mut().filter(|_| marks) {
                queue.insert("ecn".to_owned(), true.into());
            }
            if let Some(network) = table.get_mut("network").and_then(Value::as_table_mut) {
                network.insert("queue".to_owned(), queue);
            }
            cases.push(Case {
                part: Part::Gateways,
                name: name.to_owned(),
                law: law.to_owned(),
                tcp: None,
                toml: written(&table)?,
                link_bps,
                simulated: 10,
                simulated_most: 10,
                real: 3,
                most: 10,
                bears: "disturbed",
                at_once: 4,
                disturbance: None,
                limit: Limit::Gateway,
                fair_within: None,
                packet_bps: 0.0,
                is_quick: ecn && ["red", "vrr", "fq-codel"].contains(&law),
            });
        }
    }
    Ok(cases)
}

/// Whether it marks those that can be marked.
pub fn marks(case: &Case) -> bool {
    case.toml.contains("ecn = true") && QueueLawChoice::by_name(&case.law).is_ok_and(|law| law.marking().is_some())
}
