//! A law at every station of a small ring, in a world where anything may happen:
//! packets of any kind, queues of any depth, messages late, lost, repeated, out of order or
//! broken, wake-ups late, stations that stand still, capacities, weights and promises that
//! change, laws that begin late. Whatever happens, the law keeps its promises, and the journal of what reached one station,
//! played to a new law, gives the same deeds to the bit.

use crate::any_law::any_law;
use fairwire_core::{
    BitRate, Bytes, Cx, FlowId, Instant, PacketMeta, Probe, RandomStream, Ringlet, Sample, ServiceClass, Span,
    StationId, Streams, Weight,
};
use fairwire_laws::WireMessage;
use fairwire_laws::ring::{
    AddQueueView, LinkCounters, LinkTraffic, LinkView, MessageQueue, Outgoing, OutsideLaw, RingAction, RingLaw,
    RingLawChoice, RingLawFactory, RingLawObject, RingLawVisitor, RingNeeds, RingSite, Sends, SiteChange, SiteFlow,
    StationView, TransitView, tells_its_unit,
};
use proptest::prelude::*;
use std::collections::VecDeque;

/// Something that happens in the world; numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Event {
    Packet {
        station: usize,
        served: bool,
        packet: (usize, usize, u32, usize, bool),
    },
    /// The oldest message on its way to a station arrives, or is lost, or these bytes do.
    Message {
        station: usize,
        fate: Fate,
    },
    Queues {
        station: usize,
        grown: [u8; 4],
    },
    /// Time passes, and who wants to be woken meanwhile is.
    Time {
        ns: u64,
    },
    /// Time passes in which nobody is called; who wants to be woken meanwhile is woken late.
    Stall {
        ns: u64,
    },
    /// All stations hear of a change.
    Change {
        of: usize,
        what: Changed,
    },
}

/// What changes.
#[derive(Clone, Copy, Debug)]
enum Changed {
    Capacity(u64),
    Weight(f64),
    Minimum(u64),
}

#[derive(Clone, Debug)]
enum Fate {
    Arrives,
    IsLost,
    /// It arrives, and comes again later.
    IsRepeated,
    /// It arrives before all that was sent earlier.
    Overtakes,
    Is(Vec<u8>),
    IsBroken(usize, u8),
}

/// What reached a law.
#[derive(Clone, Debug)]
enum Fact {
    Started(View),
    Heard(Vec<u8>, View),
    Woken(View),
    Changed(SiteChange, View),
}

/// What a law did, or when it wants to be woken.
#[derive(Clone, Debug, PartialEq)]
enum Deed {
    Sent(Vec<u8>, Way),
    Add(usize, BitRate),
    Station(BitRate),
    Beyond(usize, BitRate),
    Wakes(Option<Instant>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Up,
    Down(MessageQueue),
}

#[derive(Clone, Debug, Default)]
struct View {
    link: LinkView,
    transit: TransitView,
    traffic: LinkTraffic,
    adds: Vec<AddQueueView>,
}

impl View {
    fn shown(&self) -> StationView<'_> {
        StationView { link: self.link, transit: self.transit, traffic: &self.traffic, adds: &self.adds }
    }

    /// Counts only grow; depths come and go.
    fn grow(&mut self, now: Instant, grown: [u8; 4]) {
        if grown[3] % 2 == 1 {
            self.link.busy_since = (grown[3] % 4 == 1).then_some(now);
        }
        self.transit.primary = Bytes::new(u64::from(grown[3]) * 100);
        self.transit.secondary = Bytes::new(u64::from(grown[0]) * 1_000);
        self.link.waiting = self.transit.primary + self.transit.secondary;
        for (add, grown) in self.adds.iter_mut().zip(grown) {
            add.offered_bytes += u64::from(grown) * 700;
            add.packets = if grown == 255 { u32::MAX } else { u32::from(grown % 5) };
            add.bytes = if grown == 255 { u64::MAX } else { u64::from(add.packets) * 700 };
            let waited = add.waits_since.filter(|_| grown % 2 == 0);
            add.waits_since = (add.packets > 0).then(|| waited.unwrap_or(now));
        }
    }
}

