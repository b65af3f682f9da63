//! How far each station can be taken by itself.
//!
//! Stations touch each other only through wires, and what is sent takes at least
//! the wire's delay and the time of the smallest packet or message. So a station
//! can run up to the earliest instant at which something not yet on its wires
//! could arrive: this is what the literature on parallel simulation calls a
//! conservative horizon. A wire that no flow and no control frame ever uses bounds
//! nobody.
//!
//! Small as it is, the time of a message counts: a frame that circulates is late by
//! so much at every hop, and a bound without it would fall behind the frame, lap by lap,
//! until it held stations back in the middle of their stretches.

use super::passing::Passing;
use crate::ring::build;
use crate::ring::whole::Whole;
use fairwire_core::{Bytes, Ringlet};
use fairwire_plan::{FlowPlan, LinkPlan};

/// Packets of the largest size in the longest window: enough to pay for coming
/// to a station, few enough to stay in the processor's cache.
const PACKETS_A_WINDOW: u64 = 224;

/// Longest windows by which one station may be ahead of another that it has nothing to do with.
const WINDOWS_AHEAD: u64 = 4;

/// Packets and transfers that the sources of a station begin in the longest window, about: what they make is held until
/// the window is over, even if a full queue is going to refuse it.
const BEGUN_A_WINDOW: f64 = 65_536.0;

pub struct Horizons {
    places: Vec<StationHorizon>,
    longest_window: u64,
    /// Whether that is so because sources begin much.
    are_crowded: bool,
    /// Whether packets ever travel on each ringlet.
    carries_data: [bool; 2],
}

/// One after the other, stations are taken as far as they can go.
pub struct Tour {
    pub stations: Vec<usize>,
    /// The neighbours downstream on these ringlets are told at once until when they know what comes.
    pub tells: &'static [Ringlet],
    /// Only messages travel on this one: where none has to be sent, packets of the other one are left for another tour.
    pub leaves: Option<Ringlet>,
}

/// What is known of one station. What is by ringlet, is of the link that comes from upstream there, or of the one that leaves.
struct StationHorizon {
    /// What has been simulated of it.
    clock: u64,
    /// Nothing unknown arrives before.
    arriving: [u64; 2],
    /// What passes at least from the begin of a transmission to the arrival at the next station, without end if nothing is
    /// ever sent.
    delays: [u64; 2],
    downstream: [usize; 2],
    /// Whether packets come by, by ringlet.
    passes: [bool; 2],
    /// Whether it rests.
    rests: bool,
}

impl StationHorizon {
    /// It rests, and no packet comes by: nothing that it does or hears hangs on the time at which it is simulated.
    fn sleeps(&self) -> bool {
        self.rests && self.passes == [false; 2]
    }
}

/// Nothing sent from now on arrives sooner than this.
pub fn lookahead(plan: &Whole<'_>) -> u64 {
    plan.links.iter().flatten().map(|link| link.delay.as_nanos()).min().unwrap_or(0)
}

impl Horizons {
    /// For a law that sends messages, if it does, of `least_message` or more.
    pub fn new(plan: &Whole<'_>, passing: &Passing, least_message: Option<Bytes>) -> Self {
        let stations = plan.stations.len();
        let delays = Ringlet::BOTH.map(|ringlet| used_delays(plan, passing, ringlet, least_message));
        let place = |at: usize| StationHorizon {
            clock: 0,
            arriving: [u64::MAX; 2],
            delays: [delays[0][at], delays[1][at]],
            downstream: Ringlet::BOTH.map(|ringlet| ringlet.downstream(at, stations)),
            passes: Ringlet::BOTH.map(|ringlet| passing.at(ringlet, at)),
            rests: false,
        };
        let (usual, crowded) = (lookahead(plan).max(PACKETS_A_WINDOW * packet_time(plan)), crowded_window(plan));
        let mut horizons = Self {
            places: (0..stations).map(place).collect(),
            longest_window: usual.min(crowded),
            are_crowded: crowded < usual,
            carries_data: Ringlet::BOTH.map(|ringlet| passing.anywhere(ringlet)),
        };
        for ringlet in Ringlet::BOTH {
            (0..stations).for_each(|station| horizons.will_send(station, ringlet, 0));
        }
        horizons
    }

    /// All stations stand at `now`, and something may have come up meanwhile of which nobody was told: whatever is sent from
    /// now on arrives no sooner than it takes.
    pub fn begin_again(&mut self, now: u64) {
        for ringlet in Ringlet::BOTH {
            for station in 0..self.places.len() {
                if self.is_used(station, ringlet) {
                    self.will_send(station, ringlet, now);
                }
            }
        }
    }

