//! The simulator as a driver of laws: what it promises them, seen from inside a law.

use crate::common::{burst, cbr, flow, ring_of};
use fairwire_core::{BitRate, Cx, Instant, Span};
use fairwire_laws::ring::{
    AddQueueView, ClassBytes, Counters, LawAbout, LinkTraffic, RingAction, RingLaw, RingSite, StationView,
};
use fairwire_laws::{MessageError, WireMessage};
use fairwire_plan::*;
use fairwire_sim::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Wakes every `every_ns`, tells its upstream neighbour the time, and sets the rates
/// it is told to. It panics when its driver breaks a promise.
struct Witness {
    params: Params,
    site: RingSite,
    /// What it asked for last.
    wake: u64,
    last: Instant,
    last_adds: Vec<AddQueueView>,
    last_traffic: LinkTraffic,
    busy_since: Option<Instant>,
    actions: VecDeque<RingAction<Stamp>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Params {
    every_ns: u64,
    /// On a message it asks to be woken a microsecond ago.
    impatient: bool,
    /// (from when, rate of the first flow in bit/s), in order.
    rates: Vec<(u64, u64)>,
}

/// The time at which a message was sent.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stamp(u64);

impl WireMessage for Stamp {
    fn parse(bytes: Vec<u8>) -> Result<Self, MessageError> {
        let expected = MessageError::Length { got: bytes.len(), expected: 8 };
        bytes.try_into().map(|bytes| Self(u64::from_be_bytes(bytes))).map_err(|_| expected)
    }

    fn into_bytes(self) -> Vec<u8> {
        self.0.to_be_bytes().to_vec()
    }

    fn wire_bytes(&self) -> usize {
        8
    }
}

impl RingLaw for Witness {
    type Params = Params;
    type Msg = Stamp;
    const ABOUT: LawAbout = LawAbout { name: "witness", summary: "Watches its driver", source: "none: a test" };

    fn new(params: &Params, site: RingSite) -> Self {
        let last_adds = vec![AddQueueView::default(); site.flows.len()];
        Self {
            wake: params.every_ns,
            params: params.clone(),
            site,
            last: Instant::ZERO,
            last_adds,
            last_traffic: LinkTraffic::NOTHING,
            busy_since: None,
            actions: VecDeque::new(),
        }
    }

    fn counters(_params: &Params) -> Counters {
        Counters { arrived_by_ingress: true, sent: true, added_and_forwarded: true, ..Counters::NONE }
    }

    fn start(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        assert_eq!(cx.now, Instant::ZERO);
        assert_eq!(view.traffic.sent, ClassBytes::default());
        self.set_rate(0);
    }

    fn on_message(&mut self, cx: &mut Cx<'_>, message: Stamp, view: &StationView<'_>) {
        // 8 bytes at 100 Mb/s take 640 ns, and the wire 5 us; only a packet in transmission delays more.
        let took = cx.now.as_nanos() - message.0;
        assert!((640 + 5_000..=640 + 5_000 + 80_000).contains(&took), "the message took {took} ns");
        cx.show("took_ns", 0, took as f64);
        self.look(cx.now, view);
        if self.params.impatient {
            self.wake = cx.now.as_nanos() - 1_000;
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Some(Instant::from_nanos(self.wake))
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        let asked = Instant::from_nanos(self.wake).max(self.last);
        assert_eq!(cx.now, asked, "woken at another time than asked for");
        cx.show("woken", 0, 1.0);
        self.look(cx.now, view);
        self.wake = cx.now.as_nanos() + self.params.every_ns;
        self.actions.push_back(RingAction::SendUpstream(Stamp(cx.now.as_nanos())));
        self.set_rate(cx.now.as_nanos());
    }

    fn poll_action(&mut self) -> Option<RingAction<Stamp>> {
        self.actions.pop_front()
    }
}

impl Witness {
    fn look(&mut self, now: Instant, view: &StationView<'_>) {
        assert!(now >= self.last, "time went back from {:?} to {now:?}", self.last);
        assert_eq!(view.adds.len(), self.site.flows.len());
        for (add, last) in view.adds.iter().zip(&self.last_adds) {
            assert!(add.offered_bytes >= last.offered_bytes);
            assert_eq!(add.waits_since.is_some(), add.packets > 0, "{add:?}");
            // It tells no earlier time later, but where it has waited all along.
            assert!(add.waits_since.is_none_or(|since| since <= now));
            assert!(add.waits_since == last.waits_since || add.waits_since.is_none_or(|since| since > self.last));
        }
        let (traffic, last) = (view.traffic, &self.last_traffic);
        let arrived: u64 = traffic.arrived_by_ingress.iter().sum();
        assert!(traffic.sent.eligible <= arrived, "a packet was sent that had not arrived");
        assert_eq!(traffic.sent.eligible, traffic.added.eligible + traffic.forwarded.eligible);
        assert!(traffic.sent.eligible >= last.sent.eligible && traffic.added.eligible >= last.added.eligible);
        assert!(view.link.waiting.get() <= arrived - traffic.sent.eligible, "more waits than has come");
        assert!(
            view.link
                .busy_since
                .is_none_or(|since| since <= now && (view.link.busy_since == self.busy_since || since >= self.last))
        );
        (self.last, self.busy_since) = (now, view.link.busy_since);
        self.last_traffic = traffic.clone();
        self.last_adds = view.adds.to_vec();
    }

