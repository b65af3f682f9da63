//! Fair rates as limits of Linux, line by line. That a kernel takes and keeps them is tested with the command.

use fairwire_alloc::Criterion;
use fairwire_exchange::{IpNet, TcError, TcOptions, tc};
use fairwire_scenario::Scenario;

/// Two flows to the farm, one to the mill, and one from there.
const CHAIN: &str = r#"
schema = 1
title = "A chain"

[network]
nodes = ["gate", "hill", "farm", "mill"]
link = [
    { name = "up", from = "gate", to = "hill", capacity = "90 Mb/s", duplex = true },
    { name = "left", from = "hill", to = "farm", capacity = "40 Mb/s", duplex = true },
    { name = "right", from = "hill", to = "mill", capacity = "30 Mb/s", duplex = true },
]

[[flow]]
name = "farm"
from = "gate"
to = "farm"

[[flow]]
name = "school"
from = "gate"
to = "farm"
demand = "4 Mb/s"

[[flow]]
name = "mill"
from = "gate"
to = "mill"

[[flow]]
name = "mill-out"
from = "mill"
to = "gate"
"#;

fn prefix(text: &str) -> IpNet {
    text.parse().expect("a prefix")
}

fn named<T: Clone>(pairs: &[(&str, T)]) -> Vec<(String, T)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn at(node: &str, devices: &[(&str, &str)]) -> TcOptions {
    let devices = devices.iter().map(|(link, device)| ((*link).to_owned(), (*device).to_owned())).collect();
    TcOptions { node: node.to_owned(), devices, ..TcOptions::default() }
}

fn limits(toml: &str, criterion: Criterion, options: &TcOptions) -> Result<String, TcError> {
    let scenario = Scenario::parse("made.toml", toml).unwrap_or_else(|errors| panic!("{errors}"));
    let rates = scenario.fair_rates(criterion).expect("solvable").rates_bps;
    tc(&scenario, &rates, options)
}

fn chain(options: &TcOptions) -> Result<String, TcError> {
    limits(CHAIN, Criterion::MaxMin, options)
}

/// Lines that do something.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn each_flow_has_a_class_as_fast_as_is_fair_and_no_faster() {
    let text = chain(&at("gate", &[("", "eth0")])).unwrap();
    // A bucket holds a millisecond of its rate, and two packets of 1514 B at least.
    let class = |id: &str, rate: u64, bucket: u64| {
        let limits = format!("rate {rate}bit ceil {rate}bit burst {bucket}b cburst {bucket}b");
        format!("class add dev eth0 parent 1:1 classid 1:{id} htb {limits} quantum 1514")
    };
    assert_eq!(
        lines(&text),
        [
            "qdisc add dev eth0 root handle 1: htb default 2",
            "class add dev eth0 parent 1: classid 1:1 htb rate 90000000bit ceil 90000000bit burst 11250b cburst 11250b \
             quantum 1514",
            "class add dev eth0 parent 1:1 classid 1:2 htb rate 4500000bit ceil 90000000bit burst 3028b cburst 11250b \
             quantum 1514",
            &class("10", 36_000_000, 4500),
            &class("11", 4_000_000, 3028),
            &class("12", 30_000_000, 3750),
        ]
    );
    assert!(text.contains("# Flow school has no filter: give its packets the priority 1:11"), "{text}");
}

#[test]
fn a_node_between_has_a_queue_for_each_of_its_links() {
    let text = chain(&at("hill", &[("right", "eth2"), ("left", "eth1"), ("up-back", "eth0")])).unwrap();
    let of = |device: &str| lines(&text).into_iter().filter(|line| line.contains(&format!(" dev {device} "))).count();
    // Queue, link, rest, and the flows: two to the farm, one to the mill, one back to the gate.
    assert_eq!([of("eth0"), of("eth1"), of("eth2")], [4, 5, 4], "{text}");
    let rate =
        |id: &str| text.lines().find(|line| line.contains(&format!("classid {id} "))).expect("a class").to_owned();
    assert!(
        rate("1:12").contains("dev eth2") && rate("1:12").contains("rate 30000000bit"),
        "one flow, one class: {text}"
    );
}

