//! Lemmas 1 to 3 against adversaries, and that a broken bound would be noticed.

use fairwire_analysis::bounds::{pairwise_bound_bits, throttling_bound_bits};
use fairwire_analysis::feedback::{Arrival, Excess, FeedbackTandem, Setting, Watched, excess};
use proptest::prelude::*;

const GREEDY: f64 = f64::INFINITY;

/// Nobody but flow 0 for a while, all at once, nobody again: what the bound is tight for.
fn surge(flows: usize, windows: usize) -> Vec<Vec<f64>> {
    (0..windows)
        .map(|window| (0..flows).map(|flow| if flow == 0 || window == 2 { GREEDY } else { 0.0 }).collect())
        .collect()
}

fn first(flow: usize) -> Watched {
    Watched { flow, from_window: 0 }
}

/// The deviations over the bounds of the lemmas.
fn ratios(setting: &Setting, found: &Excess) -> [f64; 4] {
    let flows = setting.routes.len();
    let one = throttling_bound_bits(setting.capacity_bps, setting.window_s, flows);
    let two = pairwise_bound_bits(setting.capacity_bps, setting.window_s, flows);
    [
        found.underthrottled_bits / one,
        found.overthrottled_bits / one,
        found.service_behind_bits / one,
        found.pairwise_bits / two,
    ]
}

#[test]
fn a_surge_reaches_the_bound_of_lemma_1() {
    for flows in [2, 3, 8, 64] {
        let setting = Setting::one_link(flows, 1e9, 0.5e-3);
        let found = excess(&setting, &surge(flows, 3 * flows), &[first(0)]).expect("a fine setting");
        let [under, over, behind, _] = ratios(&setting, &found);
        assert!((under - 1.0).abs() < 1e-9, "{flows}: {under}");
        assert!(over <= 1.0 + 1e-9 && behind <= 1.0 + 1e-9, "{flows}: {over} {behind}");
    }
}

/// Flow 1 sends all of its half and stops: for the window before the news flow 0 is held at half of what is then its own.
/// In its first window nobody had told flow 0 of flow 1, so that it sent twice its half. Both are (1 − 1/2)·C·T.
#[test]
fn who_was_held_back_for_one_who_has_gone_loses_half_a_window() {
    let setting = Setting::one_link(2, 1e9, 0.5e-3);
    let schedule: Vec<Vec<f64>> = (0..8).map(|window| vec![GREEDY, if window < 4 { 0.5e9 } else { 0.0 }]).collect();
    let found = excess(&setting, &schedule, &[first(0)]).expect("a fine setting");
    let half_a_window = 0.5 * 1e9 * 0.5e-3;
    assert!((found.overthrottled_bits / half_a_window - 1.0).abs() < 1e-9, "{}", found.overthrottled_bits);
    assert!((found.underthrottled_bits / half_a_window - 1.0).abs() < 1e-9, "{}", found.underthrottled_bits);
}

/// Bursts are ahead of what is fair until their window ends, which is no fault of the feedback. Beside a flow that wants a
/// quarter, three quarters are fair; only in the first window flow 0 is let through a quarter of C·T more.
#[test]
fn bursts_are_judged_at_the_ends_of_windows() {
    let setting = Setting { arrival: Arrival::AtOnce, ..Setting::one_link(2, 1e9, 0.5e-3) };
    let found = excess(&setting, &vec![vec![GREEDY, 0.25e9]; 6], &[first(0)]).expect("a fine setting");
    let quarter_of_a_window = 0.25 * 1e9 * 0.5e-3;
    assert!((found.underthrottled_bits / quarter_of_a_window - 1.0).abs() < 1e-9, "{found:?}");
    assert!(found.overthrottled_bits < 1e-3, "{found:?}");
}

/// Along two links only a whole window tells what is fair. At link 0 flow 1 leaves a tenth of C·T waiting, which holds flow 0
/// at C/2 for a fifth of the second window; flow 2 leaves it 0.6·C at link 1 in all of it. The lesser of both windows is
/// 0.6·C·T, more than the lesser at each instant adds up to. News come a window late, so that flow 0 is let through C.
#[test]
fn links_in_a_row_are_judged_at_the_ends_of_windows() {
    let routes = vec![0..2, 0..1, 1..2];
    let setting = Setting { routes, delay_s: 0.5e-3, ..Setting::one_link(3, 1e9, 0.5e-3) };
    let schedule = [vec![GREEDY, 0.6e9, 0.4e9], vec![GREEDY, 0.0, 0.4e9]];
    let found = excess(&setting, &schedule, &[first(0)]).expect("a fine setting");
    let windows = found.underthrottled_bits / (1e9 * 0.5e-3);
    assert!((windows - (0.5 + 0.4)).abs() < 1e-9, "{windows}");
}

