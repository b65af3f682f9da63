//! What every rate law owes its driver, whatever happens: its books add up, rates are in range, it asks for times to come,
//! refuses without a trace, forgets who is silent, and does the same again when the same happens again.

use crate::any_law::any_law;
use crate::rate_contract::chain::{Chain, Deed};
use fairwire_core::{Instant, Span};
use fairwire_laws::rate::{FirstRate, RateLawChoice, Terms};
use proptest::prelude::*;
use std::ops::Range;

/// Something that happens; numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Event {
    Data {
        flow: usize,
        size_bytes: u32,
    },
    Write {
        flow: usize,
        closing: bool,
    },
    /// A control packet goes on, the oldest or another one, or something happens to it.
    Letter {
        pick: usize,
        fate: Fate,
    },
    Close {
        port: usize,
        flow: usize,
    },
    Renew {
        flow: usize,
        terms: Terms,
        first: FirstRate,
        is_closed: bool,
    },
    Terms {
        flow: usize,
        terms: Terms,
    },
    Capacity {
        port: usize,
        kbps: u64,
    },
    /// The queue is so long; so many bytes came of others.
    Queue {
        port: usize,
        packets: u32,
        higher: u32,
        uncontrolled: u32,
    },
    Time {
        ns: u64,
    },
    Stall {
        ns: u64,
    },
}

#[derive(Clone, Debug)]
enum Fate {
    GoesOn,
    IsLost,
    /// It goes on, and comes again later.
    IsRepeated,
    IsBroken(usize, u8),
    Is(Vec<u8>),
}

fn terms() -> impl Strategy<Value = Terms> {
    let minimum = prop_oneof![2 => Just(0.0), 2 => 0.0..1e8, 1 => Just(1e9)];
    let beyond = || prop_oneof![Just(0.0), 0.0..2e8, Just(1e12)];
    let weight = prop_oneof![2 => Just(1.0), 2 => 0.1..10.0, 1 => prop_oneof![Just(1e-9), Just(1e9)]];
    (minimum, beyond(), beyond(), weight).prop_map(|(minimum_bps, peak, supported, weight)| Terms {
        minimum_bps,
        peak_bps: minimum_bps + peak,
        supported_bps: minimum_bps + supported,
        weight,
    })
}

fn first() -> impl Strategy<Value = FirstRate> {
    prop_oneof![Just(FirstRate::Peak), Just(FirstRate::Minimum), Just(FirstRate::Ask)]
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        20 => Just(Fate::GoesOn),
        1 => Just(Fate::IsLost),
        1 => Just(Fate::IsRepeated),
        1 => (any::<usize>(), 1u8..).prop_map(|(at, bits)| Fate::IsBroken(at, bits)),
        1 => prop::collection::vec(any::<u8>(), 0..80).prop_map(Fate::Is),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let flow = any::<u8>().prop_map(usize::from);
    let port = || any::<u8>().prop_map(usize::from);
    // Mostly in order.
    let pick = prop_oneof![3 => Just(0usize), 1 => any::<usize>()];
    let ns = || prop_oneof![4 => 0u64..20_000_000, 1 => 0u64..2_000_000_000];
    let bytes = || prop_oneof![3 => Just(0u32), 1 => 0u32..200_000];
    prop_oneof![
        6 => (flow.clone(), 1u32..9_000).prop_map(|(flow, size_bytes)| Event::Data { flow, size_bytes }),
        5 => (flow.clone(), prop::bool::weighted(0.1)).prop_map(|(flow, closing)| Event::Write { flow, closing }),
        20 => (pick, fate()).prop_map(|(pick, fate)| Event::Letter { pick, fate }),
        1 => (port(), flow.clone()).prop_map(|(port, flow)| Event::Close { port, flow }),
        1 => (flow.clone(), terms(), first(), any::<bool>())
            .prop_map(|(flow, terms, first, is_closed)| Event::Renew { flow, terms, first, is_closed }),
        1 => (flow, terms()).prop_map(|(flow, terms)| Event::Terms { flow, terms }),
        1 => (port(), prop_oneof![1u64..1_000, 1u64..10_000_000]).prop_map(|(port, kbps)| Event::Capacity { port, kbps }),
        2 => (port(), prop_oneof![0u32..200, any::<u32>()], bytes(), bytes())
            .prop_map(|(port, packets, higher, uncontrolled)| Event::Queue { port, packets, higher, uncontrolled }),
        4 => ns().prop_map(|ns| Event::Time { ns }),
        1 => ns().prop_map(|ns| Event::Stall { ns }),
    ]
}

fn happen(chain: &mut Chain, event: &Event) {
    let (flows, ports) = (chain.flows.len(), chain.ports.len());
    match event {
        Event::Data { flow, size_bytes } => chain.data(flow % flows, *size_bytes),
        Event::Write { flow, closing } => chain.write(flow % flows, *closing),
        Event::Letter { pick, fate } => letter(chain, *pick, fate),
        Event::Close { port, flow } => chain.close(port % ports, flow % flows),
        Event::Renew { flow, terms, first, is_closed } => chain.renew(flow % flows, terms, *first, *is_closed),
        Event::Terms { flow, terms } => chain.terms(flow % flows, terms),
        Event::Capacity { port, kbps } => chain.capacity(port % ports, *kbps),
        Event::Queue { port, packets, higher, uncontrolled } => {
            let view = &mut chain.ports[port % ports].view;
            view.packets = *packets;
            view.higher_bytes += u64::from(*higher);
            view.uncontrolled_bytes += u64::from(*uncontrolled);
        }
        Event::Time { ns } => chain.pass(Span::from_nanos(*ns)),
        Event::Stall { ns } => chain.stall(Span::from_nanos(*ns)),
    }
    chain.look();
}

