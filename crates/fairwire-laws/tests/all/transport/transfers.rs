//! A transfer is completed over any path that lets something through, in order, once,
//! and by the rules.

use crate::transport::path::{Path, Run, Seen, every_control, ns2_settings};
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::{Segment, TcpSettings};
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Case {
    path: Path,
    settings: TcpSettings,
    segments: u32,
    sack: bool,
}

fn any_path() -> impl Strategy<Value = Path> {
    let quality = (0.0..=0.3_f64, 0.0..=0.3_f64, 0.0..=0.3_f64, 0.0..0.5_f64, 0_u64..60_000);
    (100_000_u64..100_000_000, 1_usize..100, 1_u64..200_000, quality, any::<u64>()).prop_map(
        |(rate_bps, queue, one_way_us, (loss, ack_loss, twice, mark, jitter_us), seed)| Path {
            rate_bps,
            queue,
            to_link: Span::from_micros(10),
            from_link: Span::from_micros(one_way_us),
            back: Span::from_micros(one_way_us),
            loss,
            ack_loss,
            jitter: Span::from_micros(jitter_us),
            twice,
            mark,
            mark_from: usize::MAX,
            seed,
            lose: Vec::new(),
            start: Instant::ZERO,
            late_timers: Span::ZERO,
        },
    )
}

fn any_settings() -> impl Strategy<Value = TcpSettings> {
    let windows = (1_u32..200, 1_u32..12, prop::option::of(1_u32..100));
    let times = (1_u64..500_000, 1_u64..1_000_000, prop::option::of(1_u64..500));
    (windows, times, any::<bool>()).prop_map(
        |((receive_window, initial_window, initial_threshold), (tick_us, min_us, delayed_ms), ecn)| TcpSettings {
            receive_window,
            initial_window,
            initial_threshold,
            granularity: Span::from_micros(tick_us),
            min_timeout: Span::from_micros(min_us),
            delayed_ack: delayed_ms.map(Span::from_millis),
            ecn,
            ..ns2_settings()
        },
    )
}

