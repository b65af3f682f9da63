//! CAKE-like: fair to hosts, then to their flows, each flow under CoDel and BLUE.
//!
//! Flows are hashed over lanes, eight ways; lanes take turns as in FQ-CoDel, with a quantum
//! divided by how many backlogged flows the lane's source or destination has, whichever is
//! more; each lane is held to CoDel's delay, and BLUE acts where that is not enough.
//!
//! Source: T. Høiland-Jørgensen, D. Täht and J. Morton, Piece of CAKE, LANMAN 2018, §III.
//! Not here: the shaper and its overhead accounting, tins (DiffServ), ACK
//! filtering, set-associative hashing of hosts (hosts are known by number), COBALT's own
//! way to lower CoDel's count (RFC 8289's is used).

use super::parts::blue::Blue;
use super::parts::chance::below;
use super::parts::codel_control::{Codel, CodelSettings, Deed};
use super::parts::fattest::Fattest;
use super::parts::flow_ways::FlowWays;
use super::parts::hashing::{MOST_HASHED_LANES, Salt};
pub use super::parts::host_share::Isolation;
use super::parts::host_share::{HostShare, Hosts};
use super::parts::sparse_turns::{Move, SparseTurns};
use super::{DropReason, Eviction, Limit, Order, QueueLaw, QueueSite, QueueView, QueuedPacket, Selection, Verdict};
use crate::LawAbout;
use fairwire_core::{BitRate, Bytes, Cx, FlowId, Instant, RandomStream, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the CAKE-like law may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// Between whom capacity is shared before it is shared between flows.
    pub isolation: Isolation,
    /// For how long a lane's waiting time must exceed the target; about the longest round
    /// trip (CAKE's `rtt`).
    pub interval: Span,
    /// Waiting time that a standing queue of a lane may cause; at least one and a half
    /// packet times. "0 s" for a twentieth of the interval, as CAKE does.
    pub target: Span,
    /// What a lane may send in a turn if no other of its hosts waits; "0 B" for CAKE's rule:
    /// what the link sends in 1/4096 s, at least 300 and at most 1514 bytes.
    pub quantum: Bytes,
    /// Lanes that flows are hashed over.
    #[schemars(range(min = 1, max = 65_536))]
    pub lanes: u32,
    /// Whether capable packets are marked instead of dropped by CoDel.
    pub ecn: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            isolation: Isolation::Triple,
            interval: Span::from_millis(100),
            target: Span::ZERO,
            quantum: Bytes::new(0),
            lanes: 1024,
            ecn: true,
        }
    }
}

/// The CAKE-like law in front of one link.
#[derive(Clone, Debug)]
pub struct Law {
    params: Params,
    limit: Limit,
    mean_packet: Bytes,
    settings: CodelSettings,
    quantum: u32,
    salt: Salt,
    largest: u32,
    ways: FlowWays,
    lanes: Vec<LaneState>,
    turns: SparseTurns,
    hosts: HostShare,
    fattest: Fattest,
}

#[derive(Clone, Debug)]
struct LaneState {
    hosts: Hosts,
    /// Whether it counts among the backlogged flows of its hosts.
    is_bulk: bool,
    codel: Codel,
    blue: Blue,
    /// Whether a flow that used the lane is gone: if nothing waits in it, the lane begins anew.
    is_left: bool,
}

impl LaneState {
    fn new(now: Instant) -> Self {
        Self { hosts: Hosts::default(), is_bulk: false, codel: Codel::default(), blue: Blue::new(now), is_left: false }
    }
}

impl Law {
    /// CoDel's settings and the quantum in front of a link of this capacity.
    fn settings(params: &Params, mean_packet: Bytes, capacity: BitRate) -> (CodelSettings, u32) {
        let least_target = Span::from_nanos((mean_packet / capacity).as_nanos() / 2 * 3);
        let target = match params.target {
            Span::ZERO => Span::from_nanos(params.interval.as_nanos() / 20),
            target => target,
        };
        let target = target.max(least_target);
        let quantum = match params.quantum.get() {
            0 => (capacity.as_bps() / 8 / 4096).clamp(300, 1514),
            bytes => bytes,
        };
        let settings = CodelSettings { target, interval: params.interval.max(target), ecn: params.ecn };
        (settings, u32::try_from(quantum).unwrap_or(u32::MAX / 2))
    }

