//! A law that moves limits of kernels: on a ring of six routers, and at one whose neighbours are silent.

use crate::common::ahead::ahead;
use crate::common::answer_keys::{as_told, told_of};
use crate::common::desk::Desk;
use crate::namespace::{has_htb, inside};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Senders and routers share the processors with other tests.
pub const TRIES: usize = 3;

const RING: &str = include_str!("../../../../examples/kernel-ring/ring.toml");

/// What the laboratory of an example measures.
pub fn laboratory(example: &str) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example).join("lab.py");
    let mut command = ahead("python3");
    command.arg(script).args(["--fairwire", env!("CARGO_BIN_EXE_fairwire"), "--seconds", "1", "--json"]);
    let done = command.env("PYTHONDONTWRITEBYTECODE", "1").output().expect("python3 is there");
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{told}");
    serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {told}"))
}

/// Flows that have not what is fair within a part of it, in Mb/s.
pub fn unfair(measured: &Value, fair: &[(&str, [f64; 4])], within: f64) -> Vec<String> {
    let of = |(key, fair): &(&str, [f64; 4])| {
        let rates = measured[key].as_array().unwrap_or_else(|| panic!("no {key}: {measured}"));
        let rates = rates.iter().map(|rate| rate.as_f64().unwrap() / 1e6).zip(*fair);
        let far = rates.filter(|(rate, fair)| (rate - fair).abs() > within * fair.max(1.0));
        far.map(|(rate, fair)| format!("{key}: {rate} Mb/s for {fair}")).collect::<Vec<_>>()
    };
    fair.iter().flat_map(of).collect()
}

#[test]
fn six_routers_share_their_ring_as_is_fair_and_anew_when_a_sender_falls_silent() {
    if !has_htb() {
        return;
    }
    let fair = [("dvsr-plus", [6.67, 6.67, 6.67, 13.33]), ("dvsr-plus, 1 silent", [10.0, 0.0, 10.0, 10.0])];
    let mut wrong = Vec::new();
    for _ in 0..TRIES {
        let measured = laboratory("kernel-ring");
        let without = measured["fifo"].as_array().expect("rates without a law");
        assert!(
            without[2].as_f64() > without[0].as_f64().map(|far| 1.3 * far),
            "whoever is nearest has most: {measured}"
        );
        wrong = unfair(&measured, &fair, 0.05);
        if wrong.is_empty() {
            return;
        }
    }
    panic!("{wrong:?}");
}

/// A station whose neighbours are silent: what limits are while its law may still be heard, when the lease is over, when the
/// process was killed, and when it ended.
const SILENT: &str = r#"
set -eu
ip link add name eth7 type veth peer name far
ip address add 10.98.0.1/24 dev eth7
ip link set eth7 up
ip link set far up
ip link set lo up
station="--station 1 --device eth7 --peer 2=10.98.0.2 --peer 0=10.98.0.3"
for n in 0 1 2 3 4 5; do station="$station --address $n=10.99.$n.0/24"; done
limits() { tc class show dev eth7 > "$1"; }
until_it_is_there() { while ! tc class show dev eth7 | grep -q 'class htb 1:10 '; do sleep 0.02; done; }
tc qdisc show dev eth7 > before
fairwire enforce file.toml $station --dry-run > lines

fairwire enforce file.toml $station --lease 1s --every 100ms --json > told &
pid=$!
until_it_is_there; sleep 0.3
limits law
sleep 1.5
limits lease
if fairwire enforce file.toml $station --listen 127.0.0.1:7721 2> taken; then exit 1; else echo $? > taken-code; fi
kill -TERM $pid; wait $pid; echo $? > code
tc qdisc show dev eth7 > after

ended() { timeout 5 tail --pid=$1 -f /dev/null; wait $1 || echo $? > $2-code; }
fairwire enforce file.toml $station --every 100ms > gone-told 2> gone &
pid=$!
until_it_is_there; sleep 0.3
tc qdisc replace dev eth7 root pfifo limit 66
ended $pid gone
tc qdisc show dev eth7 > gone-stays
tc qdisc del dev eth7 root

tc qdisc add dev eth7 root pfifo limit 77
if fairwire enforce file.toml $station 2> foreign; then exit 1; else echo $? > foreign-code; fi
tc qdisc show dev eth7 > foreign-stays
tc qdisc del dev eth7 root

fairwire enforce file.toml $station --lease 30s > killed-told &
pid=$!
until_it_is_there; sleep 0.3
limits again
kill -KILL $pid; wait $pid || true
sleep 0.3
limits killed

fairwire enforce file.toml $station --replace --lease 30s --every 100ms > table &
pid=$!
sleep 0.7
limits replaced
kill -TERM $pid; wait $pid
"#;

/// The limit of a class in bit/s, as `tc` has told it in a file.
pub fn limit_bps(desk: &Desk, file: &str, class: &str) -> u64 {
    let classes = fs::read_to_string(desk.0.join(file)).expect("what tc said");
    let own = classes.lines().find(|line| line.contains(&format!("class htb {class} ")));
    let limit = own.and_then(|own| own.split_once("ceil ")?.1.split_once(' '));
    let limit = limit.unwrap_or_else(|| panic!("no class {class} in {file}: {classes}")).0;
    let bits = limit.strip_suffix("bit").map(|bits| bits.replace('K', "000").replace('M', "000000"));
    bits.and_then(|bits| bits.parse().ok()).unwrap_or_else(|| panic!("{file}: {limit}"))
}

#[test]
fn whose_neighbours_are_silent_has_what_is_fair_and_leaves_nothing() {
    if !has_htb() {
        return;
    }
    let desk = Desk::new("silent", RING);
    let done = inside(&desk, SILENT).expect("it began");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let read = |file: &str| fs::read_to_string(desk.0.join(file)).expect("the script has written it");

    // A sixth of the link, and a third of it.
    let [law, fair] = [3_333, 6_666];
    for (file, expected) in [("law", law), ("lease", fair), ("again", law), ("killed", fair), ("replaced", law)] {
        assert_eq!(limit_bps(&desk, file, "1:10") / 1_000, expected, "{file}");
    }
    assert_eq!((read("code").trim(), read("after")), ("0", read("before")), "the device is as it was");
    assert_eq!(read("taken-code").trim(), "3");
    assert!(
        read("taken").contains("eth7 has a queue already") && read("taken").contains("--replace"),
        "{}",
        read("taken")
    );
    assert_eq!(read("gone-code").trim(), "3");
    assert!(read("gone").contains("the queue of eth7 is not the one that was set up"), "{}", read("gone"));
    assert!(read("gone-stays").contains("limit 66"), "{}", read("gone-stays"));
    assert_eq!(read("foreign-code").trim(), "3");
    assert!(read("foreign").contains("eth7 has a queue already"), "{}", read("foreign"));
    assert!(read("foreign-stays").contains("limit 77"), "somebody else's queue stays: {}", read("foreign-stays"));
    assert!(read("lines").starts_with("# Link r0:1 to 2\n"), "{}", read("lines"));
    assert!(read("table").contains("dvsr-plus"), "{}", read("table"));

    let statuses: Vec<Value> = read("told").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let leased: Vec<bool> = statuses.iter().map(|status| status["ringlets"][0]["leased"] == true).collect();
    assert!(leased[0] && !leased[leased.len() - 1] && leased.is_sorted_by(|one, two| one >= two), "{leased:?}");
    assert_eq!(as_told(&statuses[0], "-", &[]), told_of("fairwire enforce"));
}
