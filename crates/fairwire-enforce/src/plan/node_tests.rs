//! What is refused at a node before anything is touched, and what is set up.

use super::{NodePlan, RouterPlan};
use crate::desk::{NETWORK, scenario};
use crate::governor::lab::{node_options, node_plan};
use crate::{EnforceError, Options};
use fairwire_core::Span;
use fairwire_scenario::Scenario;

const WMFQC: &str = "{ name = \"wmfqc\", queue-control = false }";

fn plan(scenario: &Scenario, node: usize) -> NodePlan {
    node_plan(scenario, node, node_options(scenario, node)).unwrap_or_else(|error| panic!("{error}"))
}

/// What is told of options or a scenario that cannot be, and how to mend it.
fn refused(text: &str, change: impl FnOnce(&mut Options)) -> (String, String) {
    let scenario = scenario(text);
    let mut options = node_options(&scenario, 1);
    change(&mut options);
    let Err(error) = node_plan(&scenario, 1, options) else { panic!("it is taken") };
    assert!(!error.is_of_environment());
    (error.to_string(), error.help().unwrap_or_default())
}

fn under(law: &str) -> String {
    NETWORK.replace("{ name = \"wmfqc-plus\" }", law)
}

#[test]
fn what_cannot_be_governed_is_refused_by_its_name() {
    let (told, help) = refused(NETWORK, |options| options.peers.retain(|(name, _)| name != "c"));
    assert_eq!(told, "where does node c listen? Control packets go there and come back from there");
    assert_eq!(help, "name it with `--peer c=ADDRESS`");
    let (told, _) = refused(NETWORK, |options| options.peers.push(("d".to_owned(), options.listen)));
    assert_eq!(told, "node d is no neighbour of node b");
    let (told, _) = refused(NETWORK, |options| options.devices.clear());
    assert_eq!(told, "no device for the link bc from b to c");
    let (told, _) = refused(NETWORK, |options| options.addresses.retain(|(name, _)| name != "d"));
    assert_eq!(told, "no addresses behind d: its packets cannot be told");
    let (told, _) = refused(NETWORK, |options| options.addresses.retain(|(name, _)| name != "a"));
    assert_eq!(told, "no addresses behind a: its packets cannot be told", "its packets cross the link of b");

    let apart = |options: &mut Options| options.addresses[3].1 = "2001:db8:3::/48".parse().unwrap();
    let (told, _) = refused(NETWORK, apart);
    assert!(told.starts_with("addresses of the flow far are of IPv4 at one end and of IPv6 at the other"), "{told}");

    let example = scenario(NETWORK);
    let unknown = NodePlan::new(&example, &[0.0; 4], "z", node_options(&example, 1));
    assert_eq!(unknown.err().map(|error| error.to_string()).as_deref(), Some("there is no node `z`"));
    let ring = scenario(crate::desk::RING);
    let station = NodePlan::new(&ring, &[0.0; 4], "1", node_options(&example, 1));
    assert!(matches!(station.err(), Some(EnforceError::NotNetwork)));
}

#[test]
fn flows_whose_ends_are_the_same_need_addresses_of_their_own() {
    let twice = NETWORK.replace("name = \"middle\"\nfrom = \"b\"", "name = \"middle\"\nfrom = \"a\"");
    let (told, _) = refused(&twice, |_| {});
    assert_eq!(told, "the flows far and middle have the same addresses: their packets cannot be told apart");
    let scenario = scenario(&twice);
    let flows = vec![("middle".to_owned(), "10.99.0.128/25".parse().unwrap())];
    let options = Options { flows, ..node_options(&scenario, 1) };
    let plan = node_plan(&scenario, 1, options).unwrap_or_else(|error| panic!("{error}"));
    assert!(plan.lines().contains("src 10.99.0.128/25 match ip dst 10.99.3.0/24 flowid 1:11"), "{}", plan.lines());
}

#[test]
fn flows_that_are_not_told_their_rates_are_refused() {
    let own = "traffic = { kind = \"explicit-rate\", packet = \"1442 B\" }\n\n[[flow]]\nname = \"branch\"";
    let (told, help) = refused(
        &NETWORK.replace(own, "traffic = { kind = \"cbr\", rate = \"1 Mb/s\" }\n\n[[flow]]\nname = \"branch\""),
        |_| {},
    );
    assert_eq!(told, "the flow far sends without being told its rate: `enforce` limits flows that are");
    assert!(help.contains("leave it out"), "{help}");
    let high = NETWORK.replace("name = \"far\"", "name = \"far\"\npriority = \"high\"");
    let (told, help) = refused(&high, |_| {});
    assert_eq!(
        (told.split(", and").next().unwrap(), help.as_str()),
        ("the flow far goes before others in every queue", "leave out `priority`")
    );
}

#[test]
fn laws_that_need_what_counters_do_not_give_are_refused_by_their_name() {
    for (law, why) in [
        ("{ name = \"wmfqc\" }", "wmfqc drops data packets one by one"),
        ("{ name = \"erica\" }", "erica aims at a queue in front of a link"),
        ("{ name = \"rcp\" }", "rcp moves its rate once a round trip, and sources of routers hear of it within 100 ms"),
        ("{ name = \"capc\" }", "capc moves its rate every 5 ms, and sources"),
        ("{ name = \"erica-early\", interval = \"99 ms\" }", "erica-early moves its rate every 99 ms, and sources"),
    ] {
        let (told, help) = refused(&under(law), |_| {});
        assert!(told.starts_with(why), "{told}");
        assert_eq!(help, "laws that serve are wmfqc, wmfqc-plus, max-min-marking, s-perc, capc, erica-early");
    }
}

