//! What every ring law owes its driver, whatever happens to it: it never panics,
//! acts only when it may, sets rates in range, asks for times to come, and does
//! the same again when the same happens again.

use crate::any_law::any_law;
use fairwire_core::{
    BitRate, Bytes, Cx, FlowId, Instant, PacketMeta, RandomStream, Ringlet, ServiceClass, Span, StationId, Streams,
    Weight,
};
use fairwire_laws::ring::{
    AddQueueView, LinkCounters, LinkView, RingAction, RingLawChoice, RingLawObject, RingNeeds, RingSite, SiteFlow,
    StationView, TransitView, dvsr,
};
use proptest::prelude::*;

/// Something that happens to a law.
#[derive(Clone, Debug)]
enum Event {
    Arrival {
        ingress: usize,
        size_bytes: u32,
    },
    Served {
        ingress: usize,
        size_bytes: u32,
    },
    /// A message comes: the last one the law sent, if it sent any, or these bytes.
    Message {
        after_ns: u64,
        bytes: Vec<u8>,
        dry: bool,
        grown: [u8; 3],
    },
    Timeout {
        dry: bool,
    },
}

/// What a law did, comparable and in order.
#[derive(Clone, Debug, PartialEq)]
enum Deed {
    Sent(Vec<u8>),
    Set { flow: usize, rate: BitRate },
    SetTogether { beyond: usize, rate: BitRate },
    Timeout(Option<Instant>),
}

fn site(station: u16, ringlet: Ringlet, weights: &[f64]) -> RingSite {
    let stations = weights.len();
    let egress = |hops: usize| (0..hops).fold(station.into(), |at, _| ringlet.downstream(at, stations));
    RingSite {
        capacities: (0..stations as u64).map(|link| BitRate::from_mbps(100 + 37 * link)).collect(),
        weights: weights.iter().map(|&weight| Weight::new(weight).unwrap()).collect(),
        flows: (1..stations.min(4))
            .map(|hops| SiteFlow { egress: StationId(egress(hops) as u16), hops, weight: Weight::ONE })
            .collect(),
        ring_time: Span::from_millis(1),
        secondary_buffer: Some(Bytes::new(200_000)),
        ..RingSite::bare(StationId(station), ringlet, vec![BitRate::ZERO; stations])
    }
}

/// Plays events to a law and writes down what it does.
fn play(law: &RingLawChoice, site: &RingSite, events: &[Event]) -> Result<Vec<Deed>, TestCaseError> {
    let make = law.factory();
    let mut player = Player {
        law: make.make(site.clone()),
        needs: make.needs(),
        capacity: site.capacity(),
        rng: Streams::new(1, 0).component("law"),
        now: Instant::ZERO,
        counters: LinkCounters::new(make.counters(), site),
        sent: Vec::new(),
        deeds: Vec::new(),
        adds: vec![AddQueueView::default(); site.flows.len()],
        link: LinkView::default(),
        transit: TransitView::default(),
    };
    player.law.start(&mut Cx { now: Instant::ZERO, rng: &mut player.rng, probe: None }, &StationView::default());
    player.collect()?;
    events.iter().try_for_each(|event| player.play(event))?;
    Ok(player.deeds)
}

struct Player {
    law: Box<dyn RingLawObject>,
    needs: RingNeeds,
    capacity: BitRate,
    counters: LinkCounters,
    rng: RandomStream,
    now: Instant,
    sent: Vec<Vec<u8>>,
    deeds: Vec<Deed>,
    adds: Vec<AddQueueView>,
    link: LinkView,
    transit: TransitView,
}

