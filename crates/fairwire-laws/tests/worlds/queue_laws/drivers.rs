//! What drivers may do to any law: be late, sleep, change the link's capacity, start at any time,
//! and give a flow's number to another flow.

use crate::queue_laws::conformance::choices;
use crate::queue_laws::driver::{Deed, Queue, law, packet, site};
use fairwire_core::{BitRate, FlowId, Instant, Span};
use fairwire_laws::queue::{AnyQueueLaw, Limit, QueueLawChoice, QueueSite, QueuedPacket};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug)]
enum Step {
    Arrive { after_us: u64, packet: QueuedPacket },
    Stall { us: u64 },
    Capacity { kbps: u64 },
    Gone { flow: u32 },
}

/// Few flows that come again and again, and some that come once, with any number.
fn flow() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 0u32..6, 1 => any::<u32>()]
}

fn arrival() -> impl Strategy<Value = Step> {
    let gap = prop_oneof![6 => Just(0u64), 6 => 0u64..1_200, 1 => 0u64..400_000];
    let size = prop_oneof![Just(1_000u32), 40u32..1_600];
    (gap, flow(), size, any::<bool>()).prop_map(|(after_us, flow, size_bytes, ecn_capable)| Step::Arrive {
        after_us,
        packet: QueuedPacket {
            flow: FlowId(flow),
            source: flow % 7,
            destination: flow.wrapping_mul(7),
            size_bytes,
            ecn_capable,
        },
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => arrival(),
        1 => (1u64..60_000).prop_map(|us| Step::Stall { us }),
        1 => (100u64..100_000).prop_map(|kbps| Step::Capacity { kbps }),
        3 => flow().prop_map(|flow| Step::Gone { flow }),
    ]
}

/// Times by which timers are late.
fn lateness() -> impl Strategy<Value = Vec<Span>> {
    prop::collection::vec(prop_oneof![Just(0u64), 1u64..66, 1u64..5_000].prop_map(Span::from_micros), 1..8)
}

fn play(choice: &QueueLawChoice, start: Instant, lateness: &[Span], steps: &[Step]) -> Vec<Deed> {
    let site = QueueSite { start, ..site(Limit::Packets(60)) };
    let mut queue = Queue::new(choice, site, 7).late_by(lateness.to_vec());
    for step in steps {
        match *step {
            Step::Arrive { after_us, packet } => {
                queue.pass_for(Span::from_micros(after_us));
                queue.arrive(packet);
            }
            Step::Stall { us } => queue.stall(Span::from_micros(us)),
            Step::Capacity { kbps } => queue.set_capacity(BitRate::from_bps(kbps * 1_000)),
            Step::Gone { flow } => {
                queue.let_go(flow);
            }
        }
    }
    queue.assert_conserved();
    queue.pass_for(Span::from_millis(20_000));
    assert_eq!(queue.waiting(), 0, "{choice:?} keeps packets for ever");
    queue.assert_conserved();
    queue.deeds
}

/// What happened, each at its time since the start.
fn since(start: Instant, deeds: &[Deed]) -> Vec<Deed> {
    let shift = |deed: &Deed| match *deed {
        Deed::Sent { handle, flow, size_bytes, at, waited, mark } => {
            Deed::Sent { handle, flow, size_bytes, at: Instant::ZERO + at.since(start), waited, mark }
        }
        other => other,
    };
    deeds.iter().map(shift).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn every_law_keeps_its_contract_and_starts_at_any_time(
        lateness in lateness(),
        start_ns in prop_oneof![1u64..20_000_000, Just(1_700_000_000_000_000_000)],
        steps in prop::collection::vec(step(), 1..400),
    ) {
        for choice in choices() {
            let start = Instant::from_nanos(start_ns);
            let at_zero = play(&choice, Instant::ZERO, &lateness, &steps);
            let later = play(&choice, start, &lateness, &steps);
            prop_assert_eq!(&at_zero, &since(start, &later), "{:?}", choice);
        }
    }
}

/// Flow 1 overloads the link among others until it is struck, dropped and in debt. It ends, and `heir` is
/// the number of a flow that begins later.
fn inherit(choice: &QueueLawChoice, seed: u64, heir: u32, told: bool) -> Queue {
    let mut queue = Queue::new(choice, site(Limit::Packets(60)), seed);
    let gap = Span::from_micros(400);
    for i in 0..3_000u32 {
        queue.pass_for(gap);
        queue.arrive(packet(if i % 4 == 0 { 10 + i % 5 } else { 1 }));
    }
    let mut i = 0;
    while queue.waiting_of(1) > 0 {
        queue.pass_for(gap);
        queue.arrive(packet(10 + i % 5));
        i += 1;
    }
    if told {
        assert!(queue.let_go(1));
    }
    for i in 0..2_000u32 {
        queue.pass_for(gap);
        queue.arrive(packet(if i % 3 == 0 { heir } else { 10 + i % 5 }));
    }
    queue
}

/// What happened, without numbers of flows and lanes.
fn fates(queue: &Queue) -> Vec<Deed> {
    let plain = |deed: &Deed| match *deed {
        Deed::Sent { handle, size_bytes, at, waited, mark, .. } => {
            Deed::Sent { handle, flow: 0, size_bytes, at, waited, mark }
        }
        Deed::Accepted { handle, mark, .. } => Deed::Accepted { handle, lane: 0, mark },
        other => other,
    };
    queue.deeds.iter().map(plain).collect()
}

/// Whether the law hashes flows over lanes: with another salt they come into others.
fn is_hashing(choice: &QueueLawChoice) -> bool {
    let lanes = |seed| {
        let mut queue = Queue::new(choice, site(Limit::Packets(60)), seed);
        for flow in 0..20 {
            queue.arrive(packet(flow));
        }
        let flows: BTreeMap<u32, u32> = queue.flows.iter().copied().collect();
        let lane = |deed: &Deed| match deed {
            Deed::Accepted { handle, lane, .. } => Some((flows[handle], *lane)),
            _ => None,
        };
        queue.deeds.iter().filter_map(lane).collect::<BTreeMap<_, _>>()
    };
    let (one, other) = (lanes(1), lanes(2));
    one.iter().any(|(flow, lane)| other.get(flow).is_some_and(|another| another != lane))
}

/// Whether no two flows ever were in one lane.
fn is_without_collision(queue: &Queue) -> bool {
    let flows: BTreeMap<u32, u32> = queue.flows.iter().copied().collect();
    let mut owners = BTreeMap::new();
    queue.deeds.iter().all(|deed| match deed {
        Deed::Accepted { handle, lane, .. } => *owners.entry(*lane).or_insert(flows[handle]) == flows[handle],
        _ => true,
    })
}

/// The same with the number that flow 1 had, and with one never seen; none if flows collide with every seed.
fn again_and_fresh(choice: &QueueLawChoice, told: bool) -> Option<(Queue, Queue)> {
    let pairs = (0..20).map(|seed| (inherit(choice, seed, 1, told), inherit(choice, seed, 100, told)));
    let hashing = is_hashing(choice);
    let mut apart =
        pairs.filter(|(again, fresh)| !hashing || (is_without_collision(again) && is_without_collision(fresh)));
    apart.next()
}

#[test]
fn a_number_that_comes_again_is_that_of_a_flow_never_seen() {
    let mut compared = BTreeSet::new();
    for choice in choices() {
        if let Some((again, fresh)) = again_and_fresh(&choice, true) {
            assert!(fates(&again) == fates(&fresh), "{choice:?} remembers a flow that is gone");
            compared.insert(choice.about().name);
        }
    }
    let names: BTreeSet<_> = QueueLawChoice::ALL.iter().map(|about| about.name).collect();
    assert_eq!(compared, names, "every law was compared");
}

/// The test above would see it: a strike that never ends, what a lane remembers.
#[test]
fn who_is_not_told_remembers() {
    for toml in [
        "name = 'vrr'\nw-q = 0.5\nmin-th = 3\nmax-th = 20\nstrike-ends = 'never'",
        "name = 'fq-codel'\ntarget = '1 ms'\ninterval = '3 ms'",
        "name = 'cake'\ninterval = '3 ms'",
    ] {
        let (again, fresh) = again_and_fresh(&law(toml), false).expect(toml);
        assert!(fates(&again) != fates(&fresh), "{toml}");
    }
}

#[test]
fn memory_follows_the_flows_that_are_there() {
    for choice in choices() {
        let mut queue = Queue::new(&choice, site(Limit::Packets(60)), 7);
        let mut size_after = |flows: u32| {
            for i in 0..flows {
                // Each a number never seen, from all there are.
                let flow = i.wrapping_mul(0x9e37_79b1) ^ flows;
                queue.pass_for(Span::from_micros(700));
                queue.arrive(packet(flow));
                queue.arrive(QueuedPacket { size_bytes: 400, ..packet(flow) });
                queue.pass_for(Span::from_millis(40));
                assert!(queue.let_go(flow), "{choice:?}");
            }
            format!("{:?}", Memory(&queue.law)).len()
        };
        let few = size_after(50);
        let many = size_after(3_000);
        assert!(many < few + few / 4 + 200, "{choice:?} grows from {few} to {many}");
    }
}

/// What a law keeps, without the digits of what it counts.
struct Memory<'a>(&'a AnyQueueLaw);

