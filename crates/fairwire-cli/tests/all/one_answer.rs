//! One answer to what is fair: allocate, run and compare, and export say the same rates, to the last digit.

use crate::common::{all_shipped, fairwire_in, folder, put};
use fairwire_exchange::Limits;
use fairwire_runs::Reference;
use fairwire_scenario::Scenario;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// Splitmix64: the same scenarios each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.below(sides) == 0
    }
}

/// What a flow may say of itself.
fn keys(dice: &mut Dice, on_network: bool) -> String {
    let mut keys = String::new();
    if dice.one_in(3) {
        let _ = writeln!(keys, "weight = {}", [0.5, 2.0, 3.0, 7.25][dice.below(4) as usize]);
    }
    if on_network && dice.one_in(4) {
        let _ = writeln!(keys, "min-rate = \"{} Mb/s\"", 1 + dice.below(4));
    }
    if on_network && dice.one_in(4) {
        let _ = writeln!(keys, "peak-rate = \"{} Mb/s\"", 5 + dice.below(30));
    }
    if dice.one_in(4) {
        let _ = writeln!(keys, "micro-flows = {}", 2 + dice.below(5));
    }
    match dice.below(5) {
        0 => drop(writeln!(keys, "demand = \"{} Mb/s\"", 1 + dice.below(40))),
        1 => drop(writeln!(keys, "traffic = {{ kind = \"cbr\", rate = \"{} Mb/s\" }}", 1 + dice.below(40))),
        2 => keys.push_str("traffic = { kind = \"tcp\" }\n"),
        _ => {}
    }
    keys
}

fn flow(text: &mut String, number: u64, from: &str, to: &str, keys: &str) {
    let _ = write!(text, "\n[[flow]]\nname = \"f{number}\"\nfrom = {from}\nto = {to}\n{keys}");
}

/// A chain of links, a dumbbell, or a ring.
fn random(seed: u64) -> String {
    let dice = &mut Dice(seed);
    let mut text = "schema = 1\n[run]\nduration = \"1 ms\"\n".to_owned();
    if dice.one_in(12) {
        let criterion = ["max-min", "weighted-max-min", "proportional"][dice.below(3) as usize];
        let _ = writeln!(text, "[fair]\ncriterion = \"{criterion}\"");
    }
    let flows = 2 + dice.below(6);
    match dice.below(3) {
        0 => {
            let links = 2 + dice.below(4);
            let nodes: Vec<String> = (0..=links).map(|node| format!("\"n{node}\"")).collect();
            let _ = write!(text, "[network]\nnodes = [{}]\nlink = [\n", nodes.join(", "));
            for link in 0..links {
                let (from, to) = (&nodes[link as usize], &nodes[link as usize + 1]);
                let mbps = 30 + dice.below(100);
                let _ = writeln!(text, "{{ from = {from}, to = {to}, capacity = \"{mbps} Mb/s\", duplex = true }},");
            }
            text.push_str("]\n");
            for number in 0..flows {
                let from = dice.below(links);
                let to = from + 1 + dice.below(links - from);
                flow(&mut text, number, &nodes[from as usize], &nodes[to as usize], &keys(dice, true));
            }
        }
        1 => {
            let mbps = 30 + dice.below(100);
            let _ = writeln!(
                text,
                "[network]\nnodes = [\"a\", \"b\", \"c\", \"d\"]\nlink = [\n{{ from = \"a\", to = \"b\", capacity = \"1 Gb/s\", duplex = true }},\n\
                 {{ from = \"b\", to = \"c\", capacity = \"{mbps} Mb/s\", duplex = true }},\n{{ from = \"c\", to = \"d\", capacity = \"1 Gb/s\", duplex = true }},\n]"
            );
            for number in 0..flows {
                let ends = if dice.one_in(4) { ["\"d\"", "\"a\""] } else { ["\"a\"", "\"d\""] };
                flow(&mut text, number, ends[0], ends[1], &keys(dice, true));
            }
        }
        _ => {
            let stations = 3 + dice.below(5);
            let _ = writeln!(text, "[ring]\nstations = {stations}\ncapacity = \"100 Mb/s\"\nspan-delay = \"10 us\"");
            text.push_str("law = { name = \"dvsr\" }\n");
            if dice.one_in(3) {
                let weights: Vec<String> = (0..stations).map(|_| (1 + dice.below(3)).to_string()).collect();
                let _ = writeln!(text, "weights = [{}]", weights.join(", "));
            }
            for number in 0..flows {
                let from = dice.below(stations);
                let to = (from + 1 + dice.below(stations - 1)) % stations;
                flow(&mut text, number, &from.to_string(), &to.to_string(), &keys(dice, false));
            }
        }
    }
    text
}

/// What the functions behind the verbs say of one scenario.
fn check(name: &str, scenario: &Scenario) {
    let shared = scenario.to_be_shared();
    let criterion = shared.criterion();
    let allocated = shared.checked_allocation(criterion).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(allocated.check.fair, "{name}: {:?}", allocated.check.why);
    let rates: Vec<u64> = allocated.allocation.flows.iter().map(|flow| flow.rate_bps.to_bits()).collect();
    for why in [true, false] {
        let reference = Reference::solve(scenario, criterion, why).unwrap_or_else(|error| panic!("{name}: {error}"));
        let of_run: Vec<u64> = reference.allocation.flows.iter().map(|flow| flow.rate_bps.to_bits()).collect();
        assert_eq!(rates, of_run, "{name}, why {why}");
    }
    let exported = shared.fair_rates(criterion).unwrap_or_else(|error| panic!("{name}: {error}")).rates_bps;
    assert_eq!(rates, exported.iter().map(|rate| rate.to_bits()).collect::<Vec<_>>(), "{name}, exported");
}

