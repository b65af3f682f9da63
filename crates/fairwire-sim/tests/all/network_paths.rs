//! Both ways through time give the same record, books balance, and runs repeat.

use crate::network_common::{random_network, run};
use fairwire_core::{Instant, Span};
use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::transport::ControlChoice;
use fairwire_plan::{NetworkEngine, NetworkFlowPlan, NetworkPlan, Offer, Work};
use fairwire_sim::{simulate_network_watched, simulate_whole_network};

const PLANS: u64 = 400;

#[test]
fn departures_told_late_and_departures_as_events_give_the_same() {
    for number in 0..PLANS {
        let plan = random_network(number);
        let ahead = run(&plan);
        let events = run(&NetworkPlan { engine: NetworkEngine::Events, ..plan });
        assert!(ahead == events, "plan {number}: {}", first_difference(&ahead, &events));
    }
}

/// From 512 micro-flows on what comes soon is fetched into the processor's cache. Laws know further connections of a micro-flow
/// by numbers above those of all micro-flows, so that some decide otherwise there.
#[test]
fn many_flows_that_never_begin_change_nothing() {
    let has_one_connection = |flow: &NetworkFlowPlan| {
        flow.offer.tcp().is_none_or(|tcp| matches!(tcp.work, Work::Unlimited) && flow.activity.is_none())
    };
    let plans: Vec<_> =
        (0..PLANS).map(random_network).filter(|plan| plan.flows.iter().all(has_one_connection)).collect();
    assert!(plans.len() > 20, "{}", plans.len());
    for (number, plan) in plans.into_iter().enumerate() {
        let mut many = plan.clone();
        let late = NetworkFlowPlan {
            name: "late".to_owned(),
            micro_flows: 512,
            start: Instant::ZERO + plan.duration + Span::from_millis(1),
            stop: Instant::NEVER,
            activity: None,
            ..plan.flows[number % plan.flows.len()].clone()
        };
        many.flows.push(late);
        let (few, mut many) = (run(&plan), run(&many));
        assert_eq!(many.flows.pop().map(|late| late.sent), Some(0));
        assert!(few == many, "plan {number}: {}", first_difference(&few, &many));
    }
}

fn first_difference(one: &fairwire_plan::NetworkRecord, other: &fairwire_plan::NetworkRecord) -> String {
    let (one, other) = (format!("{one:#?}"), format!("{other:#?}"));
    let differs = one.lines().zip(other.lines()).enumerate().find(|(_, (one, other))| one != other);
    differs.map_or("in length".to_owned(), |(line, (one, other))| format!("line {line}: `{one}` and `{other}`"))
}

#[test]
fn runs_repeat_and_seeds_and_runs_differ() {
    let plan = random_network(3);
    assert_eq!(run(&plan), run(&plan));
    assert_ne!(run(&plan), run(&NetworkPlan { seed: plan.seed + 1, ..plan.clone() }));
    assert_ne!(run(&plan), run(&NetworkPlan { run: plan.run + 1, ..plan.clone() }));
}

/// The list of random networks is worth its name: it holds what there is.
#[test]
fn every_law_and_every_control_turns_up_and_carries_traffic() {
    let mut laws = vec![0; QueueLawChoice::ALL.len()];
    let mut controls = vec![0; ControlChoice::ALL.len()];
    let (mut marked, mut lost, mut retransmitted, mut timeouts, mut transfers) = (0, 0, 0, 0, 0);
    for number in 0..PLANS {
        let plan = random_network(number);
        let record = run(&plan);
        for (link, measured) in plan.links.iter().zip(&record.links) {
            let law = QueueLawChoice::ALL.iter().position(|law| law.name == link.queue.about().name);
            laws[law.expect("it is in the list")] += measured.dropped.iter().sum::<u64>();
        }
        for (flow, measured) in plan.flows.iter().zip(&record.flows) {
            if let Offer::Tcp(tcp) = &flow.offer {
                let name = tcp.control.about().name;
                let control = ControlChoice::ALL.iter().position(|control| control.name == name);
                controls[control.expect("it is in the list")] += measured.measured_bytes;
            }
            marked += measured.marked;
            lost += measured.lost;
            retransmitted += measured.retransmitted;
            timeouts += measured.timeouts;
            transfers += measured.transfers.len();
        }
    }
    assert!(laws.iter().all(|drops| *drops > 0), "drops by law: {laws:?}");
    assert!(controls.iter().all(|bytes| *bytes > 1_000_000), "bytes by control: {controls:?}");
    assert!(marked > 100 && lost > 1_000 && retransmitted > 1_000 && timeouts > 100 && transfers > 1_000);
}

#[test]
fn a_run_that_is_watched_is_the_same_and_one_that_is_stopped_covers_what_was_simulated() {
    for number in 0..40 {
        let plan = random_network(number);
        let whole = run(&plan);
        let mut told = Vec::new();
        let watched = simulate_network_watched(&plan, &mut |fraction| {
            told.push(fraction);
            true
        });
        assert_eq!(watched.as_ref(), Ok(&whole));
        assert!(told.is_sorted() && told.iter().all(|fraction| (0.0..=1.0).contains(fraction)));
        let stopped = simulate_network_watched(&plan, &mut |fraction| fraction < 0.3).expect("a sound plan");
        assert_eq!(stopped.violations, Vec::<String>::new());
        assert!(stopped.duration <= whole.duration && stopped.packet_hops <= whole.packet_hops);
        let again = NetworkPlan { duration: stopped.duration, ..plan };
        if again.warmup <= again.duration && again.flows.iter().all(|flow| flow.activity.is_none()) {
            assert_eq!(run(&again), stopped, "plan {number}");
        }
    }
}

#[test]
fn a_run_that_counts_only_as_a_whole_ends_as_soon_as_nobody_wants_it() {
    let mut plan = random_network(3);
    let flow = plan.flows.iter().position(|flow| matches!(flow.offer, Offer::Datagrams(_))).expect("datagrams");
    plan.flows[flow].start = Instant::ZERO;
    assert_eq!(simulate_whole_network(&plan, &mut |_| true), Ok(Some(run(&plan))));
    // All of these begin at one instant, which takes long: the watcher is asked while they are built, and in that instant.
    plan.flows[flow].micro_flows = 100_000;
    for enough in [1, 20, 30, 60] {
        let mut asked = 0;
        let record = simulate_whole_network(&plan, &mut |done| {
            assert!(done < 0.01, "{done}");
            asked += 1;
            asked < enough
        });
        assert_eq!((record, asked), (Ok(None), enough));
    }
}
