//! Rate laws that limit flows where they enter a network of kernels: in a tree of five routers, and at one that is answered or not.

use crate::common::answer_keys::{as_told, told_of};
use crate::common::desk::Desk;
use crate::enforce::{TRIES, laboratory, limit_bps, unfair};
use crate::namespace::{has_htb, inside};
use serde_json::Value;
use std::fs;

const NETWORK: &str = include_str!("../../../../examples/kernel-network/network.toml");

#[test]
fn five_routers_of_a_tree_share_their_links_as_is_fair_and_anew_when_a_sender_falls_silent() {
    if !has_htb() {
        return;
    }
    let all = [6.67, 13.33, 6.67, 6.67];
    let fair = [("wmfqc-plus", all), ("wmfqc-plus, middle silent", [10.0, 10.0, 0.0, 10.0])];
    let mut wrong = Vec::new();
    for _ in 0..TRIES {
        let measured = laboratory("kernel-network");
        wrong = unfair(&measured, &fair, 0.08);
        if unfair(&measured, &[("without", all)], 0.08).is_empty() {
            wrong.push(format!("as fair without a law: {measured}"));
        }
        if wrong.is_empty() {
            return;
        }
    }
    panic!("{wrong:?}");
}

/// Nodes c and d of the example on one host; nobody is at b. The flow from c to d, which sends nothing, is limited by the law as
/// long as d answers. What is its limit before, while d is there, when d is gone, when it is there again, when c was killed?
const ANSWERED: &str = r#"
set -eu
ip link add name eth7 type veth peer name far
ip link set eth7 up
ip link set far up
ip link set lo up
addresses=""
n=0
for node in a b c d e; do addresses="$addresses --address $node=10.99.$n.0/24"; n=$((n + 1)); done
c="--node c --device cd=eth7 --listen 127.0.0.1 --peer b=127.0.0.2 --peer d=127.0.0.1:7721 $addresses --lease 400ms --every 100ms"
d="--node d --listen 127.0.0.1:7721 --peer c=127.0.0.1 $addresses --every 100ms"
limits() { tc class show dev eth7 > "$1"; }
until_it_is_there() { while ! tc class show dev eth7 | grep -q 'class htb 1:12 '; do sleep 0.02; done; }
fairwire enforce file.toml $c --dry-run > lines
fairwire enforce file.toml $d --dry-run > ends

fairwire enforce file.toml $c --json > told &
router=$!
until_it_is_there; sleep 0.3
limits before
fairwire enforce file.toml $d --lease 400ms --json > end-told &
end=$!
sleep 2
limits law
kill -KILL $end; wait $end || true
sleep 1.2
limits silent
fairwire enforce file.toml $d --lease 500ms > other-told 2>&1 &
end=$!
sleep 1
limits other
kill -TERM $end; wait $end
fairwire enforce file.toml $d --lease 400ms > table 2>&1 &
end=$!
sleep 1.5
limits again
kill -KILL $router; wait $router || true
sleep 0.3
limits killed
kill -TERM $end; wait $end; echo $? > code

fairwire enforce file.toml $c --replace > replaced-told 2>&1 &
router=$!
sleep 0.7
kill -TERM $router; wait $router
tc class show dev eth7 > after
"#;

#[test]
fn a_flow_has_its_safe_rate_while_no_answer_comes() {
    if !has_htb() {
        return;
    }
    let desk = Desk::new("answered", NETWORK);
    let done = inside(&desk, ANSWERED).expect("it began");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let read = |file: &str| fs::read_to_string(desk.0.join(file)).expect("the script has written it");
    // A third of the link, and what a flow that sends nothing is left: a part of that.
    let [fair, little] = [6_666, 208];
    for (file, expected) in
        [("before", fair), ("law", little), ("silent", fair), ("other", fair), ("again", little), ("killed", fair)]
    {
        assert_eq!(limit_bps(&desk, file, "1:12") / 1_000, expected, "{file}");
    }
    assert_eq!((read("code").trim(), read("after").as_str()), ("0", ""), "no class is left");
    assert!(read("lines").starts_with("# Link cd to d\n"), "{}", read("lines"));
    assert_eq!(read("ends"), "# No flow leaves d: nothing is limited there\n");
    assert!(read("table").contains("no flow leaves here"), "{}", read("table"));

    let lines =
        |file: &str| -> Vec<Value> { read(file).lines().filter_map(|line| serde_json::from_str(line).ok()).collect() };
    let (statuses, ends) = (lines("told"), lines("end-told"));
    let last = |status: &Value| status["links"][0]["flows"][2].clone();
    let leased: Vec<bool> = statuses.iter().map(|status| last(status)["leased"] == true).collect();
    assert!(!leased[0] && leased.contains(&true), "{leased:?}");
    assert_eq!(
        (&last(&statuses[0])["flow"], &statuses[0]["links"][0]["flows"][0]["limit_bps"]),
        (&"last".into(), &Value::Null)
    );
    let (now, end) = (statuses.last().expect("a status"), ends.last().expect("a status"));
    assert_eq!((&now["strays"], &now["refused"]), (&0.into(), &0.into()), "{now}");
    let other = read("other-told");
    assert!(other.contains("of another network, law or lease"), "whose lease is another: {other}");
    assert!(end["messages_heard"].as_u64() > Some(5) && end["links"].as_array().is_some_and(Vec::is_empty), "{end}");
    assert_eq!(as_told(now, "-", &[]), told_of("fairwire enforce --node"));
}
