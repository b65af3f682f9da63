//! Propositions 2 and 3 on the papers' examples.

use crate::common::{GREEDY, fair, tandem};
use fairwire_analysis::AnalysisError;
use fairwire_analysis::oscillation::{LinkAnalysis, links};

const SMALL: f64 = 0.01;

fn analysed(flows: &[(usize, usize, f64)]) -> Vec<LinkAnalysis> {
    let problem = tandem(flows);
    links(&problem, &fair(&problem), 0.8).expect("a fine problem")
}

#[track_caller]
fn close(found: Option<(f64, f64)>, low: f64, high: f64) {
    let (a, b) = found.expect("a range");
    assert!((a - low).abs() < 1e-9 && (b - high).abs() < 1e-9, "{a} … {b}");
}

#[test]
fn a_small_sender_downstream_throws_the_upstream_flow_back() {
    // [dvsr] Fig. 7.
    let all = analysed(&[(1, 3, 1.0), (2, 3, SMALL)]);
    let last = all.iter().find(|link| link.link == 2).expect("link 2");
    assert!(last.aggressive.congested);
    assert_eq!(last.aggressive.flows.iter().map(|flow| flow.oscillates).collect::<Vec<_>>(), [true, false]);
    close(last.aggressive.flows[0].range_bps(), SMALL, 1.0 - SMALL);
    assert_eq!(last.aggressive.flows[0].smallest.expect("a sender downstream").ingress, 2);
    let first = all.iter().find(|link| link.link == 1).expect("link 1");
    assert!(!first.aggressive.oscillates(), "flow (1,3) is alone there");
}

#[test]
fn equal_demands_with_unequal_shares_swing_too() {
    // [dvsr] Fig. 8.
    let all = analysed(&[(1, 3, 1.0), (2, 6, 1.0), (3, 6, 1.0), (4, 6, 1.0), (5, 6, 1.0)]);
    let swinging: Vec<(usize, usize)> = all
        .iter()
        .flat_map(|link| {
            link.aggressive.flows.iter().filter(|flow| flow.oscillates).map(|flow| (link.link, flow.party.ingress))
        })
        .collect();
    assert_eq!(swinging, [(2, 1)]);
    close(all[1].aggressive.flows[0].range_bps(), 0.25, 0.75);
}

#[test]
fn balanced_lots_come_to_rest() {
    let lot = analysed(&[(1, 5, GREEDY), (2, 5, GREEDY), (3, 5, GREEDY), (4, 5, GREEDY)]);
    assert!(lot.iter().all(|link| !link.aggressive.oscillates() && !link.conservative.oscillates()));
    let parallel = analysed(&[(1, 2, GREEDY), (1, 5, GREEDY), (2, 5, GREEDY), (3, 5, GREEDY), (4, 5, GREEDY)]);
    assert!(parallel.iter().all(|link| !link.aggressive.oscillates()));
    let idle = analysed(&[(1, 3, 0.2), (2, 3, 0.1)]);
    assert!(idle.iter().all(|link| !link.aggressive.congested && !link.conservative.congested));
}

#[test]
fn a_small_active_sender_makes_half_the_link_too_little() {
    // [dvsr] §IV-A2: ε upstream, C downstream.
    let all = analysed(&[(1, 3, SMALL), (2, 3, 1.0)]);
    let last = &all.iter().find(|link| link.link == 2).expect("link 2").conservative;
    assert!(last.congested && last.active == 2 && last.ingresses[0].small && !last.ingresses[1].small);
    assert!((last.throttled_load_bps - (0.5 + SMALL)).abs() < 1e-12);
    assert_eq!(last.ingresses.iter().map(|ingress| ingress.oscillates).collect::<Vec<_>>(), [false, true]);
    close(last.range_bps(&last.ingresses[1]), 0.5, 0.8 - SMALL);
}

