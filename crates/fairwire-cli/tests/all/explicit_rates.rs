//! Runs in which switches tell flows their rates, from the file to every answer.

use crate::common::{fairwire, folder, put, shipped};
use serde_json::Value;
use std::fs;

#[test]
fn allowed_rates_are_fair_after_every_event_and_all_answers_say_so() {
    let file = shipped("teaching/explicit-rate-events.toml");
    let folder = folder("run-explicit-rates");
    let out = folder.join("results").display().to_string();
    let answer = fairwire(&["run", &file, "--json", "--out", &out, "--format", "csv"]).ends_with(0).json();
    let run = &answer["runs"][0];
    let changes = run["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), 10);
    for change in changes {
        let allowed = &change["allowed"];
        assert!(allowed["error"].as_f64().expect("an error") < 1e-5, "{change}");
        let slowest = allowed["response_ns"].as_array().expect("responses").iter().filter_map(Value::as_u64).max();
        assert_eq!(allowed["response_max_ns"].as_u64(), slowest);
        let settled = allowed["time_to_fair"][1]["ns"].as_u64().expect("within 1 %");
        assert!(settled <= slowest.unwrap(), "nothing changes once all is as it stays: {change}");
    }
    // By hand: the film has its peak rate, the files what their destination takes, the backup the rest of 100 Mb/s.
    let last = |key: &str| changes[9][key].clone();
    assert_eq!(last("fair_rates_bps"), serde_json::json!([45e6, 6e6, 49e6]));
    assert_eq!(changes[9]["allowed"]["held_by"], serde_json::json!([null, null, "line"]));
    let line = run["links"].as_array().unwrap().iter().find(|link| link["id"] == "line").expect("the line");
    assert_eq!(line["port"]["law"], "wmfqc");
    assert!(line["port"]["deepest_packets"].as_u64().unwrap() > 0);
    // The same criterion and rates without a run, and as limits for equipment.
    let fair = fairwire(&["allocate", &file, "--json"]).ends_with(0).json();
    assert_eq!(fair["criterion"], answer["criterion"]);
    let rates = |flows: &Value, key: &str| -> Vec<f64> {
        flows.as_array().unwrap().iter().map(|flow| flow[key].as_f64().unwrap()).collect()
    };
    // All flows are on under their first terms once the second change has come.
    assert_eq!(serde_json::json!(rates(&fair["flows"], "rate_bps")), changes[1]["fair_rates_bps"]);
    // Mean rates are held against the mean of what was fair, over 500 ms.
    let at_ns: Vec<f64> = changes.iter().map(|change| change["at_ns"].as_f64().unwrap()).chain([5e8]).collect();
    for (flow, mean_bps) in rates(&run["flows"], "fair_rate_bps").into_iter().enumerate() {
        let part =
            |(change, ns): (&Value, &[f64])| change["fair_rates_bps"][flow].as_f64().unwrap() * (ns[1] - ns[0]) / 5e8;
        let by_hand: f64 = changes.iter().zip(at_ns.windows(2)).map(part).sum();
        assert!((mean_bps / by_hand - 1.0).abs() < 1e-9, "{mean_bps} for {by_hand}");
    }
    // The folder has the same in tables.
    for (table, rows) in [("responses.csv", 27), ("explicit_rates.csv", 3), ("ports.csv", 2)] {
        let text = fs::read_to_string(folder.join("results").join(table)).expect("the table is there");
        assert_eq!(text.lines().count(), rows + 1, "{table}");
    }
    let report = fs::read_to_string(folder.join("results/report.html")).expect("the report is there");
    for told in ["Allowed rates", "which link holds whom", "Q_T", "Q_D"] {
        assert!(report.contains(told), "{told}");
    }
}

#[test]
fn minimums_need_not_fit_all_at_once_where_flows_take_turns() {
    let folder = folder("run-turns");
    let flow = |name: &str, times: &str| {
        format!(
            "[[flow]]\nname = \"{name}\"\nfrom = \"a\"\nto = \"b\"\nmin-rate = \"6 Mb/s\"\n{times}\n\
             traffic = {{ kind = \"explicit-rate\", initial = \"ask\" }}\n\n"
        )
    };
    let text = format!(
        "schema = 1\n\n[run]\nduration = \"200 ms\"\n\n[network]\nnodes = [\"a\", \"b\"]\nrate = {{ name = \"wmfqc\" }}\n\
         link = [{{ from = \"a\", to = \"b\", capacity = \"10 Mb/s\", delay = \"1 ms\", duplex = true }}]\n\n{}{}\
         [expect]\n\"fair.after-events\" = {{ within = \"0.1 %\" }}\n",
        flow("first", "stop = \"100 ms\""),
        flow("second", "start = \"100 ms\"")
    );
    let file = put(&folder, "turns.toml", &text);
    let answer = fairwire(&["run", &file, "--json", "--no-folder"]).ends_with(0).json();
    assert_eq!(answer["runs"][0]["changes"][1]["fair_rates_bps"], serde_json::json!([0.0, 10e6]));
}

#[test]
fn a_rate_law_that_tells_nobody_says_so() {
    let folder = folder("run-untold");
    let text = r#"
schema = 1
[run]
duration = "20 ms"
[network]
nodes = ["a", "b"]
rate = { name = "wmfqc" }
link = [{ from = "a", to = "b", capacity = "10 Mb/s", delay = "1 ms", duplex = true }]
[[flow]]
name = "one"
from = "a"
to = "b"
"#;
    let file = put(&folder, "untold.toml", text);
    let said = fairwire(&["compare", &file, "--laws", "wmfqc,wmfqc-plus", "--no-folder"]).ends_with(0);
    assert!(said.stderr.contains("no flow is told a rate, so nothing changes under wmfqc, wmfqc-plus"), "{said}");
    let told = put(&folder, "told.toml", &format!("{text}traffic = {{ kind = \"explicit-rate\" }}\n"));
    assert!(!fairwire(&["run", &told, "--no-folder"]).ends_with(0).stderr.contains("no flow is told"));
}
