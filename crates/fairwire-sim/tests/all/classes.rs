//! What service classes are promised, under overload, whatever law shares the rest.

use crate::common::{burst, cbr, datagrams, flow, law, ring_of, run};
use fairwire_core::{BitRate, Bytes, Instant, RandomStream, Ringlet, ServiceClass, Span, StationId, Streams};
use fairwire_laws::ring::{Datapath, RingLawChoice};
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;
use std::sync::LazyLock;
use std::thread;

const CAPACITY: BitRate = BitRate::from_mbps(622);
/// The largest packet of any ring.
const PACKET: u64 = 1_500;
/// Every law that holds upstream stations back.
fn laws() -> impl Iterator<Item = (&'static str, RingLawChoice)> {
    let all = RingLawChoice::ALL.iter().map(|about| (about.name, RingLawChoice::by_name(about.name).unwrap()));
    all.filter(|(_, law)| law.needs().holds_back)
}

/// Every station sends best effort without end to somewhere; some have class A0, A1 or B
/// beside it. Packets are small or large; up to a fifth of the links is reserved and
/// committed on an average, and never all.
fn overload(number: u64) -> RingPlan {
    let mut draw = Streams::new(17, number).component("overload");
    let stations = draw.random_range(4..=10);
    let delay = Span::from_micros(draw.random_range(10..200));
    let mut plan = RingPlan {
        duration: Span::from_millis(240),
        warmup: Span::from_millis(60),
        seed: number,
        check: true,
        ..ring_of(stations, CAPACITY, delay)
    };
    plan.transit = TransitPlan {
        datapath: Datapath::DualQueue,
        buffer: Bytes::new(256_000),
        primary_buffer: Bytes::new(60_000),
        ..plan.transit
    };
    for from in 0..stations as u16 {
        let ringlet = if draw.random_bool(0.8) { Ringlet::Zero } else { Ringlet::One };
        let to = |draw: &mut RandomStream| (from + draw.random_range(1..stations as u16)) % stations as u16;
        let mut add = |draw: &mut RandomStream, class, rate: u64, guaranteed: u64| {
            let to = to(draw);
            let size = [200, 1_000, PACKET as u16][draw.random_range(0..3)];
            let name = format!("{class:?}-{from}");
            let (guaranteed, offer) = (BitRate::from_bps(guaranteed), datagrams(cbr(rate), size));
            plan.flows.push(FlowPlan { name, class, guaranteed, ringlet, offer, ..flow(from, to, cbr(rate)) });
        };
        for class in [ServiceClass::A0, ServiceClass::A1] {
            if draw.random_bool(0.3) {
                let rate = draw.random_range(2_000_000..20_000_000);
                add(&mut draw, class, rate, rate + rate / 10);
            }
        }
        if draw.random_bool(0.4) {
            let rate = draw.random_range(2_000_000..30_000_000);
            add(&mut draw, ServiceClass::B, 3 * rate, rate);
        }
        add(&mut draw, ServiceClass::C, CAPACITY.as_bps(), 0);
    }
    plan
}

fn seconds(flow: &FlowRecord, plan: &RingPlan) -> f64 {
    let measured = (plan.duration - plan.warmup).as_secs_f64();
    flow.measured_bytes as f64 * 8.0 / measured
}

/// Rings that are looked at under every law.
const RINGS: u64 = 24;

/// What happens on them, ring by ring, by law; three tests look at it. Two threads work on it: two tests would wait for one.
static OVERLOADED: LazyLock<Vec<Vec<(&str, RunRecord)>>> = LazyLock::new(|| {
    let under_all = |number| {
        let (plan, fifo) = (overload(number), ("fifo", RingLawChoice::by_name("fifo").unwrap()));
        laws().chain([fifo]).map(|(law, choice)| (law, simulate(&plan, &choice).unwrap())).collect()
    };
    thread::scope(|threads| {
        let later = threads.spawn(|| (RINGS / 2..RINGS).map(under_all).collect::<Vec<_>>());
        let mut all: Vec<_> = (0..RINGS / 2).map(under_all).collect();
        all.extend(later.join().unwrap());
        all
    })
});

