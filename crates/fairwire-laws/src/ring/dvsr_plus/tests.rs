//! What the station's own rules promise, one by one.

use super::*;
use crate::ring::{AddQueueView, Counters, LinkTraffic, SiteFlow};
use fairwire_core::{RandomStream, Ringlet, StationId, Streams, Weight};

/// A station of a ring of three whose lap takes a millisecond, with endless flows to these stations.
fn station(number: u16, capacities_mbps: [u64; 3], weights: [f64; 3], egresses: &[u16]) -> Law {
    let capacities = capacities_mbps.map(BitRate::from_mbps).to_vec();
    let mut site = RingSite::bare(StationId(number), Ringlet::Zero, capacities);
    site.weights = weights.map(|weight| Weight::new(weight).unwrap()).to_vec();
    site.ring_time = Span::from_millis(1);
    site.max_packet = Bytes::new(1_000);
    let flow = |egress| SiteFlow { egress, hops: site.hops_to(egress), weight: Weight::ONE };
    site.flows = egresses.iter().map(|&egress| flow(StationId(egress))).collect();
    let mut law = Law::new(&Params::default(), site);
    law.wanted_bps.fill(f64::INFINITY);
    law
}

fn ledger(law: &Law) -> Frame {
    Frame::new(weight_width(&law.site.weights), 3)
}

/// The limits that the law sets, in Mb/s, in the order of its flows.
fn limits_mbps(law: &mut Law) -> Vec<f64> {
    let mut limits = vec![f64::NAN; law.site.flows.len()];
    while let Some(action) = law.poll_action() {
        if let RingAction::SetAddRate { flow, rate } = action {
            limits[flow] = rate.as_bps_f64() / 1e6;
        }
    }
    limits
}

fn with_cx<R>(now: Instant, call: impl FnOnce(&mut Cx<'_>) -> R) -> R {
    let mut rng: RandomStream = Streams::new(1, 0).component("rules");
    call(&mut Cx { now, rng: &mut rng, probe: None })
}

/// Two flows share a link of 200 Mb/s; one is endless.
#[test]
fn a_flow_that_has_its_demand_may_send_its_equal_part_or_an_eighth_more() {
    for (wanted_mbps, limit_mbps) in [(40.0, 100.0), (80.0, 100.0), (96.0, 108.0)] {
        let mut law = station(0, [200, 1_000, 1_000], [1.0; 3], &[1, 2]);
        law.wanted_bps[0] = wanted_mbps * 1e6;
        law.fill_flows(&ledger(&law));
        assert!((law.rates_bps[0] / 1e6 - limit_mbps).abs() < 1e-6, "wants {wanted_mbps}: {:?}", law.rates_bps);
        assert!((law.rates_bps[1] / 1e6 - (200.0 - wanted_mbps)).abs() < 1e-6);
    }
}

/// The station's first link of 310 Mb/s holds it. 1/32 of what the second one grants is 10 Mb/s.
#[test]
fn a_link_that_grants_a_thirty_second_more_than_the_station_can_take_holds_it_too() {
    for (granted_mbps, held) in [(319, true), (321, false)] {
        let mut law = station(0, [310, granted_mbps, 1_000], [1.0; 3], &[2]);
        law.fill_flows(&ledger(&law));
        assert_eq!([0, 1].map(|h| law.uses[h].held), [true, held], "{granted_mbps} Mb/s");
    }
}

/// The station has nine times the weight of another one that the second link holds, and is held to 800 Mb/s by the first.
/// The second link grants it nine tenths. What it leaves there gives the other one ten times as much at its weight.
#[test]
fn such_a_link_does_not_hold_a_station_that_others_are_ahead_of_by_more_than_an_eighth() {
    for (capacity_mbps, ahead_mbps, held) in [(899, 91.0, true), (901, 109.0, false)] {
        let capacities_mbps = [800, capacity_mbps, 1_000];
        let mut law = station(0, capacities_mbps, [9.0, 1.0, 1.0], &[2]);
        let mut ledger = ledger(&law);
        let mut other = station(1, capacities_mbps, [9.0, 1.0, 1.0], &[2]);
        other.fill_flows(&ledger);
        other.claims.write(&mut ledger, &other.uses);
        law.fill_flows(&ledger);
        assert!((law.uses[1].ahead_bps / 1e6 - ahead_mbps).abs() < 0.1, "{:?}", law.uses);
        assert_eq!(law.uses[1].held, held, "{ahead_mbps} Mb/s ahead");
    }
}

fn look(law: &mut Law, at_us: u64, queue: AddQueueView) {
    let mut ledger = ledger(law);
    let adds = [queue];
    let view = StationView { adds: &adds, ..StationView::default() };
    let now = Instant::ZERO + Span::from_micros(at_us);
    with_cx(now, |cx| law.look(cx, &mut ledger, &view));
}

/// Eight packets of 1 kB more than usual wait, and a lap takes 1 ms.
#[test]
fn what_waits_is_asked_for_over_eight_laps() {
    let mut law = station(0, [1_000; 3], [1.0; 3], &[1]);
    look(&mut law, 1_000, AddQueueView { packets: 10, bytes: 10_000, ..AddQueueView::default() });
    assert!((law.wanted_bps[0] - 8e6).abs() < 1.0, "{:?}", law.wanted_bps);
}

#[test]
fn who_sees_the_ledger_again_before_half_of_a_lap_measures_nothing() {
    for (at_us, measured) in [(1_450, false), (1_550, true)] {
        let mut law = station(0, [1_000; 3], [1.0; 3], &[1]);
        look(&mut law, 1_000, AddQueueView { packets: u32::MAX, ..AddQueueView::default() });
        law.seen_before = true;
        look(&mut law, at_us, AddQueueView::default());
        assert_eq!(law.wanted_bps[0] == 0.0, measured, "{at_us} us");
    }
}

/// A packet that nobody controls has come and another one waits, but no rate is known where no time has passed.
#[test]
fn at_the_instant_of_its_start_a_station_gives_its_link_no_other_room() {
    let mut law = station(0, [1_000; 3], [1.0; 3], &[1]);
    let (adds, mut ledger) = ([AddQueueView::default()], ledger(&law));
    let mut traffic = LinkTraffic::of_ring(3, Counters::NONE);
    traffic.arrived_reclaimable = 1_000;
    let mut view = StationView { adds: &adds, traffic: &traffic, ..StationView::default() };
    view.link.waiting = Bytes::new(1_000);
    let before = ledger.room(0);
    with_cx(Instant::ZERO, |cx| law.look(cx, &mut ledger, &view));
    assert_eq!((ledger.room(0), law.backlog.posted()), (before, 0));
}

#[test]
fn before_the_ledger_has_come_a_station_sends_its_part_and_half_of_it_on_a_changed_ring() {
    let mut law = station(1, [900, 300, 300], [1.0, 2.0, 3.0], &[2]);
    with_cx(Instant::ZERO, |cx| law.start(cx, &StationView::default()));
    assert_eq!(limits_mbps(&mut law), [100.0]);
    let mut law = station(1, [900, 300, 300], [1.0, 2.0, 3.0], &[2]);
    with_cx(Instant::ZERO, |cx| law.prepare(cx));
    assert_eq!(limits_mbps(&mut law), [50.0]);
}
