//! The station that puts the frame on the ring notices when it does not come back.
//!
//! What must not happen is that a frame is given up that is only late: then two are under way for a while. Every station
//! drops the older one, but the work of its lap is gone. So the station waits for twice as long as a lap takes: as long as it
//! takes at most where every station acts at once, or as the longest of the laps measured of late, whichever is more. A
//! frame that comes back after it was given up counts as measured, too. Who is woken late has perhaps slept while
//! others slept, and waits once more. Who has given up many frames in a row waits longer.

use super::Number;
use crate::ring::RingSite;
use fairwire_core::{Bytes, Instant, Span};
use std::collections::VecDeque;

/// By so much a station may be late that is woken by an operating system.
const LATE: Span = Span::from_micros(100);
/// Before any lap was measured, how much longer than usual it may take.
const UNKNOWN: u64 = 3;
/// And how much longer than that where stations may keep the frame on its first lap.
const KEPT: u64 = 10;
/// A frame is given up after so many laps.
const PATIENCE: u64 = 2;
/// The waiting time is doubled each time that so many frames were given up in a row, and so often at most.
const A_DOUBLING: u32 = 8;
const MOST_DOUBLINGS: u32 = 8;
/// So many frames that were given up are remembered: fewer than there are generations.
const REMEMBERED: usize = 15;
/// Who is woken later than told by more than this part of the waiting time has slept.
const SLEPT: u64 = 4;
/// Of the way from the longest lap to the last one, so much is forgotten in a lap.
const FORGETS: u64 = 16;

#[derive(Clone, Debug)]
pub(super) struct Watch {
    /// No lap takes longer where every station acts at once.
    bound: Span,
    /// How long to wait before any lap was measured.
    unknown: Span,
    /// The longest lap of late.
    longest: Option<Span>,
    /// The number of the next frame to be sent, and of the last one.
    next: Number,
    sent: Number,
    /// The frame that is under way.
    out: Option<Out>,
    /// The frames that were given up last, and when each had left.
    given_up: VecDeque<(Number, Instant)>,
    /// How many were given up in a row.
    in_a_row: u32,
}

#[derive(Clone, Copy, Debug)]
struct Out {
    left_at: Instant,
    given_up_at: Instant,
    /// Whether the station has slept since.
    slept: bool,
}

impl Watch {
    pub fn new(site: &RingSite, frame_bytes: Bytes) -> Self {
        // The frame goes before all data, but what is being sent is sent to its end.
        let on_links: Span = site.capacities.iter().map(|capacity| (frame_bytes + site.max_packet) / *capacity).sum();
        let ways = if site.open { 2 } else { 1 };
        let bound = ((site.ring_time + on_links) * ways).max(Span::from_micros(1));
        let unknown = (bound + LATE * (ways * site.stations() as u64)) * UNKNOWN;
        Self {
            bound,
            unknown,
            longest: None,
            next: Number::default(),
            sent: Number::default(),
            out: None,
            given_up: VecDeque::new(),
            in_a_row: 0,
        }
    }

    pub fn expect_long_first_lap(&mut self) {
        self.unknown = self.unknown * KEPT;
    }

    /// How long to wait for a frame.
    fn patience(&self) -> Span {
        let usual = self.longest.map_or(self.unknown, |longest| longest.max(self.bound) * PATIENCE);
        usual * (1 << (self.in_a_row / A_DOUBLING).min(MOST_DOUBLINGS))
    }

    /// A frame leaves at `now`: its number.
    #[inline]
    pub fn send(&mut self, now: Instant) -> Number {
        self.sent = self.next;
        self.next = self.sent.next_lap();
        self.out = Some(Out { left_at: now, given_up_at: now + self.patience(), slept: false });
        self.sent
    }

    /// Whether what comes back at `now` is the frame that was sent last. One that is newer was sent by somebody else, who
    /// put frames on this ring before; the count goes on from there.
    pub fn admits(&mut self, now: Instant, number: Number) -> bool {
        if number == self.sent {
            let Some(out) = self.out.take() else { return false };
            self.learn(now.since(out.left_at));
            self.in_a_row = 0;
            return true;
        }
        if let Some(place) = self.given_up.iter().position(|(given_up, _)| *given_up == number)
            && let Some((_, left_at)) = self.given_up.remove(place)
        {
            self.learn(now.since(left_at));
            return false;
        }
        let is_newer = number.is_newer_than(self.sent);
        if is_newer {
            (self.out, self.sent, self.next) = (None, number, number.next_lap());
        }
        is_newer
    }

