//! s-PERC, worked by hand at one port of 100 Mb/s: what sources promise, and what a flow is told at the least.

use crate::rate_laws::one_port::{ASKED_BPS, PLAIN, assert_near, law};
use fairwire_core::{BitRate, Cx, FlowId, Instant, RandomStream, Span, Streams};
use fairwire_laws::rate::s_perc::PercCell;
use fairwire_laws::rate::{
    AnyRateLaw, AnyRateSource, FirstRate, PortSite, PortView, RateLawChoice, RateMessage, Refusal, Terms,
};

struct Flow {
    source: AnyRateSource,
    terms: Terms,
    /// The control packet that left last.
    bytes: Vec<u8>,
}

/// A port and the ends of all flows.
struct Link {
    choice: RateLawChoice,
    law: AnyRateLaw,
    view: PortView,
    rng: RandomStream,
    flows: Vec<Flow>,
}

fn us(us: u64) -> Instant {
    Instant::ZERO + Span::from_micros(us)
}

impl Link {
    /// Flows that ask first, from the start on.
    fn new(terms: &[Terms]) -> Self {
        let (choice, capacity) = (law("name = 's-perc'"), BitRate::from_mbps(100));
        let flow = |terms: &Terms| {
            let mut source = choice.source(terms, FirstRate::Ask);
            source.on_start(Instant::ZERO, Span::ZERO);
            Flow { source, terms: *terms, bytes: Vec::new() }
        };
        Self {
            law: choice.port(&PortSite { start: Instant::ZERO, capacity }),
            view: PortView { capacity, ..PortView::default() },
            rng: Streams::new(1, 0).component("port"),
            flows: terms.iter().map(flow).collect(),
            choice,
        }
    }

    /// A control packet leaves.
    fn write(&mut self, flow: usize, now: Instant, closing: bool) -> PercCell {
        let Flow { source, bytes, .. } = &mut self.flows[flow];
        source.write(now, closing, bytes);
        PercCell::read(bytes).expect("it is good")
    }

    /// It passes the port out and back, and is heard at `now`.
    fn answer(&mut self, flow: usize, now: Instant) -> Result<(), Refusal> {
        let Flow { source, terms, bytes } = &mut self.flows[flow];
        let cx = &mut Cx { now, rng: &mut self.rng, probe: None };
        let flow = FlowId(flow as u32);
        self.law.on_forward_of_open(cx, flow, terms, bytes, &self.view)?;
        self.choice.turn(terms, bytes)?;
        self.law.on_backward(cx, flow, bytes, &self.view)?;
        source.on_return(now, bytes)
    }

    /// What the flow is told, in Mb/s.
    fn told(&mut self, flow: usize, now: Instant) -> f64 {
        self.write(flow, now, false);
        self.answer(flow, now).expect("it is good");
        self.flows[flow].source.allowed_bps() / 1e6
    }

    fn asks_at(&self) -> Option<Instant> {
        self.flows[0].source.asks_at()
    }
}

#[test]
fn states_leave_when_they_were_promised_to_however_slow_the_flow_is() {
    let mut link = Link::new(&[PLAIN]);
    let promised = |cell: &PercCell| Span::from_secs_f64(cell.loop_s).as_nanos();
    // Nothing is known of the way yet.
    assert_eq!(promised(&link.write(0, us(0), false)), 0);
    link.answer(0, us(1000)).unwrap();
    // It has another rate, so that states leave at once.
    assert_eq!(link.asks_at(), Some(us(1000)));
    assert_eq!(promised(&link.write(0, us(1000), false)), 1_250_000);
    link.answer(0, us(2000)).unwrap();
    assert_eq!(link.asks_at(), Some(us(2250)));
    assert_eq!(promised(&link.write(0, us(2250), false)), 1_562_500);
    let known = link.write(0, us(3000), false);
    assert!(!known.carries_states);
    // These come back, but not those with states.
    link.answer(0, us(3500)).unwrap();
    assert_eq!(link.asks_at(), Some(us(3500)));
    let again = link.write(0, us(3500), false);
    assert!(again.carries_states && again.hops.len() == 1);
}

#[test]
fn who_waits_for_states_longer_than_it_promised_asks_after_them_once() {
    let mut link = Link::new(&[PLAIN]);
    assert_near(link.told(0, us(0)), 100.0);
    link.write(0, us(1000), false);
    assert_eq!(link.asks_at(), Some(us(2250)));
    assert!(!link.write(0, us(2250), false).carries_states);
    assert_eq!(link.asks_at(), None);
}

#[test]
fn nothing_is_promised_over_a_silence() {
    let mut link = Link::new(&[PLAIN]);
    for now in [0, 1000, 2000] {
        link.told(0, us(now));
    }
    link.flows[0].source.on_pause(us(5_000_000));
    assert_eq!(link.asks_at(), None);
    assert!(link.write(0, us(5_000_000), false).loop_s < 0.1);
}

#[test]
fn who_comes_back_tells_nothing_of_what_its_farewell_took_out() {
    let mut link = Link::new(&[PLAIN; 2]);
    for flow in [0, 1, 0] {
        link.told(flow, us(1000));
    }
    let farewell = link.write(0, us(2000), true);
    assert!(farewell.last && farewell.hops.len() == 1);
    link.law
        .on_forward_of_open(
            &mut Cx { now: us(2000), rng: &mut link.rng, probe: None },
            FlowId(0),
            &PLAIN,
            &mut link.flows[0].bytes,
            &link.view,
        )
        .unwrap();
    assert_near(link.told(1, us(2500)), 100.0);
    link.flows[0].source.on_start(us(3000), Span::ZERO);
    assert_eq!((link.flows[0].source.allowed_bps(), link.flows[0].source.may_send_data()), (0.0, false));
    link.choice.turn(&PLAIN, &mut link.flows[0].bytes).unwrap();
    let late = link.flows[0].bytes.clone();
    assert_eq!(link.flows[0].source.on_return(us(3100), &late), Err(Refusal::Stale));
    assert!(link.write(0, us(3200), false).hops.is_empty());
    link.answer(0, us(3300)).unwrap();
    for flow in [0, 1] {
        assert_near(link.told(flow, us(4000)), 50.0);
    }
}

#[test]
fn nobody_is_told_less_than_an_equal_share_by_weight() {
    let most = |mbps: f64| Terms { peak_bps: mbps * 1e6, ..PLAIN };
    let mut link = Link::new(&[most(90.0), Terms { weight: 3.0, ..most(99.0) }]);
    assert_near(link.told(0, us(0)), 90.0);
    // Flow 0 takes 90 and does not know better yet. Three of four parts of the link are 75, and 10 would be left.
    assert_near(link.told(1, us(100)), 75.0);
    assert_near(link.told(0, us(200)), 25.0);
    assert_near(link.told(1, us(300)), 75.0);
    assert!(link.flows.iter().all(|flow| flow.source.allowed_bps() < ASKED_BPS));
}