    fn set_rate(&mut self, now: u64) {
        let due = self.params.rates.iter().rev().find(|(from, _)| *from <= now);
        if let (Some((_, bps)), false) = (due, self.site.flows.is_empty()) {
            self.actions.push_back(RingAction::SetAddRate { flow: 0, rate: BitRate::from_bps(*bps) });
        }
    }
}

fn watched(params: &Params, change: impl Fn(&mut RingPlan)) -> RunRecord {
    let mut plan = ring_of(4, BitRate::from_mbps(100), Span::from_micros(5));
    plan.detail = Detail::Full;
    plan.window = Span::from_micros(1);
    change(&mut plan);
    let records = [EnginePath::Windows, EnginePath::Events]
        .map(|engine| simulate_law::<Witness>(&RingPlan { engine, ..plan.clone() }, params, &mut |_| true));
    assert!(records[0].violations.is_empty(), "{:?}", records[0].violations);
    assert!(records[0] == records[1]);
    records.into_iter().next().unwrap()
}

fn count(record: &RunRecord, name: &str) -> usize {
    record.laws.iter().filter(|sample| sample.name == name).count()
}

#[test]
fn laws_wake_when_they_asked_and_hear_what_was_said() {
    let params = Params { every_ns: 100_003, ..Default::default() };
    let record = watched(&params, |plan| {
        plan.flows = vec![flow(0, 2, Arrivals::Greedy), flow(1, 3, Arrivals::Greedy), flow(1, 2, cbr(30_000_000))];
    });
    // Ten milliseconds hold 99 wake-ups at each of four stations of the one ringlet with flows.
    assert_eq!(count(&record, "woken"), 4 * 99);
    assert_eq!(record.control_hops, 4 * 99);
    assert!(count(&record, "took_ns") >= 4 * 98);
}

/// Asked for a time gone by, the driver wakes the law at once: time never goes back.
#[test]
fn a_wake_up_in_the_past_comes_now() {
    let params = Params { every_ns: 100_000, impatient: true, ..Default::default() };
    let record = watched(&params, |plan| plan.flows = vec![flow(0, 2, Arrivals::Greedy)]);
    let (woken, messages) = (count(&record, "woken"), count(&record, "took_ns"));
    assert!(messages > 1_000 && woken >= messages, "{woken} wake-ups for {messages} messages");
}

#[test]
fn a_rate_holds_from_the_moment_it_is_set() {
    // 10 Mb/s until 4 ms, nothing until 7 ms, then 40 Mb/s: packets of 1000 bytes.
    let params = Params {
        every_ns: 1_000_000,
        impatient: false,
        rates: vec![(0, 10_000_000), (4_000_000, 0), (7_000_000, 40_000_000)],
    };
    let record = watched(&params, |plan| {
        plan.flows = vec![burst(0, 1, 0, 150)];
        plan.duration = Span::from_millis(20);
    });
    let arrivals: Vec<u64> = record.flows[0]
        .delivered_bytes
        .iter()
        .enumerate()
        .filter(|(_, bytes)| **bytes > 0)
        .map(|(row, _)| row as u64 - 80 - 5) // 80 us on the link and 5 on the wire
        .collect();
    // The bucket is empty at time zero: the first passes at 800 us. At 4 ms its fifth passes.
    let slow: Vec<u64> = (1..=5).map(|k| k * 800).collect();
    assert_eq!(arrivals[..5], slow);
    // What tokens there were are lost with the rate of zero; 40 Mb/s bring one every 200 us.
    let fast: Vec<u64> = (1..=60).map(|k| 7_000 + k * 200).collect();
    assert_eq!(arrivals[5..65], fast);
}

/// One queue for two egresses: what is behind a throttled packet leaves after it, and
/// a packet that comes to the head has not been there before.
#[test]
fn a_single_queue_keeps_its_order() {
    // 1 Mb/s: the first packet to station 1 passes at 8 ms, the second at 16 ms.
    let params = Params { every_ns: 1_000_000, rates: vec![(0, 1_000_000)], ..Default::default() };
    let record = watched(&params, |plan| {
        plan.station_queues = StationQueues::Single;
        plan.duration = Span::from_millis(30);
        plan.warmup = Span::from_micros(15_950);
        plan.flows = vec![burst(0, 1, 0, 1), burst(0, 2, 10, 1), burst(0, 1, 20, 1), burst(0, 2, 30, 1)];
    });
    let row = |flow: usize| record.flows[flow].delivered_bytes.iter().position(|&bytes| bytes > 0).unwrap();
    assert_eq!((row(0), row(1)), (8_085, 8_080 + 2 * 85));
    assert_eq!((row(2), row(3)), (16_085, 16_080 + 2 * 85));
    // Entered when it passed the limiter, which for the last two is after the warm-up.
    assert_eq!([0, 1, 2, 3].map(|flow: usize| record.flows[flow].measured_entered), [0, 0, 1, 1]);
}
