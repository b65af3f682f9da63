//! Packets at a constant rate.

use fairwire_core::{BitRate, EqualPackets, Pace, RandomStream, Serialiser, Timetable};
use prefetch_index::prefetch_index;
use rand::Rng;
use std::slice;

/// Constant rate with jittered intervals.
#[derive(Clone, Debug)]
pub struct Cbr {
    spacing: Serialiser,
    /// In units of 2^-32.
    jitter: u64,
    /// The largest swing of the interval after a packet of the expected size.
    size: u16,
    swing: u64,
    /// Of packets of the least size, which all have if sizes are equal.
    pace: Option<Pace>,
}

impl Cbr {
    /// Packets of `least_size` or more.
    pub fn new(rate: BitRate, jitter: f64, least_size: u16) -> Self {
        let mut spacing = Serialiser::new(rate);
        let pace = spacing.packets_of(least_size.into()).pace();
        Self { spacing, jitter: (jitter * 4_294_967_296.0) as u64, size: 0, swing: 0, pace }
    }

    /// The first packet will have `size`.
    pub fn begin(&mut self, size: u16) {
        let interval = self.spacing.clone().transmit(size.into()).as_nanos();
        self.expect(size, interval);
    }

    /// It will soon be asked for an interval.
    #[inline]
    pub fn look_ahead(&self) {
        prefetch_index(slice::from_ref(&self.spacing), 0);
        prefetch_index(slice::from_ref(&self.swing), 0);
    }

    pub fn is_jittered(&self) -> bool {
        self.jitter > 0
    }

    /// From a packet of `size` to the next: uniform around its time at the rate.
    #[inline(always)]
    pub fn interval(&mut self, size: u16, rng: &mut RandomStream) -> u64 {
        let interval = self.spacing.transmit(size.into()).as_nanos();
        if size != self.size {
            self.expect(size, interval);
        }
        self.jittered(interval, rng)
    }

    /// From now on packets have `size` and follow each other in such intervals.
    fn expect(&mut self, size: u16, interval: u64) {
        self.size = size;
        self.swing = times_fraction(interval, self.jitter);
    }

    #[inline(always)]
    fn jittered(&self, interval: u64, rng: &mut RandomStream) -> u64 {
        if self.jitter == 0 { interval } else { jittered(interval, self.swing, rng) }
    }
}

/// Uniform in an interval ± `swing`.
#[inline(always)]
fn jittered(interval: u64, swing: u64, rng: &mut RandomStream) -> u64 {
    // Carried remainders make intervals of one size differ by a nanosecond.
    let swing = swing.min(interval);
    interval - swing + times_fraction(2 * swing + 1, rng.next_u32().into())
}

/// A source of equal packets at a constant rate, taken out of its place for a while: a
/// copy of what it needs, which then stays in registers.
pub struct Steady<const JITTERED: bool> {
    spacing: EqualPackets,
    pace: Option<Pace>,
    swing: u64,
    pub(super) rng: RandomStream,
    /// Once the source has stopped, some time after that.
    pub(super) next_at: u64,
    stop: u64,
    pub(super) refused: u64,
}

impl<const JITTERED: bool> Steady<JITTERED> {
    pub(super) fn new(clock: &mut Cbr, rng: RandomStream, next_at: u64, stop: u64) -> Self {
        let spacing = clock.spacing.packets_of(clock.size.into());
        Self { spacing, pace: clock.pace, swing: clock.swing, rng, next_at, stop, refused: 0 }
    }

    /// Tells `clock`, from which it was made, how far it has gone.
    pub(super) fn tell(&self, clock: &mut Cbr) {
        clock.spacing.resume(self.spacing);
    }

    /// When the next packet arises, if that is before [`Steady::stop`].
    #[inline(always)]
    pub fn next_at(&self) -> u64 {
        self.next_at
    }

    /// When the source stops.
    #[inline(always)]
    pub fn stop(&self) -> u64 {
        self.stop
    }

    /// The next packet is taken.
    #[inline(always)]
    pub fn take(&mut self) {
        self.next_at += self.interval();
    }

    #[inline(always)]
    fn interval(&mut self) -> u64 {
        let interval = self.spacing.transmit();
        if JITTERED { jittered(interval, self.swing, &mut self.rng) } else { interval }
    }

    /// When its packets arise, after the next one, which has number 0; none if that is left to chance, or at
    /// 1 bit/s.
    #[inline(always)]
    pub fn timetable(&self) -> Option<Timetable> {
        Some(self.spacing.timetable(self.pace.filter(|_| !JITTERED)?))
    }

    /// Of the next `packets`, which are as this `timetable` has it, so many are taken, and the others are refused.
    #[inline(always)]
    pub fn go_by(&mut self, timetable: &Timetable, packets: u64, taken: u64) {
        self.next_at += self.spacing.transmit_by(timetable, packets);
        self.refused += packets - taken;
    }

    /// The next packet and all others that arise up to and including `until`, which is before the source stops,
    /// are refused.
    #[inline(always)]
    pub fn refuse_until(&mut self, until: u64) {
        if !JITTERED {
            let (count, time) = self.spacing.transmit_past(until - self.next_at);
            self.refused += count;
            self.next_at += time;
            return;
        }
        while self.next_at <= until {
            self.take();
            self.refused += 1;
        }
    }
}

/// `value` times a fraction given in units of 2^-32, rounded down.
#[inline(always)]
pub fn times_fraction(value: u64, fraction: u64) -> u64 {
    // Intervals and sizes are far below 2^32 in their units but for the slowest of sources.
    match value.checked_mul(fraction) {
        Some(product) => product >> 32,
        None => ((u128::from(value) * u128::from(fraction)) >> 32) as u64,
    }
}
