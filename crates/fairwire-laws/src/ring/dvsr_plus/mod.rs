//! dvsr-plus, fairwire's own ring law: DVSR's virtual time kept as a ledger.
//!
//! One frame circulates against the traffic and holds, for every link, the room
//! that is left beside those who do not use their part of it, and the weight of
//! those whom the link holds back: room over weight is the speed of the link's
//! virtual time. Station after station takes its own entry out, fills its flows by
//! demand into what the links would grant it, and writes the new entry. No packet
//! is counted for that, so it does not matter how few of them a lap holds.
//!
//! Source: fairwire, after [dvsr] §V; `docs/laws/dvsr-plus.md` has the reasons.

mod backlog;
mod claims;
mod demand;
mod emptying;
mod frame;
mod step;
#[cfg(test)]
mod tests;

use self::backlog::Backlog;
use self::claims::{Claims, Use, free_bps, weight_width};
use self::demand::Demand;
use self::emptying::{Emptying, Queue};
pub use self::frame::{Frame, WeightWidth};
use self::step::Step;
use super::filling::{Room, equal_parts, fill, has_its_demand};
use super::lap::{Circulates, Lap};
use super::{Counters, LawAbout, RingAction, RingHints, RingLaw, RingNeeds, RingSite, SiteChange, StationView};
use crate::WireMessage;
use fairwire_core::{BitRate, Bytes, Cx, Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A flow that gets its demand is let have an eighth more: at a limit of just what
/// it sends in the mean its queue would only ever grow.
const HEADROOM: f64 = 1.125;
/// A link that grants more than a hungry station can take, by up to this part of it, holds
/// the station as well: which of several links that grant nearly the same is the least
/// changes with every breath.
const NEARLY: f64 = 1.0 / 32.0;
/// But not where those who are held there are ahead of the station by more than this part of what it has: a heavy
/// station that leaves little of its grant leaves much to a light one.
const AHEAD: f64 = 1.0 / 8.0;
/// What waits for a flow is to be gone after so many laps.
const DRAIN_LAPS: u64 = 8;

/// Of its part of each link a station sends this much while queues that the old ring has left
/// become short.
const WHILE_EMPTYING: f64 = 0.5;

/// What a scenario may set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// The shortest time between two departures of the control frame from
    /// station 0; "0 s" sends one lap after another.
    pub min_interval: Span,
}

impl Default for Params {
    fn default() -> Self {
        Self { min_interval: Span::ZERO }
    }
}

/// dvsr-plus for one ringlet at one station.
pub struct Law {
    site: RingSite,
    claims: Claims,
    /// What links grant, damped.
    steps: Vec<Step>,
    backlog: Backlog,
    demands: Vec<Demand>,
    /// What the counter of uncontrolled bytes told at the last visit.
    last_uncontrolled_bytes: u64,
    generation: u8,
    /// Whether the ledger came by before: only then it holds everybody's claims.
    seen_before: bool,
    emptying: Emptying,
    last_visit: Instant,
    lap: Lap<Frame>,
    /// Scratch.
    wanted_bps: Vec<f64>,
    rates_bps: Vec<f64>,
    parts_bps: Vec<f64>,
    room: Room,
    uses: Vec<Use>,
    set: Vec<Option<BitRate>>,
    actions: VecDeque<RingAction<Frame>>,
}

impl RingLaw for Law {
    type Params = Params;
    type Msg = Frame;

    const NEEDS: RingNeeds = RingNeeds { keeps_minima: true, turns: true, ..RingNeeds::PLAIN };

    /// With weights in a byte each the frame is smallest.
    const HINTS: RingHints<Self> = RingHints {
        least_message: |_, stations| Bytes::new(Frame::new(WeightWidth::Count, stations).wire_bytes() as u64),
        ..RingHints::NONE
    };

    const ABOUT: LawAbout = LawAbout {
        name: "dvsr-plus",
        summary: "A circulating ledger of every link's room; station after station fills its flows by demand",
        source: "fairwire, after [dvsr] §V",
    };

