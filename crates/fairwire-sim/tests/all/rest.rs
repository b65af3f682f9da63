//! A law at rest, where no packet ever passes, is not asked any more; nobody can tell from what happens.

use crate::common::{cbr, flow, law, ring_of};
use fairwire_core::{BitRate, Cx, Instant, Ringlet, Span, Streams};
use fairwire_laws::ring::{
    AdviceHints, Datapath, LawAbout, Rest, RingAction, RingHints, RingLaw, RingSite, StationView,
};
use fairwire_laws::{MessageError, WireMessage};
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::collections::VecDeque;

thread_local! {
    /// Timeouts that metronomes in this thread were woken for, and those that they rested through.
    static WOKEN: Cell<u64> = const { Cell::new(0) };
    static RESTED: Cell<u64> = const { Cell::new(0) };
}

/// Beats for its upstream neighbour, and limits what its station adds by when it last heard a beat, to the nanosecond, and
/// whose that was.
struct Metronome {
    params: Params,
    site: RingSite,
    due: Instant,
    beats: u64,
    heard: Option<(Instant, u16)>,
    actions: VecDeque<RingAction<Beat>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Params {
    period_ns: u64,
    /// It rests after so many beats.
    beats: u64,
}

/// Who beats.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Beat(u16);

impl WireMessage for Beat {
    fn parse(bytes: Vec<u8>) -> Result<Self, MessageError> {
        let expected = MessageError::Length { got: bytes.len(), expected: 2 };
        bytes.try_into().map(|bytes| Self(u16::from_be_bytes(bytes))).map_err(|_| expected)
    }

    fn into_bytes(self) -> Vec<u8> {
        self.0.to_be_bytes().to_vec()
    }

    fn wire_bytes(&self) -> usize {
        2
    }
}

impl RingLaw for Metronome {
    type Params = Params;
    type Msg = Beat;
    const ABOUT: LawAbout = LawAbout { name: "metronome", summary: "Beats", source: "none: a test" };
    const HINTS: RingHints<Self> = RingHints {
        advice: Some(AdviceHints {
            is_advice: |_| true,
            sends_only_advice: |_| true,
            rests: Self::rests,
            has_rested: Self::has_rested,
        }),
        ..RingHints::NONE
    };

    fn new(params: &Params, site: RingSite) -> Self {
        let due = Instant::from_nanos(params.period_ns);
        Self { params: params.clone(), site, due, beats: 0, heard: None, actions: VecDeque::new() }
    }

    fn on_message(&mut self, cx: &mut Cx<'_>, message: Beat, _view: &StationView<'_>) {
        self.heard = Some((cx.now, message.0));
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, _view: &StationView<'_>) {
        assert_eq!(cx.now, self.due);
        WOKEN.set(WOKEN.get() + 1);
        self.has_beaten(1);
        self.actions.push_back(RingAction::SendUpstream(Beat(self.site.station.0)));
        if let Some((at, who)) = self.heard {
            let rate = BitRate::from_bps(1_000_000 * (10 + at.as_nanos() % 97 + u64::from(who)));
            let rate = rate.min(self.site.capacity());
            let limits = (0..self.site.flows.len()).map(|flow| RingAction::SetAddRate { flow, rate });
            self.actions.extend(limits);
        }
    }

    fn poll_action(&mut self) -> Option<RingAction<Beat>> {
        self.actions.pop_front()
    }
}

impl Metronome {
    fn rests(&self) -> Option<Rest<Beat>> {
        let period = Span::from_nanos(self.params.period_ns);
        let rests = self.site.flows.is_empty() && self.beats >= self.params.beats;
        rests.then_some(Rest { period, message: Beat(self.site.station.0) })
    }

    fn has_rested(&mut self, timeouts: u64) {
        RESTED.set(RESTED.get() + timeouts);
        self.has_beaten(timeouts);
    }

