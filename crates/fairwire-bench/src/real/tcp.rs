//! The kernel's TCP over rings: Figure 17 of the paper on DVSR at 100 Mb/s, and two stations at 1 Gb/s.

use super::case::{Case, Limit, Part};
use super::scaled::{Scale, as_kernels, ring, shipped, under, written};
use fairwire_terminal::CliError;
use toml::{Table, Value};

const ISOLATION: &str = include_str!("../../../../scenarios/papers/tcp-isolation.toml");
pub const SCALE: Scale = Scale { link_bps: 100e6, span: "0.5 ms", packet: None, buffers: 1.0, times: ("5 s", "1 s") };
const LAWS: [&str; 3] = ["dvsr-plus", "dvsr", "fifo"];
const CONTROLS: [&str; 3] = ["reno", "cubic", "bbr"];

/// Two stations with two connections each over a link that both want.
const GIGABIT: &str = r#"
schema = 1
title = "Two stations of CUBIC at 1 Gb/s"
run = { duration = "4 s", warmup = "1.5 s" }

[ring]
stations = 4
capacity = "1 Gb/s"
span-delay = "0.1 ms"
law = { name = "dvsr-plus" }
station-queues = "per-destination"

[[flow]]
name = "tcp"
from = [0, 1]
to = 2
micro-flows = 2
traffic = { kind = "tcp", control = "cubic", segment = "1500 B", receive-window = "1000 packets", initial-window = "10 packets", min-timeout = "0.2 s", delayed-ack = "40 ms" }
"#;

/// The figure's ring under a law.
pub fn isolation(law: &str) -> Result<Table, CliError> {
    let mut table = shipped(ISOLATION)?;
    ring(&mut table, &SCALE)?;
    under(&mut table, law);
    Ok(table)
}

/// Law after law, and in each TCP after TCP.
pub fn cases() -> Result<Vec<Case>, CliError> {
    let mut cases = Vec::new();
    for law in LAWS {
        for control in CONTROLS {
            let mut table = isolation(law)?;
            // The kernel's BBR is the first version, the simulated one the third: nothing is held against the other.
            let is_simulated = control != "bbr";
            for flow in table.get_mut("flow").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(traffic) = flow.get_mut("traffic").and_then(Value::as_table_mut)
                    && traffic.get("kind").and_then(Value::as_str) == Some("tcp")
                {
                    traffic.insert("control".to_owned(), if is_simulated { control } else { "cubic" }.into());
                }
            }
            as_kernels(&mut table);
            let limit = match law {
                "fifo" if is_simulated => Limit::FirstOfLink(0.03),
                "fifo" => Limit::Shown,
                _ => Limit::OfFair(0.02),
            };
            cases.push(Case {
                part: Part::Tcp,
                name: format!("20 {control} against three streams"),
                law: law.to_owned(),
                tcp: (!is_simulated).then_some("bbr"),
                toml: written(&table)?,
                link_bps: SCALE.link_bps,
                simulated: 10,
                simulated_most: 10,
                real: 1,
                most: if law == "fifo" { 5 } else { 1 },
                bears: "undisturbed",
                at_once: 1,
                disturbance: None,
                limit,
                fair_within: None,
                packet_bps: 0.0,
                is_quick: control == "cubic",
            });
        }
    }
    cases.push(Case {
        part: Part::Tcp,
        name: "two stations of cubic at 1 Gb/s".to_owned(),
        law: "dvsr-plus".to_owned(),
        tcp: None,
        toml: GIGABIT.to_owned(),
        link_bps: 1e9,
        simulated: 3,
        simulated_most: 3,
        real: 1,
        most: 1,
        bears: "undisturbed",
        at_once: 1,
        disturbance: None,
        limit: Limit::OfFair(0.01),
        fair_within: None,
        packet_bps: 0.0,
        is_quick: false,
    });
    Ok(cases)
}