#[test]
fn nothing_in_transit_is_lost_and_the_books_balance() {
    for (number, records) in OVERLOADED.iter().enumerate() {
        assert_eq!(records.len(), RingLawChoice::ALL.len());
        for (law, record) in records {
            assert_eq!(record.violations, [""; 0], "ring {number} under {law}");
            assert_eq!(record.links.iter().map(|link| link.dropped).sum::<u64>(), 0, "ring {number} under {law}");
        }
    }
}

/// The reserved rate arrives, and no packet waits at a hop for more than what is
/// being sent and what of its own class is before it.
#[test]
fn class_a0_has_its_rate_and_its_wait_is_bounded() {
    for (number, records) in OVERLOADED.iter().enumerate() {
        let plan = overload(number as u64);
        for (law, record) in records.iter().filter(|(law, _)| *law != "fifo") {
            let backlog = record.links.iter().filter_map(|link| link.primary_deepest).max().unwrap_or_default();
            for (flow, counts) in
                plan.flows.iter().zip(&record.flows).filter(|(flow, _)| flow.class == ServiceClass::A0)
            {
                let offered = flow.offer.mean_rate().unwrap().as_bps_f64();
                let rate = seconds(counts, &plan);
                let packet = 2.0 * PACKET as f64 * 8.0 / (plan.duration - plan.warmup).as_secs_f64();
                assert!(
                    (rate - offered).abs() < 0.005 * offered + packet,
                    "ring {number} under {law}: {} has {rate} of {offered}",
                    flow.name
                );
                let hops = flow.ringlet.hops(flow.from.index(), flow.to.index(), plan.stations.len()) as u64;
                let link = plan.links[0][0].delay;
                // A frame of any kind in transmission, class A before it, itself; control frames go first.
                let wait = Bytes::new(PACKET + backlog.get() + PACKET + 500) / CAPACITY;
                let bound = ((link + wait) * hops).as_nanos();
                let slowest = counts.delay.max_ns;
                assert!(slowest <= bound, "ring {number} under {law}: {} takes {slowest} ns, not {bound}", flow.name);
            }
        }
    }
}

/// The first flow of class A1 or B with less than it is promised and asks for, but for one part in fifty and what whole
/// packets come to.
fn short(plan: &RingPlan, record: &RunRecord) -> Option<String> {
    let packets = 2.0 * PACKET as f64 * 8.0 / (plan.duration - plan.warmup).as_secs_f64();
    let counts = plan.flows.iter().zip(&record.flows);
    let is_promised = |class| matches!(class, ServiceClass::A1 | ServiceClass::B);
    counts.filter(|(flow, _)| is_promised(flow.class)).find_map(|(flow, counts)| {
        let offered = flow.offer.mean_rate().unwrap();
        let (rate, due) = (seconds(counts, plan), flow.guaranteed.min(offered).as_bps_f64());
        (rate < 0.98 * due - packets).then(|| format!("{} has {rate} of {due}", flow.name))
    })
}

#[test]
fn class_a1_has_its_rate_and_class_b_its_committed_one() {
    for (number, records) in OVERLOADED.iter().enumerate() {
        let plan = overload(number as u64);
        for (law, record) in records.iter().filter(|(law, _)| !["fifo", SLOWEST].contains(law)) {
            assert_eq!(short(&plan, record), None, "ring {number} under {law}");
        }
    }
}

/// It lowers what it tells upstream by one part in 64 every 20 ms: stations that do not heed it sooner fill the queue of
/// others for seconds, as in figure 2(b) of [rpr-enhanced-conservative].
const SLOWEST: &str = "rpr-conservative-original";

