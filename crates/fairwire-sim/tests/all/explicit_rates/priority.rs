//! Traffic that goes before others, and what is kept from it.

use crate::explicit_rates::one_link::{allowed, cbr, goodput, ms, plan, run, terms, told};

#[test]
fn flows_share_what_higher_priority_leaves() {
    let record = run(&plan(&[(told(terms(0.0, 1.0)), false), (told(terms(0.0, 1.0)), false), (cbr(40), true)]));
    assert!((goodput(&record, 2) - 40.0).abs() < 0.2, "{}", goodput(&record, 2));
    for flow in [0, 1] {
        assert!((allowed(&record, flow, ms(200)) - 30.0).abs() < 0.5, "{}", allowed(&record, flow, ms(200)));
    }
    assert_eq!(record.flows[2].dropped, 0);
}

#[test]
fn traffic_that_no_law_controls_is_taken_off() {
    let record = run(&plan(&[(told(terms(0.0, 1.0)), false), (cbr(40), false)]));
    assert!((allowed(&record, 0, ms(200)) - 60.0).abs() < 0.5, "{}", allowed(&record, 0, ms(200)));
}

/// 95 Mb/s go first, and the flows are promised 40 of 100 Mb/s: with the guard 42 Mb/s are kept for them.
#[test]
fn minimums_and_the_guard_are_kept_from_higher_priority() {
    let record = run(&plan(&[(told(terms(30.0, 1.0)), false), (told(terms(10.0, 1.0)), false), (cbr(95), true)]));
    let promised = goodput(&record, 0) + goodput(&record, 1);
    // A thirtieth of the packets are control packets of 53 bytes.
    assert!((promised - 42.0).abs() < 0.5, "{promised}");
    assert!((goodput(&record, 2) - 58.0).abs() < 0.5, "{}", goodput(&record, 2));
}