/// A law at one station, with the journal of what reached it and what it did.
struct Actor {
    law: Box<dyn RingLawObject>,
    needs: RingNeeds,
    rng: RandomStream,
    capacity: BitRate,
    flows: usize,
    least_message: Bytes,
    site: RingSite,
    journal: Vec<(Instant, Fact)>,
    deeds: Vec<Deed>,
    /// Whether somebody looks at what it shows.
    watched: bool,
}

/// Looks at everything.
struct Watcher {
    stations: usize,
}

impl Probe for Watcher {
    fn show(&mut self, _now: Instant, sample: Sample) {
        assert!(sample.value.is_finite(), "{sample:?}");
        assert!(tells_its_unit(sample.name, sample.value), "{sample:?}");
        assert!((sample.index as usize) < self.stations, "{sample:?} of {} stations", self.stations);
    }
}

impl Actor {
    fn new(make: &dyn RingLawFactory, site: &RingSite) -> Self {
        Self {
            law: make.make(site.clone()),
            needs: make.needs(),
            rng: Streams::new(1, 0).component(&format!("law/{}", site.station)),
            capacity: site.capacity(),
            flows: site.flows.len(),
            least_message: make.least_message(site.stations()),
            site: site.clone(),
            journal: Vec::new(),
            deeds: Vec::new(),
            watched: false,
        }
    }

    /// What it did when all this happened.
    fn live(mut self, journal: &[(Instant, Fact)]) -> Result<Vec<Deed>, TestCaseError> {
        for (at, fact) in journal {
            self.meet(*at, fact.clone())?;
        }
        Ok(self.deeds)
    }

    /// Tells the law a fact; returns the messages that it sends.
    fn meet(&mut self, now: Instant, fact: Fact) -> Result<Vec<(Vec<u8>, Way)>, TestCaseError> {
        self.journal.push((now, fact.clone()));
        let mut watcher = Watcher { stations: self.site.stations() };
        let probe = if self.watched { Some(&mut watcher as &mut dyn Probe) } else { None };
        let mut cx = Cx { now, rng: &mut self.rng, probe };
        match fact {
            Fact::Started(view) => self.law.start(&mut cx, &view.shown()),
            Fact::Changed(change, view) => {
                self.site.apply(change);
                self.capacity = self.site.capacity();
                self.law.on_change(&mut cx, change, &view.shown());
            }
            Fact::Heard(bytes, view) => {
                if let Ok(message) = self.law.read(bytes) {
                    self.law.on_message(&mut cx, message, &view.shown());
                }
            }
            Fact::Woken(view) => self.law.handle_timeout(&mut cx, &view.shown()),
        }
        let last = self.journal.last().map(|(_, fact)| fact);
        let woken = matches!(last, Some(Fact::Woken(_)));
        let mut sent = Vec::new();
        while let Some(action) = self.law.poll_action() {
            let deed = self.deed(action)?;
            if let Deed::Sent(bytes, way) = &deed {
                sent.push((bytes.clone(), *way));
            }
            self.deeds.push(deed);
        }
        let timeout = self.law.poll_timeout();
        prop_assert!(!woken || timeout.is_none_or(|at| at > now), "{timeout:?} is not to come at {now:?}");
        self.deeds.push(Deed::Wakes(timeout));
        Ok(sent)
    }

    fn deed(&self, action: RingAction<Outgoing>) -> Result<Deed, TestCaseError> {
        let (message, way) = match action {
            RingAction::SendUpstream(message) => (message, Way::Up),
            RingAction::SendDownstream { message, queue } => (message, Way::Down(queue)),
            RingAction::SetAddRate { flow, rate } => {
                prop_assert!(flow < self.flows && rate <= self.capacity, "flow {flow} at {rate}");
                return Ok(Deed::Add(flow, rate));
            }
            RingAction::SetStationRate { rate } => {
                prop_assert!(self.needs.limits_together && rate <= self.capacity, "the station at {rate}");
                return Ok(Deed::Station(rate));
            }
            RingAction::SetBeyondRate { hops, rate } => {
                prop_assert!(self.needs.limits_together && rate <= self.capacity, "beyond {hops} at {rate}");
                return Ok(Deed::Beyond(hops, rate));
            }
        };
        let sends = match self.needs.sends {
            Sends::Nothing => false,
            Sends::Upstream => way == Way::Up,
            Sends::BothWays => true,
        };
        prop_assert!(sends, "it tells that it does not send");
        let size = message.message.wire_bytes();
        let bytes = self.law.bytes_of(message.message).expect("it was packed by the law");
        prop_assert_eq!(size, bytes.len());
        prop_assert!(
            size as u64 >= self.least_message.get(),
            "{size} B, less than the {} promised",
            self.least_message
        );
        let again = self.law.read(bytes.clone()).and_then(|message| self.law.bytes_of(message));
        prop_assert_eq!(again.as_ref(), Ok(&bytes), "a message reads as it was written");
        Ok(Deed::Sent(bytes, way))
    }
}

