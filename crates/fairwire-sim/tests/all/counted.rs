//! What a law wants counted is counted, whatever else it wants.

use crate::common::{cbr, flow, ring_of};
use fairwire_core::{BitRate, Cx, Instant, Ringlet, Span};
use fairwire_laws::NoMessage;
use fairwire_laws::ring::{Counters, Datapath, LawAbout, LinkTraffic, RingAction, RingLaw, RingSite, StationView};
use fairwire_sim::simulate_law;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cell::Cell;

thread_local! {
    /// What stands at the end on the link of ringlet 0 that leaves station 1: bytes by each counter.
    static READ: Cell<[u64; 6]> = const { Cell::new([0; 6]) };
    /// What waited in the secondary transit queue there, and at most since the look before, at all looks together.
    static WAITED: Cell<[u64; 2]> = const { Cell::new([0; 2]) };
}

/// Looks at its counters each millisecond.
struct Reader {
    site: RingSite,
    due: Instant,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Wanted {
    /// Positions in what is read; the one behind them is of how much waited at most.
    counters: Vec<usize>,
}

fn read(traffic: &LinkTraffic) -> [u64; 6] {
    let [sent, hops] = [&traffic.sent_by_ingress, &traffic.forwarded_by_hops].map(|all| all.eligible.iter().sum());
    let arrived = traffic.arrived_by_ingress.iter().sum();
    [arrived, traffic.sent.eligible, traffic.added.eligible, traffic.forwarded.eligible, sent, hops]
}

impl RingLaw for Reader {
    type Params = Wanted;
    type Msg = NoMessage;
    const ABOUT: LawAbout = LawAbout { name: "reader", summary: "Reads", source: "none: a test" };

    fn counters(wanted: &Wanted) -> Counters {
        let wants = |counter| wanted.counters.contains(&counter);
        Counters {
            arrived_by_ingress: wants(0),
            sent: wants(1),
            added_and_forwarded: wants(2) || wants(3),
            sent_by_ingress: wants(4),
            forwarded_by_hops: wants(5),
            secondary_deepest: wants(6),
            ..Counters::NONE
        }
    }

    fn new(_wanted: &Wanted, site: RingSite) -> Self {
        Self { site, due: Instant::ZERO + Span::from_millis(1) }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        self.due = cx.now + Span::from_millis(1);
        if (self.site.station.0, self.site.ringlet) == (1, Ringlet::Zero) {
            READ.set(read(view.traffic));
            let [waited, most] = WAITED.get();
            let transit = view.transit;
            WAITED.set([waited + transit.secondary.get(), most + transit.secondary_deepest.get()]);
        }
    }

    fn poll_action(&mut self) -> Option<RingAction<NoMessage>> {
        None
    }
}

#[test]
fn a_counter_that_is_wanted_alone_tells_what_it_tells_among_all() {
    for datapath in [Datapath::Merged, Datapath::TransitFirst, Datapath::DualQueue] {
        let mut plan = ring_of(4, BitRate::from_mbps(100), Span::from_micros(50));
        plan.transit.datapath = datapath;
        plan.duration = Span::from_millis(20);
        plan.flows = [(0, 3), (1, 2)].map(|(from, to)| flow(from, to, cbr(30_000_000))).to_vec();
        let told = |counters: Vec<usize>| {
            simulate_law::<Reader>(&plan, &Wanted { counters }, &mut |_| true);
            READ.get()
        };
        let all = told((0..6).collect());
        assert!(all.iter().all(|bytes| *bytes > 10_000), "{datapath:?}: {all:?}");
        for (counter, bytes) in all.into_iter().enumerate() {
            assert_eq!(told(vec![counter])[counter], bytes, "{datapath:?}: the counter {counter}");
        }
    }
}

#[test]
fn how_much_waited_at_most_is_told_who_asks() {
    let mut plan = ring_of(4, BitRate::from_mbps(100), Span::from_micros(50));
    plan.transit.datapath = Datapath::DualQueue;
    plan.duration = Span::from_millis(50);
    plan.flows = [(0, 3), (1, 2)].map(|(from, to)| flow(from, to, cbr(45_000_000))).to_vec();
    let told = |counters: Vec<usize>| {
        WAITED.set([0; 2]);
        simulate_law::<Reader>(&plan, &Wanted { counters }, &mut |_| true);
        WAITED.get()
    };
    let ([waited, most], of_others) = (told(vec![6]), told(vec![1]));
    assert!(most >= waited + 20_000, "{most} B at most in 50 looks, {waited} B when looked at");
    assert_eq!(of_others, [waited; 2]);
}
