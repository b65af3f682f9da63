//! Where packets come from.
//!
//! A source is pulled: it knows when its next packet arises and makes it when a
//! queue asks. It never schedules an event, so what a full queue refuses costs
//! a few nanoseconds and nothing else.

use crate::offer::{Arrivals, Traffic};
use fairwire_core::{BitRate, Instant, RandomStream, Serialiser, Span};
use rand::{Rng, RngExt};
use rand_distr::{Exp1, Pareto};

/// One flow's source.
#[derive(Clone, Debug)]
pub struct Source {
    pub flow: u32,
    pub egress: u16,
    /// Packets made so far.
    pub offered: u64,
    pub offered_bytes: u64,
    /// Packets that found the station queue full.
    pub refused: u64,
    /// When the next packet arises, `u64::MAX` if never; any time for a greedy source.
    next_at: u64,
    next_size: u16,
    stop: u64,
    pattern: Pattern,
    sizes: Sizes,
    rng: RandomStream,
}

/// What a source offers, and when.
#[derive(Clone, Copy, Debug)]
pub struct Offering {
    pub traffic: Traffic,
    pub start: Instant,
    pub stop: Instant,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    pub taken: bool,
    /// There is no room for another as large that arises up to and including then.
    pub full_until: Option<u64>,
}

#[derive(Clone, Debug)]
enum Pattern {
    Greedy,
    Cbr(Cbr),
    Poisson { mean_interval_ns: f64 },
    ParetoOnOff { spacing: Serialiser, on: Pareto<f64>, off: Option<Pareto<f64>>, on_until: u64 },
}

/// Constant rate with jittered intervals.
#[derive(Clone, Debug)]
struct Cbr {
    spacing: Serialiser,
    /// In units of 2^-32.
    jitter: u64,
    /// The largest swing of the interval after a packet of the expected size.
    size: u16,
    swing: u64,
}

impl Cbr {
    fn new(rate: BitRate, jitter: f64) -> Self {
        Self { spacing: Serialiser::new(rate), jitter: (jitter * 4_294_967_296.0) as u64, size: 0, swing: 0 }
    }

    /// From a packet of `size` to the next: uniform around its time at the rate.
    #[inline(always)]
    fn interval(&mut self, size: u16, rng: &mut RandomStream) -> u64 {
        let interval = self.spacing.transmit(size.into()).as_nanos();
        if size != self.size {
            self.expect(size, interval);
        }
        self.jittered(interval, rng)
    }

    /// The same for the size that is expected.
    #[inline(always)]
    fn usual_interval<const JITTERED: bool>(&mut self, rng: &mut RandomStream) -> u64 {
        let interval = self.spacing.transmit(self.size.into()).as_nanos();
        if JITTERED { self.jittered(interval, rng) } else { interval }
    }

    /// From now on packets have `size` and follow each other in such intervals.
    fn expect(&mut self, size: u16, interval: u64) {
        self.size = size;
        self.swing = times_fraction(interval, self.jitter);
    }

    #[inline(always)]
    fn jittered(&self, interval: u64, rng: &mut RandomStream) -> u64 {
        if self.jitter == 0 {
            return interval;
        }
        // Carried remainders make intervals of one size differ by a nanosecond.
        let swing = self.swing.min(interval);
        interval - swing + times_fraction(2 * swing + 1, rng.next_u32().into())
    }

    /// From a packet of the expected size to the first one that comes more than
    /// `span` later: how many intervals these are, and how long.
    #[inline(always)]
    fn intervals_past<const JITTERED: bool>(&mut self, span: u64, rng: &mut RandomStream) -> (u64, u64) {
        if !JITTERED {
            let (count, time) = self.spacing.transmit_for(Span::from_nanos(span + 1), self.size.into());
            return (count, time.as_nanos());
        }
        let (mut count, mut time) = (0, 0);
        while time <= span {
            time += self.usual_interval::<true>(rng);
            count += 1;
        }
        (count, time)
    }
}

#[derive(Clone, Copy, Debug)]
struct Sizes {
    least: u16,
    /// How many sizes there are above the least; 0 without jitter.
    spread: u16,
}

impl Sizes {
    fn new(traffic: &Traffic) -> Self {
        let swing = (f64::from(traffic.packet_bytes) * traffic.size_jitter) as u16;
        Self { least: (traffic.packet_bytes - swing).max(1), spread: 2 * swing }
    }

    /// Uniform between the least and the greatest.
    #[inline(always)]
    fn draw(self, rng: &mut RandomStream) -> u16 {
        if self.spread == 0 {
            return self.least;
        }
        self.least + times_fraction(u64::from(self.spread) + 1, rng.next_u32().into()) as u16
    }
}

