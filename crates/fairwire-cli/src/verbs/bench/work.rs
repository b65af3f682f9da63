//! What is measured. Scenarios and the peer's script are part of the program,
//! so that it measures the same work wherever it is installed.

/// One command to measure.
#[derive(Debug)]
pub struct Work {
    /// Its name in the answer.
    pub id: &'static str,
    /// What it is, for people.
    pub what: &'static str,
    pub command: Command,
}

/// What runs.
#[derive(Debug)]
pub enum Command {
    /// `fairwire run`.
    Fairwire {
        /// File name of the scenario.
        file: &'static str,
        /// The scenario.
        text: &'static str,
        /// The law in place of the scenario's.
        law: Option<&'static str>,
        /// The engine path.
        engine: &'static str,
        /// Whether a result folder is written.
        folder: bool,
    },
    /// ns-2 with our script.
    Ns2 {
        /// Nodes of the chain.
        nodes: u32,
        /// Simulated seconds.
        seconds: f64,
    },
}

/// The script for ns-2, which does the work of W1 and W3.
pub const NS2_SCRIPT: &str = include_str!("../../../../../benches/ns2/parking_lot.tcl");

macro_rules! scenario {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../../scenarios/bench/", $name)))
    };
}

const W1: (&str, &str) = scenario!("w1.toml");
const W3: (&str, &str) = scenario!("w3.toml");
const W5: (&str, &str) = scenario!("w5.toml");
const W5_64: (&str, &str) = scenario!("w5-64.toml");
const EMPTY: (&str, &str) = scenario!("empty-second.toml");

/// Every work, in the order in which a round goes through them: what is
/// compared stands together.
pub const WORKS: &[Work] = &[
    run("w1", "W1 chain of 5", W1, "auto"),
    ns2("w1-ns2", "W1 in ns-2", 5, 5.0),
    run("w3", "W3 chain of 65", W3, "auto"),
    ns2("w3-ns2", "W3 in ns-2", 65, 1.0),
    run("w1-windows", "W1, windows", W1, "windows"),
    run("w5-windows", "W5 ring of 10 with dvsr, windows", W5, "windows"),
    run("w5-64-windows", "W5 ring of 64 with dvsr, windows", W5_64, "windows"),
    run_law("w5-am-windows", "W5 ring of 10 with rpr-aggressive, windows", W5, "rpr-aggressive", "windows"),
    run_law("w5-64-am-windows", "W5 ring of 64 with rpr-aggressive, windows", W5_64, "rpr-aggressive", "windows"),
    run("w1-events", "W1, events", W1, "events"),
    run("w5-events", "W5 ring of 10 with dvsr, events", W5, "events"),
    run("w5-64-events", "W5 ring of 64 with dvsr, events", W5_64, "events"),
    run_law("w5-am-events", "W5 ring of 10 with rpr-aggressive, events", W5, "rpr-aggressive", "events"),
    run_law("w5-64-am-events", "W5 ring of 64 with rpr-aggressive, events", W5_64, "rpr-aggressive", "events"),
    Work {
        id: "w1-folder",
        what: "W1 with a result folder",
        command: Command::Fairwire { file: W1.0, text: W1.1, law: None, engine: "auto", folder: true },
    },
    run("empty", "an empty second", EMPTY, "auto"),
];

const fn run(
    id: &'static str,
    what: &'static str,
    scenario: (&'static str, &'static str),
    engine: &'static str,
) -> Work {
    let (file, text) = scenario;
    Work { id, what, command: Command::Fairwire { file, text, law: None, engine, folder: false } }
}

const fn run_law(
    id: &'static str,
    what: &'static str,
    scenario: (&'static str, &'static str),
    law: &'static str,
    engine: &'static str,
) -> Work {
    let (file, text) = scenario;
    Work { id, what, command: Command::Fairwire { file, text, law: Some(law), engine, folder: false } }
}

const fn ns2(id: &'static str, what: &'static str, nodes: u32, seconds: f64) -> Work {
    Work { id, what, command: Command::Ns2 { nodes, seconds } }
}

impl Work {
    /// Whether it needs ns-2.
    pub fn is_ns2(&self) -> bool {
        matches!(self.command, Command::Ns2 { .. })
    }
}
