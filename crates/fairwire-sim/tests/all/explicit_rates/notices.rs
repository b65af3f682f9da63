//! Control packets that ports send by themselves are counted apart from those of sources.

use crate::explicit_rates::one_link::{ms, plan, run, terms, told};
use fairwire_laws::rate::RateLawChoice;
use fairwire_plan::{FlowChange, FlowChangeKind, NetworkPlan, RateRecord};

/// Flows under wmfqc-plus on links that lose one packet of twenty. One comes and goes, and all end 40 ms before the run, so
/// that nothing is under way then.
fn lossy() -> NetworkPlan {
    let mut plan =
        plan(&[(told(terms(20.0, 1.0)), false), (told(terms(0.0, 3.0)), false), (told(terms(5.0, 1.0)), false)]);
    for link in &mut plan.links {
        link.random_loss = 0.05;
    }
    plan.links[0].rate = Some(RateLawChoice::by_name("wmfqc-plus").unwrap());
    for flow in &mut plan.flows {
        flow.stop = ms(160);
    }
    let kinds = [FlowChangeKind::Stop, FlowChangeKind::Start];
    let change = |turn: usize| FlowChange { at: ms(20 * turn as u64), flow: 1, kind: kinds[(turn + 1) % 2] };
    plan.flow_changes = (1..7).map(change).collect();
    plan
}

#[test]
fn what_became_of_control_packets_is_told_of_those_that_sources_sent() {
    let record = run(&lossy());
    let rates: Vec<&RateRecord> = record.flows.iter().filter_map(|flow| flow.rate.as_ref()).collect();
    assert_eq!(rates.len(), 3);
    for rate in &rates {
        assert!(rate.control_noticed > 0 && rate.control_lost > 0 && rate.control_returned > 0, "{rate:?}");
        let told = rate.control_returned + rate.control_lost + rate.control_refused;
        assert_eq!(told, rate.control_sent, "{rate:?}");
    }
}
