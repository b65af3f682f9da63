//! What flows get at one port under every law of the list: the link is used and not overrun, equals get the same, and
//! whatever changes is followed.

use crate::rate_laws::world::{Change, FlowPlan, Plan, PortPlan, World};
use fairwire_core::{Instant, Span};
use fairwire_laws::rate::{FirstRate, Manner, OnChange, RateLawChoice, SendingPlan, Terms};

/// Capacity of the port.
const FULL_BPS: f64 = 1e8;

/// Every law with its default parameters.
fn laws() -> impl Iterator<Item = RateLawChoice> {
    RateLawChoice::ALL.iter().map(|about| RateLawChoice::by_name(about.name).expect("it is in the list"))
}

fn seconds(seconds: f64) -> Instant {
    Instant::ZERO + Span::from_secs_f64(seconds)
}

const TERMS: Terms = Terms { minimum_bps: 0.0, peak_bps: 2e8, supported_bps: 2e8, weight: 1.0 };

const SENDING: SendingPlan = SendingPlan {
    packet_bytes: 1000,
    control_every: 30,
    control_within: Some(Span::from_millis(2)),
    control_least: 3,
    first: FirstRate::Ask,
    on_change: OnChange::Reschedule,
    manner: Manner::Honest,
};

/// Equal flows from the start on, and what changes.
fn plan(flows: usize, changes: &[(f64, Change)]) -> Plan {
    let flow = FlowPlan {
        route: vec![0],
        access: Span::from_micros(100),
        terms: TERMS,
        sending: SENDING,
        start: Instant::ZERO,
        stop: Instant::NEVER,
    };
    Plan {
        ports: vec![PortPlan { capacity_bps: FULL_BPS as u64, delay: Span::from_millis(1), buffer: 1000 }],
        flows: vec![flow; flows],
        changes: changes.iter().map(|(at, change)| (seconds(*at), change.clone())).collect(),
        control_loss: 0.0,
        seed: 1,
    }
}

/// What arrives of each flow between two times, in bit/s.
fn goodput(world: &mut World, from: f64, to: f64) -> Vec<f64> {
    let delivered = |world: &World| world.flows.iter().map(|flow| flow.delivered_bytes).collect::<Vec<_>>();
    world.run(seconds(from));
    let before = delivered(world);
    world.run(seconds(to));
    let bits = |(after, before): (u64, u64)| (after - before) as f64 * 8.0 / (to - from);
    delivered(world).into_iter().zip(before).map(bits).collect()
}

/// Together the flows use the link, but for the part that some laws leave or overshoot.
#[track_caller]
fn assert_used(law: &RateLawChoice, rates: &[f64], bps: f64) {
    let part = rates.iter().sum::<f64>() / bps;
    assert!((0.8..=1.005).contains(&part), "{}: {rates:?} use {part} of {bps}", law.about().name);
}

#[track_caller]
fn assert_equal(law: &RateLawChoice, rates: &[f64]) {
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let equal = rates.iter().all(|rate| (rate / mean - 1.0).abs() < 0.05);
    assert!(equal, "{}: {rates:?}", law.about().name);
}

#[test]
fn equals_share_the_link() {
    for law in laws() {
        for flows in [1, 5] {
            let mut world = World::new(&law, &plan(flows, &[]));
            let rates = goodput(&mut world, 3.0, 4.0);
            assert_used(&law, &rates, FULL_BPS);
            assert_equal(&law, &rates);
            assert_eq!(world.dropped(), 0, "{}", law.about().name);
            assert!(world.flows.iter().all(|flow| flow.refused.is_empty()));
        }
    }
}

#[test]
fn bandwidth_that_changes_is_followed() {
    let changes = [
        (2.0, Change::Capacity { port: 0, bps: 40_000_000 }),
        (4.0, Change::Capacity { port: 0, bps: 200_000_000 }),
        (6.0, Change::Higher { port: 0, bps: 120_000_000 }),
        (8.0, Change::Higher { port: 0, bps: 0 }),
    ];
    for law in laws() {
        let mut world = World::new(&law, &plan(3, &changes));
        for (from, bps) in [(1.0, FULL_BPS), (3.0, 4e7), (5.0, 2e8), (7.0, 8e7), (9.0, 2e8)] {
            let rates = goodput(&mut world, from, from + 1.0);
            assert_used(&law, &rates, bps);
            assert_equal(&law, &rates);
        }
    }
}

#[test]
fn what_others_leave_is_taken_up_with_a_word_or_without() {
    for law in laws() {
        for manner in [Manner::Honest, Manner::Vanishes] {
            let mut plan = plan(4, &[]);
            for flow in &mut plan.flows[2..] {
                flow.stop = seconds(1.0);
                flow.sending.manner = manner;
            }
            let mut world = World::new(&law, &plan);
            let rates = goodput(&mut world, 3.0, 4.0);
            assert_used(&law, &rates, FULL_BPS);
            assert_equal(&law, &rates[..2]);
            assert!(world.ports[0].law.flows() <= 2, "{}", law.about().name);
            assert_eq!(world.ports[0].law.violation(), None);
        }
    }
}

/// A flow that was silent for longer than ports remember goes on, and has its share again.
#[test]
fn who_was_silent_comes_back() {
    let pause = Change::Pause { flow: 0, span: Span::from_secs_f64(2.0) };
    for law in laws() {
        let mut world = World::new(&law, &plan(2, &[(1.0, pause.clone())]));
        let alone = goodput(&mut world, 2.0, 3.0);
        assert_eq!(alone[0], 0.0);
        assert_used(&law, &alone, FULL_BPS);
        let rates = goodput(&mut world, 5.0, 6.0);
        assert_used(&law, &rates, FULL_BPS);
        assert_equal(&law, &rates);
    }
}

/// Its first packets are further apart than ports remember flows.
#[test]
fn who_begins_slowly_is_heard() {
    for law in laws() {
        let mut plan = plan(2, &[]);
        plan.flows[0].sending.first = FirstRate::Minimum;
        plan.flows[0].sending.control_within = Some(Span::from_millis(700));
        let mut world = World::new(&law, &plan);
        let rates = goodput(&mut world, 4.0, 5.0);
        assert_equal(&law, &rates);
        assert!(world.flows.iter().all(|flow| flow.refused.is_empty()), "{}", law.about().name);
    }
}

/// Ports that keep sums and no flows take a lost packet for a flow that stays as it was.
const LOSES_BY_LOSS: &[&str] = &["s-perc"];

#[test]
fn lost_control_packets_change_nothing_in_the_end() {
    for law in laws().filter(|law| !LOSES_BY_LOSS.contains(&law.about().name)) {
        let lossy = Plan { control_loss: 0.2, ..plan(3, &[]) };
        let rates = goodput(&mut World::new(&law, &lossy), 4.0, 5.0);
        assert_used(&law, &rates, FULL_BPS);
        assert_equal(&law, &rates);
    }
}

/// Whatever happens around it, a source is never told less than its minimum, once it has been told anything.
#[test]
fn nobody_is_told_less_than_its_minimum() {
    for law in laws() {
        let mut plan = plan(6, &[(1.0, Change::Capacity { port: 0, bps: 50_000_000 })]);
        plan.flows[0].terms.minimum_bps = 3e7;
        let mut world = World::new(&law, &plan);
        world.run(seconds(3.0));
        let told = world.flows[0].rates.iter().map(|(_, rate)| *rate).skip_while(|rate| *rate == 0.0);
        let least = told.fold(f64::INFINITY, f64::min);
        assert!(least >= 3e7, "{}: {least}", law.about().name);
    }
}