    /// A packet comes to a lane that a flow has left.
    #[cold]
    fn begin_anew(&mut self, lane: u32, now: Instant, queue: &QueueView<'_>) {
        self.lanes[lane as usize].is_left = false;
        if queue.lanes.lane(lane).packets() == 0 {
            self.set_bulk(lane, false);
            self.turns.leave(lane);
            self.lanes[lane as usize] = LaneState::new(now);
        }
    }

    /// A quantum over the flows of the lane's hosts; what division leaves over is given at random.
    fn share(&self, lane: u32, rng: &mut RandomStream) -> i64 {
        let divisor = self.hosts.divisor(self.lanes[lane as usize].hosts);
        let dither = if divisor > 1 { below(rng, divisor) } else { 0 };
        i64::from((self.quantum + dither) / divisor)
    }

    fn set_bulk(&mut self, lane: u32, is_bulk: bool) {
        let state = &mut self.lanes[lane as usize];
        if state.is_bulk != is_bulk {
            state.is_bulk = is_bulk;
            if is_bulk { self.hosts.add(state.hosts) } else { self.hosts.remove(state.hosts) }
        }
    }

    fn forget_head(&mut self, number: u32, queue: &QueueView<'_>) -> u32 {
        let lane = queue.lanes.lane(number);
        let size = lane.head().map_or(0, |head| head.packet.size_bytes);
        self.fattest.set(number, lane.bytes() - u64::from(size));
        size
    }

    fn judge(&mut self, number: u32, now: Instant, rng: &mut RandomStream, queue: &QueueView<'_>) -> Deed {
        let lane = queue.lanes.lane(number);
        let state = &mut self.lanes[number as usize];
        let deed = state.codel.judge(&self.settings, now, lane, self.largest);
        if state.blue.drops(rng) { Deed::Drop } else { deed }
    }
}

