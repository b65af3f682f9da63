//! Where the DVSR paper's conservative mode comes to rest.

use crate::common::{cbr, flow, law, rate_bps, ring, run, traffic};
use fairwire_core::Span;
use fairwire_laws::ring::rpr_conservative::Params;
use fairwire_laws::ring::{Datapath, RingLawChoice};
use fairwire_plan::*;

const LINK: f64 = 622e6;

/// Four stations send to the fifth all they can; what their last link carries once they have settled, as a part of it.
fn load(law: &RingLawChoice) -> f64 {
    let sends = |from| {
        let mut flow = flow(from, 5, cbr(622_000_000));
        traffic(&mut flow).size_jitter = 0.05;
        flow
    };
    let flows = (1..5).map(sends).collect();
    let (duration, warmup) = (Span::from_millis(900), Span::from_millis(400));
    let mut plan = RingPlan { flows, duration, warmup, ..ring(10) };
    plan.transit.datapath = Datapath::TransitFirst;
    let record = run(&plan, law);
    (0..4).map(|flow| rate_bps(&record, flow)).sum::<f64>() / LINK
}

/// The fair rate sinks until the filtered load is below 0.95: the slower it sinks, the nearer to that it ends ([dvsr] §II-D).
#[test]
fn small_steps_end_near_the_high_mark() {
    let with = |coefficient: u32| {
        let fair_rate_ramp_coef = coefficient.try_into().expect("a coefficient");
        load(&RingLawChoice::rpr_conservative(Params { fair_rate_ramp_coef, ..Params::default() }))
    };
    let loads = [64, 1_024, 4_096].map(with);
    assert!(loads.iter().all(|load| (0.8..0.95).contains(load)), "{loads:?}");
    assert!(loads.is_sorted() && loads[0] < 0.85 && (0.9..0.93).contains(&loads[1]) && loads[2] > 0.93, "{loads:?}");
    assert_eq!(load(&law("rpr-conservative")), loads[1], "1024 is usual");
}

/// A station of 5 Mb/s tells the large sender upstream half of the link, though it adds something in one aging interval of sixteen only:
/// that sender then swings, as Proposition 3 has it, and loses a quarter of its rate ([dvsr] §IV-B2).
#[test]
fn a_small_station_counts_at_its_own_link() {
    let sends = |from, mbps: u64| {
        let mut flow = flow(from, 3, cbr(mbps * 1_000_000));
        traffic(&mut flow).size_jitter = 0.05;
        flow
    };
    let (duration, warmup) = (Span::from_millis(1_000), Span::from_millis(200));
    let mut plan = RingPlan { flows: vec![sends(1, 622), sends(2, 5)], duration, warmup, ..ring(10) };
    plan.transit.datapath = Datapath::TransitFirst;
    let record = run(&plan, &law("rpr-conservative"));
    let large = rate_bps(&record, 0) / (LINK - 5e6);
    assert!((0.73..0.77).contains(&large), "{large}");
}
