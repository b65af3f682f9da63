//! What a scenario of a network means: routes, plans, rates, TCP.

use crate::meaning::{DUPLEX, NETWORK, names, parse};
use fairwire_core::{BitRate, Bytes, Instant, Span};
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_laws::ring::RingLawChoice;
use fairwire_laws::transport::TcpSettings;
use fairwire_plan::{Offer, TcpPlan, Work};
use fairwire_scenario::Scenario;

#[test]
fn who_names_no_peak_rate_has_that_of_the_first_link() {
    let network = NETWORK
        .replace("[network]", "[network]\nrate = { name = \"wmfqc\" }")
        .replace("delay = \"1 ms\"", "duplex = true");
    let flow = "[[flow]]\nname = \"a\"\nfrom = \"a\"\nto = \"d\"\nroute = [\"a-b\", \"b-d\"]\ntraffic = { kind = \"explicit-rate\" }\n";
    let plan = parse(&network, flow).network_plan(0).unwrap();
    let Offer::Rate(rate) = &plan.flows[0].offer else { panic!("switches tell its rate") };
    assert_eq!(rate.terms.peak_bps, 10e6);
}

/// Ports read control packets on both ways: a flow that is told no way back has the one that passes them.
#[test]
fn control_packets_come_back_over_the_nodes_of_the_route() {
    let network = NETWORK.replace("[network]", "[network]\nrate = { name = \"wmfqc\" }");
    let back = |network: &str, route: &str| {
        let flow = format!(
            "[[flow]]\nname = \"a\"\nfrom = \"a\"\nto = \"d\"\n{route}\ntraffic = {{ kind = \"explicit-rate\" }}\n"
        );
        let scenario =
            Scenario::parse("net.toml", &format!("{network}\n{flow}")).map_err(|errors| errors.to_string())?;
        let plan = scenario.network_plan(0).expect("a network");
        let again = Scenario::parse("again", &scenario.resolved_toml()).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(again.network_plan(0), Some(plan.clone()));
        Ok::<_, String>(
            plan.flows[0].reverse_route.iter().map(|&link| plan.links[link as usize].name.clone()).collect(),
        )
    };
    let duplex = network
        .replace("20 Mb/s\" }", "20 Mb/s\", duplex = true }")
        .replace("30 Mb/s\" }", "30 Mb/s\", duplex = true }");
    let duplex = duplex.replace("delay = \"1 ms\"", "duplex = true");
    // The fewest links from d to a go by way of c, whose link back was declared first.
    assert_eq!(back(&duplex, ""), Ok(vec!["d-b".to_owned(), "b-a".to_owned()]));
    assert_eq!(back(&duplex, "route = [\"up\", \"c-d\"]"), Ok(vec!["d-c".to_owned(), "up-back".to_owned()]));
    let one_way = duplex.replace("40 Mb/s\", duplex = true", "40 Mb/s\"");
    assert!(back(&one_way, "").is_err_and(|error| error.contains("come back over other nodes")));
}

#[test]
fn network_flows_take_the_fewest_links_declared_first() {
    let scenario = parse(
        NETWORK,
        r#"
[[flow]]
name = "short"
from = "a"
to = "d"

[[flow]]
name = "told"
from = "a"
to = "d"
route = ["up", "c-d"]
peak-rate = "5 Mb/s"

[[flow]]
name = "from"
from = ["a", "b"]
to = "d"
demand = "1 Mb/s"
"#,
    );
    let problem = scenario.problem();
    let ids: Vec<&str> = problem.links.iter().map(|link| link.id.as_str()).collect();
    assert_eq!(ids, ["a-b", "b-a", "up", "c-d", "b-d"]);
    assert_eq!(problem.flows[0].route, [0, 4]);
    assert_eq!(problem.flows[1].route, [2, 3]);
    assert_eq!(scenario.offered_problem().flows[1].demand_bps, 5e6);
    assert_eq!(problem.flows[1].demand_bps, f64::INFINITY, "what it may have stands in the terms");
    assert_eq!(scenario.terms().peak_rates_bps, [f64::INFINITY, 5e6, f64::INFINITY, f64::INFINITY]);
    assert_eq!(names(&scenario), ["short", "told", "from-a", "from-b"]);
    assert_eq!(problem.flows[3].route, [4]);
    assert!(scenario.ring_plan(0).is_none() && scenario.law().is_none() && !scenario.is_ring());
    let fifo = RingLawChoice::by_name("fifo").unwrap();
    assert_eq!(scenario.with_law(fifo), scenario);
}

