//! One flow without end through a drop-tail queue, beside ns-2 2.35 with the same:
//! 10 Mb/s, 50 ms, 62 packets of 1000 bytes.

use crate::transport::path::{Run, Seen, ns2_path, ns2_settings};
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::ControlChoice;

/// What 100 s show; the last four from 20 s on.
#[derive(Debug)]
struct Sawtooth {
    first_loss_s: f64,
    losses: usize,
    timeouts: u64,
    peak: f64,
    low: f64,
    period_s: f64,
    goodput_mbps: f64,
}

fn sawtooth(name: &str) -> Sawtooth {
    let mut run = Run::new(ControlChoice::by_name(name).unwrap(), ns2_settings(), None, ns2_path());
    run.until(at(20.0));
    let early = run.sender.acknowledged();
    run.until(at(100.0));
    let dropped = run.seen.iter().filter(|(_, seen)| matches!(seen, Seen::Dropped(_)));
    let drops: Vec<f64> = dropped.map(|(t, _)| t.as_secs_f64()).collect();
    let windows: Vec<(f64, f64)> = run
        .seen
        .iter()
        .filter_map(|(t, seen)| match seen {
            Seen::Acked { window, .. } if *t > at(20.0) => Some((t.as_secs_f64(), *window)),
            _ => None,
        })
        .collect();
    let cuts: Vec<f64> = windows.windows(2).filter(|pair| pair[1].1 < pair[0].1 - 1.0).map(|pair| pair[1].0).collect();
    let sawtooth = Sawtooth {
        first_loss_s: drops[0],
        losses: drops.len(),
        timeouts: run.sender.counts().timeouts,
        peak: windows.iter().fold(0.0, |most, (_, window)| window.max(most)),
        low: windows.iter().fold(f64::MAX, |least, (_, window)| window.min(least)),
        period_s: (cuts[cuts.len() - 1] - cuts[0]) / (cuts.len() - 1) as f64,
        goodput_mbps: f64::from(run.sender.acknowledged() - early) * 8e-3 / 80.0,
    };
    println!("{name}: {sawtooth:?}");
    sawtooth
}

fn at(seconds: f64) -> Instant {
    Instant::ZERO + Span::from_secs_f64(seconds)
}

#[track_caller]
fn near(measured: f64, expected: f64, part: f64) {
    assert!((measured - expected).abs() <= expected * part, "{measured}, not {expected} ± {} %", part * 100.0);
}

/// ns-2: first loss at 0.41 s, 145 losses, one timeout, window from 63 to 126, a cut every 4.864 s, 9.9957 Mb/s.
#[test]
fn reno() {
    let seen = sawtooth("reno");
    near(seen.first_loss_s, 0.41, 0.015);
    assert!((143..=147).contains(&seen.losses), "{seen:?}");
    assert_eq!(seen.timeouts, 1);
    near(seen.peak, 126.0, 0.005);
    near(seen.low, 63.0, 0.005);
    near(seen.period_s, 4.864, 0.01);
    near(seen.goodput_mbps, 9.9957, 0.001);
}

/// ns-2: 145 losses, one timeout, 4.8646 s, 9.9957 Mb/s.
#[test]
fn newreno() {
    let seen = sawtooth("newreno");
    assert!((143..=147).contains(&seen.losses), "{seen:?}");
    assert_eq!(seen.timeouts, 1);
    near(seen.period_s, 4.8646, 0.01);
    near(seen.goodput_mbps, 9.9957, 0.001);
}

/// ns-2: 146 losses, no timeout, 4.8669 s, 9.9927 Mb/s.
#[test]
fn sack() {
    let seen = sawtooth("sack");
    assert!((144..=148).contains(&seen.losses), "{seen:?}");
    assert_eq!(seen.timeouts, 0);
    near(seen.period_s, 4.8669, 0.01);
    near(seen.goodput_mbps, 9.9927, 0.001);
}

/// ns-2: 145 losses, no timeout, 9.5170 Mb/s, 5.219 s. It cuts the threshold to whole
/// segments, 62 instead of 63: one round trip more, a hundredth of a period.
#[test]
fn tahoe() {
    let seen = sawtooth("tahoe");
    assert!((143..=147).contains(&seen.losses), "{seen:?}");
    assert_eq!(seen.timeouts, 0);
    near(seen.period_s, 5.219, 0.015);
    near(seen.goodput_mbps, 9.5170, 0.005);
}

/// No loss but the ones that a full queue must cause: seven tenths of the window remain, and the queue is never empty.
#[test]
fn cubic() {
    let seen = sawtooth("cubic");
    assert_eq!(seen.timeouts, 0);
    near(seen.low, 0.7 * 126.0, 0.01);
    near(seen.goodput_mbps, 10.0, 0.001);
}