impl Player {
    fn play(&mut self, event: &Event) -> Result<(), TestCaseError> {
        match event {
            Event::Arrival { ingress, size_bytes } => {
                self.counters.arrive(&meta(*ingress, *size_bytes));
                Ok(())
            }
            Event::Served { ingress, size_bytes } => {
                self.counters.send_in_full(&meta(*ingress, *size_bytes));
                Ok(())
            }
            Event::Message { after_ns, bytes, dry, grown } => {
                let due = self.law.poll_timeout();
                self.now += Span::from_nanos(*after_ns);
                if due.is_some_and(|due| due <= self.now) {
                    self.now = due.unwrap();
                    return self.time_out();
                }
                self.look(*dry, grown);
                let bytes = self.sent.pop().unwrap_or_else(|| bytes.clone());
                if let Ok(message) = self.law.read(bytes) {
                    let view = StationView {
                        link: self.link,
                        transit: self.transit,
                        traffic: self.counters.traffic(),
                        adds: &self.adds,
                    };
                    let mut cx = Cx { now: self.now, rng: &mut self.rng, probe: None };
                    self.law.on_message(&mut cx, message, &view);
                }
                self.collect()
            }
            Event::Timeout { dry } => {
                let Some(due) = self.law.poll_timeout() else { return Ok(()) };
                self.now = due;
                self.look(*dry, &[1, 0, 3]);
                self.time_out()
            }
        }
    }

    fn time_out(&mut self) -> Result<(), TestCaseError> {
        let view =
            StationView { link: self.link, transit: self.transit, traffic: self.counters.traffic(), adds: &self.adds };
        let mut cx = Cx { now: self.now, rng: &mut self.rng, probe: None };
        self.law.handle_timeout(&mut cx, &view);
        self.collect()
    }

    /// The station between two looks: counts only grow.
    fn look(&mut self, dry: bool, grown: &[u8; 3]) {
        if dry {
            self.link.busy_since = Some(self.now);
        }
        self.transit.secondary = Bytes::new(u64::from(grown[2]) * 1_000);
        for (add, &grown) in self.adds.iter_mut().zip(grown) {
            add.offered_bytes += u64::from(grown) * 700;
            add.packets = if grown == 255 { u32::MAX } else { u32::from(grown % 5) };
            let waited = add.waits_since.filter(|_| grown % 2 == 0);
            add.waits_since = (add.packets > 0).then(|| waited.unwrap_or(self.now));
        }
    }

    fn collect(&mut self) -> Result<(), TestCaseError> {
        while let Some(action) = self.law.poll_action() {
            self.deeds.push(match action {
                RingAction::SendUpstream(message) | RingAction::SendDownstream { message, .. } => {
                    let size = message.message.wire_bytes();
                    let bytes = self.law.bytes_of(message.message).expect("it was packed by the law");
                    prop_assert_eq!(size, bytes.len());
                    let again = self.law.read(bytes.clone()).and_then(|message| self.law.bytes_of(message));
                    prop_assert_eq!(again.as_ref(), Ok(&bytes), "a message reads as it was written");
                    self.sent.push(bytes.clone());
                    Deed::Sent(bytes)
                }
                RingAction::SetAddRate { flow, rate } => {
                    prop_assert!(flow < self.adds.len() && rate <= self.capacity, "flow {} at {}", flow, rate);
                    Deed::Set { flow, rate }
                }
                RingAction::SetStationRate { rate } => {
                    prop_assert!(self.needs.limits_together && rate <= self.capacity, "the station at {}", rate);
                    Deed::SetTogether { beyond: 0, rate }
                }
                RingAction::SetBeyondRate { hops, rate } => {
                    prop_assert!(self.needs.limits_together && rate <= self.capacity, "beyond {} at {}", hops, rate);
                    Deed::SetTogether { beyond: hops, rate }
                }
            });
        }
        let timeout = self.law.poll_timeout();
        prop_assert!(timeout.is_none_or(|at| at > self.now), "{:?} is not to come at {:?}", timeout, self.now);
        self.deeds.push(Deed::Timeout(timeout));
        Ok(())
    }
}

fn meta(ingress: usize, size_bytes: u32) -> PacketMeta {
    PacketMeta {
        flow: FlowId(0),
        ingress: StationId(ingress as u16),
        egress: StationId(0),
        size_bytes,
        class: ServiceClass::C,
        fairness_eligible: true,
    }
}

fn an_event(stations: usize) -> impl Strategy<Value = Event> {
    let packet = (0..stations, 1u32..1_500);
    prop_oneof![
        4 => packet.clone().prop_map(|(ingress, size_bytes)| Event::Arrival { ingress, size_bytes }),
        4 => packet.prop_map(|(ingress, size_bytes)| Event::Served { ingress, size_bytes }),
        3 => (0u64..3_000_000, proptest::collection::vec(any::<u8>(), 0..40), any::<bool>(), any::<[u8; 3]>())
            .prop_map(|(after_ns, bytes, dry, grown)| Event::Message { after_ns, bytes, dry, grown }),
        1 => any::<bool>().prop_map(|dry| Event::Timeout { dry }),
    ]
}