    /// How far `station` can go now, if it can go on at all before `limit`.
    #[inline]
    pub fn next_stop(&self, station: usize, limit: u64) -> Option<u64> {
        let StationHorizon { clock, arriving: [zero, one], .. } = self.places[station];
        let stop = zero.min(one).min(clock + self.longest_window).min(limit);
        (stop > clock).then_some(stop)
    }

    /// `station` has been simulated up to `reached`, or farther.
    #[inline]
    pub fn has_reached(&mut self, station: usize, reached: u64) {
        let clock = &mut self.places[station].clock;
        *clock = reached.max(*clock);
    }

    /// From now on wires know what `station` sends, and no message matters to it: nobody is bounded by the links that leave
    /// it, nor is it by those that bring nothing but messages.
    pub fn rest(&mut self, station: usize) {
        self.places[station].rests = true;
        for ringlet in Ringlet::BOTH {
            let [on, back] = [ringlet.index(), ringlet.opposite().index()];
            let downstream = self.places[station].downstream[on];
            self.places[station].delays[on] = u64::MAX;
            self.places[downstream].arriving[on] = u64::MAX;
            if !self.places[station].passes[on] {
                let upstream = self.places[station].downstream[back];
                self.places[upstream].delays[on] = u64::MAX;
                self.places[station].arriving[on] = u64::MAX;
            }
        }
    }

    /// Whether a station that rests can be left for a later tour. It is taken on seldom, and far each time, but it never
    /// gets far ahead of neighbours that are awake. One that sleeps is left until all others are where the walk ends.
    #[inline]
    pub fn may_wait(&self, station: usize, limit: u64) -> bool {
        let place = &self.places[station];
        let StationHorizon { rests, clock, downstream, arriving: [zero, one], .. } = *place;
        rests && {
            let neighbours = downstream.map(|neighbour| &self.places[neighbour]);
            let ahead = neighbours.iter().any(|neighbour| !neighbour.sleeps() && neighbour.clock < clock);
            place.sleeps() || ahead || zero.min(one) < limit.min(clock + self.longest_window / 4)
        }
    }

    /// Stations that sleep, and stand before `limit`.
    pub fn sleepers(&self, limit: u64) -> Vec<usize> {
        let stations = self.places.iter().enumerate();
        stations.filter(|(_, place)| place.sleeps() && place.clock < limit).map(|(station, _)| station).collect()
    }

    /// Whether `ringlet` only ever carries control frames, and the other one carries packets. A tour down `ringlet` then
    /// leaves packets alone. The tour the other way moves them, in longer stretches.
    fn only_frames_go(&self, ringlet: Ringlet) -> bool {
        !self.carries_data[ringlet.index()] && self.carries_data[ringlet.opposite().index()]
    }

    /// The tours that take all stations on, one after the other, again and again.
    ///
    /// Where messages are `only_advice`, only packets are passed on at once, and all tours go one way. Each station has then
    /// heard of both its neighbours since its last turn, and gets as far as both allow. Under RPR's modes that is
    /// three aging intervals a turn; tours to and fro allow one and a half.
    pub fn tours(&self, only_advice: bool) -> Vec<Tour> {
        let way = |down: Ringlet, stations: Vec<usize>| match down {
            Ringlet::Zero => stations,
            Ringlet::One => stations.into_iter().rev().collect(),
        };
        let all: Vec<usize> = (0..self.places.len()).collect();
        if only_advice || !Ringlet::BOTH.iter().any(|ringlet| self.carries(*ringlet)) {
            let down = if self.only_frames_go(Ringlet::Zero) { Ringlet::One } else { Ringlet::Zero };
            return vec![Tour { stations: way(down, all), tells: &Ringlet::BOTH, leaves: None }];
        }
        let tour = |down: &'static Ringlet| Tour {
            stations: way(*down, self.those_a_sweep_is_for(*down)),
            tells: std::slice::from_ref(down),
            leaves: self.only_frames_go(*down).then_some(*down),
        };
        Ringlet::BOTH.iter().map(tour).collect()
    }

    /// The stations that a tour down `ringlet` takes on: none where nothing travels on `ringlet`. Where the other ringlet
    /// only carries frames, these are the stations that packets come by; the tour down the other one takes all.
    fn those_a_sweep_is_for(&self, ringlet: Ringlet) -> Vec<usize> {
        let opposite = ringlet.opposite();
        let others_wait = self.only_frames_go(opposite) && self.carries(opposite);
        let has_to_do =
            |station: &usize| self.carries(ringlet) && (self.places[*station].passes != [false; 2] || !others_wait);
        (0..self.places.len()).filter(has_to_do).collect()
    }

    /// By ringlet, the time before which nothing arrives at `station` that is not known already.
    #[inline]
    pub fn arriving(&self, station: usize) -> [u64; 2] {
        self.places[station].arriving
    }

    /// Whether the link of `ringlet` that leaves `station` ever carries anything.
    #[inline]
    pub fn is_used(&self, station: usize, ringlet: Ringlet) -> bool {
        self.places[station].delays[ringlet.index()] < u64::MAX
    }

    /// Whether anything ever travels on `ringlet`.
    fn carries(&self, ringlet: Ringlet) -> bool {
        (0..self.places.len()).any(|station| self.is_used(station, ringlet))
    }

    /// `station` sends nothing new on `ringlet` before `at`, nor before the time up to which it has been simulated.
    #[inline(always)]
    pub fn will_send(&mut self, station: usize, ringlet: Ringlet, at: u64) {
        let on = ringlet.index();
        let StationHorizon { clock, delays, downstream, .. } = &self.places[station];
        let (receiver, arriving) = (downstream[on], at.max(*clock).saturating_add(delays[on]));
        self.places[receiver].arriving[on] = arriving;
    }

    /// The time that no station goes beyond while others have only got to `reached`. Then little is under way at a time, and
    /// a run can end early.
    pub fn leash(&self, reached: u64) -> u64 {
        reached.saturating_add(WINDOWS_AHEAD * self.longest_window)
    }

    /// Whether a window takes long, as sources begin much.
    pub fn are_crowded(&self) -> bool {
        self.are_crowded
    }

    /// Every station that does not sleep has been simulated up to here, or to `limit`.
    pub fn reached(&self, limit: u64) -> u64 {
        self.places.iter().filter(|place| !place.sleeps()).fold(limit, |reached, place| reached.min(place.clock))
    }

    /// No station has been simulated beyond.
    pub fn farthest(&self) -> u64 {
        self.places.iter().map(|place| place.clock).max().unwrap_or(0)
    }
}