#[test]
fn the_printed_sign_would_say_the_opposite() {
    // Throttled, the link carries more than 0.8: it stays congested and rests at C/n_a.
    let rests = analysed(&[(1, 5, 0.15), (2, 5, 1.0), (3, 5, 1.0), (4, 5, 1.0)]);
    let last = &rests.iter().find(|link| link.link == 4).expect("link 4").conservative;
    assert!(last.throttled_load_bps > last.low_threshold_bps && last.congested && last.ingresses[0].small);
    assert!(!last.oscillates());
}

#[test]
fn a_load_of_the_threshold_to_rounding_does_not_clear_it() {
    // Throttled to 1/3 each, but for 0.8 - 2/3: in sum the threshold, which floating point tells as 0.7999….
    let small = 0.8 - 2.0 / 3.0 - 1e-12;
    let all = analysed(&[(1, 4, small), (2, 4, 1.0), (3, 4, 1.0)]);
    let last = &all.iter().find(|link| link.link == 3).expect("link 3").conservative;
    assert!(last.throttled_load_bps < last.low_threshold_bps, "{last:?}");
    assert!(!last.clears && !last.oscillates(), "{last:?}");
    let cleared = analysed(&[(1, 3, SMALL), (2, 3, 1.0)]);
    assert!(cleared.iter().any(|link| link.conservative.clears && link.conservative.oscillates()));
}

#[test]
fn flows_of_a_pair_are_one_and_an_ingress_is_active_once() {
    let whole = analysed(&[(1, 3, 1.0), (2, 3, 0.04)]);
    let parted = analysed(&[(1, 3, 1.0), (2, 3, 0.01), (2, 3, 0.03)]);
    let range = |all: &[LinkAnalysis]| all[1].aggressive.flows[0].range_bps();
    close(range(&parted), 0.04, 0.96);
    assert_eq!(range(&whole).map(|range| range.0), range(&parted).map(|range| range.0));
    assert_eq!(parted[1].conservative.active, 2);
    assert_eq!(parted[1].aggressive.flows[1].party.flows, [1, 2]);
}

#[test]
fn who_has_nothing_to_send_counts_nowhere() {
    let busy = analysed(&[(1, 3, GREEDY), (3, 4, 0.5)]);
    let silent = analysed(&[(1, 3, GREEDY), (3, 4, 0.5), (2, 3, 0.0), (2, 3, 0.0), (4, 6, 0.0)]);
    assert_eq!(silent.len(), busy.len(), "nobody sends over links 4 and 5");
    for (silent, busy) in silent.iter().zip(&busy) {
        assert_eq!(silent, busy);
        assert!(!silent.aggressive.oscillates() && !silent.conservative.oscillates());
        assert_eq!((silent.ingresses, silent.conservative.active), (1, 1));
    }
    // Beside a flow that sends, one that does not adds nothing to their party.
    let paired = analysed(&[(1, 3, 1.0), (2, 3, 0.0), (2, 3, SMALL)]);
    assert_eq!(paired[1].aggressive.flows[1].party.flows, [2]);
    assert!(analysed(&[(1, 3, 0.0)]).is_empty());
}

#[test]
fn nobody_counts_for_more_than_it_asks_for() {
    // [dvsr] §IV-A2 adds up min(r, R): here R is what flows might have, had they more to send.
    let problem = tandem(&[(1, 3, 0.1), (2, 3, 0.6)]);
    let verdict = &links(&problem, &[0.5, 0.5], 0.8).expect("a fine problem")[1].conservative;
    assert_eq!((verdict.congested, verdict.throttled_load_bps), (false, 0.6));
}

#[test]
fn bad_questions_are_refused() {
    let problem = tandem(&[(1, 3, 1.0)]);
    assert_eq!(links(&problem, &[], 0.8), Err(AnalysisError::RateCount { flows: 1, given: 0 }));
    assert!(matches!(links(&problem, &[1.0], f64::NAN), Err(AnalysisError::Parameter { .. })));
    assert!(matches!(links(&problem, &[1.0], 1.5), Err(AnalysisError::Parameter { .. })));
}
