//! What is refused before anything is touched, and what is set up.

use super::RouterPlan;
use crate::EnforceError;
use crate::desk::{RING, options, plan, plan_with, scenario};
use fairwire_core::StationId;

/// What is told of options or a scenario that cannot be.
fn refused(text: &str, change: impl FnOnce(&mut crate::Options)) -> String {
    refused_at(1, text, change)
}

fn refused_at(station: u16, text: &str, change: impl FnOnce(&mut crate::Options)) -> String {
    let mut options = options(1);
    change(&mut options);
    let Err(error) = plan_with(&scenario(text), station, options) else { panic!("it is taken") };
    assert!(matches!(error, EnforceError::Tc(_)) || error.help().is_some_and(|help| !help.is_empty()));
    assert!(!error.is_of_environment());
    error.to_string()
}

#[test]
fn what_cannot_be_governed_is_refused_by_its_name() {
    assert_eq!(refused_at(6, RING, |_| {}), "there is no station 6 on a ring of 6");
    assert_eq!(refused(RING, |options| options.peers[1].0 = "3".to_owned()), "station 3 is no neighbour of station 1");
    assert_eq!(
        refused(RING, |options| options.peers.truncate(1)),
        "where does station 0 listen? dvsr-plus talks with both neighbours"
    );
    assert_eq!(
        refused(RING, |options| options.peers[1].1 = "[fd00::1]:9".parse().unwrap()),
        "station 0 listens at [fd00::1]:9, and this one at 0.0.0.0:7720: one has IPv4, the other IPv6"
    );
    assert_eq!(refused(RING, |options| options.devices.clear()), "no device for the link r0:1 from 1 to 2");
    assert_eq!(
        refused(RING, |options| options.addresses.truncate(3)),
        "no addresses behind 3: its packets cannot be told"
    );
    assert_eq!(
        refused(RING, |options| {
            options.addresses.remove(1);
        }),
        "no addresses behind 1: its packets cannot be told"
    );
    assert_eq!(
        refused(RING, |options| {
            options.addresses.remove(0);
        }),
        "no addresses behind 0: its packets cannot be told",
        "what station 0 sends crosses the link of station 1"
    );
    assert_eq!(
        refused(RING, |options| options.peers.push(("2".to_owned(), "10.0.0.9:7720".parse().unwrap()))),
        "station 2 listens at 0.0.0.0:7720 and at 10.0.0.9:7720"
    );
}

#[test]
fn laws_that_read_or_limit_what_a_router_has_not_are_refused() {
    let under = |law: &str| refused(&RING.replace("dvsr-plus", law), |_| {});
    let unseen = "which classes of HTB do not count";
    assert_eq!(under("dvsr"), format!("dvsr reads how many bytes of each station arrive, {unseen}"));
    for law in fairwire_laws::ring::RingLawChoice::ALL.iter().map(|law| law.name) {
        if !["dvsr-plus", "fifo"].contains(&law) {
            let told = under(law);
            assert!(told.starts_with(law) && (told.contains(unseen) || told.contains("together")), "{told}");
        }
    }
}

#[test]
fn flows_of_better_classes_have_no_queue_of_their_own() {
    let classed = RING.replace("name = \"near\"", "name = \"near\"\nclass = \"A1\"");
    let classed = classed.replace(
        "from = 0\nto = 1\nringlet = 0\ntraffic = { kind = \"cbr\", rate = \"20",
        "from = 0\nto = 1\nringlet = 0\ntraffic = { kind = \"cbr\", rate = \"2",
    );
    assert_eq!(
        refused(&classed, |_| {}),
        "flow near is of service class A1: a router has one queue for an egress, of class C"
    );
}

#[test]
fn a_neighbour_is_known_by_its_number_and_its_address() {
    let mut options = options(1);
    options.peers.iter_mut().zip(["10.0.0.2:9", "10.0.0.1:9"]).for_each(|(peer, at)| peer.1 = at.parse().unwrap());
    let plan = plan_with(&scenario(RING), 1, options).unwrap_or_else(|error| panic!("{error}"));
    let is_one = |station, address: &str| plan.is_neighbour(StationId(station), address.parse().unwrap());
    assert!(is_one(2, "10.0.0.2") && is_one(0, "10.0.0.1") && is_one(0, "::ffff:10.0.0.1"));
    assert!(!is_one(0, "10.0.0.2") && !is_one(3, "10.0.0.2") && !is_one(2, "10.0.0.3"));
}

/// A neighbour with another lease would remember what it should have forgotten.
#[test]
fn who_has_another_lease_or_law_is_on_another_ring() {
    let envelope = |text: &str, lease_ms: u64| {
        let mut options = options(0);
        options.lease = fairwire_core::Span::from_millis(lease_ms);
        plan_with(&scenario(text), 0, options).unwrap_or_else(|error| panic!("{error}")).envelope
    };
    let own = envelope(RING, 400);
    assert_eq!(envelope(&RING.replace("20 Mb/s\", packet", "2 Mb/s\", packet"), 400), own, "whatever flows offer");
    let others = [envelope(RING, 401), envelope(&RING.replace("10 us", "11 us"), 400)];
    assert!(!others.contains(&own) && others[0] != others[1]);
}