#[test]
fn a_network_plan_has_a_queue_for_each_link_and_a_way_back_for_each_connection() {
    let scenario = parse(
        DUPLEX,
        r#"
[[flow]]
name = "ftp"
from = "s"
to = "d"
micro-flows = 3
start-jitter = "1 s"
active = { every = "20 s", probability = "60 %" }
traffic = { kind = "tcp", control = { name = "cubic", beta = 0.5 }, min-timeout = "0.2 s", delayed-ack = "200 ms", segment = "1500 B" }

[[flow]]
name = "cbr"
from = "s"
to = "d"
demand = "2 Mb/s"

[[flow]]
name = "web"
from = "s"
to = "h"
traffic = { kind = "web", mean-think-time = "2 s", mean-objects = 5, mean-gap = "250 ms", size = { kind = "pareto", mean = "12 kB" } }
"#,
    );
    let plan = scenario.network_plan(2).unwrap();
    plan.validate().unwrap();
    assert!(scenario.ring_plan(2).is_none());
    assert_eq!((plan.nodes, plan.run, plan.window), (4, 2, Span::from_millis(20)));
    let names: Vec<&str> = plan.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["s-g", "g-s", "L", "L-back", "h-d", "d-h"]);
    let queues: Vec<(&str, Limit)> = plan.links.iter().map(|link| (link.queue.about().name, link.limit)).collect();
    let thousand = ("droptail", Limit::Packets(1000));
    let usual = ("red", Limit::Packets(100));
    assert_eq!(queues, [thousand, thousand, usual, ("droptail", Limit::Bytes(Bytes::new(50_000))), usual, usual]);
    let changes: Vec<(Instant, BitRate)> =
        plan.links[2].changes.iter().map(|change| (change.at, change.capacity)).collect();
    let at = |s: u64| Instant::from_nanos(s * 1_000_000_000);
    assert_eq!(changes, [(at(30), BitRate::from_mbps(5)), (at(60), BitRate::from_mbps(20))]);
    assert_eq!((plan.links[4].random_loss, plan.links[5].reordering), (0.01, Span::from_millis(5)));
    let [ftp, cbr, web] = &plan.flows[..] else { panic!("three flows") };
    assert_eq!((&ftp.route[..], &ftp.reverse_route[..]), (&[0, 2, 4][..], &[5, 3, 1][..]));
    assert_eq!((ftp.micro_flows, ftp.start_jitter), (3, Span::from_millis(1_000)));
    assert_eq!(ftp.activity.map(|activity| activity.probability), Some(0.6));
    let Offer::Tcp(tcp) = ftp.offer else { panic!("TCP") };
    assert_eq!((tcp.control.about().name, tcp.work), ("cubic", Work::Unlimited));
    assert_eq!((tcp.settings.min_timeout, tcp.settings.receive_window), (Span::from_millis(200), 715_827));
    assert_eq!(tcp.settings.delayed_ack, Some(Span::from_millis(200)));
    assert!(cbr.reverse_route.is_empty() && matches!(cbr.offer, Offer::Datagrams(_)));
    assert!(matches!(web.offer, Offer::Tcp(TcpPlan { work: Work::Web { pages: None, .. }, .. })));
    // Connections want all 10 Mb/s and pages 160 kb/s in packets of 1500 B, datagrams 2 Mb/s in packets of 1000 B.
    assert_eq!(plan.links[2].mean_packet, Bytes::new(1386), "12.16 Mb/s in 1096.7 packets a second");
    // Demand: connections want all, datagrams their rate, pages 5 x 12 kB every 2 + 4 x 0.25 s.
    let demands: Vec<f64> = scenario.problem().flows.iter().map(|flow| flow.demand_bps).collect();
    assert_eq!(demands, [f64::INFINITY, 2e6, 160e3]);
    assert_eq!(scenario.problem().flows[0].weight, 3.0);
    assert_eq!(scenario.criterion().name(), "weighted-max-min");
    let vrr = QueueLawChoice::by_name("vrr").unwrap();
    let changed = scenario.with_queue_law(vrr.clone());
    let laws: Vec<&str> = changed.network_plan(0).unwrap().links.iter().map(|link| link.queue.about().name).collect();
    assert_eq!(laws, ["droptail", "droptail", "vrr", "droptail", "vrr", "vrr"]);
    let again = Scenario::parse("again", &scenario.resolved_toml()).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(again.network_plan(2), scenario.network_plan(2));
}

#[test]
fn tcp_has_two_profiles() {
    let settings = |traffic: &str| {
        let flow = format!("[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\ntraffic = {{ {traffic} }}\n");
        let scenario = parse(NETWORK, &flow);
        let again = Scenario::parse("again", &scenario.resolved_toml()).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(again.network_plan(0), scenario.network_plan(0), "{}", scenario.resolved_toml());
        let plan = scenario.network_plan(0).unwrap();
        let Offer::Tcp(tcp) = plan.flows[0].offer else { panic!("TCP") };
        (tcp.control.about().name, tcp.settings)
    };
    let deployed = TcpSettings {
        segment: Bytes::new(1_500),
        ack: Bytes::new(52),
        receive_window: 715_827,
        initial_window: 10,
        initial_threshold: None,
        min_timeout: Span::from_millis(200),
        granularity: Span::from_millis(1),
        delayed_ack: Some(Span::from_millis(40)),
        ecn: false,
    };
    assert_eq!(settings("kind = \"tcp\""), ("cubic", deployed));
    assert_eq!(settings("kind = \"tcp\", profile = \"deployed\""), ("cubic", deployed));
    let ns2 = TcpSettings {
        segment: Bytes::new(1_000),
        ack: Bytes::new(40),
        receive_window: 64,
        initial_window: 2,
        granularity: Span::from_millis(10),
        delayed_ack: None,
        ..deployed
    };
    assert_eq!(settings("kind = \"tcp\", profile = \"ns-2\""), ("reno", ns2));
    // What is said stands above the profile; zero holds nothing back.
    let own = settings("kind = \"tcp\", profile = \"ns-2\", control = \"sack\", delayed-ack = \"0.1 s\"");
    assert_eq!(own, ("sack", TcpSettings { delayed_ack: Some(Span::from_millis(100)), ..ns2 }));
    let at_once = settings("kind = \"tcp\", delayed-ack = \"0 s\"");
    assert_eq!(at_once, ("cubic", TcpSettings { delayed_ack: None, ..deployed }));
}
