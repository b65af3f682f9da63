//! What of the kernel's TCP makes shares differ from simulated ones: the same traffic beside one simulated TCP after another.

use super::case::{Case, Limit, Part};
use super::gateways;
use super::scaled::{lasts, law_table, shipped, written};
use super::tcp;
use fairwire_terminal::CliError;
use toml::{Table, Value};

/// Simulated in place of the kernel's Reno, and how long their receivers hold acknowledgements back.
const SIMULATED: [(&str, Option<&str>); 5] =
    [("reno", None), ("newreno", None), ("sack", None), ("reno", Some("40 ms")), ("sack", Some("40 ms"))];
/// Laws of the gateway under which that shows most.
const LAWS: [&str; 2] = ["choke", "fred"];

/// Gateway under two laws, and Figure 17 without control; each with one simulated TCP after another.
pub fn cases() -> Result<Vec<Case>, CliError> {
    let mut cases = Vec::new();
    for law in LAWS {
        let mut mix = shipped(gateways::MIX)?;
        lasts(&mut mix, ("12 s", "3 s"));
        if let Some(network) = mix.get_mut("network").and_then(Value::as_table_mut) {
            network.insert("queue".to_owned(), law_table(law));
        }
        cases.extend(beside_each("vrr-mix", law, 10e6, &mix)?);
    }
    cases.extend(beside_each("20 against three streams", "fifo", tcp::SCALE.link_bps, &tcp::isolation("fifo")?)?);
    Ok(cases)
}

fn beside_each(name: &str, law: &str, link_bps: f64, table: &Table) -> Result<Vec<Case>, CliError> {
    let case = |(control, delayed): (&str, Option<&str>)| {
        let mut table = table.clone();
        for flow in table.get_mut("flow").and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(traffic) = flow.get_mut("traffic").and_then(Value::as_table_mut) else { continue };
            if traffic.get("kind").and_then(Value::as_str) == Some("tcp") {
                traffic.insert("control".to_owned(), control.into());
                traffic.insert("initial-window".to_owned(), "10 packets".into());
                traffic.extend(delayed.map(|delayed| ("delayed-ack".to_owned(), delayed.into())));
            }
        }
        let delayed = if delayed.is_some() { ", delayed acknowledgements" } else { "" };
        Ok(Case {
            part: Part::Kernel,
            name: format!("{name}: {control}{delayed}"),
            law: law.to_owned(),
            tcp: None,
            toml: written(&table)?,
            link_bps,
            simulated: 10,
            simulated_most: 10,
            real: 2,
            most: 2,
            bears: "disturbed",
            at_once: 4,
            disturbance: None,
            limit: Limit::Shown,
            fair_within: None,
            packet_bps: 0.0,
            is_quick: false,
        })
    };
    SIMULATED.into_iter().map(case).collect()
}
