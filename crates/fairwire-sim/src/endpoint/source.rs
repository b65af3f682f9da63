//! Where packets come from.
//!
//! A source is pulled: it knows when its next packet arises and makes it when a
//! queue asks. It never schedules an event, so what a full queue refuses costs
//! a few nanoseconds and nothing else.

use super::steady::{Cbr, Steady, times_fraction};
use fairwire_core::{BitRate, Instant, RandomStream, Serialiser, Streams};
use fairwire_plan::{Arrivals, Traffic};
use prefetch_index::prefetch_index;
use rand::{Rng, RngExt};
use rand_distr::{Exp1, Pareto};
use std::slice;

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
    /// When the present pattern ends.
    stop: u64,
    changes: Option<Box<Changes>>,
    pattern: Pattern,
    sizes: Sizes,
    rng: RandomStream,
}

/// What a source offers later.
#[derive(Clone, Debug)]
struct Changes {
    traffic: Traffic,
    start: u64,
    /// When the source stops for good.
    end: u64,
    /// From when on it offers which rate, the next one at the end.
    to_come: Vec<(u64, BitRate)>,
}

/// What a source offers, and when.
#[derive(Clone, Copy, Debug)]
pub struct Offering {
    pub traffic: Traffic,
    pub start: Instant,
    pub stop: Instant,
}

#[derive(Clone, Debug)]
enum Pattern {
    Greedy,
    Cbr(Cbr),
    Poisson { mean_interval_ns: f64 },
    ParetoOnOff { spacing: Serialiser, on: Pareto<f64>, off: Option<Pareto<f64>>, on_until: u64 },
}

#[derive(Clone, Copy, Debug)]
struct Sizes {
    least: u16,
    /// How many sizes there are above the least; 0 without jitter.
    spread: u16,
}

