//! PIE's formulas, its burst allowance, and the delay it aims at.

use crate::queue_laws::driver::{Deed, Queue, law, packet, site};
use fairwire_core::{BitRate, Instant, Span};
use fairwire_laws::queue::{Limit, QueuedPacket, Verdict};

/// Offers `load` times the capacity for so many milliseconds; the waiting times of what was
/// sent in the second half, in milliseconds.
fn waits(toml: &str, load: f64, ms: u64) -> Vec<f64> {
    waits_under(Queue::new(&law(toml), site(Limit::Packets(1000)), 5), load, ms, Span::ZERO)
}

/// The same under a driver that sleeps for `sleep` every 100 ms.
fn waits_under(mut queue: Queue, load: f64, ms: u64, sleep: Span) -> Vec<f64> {
    let gap = Span::from_nanos((800_000.0 / load) as u64);
    let mut sleeps_at = queue.now;
    while queue.now < Instant::ZERO + Span::from_millis(ms) {
        if sleep > Span::ZERO && queue.now > sleeps_at {
            sleeps_at = queue.now + Span::from_millis(100);
            queue.stall(sleep);
        }
        queue.pass_for(gap);
        queue.arrive(packet(0));
    }
    let half = Instant::ZERO + Span::from_millis(ms / 2);
    let sent = queue.deeds.iter().filter_map(|deed| match deed {
        Deed::Sent { at, waited, .. } if *at > half => Some(waited.as_secs_f64() * 1e3),
        _ => None,
    });
    sent.collect()
}

#[test]
fn the_delay_comes_to_the_target_under_a_constant_overload() {
    for extra in ["", "delay = 'departure-rate'", "derandomise = false", "target = '5 ms'"] {
        let waits = waits(&format!("name = 'pie'\n{extra}"), 1.25, 40_000);
        let mean = waits.iter().sum::<f64>() / waits.len() as f64;
        let target = if extra.starts_with("target") { 5.0 } else { 15.0 };
        assert!((mean / target - 1.0).abs() < 0.15, "{extra}: {mean} ms");
    }
}

#[test]
fn late_updates_and_a_sleeping_driver_leave_the_target_what_it_is() {
    for extra in ["", "delay = 'departure-rate'"] {
        let late = [0, 66, 4_000, 12, 5_000].map(Span::from_micros).to_vec();
        let choice = law(&format!("name = 'pie'\n{extra}"));
        let queue = Queue::new(&choice, site(Limit::Packets(1000)), 5).late_by(late);
        let waits = waits_under(queue, 1.25, 40_000, Span::from_millis(4));
        let mean = waits.iter().sum::<f64>() / waits.len() as f64;
        assert!((mean / 15.0 - 1.0).abs() < 0.2, "{extra}: {mean} ms");
    }
}

/// RFC 8033 §4.4: MAX_BURST is a time. One update comes 60 ms late: these 60 ms of it have passed.
#[test]
fn time_that_an_update_is_late_counts_as_burst() {
    let first_drop = |late_ms: u64| {
        let choice = law("name = 'pie'\nmax-burst = '150 ms'");
        let mut lateness = vec![Span::from_millis(late_ms)];
        lateness.resize(40, Span::ZERO);
        let mut queue = Queue::new(&choice, site(Limit::Packets(100_000)), 2).late_by(lateness);
        while queue.takes(packet(0)) {
            queue.pass_for(Span::from_micros(100));
        }
        queue.now
    };
    assert!(first_drop(60) <= first_drop(0) + Span::from_millis(15), "{:?} {:?}", first_drop(60), first_drop(0));
}

#[test]
fn a_departure_rate_that_was_measured_follows_the_capacity() {
    let mut queue = Queue::new(&law("name = 'pie'\ndelay = 'departure-rate'"), site(Limit::Packets(1000)), 5);
    for _ in 0..10_000 {
        queue.pass_for(Span::from_micros(640));
        queue.arrive(packet(0));
    }
    let told_ns = |queue: &Queue| queue.shown("queue_delay_ns", 0);
    let bits = |queue: &Queue| 8.0 * queue.lanes.bytes() as f64;
    assert!((told_ns(&queue) / (bits(&queue) / 10e6 * 1e9) - 1.0).abs() < 0.2, "{}", told_ns(&queue));
    queue.set_capacity(BitRate::from_mbps(2));
    queue.pass_for(Span::from_millis(15));
    assert!((told_ns(&queue) / (bits(&queue) / 2e6 * 1e9) - 1.0).abs() < 0.2, "{}", told_ns(&queue));
}