impl QueueLaw for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "cake",
        summary: "Fair to hosts, then to their flows, each under CoDel and BLUE; CAKE without shaper and tins",
        source: "Høiland-Jørgensen, Täht and Morton 2018",
    };
    const ORDER: Order = Order::Chosen;

    fn problem(params: &Params) -> Option<String> {
        if !(1..=MOST_HASHED_LANES).contains(&params.lanes) {
            Some(format!("`lanes` is {}; write a number from 1 to {MOST_HASHED_LANES}", params.lanes))
        } else if params.quantum.get() > u64::from(u32::MAX / 2) {
            Some(format!("`quantum` is {}; write a size up to 2 GB", params.quantum))
        } else if params.target == Span::ZERO && params.interval > Span::ZERO {
            None
        } else {
            CodelSettings::problem(params.target, params.interval)
        }
    }

    fn marking(params: &Params) -> Option<Params> {
        Some(Params { ecn: true, ..params.clone() })
    }

    fn new(params: &Params, site: &QueueSite) -> Self {
        let (settings, quantum) = Self::settings(params, site.mean_packet, site.capacity);
        Self {
            params: params.clone(),
            limit: site.limit,
            mean_packet: site.mean_packet,
            settings,
            quantum,
            salt: Salt::default(),
            largest: 0,
            ways: FlowWays::new(params.lanes),
            lanes: vec![LaneState::new(site.start); params.lanes as usize],
            turns: SparseTurns::new(params.lanes),
            hosts: HostShare::new(params.isolation),
            fattest: Fattest::default(),
        }
    }

    #[inline]
    fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict {
        if !self.limit.admits(0, 0, packet.size_bytes) {
            return Verdict::Drop(DropReason::Full);
        }
        self.largest = self.largest.max(packet.size_bytes);
        let salt = self.salt.get(cx.rng);
        let turns = &self.turns;
        let lane = self.ways.lane(packet.flow.0, salt, |lane| turns.is_idle(lane));
        if self.lanes[lane as usize].is_left {
            self.begin_anew(lane, cx.now, queue);
        }
        if self.turns.is_idle(lane) {
            self.lanes[lane as usize].hosts = Hosts { source: packet.source, destination: packet.destination };
            let credit = self.share(lane, cx.rng);
            self.turns.join(lane, credit);
        }
        self.fattest.set(lane, queue.lanes.lane(lane).bytes() + u64::from(packet.size_bytes));
        cx.show("active_lanes", 0, self.turns.waiting() as f64);
        Verdict::Accept { lane, mark: false }
    }

    #[inline]
    fn poll_eviction(&mut self, cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Eviction> {
        if self.limit.holds(queue.packets, queue.bytes) {
            return None;
        }
        let lane = self.fattest.lane()?;
        self.forget_head(lane, queue);
        self.lanes[lane as usize].blue.overflowed(cx.now, self.settings.target);
        Some(Eviction { lane, place: 0, reason: DropReason::Full })
    }

    #[inline]
    fn select(&mut self, cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Selection> {
        loop {
            match self.turns.next(queue.lanes)? {
                Move::Spent { lane } => {
                    // A lane that ran empty waits here to be forgotten; it is no flow of its hosts.
                    self.set_bulk(lane, queue.lanes.lane(lane).packets() > 0);
                    let share = self.share(lane, cx.rng);
                    self.turns.credit(lane, share);
                }
                Move::Left { lane } => {
                    self.set_bulk(lane, false);
                    self.lanes[lane as usize].blue.ran_empty(cx.now, self.settings.target);
                }
                Move::Turn { lane } => {
                    let deed = self.judge(lane, cx.now, cx.rng, queue);
                    let size = self.forget_head(lane, queue);
                    if deed == Deed::Drop {
                        return Some(Selection::Drop { lane, reason: DropReason::Early });
                    }
                    self.turns.sent(lane, size);
                    return Some(Selection::Send { lane, mark: deed == Deed::Mark });
                }
            }
        }
    }
    /// As if the law had been made for this capacity.
    fn on_capacity(&mut self, _now: Instant, capacity: BitRate) {
        (self.settings, self.quantum) = Self::settings(&self.params, self.mean_packet, capacity);
    }

    /// Whoever shares the lane and has no packet in it begins anew, too.
    fn on_flow_gone(&mut self, flow: FlowId) {
        let lane = self.salt.known().and_then(|salt| self.ways.forget(flow.0, salt));
        if let Some(lane) = lane {
            self.lanes[lane as usize].is_left = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Target, interval and quantum as CAKE works them out.
    #[test]
    fn settings_follow_the_capacity() {
        let of = |params: &Params, kbps: u64| {
            let (settings, quantum) = Law::settings(params, Bytes::new(1_000), BitRate::from_bps(kbps * 1_000));
            (settings.target.as_nanos(), settings.interval.as_nanos(), quantum)
        };
        let usual = Params::default();
        // A twentieth of 100 ms where one and a half packet times are less: 1.2 ms at 10 Mb/s.
        assert_eq!(of(&usual, 10_000), (5_000_000, 100_000_000, 305));
        // 12 ms at 1 Mb/s; 120 ms at 100 kb/s, and no interval is shorter than the target.
        assert_eq!(of(&usual, 1_000), (12_000_000, 100_000_000, 300));
        assert_eq!(of(&usual, 100), (120_000_000, 120_000_000, 300));
        assert_eq!(of(&usual, 1_000_000), (5_000_000, 100_000_000, 1514));
        let set = Params { target: Span::from_millis(20), quantum: Bytes::new(60), ..usual };
        assert_eq!(of(&set, 1_000), (20_000_000, 100_000_000, 60));
    }
}