fn letter(chain: &mut Chain, pick: usize, fate: &Fate) {
    if chain.letters.is_empty() {
        return;
    }
    let mut letter = chain.letters.remove(pick % chain.letters.len());
    match fate {
        Fate::GoesOn => {}
        Fate::IsLost => return,
        Fate::IsRepeated => chain.letters.push(letter.clone()),
        Fate::IsBroken(at, bits) => {
            let at = at % letter.bytes.len();
            letter.bytes[at] ^= bits;
            letter.is_sound = false;
        }
        Fate::Is(bytes) => {
            letter.bytes.clone_from(bytes);
            letter.is_sound = false;
        }
    }
    chain.step(letter);
}

/// Ports and flows of a world.
#[derive(Clone, Debug)]
struct Place {
    mbps: Vec<u64>,
    flows: Vec<(Terms, FirstRate, Range<usize>)>,
}

fn place() -> impl Strategy<Value = Place> {
    let mbps = prop::collection::vec(prop_oneof![Just(100u64), 1u64..10_000], 1..4);
    let flows = prop::collection::vec((terms(), first(), 0usize..3, 0usize..3), 1..7);
    (mbps, flows).prop_map(|(mbps, flows)| {
        let route = |from: usize, to: usize| {
            let (from, to) = (from % mbps.len(), to % mbps.len());
            from.min(to)..from.max(to) + 1
        };
        let flows = flows.into_iter().map(|(terms, first, from, to)| (terms, first, route(from, to))).collect();
        Place { mbps, flows }
    })
}

fn law() -> impl Strategy<Value = RateLawChoice> {
    any_law(RateLawChoice::ALL).prop_filter("its parameters make sense", |law: &RateLawChoice| law.problem().is_none())
}

/// All of them, and then nothing for a very long time: nobody is known any more.
fn live(law: &RateLawChoice, place: &Place, start: Instant, events: &[Event]) -> Chain {
    let mut chain = Chain::new(law, start, &place.mbps, &place.flows);
    events.iter().for_each(|event| happen(&mut chain, event));
    chain
}

/// Nothing comes for longer and longer: a port knows nobody then.
fn fall_silent(chain: &mut Chain) {
    for doubled in 20..50 {
        chain.stall(Span::from_nanos(1 << doubled));
        chain.pass(Span::ZERO);
    }
    for port in &chain.ports {
        assert_eq!(port.law.flows(), 0, "{:?}", port.law);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_law_keeps_the_contract(
        law in law(),
        place in place(),
        events in prop::collection::vec(event(), 1..200),
        start_ns in prop_oneof![Just(1u64), Just(1_700_000_000_000_000_000)],
    ) {
        let mut chain = live(&law, &place, Instant::ZERO, &events);
        let again = live(&law, &place, Instant::ZERO, &events);
        prop_assert_eq!((&chain.deeds, &chain.letters), (&again.deeds, &again.letters), "the same again");
        let later = live(&law, &place, Instant::from_nanos(start_ns), &events);
        prop_assert_eq!(&chain.deeds, &later.deeds, "the same at another time");
        fall_silent(&mut chain);
    }

    #[test]
    fn a_clone_does_as_the_original(
        law in law(),
        place in place(),
        before in prop::collection::vec(event(), 1..60),
        after in prop::collection::vec(event(), 1..60),
    ) {
        let mut one = live(&law, &place, Instant::ZERO, &before);
        let mut other = one.clone();
        for event in &after {
            happen(&mut one, event);
        }
        for event in &after {
            happen(&mut other, event);
        }
        prop_assert_eq!((one.deeds, one.letters), (other.deeds, other.letters));
    }
}

/// Flows that send as they should, with timers in time: ports know them all, or keep no flows at all.
#[test]
fn who_sends_is_known_until_silent() {
    for about in RateLawChoice::ALL {
        let law = RateLawChoice::by_name(about.name).expect("it is in the list");
        let terms = Terms { minimum_bps: 1e6, peak_bps: 1e9, supported_bps: 1e9, weight: 1.0 };
        let flows = vec![(terms, FirstRate::Minimum, 0..2); 5];
        let mut chain = Chain::new(&law, Instant::ZERO, &[100, 100], &flows);
        let known = |chain: &Chain| chain.ports.iter().map(|port| port.law.flows()).collect::<Vec<_>>();
        let run = |chain: &mut Chain, flows: Range<usize>, ms: usize| {
            for _ in 0..ms {
                for flow in flows.clone() {
                    chain.data(flow, 1_000);
                    chain.round(flow);
                }
                chain.pass(Span::from_millis(1));
            }
        };
        run(&mut chain, 0..5, 500);
        let all = known(&chain);
        assert!(all == [5, 5] || all == [0, 0], "{} knows {all:?}", about.name);
        let kept = all[0] / 5;
        chain.close(0, 4);
        chain.close(1, 4);
        run(&mut chain, 0..4, 1);
        assert_eq!(known(&chain), [4 * kept, 4 * kept], "{} after a farewell", about.name);
        // Two of them end without a word; a slow one stays.
        run(&mut chain, 0..2, 500);
        assert_eq!(known(&chain), [2 * kept, 2 * kept], "{} after silence", about.name);
        assert!(!chain.deeds.iter().any(|deed| matches!(deed, Deed::Passed(Err(_)))), "{}", about.name);
    }
}
