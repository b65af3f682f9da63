//! The figures of docs/speed.md: measured when asked for, compared with nothing.

use crate::bless::{PAGES, around};
use crate::common::{bench, root};
use std::fs;

const PAGE: &str = "docs/speed.md";
const NAME: &str = "fairwire-bench";
/// So many that medians hold from one time to the next.
const ROUNDS: &str = "15";

/// Measures and writes under `FAIRWIRE_BLESS=speed`; otherwise sees to it that the
/// page shows a measurement.
pub fn check_or_measure() {
    let _guard = PAGES.lock();
    let text = fs::read_to_string(root().join(PAGE)).expect("the page is there");
    let (before, after) = around(PAGE, &text, NAME);
    if std::env::var_os("FAIRWIRE_BLESS").is_some_and(|value| value == "speed") {
        let machine = machine();
        let said = bench(&["--rounds", ROUNDS]).ends_with(0);
        let figures = format!("\n```text\n$ fairwire-bench --rounds {ROUNDS}\n{}```\n\n{machine}\n\n", said.stdout);
        fs::write(root().join(PAGE), format!("{before}{figures}{after}")).expect("the page can be written");
        return;
    }
    let figures = &text[before.len()..text.len() - after.len()];
    assert!(figures.contains("$ fairwire-bench") && figures.contains("load"), "{PAGE} shows no measurement");
}

/// What the figures were measured on, and what else ran there.
fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cpuinfo = read("/proc/cpuinfo");
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown processor", |(_, model)| model);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = read("/proc/loadavg").split(' ').take(3).collect::<Vec<_>>().join(", ");
    format!("Measured on {cores} cores of a machine with {model}; load averages before: {load}.")
}