#[test]
fn they_have_it_in_the_end_where_the_law_takes_seconds() {
    let law = RingLawChoice::by_name(SLOWEST).unwrap();
    for number in 0..5 {
        let (duration, warmup) = (Span::from_millis(5_000), Span::from_millis(4_000));
        let plan = RingPlan { duration, warmup, ..overload(number) };
        assert_eq!(short(&plan, &simulate(&plan, &law).unwrap()), None, "ring {number}");
    }
}

/// What a class B flow sends within its commitment is nothing that a law has to find room for, be it beside other traffic
/// of its station, alone, or to the same egress.
#[test]
fn what_is_committed_is_no_demand_of_those_who_share() {
    let committed = 150_000_000;
    let ring = |sharing: &[(u16, u16)]| {
        let (duration, warmup) = (Span::from_millis(1_500), Span::from_millis(500));
        let mut plan = RingPlan { duration, warmup, check: true, ..ring_of(6, CAPACITY, Span::from_micros(100)) };
        plan.transit = TransitPlan {
            datapath: Datapath::DualQueue,
            buffer: Bytes::new(256_000),
            primary_buffer: Bytes::new(30_000),
            ..plan.transit
        };
        let guaranteed = BitRate::from_bps(committed);
        plan.flows.push(FlowPlan { class: ServiceClass::B, guaranteed, ..flow(2, 5, cbr(committed)) });
        let sharing = sharing.iter().map(|&(from, to)| flow(from, to, cbr(CAPACITY.as_bps())));
        plan.flows.extend(sharing);
        plan
    };
    let rest = (CAPACITY.as_bps() - committed) as f64;
    for (law, off) in [("dvsr-plus", 0.005), ("dvsr", 0.03)] {
        for sharing in [&[(0, 5), (1, 5)][..], &[(0, 5), (1, 5), (2, 4)], &[(0, 5), (1, 5), (2, 5)]] {
            let plan = ring(sharing);
            let record = simulate(&plan, &RingLawChoice::by_name(law).unwrap()).unwrap();
            assert_eq!(record.violations, [""; 0]);
            let rates: Vec<f64> = record.flows.iter().map(|flow| seconds(flow, &plan)).collect();
            assert!((rates[0] / committed as f64 - 1.0).abs() < 0.005, "{law}, {sharing:?}: {rates:?}");
            let fair = rest / sharing.len() as f64;
            let is_fair = |rate: &f64| (rate / fair - 1.0).abs() < off;
            assert!(rates[1..].iter().all(is_fair), "{law}, {sharing:?}: {rates:?} where {fair} is fair");
        }
    }
}

/// A class B flow and one of class C from the same station to the same egress share what is beyond the commitment by halves.
#[test]
fn what_goes_beyond_a_commitment_takes_turns_with_class_c() {
    let committed = 120_000_000;
    let (duration, warmup) = (Span::from_millis(600), Span::from_millis(300));
    let mut plan = RingPlan { duration, warmup, check: true, ..ring_of(6, CAPACITY, Span::from_micros(100)) };
    plan.transit = TransitPlan {
        datapath: Datapath::DualQueue,
        buffer: Bytes::new(256_000),
        primary_buffer: Bytes::new(30_000),
        ..plan.transit
    };
    let (guaranteed, all) = (BitRate::from_bps(committed), cbr(CAPACITY.as_bps()));
    plan.flows.push(FlowPlan { class: ServiceClass::B, guaranteed, ..flow(2, 5, all) });
    plan.flows.extend([flow(2, 5, all), flow(1, 5, all)]);
    let record = simulate(&plan, &RingLawChoice::by_name("dvsr-plus").unwrap()).unwrap();
    let rates: Vec<f64> = record.flows.iter().map(|flow| seconds(flow, &plan)).collect();
    let half = (CAPACITY.as_bps() - committed) as f64 / 2.0;
    for (rate, due) in rates.iter().zip([committed as f64 + half / 2.0, half / 2.0, half]) {
        assert!((rate / due - 1.0).abs() < 0.01, "{rate} where {due} is fair: {rates:?}");
    }
}

