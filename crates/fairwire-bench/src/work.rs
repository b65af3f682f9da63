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
        /// Further options.
        options: &'static [&'static str],
        /// Whether a result folder is written.
        folder: bool,
        /// Whether it has to do with one core.
        one_core: bool,
    },
    /// ns-2 with a script of ours.
    Ns2 {
        /// File name of the script.
        script: &'static str,
        /// Its arguments.
        arguments: &'static [&'static str],
    },
}

/// The scripts for ns-2: one does the work of W1 and W3, the other that of W2b.
pub const NS2_SCRIPTS: &[(&str, &str)] = &[
    (PARKING_LOT, include_str!("../../../benches/ns2/parking_lot.tcl")),
    (GATEWAY, include_str!("../../../benches/ns2/gateway.tcl")),
];
const PARKING_LOT: &str = "parking_lot.tcl";
const GATEWAY: &str = "gateway.tcl";

/// Something that ns-2 does at once if it is there.
pub const NS2_TRIAL: Command = Command::Ns2 { script: PARKING_LOT, arguments: &["5", "0.01", "1"] };

macro_rules! scenario {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../scenarios/bench/", $name)))
    };
}

const W1: (&str, &str) = scenario!("w1.toml");
const W3: (&str, &str) = scenario!("w3.toml");
const W5: (&str, &str) = scenario!("w5.toml");
const W5_GREEDY: (&str, &str) = scenario!("w5-greedy.toml");
const W5_64: (&str, &str) = scenario!("w5-64.toml");
const W2B: (&str, &str) = scenario!("w2b.toml");
const EMPTY: (&str, &str) = scenario!("empty-second.toml");

/// Every work, in the order in which a round goes through them: what is
/// compared stands together.
pub const WORKS: &[Work] = &[
    run("w1", "W1 chain of 5", W1, &[]),
    ns2("w1-ns2", "W1 in ns-2", PARKING_LOT, &["5", "5", "1"]),
    run("w3", "W3 chain of 65", W3, &[]),
    ns2("w3-ns2", "W3 in ns-2", PARKING_LOT, &["65", "1", "1"]),
    run("w2b", "W2b gateway", W2B, &[]),
    ns2("w2b-ns2", "W2b in ns-2", GATEWAY, &["tcp", "RED", "1", "100", "20"]),
    run("w2b-long", "W2b, ten times as long", W2B, &["--duration", "1000 s"]),
    run("w2b-seeds", "W2b, ten seeds on all cores", W2B, TEN_SEEDS),
    on_one_core("w2b-seeds-one-core", "W2b, ten seeds on one core", W2B, TEN_SEEDS),
    run("w1-windows", "W1, windows", W1, WINDOWS),
    run("w5-windows", "W5 ring of 10 with dvsr, windows", W5, WINDOWS),
    run("w5-greedy-windows", "W5, demand without end, windows", W5_GREEDY, WINDOWS),
    run("w5-64-windows", "W5 ring of 64 with dvsr, windows", W5_64, WINDOWS),
    run("w5-am-windows", "W5 ring of 10 with rpr-aggressive, windows", W5, AM_WINDOWS),
    run("w5-64-am-windows", "W5 ring of 64 with rpr-aggressive, windows", W5_64, AM_WINDOWS),
    run("w5-greedy-am-windows", "W5, demand without end, rpr-aggressive, windows", W5_GREEDY, AM_WINDOWS),
    run("w1-events", "W1, events", W1, EVENTS),
    run("w5-events", "W5 ring of 10 with dvsr, events", W5, EVENTS),
    run("w5-greedy-events", "W5, demand without end, events", W5_GREEDY, EVENTS),
    run("w5-64-events", "W5 ring of 64 with dvsr, events", W5_64, EVENTS),
    run("w5-am-events", "W5 ring of 10 with rpr-aggressive, events", W5, AM_EVENTS),
    run("w5-64-am-events", "W5 ring of 64 with rpr-aggressive, events", W5_64, AM_EVENTS),
    run("w5-greedy-am-events", "W5, demand without end, rpr-aggressive, events", W5_GREEDY, AM_EVENTS),
    with_folder("w1-folder", "W1 with a result folder", W1),
    run("empty", "an empty second", EMPTY, &[]),
];

const WINDOWS: &[&str] = &["--engine", "windows"];
const EVENTS: &[&str] = &["--engine", "events"];
const AM_WINDOWS: &[&str] = &["--engine", "windows", "--law", "rpr-aggressive"];
const AM_EVENTS: &[&str] = &["--engine", "events", "--law", "rpr-aggressive"];
const TEN_SEEDS: &[&str] = &["--replications", "10"];

type Scenario = (&'static str, &'static str);

const fn run(id: &'static str, what: &'static str, (file, text): Scenario, options: &'static [&'static str]) -> Work {
    Work { id, what, command: Command::Fairwire { file, text, options, folder: false, one_core: false } }
}

const fn on_one_core(
    id: &'static str,
    what: &'static str,
    (file, text): Scenario,
    options: &'static [&'static str],
) -> Work {
    Work { id, what, command: Command::Fairwire { file, text, options, folder: false, one_core: true } }
}

const fn with_folder(id: &'static str, what: &'static str, (file, text): Scenario) -> Work {
    Work { id, what, command: Command::Fairwire { file, text, options: &[], folder: true, one_core: false } }
}

const fn ns2(id: &'static str, what: &'static str, script: &'static str, arguments: &'static [&'static str]) -> Work {
    Work { id, what, command: Command::Ns2 { script, arguments } }
}

impl Work {
    /// Whether it needs ns-2.
    pub fn is_ns2(&self) -> bool {
        matches!(self.command, Command::Ns2 { .. })
    }
}
