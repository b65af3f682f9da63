//! Flows that stop, come back, and have other terms.

use crate::explicit_rates::one_link::{allowed, ms, plan, run, terms, told};
use fairwire_plan::{FlowChange, FlowChangeKind};

fn is_near(got: f64, wanted: f64) {
    assert!((got - wanted).abs() <= 1e-6 * wanted.max(1.0), "{got} for {wanted}");
}

#[test]
fn bandwidth_is_shared_anew_when_a_flow_stops_and_comes_back() {
    let mut plan = plan(&[(told(terms(20.0, 1.0)), false), (told(terms(0.0, 3.0)), false)]);
    let change = |at, kind| FlowChange { at: ms(at), flow: 1, kind };
    plan.flow_changes = vec![change(80, FlowChangeKind::Stop), change(140, FlowChangeKind::Start)];
    let record = run(&plan);
    is_near(allowed(&record, 0, ms(80)), 40.0);
    is_near(allowed(&record, 1, ms(80)), 60.0);
    is_near(allowed(&record, 0, ms(140)), 100.0);
    is_near(allowed(&record, 1, ms(140)), 0.0);
    is_near(allowed(&record, 0, ms(200)), 40.0);
    is_near(allowed(&record, 1, ms(200)), 60.0);
    let began = |flow: usize| record.flows[flow].rate.as_ref().unwrap().began.clone();
    assert_eq!((began(0), began(1)), (vec![plan.flows[0].start], vec![plan.flows[1].start, ms(140)]));
}

#[test]
fn other_terms_are_other_rates() {
    let mut plan = plan(&[(told(terms(20.0, 1.0)), false), (told(terms(0.0, 1.0)), false)]);
    plan.flow_changes = vec![
        FlowChange { at: ms(100), flow: 0, kind: FlowChangeKind::Terms(terms(50.0, 4.0)) },
        FlowChange { at: ms(150), flow: 1, kind: FlowChangeKind::Terms(terms(10.0, 1.0)) },
    ];
    let record = run(&plan);
    is_near(allowed(&record, 0, ms(100)), 60.0);
    is_near(allowed(&record, 1, ms(100)), 40.0);
    is_near(allowed(&record, 0, ms(150)), 90.0);
    is_near(allowed(&record, 1, ms(150)), 10.0);
    is_near(allowed(&record, 0, ms(200)), 82.0);
    is_near(allowed(&record, 1, ms(200)), 18.0);
}

#[test]
fn only_flows_that_are_told_their_rates_change_so() {
    let mut plan = plan(&[(told(terms(0.0, 1.0)), false), (crate::explicit_rates::one_link::cbr(10), false)]);
    plan.flow_changes = vec![FlowChange { at: ms(10), flow: 1, kind: FlowChangeKind::Stop }];
    assert!(plan.validate().is_err());
    plan.flow_changes[0].flow = 2;
    assert!(plan.validate().is_err());
    plan.flow_changes[0].flow = 0;
    assert_eq!(plan.validate(), Ok(()));
}