/// The longest window for the station whose sources begin most; a nanosecond at least.
fn crowded_window(plan: &Whole<'_>) -> u64 {
    let mut begun_per_s = vec![0.0; plan.stations.len()];
    for flow in plan.flows.iter() {
        begun_per_s[flow.from.index()] += begun(plan, flow) * f64::from(flow.micro_flows);
    }
    let most = begun_per_s.into_iter().fold(0.0, f64::max);
    ((BEGUN_A_WINDOW / most * 1e9) as u64).max(1)
}

/// What one micro-flow begins in a second, if that does not hang on what comes back. A greedy one that shares its queue offers
/// what the link carries, which costs nothing where all are one crowd.
fn begun(plan: &Whole<'_>, flow: &FlowPlan) -> f64 {
    let (ringlet, from) = (flow.ringlet, flow.from.index());
    let greedy = || {
        let shares = flow.micro_flows > 1 && flow.offer.is_greedy() && !build::is_crowd(flow);
        let bits = flow.offer.smallest_packet().bits() as f64;
        if shares { plan.most_of_link(ringlet, from).as_bps_f64() / bits } else { 0.0 }
    };
    flow.offer.begun_per_s().unwrap_or_else(greedy)
}

fn packet_time(plan: &Whole<'_>) -> u64 {
    let packet = build::max_packet(plan);
    plan.links.iter().flatten().map(|link| (packet / link.capacity).as_nanos()).min().unwrap_or(0)
}

/// What the links of `ringlet` take at least to bring something across, by the station they leave; without end where they
/// never carry anything.
fn used_delays(plan: &Whole<'_>, passing: &Passing, ringlet: Ringlet, least_message: Option<Bytes>) -> Vec<u64> {
    let governed = plan.flows.iter().any(|flow| flow.ringlet == ringlet.opposite());
    let frames = plan.protection.is_some() || (least_message.is_some() && governed);
    let least = if plan.protection.is_some() { Bytes::ZERO } else { least_of(plan, ringlet, least_message) };
    let delay = |(station, link): (usize, &LinkPlan)| {
        let used = frames || passing.from(ringlet, station);
        if used { (link.delay + least / plan.most_of_link(ringlet, station)).as_nanos() } else { u64::MAX }
    };
    plan.links[ringlet.index()].iter().enumerate().map(delay).collect()
}

/// The smallest of what a ring without protection ever sends on `ringlet`: packets, and messages that may come from the
/// laws of either ringlet. What is brought from outside may be of any size.
fn least_of(plan: &Whole<'_>, ringlet: Ringlet, least_message: Option<Bytes>) -> Bytes {
    if plan.is_fed() {
        return Bytes::new(1);
    }
    let flows = plan.flows.iter().filter(|flow| flow.ringlet == ringlet);
    flows.map(|flow| flow.offer.smallest_packet()).chain(least_message).min().unwrap_or(Bytes::ZERO)
}
