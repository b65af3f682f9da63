//! BBR: its states in their order, its pace, and what loss, marks and queues do to it.

use crate::transport::path::{Path, Run, Seen, ns2_path, ns2_settings};
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::{ControlChoice, TcpSettings};

fn settings() -> TcpSettings {
    TcpSettings { initial_window: 10, granularity: Span::from_millis(1), ..ns2_settings() }
}

fn at(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

/// The goodput between two times, Mb/s.
fn rate_mbps(control: &str, path: Path, settings: TcpSettings, [from, to]: [u64; 2]) -> (f64, Run) {
    let mut run = Run::new(ControlChoice::by_name(control).unwrap(), settings, None, path);
    let before = run.until(at(from)).sender.acknowledged();
    let after = run.until(at(to)).sender.acknowledged();
    (f64::from(after - before) * 8.0 / (to - from) as f64, run)
}

/// The states that acknowledgements saw, each once where it stays, with the time at which it began.
fn states(run: &Run) -> Vec<(Instant, &'static str)> {
    let mut states: Vec<(Instant, &'static str)> = Vec::new();
    for (at, seen) in &run.seen {
        if let Seen::Acked { state, .. } = seen
            && states.last().is_none_or(|(_, last)| last != state)
        {
            states.push((*at, state));
        }
    }
    states
}

/// §5.3: Startup, Drain, and then one cycle after the other, with ProbeRTT each five seconds in between.
#[test]
fn the_states_follow_each_other() {
    // Room for what Startup puts in flight.
    let path = Path { queue: 200, ..ns2_path() };
    let (_, run) = rate_mbps("bbr", path, settings(), [0, 30_000]);
    let states = states(&run);
    let names: Vec<_> = states.iter().map(|(_, state)| *state).collect();
    assert_eq!(names[..3], ["startup", "drain", "probe-bw-cruise"], "Down ends at once where Drain has left no queue");
    for pair in names[2..].windows(2) {
        let may_follow: &[_] = match pair[0] {
            "probe-bw-down" => &["probe-bw-cruise", "probe-bw-refill", "probe-rtt"],
            "probe-bw-cruise" => &["probe-bw-refill", "probe-rtt"],
            "probe-bw-refill" => &["probe-bw-up", "probe-rtt"],
            "probe-bw-up" => &["probe-bw-down", "probe-rtt"],
            "probe-rtt" => &["probe-bw-cruise"],
            other => panic!("{other} again"),
        };
        assert!(may_follow.contains(&pair[1]), "{pair:?}");
    }
    let probes: Vec<_> = states.iter().filter(|(_, state)| *state == "probe-bw-up").map(|(at, _)| *at).collect();
    assert!((7..16).contains(&probes.len()), "{} probes in 30 s, one in 2 to 3 s", probes.len());
    // §5.3.4: not more often than each 5 s, and 200 ms and a round trip long.
    let until = |number: usize| states.get(number + 1).map(|(at, _)| *at);
    let slow: Vec<_> = (0..states.len()).filter(|number| states[*number].1 == "probe-rtt").collect();
    assert!((4..6).contains(&slow.len()), "{slow:?}");
    for pair in slow.windows(2) {
        assert!(states[pair[1]].0.since(states[pair[0]].0) > Span::from_millis(5_000));
    }
    for number in slow {
        let length = until(number).unwrap().since(states[number].0);
        assert!((Span::from_millis(200)..Span::from_millis(420)).contains(&length), "{length}");
    }
}

/// A deep queue stays nearly empty: the pipe is full, and no more is in flight than two pipes while probing.
#[test]
fn the_pipe_is_full_and_the_queue_short() {
    let path = Path { queue: 1_000, ..ns2_path() };
    let (rate, run) = rate_mbps("bbr", path, settings(), [5_000, 60_000]);
    assert!(rate > 9.5, "{rate} Mb/s");
    assert_eq!(run.sender.counts().retransmitted, 0);
    let late: Vec<_> = run.waiting.iter().filter(|(when, _)| *when > at(5_000)).map(|(_, waiting)| *waiting).collect();
    let mean = late.iter().sum::<usize>() as f64 / late.len() as f64;
    assert!(mean < 16.0, "a quarter of the pipe of 64 segments, not {mean}");
}

/// Cardwell et al. (2017), figure 8: BBR sustains the rate where losses hold CUBIC at a small part of it.
#[test]
fn random_loss_does_not_halve_it() {
    let path = || Path { loss: 0.01, ..ns2_path() };
    let (bbr, _) = rate_mbps("bbr", path(), settings(), [5_000, 60_000]);
    let (cubic, _) = rate_mbps("cubic", path(), settings(), [5_000, 60_000]);
    assert!(bbr > 7.5 && cubic < 3.0, "{bbr} and {cubic} Mb/s");
}

/// A queue of a tenth of the pipe loses no more than the threshold by much: probes end where more than 2 % are lost.
#[test]
fn a_shallow_queue_bounds_what_is_in_flight() {
    let path = Path { queue: 6, ..ns2_path() };
    let (rate, run) = rate_mbps("bbr", path, settings(), [10_000, 60_000]);
    let lost = run.seen.iter().filter(|(when, seen)| *when > at(10_000) && matches!(seen, Seen::Dropped(_))).count();
    let sent = run.seen.iter().filter(|(when, seen)| *when > at(10_000) && matches!(seen, Seen::Sent(_))).count();
    let part = lost as f64 / sent as f64;
    assert!(rate > 9.0 && part < 0.03, "{rate} Mb/s, {part} lost");
}

/// Segments leave one by one, as far apart as the rate of the state says.
#[test]
fn what_is_sent_is_paced() {
    let (_, run) = rate_mbps("bbr", ns2_path(), settings(), [0, 4_000]);
    let cruises = states(&run);
    let cruise = cruises.iter().position(|(_, state)| *state == "probe-bw-cruise").unwrap();
    let (from, to) = (cruises[cruise].0 + Span::from_millis(60), cruises[cruise + 1].0);
    let sent = run.seen.iter().filter(|(at, seen)| *at > from && *at < to && matches!(seen, Seen::Sent(_)));
    let times: Vec<_> = sent.map(|(at, _)| *at).collect();
    assert!(times.len() > 100, "{}", times.len());
    let gaps: Vec<_> = times.windows(2).map(|pair| pair[1].since(pair[0]).as_nanos()).collect();
    // 1000 bytes at 99 % of 10 Mb/s.
    let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
    assert!(*least > 700_000 && *most < 900_000, "from {least} to {most} ns");
}

/// Where the round trip is short, marks keep the queue where they begin (version 3 for Linux).
#[test]
fn marks_bound_a_short_path() {
    let path = |mark_from| Path {
        rate_bps: 100_000_000,
        queue: 1_000,
        from_link: Span::from_micros(500),
        back: Span::from_micros(500),
        to_link: Span::from_micros(10),
        mark_from,
        ..ns2_path()
    };
    let queue = |mark_from| {
        let settings = TcpSettings { ecn: true, ..settings() };
        let (rate, run) = rate_mbps("bbr", path(mark_from), settings, [2_000, 20_000]);
        assert!(rate > 85.0, "{rate} Mb/s");
        let late: Vec<_> = run.waiting.iter().filter(|(when, _)| *when > at(2_000)).map(|(_, len)| *len).collect();
        late.iter().sum::<usize>() as f64 / late.len() as f64
    };
    let (marked, unmarked) = (queue(2), queue(usize::MAX));
    assert!(marked < unmarked, "{marked} and {unmarked} waiting");
}

/// A sender that has little to send does not take its own rate for the path's.
#[test]
fn a_transfer_that_ends_is_complete() {
    for segments in [1, 3, 10, 11, 200, 3_000] {
        let path = Path { loss: 0.05, seed: u64::from(segments), ..ns2_path() };
        let mut run = Run::new(ControlChoice::by_name("bbr").unwrap(), settings(), Some(segments), path);
        run.until(Instant::NEVER);
        assert_eq!(run.receiver.in_order(), segments);
    }
}