fn any_case() -> impl Strategy<Value = Case> {
    (any_path(), any_settings(), 1_u32..300, any::<bool>()).prop_map(|(path, settings, segments, sack)| Case {
        path,
        settings,
        segments,
        sack,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_transfer_is_completed(case in any_case()) {
        for control in every_control() {
            let Case { path, settings, segments, sack } = case.clone();
            let mut run = Run::with_receiver(control, settings, Some(segments), path, sack);
            run.until(Instant::NEVER);
            let name = control.about().name;
            prop_assert!(run.sender.is_finished(), "{name} stopped at {}", run.now);
            prop_assert_eq!(run.receiver.in_order(), segments, "{}", name);
            prop_assert_eq!(run.sender.acknowledged(), segments, "{}", name);
            prop_assert_eq!(run.sender.poll_timeout(), None, "{}", name);
            check_what_was_sent(&run, segments)?;
        }
    }

    /// A driver that sleeps wakes both ends late.
    #[test]
    fn late_timers_cost_time_only(case in any_case(), late_us in 1_u64..100_000) {
        for control in every_control() {
            let Case { path, settings, segments, sack } = case.clone();
            let path = Path { late_timers: Span::from_micros(late_us), ..path };
            let mut run = Run::with_receiver(control, settings, Some(segments), path, sack);
            run.until(Instant::NEVER);
            prop_assert!(run.sender.is_finished(), "{} stopped at {}", control.about().name, run.now);
            prop_assert_eq!(run.receiver.in_order(), segments);
            check_what_was_sent(&run, segments)?;
        }
    }

    /// A connection that begins later, also one after another over the same path, does what the first one did.
    #[test]
    fn any_start_is_as_good_as_zero(case in any_case(), start_ns in prop_oneof![1_u64..1 << 40, Just(1_700_000_000_000_000_000)]) {
        for control in every_control() {
            let from = |start: Instant| {
                let Case { path, settings, segments, sack } = case.clone();
                let mut run = Run::with_receiver(control, settings, Some(segments), Path { start, ..path }, sack);
                run.until(Instant::NEVER);
                let since = |at: Instant| Instant::ZERO + at.since(start);
                let shift = |(at, seen): (Instant, Seen)| match seen {
                    Seen::Sent(segment) => (since(at), Seen::Sent(Segment { sent_at: since(segment.sent_at), ..segment })),
                    other => (since(at), other),
                };
                run.seen.into_iter().map(shift).collect::<Vec<_>>()
            };
            prop_assert_eq!(from(Instant::ZERO), from(Instant::from_nanos(start_ns)), "{}", control.about().name);
        }
    }

    #[test]
    fn the_same_again(case in any_case()) {
        for control in every_control() {
            let Case { path, settings, segments, sack } = case.clone();
            let once = || {
                let mut run = Run::with_receiver(control, settings, Some(segments), path.clone(), sack);
                run.until(Instant::NEVER);
                run.seen
            };
            prop_assert_eq!(once(), once());
        }
    }
}

/// New segments in order, each told apart from those sent again; the counts are right; the last one's size.
fn check_what_was_sent(run: &Run, segments: u32) -> Result<(), TestCaseError> {
    let (mut new, mut again) = (0, 0);
    for (_, seen) in &run.seen {
        let Seen::Sent(segment) = seen else { continue };
        if segment.retransmitted {
            again += 1;
            prop_assert!(segment.number < new);
            prop_assert!(!segment.ecn_capable && !segment.window_reduced);
        } else {
            prop_assert_eq!(segment.number, new);
            new += 1;
        }
        let size_bytes = if segment.number + 1 == segments { 700 } else { 1_000 };
        prop_assert_eq!(segment.size_bytes, size_bytes);
    }
    prop_assert_eq!(new, segments);
    prop_assert_eq!(run.sender.counts().sent, u64::from(new) + again);
    prop_assert_eq!(run.sender.counts().retransmitted, again);
    Ok(())
}

/// Over a clean path with a window that it can hold nothing is ever sent twice.
#[test]
fn a_clean_path_needs_no_second_copy() {
    for control in every_control() {
        for delayed_ack in [None, Some(Span::from_millis(100))] {
            let settings = TcpSettings { receive_window: 100, delayed_ack, ..ns2_settings() };
            let mut run = Run::new(control, settings, Some(5_000), crate::transport::path::ns2_path());
            run.until(Instant::NEVER);
            assert!(run.sender.is_finished());
            let counts = run.sender.counts();
            assert_eq!((counts.sent, counts.retransmitted, counts.timeouts), (5_000, 0, 0), "{}", control.about().name);
            assert_eq!(run.arrived, 5_000);
        }
    }
}

/// Blocks tell exactly what is missing: as many segments are sent again as were lost.
#[test]
fn with_blocks_nothing_is_sent_in_vain() {
    for name in ["sack", "cubic"] {
        let control = fairwire_laws::transport::ControlChoice::by_name(name).unwrap();
        let path = Path { loss: 0.01, seed: 3, ..crate::transport::path::ns2_path() };
        let settings = TcpSettings { receive_window: 100, ..ns2_settings() };
        let mut run = Run::new(control, settings, Some(20_000), path);
        run.until(Instant::NEVER);
        let lost = run.seen.iter().filter(|seen| matches!(seen.1, Seen::Dropped(_))).count() as u64;
        let counts = run.sender.counts();
        assert!(lost > 150 && counts.timeouts < 20, "{counts:?}");
        // After a timeout some are sent again of which the receiver has not told yet; and now and then the last one is at the
        // end of a recovery, lest the timer must (RFC 6675 §4 NextSeg (4)).
        let most = 5 * counts.timeouts + counts.fast_retransmits / 10;
        assert!(run.duplicates_at_receiver <= most, "{counts:?} {}", run.duplicates_at_receiver);
    }
}
