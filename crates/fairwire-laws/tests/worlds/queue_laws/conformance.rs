//! What every queue law owes its driver, whatever arrives: the driver checks each call;
//! here the same arrivals come again, and all that was let in leaves. What a driver may do to a law
//! beside that (sleep, be late, change the capacity, give numbers anew) is in `drivers.rs`.

use crate::queue_laws::driver::{Deed, Queue, site};
use fairwire_core::{Bytes, FlowId, Span};
use fairwire_laws::queue::{Limit, QueueLawChoice, QueuedPacket};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
struct Arrival {
    after_us: u64,
    packet: QueuedPacket,
}

fn arrival() -> impl Strategy<Value = Arrival> {
    let gap = prop_oneof![6 => Just(0u64), 6 => 0u64..1200, 1 => 0u64..400_000];
    let flow = prop_oneof![4 => 0u32..6, 1 => 0u32..5000];
    let size = prop_oneof![Just(1000u32), 40u32..1600];
    (gap, flow, size, any::<bool>()).prop_map(|(after_us, flow, size_bytes, ecn_capable)| Arrival {
        after_us,
        packet: QueuedPacket {
            flow: FlowId(flow),
            source: flow % 7,
            destination: 10 + flow % 3,
            size_bytes,
            ecn_capable,
        },
    })
}

fn limit() -> impl Strategy<Value = Limit> {
    prop_oneof![(0u32..200).prop_map(Limit::Packets), (0u64..200_000).prop_map(|bytes| Limit::Bytes(Bytes::new(bytes)))]
}

/// Every law as it comes, and with what makes it act more often.
pub fn choices() -> Vec<QueueLawChoice> {
    let eager = [
        "name = 'red'\nw-q = 0.5\nmin-th = 3\nmax-th = 20\necn = true",
        "name = 'red'\nw-q = 0.5\nmin-th = 3\nmax-th = 20\ngentle = true\nwait = false\ncount = 'bytes'",
        "name = 'fred'\nw-q = 0.5\nmin-th = 3\nmax-th = 20\necn = true\nmany-flows = true\nmin-q = 1",
        "name = 'vrr'\nw-q = 0.5\nmin-th = 3\nmax-th = 20\necn = true\nmin-q = 1",
        "name = 'vrr'\nw-q = 0.5\nmin-th = 3\nmax-th = 20\ncount = 'bytes'\nstrike-ends = 'never'",
        "name = 'codel'\ntarget = '1 ms'\ninterval = '3 ms'\necn = true",
        "name = 'pie'\ntarget = '1 ms'\nupdate = '1 ms'\nmax-burst = '0 s'\necn = true",
        "name = 'pie'\ntarget = '1 ms'\nmax-burst = '1 ms'\ndelay = 'departure-rate'\nderandomise = false",
        "name = 'fq-codel'\ntarget = '1 ms'\ninterval = '3 ms'\nlanes = 4\nquantum = '100 B'",
        "name = 'drr'\nquantum = '100 B'",
        "name = 'sfq'\nlanes = 3\nperturb = '5 ms'",
        "name = 'choke'\nw-q = 0.5\nmin-th = 3\nmax-th = 20\ncandidates = 3\necn = true",
        "name = 'cake'\ninterval = '3 ms'\nlanes = 9\nquantum = '60 B'",
    ];
    let usual = QueueLawChoice::ALL.iter().map(|about| QueueLawChoice::by_name(about.name).unwrap());
    usual.chain(eager.into_iter().map(crate::queue_laws::driver::law)).collect()
}

fn play(choice: &QueueLawChoice, limit: Limit, arrivals: &[Arrival]) -> Vec<Deed> {
    let mut queue = Queue::new(choice, site(limit), 7);
    for arrival in arrivals {
        queue.pass_for(Span::from_micros(arrival.after_us));
        queue.arrive(arrival.packet);
    }
    queue.assert_conserved();
    queue.pass_for(Span::from_millis(2000));
    assert_eq!(queue.waiting(), 0, "{choice:?} keeps packets for ever");
    queue.assert_conserved();
    queue.deeds
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn every_law_keeps_its_contract_and_does_the_same_again(
        limit in limit(),
        arrivals in prop::collection::vec(arrival(), 1..400),
    ) {
        for choice in choices() {
            let deeds = play(&choice, limit, &arrivals);
            prop_assert_eq!(&deeds, &play(&choice, limit, &arrivals), "{:?}", choice);
        }
    }
}

#[test]
fn a_law_that_no_longer_drops_lets_all_of_a_small_load_through() {
    for choice in choices() {
        let mut queue = Queue::new(&choice, site(Limit::Packets(50)), 1);
        for i in 0..2000 {
            queue.pass_for(Span::from_micros(900));
            assert!(queue.takes(crate::queue_laws::driver::packet(i % 5)), "{choice:?} drops from an empty queue");
        }
        let sent = queue.deeds.iter().filter(|deed| matches!(deed, Deed::Sent { .. })).count();
        assert!(sent >= 1999, "{choice:?} sent {sent}");
    }
}

#[test]
fn overload_fills_the_link_under_every_law() {
    for choice in choices() {
        let mut queue = Queue::new(&choice, site(Limit::Packets(100)), 3);
        // Twice the capacity for four seconds, from six flows.
        for i in 0..10_000 {
            queue.pass_for(Span::from_micros(400));
            queue.arrive(crate::queue_laws::driver::packet(i * 7 % 6));
        }
        let sent: u64 = queue.sent_bytes().values().sum();
        let full = 4_000_000.0 * 10.0 / 8.0;
        assert!(sent as f64 > 0.97 * full, "{choice:?} sent {sent} of {full}");
    }
}
