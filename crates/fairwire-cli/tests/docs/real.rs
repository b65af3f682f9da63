//! The figures of docs/real.md and docs/enforce.md: measured when asked for, compared with nothing.

use crate::bless::{PAGES, around};
use crate::common::{fairwire, root, shipped};
use serde_json::Value;
use std::fs;
use std::process::Command;

const PAGE: &str = "docs/real.md";
const RING: &str = "teaching/laptop-ring.toml";
/// Capacity of its links.
const LINK_BPS: f64 = 100e6;
const LAWS: &str = "dvsr-plus,dvsr,fifo";

/// Measures and writes under `FAIRWIRE_BLESS=real`; otherwise sees to it that the page shows a measurement.
pub fn check_or_measure() {
    let _guard = PAGES.lock();
    let is_asked = std::env::var_os("FAIRWIRE_BLESS").is_some_and(|value| value == "real");
    let parts = [
        (PAGE, "real-ring", "how real it is", ring as fn() -> String),
        (PAGE, "real-laws", "| fifo |", laws),
        (PAGE, "real-testbed", "dvsr-sec8-three-flow", testbed),
        ("docs/enforce.md", "kernel-ring", "dvsr-plus, 1 silent", || routers("kernel-ring")),
        ("docs/enforce.md", "kernel-network", "wmfqc-plus, middle silent", || routers("kernel-network")),
    ];
    for (page, name, mark, measure) in parts {
        let text = fs::read_to_string(root().join(page)).expect("the page is there");
        let (before, after) = around(page, &text, name);
        if is_asked {
            let figures = measure();
            fs::write(root().join(page), format!("{before}\n{figures}\n{after}")).expect("the page can be written");
        } else {
            let figures = &text[before.len()..text.len() - after.len()];
            assert!(figures.contains(mark), "{page} shows no measurement of `{name}`");
        }
    }
}

/// What three laws show, as people see it.
fn ring() -> String {
    let said = fairwire(&["compare", &shipped(RING), "--real", "--no-folder", "--law", LAWS]).ends_with(0);
    format!("```text\n$ fairwire compare scenarios/{RING} --real --law {LAWS}\n{}```\n", said.stdout)
}

/// The five claims of the paper's testbed.
fn testbed() -> String {
    let claims = ["instruction-counts", "testbed-configuration", "two-flow", "three-flow", "unbalanced"];
    let claims: Vec<String> = claims.iter().map(|claim| format!("dvsr-sec8-{claim}")).collect();
    let ids: Vec<&str> = claims.iter().map(String::as_str).collect();
    let said = fairwire(&[&["reproduce", "--real"], &ids[..]].concat()).ends_with(0);
    format!("```text\n$ fairwire reproduce --real {}\n{}```\n", ids.join(" "), said.stdout)
}

/// The routers of an example under a law, and without.
fn routers(example: &str) -> String {
    let script = format!("examples/{example}/lab.py");
    let mut laboratory = Command::new("python3");
    laboratory.arg(root().join(&script)).args(["--fairwire", env!("CARGO_BIN_EXE_fairwire")]);
    let said = laboratory.output().expect("python3 is there");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    format!("```text\n$ python3 {script}\n{}```\n", String::from_utf8_lossy(&said.stdout))
}

/// The page of real packets beside their simulation shows what the command said; nothing measures it here.
pub fn check_the_board() {
    const BOARD: &str = "docs/real-agrees.md";
    let text = fs::read_to_string(root().join(BOARD)).expect("the page is there");
    for part in ["rings", "tcp", "gateways", "kernel", "protection", "come-and-go", "disturbed", "idle"] {
        let name = format!("fairwire-bench real --part {part}");
        let (before, after) = around(BOARD, &text, &name);
        let figures = &text[before.len()..text.len() - after.len()];
        assert!(figures.contains(&format!("$ {name}\n")), "{BOARD} shows no measurement of `{name}`");
    }
}

/// All laws of rings, real and simulated: a row each.
fn laws() -> String {
    let answer = fairwire(&["compare", &shipped(RING), "--real", "--no-folder", "--json"]);
    let answer = answer.json();
    let rates = |run: &Value| -> Vec<f64> {
        run["flows"].as_array().expect("flows").iter().map(|flow| flow["rate_bps"].as_f64().expect("a rate")).collect()
    };
    let written = |rates: &[f64]| rates.iter().map(|rate| format!("{:.2}", rate / 1e6)).collect::<Vec<_>>().join(" ");
    let runs = |key: &str| answer[key].as_array().expect("runs").iter();
    let mut table = String::from(
        "| law | real, Mb/s | simulated, Mb/s | farthest apart, of a link | late by, p99 | clock stood still |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    for ((run, simulated), how) in runs("runs").zip(runs("simulated")).zip(runs("real")) {
        let (real, twin) = (rates(run), rates(simulated));
        let apart = real.iter().zip(&twin).map(|(real, twin)| (real - twin).abs()).fold(0.0, f64::max) / LINK_BPS;
        let time = |key: &str| how["fidelity"][key].as_u64().expect("a time") as f64 * 1e-6;
        let law = run["law"].as_str().expect("a law");
        let (late, still) = (time("lateness_p99_ns"), time("stood_still_ns"));
        let (real, twin, apart) = (written(&real), written(&twin), apart * 100.0);
        table.push_str(&format!("| {law} | {real} | {twin} | {apart:.2} % | {late:.2} ms | {still:.0} ms |\n"));
    }
    table
}

/// Whether real packets can be had here; a page whose commands need them stays as it is where not.
pub fn is_possible() -> bool {
    fairwire(&["doctor"]).code == Some(0)
}
