//! TCP as it is deployed: what it reaches, what holds it back, and where published figures put DCTCP and BBR.

use crate::common::{fairwire, fairwire_in, folder, put, shipped};
use serde_json::Value;

/// The runs of a scenario.
fn runs(path: &str) -> Vec<Value> {
    runs_as(path, &[])
}

/// The same with further options of the command line.
fn runs_as(path: &str, options: &[&str]) -> Vec<Value> {
    let said = fairwire(&[&["run", path, "--json", "--no-folder"], options].concat());
    assert!(matches!(said.code, Some(0 | 1)), "{said}");
    let answer: Value = serde_json::from_str(&said.stdout).unwrap();
    answer["runs"].as_array().unwrap().clone()
}

fn flow<'a>(run: &'a Value, id: &str) -> &'a Value {
    run["flows"].as_array().unwrap().iter().find(|flow| flow["id"] == id).unwrap_or_else(|| panic!("no flow {id}"))
}

fn mbps(flow: &Value) -> f64 {
    flow["rate_bps"].as_f64().unwrap() / 1e6
}

/// One link of 100 Mb/s with a round trip of 50 ms; further keys of the link, and a flow's traffic.
fn line(link: &str, traffic: &str) -> String {
    format!(
        "schema = 1\n[run]\nduration = \"20 s\"\nwarmup = \"5 s\"\n[network]\nnodes = [\"a\", \"b\"]\nqueue = {{ name = \"fq-codel\" }}\n\
         limit = \"1000 packets\"\n[[network.link]]\nname = \"ab\"\nfrom = \"a\"\nto = \"b\"\ncapacity = \"100 Mb/s\"\ndelay = \"25 ms\"\n\
         duplex = true\n{link}\n[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\ntraffic = {traffic}\n"
    )
}

#[test]
fn the_default_fills_a_link_through_fq_codel() {
    let here = folder("tcp-default");
    let [run] = &runs(&put(&here, "line.toml", &line("", "{ kind = \"tcp\" }")))[..] else { panic!("one run") };
    let x = flow(run, "x");
    assert!(mbps(x) >= 90.0, "{x}");
    assert_eq!((&x["limited_by"], &x["limited_by_link"]), (&"link".into(), &"ab".into()));
}

/// The file to start from, without its stream that does not heed losses.
#[test]
fn so_do_the_connections_of_the_file_to_start_from() {
    let here = folder("tcp-template");
    let written = fairwire_in(&here, &["scenario", "new", "dumbbell"]).stdout;
    let (network, stream) = written.split_once("[[flow]]\nname = \"stream\"").expect("the template has a stream");
    assert!(stream.contains("cbr"));
    let [run] = &runs(&put(&here, "dumbbell.toml", network))[..] else { panic!("one run") };
    assert!(mbps(flow(run, "transfers")) >= 90.0, "{run}");
}

#[test]
fn who_held_a_flow_back_is_told() {
    let here = folder("tcp-limited");
    for (name, link, traffic, expected) in [
        ("window", "", "{ kind = \"tcp\", receive-window = \"64 packets\" }", "window"),
        (
            "slow-start",
            "",
            "{ kind = \"transfers\", mean-interval = \"10 ms\", size = \"100 kB\", count = 2000 }",
            "window",
        ),
        ("application", "", "{ kind = \"web\", mean-think-time = \"2 s\", size = \"50 kB\" }", "application"),
        ("loss", "random-loss = \"1 %\"", "{ kind = \"tcp\" }", "loss"),
        ("stream", "", "{ kind = \"cbr\", rate = \"10 Mb/s\" }", "application"),
        ("flood", "", "{ kind = \"cbr\", rate = \"200 Mb/s\" }", "link"),
        ("profile", "", "{ kind = \"tcp\", profile = \"ns-2\" }", "window"),
    ] {
        let path = put(&here, &format!("{name}.toml"), &line(link, traffic));
        let [run] = &runs(&path)[..] else { panic!("one run") };
        let x = flow(run, "x");
        assert_eq!(x["limited_by"], expected, "{name}: {x}");
        assert_eq!(x["limited_by_link"].is_string(), expected == "link", "{name}");
        let table = fairwire(&["run", &path, "--no-folder"]).stdout;
        let is_tcp = x["waited"].is_object();
        assert_eq!(table.contains("held back by"), is_tcp, "{table}");
        assert_eq!(is_tcp, !traffic.contains("cbr"));
    }
}

/// The clocks add up to the time that the sender was busy: all of the measured 15 s of a connection without end.
#[test]
fn waits_add_up() {
    let here = folder("tcp-waits");
    let [run] = &runs(&put(&here, "line.toml", &line("", "{ kind = \"tcp\" }")))[..] else { panic!("one run") };
    let waited = &flow(run, "x")["waited"];
    let s = |key: &str| waited[key].as_f64().unwrap();
    let parts = ["application_s", "receiver_window_s", "opening_window_s", "congestion_window_s", "recovery_s"];
    let sum: f64 = parts.into_iter().map(s).sum();
    assert!((sum - s("busy_s")).abs() < 1e-6 && (s("busy_s") - 15.0).abs() < 1e-6, "{waited}");
}