#[test]
fn settings_keep_their_bounds() {
    let wrong = |capacity_bps, window_s, delay_s| {
        let setting = Setting { delay_s, ..Setting::one_link(2, capacity_bps, window_s) };
        FeedbackTandem::new(setting).err().map(|error| error.to_string())
    };
    assert_eq!(wrong(1e9, 0.5e-3, 0.0), None);
    assert!(wrong(0.0, 0.5e-3, 0.0).is_some_and(|error| error.contains("capacity_bps")));
    assert!(wrong(1e9, 0.0, 0.0).is_some_and(|error| error.contains("window_s")));
    assert!(wrong(1e9, 0.5e-3, -1e-9).is_some_and(|error| error.contains("delay_s")));
}

#[test]
fn a_surge_of_many_costs_a_bound_for_each_against_senders_without_delay() {
    // What the others sent in the one window before they were told is queued before flow 0.
    for flows in [2, 5, 16] {
        let setting = Setting::one_link(flows, 1e9, 0.5e-3);
        let found = excess(&setting, &surge(flows, 3 * flows), &[first(0)]).expect("a fine setting");
        let bounds = found.behind_undelayed_bits / throttling_bound_bits(1e9, 0.5e-3, flows);
        assert!((bounds - (flows - 1) as f64).abs() < 1e-6, "{flows}: {bounds}");
    }
}

#[test]
fn a_bound_that_is_broken_is_noticed() {
    // Feedback a window late doubles what can go wrong.
    let mut setting = Setting::one_link(4, 1e9, 0.5e-3);
    setting.delay_s = 0.5e-3;
    let found = excess(&setting, &surge(4, 12), &[first(0)]).expect("a fine setting");
    assert!(ratios(&setting, &found)[0] > 1.5);
}

#[test]
fn what_goes_wrong_is_in_proportion_to_the_window() {
    let worst = |window_s: f64| {
        let setting = Setting::one_link(5, 1e9, window_s);
        excess(&setting, &surge(5, 15), &[first(0)]).expect("a fine setting").underthrottled_bits
    };
    assert!((worst(1e-3) / worst(1e-6) - 1e3).abs() < 1e-3);
}

#[test]
fn the_worked_example_runs_in_the_loop() {
    // [dvsr] Fig. 13: then both send all they may, and share.
    let setting = Setting { arrival: Arrival::AtOnce, ..Setting::one_link(2, 1.0, 10.0) };
    let mut tandem = FeedbackTandem::new(setting).expect("a fine setting");
    let first = tandem.window(&[0.6, 0.2], |_| ());
    assert_eq!(first.limits_bps, [1.0, 1.0]);
    assert!((first.fair_rates_bps[0] - 0.8).abs() < 1e-12);
    let second = tandem.window(&[GREEDY; 2], |_| ());
    assert!((second.limits_bps[0] - 0.8).abs() < 1e-12);
    assert!((second.fair_rates_bps[0] - 0.5).abs() < 1e-12);
}

/// A random adversary for `flows` − `watched` flows; the others always have something to send.
fn schedules(flows: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    let demand = prop_oneof![3 => Just(0.0), 3 => Just(GREEDY), 1 => 0.0..1e9f64];
    prop::collection::vec(prop::collection::vec(demand, flows), 1..24)
}

proptest! {
    #[test]
    fn no_adversary_breaks_the_lemmas(
        (flows, schedule, at_once) in (2..7usize).prop_flat_map(|flows| (Just(flows), schedules(flows), any::<bool>())),
        enters in 0..6usize,
    ) {
        let mut setting = Setting::one_link(flows, 1e9, 0.5e-3);
        setting.arrival = if at_once { Arrival::AtOnce } else { Arrival::Spread };
        let watched = [first(0), Watched { flow: 1, from_window: enters }];
        let found = excess(&setting, &schedule, &watched).unwrap();
        for ratio in ratios(&setting, &found) {
            prop_assert!(ratio <= 1.0 + 1e-9, "{found:?}");
        }
    }

    #[test]
    fn a_flow_served_from_its_beginning_gets_no_more_than_was_let_through(
        (flows, schedule) in (2..6usize).prop_flat_map(|flows| (Just(flows), schedules(flows)))
    ) {
        let setting = Setting::one_link(flows, 1e9, 0.5e-3);
        let found = excess(&setting, &schedule, &[first(0)]).unwrap();
        prop_assert!(found.service_beyond_throttled_bits <= 1e-3);
    }

    #[test]
    fn limits_stay_between_an_equal_share_and_the_capacity(
        (flows, schedule) in (2..7usize).prop_flat_map(|flows| (Just(flows), schedules(flows)))
    ) {
        let mut tandem = FeedbackTandem::new(Setting::one_link(flows, 1e9, 0.5e-3)).unwrap();
        for demands in schedule {
            let window = tandem.window(&demands, |_| ());
            let share = 1e9 / flows as f64;
            prop_assert!(window.limits_bps.iter().all(|&limit| limit >= share * (1.0 - 1e-9) && limit <= 1e9));
        }
    }
}