/// Where a queue is too small to keep room for what many reserved flows may bring, promises are kept all the same.
#[test]
fn a_small_queue_does_not_go_before_what_is_promised() {
    for buffer in [60_000, 64_000, 68_000, 80_000, 96_000, 120_000] {
        let (duration, warmup) = (Span::from_millis(400), Span::from_millis(200));
        let mut plan = RingPlan { duration, warmup, ..ring_of(20, CAPACITY, Span::from_micros(50)) };
        plan.transit = TransitPlan {
            datapath: Datapath::DualQueue,
            buffer: Bytes::new(buffer),
            primary_buffer: Bytes::new(1_000_000),
            ..plan.transit
        };
        let mut add = |class, from, to, rate: u64, guaranteed| {
            let (guaranteed, offer) = (BitRate::from_mbps(guaranteed), datagrams(cbr(rate * 100_000), PACKET as u16));
            plan.flows.push(FlowPlan { class, guaranteed, offer, ..flow(from, to, cbr(rate)) });
        };
        (0..17).for_each(|from| add(ServiceClass::A0, from, from + 1, 36, 4));
        (0..3).for_each(|from| add(ServiceClass::C, from, 19, 6_220, 0));
        add(ServiceClass::B, 18, 19, 1_000, 100);
        add(ServiceClass::A1, 17, 19, 360, 40);
        add(ServiceClass::C, 17, 19, 6_220, 0);
        for (law, choice) in laws().filter(|(law, _)| *law != SLOWEST) {
            assert_eq!(short(&plan, &simulate(&plan, &choice).unwrap()), None, "{buffer} B under {law}");
        }
    }
}

/// Class A0 has half of every link reserved, and uses it behind five stations that send best effort without end.
fn half_reserved(shaper: Shaper) -> RingPlan {
    let (duration, warmup) = (Span::from_millis(400), Span::from_millis(200));
    let mut plan = RingPlan { duration, warmup, check: true, ..ring_of(8, CAPACITY, Span::from_micros(50)) };
    plan.transit = TransitPlan {
        datapath: Datapath::DualQueue,
        buffer: Bytes::new(256_000),
        primary_buffer: Bytes::new(30_000),
        shaper,
        ..plan.transit
    };
    let half = CAPACITY.as_bps() / 2;
    let reserved = FlowPlan { class: ServiceClass::A0, guaranteed: BitRate::from_bps(half), ..flow(5, 6, cbr(half)) };
    plan.flows.extend((0..5).map(|from| flow(from, 6, cbr(CAPACITY.as_bps()))).chain([reserved]));
    plan
}

/// The rates of all flows over the capacity, and what was lost in transit.
fn parts(plan: &RingPlan, law: &str) -> (Vec<f64>, u64) {
    let record = simulate(plan, &RingLawChoice::by_name(law).unwrap()).unwrap();
    assert_eq!(record.violations, [""; 0]);
    let rates = record.flows.iter().map(|flow| seconds(flow, plan) / CAPACITY.as_bps_f64()).collect();
    (rates, record.links.iter().map(|link| link.dropped).sum())
}

#[test]
fn a_shaper_of_adds_keeps_class_a0_and_leaves_nothing_to_the_last_sender() {
    for law in ["fifo", "rpr-conservative-enhanced"] {
        let (rates, lost) = parts(&half_reserved(Shaper::AddOnly), law);
        let shared: f64 = rates[..5].iter().sum();
        assert!((shared - 0.5).abs() < 0.02 && (rates[5] - 0.5).abs() < 0.005, "{law}: {rates:?}");
        assert!(rates[4] < 0.005 && lost == 0, "{law}: {rates:?}, {lost} lost");
    }
}

#[test]
fn a_shaper_of_both_lets_the_law_see_who_is_short() {
    let (rates, lost) = parts(&half_reserved(Shaper::AddAndTransit), "rpr-conservative-enhanced");
    let shared: f64 = rates[..5].iter().sum();
    assert!((shared - 0.5).abs() < 0.02 && (rates[5] - 0.5).abs() < 0.005, "{rates:?}");
    assert!(rates[4] > 0.02 && lost == 0, "{rates:?}, {lost} lost");
}