    fn has_beaten(&mut self, times: u64) {
        self.beats += times;
        self.due += Span::from_nanos(self.params.period_ns) * times;
    }
}

/// The `number`th of a fixed endless list of rings that carry little.
fn a_quiet_ring(number: u64) -> RingPlan {
    let mut draw = Streams::new(26, number).component("quiet");
    let stations = draw.random_range(5..24u16);
    let capacity = BitRate::from_mbps([50, 622, 2_500][draw.random_range(0..3)]);
    let delay = Span::from_nanos(draw.random_range(2_000..150_000));
    let a_flow = |draw: &mut fairwire_core::RandomStream| {
        let from = draw.random_range(0..stations);
        let to = (from + draw.random_range(1..4)) % stations;
        let arrivals =
            if draw.random_bool(0.3) { Arrivals::Greedy } else { cbr(draw.random_range(1..700) * 1_000_000) };
        // Mostly one way, so that there are stations on both ringlets that nothing passes.
        let ringlet = if draw.random_bool(0.85) { Ringlet::Zero } else { Ringlet::One };
        let (from, to) = if ringlet == Ringlet::Zero { (from, to) } else { (to, from) };
        FlowPlan { ringlet, ..flow(from, to, arrivals) }
    };
    let flows = (0..draw.random_range(1..4)).map(|_| a_flow(&mut draw)).collect();
    RingPlan {
        seed: number,
        duration: Span::from_micros(draw.random_range(3_000..20_000)),
        warmup: Span::from_micros(draw.random_range(0..3_000)),
        detail: Detail::Summary,
        check: false,
        flows,
        ..ring_of(stations.into(), capacity, delay)
    }
}

/// By either way through time, and checked, so that every law is asked each time.
fn three_ways(plan: &RingPlan) -> [RingPlan; 3] {
    let on = |engine, check| RingPlan { engine, check, ..plan.clone() };
    [on(EnginePath::Windows, false), on(EnginePath::Events, false), on(EnginePath::Windows, true)]
}

#[test]
fn who_rests_is_not_missed() {
    let (mut woken, mut rested) = (0, 0);
    for number in 0..150 {
        let plan = a_quiet_ring(number);
        let period_ns = [7_000, 37_001, 100_000, 350_000][number as usize % 4];
        let params = Params { period_ns, beats: number % 5 };
        let [windows, events, asked] = three_ways(&plan).map(|plan| {
            WOKEN.set(0);
            RESTED.set(0);
            let record = simulate_law::<Metronome>(&plan, &params, &mut |_| true);
            (record, WOKEN.get(), RESTED.get())
        });
        assert!(asked.0.violations.is_empty(), "ring {number}: {:?}", asked.0.violations);
        assert!(windows.0 == asked.0 && events.0 == asked.0, "ring {number}");
        assert_eq!(asked.2, 0, "who is checked never rests");
        assert_eq!(windows.1 + windows.2, asked.1, "ring {number}: timeouts got lost");
        woken += windows.1;
        rested += windows.2;
    }
    assert!(rested > woken, "{rested} timeouts rested through beside {woken}");
}

#[test]
fn rings_that_carry_little_are_the_same_under_laws_that_rest() {
    for number in 0..60 {
        let plan = a_quiet_ring(number);
        for name in ["rpr-aggressive", "rpr-conservative", "rpr-2004-aggressive", "darwin"] {
            let mut plan = plan.clone();
            if law(name).needs().limits_together {
                plan.transit.datapath = Datapath::TransitFirst;
            }
            let [windows, events, asked] = three_ways(&plan).map(|plan| simulate(&plan, &law(name)).unwrap());
            assert!(asked.violations.is_empty(), "ring {number}, {name}: {:?}", asked.violations);
            assert!(windows == asked && events == asked, "ring {number}, {name}");
        }
    }
}

#[test]
fn a_run_that_is_ended_early_is_a_shorter_one() {
    let law = law("rpr-aggressive");
    for number in 0..20 {
        let plan = RingPlan { duration: Span::from_millis(400), ..a_quiet_ring(number) };
        for plan in three_ways(&plan) {
            let half = simulate_watched(&plan, &law, &mut |done| done < 0.5).unwrap();
            assert!(half.duration < plan.duration, "ring {number} by {:?}", plan.engine);
            let shorter = RingPlan { duration: half.duration, ..plan };
            assert!(half == simulate(&shorter, &law).unwrap(), "ring {number} by {:?}", shorter.engine);
        }
    }
}
