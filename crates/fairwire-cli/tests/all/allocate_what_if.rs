//! `fairwire allocate` with `--what-if`, `--sensitivities`, `--html` and promises.

use crate::common::{SMALL, fairwire, fairwire_in, folder, put, shipped};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

const RELAY: &str = "operators/radio-relay.toml";

#[test]
fn who_gains_and_who_loses_is_told_for_every_question() {
    insta::assert_snapshot!(fairwire(&[
        "allocate",
        &shipped(RELAY),
        "--criterion",
        "general-weighted",
        "--what-if",
        "link hop-4 +50%",
        "--what-if",
        "flow lake demand = 100 Mb/s; flow farm from fibre to lake min-rate 20 Mb/s",
        "--what-if",
        "link hop-5 lost",
        "--what-if",
        "flow pass weight 50",
        "--sensitivities",
    ]));
}

/// Rates by flow.
fn rates(answer: &Value, key: &str) -> BTreeMap<String, f64> {
    let flows = answer["flows"].as_array().expect("flows").iter();
    flows.filter_map(|flow| Some((flow["id"].as_str()?.to_owned(), flow[key].as_f64()?))).collect()
}

#[test]
fn a_change_gives_what_the_changed_file_gives() {
    let folder = folder("allocate-what-if");
    let text = fs::read_to_string(shipped(RELAY)).expect("the scenario is shipped");
    for criterion in ["max-min", "weighted-max-min", "general-weighted", "proportional", "rias", "ingress-egress"] {
        for (number, (change, old, new)) in [
            ("link hop-2* -10%", "\"320 Mb/s\"", "\"288 Mb/s\""),
            ("link hop-4* = 100Mb/s", "\"80 Mb/s\"", "\"100 Mb/s\""),
            ("flow lake demand none", "demand = \"250 Mb/s\"\n", ""),
            ("flow ridge weight +50%", "weight = 60", "weight = 90"),
            ("flow mine min-rate +10 Mb/s", "min-rate = \"50 Mb/s\"", "min-rate = \"60 Mb/s\""),
            ("flow clinic peak-rate 42 Mb/s", "peak-rate = \"60 Mb/s\"", "peak-rate = \"42 Mb/s\""),
            ("flow end supported-rate none", "supported-rate = \"45 Mb/s\"", ""),
            ("node fibre min-rate 50 Mb/s", "[network]", "[network]\nmin-rates = { fibre = \"50 Mb/s\" }"),
        ]
        .into_iter()
        .enumerate()
        {
            assert!(text.contains(old), "{change}");
            let edited = put(&folder, &format!("{criterion}-{number}.toml"), &text.replacen(old, new, 1));
            let asked =
                fairwire(&["allocate", &shipped(RELAY), "--criterion", criterion, "--json", "--what-if", change]);
            let asked = asked.ends_with(0).json();
            let fresh = fairwire(&["allocate", &edited, "--criterion", criterion, "--json"]);
            let (fresh, asked) = (fresh.json(), &asked["what_if"][0]);
            assert_eq!(asked["check"]["fair"], true, "{criterion}: {change}");
            let (told, wanted) = (rates(asked, "after_bps"), rates(&fresh, "rate_bps"));
            assert_eq!(told.len(), wanted.len());
            for (flow, rate) in &wanted {
                assert!(
                    (told[flow] - rate).abs() < 50.0,
                    "{criterion}: {change}: {flow} has {rate}, not {}",
                    told[flow]
                );
            }
            for (link, told) in fresh["links"].as_array().unwrap().iter().zip(asked["links"].as_array().unwrap()) {
                assert_eq!(link["id"], told["id"]);
                assert_eq!(link["capacity_bps"], told["capacity_after_bps"], "{change}");
                let (load, told) = (link["load_bps"].as_f64().unwrap(), told["load_after_bps"].as_f64().unwrap());
                assert!((load - told).abs() < 300.0, "{criterion}: {change}: {load}, not {told}");
            }
        }
    }
}

#[test]
fn a_sensitivity_is_what_a_little_more_brings() {
    let args = ["allocate", &shipped(RELAY), "--criterion", "general-weighted", "--json", "--sensitivities"];
    let answer = fairwire(&args).ends_with(0).json();
    let worth = answer["sensitivities"].as_array().expect("a list");
    assert_eq!(worth.iter().map(|link| link["link"].as_str().unwrap()).collect::<Vec<_>>(), ["hop-2", "hop-4"]);
    for link in worth {
        let change = format!("link {} +1 kb/s", link["link"].as_str().unwrap());
        let with = fairwire(&[&args[..5], &["--what-if", &change]].concat()).json();
        let gains = rates(&with["what_if"][0], "gain_bps");
        let ups = rates(link, "up");
        for (flow, gain) in gains {
            let up = ups.get(&flow).copied().unwrap_or(0.0);
            assert!((gain / 1e3 - up).abs() < 1e-3, "{change}: {flow} gains {gain}, not {up} times that");
        }
    }
}