#[test]
fn without_a_shaper_transit_is_lost_to_class_a0() {
    let (rates, lost) = parts(&half_reserved(Shaper::None), "fifo");
    assert!((rates[5] - 0.5).abs() < 0.005 && lost > 1_000, "{rates:?}, {lost} lost");
}

/// Transit comes at half the capacity, and class A0, which is idle, leaves two fifths of the slower link at station 3.
#[test]
fn only_a_shaper_of_both_holds_transit() {
    for (shaper, passes) in [(Shaper::AddOnly, 0.5), (Shaper::AddAndTransit, 0.4)] {
        let mut plan = RingPlan { check: false, ..half_reserved(shaper) };
        plan.links[0][3].capacity = CAPACITY.scaled(0.9);
        plan.flows.drain(1..5);
        plan.flows[1].offer = datagrams(cbr(1_000_000), 1_000);
        let (rates, _) = parts(&plan, "fifo");
        assert!((rates[0] - passes).abs() < 0.005, "{shaper:?}: {rates:?}");
    }
}

/// Large packets that have all but come as the station begins one of its own, and small ones while it goes out: the secondary
/// queue has to have room for two packets beyond the depth from which on it goes first.
#[test]
fn committed_traffic_goes_first_and_costs_nothing_in_transit() {
    for (size, secondary) in [(64, 20_000), (200, 20_000), (700, 30_000)] {
        let mut plan = ring_of(4, BitRate::from_mbps(100), Span::from_micros(10));
        plan.duration = Span::from_millis(100);
        let (buffer, primary_buffer) = (Bytes::new(secondary), Bytes::new(20_000));
        plan.transit = TransitPlan { datapath: Datapath::DualQueue, buffer, primary_buffer, ..plan.transit };
        let of_size =
            |from, size| FlowPlan { offer: datagrams(Arrivals::Greedy, size), ..flow(from, 3, Arrivals::Greedy) };
        let (class, guaranteed) = (ServiceClass::B, BitRate::from_mbps(40));
        plan.flows = vec![
            of_size(0, PACKET as u16),
            FlowPlan { name: "small".to_owned(), ..of_size(0, size) },
            FlowPlan { class, guaranteed, ..of_size(1, PACKET as u16) },
        ];
        let record = run(&plan, &law("fifo"));
        assert_eq!(record.flows.iter().map(|flow| flow.dropped).collect::<Vec<_>>(), [0; 3], "{size}");
        assert!(record.flows[2].delivered > 0, "{size}");
    }
}

/// Two packets of class A0 that may go at once take turns with the packets in transit, as any others would.
#[test]
fn where_station_and_transit_alternate_what_is_guaranteed_gives_the_turn_back() {
    let mut plan = ring_of(3, BitRate::from_mbps(8), Span::ZERO);
    plan.duration = Span::from_millis(30);
    plan.transit = TransitPlan { datapath: Datapath::Alternating, ..plan.transit };
    let (class, guaranteed) = (ServiceClass::A0, BitRate::from_mbps(2));
    plan.flows = vec![burst(0, 2, 0, 20), FlowPlan { class, guaranteed, ..burst(1, 2, 12_500_000, 2) }];
    let mut simulation = RingSimulation::new(plan, &law("fifo")).unwrap();
    simulation.capture(&[(Ringlet::Zero, StationId(1))]);
    simulation.advance(Instant::NEVER);
    let flow = |seen: &Captured| match &seen.content {
        CapturedContent::Packet(packet) => Some(packet.flow),
        _ => None,
    };
    let flows: Vec<usize> = simulation.captured().iter().filter_map(flow).collect();
    let first = flows.iter().position(|flow| *flow == 1).unwrap();
    assert_eq!(flows[first - 1..first + 4], [0, 1, 0, 1, 0]);
}