    /// What goes before those whom the law controls.
    fn counters(_params: &Params) -> Counters {
        Counters { arrived_reclaimable: true, ..Counters::NONE }
    }

    fn new(params: &Params, site: RingSite) -> Self {
        let flows = site.flows.len();
        let longest = site.flows.iter().map(|flow| flow.hops).max().unwrap_or(0);
        let claims = Claims::new(&site, longest);
        Self {
            room: Room::on((0..longest).map(|h| claims.capacity_bps(h))),
            claims,
            steps: vec![Step::new(); longest],
            backlog: Backlog::default(),
            demands: vec![Demand::default(); flows],
            last_uncontrolled_bytes: 0,
            generation: 0,
            seen_before: false,
            emptying: Emptying::default(),
            last_visit: Instant::ZERO,
            lap: Lap::new(&site, params.min_interval, ledger_bytes(&site)),
            wanted_bps: vec![0.0; flows],
            rates_bps: vec![0.0; flows],
            parts_bps: vec![0.0; flows],
            uses: vec![Use::default(); longest],
            set: vec![None; flows],
            actions: VecDeque::new(),
            site,
        }
    }

    /// What was offered before is not known, so everything is asked for until it is.
    fn prepare(&mut self, cx: &mut Cx<'_>) {
        self.demands.fill(Demand::unknown());
        self.emptying.begin();
        self.lap.expect_long_first_lap();
        self.limit_to_parts(cx);
    }

    /// The first station puts the one ledger on the ring.
    fn start(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        self.last_visit = cx.now;
        self.last_uncontrolled_bytes = view.traffic.arrived_reclaimable;
        self.limit_to_parts(cx);
        if self.site.first {
            self.put_ledger_on_the_ring(cx.now);
        }
    }

    /// The ledger comes by, and waits where the old ring has left a queue.
    fn on_message(&mut self, cx: &mut Cx<'_>, ledger: Frame, view: &StationView<'_>) {
        if ledger.stations() != self.site.stations() || ledger.width() != weight_width(&self.site.weights) {
            return; // Not this ring's ledger; dropping it stops a lap that nobody could read.
        }
        if !self.lap.admits(cx.now, ledger.number()) {
            return;
        }
        if let Some(ledger) = self.emptying.pass(cx.now, ledger, self.queue(view)) {
            self.visit(cx, ledger, view);
        }
    }

    #[inline]
    fn poll_timeout(&self) -> Option<Instant> {
        self.emptying.look_at().or(self.lap.due_at())
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        if self.emptying.look_at().is_some() {
            if let Some(ledger) = self.emptying.look(cx.now, self.queue(view)) {
                self.visit(cx, ledger, view);
            }
            return;
        }
        if self.lap.frame_is_lost(cx.now) {
            self.put_ledger_on_the_ring(cx.now);
        }
    }

    /// What was worked out from the site is worked out anew; what the ledger holds of the station stands until the next
    /// visit. If the ring's weights are written otherwise from now on, the first station puts a new ledger on the ring, and
    /// all begin anew with it.
    fn on_change(&mut self, cx: &mut Cx<'_>, change: SiteChange, _view: &StationView<'_>) {
        let width = weight_width(&self.site.weights);
        self.site.apply(change);
        self.claims.follow(&self.site);
        if change.is_of_link(self.site.station) {
            self.set.fill(None);
        }
        let now = weight_width(&self.site.weights);
        if now == width {
            return;
        }
        self.claims.forget();
        self.backlog.forget_posted();
        self.seen_before = false;
        if self.site.first {
            self.lap.give_up();
            self.put_ledger_on_the_ring(cx.now);
        }
    }

    #[inline]
    fn poll_action(&mut self) -> Option<RingAction<Frame>> {
        self.actions.pop_front().or_else(|| self.lap.poll().map(RingAction::SendUpstream))
    }
}

