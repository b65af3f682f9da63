//! Frames that must not be reordered go only while nothing moves.

use crate::protection::params;
use crate::protection::ring::Ring;
use fairwire_core::{Instant, Span};
use fairwire_laws::protection::{Action, Params};

/// When each station stopped and when it went on, since `from`.
fn pauses(ring: &Ring, from: Instant) -> Vec<(Instant, Instant)> {
    let when = |station: usize, on: bool| {
        let same = |deed: &&(Instant, usize, Action)| {
            deed.0 >= from && deed.1 == station && deed.2 == Action::StrictOrder { on }
        };
        let times: Vec<_> = ring.deeds.iter().filter(same).map(|deed| deed.0).collect();
        assert_eq!(times.len(), 1, "station {station} stops once and goes on once");
        times[0]
    };
    (0..ring.stations()).map(|station| (when(station, false), when(station, true))).collect()
}

/// At some instant all stations discard, for longer than a frame is on any
/// wire: so none sent before the change is left when the first is sent after it.
#[test]
fn all_pause_together_for_longer_than_a_hop() {
    for span in [0, 20, 63] {
        let mut ring = Ring::settled(64, &params());
        ring.run_for(Span::from_millis(400));
        ring.set_span(span, false);
        let at = ring.now;
        ring.run_for(Span::from_millis(100));
        let cut = pauses(&ring, at);
        ring.set_span(span, true);
        let back = ring.now;
        ring.run_for(Span::from_millis(400));
        for pauses in [cut, pauses(&ring, back)] {
            let last_stop = pauses.iter().map(|pause| pause.0).max().unwrap();
            let first_start = pauses.iter().map(|pause| pause.1).min().unwrap();
            assert!(first_start.since(last_stop) > ring.delay, "{last_stop} to {first_start}");
        }
    }
}

#[test]
fn order_is_kept_again_within_fifty_milliseconds() {
    let mut ring = Ring::settled(64, &Params::default());
    ring.run_for(Span::from_millis(100));
    ring.set_span(31, false);
    let at = ring.now;
    ring.run_for(Span::from_millis(50));
    assert!(pauses(&ring, at).iter().all(|(_, on)| on.since(at) < Span::from_millis(25)));
}
