//! A law that says it rests does so: woken each time it does what it told, and nothing else, whatever it hears.

use crate::any_law::any_law;
use fairwire_core::{BitRate, Cx, FlowId, Instant, PacketMeta, RandomStream, Ringlet, Streams};
use fairwire_core::{ServiceClass, StationId};
use fairwire_laws::frame::Address;
use fairwire_laws::ring::rpr::{Choke, FairnessFrame};
use fairwire_laws::ring::{LinkCounters, Outgoing, RingAction, RingLawChoice, RingLawObject, RingSite, StationView};
use fairwire_laws::{PackedMessage, WireMessage};
use proptest::prelude::*;

const STATIONS: u16 = 6;

/// A stretch of time at a station that adds nothing.
#[derive(Clone, Debug)]
struct Stretch {
    /// Packets that pass in each interval between two timeouts, of so many intervals.
    packets: Vec<u8>,
    /// Then nothing passes for so many timeouts, and these rates are heard of, by the number of the timeout before.
    silent: u64,
    heard: Vec<(u64, u16, u16)>,
}

/// What a law wants done.
type Deed = RingAction<Outgoing>;

struct Law {
    law: Box<dyn RingLawObject>,
    counters: LinkCounters,
    rng: RandomStream,
}

impl Law {
    fn new(law: &RingLawChoice) -> Self {
        let site = RingSite::bare(StationId(3), Ringlet::Zero, vec![BitRate::from_mbps(622); STATIONS.into()]);
        let make = law.factory();
        let counters = LinkCounters::new(make.counters(), &site);
        let mut law = Self { law: make.make(site), counters, rng: Streams::new(7, 0).component("law") };
        law.law.start(&mut Cx { now: Instant::ZERO, rng: &mut law.rng, probe: None }, &StationView::default());
        law
    }

    fn deeds(&mut self) -> Vec<Deed> {
        std::iter::from_fn(|| self.law.poll_action()).collect()
    }

    /// Wakes it as it wants; returns when that was, and what it did.
    fn wake(&mut self) -> Option<(Instant, Vec<Deed>)> {
        let now = self.law.poll_timeout()?;
        let mut cx = Cx { now, rng: &mut self.rng, probe: None };
        let view = StationView { traffic: self.counters.traffic(), ..StationView::default() };
        self.law.handle_timeout(&mut cx, &view);
        Some((now, self.deeds()))
    }

    fn pass(&mut self, ingress: u8) {
        let ingress = StationId(u16::from(ingress) % 3);
        let packet = PacketMeta {
            flow: FlowId(0),
            ingress,
            egress: StationId(4),
            size_bytes: 1_000,
            class: ServiceClass::C,
            fairness_eligible: true,
        };
        self.counters.arrive(&packet);
        self.counters.send_in_full(&packet);
    }

    /// Hears of a rate at `source`.
    fn hear(&mut self, now: Instant, (source, rate): (u16, u16)) {
        let frame = FairnessFrame::new(Choke::Single, Ringlet::One, Address::of(StationId(source)), rate);
        if let Ok(message) = self.law.read(frame.into_bytes()) {
            let mut cx = Cx { now, rng: &mut self.rng, probe: None };
            self.law.on_message(&mut cx, message, &StationView::default());
        }
    }
}

/// Lives through stretches twice: woken each time, and left to rest. Tells how many timeouts the latter rested through.
fn live_twice(law: &RingLawChoice, stretches: &[Stretch]) -> Result<u64, TestCaseError> {
    let (mut woken, mut left) = (Law::new(law), Law::new(law));
    prop_assert_eq!(woken.deeds(), left.deeds());
    let mut rested = 0;
    for stretch in stretches {
        for packets in &stretch.packets {
            for law in [&mut woken, &mut left] {
                (0..packets % 9).for_each(|ingress| law.pass(ingress));
            }
            prop_assert_eq!(woken.wake(), left.wake());
        }
        let (mut before, mut last_heard) = (None, None);
        for timeout in 0..stretch.silent {
            let heard = stretch.heard.iter().filter(|(at, ..)| *at == timeout);
            let now = woken.law.poll_timeout();
            let rest = left.law.rests();
            prop_assert!(rest.is_none() || left.law.sends_only_advice());
            for (_, source, rate) in heard {
                let Some(now) = now else { continue };
                woken.hear(now, (source % STATIONS, *rate));
                // Only the last one matters to who rests.
                last_heard = Some((now, (source % STATIONS, *rate)));
            }
            let did = woken.wake();
            match rest {
                None => {
                    if let Some((at, what)) = last_heard.take() {
                        left.hear(at, what);
                    }
                    prop_assert_eq!(&did, &left.wake());
                    before = None;
                }
                Some(rest) => {
                    let Some((at, deeds)) = did else { return Err(TestCaseError::fail("it never wakes")) };
                    prop_assert_eq!(&deeds, &[advises(rest.message)]);
                    prop_assert!(before.is_none_or(|before| at == before + rest.period));
                    before = Some(at);
                    left.law.has_rested(1);
                    rested += 1;
                }
            }
            prop_assert_eq!(woken.law.poll_timeout(), left.law.poll_timeout());
        }
        if let Some((at, what)) = last_heard {
            left.hear(at, what);
        }
    }
    Ok(rested)
}

/// The advice goes upstream.
fn advises(message: PackedMessage) -> Deed {
    RingAction::SendUpstream(Outgoing { message, is_advice: true })
}

fn stretches() -> impl Strategy<Value = Vec<Stretch>> {
    let heard = proptest::collection::vec((0u64..400, any::<u16>(), prop_oneof![Just(u16::MAX), 0u16..30_000]), 0..12);
    let packets = proptest::collection::vec(any::<u8>(), 0..20);
    let stretch = (packets, prop_oneof![0u64..400, 2_500u64..3_500], heard)
        .prop_map(|(packets, silent, heard)| Stretch { packets, silent, heard });
    proptest::collection::vec(stretch, 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn who_rests_does_what_it_told((law, stretches) in (any_law::<RingLawChoice>(RingLawChoice::ALL), stretches())) {
        live_twice(&law, &stretches)?;
    }
}

#[test]
fn where_nothing_ever_passes_the_modes_without_limits_for_all_rest() {
    let quiet = [Stretch { packets: Vec::new(), silent: 50, heard: vec![(10, 5, 900)] }];
    for (name, due) in [("rpr-aggressive", 48), ("rpr-conservative", 48), ("rpr-2004-aggressive", 0), ("dvsr", 0)] {
        let rested = RingLawChoice::by_name(name).map(|law| live_twice(&law, &quiet)).unwrap().unwrap();
        assert!(rested >= due && (due > 0 || rested == 0), "{name}: {rested}");
    }
}
