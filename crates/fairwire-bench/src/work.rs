//! What is measured. Scenarios and the peer's script are part of the program,
//! so that it measures the same work wherever it is installed.

use super::many_flows;
use std::io;

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
        text: Text,
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

/// Where a scenario comes from.
#[derive(Clone, Copy, Debug)]
pub enum Text {
    /// It is a file of `scenarios/bench`.
    Stored(&'static str),
    /// It is written when it is needed.
    Written(fn(&mut dyn io::Write) -> io::Result<()>),
}

impl Text {
    /// Writes the scenario.
    pub fn write_to(self, file: &mut dyn io::Write) -> io::Result<()> {
        match self {
            Self::Stored(text) => file.write_all(text.as_bytes()),
            Self::Written(write) => write(file),
        }
    }
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
        ($name, Text::Stored(include_str!(concat!("../../../scenarios/bench/", $name))))
    };
}

const W1: Scenario = scenario!("w1.toml");
const W3: Scenario = scenario!("w3.toml");
const W5: Scenario = scenario!("w5.toml");
const W5_GREEDY: Scenario = scenario!("w5-greedy.toml");
const W5_64: Scenario = scenario!("w5-64.toml");
const W2B: Scenario = scenario!("w2b.toml");
const W8: Scenario = scenario!("w8.toml");
const W8_EVEN: Scenario = scenario!("w8-even.toml");
const W9_10: Scenario = ("w9-10.toml", Text::Written(many_flows::ten));
const W9_10000: Scenario = ("w9-10000.toml", Text::Written(many_flows::ten_thousand));
const W9_10_TOLD: Scenario = ("w9-10-wmfqc.toml", Text::Written(many_flows::ten_told));
const W9_10000_TOLD: Scenario = ("w9-10000-wmfqc.toml", Text::Written(many_flows::ten_thousand_told));
const EMPTY: Scenario = scenario!("empty-second.toml");

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
    run("w8", "W8 the network of [wmfqc] under wmfqc", W8, &[]),
    run("w8-even", "W8, even streams without a law", W8_EVEN, &[]),
    run("w9-10", "W9 ten flows over one link", W9_10, &[]),
    run("w9-10000", "W9, ten thousand", W9_10000, &[]),
    run("w9-10-told", "W9, ten under wmfqc", W9_10_TOLD, &[]),
    run("w9-10000-told", "W9, ten thousand under wmfqc", W9_10000_TOLD, &[]),
    run("w9-10-begun", "W9 ten flows, the first 0.1 s", W9_10, BEGUN),
    run("w9-10000-begun", "W9, ten thousand, the first 0.1 s", W9_10000, BEGUN),
    run("w9-10-told-begun", "W9, ten under wmfqc, the first 0.1 s", W9_10_TOLD, BEGUN),
    run("w9-10000-told-begun", "W9, ten thousand under wmfqc, the first 0.1 s", W9_10000_TOLD, BEGUN),
    run("empty", "an empty second", EMPTY, &[]),
];

const WINDOWS: &[&str] = &["--engine", "windows"];
const EVENTS: &[&str] = &["--engine", "events"];
const AM_WINDOWS: &[&str] = &["--engine", "windows", "--law", "rpr-aggressive"];
const AM_EVENTS: &[&str] = &["--engine", "events", "--law", "rpr-aggressive"];
/// What a run costs before it has gone far: to read its scenario, to begin, and to tell what came out.
const BEGUN: &[&str] = &["--duration", "100 ms"];
const TEN_SEEDS: &[&str] = &["--replications", "10"];

type Scenario = (&'static str, Text);

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