#[test]
fn a_lease_outlasts_some_answers() {
    let lease = |text: &str, ms: u64| refused(text, |options| options.lease = Span::from_millis(ms));
    let (told, help) = lease(NETWORK, 299);
    assert_eq!(
        told,
        "answers come every 100 ms where a flow sends little: a lease of 299 ms ends when a few of them are lost"
    );
    assert_eq!(help, "let `--lease` be 300 ms at least, the same at all routers");
    let seldom = NETWORK.replace("packet = \"1442 B\"", "packet = \"1442 B\", control-within = \"1 s\"");
    assert_eq!(lease(&seldom, 2_000).1, "let `--lease` be 3 s at least, the same at all routers");
    let slow =
        |options: &mut Options| (options.tick, options.lease) = (Span::from_millis(1_000), Span::from_millis(2_000));
    assert_eq!(refused(NETWORK, slow).1, "let `--lease` be 3 s at least, the same at all routers");
}

#[test]
fn every_law_is_served_or_refused() {
    let all = fairwire_laws::rate::RateLawChoice::ALL;
    let others = all.iter().map(|law| law.name).filter(|law| !super::SERVED.contains(law));
    assert_eq!(others.collect::<Vec<_>>(), ["erica", "rcp"], "a new law needs its line in `check_served`, and a test");
}

#[test]
fn flows_take_turns_and_those_in_transit_more_of_them() {
    let lines = plan(&scenario(NETWORK), 1).lines();
    let class = |id: &str| {
        let line = lines.lines().find(|line| line.contains(&format!("classid {id} ")));
        line.and_then(|line| line.split_once(" htb ")).unwrap_or_else(|| panic!("no {id}: {lines}")).1
    };
    assert_eq!(class("1:10"), "rate 8bit ceil 20000000bit burst 3028b cburst 3028b quantum 6056 prio 1");
    assert_eq!(class("1:11"), "rate 8bit ceil 20000000bit burst 3028b cburst 3028b quantum 1514 prio 1");
    assert!(lines.contains("# Flow far, in transit\n") && lines.contains("# Flow middle, enters here\n"), "{lines}");
    assert!(lines.contains("match ip src 10.99.0.0/24 match ip dst 10.99.3.0/24 flowid 1:10"), "{lines}");
    assert!(!lines.contains("classid 1:4 "), "no class for all that is in transit: {lines}");
}

#[test]
fn only_what_enters_has_a_safe_rate() {
    let network = scenario(NETWORK);
    let safe = |node| plan(&network, node).safe_lines();
    let [at_a, at_b, at_d] = [safe(0), safe(1), safe(3)];
    assert_eq!((at_a.matches("ceil 6666666bit").count(), at_a.matches("ceil 13333333bit").count()), (1, 1), "{at_a}");
    assert!(at_b.starts_with("class change dev eth2 parent 1:1 classid 1:11 ") && at_b.lines().count() == 1, "{at_b}");
    assert_eq!(
        (at_d.as_str(), plan(&network, 3).lines().as_str()),
        ("", "# No flow leaves d: nothing is limited there\n")
    );
}

#[test]
fn a_message_is_taken_from_the_next_routers_on_the_way_of_its_flow() {
    let plan = plan(&scenario(NETWORK), 1);
    let is_next = |flow, node, address: &str| plan.is_next(flow, node, address.parse().unwrap());
    assert!(is_next(0, 0, "10.99.0.1") && is_next(0, 2, "10.99.2.1") && is_next(0, 2, "::ffff:10.99.2.1"));
    assert!(!is_next(0, 2, "10.99.0.1") && !is_next(0, 3, "10.99.3.1") && !is_next(9, 0, "10.99.0.1"));
    assert!(is_next(1, 4, "10.99.4.1") && !is_next(1, 2, "10.99.2.1"), "the flow goes another way");
    assert!(!is_next(3, 0, "10.99.0.1"), "the last flow does not come by");
}

#[test]
fn who_has_another_lease_law_or_flow_is_in_another_network() {
    let envelope = |text: &str, lease_ms: u64| {
        let scenario = scenario(text);
        let options = Options { lease: Span::from_millis(lease_ms), ..node_options(&scenario, 1) };
        node_plan(&scenario, 1, options).unwrap_or_else(|error| panic!("{error}")).envelope
    };
    let own = envelope(NETWORK, 400);
    assert_eq!(own, envelope(&NETWORK.replace("1442 B", "1000 B"), 400), "however large packets are");
    let others = [
        envelope(NETWORK, 401),
        envelope(&under(WMFQC), 400),
        envelope(&NETWORK.replace("name = \"last\"", "name = \"last\"\nweight = 2"), 400),
        envelope(&NETWORK.replace("name = \"last\"\nfrom = \"c\"", "name = \"last\"\nfrom = \"b\"\nto = \"c\"\ntraffic = { kind = \"explicit-rate\" }\n[[flow]]\nname = \"x\"\nfrom = \"c\""), 400),
    ];
    assert!(!others.contains(&own));
}