/// Every law in the list with any parameters, and dvsr in all its ways.
fn a_law() -> impl Strategy<Value = RingLawChoice> {
    let margin = prop_oneof![Just(0.0), Just(1.0), 0.0..=16.0];
    let ways = (any::<bool>(), any::<bool>(), any::<bool>(), margin, prop_oneof![Just(0u64), 1u64..5_000_000])
        .prop_map(|(equal, byte, each, margin, ns)| {
            RingLawChoice::dvsr(dvsr::Params {
                suballocation: if equal { dvsr::Suballocation::Equal } else { dvsr::Suballocation::Demand },
                encoding: if byte { dvsr::Encoding::Byte } else { dvsr::Encoding::Exact },
                count_margin: dvsr::Packets::clamped(margin),
                headroom: dvsr::Headroom::clamped(if byte { margin / 40.0 } else { 0.0 }),
                quota: if equal && each { dvsr::Quota::WholePackets } else { dvsr::Quota::Exact },
                signalling: if each { dvsr::Signalling::PerNode } else { dvsr::Signalling::Circulating },
                min_interval: Span::from_nanos(ns),
            })
        });
    prop_oneof![4 => any_law::<RingLawChoice>(RingLawChoice::ALL), 1 => ways]
}

fn a_history() -> impl Strategy<Value = (RingSite, Vec<Event>)> {
    (2usize..9, any::<bool>()).prop_flat_map(|(stations, other_way)| {
        let ringlet = if other_way { Ringlet::One } else { Ringlet::Zero };
        let site = (0..stations as u16, proptest::collection::vec(0.01f64..100.0, stations))
            .prop_map(move |(station, weights)| site(station, ringlet, &weights));
        (site, proptest::collection::vec(an_event(stations), 0..120))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn every_law_keeps_the_contract((site, events) in a_history(), law in a_law()) {
        let deeds = play(&law, &site, &events)?;
        let again = play(&law, &site, &events)?;
        prop_assert_eq!(deeds, again, "the same again");
    }
}

/// A law that has met a flow owes it a limit, even if that is zero.
#[test]
fn dvsr_sets_every_rate_on_the_first_visit() {
    let site = site(0, Ringlet::Zero, &[1.0; 5]);
    for suballocation in [dvsr::Suballocation::Demand, dvsr::Suballocation::Equal] {
        let encoding = dvsr::Encoding::Byte;
        let law = RingLawChoice::dvsr(dvsr::Params { suballocation, encoding, ..Default::default() });
        // The frame says that no link is to be used at all.
        let mut frame = vec![1, 0, 0, 5];
        frame.resize(9, 0);
        let visit = |after_ns| Event::Message { after_ns, bytes: frame.clone(), dry: true, grown: [0; 3] };
        let stations = RingSite { station: StationId(1), first: false, ..site.clone() };
        let deeds = play(&law, &stations, &[visit(1_000_000)]).unwrap();
        let set = deeds.iter().filter(|deed| matches!(deed, Deed::Set { .. })).count();
        assert_eq!(set, 3, "{deeds:?}");
        assert!(deeds.contains(&Deed::Set { flow: 2, rate: BitRate::ZERO }), "{deeds:?}");
    }
}

/// A frame for a ring of another size, in another encoding or of the other kind is dropped, and changes nothing.
#[test]
fn dvsr_drops_a_frame_of_another_ring() {
    let site = site(1, Ringlet::Zero, &[1.0; 5]);
    let (of_two, in_bytes) = (vec![2, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 9], vec![1, 0, 0, 5, 1, 1, 1, 1, 1]);
    let of_one_link = vec![2, 1, 0, 5, 0, 3, 0, 2, 0, 0, 0, 9];
    for bytes in [of_two, in_bytes, of_one_link] {
        let message = Event::Message { after_ns: 9, bytes, dry: true, grown: [0; 3] };
        let deeds = play(&RingLawChoice::by_name("dvsr").unwrap(), &site, &[message]).unwrap();
        assert!(deeds.iter().all(|deed| *deed == Deed::Timeout(None)), "{deeds:?}");
    }
}
