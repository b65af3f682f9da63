//! dvsr's frame gets lost, comes twice, or comes after it was given up.

use fairwire_core::{BitRate, Cx, Instant, Ringlet, Span, StationId, Streams, Weight};
use fairwire_laws::WireMessage;
use fairwire_laws::ring::dvsr::{Encoding, Frame, Law, Params};
use fairwire_laws::ring::{AddQueueView, LinkTraffic, RingAction, RingLaw, RingSite, SiteFlow, StationView};

const STATIONS: usize = 6;

fn site(station: u16, open: bool) -> RingSite {
    let egress = StationId((station + 2) % STATIONS as u16);
    RingSite {
        ring_time: Span::from_millis(1),
        flows: vec![SiteFlow { egress, hops: 2, weight: Weight::ONE }],
        open,
        ..RingSite::bare(StationId(station), Ringlet::Zero, vec![BitRate::from_mbps(622); STATIONS])
    }
}

/// A law and what it has done.
struct Actor {
    law: Law,
    now: Instant,
    traffic: LinkTraffic,
    /// How many frames the last call sent.
    sent: usize,
}

impl Actor {
    fn new(site: RingSite) -> (Self, Option<Frame>) {
        let traffic = LinkTraffic { arrived_by_ingress: vec![0; STATIONS], ..LinkTraffic::default() };
        let mut actor = Self { law: Law::new(&Params::default(), site), now: Instant::ZERO, traffic, sent: 0 };
        let started = actor.call(0, |law, cx, view| law.start(cx, view));
        (actor, started.0)
    }

    /// So many microseconds later: how often it sends on the frame with this number.
    fn copies(&mut self, us: u64, number: u8) -> usize {
        let first = self.hear(us, &numbered(number));
        first.map_or(0, |_| self.sent)
    }

    /// So many microseconds later: the frame that it sent, and whether it set any limit.
    fn call(&mut self, us: u64, call: impl FnOnce(&mut Law, &mut Cx<'_>, &StationView<'_>)) -> (Option<Frame>, bool) {
        self.now += Span::from_micros(us);
        let mut rng = Streams::new(1, 0).component("law");
        let adds = [AddQueueView { packets: u32::MAX, ..AddQueueView::default() }];
        let view = StationView { adds: &adds, traffic: &self.traffic, ..StationView::default() };
        call(&mut self.law, &mut Cx { now: self.now, rng: &mut rng, probe: None }, &view);
        let (mut sent, mut set) = (None, false);
        self.sent = 0;
        while let Some(action) = self.law.poll_action() {
            match action {
                RingAction::SendUpstream(frame) => {
                    assert!(sent.replace(frame.clone()).is_none_or(|copy| copy == frame), "copies are alike");
                    self.sent += 1;
                }
                _ => set = true,
            }
        }
        (sent, set)
    }

    fn hear(&mut self, us: u64, frame: &Frame) -> Option<Frame> {
        self.call(us, |law, cx, view| law.on_message(cx, frame.clone(), view)).0
    }

    fn count(&mut self, ingress: usize, bytes: u64) {
        self.traffic.arrived_by_ingress[ingress] += bytes;
        self.traffic.sent.eligible += bytes;
    }
}

/// The same frame with another number.
fn numbered(number: u8) -> Frame {
    let mut bytes = Frame::new(Encoding::Exact, STATIONS).into_bytes();
    bytes[1] = number;
    Frame::parse(bytes).unwrap()
}

#[test]
fn a_frame_goes_on_once_a_lap_and_twice_where_the_ring_is_open() {
    for (open, times) in [(false, 1), (true, 2)] {
        let (mut actor, started) = Actor::new(site(3, open));
        assert!(started.is_none());
        for number in [0x00, 0x01, 0x06, 0x0c, 0x00, 0x10, 0x12, 0x30] {
            let taken = (0..4).filter(|_| actor.hear(1_000, &numbered(number)).is_some()).count();
            assert_eq!(taken, times, "number {number:#04x}");
        }
        assert!(actor.hear(1_000, &numbered(0x2f)).is_none(), "a frame that was given up");
        assert!(actor.hear(1_000, &numbered(0x31)).is_some());
    }
}

#[test]
fn the_first_station_replaces_the_frame_and_tells_what_it_was_told_last() {
    let (mut actor, started) = Actor::new(site(0, false));
    let mut frame = started.expect("the first station puts it on the ring");
    for _ in 0..3 {
        frame.set_fraction(4, 0.25);
        frame = actor.hear(1_000, &frame).expect("it goes on");
    }
    // It is lost, and two laps later another one leaves.
    let due = actor.law.poll_timeout().expect("it is waited for");
    let waits = due.since(actor.now);
    assert!((Span::from_micros(2_000)..Span::from_micros(2_600)).contains(&waits), "{waits}");
    let (new, _) = actor.call(waits.as_nanos().div_ceil(1_000), |law, cx, view| law.handle_timeout(cx, view));
    let new = new.expect("a new frame");
    assert!((new.fraction(4) - 0.25).abs() < 1e-6, "it tells {}", new.fraction(4));
    assert!(actor.hear(500, &frame).is_none(), "the old one came late");
    assert!(actor.hear(500, &new).is_some());
    assert!(actor.hear(500, &new).is_none(), "a copy");
}

#[test]
fn after_a_loss_frames_are_sent_more_often_but_not_where_the_ring_is_open() {
    for (open, copies) in [(false, [1, 1, 2, 2, 3]), (true, [1; 5])] {
        let (mut actor, _) = Actor::new(site(3, open));
        let sent = [0x00, 0x01, 0x10, 0x11, 0x20].map(|number| actor.copies(1_000, number));
        assert_eq!(sent, copies);
    }
    let (mut first, started) = Actor::new(site(0, false));
    assert_eq!(first.sent, 1);
    started.expect("the first station puts it on the ring");
    let waits = first.law.poll_timeout().expect("it is waited for").since(first.now);
    first.call(waits.as_nanos().div_ceil(1_000), |law, cx, view| law.handle_timeout(cx, view));
    assert_eq!(first.sent, 2, "the frame that replaces a lost one");
}

#[test]
fn frames_that_come_close_together_are_not_measured_between() {
    let (mut actor, _) = Actor::new(site(3, false));
    let mut told = Vec::new();
    for (us, number) in [(1_000, 0x00), (1_000, 0x01), (3, 0x10), (4, 0x20), (993, 0x21)] {
        // Half of the link, from one ingress, in each millisecond.
        (0..us / 20).for_each(|_| actor.count(2, 777));
        told.push(actor.hear(us, &numbered(number)).expect("it goes on").fraction(3));
    }
    assert!(told.iter().all(|fraction| (fraction - told[0]).abs() < 0.02), "{told:?}");
}