/// Alizadeh et al. (2010) §3.3: from K + N − √(2N(C·RTT + K))/2 to K + N packets, here from 25.2 to 50.
#[test]
fn dctcp_s_queue_stays_where_its_paper_says() {
    let [run] = &runs(&shipped("teaching/dctcp-queue.toml"))[..] else { panic!("one run") };
    let link = run["links"].as_array().unwrap().iter().find(|link| link["id"] == "bottleneck").unwrap();
    let (k, n, pipe) = (40.0, 10.0, 10e9 * 100e-6 / 12_000.0);
    let middle = k + n - f64::sqrt(2.0 * n * (pipe + k)) / 4.0;
    let queue = link["mean_queue_packets"].as_f64().unwrap();
    assert!((queue / middle - 1.0).abs() < 0.1, "{queue} and {middle} packets");
    assert!(mbps(flow(run, "dctcp")) > 9_800.0);
}

/// Zeynali et al. (PAM 2024): more than half for BBR with a shallow queue, less with a deep one.
#[test]
fn bbr_s_share_falls_as_queues_get_deeper() {
    let share = |run: &Value, depth: &str| {
        let [bbr, cubic] = ["bbr", "cubic"].map(|control| mbps(flow(run, &format!("{control}-{depth}"))));
        bbr / (bbr + cubic)
    };
    // The page of bbr shows all five runs.
    for run in runs_as(&shipped("teaching/bbr-share.toml"), &["--replications", "1"]) {
        let [quarter, one, four, sixteen] = ["quarter", "one", "four", "sixteen"].map(|depth| share(&run, depth));
        assert!(quarter > 0.6 && one > 0.6 && sixteen < 0.5, "{quarter} {one} {four} {sixteen}");
        assert!(one > four && four > sixteen, "{one} {four} {sixteen}");
    }
}

/// Acknowledgements of `data` wait with `back`, which may not send all that it has.
const UNANSWERED: &str = r#"
schema = 1
[run]
duration = "100 ms"
warmup = "20 ms"
[ring]
stations = 4
capacity = "1 Gb/s"
span-delay = "50 us"
law = { name = "dvsr" }
transit = { buffer = "200 kB" }
station-buffer = "50 kB"
[[flow]]
name = "data"
from = 0
to = 2
ringlet = 1
traffic = { kind = "tcp" }
[[flow]]
name = "rival"
from = 3
to = 0
ringlet = 0
[[flow]]
name = "back"
from = 2
ringlet = 0
"#;

#[test]
fn acknowledgements_that_find_no_way_back_are_told() {
    let folder = folder("tcp-unanswered");
    let said = |rest: &str, options: &[&str]| {
        let file = put(&folder, "shared.toml", &format!("{UNANSWERED}{rest}\n"));
        fairwire(&[&["run", &file, "--no-folder"], options].concat()).ends_with(0)
    };
    let shared = said("to = 0", &[]);
    assert!(shared.stdout.contains("the way of its acknowledgements"), "{shared}");
    let told = "they wait in the queue of station 2 toward 0, which back fills; another `to`";
    assert!(shared.stderr.contains(told), "{shared}");
    let run = &said("to = 0", &["--json"]).json()["runs"][0];
    assert_eq!(run["flows"][0]["limited_by"], "acknowledgements");
    // As the caution says: another place to go, or less to send.
    for mended in ["to = 3", "to = 0\ndemand = \"100 Mb/s\""] {
        let said = said(mended, &[]);
        assert!(!said.to_string().contains("acknowledgement"), "{said}");
    }
}

#[test]
fn acknowledgements_that_are_lost_in_part_are_told() {
    let folder = folder("tcp-answered-in-part");
    let held_by = |there: &str, back: &str| {
        let file = put(
            &folder,
            "lossy.toml",
            &format!(
                r#"
schema = 1
[run]
duration = "20 s"
warmup = "2 s"
[network]
nodes = ["a", "b"]
link = [
    {{ name = "there", from = "a", to = "b", capacity = "100 Mb/s", delay = "10 ms", limit = "5000 packets", random-loss = "{there}" }},
    {{ name = "back", from = "b", to = "a", capacity = "100 Mb/s", delay = "10 ms", random-loss = "{back}" }},
]
[[flow]]
name = "data"
from = "a"
to = "b"
traffic = {{ kind = "tcp", control = "newreno" }}
"#
            ),
        );
        let run = fairwire(&["run", &file, "--no-folder", "--json"]).ends_with(0).json()["runs"][0].clone();
        let flow = &run["flows"][0];
        assert!(flow["timeouts"].as_u64().expect("a count") > 0, "{flow}");
        assert_eq!(flow["dropped"] == 0, there == "0 %", "{flow}");
        flow["limited_by"].clone()
    };
    assert_eq!(held_by("0 %", "95 %"), "acknowledgements");
    assert_eq!(held_by("20 %", "0 %"), "loss");
}