impl Source {
    /// The source of `flow`, whose packets go to `egress`. In a queue of its own a
    /// greedy one has a packet whenever asked; where it `shares` a queue it offers
    /// `line_rate`.
    pub fn new(flow: u32, egress: u16, plan: &Offering, shares: bool, line_rate: BitRate, rng: RandomStream) -> Self {
        let traffic = &plan.traffic;
        let pattern = match traffic.arrivals {
            Arrivals::Greedy if shares => Pattern::Cbr(Cbr::new(line_rate, 0.0)),
            Arrivals::Greedy => Pattern::Greedy,
            Arrivals::Cbr { rate, jitter } => Pattern::Cbr(Cbr::new(rate, jitter)),
            Arrivals::Poisson { rate } => {
                let bits = f64::from(traffic.packet_bytes) * 8.0;
                Pattern::Poisson { mean_interval_ns: bits * 1e9 / rate.as_bps_f64() }
            }
            Arrivals::ParetoOnOff { peak, mean_on, mean_off, shape } => Pattern::ParetoOnOff {
                spacing: Serialiser::new(peak),
                on: pareto(mean_on.as_nanos(), shape).expect("a checked plan has a mean on-time above zero"),
                off: pareto(mean_off.as_nanos(), shape),
                on_until: 0,
            },
        };
        let mut source = Self {
            flow,
            egress,
            offered: 0,
            offered_bytes: 0,
            refused: 0,
            next_at: plan.start.as_nanos(),
            next_size: 0,
            stop: plan.stop.as_nanos(),
            pattern,
            sizes: Sizes::new(traffic),
            rng,
        };
        source.begin();
        source
    }

    /// Whether it makes a packet whenever it is asked.
    pub fn is_greedy(&self) -> bool {
        matches!(self.pattern, Pattern::Greedy)
    }

    /// When the next packet arises, `u64::MAX` if never again. A greedy source
    /// has one at any time from its start on and until [`Source::stop`].
    #[inline(always)]
    pub fn next_at(&self) -> u64 {
        self.next_at
    }

    /// Size of the next packet.
    #[inline(always)]
    pub fn next_size(&self) -> u16 {
        self.next_size
    }

    /// When it stops, in ns.
    pub fn stop(&self) -> u64 {
        self.stop
    }

    /// Makes no packet any more.
    pub fn end(&mut self) {
        self.next_at = u64::MAX;
    }

    /// Takes the next packet's size and moves on to the one after.
    #[inline(always)]
    pub fn take(&mut self) -> u16 {
        let size = self.next_size;
        self.offered += 1;
        self.offered_bytes += u64::from(size);
        self.advance(size);
        size
    }

    /// Offers all packets that arise before `stop` to `put`. The common kinds run
    /// on copies of their state, which then stay in registers.
    #[inline(always)]
    pub fn offer_until(&mut self, stop: u64, mut put: impl FnMut(u64, u16) -> Offer) {
        match &self.pattern {
            Pattern::Cbr(cbr) if self.sizes.spread == 0 => {
                let clock = cbr.clone();
                match clock.jitter {
                    0 => self.offer_equal_until::<false>(clock, stop, put),
                    _ => self.offer_equal_until::<true>(clock, stop, put),
                }
            }
            _ => {
                while self.next_at < stop {
                    let born = self.next_at;
                    let size = self.take();
                    self.refused += u64::from(!put(born, size).taken);
                }
            }
        }
    }

    /// As [`Source::offer_until`] for packets of one size; whoever refuses one
    /// refuses those that follow until something changes, unasked.
    #[inline(always)]
    fn offer_equal_until<const JITTERED: bool>(
        &mut self,
        mut clock: Cbr,
        stop: u64,
        mut put: impl FnMut(u64, u16) -> Offer,
    ) {
        let (mut rng, mut next_at, size) = (self.rng.clone(), self.next_at, self.next_size);
        let stop = self.stop.min(stop);
        let (mut taken, mut refused) = (0, 0);
        while next_at < stop {
            let offer = put(next_at, size);
            if offer.taken {
                taken += 1;
                next_at += clock.usual_interval::<JITTERED>(&mut rng);
            }
            let refused_until = offer.full_until.map_or(0, |until| until.min(stop - 1) + 1);
            if next_at < refused_until {
                let (count, time) = clock.intervals_past::<JITTERED>(refused_until - 1 - next_at, &mut rng);
                refused += count;
                next_at += time;
            }
        }
        (self.pattern, self.rng, self.next_at) = (Pattern::Cbr(clock), rng, next_at);
        self.offered += taken + refused;
        self.offered_bytes += (taken + refused) * u64::from(size);
        self.refused += refused;
        self.stop_in_time();
    }

    fn begin(&mut self) {
        self.next_size = self.sizes.draw(&mut self.rng);
        match &mut self.pattern {
            Pattern::Poisson { mean_interval_ns } => {
                let interval: f64 = self.rng.sample::<f64, _>(Exp1) * *mean_interval_ns;
                self.next_at = self.next_at.saturating_add(interval.round() as u64);
            }
            Pattern::ParetoOnOff { on, on_until, .. } => {
                *on_until = self.next_at.saturating_add(self.rng.sample(*on) as u64);
            }
            Pattern::Cbr(cbr) => {
                let interval = cbr.spacing.clone().transmit(self.next_size.into()).as_nanos();
                cbr.expect(self.next_size, interval);
            }
            Pattern::Greedy => {}
        }
        self.stop_in_time();
    }