impl Law {
    /// The ledger passes: correct the own link's room, fill, claim, limit, pass on.
    fn visit(&mut self, cx: &mut Cx<'_>, mut ledger: Frame, view: &StationView<'_>) {
        if ledger.generation() != self.generation {
            self.generation = ledger.generation();
            if self.seen_before {
                return self.enter_again(cx.now, ledger);
            }
        }
        self.look(cx, &mut ledger, view);
        self.claims.close_uses(&mut ledger, self.site.station.index());
        self.claims.take_back(&mut ledger);
        self.fill_flows(&ledger);
        if !self.seen_before {
            self.hold_all_who_may();
        }
        self.claims.write(&mut ledger, &self.uses);
        if self.seen_before {
            self.limit_flows(cx);
        }
        self.seen_before = true;
        self.lap.pass_on(cx.now, ledger);
    }

    /// A ledger begins its way here, and holds nothing yet.
    fn put_ledger_on_the_ring(&mut self, now: Instant) {
        let ledger = Frame::new(weight_width(&self.site.weights), self.site.stations());
        self.lap.begin(now, ledger);
    }

    /// The ledger replaces a lost one. It cannot tell anything before every station has entered what it had claimed; so the
    /// limits stand until the ledger comes by the next time.
    fn enter_again(&mut self, now: Instant, mut ledger: Frame) {
        self.claims.write_again(&mut ledger);
        ledger.add_room(self.site.station.index(), self.backlog.posted());
        self.lap.pass_on(now, ledger);
    }

    /// What waits for the own link.
    fn queue(&self, view: &StationView<'_>) -> Queue {
        Queue {
            bytes: view.link.waiting.get() as f64,
            packet_bytes: self.site.max_packet.get() as f64,
            link_bps: self.site.capacity().as_bps_f64(),
        }
    }

    /// Until the ledger has come by twice nobody knows who else is there, so everybody
    /// may have what is his if all are.
    fn limit_to_parts(&mut self, cx: &mut Cx<'_>) {
        let sent = if self.emptying.is_on() { WHILE_EMPTYING } else { 1.0 };
        for flow in 0..self.site.flows.len() {
            let links = (0..self.site.flows[flow].hops).map(|h| self.part_bps(h));
            let part_bps = links.fold(f64::INFINITY, f64::min) / self.site.flows.len() as f64;
            self.rates_bps[flow] = sent * part_bps;
        }
        self.limit_flows(cx);
    }

    /// The station's part by weight of the link `h` hops downstream.
    fn part_bps(&self, h: usize) -> f64 {
        let all: f64 = self.site.weights.iter().map(|weight| weight.get()).sum();
        self.claims.capacity_bps(h) * self.site.weight().get() / all
    }

    /// Measures what has come in and what waits, once a lap: where the ledger turned
    /// round nearby it comes again too soon to tell.
    fn look(&mut self, cx: &mut Cx<'_>, ledger: &mut Frame, view: &StationView<'_>) {
        let window = cx.now.since(self.last_visit);
        if self.seen_before && window * 2 < self.site.ring_time {
            return;
        }
        self.last_visit = cx.now;
        if window > Span::ZERO {
            self.correct_own_link(cx, window, ledger, view);
        }
        let packet_bytes = self.site.max_packet.get() as f64;
        let drain = window.max(self.site.ring_time).max(Span::from_nanos(1)) * DRAIN_LAPS;
        for ((wanted, demand), queue) in self.wanted_bps.iter_mut().zip(&mut self.demands).zip(view.adds) {
            *wanted = demand.after_lap(queue, window, drain, packet_bytes);
        }
    }