/// The ring.
struct World {
    actors: Vec<Actor>,
    views: Vec<View>,
    counters: Vec<LinkCounters>,
    /// Messages on their way to each station.
    mail: Vec<VecDeque<Vec<u8>>>,
    ringlet: Ringlet,
    now: Instant,
}

/// A ring may send each message on; of many, the oldest are lost.
const MOST_MAIL: usize = 40;
/// Time passes no further than to so many timeouts.
const MOST_WAKES: usize = 60;

impl World {
    fn new(make: &dyn RingLawFactory, sites: &[RingSite]) -> Self {
        let views =
            sites.iter().map(|site| View { adds: vec![AddQueueView::default(); site.flows.len()], ..View::default() });
        Self {
            actors: sites.iter().map(|site| Actor::new(make, site)).collect(),
            views: views.collect(),
            counters: sites.iter().map(|site| LinkCounters::new(make.counters(), site)).collect(),
            mail: vec![VecDeque::new(); sites.len()],
            ringlet: sites[0].ringlet,
            now: Instant::ZERO,
        }
    }

    fn tell(&mut self, station: usize, fact: Fact) -> Result<(), TestCaseError> {
        for (bytes, way) in self.actors[station].meet(self.now, fact)? {
            let way = if way == Way::Up { self.ringlet.opposite() } else { self.ringlet };
            let mail = &mut self.mail[way.downstream(station, self.actors.len())];
            mail.push_back(bytes);
            if mail.len() > MOST_MAIL {
                mail.pop_front();
            }
        }
        Ok(())
    }

    fn happen(&mut self, event: &Event) -> Result<(), TestCaseError> {
        let stations = self.actors.len();
        match event {
            Event::Packet { station, served, packet: (ingress, egress, size_bytes, class, eligible) } => {
                let packet = PacketMeta {
                    flow: FlowId(0),
                    ingress: StationId((ingress % stations) as u16),
                    egress: StationId((egress % stations) as u16),
                    size_bytes: *size_bytes,
                    class: ServiceClass::ALL[class % 4],
                    fairness_eligible: *eligible,
                };
                let counters = &mut self.counters[station % stations];
                if *served {
                    counters.send_in_full(&packet)
                } else {
                    counters.arrive(&packet)
                }
                Ok(())
            }
            Event::Queues { station, grown } => {
                self.views[station % stations].grow(self.now, *grown);
                Ok(())
            }
            Event::Message { station, fate } => self.message(station % stations, fate),
            Event::Time { ns } => self.pass(Span::from_nanos(*ns)),
            Event::Stall { ns } => self.stall(Span::from_nanos(*ns)),
            Event::Change { of, what } => {
                let of = StationId((of % stations) as u16);
                let change = match *what {
                    Changed::Capacity(mbps) => SiteChange::Capacity { link: of, capacity: BitRate::from_mbps(mbps) },
                    Changed::Weight(weight) => {
                        SiteChange::Weight { station: of, weight: Weight::new(weight).unwrap_or(Weight::ONE) }
                    }
                    Changed::Minimum(mbps) => SiteChange::Minimum { minimum: BitRate::from_mbps(mbps) },
                };
                (0..stations).try_for_each(|station| self.tell(station, Fact::Changed(change, self.view(station))))
            }
        }
    }

    /// A station as its law may read it.
    fn view(&self, station: usize) -> View {
        View { traffic: self.counters[station].traffic().clone(), ..self.views[station].clone() }
    }

    /// Nobody is called for so long; then all are woken that are late.
    fn stall(&mut self, span: Span) -> Result<(), TestCaseError> {
        self.now += span;
        for station in 0..self.actors.len() {
            if self.actors[station].law.poll_timeout().is_some_and(|due| due <= self.now) {
                self.tell(station, Fact::Woken(self.view(station)))?;
            }
        }
        Ok(())
    }