impl Sizes {
    fn new(traffic: &Traffic) -> Self {
        let (least, greatest) = traffic.sizes().into_inner();
        Self { least, spread: greatest - least }
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

impl Pattern {
    fn of(traffic: &Traffic) -> Self {
        match traffic.arrivals {
            Arrivals::Greedy => Self::Greedy,
            Arrivals::Cbr { rate, jitter } => Self::Cbr(Cbr::new(rate, jitter, Sizes::new(traffic).least)),
            Arrivals::Poisson { rate } => {
                let bits = f64::from(traffic.packet_bytes) * 8.0;
                Self::Poisson { mean_interval_ns: bits * 1e9 / rate.as_bps_f64() }
            }
            Arrivals::ParetoOnOff { peak, mean_on, mean_off, shape } => Self::ParetoOnOff {
                spacing: Serialiser::new(peak),
                on: pareto(mean_on.as_nanos(), shape).expect("a checked plan has a mean on-time above zero"),
                off: pareto(mean_off.as_nanos(), shape),
                on_until: 0,
            },
        }
    }
}

impl Source {
    /// The source of `flow`, whose packets go to `egress`. In a queue of its own a
    /// greedy one has a packet whenever asked; where it `shares` a queue it offers
    /// `line_rate`.
    pub fn new(flow: u32, egress: u16, plan: &Offering, shares: bool, line_rate: BitRate, rng: RandomStream) -> Self {
        let traffic = &plan.traffic;
        let sizes = Sizes::new(traffic);
        let pattern = match traffic.arrivals {
            Arrivals::Greedy if shares => Pattern::Cbr(Cbr::new(line_rate, 0.0, sizes.least)),
            _ => Pattern::of(traffic),
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
            changes: None,
            pattern,
            sizes,
            rng,
        };
        source.begin();
        source
    }

    /// One that makes nothing, ever.
    pub fn silent() -> Self {
        let traffic = Traffic { arrivals: Arrivals::Greedy, packet_bytes: 1, size_jitter: 0.0 };
        let never = Offering { traffic, start: Instant::NEVER, stop: Instant::NEVER };
        Self::new(0, 0, &never, false, BitRate::ZERO, Streams::new(0, 0).component("silent"))
    }

    /// The same one, which has made nothing yet, with other rates from some time on. It was made for `plan`.
    pub fn with_changes(mut self, plan: &Offering, changes: impl IntoIterator<Item = (Instant, BitRate)>) -> Self {
        let mut to_come: Vec<_> = changes.into_iter().map(|(at, rate)| (at.as_nanos(), rate)).collect();
        // Of two at one instant the second one counts: it is taken after the first, which makes nothing.
        to_come.sort_by_key(|(at, _)| *at);
        to_come.reverse();
        if let Some((first, _)) = to_come.last() {
            self.stop = self.stop.min(*first);
            let (traffic, start, end) = (plan.traffic, plan.start.as_nanos(), plan.stop.as_nanos());
            self.changes = Some(Box::new(Changes { traffic, start, end, to_come }));
            self.stop_in_time();
        }
        self
    }

    /// It will soon be asked: what the next packet needs is fetched into the cache.
    #[inline]
    pub fn look_ahead(&self) {
        prefetch_index(slice::from_ref(&self.next_at), 0);
        prefetch_index(slice::from_ref(&self.rng), 0);
        match &self.pattern {
            Pattern::Cbr(cbr) => cbr.look_ahead(),
            Pattern::Greedy | Pattern::Poisson { .. } | Pattern::ParetoOnOff { .. } => {}
        }
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

    pub fn has_equal_sizes(&self) -> bool {
        self.sizes.spread == 0
    }

    /// As [`Source::take`], `count` times, for a greedy source of equal packets.
    pub fn take_equal(&mut self, count: u64) {
        self.offered += count;
        self.offered_bytes += count * u64::from(self.next_size);
    }

    /// Whether its packets are equal and come at a constant rate, and if so, whether their
    /// intervals are jittered: then it can be taken out as [`Steady`].
    #[inline(always)]
    pub fn is_steady(&self) -> Option<bool> {
        match &self.pattern {
            // What fills a queue in one go would end where the rate changes.
            Pattern::Cbr(cbr) if self.has_equal_sizes() && self.changes.is_none() => Some(cbr.is_jittered()),
            _ => None,
        }
    }

    /// Takes a steady source out of its place; none that is not steady. [`Source::go_on`] is to follow.
    #[inline(always)]
    pub fn take_out<const JITTERED: bool>(&mut self) -> Option<Steady<JITTERED>> {
        let Pattern::Cbr(clock) = &mut self.pattern else { return None };
        Some(Steady::new(clock, self.rng.clone(), self.next_at, self.stop))
    }

    /// Goes on where `steady` stands, which was taken out of here; `taken` packets of it were taken.
    #[inline(always)]
    pub fn go_on<const JITTERED: bool>(&mut self, steady: Steady<JITTERED>, taken: u64) {
        if let Pattern::Cbr(clock) = &mut self.pattern {
            steady.tell(clock);
        }
        let Steady { rng, next_at, refused, .. } = steady;
        (self.rng, self.next_at) = (rng, next_at);
        self.offered += taken + refused;
        self.offered_bytes += (taken + refused) * u64::from(self.next_size);
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
            Pattern::Cbr(cbr) => cbr.begin(self.next_size),
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
            if self.changes.is_some() {
                self.begin_anew();
            }
        }
    }

    /// The present pattern is over: the next one begins that makes a packet, if there is one.
    #[cold]
    fn begin_anew(&mut self) {
        while let Some(changes) = &mut self.changes
            && let Some((at, rate)) = changes.to_come.pop()
        {
            let until = changes.to_come.last().map_or(changes.end, |(next, _)| changes.end.min(*next));
            let begin = at.max(changes.start);
            self.stop = until;
            if begin >= until || rate == BitRate::ZERO {
                continue;
            }
            let Some(arrivals) = changes.traffic.arrivals.at_rate(rate) else { continue };
            self.pattern = Pattern::of(&Traffic { arrivals, ..changes.traffic });
            self.next_at = begin;
            // Comes back here if this one makes no packet either.
            return self.begin();
        }
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

    fn source(draw: &mut RandomStream) -> Source {
        let rate = BitRate::from_bps(draw.random_range(1_000_000..20_000_000_000));
        let jitter = [0.0, 0.3, 1.0][draw.random_range(0..3)];
        let start = draw.random_range(0..50_000);
        let plan = Offering {
            traffic: Traffic { arrivals: Arrivals::Cbr { rate, jitter }, packet_bytes: 1_000, size_jitter: 0.0 },
            start: Instant::from_nanos(start),
            stop: Instant::from_nanos(start + draw.random_range(1..2_000_000)),
        };
        Source::new(0, 1, &plan, false, rate, Streams::new(draw.next_u64(), 0).component("source"))
    }

    /// A place for one packet that is free again `hold` ns after each.
    struct Place {
        free_from: u64,
        hold: u64,
    }

    impl Place {
        fn takes(&mut self, born: u64) -> bool {
            let takes = born >= self.free_from;
            if takes {
                self.free_from = born + self.hold;
            }
            takes
        }

        /// Offers what a steady source makes before `stop`.
        fn fill<const JITTERED: bool>(&mut self, source: &mut Source, stop: u64, taken: &mut Vec<(u64, u16)>) {
            let mut steady = source.take_out::<JITTERED>().expect("equal packets at a constant rate are steady");
            let (stop, before) = (stop.min(steady.stop()), taken.len());
            while steady.next_at() < stop {
                let born = steady.next_at();
                if self.takes(born) {
                    taken.push((born, source.next_size()));
                    steady.take();
                } else {
                    steady.refuse_until((self.free_from - 1).min(stop - 1));
                }
            }
            source.go_on(steady, (taken.len() - before) as u64);
        }
    }

    #[test]
    fn refusing_all_up_to_some_time_is_as_refusing_each() {
        let mut draw = Streams::new(622, 0).component("sources");
        for _ in 0..500 {
            let mut at_once = source(&mut draw);
            let mut one_by_one = at_once.clone();
            let hold = [1, 3_000, 100_000][draw.random_range(0..3)];
            let (mut taken, mut expected) = (Vec::new(), Vec::new());
            let [mut place, mut slow_place] = [0, 0].map(|free_from| Place { free_from, hold });
            for _ in 0..20 {
                let stop = at_once.next_at().saturating_add(draw.random_range(0..300_000));
                match at_once.is_steady() {
                    Some(true) => place.fill::<true>(&mut at_once, stop, &mut taken),
                    Some(false) => place.fill::<false>(&mut at_once, stop, &mut taken),
                    None => unreachable!("equal packets at a constant rate are steady"),
                }
                while one_by_one.next_at() < stop {
                    let (born, size) = (one_by_one.next_at(), one_by_one.take());
                    let takes = slow_place.takes(born);
                    expected.extend(takes.then_some((born, size)));
                    one_by_one.refused += u64::from(!takes);
                }
                assert_eq!((at_once.next_at(), at_once.refused), (one_by_one.next_at(), one_by_one.refused));
                assert_eq!(at_once.offered_bytes, one_by_one.offered_bytes);
            }
            assert_eq!((taken, at_once.offered), (expected, one_by_one.offered));
        }
    }
}