    fn learn(&mut self, lap: Span) {
        let longest = self.longest.unwrap_or(lap);
        let forgotten = Span::from_nanos(longest.as_nanos().saturating_sub(lap.as_nanos()) / FORGETS);
        self.longest = Some(if lap >= longest { lap } else { longest - forgotten });
    }

    /// When the frame that is under way is given up.
    #[inline]
    pub fn given_up_at(&self) -> Option<Instant> {
        self.out.map(|out| out.given_up_at)
    }

    /// Whether it is given up at `now`.
    pub fn gives_up(&mut self, now: Instant) -> bool {
        let patience = self.patience();
        let Some(out) = self.out.as_mut().filter(|out| out.given_up_at <= now) else { return false };
        if !out.slept && now.since(out.given_up_at) * SLEPT > patience {
            (out.slept, out.given_up_at) = (true, now + patience);
            return false;
        }
        self.in_a_row = self.in_a_row.saturating_add(1);
        self.give_up();
        true
    }

    /// The frame that is under way, if one is, is given up.
    pub fn give_up(&mut self) {
        if let Some(out) = self.out.take() {
            self.given_up.truncate(REMEMBERED - 1);
            self.given_up.push_front((self.sent, out.left_at));
        }
        self.next = self.sent.next_generation();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::{BitRate, Ringlet, StationId};

    /// Ten stations a hundred microseconds apart.
    fn watch() -> Watch {
        let site = RingSite {
            ring_time: Span::from_millis(1),
            ..RingSite::bare(StationId(0), Ringlet::Zero, vec![BitRate::from_mbps(1_000_000); 10])
        };
        Watch::new(&site, Bytes::new(44))
    }

    fn ms(ms: f64) -> Instant {
        Instant::ZERO + Span::from_secs_f64(ms / 1e3)
    }

    /// How long a frame that leaves now is waited for, in milliseconds.
    fn wait_ms(watch: &mut Watch) -> f64 {
        let left_at = ms(1e3);
        watch.send(left_at);
        watch.given_up_at().unwrap().since(left_at).as_secs_f64() * 1e3
    }

    /// A lap takes 1 ms, and ten stations that are woken late by 0.1 ms each make it 2 ms.
    #[test]
    fn before_any_lap_was_measured_a_frame_is_waited_for_for_three_late_laps_or_thirty() {
        let mut watch = watch();
        let waits = [wait_ms(&mut watch), {
            watch.expect_long_first_lap();
            wait_ms(&mut watch)
        }];
        assert!((waits[0] - 6.0).abs() < 0.01 && (waits[1] - 60.0).abs() < 0.1, "{waits:?}");
    }

    #[test]
    fn a_sixteenth_of_what_the_longest_lap_was_longer_is_forgotten_in_a_lap() {
        let mut watch = watch();
        for (left_at, lap) in [(0.0, 5.0), (5.0, 1.8)] {
            let number = watch.send(ms(left_at));
            assert!(watch.admits(ms(left_at + lap), number));
        }
        assert!((wait_ms(&mut watch) - 2.0 * (5.0 - 3.2 / 16.0)).abs() < 1e-6);
    }

    #[test]
    fn the_time_to_wait_is_doubled_eight_times_at_most() {
        let mut watch = watch();
        let waits: Vec<f64> = (0..100)
            .map(|_| {
                let wait = wait_ms(&mut watch);
                assert!(watch.gives_up(ms(1e3 + wait)));
                wait / 6.0
            })
            .collect();
        let rounded = |frames: usize| waits[frames].round();
        assert_eq!([0, 7, 8, 56, 63, 64, 72, 99].map(rounded), [1.0, 1.0, 2.0, 128.0, 128.0, 256.0, 256.0, 256.0]);
    }

    #[test]
    fn who_is_woken_late_by_a_quarter_of_the_time_has_slept() {
        for (late_ms, has_slept) in [(0.45, false), (0.55, true)] {
            let mut watch = watch();
            let first = watch.send(ms(0.0));
            assert!(watch.admits(ms(1.0), first));
            watch.send(ms(1.0));
            assert_eq!(watch.gives_up(ms(3.0 + late_ms)), !has_slept, "{late_ms} ms");
        }
    }

    /// Gives up so many frames, each sent 1 s after the one before, and the first one 1 s after the start.
    fn given_up(watch: &mut Watch, frames: usize) -> Number {
        let mut first = None;
        for frame in 0..frames {
            let left_at = 1e3 * (frame + 1) as f64;
            let number = watch.send(ms(left_at));
            assert!(watch.gives_up(watch.given_up_at().unwrap()));
            first = first.or(Some(number));
        }
        first.unwrap()
    }

    #[test]
    fn the_lap_of_a_frame_given_up_fifteen_generations_ago_is_measured() {
        let mut watch = watch();
        let first = given_up(&mut watch, 15);
        watch.send(ms(16e3));
        watch.admits(ms(16e3 + 1.0), first);
        assert_eq!(watch.longest, Some(Span::from_millis(15_001)));
    }

    /// The sixteenth generation after a frame has that one's number again.
    #[test]
    fn a_copy_is_not_taken_for_the_frame_of_sixteen_generations_ago() {
        let mut watch = watch();
        let first = given_up(&mut watch, 16);
        let again = watch.send(ms(17e3));
        assert_eq!(again, first);
        assert!(watch.admits(ms(17e3 + 1.0), again));
        watch.send(ms(17e3 + 1.0));
        assert!(!watch.admits(ms(17e3 + 1.1), first));
        assert_eq!(watch.longest, Some(Span::from_millis(1)));
    }

    #[test]
    fn a_frame_that_comes_back_is_never_given_up() {
        let mut watch = watch();
        let mut at = 0.0;
        for lap in 0..100 {
            let number = watch.send(ms(at));
            assert!(watch.given_up_at().unwrap() > ms(at + 1.3));
            at += if lap % 10 == 9 { 1.9 } else { 1.01 };
            assert!(!watch.gives_up(ms(at)));
            assert!(watch.admits(ms(at), number));
            assert!(!watch.admits(ms(at), number), "a copy");
        }
    }

    #[test]
    fn a_lost_frame_is_replaced_after_two_laps_and_later_after_many() {
        let mut watch = watch();
        let first = watch.send(ms(0.0));
        assert!(watch.admits(ms(1.0), first));
        let lost = watch.send(ms(1.0));
        let due = watch.given_up_at().unwrap();
        assert!(due > ms(3.0) && due < ms(3.01));
        assert!(watch.gives_up(due));
        let waits: Vec<u64> = (0..24)
            .map(|_| {
                let at = due;
                watch.send(at);
                let wait = watch.given_up_at().unwrap().since(at);
                assert!(watch.gives_up(at + wait));
                wait.as_nanos() / 1_000_000
            })
            .collect();
        assert_eq!((&waits[..7], &waits[7..15], waits[23]), (&[2; 7][..], &[4; 8][..], 16));
        assert!(!watch.admits(ms(50.0), lost), "hardly to be told from a new one, but it is none");
    }

    #[test]
    fn a_frame_that_comes_after_it_was_given_up_teaches_patience() {
        let mut watch = watch();
        let first = watch.send(ms(0.0));
        assert!(watch.admits(ms(1.0), first));
        let late = watch.send(ms(1.0));
        assert!(watch.gives_up(ms(3.1)));
        let new = watch.send(ms(3.1));
        assert!(!watch.admits(ms(5.0), late), "it is the older one");
        assert!(watch.admits(ms(7.0), new));
        watch.send(ms(7.0));
        assert!(watch.given_up_at().unwrap() > ms(14.5));
    }

    #[test]
    fn who_has_slept_waits_once_more() {
        let mut watch = watch();
        let first = watch.send(ms(0.0));
        assert!(watch.admits(ms(1.0), first));
        let number = watch.send(ms(1.0));
        assert!(!watch.gives_up(ms(51.0)), "perhaps others have slept as well");
        assert!(watch.given_up_at().unwrap() > ms(53.0));
        assert!(watch.clone().gives_up(ms(60.0)));
        assert!(watch.admits(ms(51.9), number));
    }

    #[test]
    fn the_count_goes_on_from_a_newer_number() {
        let mut watch = watch();
        watch.send(ms(0.0));
        let foreign = Number::of_byte(0x35);
        assert!(watch.admits(ms(0.5), foreign));
        assert_eq!(watch.send(ms(0.5)), foreign.next_lap());
    }
}