    fn message(&mut self, station: usize, fate: &Fate) -> Result<(), TestCaseError> {
        let mut bytes = match fate {
            Fate::Is(bytes) => bytes.clone(),
            _ => {
                let mail = &mut self.mail[station];
                let Some(bytes) = (if matches!(fate, Fate::Overtakes) { mail.pop_back() } else { mail.pop_front() })
                else {
                    return Ok(());
                };
                bytes
            }
        };
        match fate {
            Fate::IsLost => return Ok(()),
            Fate::IsBroken(at, bits) => {
                let at = at % bytes.len().max(1);
                bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= bits);
            }
            Fate::IsRepeated => self.mail[station].push_back(bytes.clone()),
            Fate::Arrives | Fate::Overtakes | Fate::Is(_) => {}
        }
        self.tell(station, Fact::Heard(bytes, self.view(station)))
    }

    fn pass(&mut self, span: Span) -> Result<(), TestCaseError> {
        let until = self.now + span;
        for _ in 0..MOST_WAKES {
            let due = |station: usize| self.actors[station].law.poll_timeout().unwrap_or(Instant::NEVER);
            let next =
                (0..self.actors.len()).min_by_key(|station| due(*station)).filter(|station| due(*station) <= until);
            let Some(station) = next else {
                self.now = until;
                return Ok(());
            };
            self.now = due(station);
            self.tell(station, Fact::Woken(self.view(station)))?;
        }
        Ok(())
    }
}

/// Lives through the events, of which some happen `before` laws begin, then plays each station's journal to a new law.
fn live(law: &RingLawChoice, sites: &[RingSite], before: &[Event], events: &[Event]) -> Result<(), TestCaseError> {
    let make = law.factory();
    let mut world = World::new(&*make, sites);
    // Packets pass, and time, before the law begins.
    let counted = before.iter().filter(|event| matches!(event, Event::Packet { .. } | Event::Queues { .. }));
    counted.into_iter().try_for_each(|event| world.happen(event))?;
    world.now += Span::from_micros(before.len() as u64);
    (0..sites.len()).try_for_each(|station| world.tell(station, Fact::Started(world.view(station))))?;
    events.iter().try_for_each(|event| world.happen(event))?;
    for (actor, site) in world.actors.iter().zip(sites) {
        let again = Actor::new(&*make, site).live(&actor.journal)?;
        prop_assert_eq!(&again, &actor.deeds, "the journal of station {}", site.station);
        let watched = Actor { watched: true, ..Actor::new(&*make, site) };
        prop_assert_eq!(&watched.live(&actor.journal)?, &actor.deeds, "station {} watched", site.station);
        let late = Actor::new(&*make, site).live(&advice_put_off(law, &actor.journal))?;
        prop_assert_eq!(&late, &actor.deeds, "station {} told late", site.station);
    }
    Ok(())
}

/// Whether these bytes are advice to a law.
struct IsAdvice<'a>(&'a [u8]);

impl RingLawVisitor for IsAdvice<'_> {
    type Output = bool;

    fn visit<L: RingLaw>(self, _params: &L::Params) -> bool {
        let is_advice = |message| L::HINTS.advice.is_some_and(|hints| (hints.is_advice)(&message));
        L::Msg::parse(self.0.to_vec()).is_ok_and(is_advice)
    }

    fn visit_outside(self, law: &OutsideLaw) -> bool {
        unreachable!("{law:?} is not in the list")
    }
}

/// The same facts, but the law hears of advice right before it is called the next time,
/// and without a look at its station.
fn advice_put_off(law: &RingLawChoice, journal: &[(Instant, Fact)]) -> Vec<(Instant, Fact)> {
    let (mut facts, mut put_off) = (Vec::new(), Vec::new());
    for (at, fact) in journal {
        match fact {
            Fact::Heard(bytes, _) if law.visit(IsAdvice(bytes)) => {
                put_off.push((*at, Fact::Heard(bytes.clone(), View::default())));
                continue;
            }
            Fact::Started(_) | Fact::Heard(..) | Fact::Woken(_) | Fact::Changed(..) => facts.append(&mut put_off),
        }
        facts.push((*at, fact.clone()));
    }
    facts.append(&mut put_off);
    facts
}