    #[inline(always)]
    fn advance(&mut self, size: u16) {
        match &mut self.pattern {
            Pattern::Greedy => {}
            Pattern::Cbr(cbr) => self.next_at += cbr.interval(size, &mut self.rng),
            _ => self.advance_irregular(size),
        }
        self.next_size = self.sizes.draw(&mut self.rng);
        self.stop_in_time();
    }

    #[inline(never)]
    fn advance_irregular(&mut self, size: u16) {
        match &mut self.pattern {
            Pattern::Greedy | Pattern::Cbr(_) => {}
            Pattern::Poisson { mean_interval_ns } => {
                let interval: f64 = self.rng.sample::<f64, _>(Exp1) * *mean_interval_ns;
                self.next_at = self.next_at.saturating_add(interval.round() as u64);
            }
            Pattern::ParetoOnOff { spacing, on, off, on_until } => {
                self.next_at = self.next_at.saturating_add(spacing.transmit(size.into()).as_nanos());
                while self.next_at >= *on_until && self.next_at < self.stop {
                    let silence = off.map_or(0.0, |off| self.rng.sample(off)) as u64;
                    // What is left of an interval goes on in the next on period: a packet at the
                    // start of each would make short periods offer more than their share.
                    self.next_at = self.next_at.saturating_add(silence);
                    *on_until = on_until.saturating_add(silence).saturating_add(self.rng.sample(*on) as u64);
                }
            }
        }
    }

    #[inline(always)]
    fn stop_in_time(&mut self) {
        if self.next_at >= self.stop {
            self.next_at = u64::MAX;
        }
    }
}

/// `value` times a fraction given in units of 2^-32, rounded down.
#[inline(always)]
fn times_fraction(value: u64, fraction: u64) -> u64 {
    // Intervals and sizes are far below 2^32 in their units but for the slowest of sources.
    match value.checked_mul(fraction) {
        Some(product) => product >> 32,
        None => ((u128::from(value) * u128::from(fraction)) >> 32) as u64,
    }
}

/// A Pareto distribution of this mean; none if the mean is zero.
fn pareto(mean_ns: u64, shape: f64) -> Option<Pareto<f64>> {
    let scale = mean_ns as f64 * (shape - 1.0) / shape;
    Pareto::new(scale, shape).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::Streams;

    fn source(draw: &mut RandomStream) -> Source {
        let rate = BitRate::from_bps(draw.random_range(1_000_000..20_000_000_000));
        let jitter = [0.0, 0.3, 1.0][draw.random_range(0..3)];
        let size_jitter = [0.0, 0.5][draw.random_range(0..2)];
        let start = draw.random_range(0..50_000);
        let plan = Offering {
            traffic: Traffic { arrivals: Arrivals::Cbr { rate, jitter }, packet_bytes: 1_000, size_jitter },
            start: Instant::from_nanos(start),
            stop: Instant::from_nanos(start + draw.random_range(1..2_000_000)),
        };
        Source::new(0, 1, &plan, false, rate, Streams::new(draw.next_u64(), 0).component("source"))
    }

    /// A place for one packet that is free again `hold` ns after each.
    fn accept(room_from: &mut u64, hold: u64, born: u64) -> Offer {
        let taken = born >= *room_from;
        if taken {
            *room_from = born + hold;
        }
        Offer { taken, full_until: (*room_from > born).then(|| *room_from - 1) }
    }

    #[test]
    fn passing_over_refused_packets_is_as_offering_each() {
        let mut draw = Streams::new(622, 0).component("sources");
        for _ in 0..500 {
            let mut at_once = source(&mut draw);
            let mut one_by_one = at_once.clone();
            let hold = [1, 3_000, 100_000][draw.random_range(0..3)];
            let (mut taken, mut expected) = (Vec::new(), Vec::new());
            let (mut room_from, mut slow_room_from) = (0, 0);
            for _ in 0..20 {
                let stop = at_once.next_at().saturating_add(draw.random_range(0..300_000));
                at_once.offer_until(stop, |born, size| {
                    let offer = accept(&mut room_from, hold, born);
                    taken.extend(offer.taken.then_some((born, size)));
                    offer
                });
                while one_by_one.next_at() < stop {
                    let (born, size) = (one_by_one.next_at(), one_by_one.take());
                    let took = accept(&mut slow_room_from, hold, born).taken;
                    expected.extend(took.then_some((born, size)));
                    one_by_one.refused += u64::from(!took);
                }
                assert_eq!((at_once.next_at(), at_once.refused), (one_by_one.next_at(), one_by_one.refused));
                assert_eq!(at_once.offered_bytes, one_by_one.offered_bytes);
            }
            assert_eq!((taken, at_once.offered), (expected, one_by_one.offered));
        }
    }
}
