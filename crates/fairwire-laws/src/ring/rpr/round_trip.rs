//! The round trip of a congestion domain (FRTT): how long a head waits before the
//! effect of one change of its rate can be told from the next.
//!
//! Computed from what a station knows, fixed, or measured as the sum of
//!
//! - LRTT, the time of the loop head – tail – head ahead of all data: the head asks
//!   with a control frame of type 4 that goes up, the tail answers with one of type 5;
//! - FDD, by how much traffic of class C is slower than class A from tail to head: every
//!   so often the tail sends two frames of type 6 at once, one ahead of all data, one in
//!   the secondary transit queues, and the head takes the time between them.
//!
//! That FRTT = LRTT + FDD, and who sends what, is public knowledge of 802.17; what the
//! frames hold, and that the head learns from FDD frames who the tail is, are ours.

use crate::frame::{Address, ControlFrame, ControlType, MAX_TTL};
use crate::ring::{MessageQueue, RingSite};
use fairwire_core::{Bytes, Instant, Ringlet, Span, StationId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a station knows the round trip of its congestion domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoundTripWay {
    /// Twice the propagation time to the farthest station whose traffic it forwards,
    /// what waits in its secondary transit queue, and two aging intervals.
    Computed,
    /// By frames: LRTT + FDD; computed until the first answer.
    Measured,
    /// The fixed time that `rtt` tells.
    Fixed,
}

/// The loop to a tail is measured anew after so long.
const LOOP_LASTS: Span = Span::from_millis(1_000);

/// A frame that a measurement sends, and which way.
#[derive(Clone, Debug, PartialEq)]
pub enum Sent {
    /// Against the data.
    Up(ControlFrame),
    /// With the data.
    Down(ControlFrame, MessageQueue),
}

/// The round trip as one station knows it.
#[derive(Clone, Debug)]
pub struct RoundTrip {
    way: RoundTripWay,
    fixed: Span,
    own: Address,
    ringlet: Ringlet,
    /// Propagation time from the station so many links upstream, one way.
    from_upstream: Vec<Span>,
    /// The loop to each station, and when it was measured or asked for.
    loops: Vec<(Option<Span>, Option<Instant>)>,
    /// FDD, and the tail that makes it visible.
    differential: Option<(StationId, Span)>,
    /// When the first frame of a pair came, from whom, and its number.
    first_of_pair: Option<(StationId, u32, Instant)>,
    /// Pairs sent as a tail.
    sent_pairs: u32,
}

impl RoundTrip {
    /// Nothing is measured yet.
    pub fn new(way: RoundTripWay, fixed: Span, site: &RingSite) -> Self {
        let stations = site.stations();
        let mut from_upstream = vec![Span::ZERO];
        for hops in 1..stations {
            let upstream = site.downstream(stations - hops);
            from_upstream.push(from_upstream[hops - 1] + site.delays[upstream]);
        }
        Self {
            way,
            fixed,
            own: Address::of(site.station),
            ringlet: site.ringlet,
            from_upstream,
            loops: vec![(None, None); stations],
            differential: None,
            first_of_pair: None,
            sent_pairs: 0,
        }
    }

    /// The round trip now, for a domain whose tail is `tail_hops` links upstream and a
    /// queue that takes `queued` to empty.
    #[inline]
    pub fn span(&self, tail_hops: usize, queued: Span, aging: Span) -> Span {
        let computed = || self.from_upstream[tail_hops] * 2 + queued + aging * 2;
        match self.way {
            RoundTripWay::Computed => computed(),
            RoundTripWay::Fixed => self.fixed,
            RoundTripWay::Measured => self.measured().unwrap_or_else(computed),
        }
    }

    /// LRTT + FDD, if both are known.
    pub fn measured(&self) -> Option<Span> {
        self.parts().map(|(around, differential)| around + differential)
    }

    /// LRTT and FDD of the domain, if both are measured.
    pub fn parts(&self) -> Option<(Span, Span)> {
        let (tail, differential) = self.differential?;
        Some((self.loops[tail.index()].0?, differential))
    }

    /// Whether frames are sent at all.
    pub fn is_measured(&self) -> bool {
        self.way == RoundTripWay::Measured
    }

    /// What a tail sends to `head` to make FDD visible.
    pub fn pair(&mut self, head: Address) -> [Sent; 2] {
        self.sent_pairs = self.sent_pairs.wrapping_add(1);
        [MessageQueue::Ahead, MessageQueue::Secondary].map(|queue| {
            let payload = Pair { number: self.sent_pairs, second: queue == MessageQueue::Secondary }.bytes();
            let kind = ControlType::FairnessDifferentialDelay;
            Sent::Down(ControlFrame::new(kind, self.ringlet, self.own, head, MAX_TTL, &payload), queue)
        })
    }

    /// Where a frame of this kind that passes on its way down waits.
    pub fn queue_of(frame: &ControlFrame) -> MessageQueue {
        match (frame.kind(), Pair::read(frame.payload())) {
            (ControlType::FairnessDifferentialDelay, Some(Pair { second: true, .. })) => MessageQueue::Secondary,
            _ => MessageQueue::Ahead,
        }
    }

    /// A frame for this station arrived; what it sends in answer.
    pub fn take(&mut self, now: Instant, frame: &ControlFrame) -> Option<Sent> {
        let source = frame.header().source.station().filter(|source| source.index() < self.loops.len())?;
        let from_downstream = frame.header().base.ringlet != self.ringlet;
        match frame.kind() {
            ControlType::LoopRoundTripRequest if from_downstream => {
                let stamp = Stamp::read(frame.payload())?;
                let kind = ControlType::LoopRoundTripResponse;
                let to = frame.header().source;
                let answer = ControlFrame::new(kind, self.ringlet, self.own, to, MAX_TTL, &stamp.bytes());
                Some(Sent::Down(answer, MessageQueue::Ahead))
            }
            ControlType::LoopRoundTripResponse if !from_downstream => {
                let asked_at = Stamp::read(frame.payload())?.0;
                self.loops[source.index()] = (Some(now.since(asked_at)), Some(now));
                None
            }
            ControlType::FairnessDifferentialDelay if !from_downstream => {
                self.take_of_pair(now, source, Pair::read(frame.payload())?)
            }
            _ => None,
        }
    }

    fn take_of_pair(&mut self, now: Instant, tail: StationId, pair: Pair) -> Option<Sent> {
        if !pair.second {
            self.first_of_pair = Some((tail, pair.number, now));
            return None;
        }
        let (first_tail, number, at) = self.first_of_pair.take()?;
        if (first_tail, number) != (tail, pair.number) {
            return None;
        }
        self.differential = Some((tail, now.since(at)));
        let (_, asked) = &mut self.loops[tail.index()];
        if asked.is_some_and(|asked| now.since(asked) < LOOP_LASTS) {
            return None;
        }
        *asked = Some(now);
        let (kind, up) = (ControlType::LoopRoundTripRequest, self.ringlet.opposite());
        Some(Sent::Up(ControlFrame::new(kind, up, self.own, Address::of(tail), MAX_TTL, &Stamp(now).bytes())))
    }
}

/// What LRTT frames hold: the time at which the head asked, by its own clock.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stamp(Instant);

impl Stamp {
    fn bytes(self) -> [u8; 8] {
        self.0.as_nanos().to_be_bytes()
    }

    fn read(payload: &[u8]) -> Option<Self> {
        payload.try_into().ok().map(|bytes| Self(Instant::from_nanos(u64::from_be_bytes(bytes))))
    }
}

/// What FDD frames hold: the number of the pair, and which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    number: u32,
    second: bool,
}