/// Station 2 of a ring sends on one ringlet and passes on what others send there, and sends on the other one.
#[test]
fn a_station_of_a_ring_has_a_queue_for_each_ringlet() {
    let ring = r#"
schema = 1
title = "A ring"
ring = { stations = 6, capacity = "90 Mb/s", span-delay = "1 ms", law = { name = "dvsr" }, link = [{ ringlet = 1, from = 2, capacity = "60 Mb/s" }] }
flow = [
    { name = "lot", from = [0, 1, 2], to = 3 },
    { name = "back", from = 2, to = 1 },
]
"#;
    let text = limits(ring, Criterion::Rias, &at("2", &[("r0:2", "east"), ("r1:2", "west")])).unwrap();
    let of = |device: &str| -> Vec<&str> {
        let classes = lines(&text).into_iter().filter(|line| line.contains(&format!("dev {device} parent 1:1 ")));
        classes.filter_map(|line| line.split(' ').find(|word| word.ends_with("bit"))).collect()
    };
    assert_eq!(of("east"), ["4500000bit", "30000000bit", "30000000bit", "30000000bit"], "{text}");
    assert_eq!(of("west"), ["3000000bit", "60000000bit"], "{text}");
    assert!(text.contains("# Link r0:2 to 3\n") && text.contains("# Link r1:2 to 1\n"), "{text}");
}

#[test]
fn packets_are_told_by_the_longest_prefixes_of_their_ends() {
    let mut options = at("gate", &[("", "eth0")]);
    options.addresses = named(&[
        ("gate", prefix("0.0.0.0/0")),
        ("gate", prefix("2001:db8::/32")),
        // Bits of hosts do not count.
        ("farm", prefix("10.1.2.3/16")),
        ("mill", prefix("10.2.0.0/16")),
        ("mill", prefix("fd00:2::/64")),
    ]);
    let error = chain(&options).unwrap_err();
    assert!(matches!(&error, TcError::SameAddresses(one, other) if one == "farm" && other == "school"), "{error}");
    // Within both ends: the longer one is narrowed.
    options.flows = named(&[("school", prefix("10.1.9.0/24")), ("school", prefix("10.1.10.1/32"))]);
    let text = chain(&options).unwrap();
    let filters: Vec<&str> =
        lines(&text).into_iter().filter_map(|line| line.strip_prefix("filter add dev eth0 ")).collect();
    assert_eq!(
        filters,
        [
            "parent 1: protocol ipv6 prio 2 u32 match ip6 src 2001:db8::/32 match ip6 dst fd00:2::/64 flowid 1:12",
            "parent 1: protocol ip prio 1 u32 match ip dst 10.1.10.1/32 flowid 1:11",
            "parent 1: protocol ip prio 1 u32 match ip dst 10.1.9.0/24 flowid 1:11",
            "parent 1: protocol ip prio 1 u32 match ip dst 10.1.0.0/16 flowid 1:10",
            "parent 1: protocol ip prio 1 u32 match ip dst 10.2.0.0/16 flowid 1:12",
        ]
    );
    assert!(!text.contains("no filter"), "{text}");
}

/// What some of those behind the gate send is told apart by their addresses, which are those of all others, too.
#[test]
fn the_longer_prefixes_of_both_ends_together_go_first() {
    let mut options = at("gate", &[("", "eth0")]);
    options.addresses = named(&[("gate", prefix("0.0.0.0/0")), ("farm", prefix("10.1.0.0/16"))]);
    options.flows = named(&[("school", prefix("192.0.2.0/24"))]);
    let text = chain(&options).unwrap();
    let filters = lines(&text).into_iter().filter_map(|line| line.strip_prefix("filter add dev eth0 parent 1: "));
    assert_eq!(
        filters.collect::<Vec<_>>(),
        [
            "protocol ip prio 1 u32 match ip src 192.0.2.0/24 match ip dst 10.1.0.0/16 flowid 1:11",
            "protocol ip prio 1 u32 match ip dst 10.1.0.0/16 flowid 1:10",
        ]
    );
}