#[test]
fn promises_that_do_not_fit_are_proved_by_the_fewest_flows_and_their_lines() {
    let folder = folder("allocate-promises");
    let text = fs::read_to_string(shipped(RELAY)).expect("the scenario is shipped");
    let text = text.replace("min-rate = \"40 Mb/s\"", "min-rate = \"60 Mb/s\"").replace("\"200 Mb/s\"", "\"105 Mb/s\"");
    put(&folder, "relay.toml", &text);
    let said = fairwire_in(&folder, &["allocate", "relay.toml", "--criterion", "general-weighted"]);
    insta::assert_snapshot!(said.ends_with(2));
    // The promise stands in [expect], so it is judged whatever is asked for; without it max-min needs no promise.
    put(&folder, "relay.toml", text.split("# Kept whatever").next().unwrap());
    fairwire_in(&folder, &["allocate", "relay.toml", "--criterion", "max-min"]).ends_with(0);
    let said = fairwire_in(&folder, &["run", "relay.toml", "--no-folder"]).ends_with(2);
    assert!(said.stderr.contains("promises more") && said.stderr.contains("relay.toml"), "{said}");
}

#[test]
fn a_change_that_cannot_be_made_says_what_to_write() {
    for change in ["link hop-9 +10%", "link hop-4 = 40 Mb/s", "flow lake demand 5 MB/s"] {
        let said = fairwire(&["allocate", &shipped(RELAY), "--criterion", "general-weighted", "--what-if", change]);
        insta::assert_snapshot!(said.ends_with(2));
    }
}

#[test]
fn the_page_is_whole_and_takes_the_place_of_pages_only() {
    let folder = folder("allocate-page");
    let scenario = shipped(RELAY);
    let mut args = vec!["allocate", &scenario, "--criterion", "general-weighted", "--html", "page.html"];
    fairwire_in(&folder, &args).ends_with(0);
    let plain = fs::read_to_string(folder.join("page.html")).expect("the page is written");
    assert!(!plain.contains("id=\"what-if\"") && !plain.contains("id=\"worth\""));
    args.extend(["--what-if", "link hop-2 +50%", "--sensitivities"]);
    fairwire_in(&folder, &args).ends_with(0);
    let page = fs::read_to_string(folder.join("page.html")).expect("the page is written again");
    let sections = ["topology", "rates", "why", "what-if", "worth", "how"];
    let at: Vec<_> = sections.iter().map(|id| page.find(&format!("<section id=\"{id}\">")).expect(id)).collect();
    assert!(at.is_sorted(), "{at:?}");
    for outside in ["http:", "https:", "src=", "@import", "url(", "<link", "NaN"] {
        assert!(!page.contains(outside), "{outside} in the page");
    }
    for flow in ["pass", "lake", "ridge", "clinic", "mine", "end"] {
        assert!(page.contains(&format!(">{flow}<")), "{flow} is not named");
    }
    args[5] = "notes.txt";
    put(&folder, "notes.txt", "to be kept");
    let said = fairwire_in(&folder, &args).ends_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("notes.txt"), "{said}");
    assert_eq!(fs::read_to_string(folder.join("notes.txt")).unwrap(), "to be kept");
}

/// Where no page can be written nobody waits for the answer; where the disk turns out to be full there is one.
#[cfg(unix)]
#[test]
fn a_page_that_cannot_be_written_does_not_take_the_answer_away() {
    let folder = folder("allocate-page-nowhere");
    let scenario = shipped(RELAY);
    for nowhere in ["no/such/folder/page.html", "."] {
        let said = fairwire_in(&folder, &["allocate", &scenario, "--html", nowhere]).ends_with(2);
        assert!(said.stdout.is_empty() && said.stderr.contains("cannot write"), "{said}");
    }
    let program = crate::common::command(&folder, &[]);
    // A disk that takes no byte.
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script]).arg(program.get_program()).args(["allocate", &scenario, "--html", "page.html"]);
    let output = shell.current_dir(&folder).output().expect("there is a shell");
    let shown = fairwire_in(&folder, &["allocate", &scenario]).ends_with(0).stdout;
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), shown);
    assert!(crate::common::names_in(&folder).is_empty(), "nothing is left half-written");
}

#[cfg(unix)]
#[test]
fn a_page_is_written_behind_links_and_not_in_their_place() {
    use std::os::unix::fs::symlink;
    let folder = folder("allocate-links");
    put(&folder, "small.toml", SMALL);
    put(&folder, "page.html", "<!doctype html>old");
    let link = |name: &str, to: &str| symlink(to, folder.join(name)).expect("a link");
    link("link.html", "page.html");
    link("nowhere.html", "gone.html");
    fairwire_in(&folder, &["allocate", "small.toml", "--html", "link.html"]).ends_with(0);
    assert!(folder.join("link.html").is_symlink());
    assert!(fs::read_to_string(folder.join("page.html")).expect("a page").contains("fairwire"));
    let network = shipped("operators/radio-chain.toml");
    // New files know the same rule.
    for call in [
        &["allocate", "small.toml", "--html", "nowhere.html"][..],
        &["export", "flows", &network, "--output", "nowhere.html"],
        &["scenario", "new", "ring", "--output", "nowhere.html"],
    ] {
        let said = fairwire_in(&folder, call).ends_with(2);
        assert!(said.stderr.contains("it is a symbolic link that leads nowhere"), "{said}");
        assert!(folder.join("nowhere.html").is_symlink() && !folder.join("gone.html").exists());
    }
    let said = fairwire_in(&folder, &["allocate", "small.toml", "--html", "/dev/null"]).ends_with(2);
    assert!(said.stderr.contains("no file of data"), "{said}");
}