impl Pair {
    fn bytes(self) -> [u8; 5] {
        let [a, b, c, d] = self.number.to_be_bytes();
        [a, b, c, d, u8::from(self.second)]
    }

    fn read(payload: &[u8]) -> Option<Self> {
        let [a, b, c, d, which @ (0 | 1)] = *payload else { return None };
        Some(Self { number: u32::from_be_bytes([a, b, c, d]), second: which == 1 })
    }
}

/// How long a queue takes to empty.
#[inline]
pub fn drain_time(site: &RingSite, queued: Bytes) -> Span {
    if queued.get() == 0 { Span::ZERO } else { queued / site.capacity() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::BitRate;

    const AGING: Span = Span::from_micros(100);

    fn site(station: u16) -> RingSite {
        RingSite {
            delays: (1..=6).map(Span::from_millis).collect(),
            ..RingSite::bare(StationId(station), Ringlet::Zero, vec![BitRate::from_mbps(80); 6])
        }
    }

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    /// Station 4 behind links of 4, 3, 2, 1 ms; 10 kB take 1 ms at 80 Mb/s.
    #[test]
    fn the_computed_one_is_there_and_back_and_the_queue() {
        let trip = RoundTrip::new(RoundTripWay::Computed, Span::ZERO, &site(4));
        let queued = drain_time(&site(4), Bytes::new(10_000));
        assert_eq!(trip.span(0, Span::ZERO, AGING), Span::from_micros(200));
        assert_eq!(trip.span(2, queued, AGING), Span::from_micros(2 * 7_000 + 1_000 + 200));
        assert_eq!(trip.span(5, Span::ZERO, AGING), Span::from_micros(2 * 16_000 + 200));
        let fixed = RoundTrip::new(RoundTripWay::Fixed, Span::from_millis(20), &site(4));
        assert_eq!(fixed.span(5, queued, AGING), Span::from_millis(20));
    }

    /// Tail 1, head 4: class A takes 6 ms down, class C 9 ms; the loop takes 12 ms.
    #[test]
    fn the_measured_one_is_the_loop_and_the_difference() {
        let mut tail = RoundTrip::new(RoundTripWay::Measured, Span::ZERO, &site(1));
        let mut head = RoundTrip::new(RoundTripWay::Measured, Span::ZERO, &site(4));
        let [Sent::Down(first, MessageQueue::Ahead), Sent::Down(second, MessageQueue::Secondary)] =
            tail.pair(Address::of(StationId(4)))
        else {
            panic!("a pair goes down")
        };
        assert_eq!(
            (RoundTrip::queue_of(&first), RoundTrip::queue_of(&second)),
            (MessageQueue::Ahead, MessageQueue::Secondary)
        );
        assert_eq!(head.take(at(6), &first), None);
        let Some(Sent::Up(request)) = head.take(at(9), &second) else { panic!("the head asks for the loop") };
        assert_eq!(request.header().destination, Address::of(StationId(1)));
        assert_eq!(head.span(3, Span::ZERO, AGING), Span::from_micros(2 * 9_000 + 200), "computed until the answer");
        let Some(Sent::Down(answer, MessageQueue::Ahead)) = tail.take(at(15), &request) else { panic!("an answer") };
        assert_eq!(head.take(at(21), &answer), None);
        assert_eq!(head.measured(), Some(Span::from_millis(12 + 3)));
        assert_eq!(head.span(3, Span::ZERO, AGING), Span::from_millis(15));
        // The loop is known; the next pair tells the difference only.
        let [Sent::Down(first, _), Sent::Down(second, _)] = tail.pair(Address::of(StationId(4))) else { panic!() };
        assert_eq!([head.take(at(30), &first), head.take(at(31), &second)], [None, None]);
        assert_eq!(head.measured(), Some(Span::from_millis(12 + 1)));
    }

    #[test]
    fn halves_of_different_pairs_measure_nothing() {
        let mut tail = RoundTrip::new(RoundTripWay::Measured, Span::ZERO, &site(1));
        let mut head = RoundTrip::new(RoundTripWay::Measured, Span::ZERO, &site(4));
        let [Sent::Down(first, _), _] = tail.pair(Address::of(StationId(4))) else { panic!() };
        let [_, Sent::Down(second, _)] = tail.pair(Address::of(StationId(4))) else { panic!() };
        assert_eq!(
            [head.take(at(1), &first), head.take(at(2), &second), head.take(at(3), &second)],
            [None, None, None]
        );
        assert_eq!(head.measured(), None);
    }

    #[test]
    fn odd_frames_are_left_unanswered() {
        let mut head = RoundTrip::new(RoundTripWay::Measured, Span::ZERO, &site(4));
        let kinds = [
            ControlType::LoopRoundTripRequest,
            ControlType::LoopRoundTripResponse,
            ControlType::FairnessDifferentialDelay,
            ControlType::Topology,
        ];
        for kind in kinds {
            for ringlet in Ringlet::BOTH {
                for payload in [&[][..], &[0; 4], &[0, 0, 0, 1, 7], &[0; 9]] {
                    for source in [Address::of(StationId(1)), Address::of(StationId(6)), Address::BROADCAST] {
                        let frame = ControlFrame::new(kind, ringlet, source, Address::of(StationId(4)), 255, payload);
                        assert_eq!(head.take(at(1), &frame), None, "{kind:?}");
                    }
                }
            }
        }
        assert_eq!(head.measured(), None);
    }
}