    /// On its first lap the ledger only counts: whoever might want more than his part
    /// of a link lets himself be held there, so that nobody who comes later finds
    /// the ring taken.
    fn hold_all_who_may(&mut self) {
        for h in 0..self.uses.len() {
            let part_bps = self.part_bps(h);
            let crossing = self.site.flows.iter().zip(&self.wanted_bps).filter(|(flow, _)| flow.hops > h);
            let held = crossing.map(|(_, wanted)| wanted).sum::<f64>() > part_bps;
            self.uses[h] = Use { held, ahead_bps: 0.0, ..self.uses[h] };
        }
    }

    /// Gives the own link more room or less, by what waits in front of it.
    fn correct_own_link(&mut self, cx: &mut Cx<'_>, window: Span, ledger: &mut Frame, view: &StationView<'_>) {
        let here = self.site.station.index();
        let capacity_bps = free_bps(&self.site, here);
        let lap_bytes = capacity_bps * window.as_secs_f64() / 8.0;
        let uncontrolled_bytes = view.traffic.arrived_reclaimable;
        let taken = uncontrolled_bytes.saturating_sub(self.last_uncontrolled_bytes) as f64 / lap_bytes;
        self.last_uncontrolled_bytes = uncontrolled_bytes;
        let packet_bytes = self.site.max_packet.get() as f64;
        let holds = ledger.held(here) > 0;
        let change = self.backlog.change(view.link.waiting.get() as f64, lap_bytes, packet_bytes, taken, holds);
        ledger.add_room(here, change);
        let (room, held) = (f64::from(ledger.room(here)), f64::from(ledger.held(here).max(1)));
        cx.show("fair_rate_bps", self.site.station.0.into(), room * frame::ROOM_UNIT / held * capacity_bps);
    }

    /// Fills the own flows into what the links grant, and finds out who holds whom.
    fn fill_flows(&mut self, ledger: &Frame) {
        for (h, left) in self.room.left.iter_mut().enumerate() {
            *left = self.steps[h].toward(self.claims.grant_bps(ledger, h));
            self.uses[h].bps = *left;
        }
        equal_parts(&self.site.flows, &self.room.left, &mut self.parts_bps);
        fill(&self.site.flows, &mut self.room, &self.wanted_bps, &mut self.rates_bps);
        let mut farthest_hungry = 0;
        for (flow, site_flow) in self.site.flows.iter().enumerate() {
            if has_its_demand(self.rates_bps[flow], self.wanted_bps[flow]) {
                // It may have more before the next lap tells that it wants more.
                let more = self.rates_bps[flow] + self.room.along(site_flow.hops);
                self.rates_bps[flow] = more.max(self.parts_bps[flow]).max(self.rates_bps[flow] * HEADROOM);
            } else {
                farthest_hungry = farthest_hungry.max(site_flow.hops);
            }
        }
        for (h, used) in self.uses.iter_mut().enumerate() {
            let left_bps = self.room.left[h].max(0.0);
            let bps = used.bps - left_bps;
            let ahead_bps = self.claims.ahead_bps(ledger, h, left_bps);
            let near = left_bps <= NEARLY * used.bps && ahead_bps <= AHEAD * self.claims.above_minimum_bps(h, bps);
            let full = self.room.is_full(h) || near;
            *used = Use { bps, held: h < farthest_hungry && full, ahead_bps };
        }
    }

    /// Sets the limits of the own flows.
    fn limit_flows(&mut self, cx: &mut Cx<'_>) {
        for (flow, &limit) in self.rates_bps.iter().enumerate() {
            let rate = BitRate::from_bps(limit as u64).min(self.site.capacity());
            if self.set[flow] != Some(rate) {
                self.set[flow] = Some(rate);
                self.actions.push_back(RingAction::SetAddRate { flow, rate });
            }
            cx.show("allowed_rate_bps", self.site.flows[flow].egress.0.into(), rate.as_bps_f64());
        }
    }
}

/// How large ledgers are on the ring of this site.
fn ledger_bytes(site: &RingSite) -> Bytes {
    Bytes::new(Frame::new(weight_width(&site.weights), site.stations()).wire_bytes() as u64)
}
