//! What every importer owes to any text: a good scenario, or errors that help. The fuzz target says the same.

use fairwire_exchange::{Foreign, GraphOptions, Layout, LibreQosOptions, Senders, from_csv, from_graph, from_libreqos};
use fairwire_scenario::{Diagnostics, Scenario, format};

/// A network for tables of flows and of circuits, which stand beside one.
const LINKS: &str = include_str!("../samples/links.csv");
const SITES: &str = include_str!("../samples/network.json");
/// In larger networks not everybody sends to everybody: what is to be seen is seen in small ones.
const MOST_LINES: usize = 20;

/// Hands `text` to every importer; true if one of them took it.
pub fn import(text: &str) -> bool {
    let file = |name, text| Foreign { name, text };
    let hub = || Senders::Hub("hub".to_owned());
    let senders = || if text.lines().count() <= MOST_LINES { Senders::AllPairs } else { hub() };
    let (plain, sites) = (GraphOptions::default(), LibreQosOptions::default());
    let rates = ["2 Gb/s", "1 Mb/s"].map(|rate| rate.parse().ok());
    let full = GraphOptions { capacity: rates[0], unit: rates[1] };
    let made = [
        from_csv(file("links.csv", text), &Layout::default(), &hub().into(), ""),
        from_csv(file("links.csv", text), &Layout::default(), &senders().into(), ""),
        from_csv(file("links.csv", LINKS), &Layout::default(), &Senders::Table(file("flows.csv", text)).into(), ""),
        from_graph(file("graph", text), &plain, &senders().into(), ""),
        from_graph(file("graph", text), &full, &senders().into(), "a graph"),
        from_libreqos(file("network.json", text), None, &sites, ""),
        from_libreqos(file("network.json", SITES), Some(file("ShapedDevices.csv", text)), &sites, ""),
    ];
    made.into_iter().map(check).filter(|taken| *taken).count() > 0
}

fn check(made: Result<String, Diagnostics>) -> bool {
    match made {
        Ok(toml) => {
            let scenario = Scenario::parse("made", &toml).expect("what is made is a scenario");
            scenario.problem().validate().expect("with a problem to solve");
            assert_eq!(format(&toml).as_deref(), Ok(toml.as_str()), "it is formatted");
            true
        }
        Err(errors) => {
            assert!(!errors.items.is_empty());
            assert_ne!(errors.file_name, "the scenario made of it", "nobody has seen that: {errors}\n{}", errors.text);
            let lines = errors.text.lines().count().max(1);
            for item in &errors.items {
                assert!(!item.help.is_empty() && (1..=lines).contains(&item.line) && item.column > 0, "{item:?}");
                assert!(errors.text.get(item.span.clone()).is_some(), "{item:?}");
            }
            false
        }
    }
}
