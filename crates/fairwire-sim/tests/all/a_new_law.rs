//! The example of a law outside the list does what it says.

#[path = "../../examples/a_new_law.rs"]
mod example;

use crate::common::weight;
use example::{Params, Reservation, both, parallel_parking_lot, rates_mbps};
use fairwire_sim::simulate_law;

#[test]
fn reserved_parts_are_kept_and_what_nobody_uses_is_lost() {
    let (reservation, dvsr) = both(&parallel_parking_lot()).unwrap();
    assert!(reservation.violations.is_empty() && dvsr.violations.is_empty());
    // A tenth of 98 % of 622 Mb/s each, which station 1 splits in two.
    for (got, due) in rates_mbps(&reservation).into_iter().zip([30.5, 30.5, 61.0, 61.0, 61.0]) {
        assert!((got - due).abs() < 0.1, "{got} Mb/s where {due} are due");
    }
    for (got, due) in rates_mbps(&dvsr).into_iter().zip([466.5, 155.5, 155.5, 155.5, 155.5]) {
        assert!((got / due - 1.0).abs() < 0.02, "{got} Mb/s where {due} are due");
    }
    // With room to spare nothing ever waits for long: four hops of 113 us.
    assert_eq!(reservation.control_hops, 0);
    assert!(reservation.flows.iter().all(|flow| flow.dropped == 0));
    assert!(reservation.flows[1].delay.p99_ns < 4 * 113_000 + 4 * 13_000);
}

#[test]
fn weights_divide_what_is_promised() {
    let mut plan = parallel_parking_lot();
    plan.stations[2].weight = weight(6.0); // of 15 in all
    plan.flows[0].weight = weight(3.0);
    let record = simulate_law::<Reservation>(&plan, &Params { headroom: 0.5 }, &mut |_| true);
    let promised = 311.0 / 15.0;
    // The limit on 1 → 5 is its part on the first link, where 1 → 2 weighs three times as much.
    for (got, parts) in rates_mbps(&record).into_iter().zip([0.75, 0.25, 6.0, 1.0, 1.0]) {
        assert!((got - promised * parts).abs() < 0.1, "{got} Mb/s where {} are due", promised * parts);
    }
}