#[test]
fn the_probability_moves_by_the_rfc_s_formula() {
    // Forty packets wait and one leaves by hand after 60 ms: the delay is 60 ms.
    let mut queue = Queue::by_hand(&law("name = 'pie'\nmax-burst = '0 s'"), site(Limit::Packets(1000)));
    for _ in 0..40 {
        assert_eq!(queue.arrive(packet(0)), Verdict::ACCEPT);
    }
    queue.pass(Instant::ZERO + Span::from_millis(44));
    // Two updates at 15 and 30 ms with the delay not yet known: 0.
    assert_eq!(queue.shown("drop_probability", 0), 0.0);
    queue.depart();
    queue.pass(Instant::ZERO + Span::from_millis(45));
    let first = (0.125 * (0.044 - 0.015) + 1.25 * 0.044) / 2048.0;
    assert!((queue.shown("drop_probability", 0) - first).abs() < 1e-15);
    queue.pass(Instant::ZERO + Span::from_millis(60));
    // The probability is above 1e-5 and below 1e-4; the delay has not changed.
    let second = first + 0.125 * (0.044 - 0.015) / 128.0;
    assert!((1e-5..1e-4).contains(&first));
    assert!((queue.shown("drop_probability", 0) - second).abs() < 1e-15);
}

#[test]
fn a_burst_out_of_a_calm_queue_loses_nothing() {
    let early = |max_burst: &str| {
        let choice = law(&format!("name = 'pie'\nmax-burst = '{max_burst}'"));
        let mut queue = Queue::new(&choice, site(Limit::Packets(100_000)), 2);
        let mut first = None;
        while queue.now < Instant::ZERO + Span::from_millis(2000) && first.is_none() {
            queue.pass_for(Span::from_micros(100));
            if !queue.takes(packet(0)) {
                first = Some(queue.now);
            }
        }
        first.expect("eight times the capacity is dropped from in the end")
    };
    assert!(early("150 ms") >= Instant::ZERO + Span::from_millis(150));
    assert!(early("600 ms") >= Instant::ZERO + Span::from_millis(600));
    assert!(early("0 s") < early("600 ms"));
}

#[test]
fn marks_end_above_the_mark_limit() {
    let mut queue = Queue::new(&law("name = 'pie'\necn = true"), site(Limit::Packets(1000)), 5);
    let (mut marked_low, mut dropped_low, mut marked_high, mut dropped_high) = (0, 0, 0, 0);
    for i in 0..60_000 {
        // Up to ten seconds 5 % too much, then twice the capacity.
        queue.pass_for(Span::from_micros(if i < 15_000 { 760 } else { 400 }));
        let verdict = queue.arrive(QueuedPacket { ecn_capable: true, ..packet(0) });
        let high = queue.board.0.get(&("drop_probability", 0)).is_some_and(|&p| p > 0.1);
        match verdict {
            Verdict::Accept { mark: true, .. } if high => marked_high += 1,
            Verdict::Accept { mark: true, .. } => marked_low += 1,
            Verdict::Drop(_) if high => dropped_high += 1,
            Verdict::Drop(_) => dropped_low += 1,
            Verdict::Accept { .. } => {}
        }
    }
    assert_eq!((marked_high, dropped_low), (0, 0));
    assert!(marked_low > 50 && dropped_high > 1000, "{marked_low} {dropped_high}");
}

/// Probabilities after each update, with a packet leaving after ever longer waits.
fn steps(toml: &str) -> Vec<f64> {
    let mut queue = Queue::by_hand(&law(toml), site(Limit::Packets(1000)));
    for _ in 0..400 {
        queue.arrive(packet(0));
    }
    let probabilities = (1..300).map(|update| {
        queue.pass(Instant::ZERO + Span::from_millis(15 * update - 1));
        queue.depart();
        queue.pass(Instant::ZERO + Span::from_millis(15 * update));
        queue.shown("drop_probability", 0)
    });
    probabilities.collect()
}

#[test]
fn steps_are_capped_once_the_probability_is_high() {
    let largest = |toml| {
        let steps = steps(toml);
        assert_eq!(*steps.last().unwrap(), 1.0);
        let climbs = steps.windows(2).filter(|pair| pair[0] >= 0.1).map(|pair| pair[1] - pair[0]);
        climbs.fold(0.0, f64::max)
    };
    assert!((largest("name = 'pie'\nmax-burst = '0 s'") - 0.02).abs() < 1e-12);
    assert!(largest("name = 'pie'\nmax-burst = '0 s'\ncap-step = false") > 0.03);
}

#[test]
fn an_empty_queue_forgets_a_fiftieth_each_update() {
    let mut queue = Queue::by_hand(&law("name = 'pie'\nmax-burst = '0 s'\nbeta = 0"), site(Limit::Packets(1000)));
    queue.arrive(packet(0));
    queue.arrive(packet(0));
    queue.pass(Instant::ZERO + Span::from_millis(2000));
    queue.depart();
    let mut update = 134; // at 2010 ms
    let mut next = |queue: &mut Queue| {
        queue.pass(Instant::ZERO + Span::from_millis(15 * update));
        update += 1;
        queue.shown("drop_probability", 0)
    };
    while next(&mut queue) < 0.5 {}
    queue.depart();
    let mut before = next(&mut queue);
    for _ in 0..20 {
        let after = next(&mut queue);
        assert!((after - (before - 0.125 * 0.015) * 0.98).abs() < 1e-12, "{before} {after}");
        before = after;
    }
}