#[test]
fn what_belongs_to_no_flow_has_no_more_than_the_link() {
    let rest = |rest: &str| TcOptions { rest: Some(rest.parse().expect("a rate")), ..at("gate", &[("", "eth0")]) };
    let refused = chain(&rest("91 Mb/s")).unwrap_err().to_string();
    assert_eq!(refused, "packets of no flow are to have 91 Mb/s, and the link up carries 90 Mb/s");
    let text = chain(&rest("90 Mb/s")).unwrap();
    assert!(text.contains("classid 1:2 htb rate 90000000bit ceil 90000000bit "), "{text}");
}

#[test]
fn an_update_changes_the_rates_of_the_same_classes() {
    let mut options = at("gate", &[("up", "eth0")]);
    options.rest = Some("1 Mb/s".parse().expect("a rate"));
    let set = chain(&options).unwrap();
    options.update = true;
    let update = chain(&options).unwrap();
    let classes: Vec<String> = lines(&set)
        .iter()
        .filter(|line| line.starts_with("class add "))
        .map(|line| line.replace("add", "change"))
        .collect();
    assert_eq!(lines(&update), classes);
    assert!(classes[1].contains("classid 1:2 htb rate 1000000bit ceil 90000000bit"), "{}", classes[1]);
}

#[test]
fn what_cannot_be_set_is_told() {
    let said = |options: &TcOptions| chain(options).unwrap_err().to_string();
    assert_eq!(said(&at("barn", &[])), "there is no node `barn`");
    assert_eq!(said(&at("farm", &[("", "eth0")])), "no flow crosses a link that leaves farm");
    assert_eq!(said(&at("gate", &[])), "no device for the link up from gate to hill");
    let which = said(&at("hill", &[("", "eth0")]));
    assert_eq!(which, "which link has the device `eth0`? Flows leave hill over up-back, left, right");
    assert_eq!(said(&at("gate", &[("left", "eth0")])), "no flow leaves gate over a link `left`");
    let twice = [("left", "eth0"), ("right", "eth0"), ("up-back", "eth1")];
    assert_eq!(said(&at("hill", &twice)), "eth0 stands twice among the devices");
    assert_eq!(said(&at("gate", &[("up", "eth0"), ("up", "eth1")])), "up stands twice among the devices");
    for device in [
        "",
        "eth0 root",
        "eth0\nqdisc",
        "a/b",
        "..",
        "sixteen-letters-",
        "a#b",
        "a'b",
        "a\"b",
        "a;b",
        "a&b",
        "a$b",
        "a`b",
    ] {
        assert_eq!(
            said(&at("gate", &[("up", device)])),
            format!("`{device}` is no name of a network device that `tc` reads")
        );
    }
    let with = |addresses: &[(&str, IpNet)], flows: &[(&str, IpNet)]| {
        said(&TcOptions { addresses: named(addresses), flows: named(flows), ..at("gate", &[("up", "eth0")]) })
    };
    let shared = [("farm", prefix("10.1.0.0/16")), ("mill", prefix("10.1.7.7/16"))];
    assert_eq!(with(&shared, &[]), "10.1.0.0/16 is behind both farm and mill");
    assert_eq!(with(&[("barn", prefix("10.1.0.0/16"))], &[]), "there is no node `barn`");
    assert_eq!(with(&[], &[("mill-out", prefix("10.1.0.0/16"))]), "no flow `mill-out` leaves the node");
    let elsewhere = with(&shared[..1], &[("school", prefix("10.2.0.0/24"))]);
    assert_eq!(elsewhere, "10.2.0.0/24 of the flow school is behind neither of its ends");
}

/// Comments hold titles and names, and a line break in one would begin a command.
#[test]
fn no_name_in_a_scenario_breaks_a_line() {
    for (name, broken) in [
        ("title = \"A chain\"", "title = \"A\\nchain\""),
        ("name = \"school\"", "name = \"school\\nqdisc del dev eth0 root\""),
        ("nodes = [\"gate\"", "nodes = [\"new\\rgate\""),
    ] {
        let error = Scenario::parse("chain.toml", &CHAIN.replace(name, broken)).expect_err(broken).to_string();
        assert!(error.contains("chain.toml:"), "{error}");
    }
}