#[test]
fn every_shipped_scenario_has_one_answer() {
    for path in all_shipped() {
        let text = std::fs::read_to_string(&path).unwrap();
        check(&path, &Scenario::parse(&path, &text).unwrap());
    }
}

#[test]
fn a_thousand_random_scenarios_have_one_answer() {
    let mut solved = 0;
    for seed in 0..1_000 {
        let text = random(seed);
        let scenario =
            Scenario::parse(&format!("random {seed}"), &text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        // Promises that do not fit are refused by all alike.
        if scenario.fair_rates(scenario.criterion()).is_err() {
            assert!(Reference::solve(&scenario, scenario.criterion(), false).is_err());
            assert!(scenario.checked_allocation(scenario.criterion()).is_err());
            continue;
        }
        check(&format!("random {seed}"), &scenario);
        solved += 1;
    }
    assert!(solved > 950, "{solved}");
}

/// The rates that a verb answers, by flow.
fn told(here: &Path, args: &[&str], rates: impl Fn(&Value) -> Vec<f64>) -> Vec<f64> {
    let said = fairwire_in(here, args);
    // A promise that is not kept in 1 ms is no matter here.
    assert!(matches!(said.code, Some(0 | 1)), "{args:?}: {}", said.stderr);
    rates(&serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}")))
}

/// The same of the command itself: each verb with its own default.
fn check_command(here: &Path, path: &str, scenario: &Scenario) {
    let of = |value: &Value, key: &str| value[key].as_f64().unwrap();
    let allocated = told(here, &["allocate", path, "--json"], |answer| {
        answer["flows"].as_array().unwrap().iter().map(|flow| of(flow, "rate_bps")).collect()
    });
    // Where rates are told and flows come and go, a run is held against means over its time.
    if !scenario.tells_rates() {
        for verb in ["run", "compare"] {
            let ran = told(here, &[verb, path, "--json", "--no-folder", "--duration", "1 ms"], |answer| {
                let flows = answer["runs"][0]["flows"].as_array().unwrap();
                flows.iter().map(|flow| of(flow, "fair_rate_bps")).collect()
            });
            assert_eq!(allocated, ran, "{verb} {path}");
        }
    }
    if scenario.network().is_some() {
        let said = fairwire_in(here, &["export", "flows", path]);
        let limits = Limits::new(scenario, &allocated).unwrap().flows_csv().unwrap();
        assert_eq!(said.stdout, limits, "{path}");
        assert!(said.stderr.contains(&format!("fair means {}", scenario.criterion())), "{}", said.stderr);
    }
}

#[test]
fn the_verbs_say_it_too() {
    let here = folder("one-answer");
    for seed in 0..100 {
        let path = put(&here, &format!("random-{seed}.toml"), &random(seed));
        let scenario = Scenario::parse(&path, &random(seed)).unwrap();
        if scenario.fair_rates(scenario.criterion()).is_ok() {
            check_command(&here, &path, &scenario);
        }
    }
}

/// A chain with weights and a promise; a dumbbell in which one flow stands for four connections.
#[test]
fn weights_promises_and_micro_flows_count_for_all_verbs() {
    let here = folder("one-answer-cases");
    let chain = "schema = 1\n[run]\nduration = \"1 ms\"\n[network]\nnodes = [\"a\", \"b\"]\nlink = [{ name = \"ab\", from = \"a\", to = \"b\", capacity = \"1 Gb/s\" }]\n\
        [[flow]]\nname = \"promised\"\nfrom = \"a\"\nto = \"b\"\nmin-rate = \"600 Mb/s\"\n\
        [[flow]]\nname = \"heavy\"\nfrom = \"a\"\nto = \"b\"\nweight = 2\n[[flow]]\nname = \"light\"\nfrom = \"a\"\nto = \"b\"\n";
    let dumbbell = "schema = 1\n[run]\nduration = \"1 ms\"\n[network]\nnodes = [\"a\", \"b\"]\nlink = [{ name = \"ab\", from = \"a\", to = \"b\", capacity = \"10 Mb/s\", duplex = true }]\n\
        [[flow]]\nname = \"connections\"\nfrom = \"a\"\nto = \"b\"\nmicro-flows = 4\ntraffic = { kind = \"tcp\" }\n\
        [[flow]]\nname = \"udp\"\nfrom = \"a\"\nto = \"b\"\ntraffic = { kind = \"cbr\", rate = \"8 Mb/s\" }\n";
    for (name, text, rates) in
        [("chain.toml", chain, vec![700e6, 200e6, 100e6]), ("dumbbell.toml", dumbbell, vec![8e6, 2e6])]
    {
        let path = put(&here, name, text);
        let scenario = Scenario::parse(&path, text).unwrap();
        check_command(&here, &path, &scenario);
        let fair: Vec<f64> = scenario.fair_rates(scenario.criterion()).unwrap().rates_bps;
        assert_eq!(fair, rates, "{name}");
    }
}