impl std::fmt::Debug for Memory<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:?}", self.0);
        f.write_str(&text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>())
    }
}

/// Twice the capacity from six flows, under a driver whose timers are late by up to 5 ms and that sleeps for 4 ms
/// each 100 ms: what leaves is what the link could send while the driver was awake.
#[test]
fn a_late_driver_loses_no_more_than_its_sleep() {
    for choice in choices() {
        let lateness = [0, 66, 4_000, 12, 5_000].map(Span::from_micros).to_vec();
        let mut queue = Queue::new(&choice, site(Limit::Packets(100)), 3).late_by(lateness);
        for i in 0..10_000 {
            queue.pass_for(Span::from_micros(400));
            if i % 250 == 249 {
                queue.stall(Span::from_millis(4));
            }
            queue.arrive(packet(i * 7 % 6));
        }
        let sent: u64 = queue.sent_bytes().values().sum();
        let awake = 4_000_000.0 * 10.0 / 8.0;
        assert!(sent as f64 > 0.97 * awake, "{choice:?} sent {sent} of {awake}");
    }
}

/// Bursts with pauses, so that idle time counts, at a tenth of the usual capacity.
#[test]
fn a_capacity_told_is_the_law_s_capacity() {
    let slow = BitRate::from_mbps(1);
    for choice in choices() {
        let fates = |told: bool| {
            let mut queue = match told {
                true => Queue::new(&choice, site(Limit::Packets(60)), 7),
                false => Queue::new(&choice, QueueSite { capacity: slow, ..site(Limit::Packets(60)) }, 7),
            };
            if told {
                queue.set_capacity(slow);
            }
            for i in 0..3_000u32 {
                queue.pass_for(Span::from_micros(if i % 30 == 0 { 300_000 } else { 2_000 }));
                queue.arrive(QueuedPacket { ecn_capable: i % 2 == 0, ..packet(i * 7 % 6) });
            }
            queue.deeds
        };
        assert!(fates(true) == fates(false), "{choice:?}");
    }
}