fn a_packet(stations: usize) -> impl Strategy<Value = (usize, usize, u32, usize, bool)> {
    (0..stations, 0..stations, 1u32..9_216, 0usize..4, any::<bool>())
}

fn an_event(stations: usize) -> impl Strategy<Value = Event> {
    let fate = prop_oneof![
        8 => Just(Fate::Arrives),
        1 => Just(Fate::IsLost),
        1 => Just(Fate::IsRepeated),
        1 => Just(Fate::Overtakes),
        1 => proptest::collection::vec(any::<u8>(), 0..40).prop_map(Fate::Is),
        1 => (any::<usize>(), 1u8..=255).prop_map(|(at, bits)| Fate::IsBroken(at, bits)),
    ];
    prop_oneof![
        4 => (0..stations, any::<bool>(), a_packet(stations))
            .prop_map(|(station, served, packet)| Event::Packet { station, served, packet }),
        4 => (0..stations, fate).prop_map(|(station, fate)| Event::Message { station, fate }),
        2 => (0..stations, any::<[u8; 4]>()).prop_map(|(station, grown)| Event::Queues { station, grown }),
        3 => prop_oneof![0u64..300_000, 0u64..30_000_000].prop_map(|ns| Event::Time { ns }),
        1 => prop_oneof![0u64..66_000, 0u64..50_000_000].prop_map(|ns| Event::Stall { ns }),
        1 => (0..stations, a_change()).prop_map(|(of, what)| Event::Change { of, what }),
    ]
}

fn a_change() -> impl Strategy<Value = Changed> {
    prop_oneof![
        prop_oneof![0u64..2_000, Just(622)].prop_map(Changed::Capacity),
        prop_oneof![Just(1.0), 0.01f64..100.0].prop_map(Changed::Weight),
        (0u64..2_000).prop_map(Changed::Minimum),
    ]
}

/// All sites of a ring with links of all sorts, some with two transit queues.
fn sites() -> impl Strategy<Value = Vec<RingSite>> {
    (2usize..8, any::<bool>()).prop_flat_map(|(stations, other_way)| {
        let weights = proptest::collection::vec(prop_oneof![Just(1.0), 0.01f64..100.0], stations);
        let links = proptest::collection::vec((prop_oneof![Just(622u64), 1u64..10_000], 0u64..3_000_000), stations);
        let secondary = proptest::option::of(prop_oneof![Just(200_000u64), 0u64..400_000]);
        let reserved = prop_oneof![Just(0u64), 0u64..800_000_000];
        (weights, links, secondary, reserved).prop_map(move |(weights, links, secondary, reserved)| {
            let ringlet = if other_way { Ringlet::One } else { Ringlet::Zero };
            let bare = |station: usize| {
                let capacities = links.iter().map(|(mbps, _)| BitRate::from_mbps(*mbps)).collect();
                RingSite::bare(StationId(station as u16), ringlet, capacities)
            };
            let site = |station: usize| RingSite {
                weights: weights.iter().map(|&weight| Weight::new(weight).unwrap()).collect(),
                delays: links.iter().map(|(_, ns)| Span::from_nanos(*ns)).collect(),
                reserved: BitRate::from_bps(reserved),
                secondary_buffer: secondary.map(Bytes::new),
                ring_time: links.iter().map(|(_, ns)| Span::from_nanos(*ns)).sum(),
                flows: (1..stations.min(4))
                    .map(|hops| SiteFlow {
                        egress: StationId(bare(station).downstream(hops) as u16),
                        hops,
                        weight: Weight::ONE,
                    })
                    .collect(),
                ..bare(station)
            };
            (0..stations).map(site).collect()
        })
    })
}

fn a_history() -> impl Strategy<Value = (Vec<RingSite>, Vec<Event>, Vec<Event>)> {
    sites().prop_flat_map(|sites| {
        let before = proptest::collection::vec(an_event(sites.len()), 0..20);
        let events = proptest::collection::vec(an_event(sites.len()), 0..150);
        (Just(sites), before, events)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_ring_of_laws_keeps_its_promises((sites, before, events) in a_history(), law in any_law::<RingLawChoice>(RingLawChoice::ALL)) {
        live(&law, &sites, &before, &events)?;
    }
}