/// The longest prefixes of sources go first: they tell whose packet it is.
#[test]
fn a_gateway_to_all_other_addresses_is_told_from_transit() {
    let mut options = options(0);
    options.addresses[0].1 = "0.0.0.0/0".parse().unwrap();
    let plan = plan_with(&scenario(RING), 0, options).unwrap_or_else(|error| panic!("{error}"));
    let lines = plan.lines();
    let filters: Vec<&str> = lines.lines().filter_map(|line| Some(line.split_once(" u32 ")?.1)).collect();
    assert_eq!(
        filters,
        [
            "match ip src 10.99.1.0/24 flowid 1:4",
            "match ip src 10.99.2.0/24 flowid 1:4",
            "match ip src 10.99.3.0/24 flowid 1:4",
            "match ip src 10.99.4.0/24 flowid 1:4",
            "match ip src 10.99.5.0/24 flowid 1:4",
            "match ip dst 10.99.1.0/24 flowid 1:10",
            "match ip dst 10.99.3.0/24 flowid 1:11",
            "match u32 0 0 flowid 1:2",
        ]
    );
}

#[test]
fn control_messages_go_first_and_all_else_takes_turns() {
    let lines = plan(&scenario(RING), 0).lines();
    let class = |id: &str| {
        let line = lines.lines().find(|line| line.contains(&format!("classid {id} ")));
        line.and_then(|line| line.split_once(" htb ")).unwrap_or_else(|| panic!("no {id}: {lines}")).1
    };
    assert_eq!(class("1:1"), "rate 20000000bit ceil 20000000bit burst 3028b cburst 3028b quantum 1514");
    assert_eq!(class("1:2"), "rate 1000000bit ceil 20000000bit burst 3028b cburst 3028b quantum 1514 prio 1");
    assert_eq!(class("1:3"), "rate 200000bit ceil 20000000bit burst 3028b cburst 3028b quantum 1514");
    assert_eq!(class("1:4"), "rate 8bit ceil 20000000bit burst 3028b cburst 3028b quantum 3028 prio 1");
    assert_eq!(class("1:11"), "rate 8bit ceil 20000000bit burst 3028b cburst 3028b quantum 1514 prio 1");
}

#[test]
fn while_nobody_is_heard_each_egress_has_what_is_fair() {
    let lines = plan(&scenario(RING), 0).safe_lines();
    let limits: Vec<&str> = lines
        .lines()
        .filter_map(|line| line.split_once("ceil ")?.1.split_once("bit"))
        .map(|(limit, _)| limit)
        .collect();
    assert_eq!(limits, ["13333333", "6666666"], "the nearest egress first");
    assert!(lines.lines().all(|line| line.starts_with("class change dev eth1 parent 1:1 classid 1:1")), "{lines}");
}

/// Both ways along a chain of three; its ends have one device each, and the last span is not there.
#[test]
fn the_end_of_a_chain_needs_no_device_where_no_flow_goes() {
    const CHAIN: &str = r#"
schema = 1
title = "A chain"
ring = { stations = 3, capacity = "20 Mb/s", span-delay = "10 us", law = { name = "dvsr-plus" } }
flow = [
    { name = "out", from = [0, 1], to = 2, ringlet = 0 },
    { name = "back", from = [2, 1], to = 0, ringlet = 1 },
]
"#;
    let at = |station: u16, devices: &[(&str, &str)]| {
        let mut options = options(station);
        options.peers.iter_mut().zip([1, 2]).for_each(|(peer, step)| peer.0 = ((station + step) % 3).to_string());
        options.addresses.truncate(3);
        options.devices = devices.iter().map(|(link, device)| ((*link).to_owned(), (*device).to_owned())).collect();
        plan_with(&scenario(CHAIN), station, options).map_err(|error| error.to_string())
    };
    let devices = |plan: Result<crate::StationPlan, String>| -> Vec<Option<String>> {
        let plan = plan.unwrap_or_else(|error| panic!("{error}"));
        plan.ringlets.iter().map(|ringlet| Some(ringlet.queue.as_ref()?.device.clone())).collect()
    };
    let [right, left] = ["right", "left"].map(|device| Some(device.to_owned()));
    assert_eq!(devices(at(0, &[("", "right")])), [right.clone(), None]);
    assert_eq!(devices(at(2, &[("", "left")])), [None, left.clone()]);
    assert_eq!(devices(at(1, &[("r0:1", "right"), ("r1:1", "left")])), [right, left]);
    assert_eq!(at(1, &[("r0:1", "right")]).err().as_deref(), Some("no device for the link r1:1 from 1 to 0"));
}

#[test]
fn a_limit_of_nothing_lets_a_packet_a_second_through() {
    let plan = plan(&scenario(RING), 0);
    let line = plan.queues()[0].limit(0, fairwire_core::BitRate::from_bps(0));
    assert!(line.contains(" ceil 12112bit "), "{line}");
}
