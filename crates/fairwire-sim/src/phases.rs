//! What events leave of a ring: which way each flow takes when all have steered, or wrap.

use crate::plan::{ProtectionPlan, RingChange, RingPlan};
use crate::spans::DeadSpans;
use fairwire_core::{BitRate, Instant, Ringlet, ServiceClass, Span};

/// The time from one event's effect to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What happened, by its number in [`ProtectionPlan::events`].
    pub event: usize,
    /// When it happened.
    pub at: Instant,
    /// From when on the ring acts on it: what is mended waits to be restored
    /// first. Never if it is not used again by itself.
    pub acts_at: Instant,
    /// When the next event takes effect, or the run ends.
    pub until: Instant,
    /// The ringlet that each flow is sent on when all have steered or wrap; none where its
    /// egress cannot be reached.
    pub ways: Vec<Option<Ringlet>>,
    /// Where stations wrap: the spans that are out of use.
    pub folded: Option<DeadSpans>,
}

impl Phase {
    /// Flows of `plan` that take the other ringlet than in the intact ring.
    pub fn steered(&self, plan: &RingPlan) -> usize {
        plan.flows.iter().zip(&self.ways).filter(|(flow, way)| way.is_some_and(|way| way != flow.ringlet)).count()
    }

    /// Flows of `plan` that take both ringlets.
    pub fn wrapped(&self, plan: &RingPlan) -> usize {
        let Some(spans) = &self.folded else { return 0 };
        let routes = plan.flows.iter().zip(&self.ways).filter(|(_, way)| way.is_some());
        let turns = |route: Vec<(Ringlet, usize)>| route.iter().any(|(ringlet, _)| *ringlet != route[0].0);
        routes
            .filter_map(|(flow, _)| spans.wrapped_route(flow.ringlet, flow.from.index(), flow.to.index()))
            .filter(|route| turns(route.clone()))
            .count()
    }

    /// What class A0 has reserved on each link, by ringlet and by the station that the link
    /// leaves: it reserves on all that makes one ringlet with its own.
    pub fn reserved(&self, plan: &RingPlan) -> [Vec<BitRate>; 2] {
        let stations = plan.stations.len();
        let whole = DeadSpans::none(stations);
        let spans = self.folded.as_ref().unwrap_or(&whole);
        let mut reserved = [vec![0; stations], vec![0; stations]];
        for (flow, way) in plan.flows.iter().zip(&self.ways).filter(|(flow, _)| flow.class == ServiceClass::A0) {
            let Some(ringlet) = way else { continue };
            for (ringlet, station) in spans.orbit(*ringlet, flow.from.index()) {
                reserved[ringlet.index()][station] += flow.guaranteed.as_bps();
            }
        }
        reserved.map(|links| links.into_iter().map(BitRate::from_bps).collect())
    }
}

impl ProtectionPlan {
    /// When the ring acts on event number `event`.
    pub fn acts_at(&self, event: usize) -> Instant {
        let event = &self.events[event];
        match event.change {
            RingChange::Cut(_) | RingChange::StationDown(_) => event.at,
            _ if !self.params.revertive => Instant::NEVER,
            _ => event.at + self.params.wait_to_restore,
        }
    }
}

impl RingPlan {
    /// A phase for every event, in the order in which the ring acts on them; of
    /// events at one instant all share what comes of them together.
    pub fn phases(&self) -> Vec<Phase> {
        let Some(protection) = &self.protection else { return Vec::new() };
        let end = Instant::ZERO + self.duration;
        let mut order: Vec<(Instant, usize)> =
            (0..protection.events.len()).map(|event| (protection.acts_at(event), event)).collect();
        order.sort();
        let phase = |&(acts_at, event): &(Instant, usize)| {
            let next = order.iter().map(|(at, _)| *at).find(|at| *at > acts_at).unwrap_or(Instant::NEVER);
            let done: Vec<usize> =
                order.iter().filter(|(at, _)| *at <= acts_at && *at <= end).map(|(_, e)| *e).collect();
            let dead = self.dead_spans(protection, &done);
            let ways = (0..self.flows.len()).map(|flow| self.way(flow, &dead)).collect();
            let folded = (!self.steers() && dead.any()).then_some(dead);
            Phase { event, at: protection.events[event].at, acts_at, until: next.min(end), ways, folded }
        };
        order.iter().map(phase).collect()
    }

    /// Spans out of use after the events of these numbers.
    fn dead_spans(&self, protection: &ProtectionPlan, done: &[usize]) -> DeadSpans {
        let stations = self.stations.len();
        let (mut cut, mut down) = (vec![false; stations], vec![false; stations]);
        for &event in done {
            match protection.events[event].change {
                RingChange::Cut(span) => cut[span.index()] = true,
                RingChange::Restore(span) => cut[span.index()] = false,
                RingChange::StationDown(station) => down[station.index()] = true,
                RingChange::StationUp(station) => down[station.index()] = false,
            }
        }
        let is_dead = |span: usize| cut[span] || down[span] || down[(span + 1) % stations];
        DeadSpans::new((0..stations).map(is_dead).collect())
    }

    /// The ringlet that the flow is sent on: what still reaches its egress, its own before the
    /// other; where stations wrap its own, if that does, by itself or wrapped.
    fn way(&self, flow: usize, dead: &DeadSpans) -> Option<Ringlet> {
        let flow = &self.flows[flow];
        let (from, to) = (flow.from.index(), flow.to.index());
        if self.steers() {
            let both = [flow.ringlet, flow.ringlet.opposite()];
            return both.into_iter().find(|ringlet| dead.spare(*ringlet, from, to));
        }
        let goes = dead.spare(flow.ringlet, from, to)
            || (flow.wrap_eligible && dead.wrapped_route(flow.ringlet, from, to).is_some());
        goes.then_some(flow.ringlet)
    }

    /// Propagation time once around the slower ringlet.
    pub fn lap(&self) -> Span {
        self.links.iter().map(|links| links.iter().map(|link| link.delay).sum::<Span>()).max().unwrap_or(Span::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use crate::offer::{Arrivals, Offer, Traffic};
    use crate::plan::*;
    use fairwire_core::{BitRate, Bytes, Instant, Ringlet, ServiceClass, Span, StationId, Weight};
    use fairwire_laws::protection::{Params, ProtectionMode};

    fn plan(events: Vec<RingEvent>) -> RingPlan {
        let link = LinkPlan { capacity: BitRate::from_bps(1_000_000_000), delay: Span::from_micros(100) };
        let flow = |from, to, ringlet| FlowPlan {
            name: format!("{from}-{to}"),
            ringlet,
            from: StationId(from),
            to: StationId(to),
            weight: Weight::default(),
            class: ServiceClass::C,
            guaranteed: BitRate::ZERO,
            strict_order: false,
            wrap_eligible: true,
            micro_flows: 1,
            offer: Offer::Datagrams(Traffic { arrivals: Arrivals::Greedy, packet_bytes: 1000, size_jitter: 0.0 }),
            start: Instant::ZERO,
            start_jitter: Span::ZERO,
            stop: Instant::NEVER,
        };
        let params = Params { wait_to_restore: Span::from_millis(20), ..Params::default() };
        RingPlan {
            seed: 1,
            run: 0,
            duration: Span::from_millis(100),
            warmup: Span::ZERO,
            window: Span::from_millis(1),
            links: [vec![link; 6], vec![link; 6]],
            stations: vec![StationPlan { weight: Weight::default() }; 6],
            transit: TransitPlan::merged(Bytes::new(200_000), Overflow::Drop),
            station_queues: StationQueues::PerDestination,
            station_buffer: Bytes::new(200_000),
            flows: vec![flow(1, 3, Ringlet::Zero), flow(4, 3, Ringlet::One), flow(0, 5, Ringlet::One)],
            protection: Some(ProtectionPlan { params, events }),
            engine: EnginePath::Auto,
            detail: Detail::Summary,
            check: false,
        }
    }

    fn at(ms: u64, change: RingChange) -> RingEvent {
        RingEvent { at: Instant::ZERO + Span::from_millis(ms), change }
    }

    #[test]
    fn flows_steer_around_a_cut_and_come_back_after_the_wait() {
        let two = StationId(2);
        let phases = plan(vec![at(10, RingChange::Cut(two)), at(40, RingChange::Restore(two))]).phases();
        let [cut, mended] = &phases[..] else { panic!("two phases") };
        let (zero, one) = (Some(Ringlet::Zero), Some(Ringlet::One));
        assert_eq!(cut.ways, [one, one, one]);
        assert_eq!((cut.acts_at.as_nanos(), cut.until.as_nanos()), (10_000_000, 60_000_000));
        assert_eq!(mended.ways, [zero, one, one]);
        assert_eq!((mended.at.as_nanos(), mended.acts_at.as_nanos()), (40_000_000, 60_000_000));
        assert_eq!(mended.until.as_nanos(), 100_000_000);
    }

    #[test]
    fn nothing_reaches_a_lost_station_or_the_other_part_of_a_ring_cut_twice() {
        let phases = plan(vec![at(10, RingChange::StationDown(StationId(3)))]).phases();
        assert_eq!(phases[0].ways, [None, None, Some(Ringlet::One)]);
        let cuts = vec![at(10, RingChange::Cut(StationId(2))), at(10, RingChange::Cut(StationId(5)))];
        let phases = plan(cuts).phases();
        assert_eq!(phases[0].ways, phases[1].ways, "they happen together");
        assert_eq!(phases[0].ways, [None, Some(Ringlet::One), None]);
    }

    #[test]
    fn where_stations_wrap_flows_stay_on_their_ringlets() {
        let mut plan = plan(vec![at(10, RingChange::Cut(StationId(2))), at(40, RingChange::StationDown(StationId(5)))]);
        plan.protection.as_mut().unwrap().params.mode = ProtectionMode::Wrap;
        plan.flows[1].wrap_eligible = false;
        let [cut, lost] = &plan.phases()[..] else { panic!("two phases") };
        let (zero, one) = (Some(Ringlet::Zero), Some(Ringlet::One));
        assert_eq!(cut.ways, [zero, one, one]);
        assert_eq!((cut.steered(&plan), cut.wrapped(&plan)), (0, 1));
        // 1 and 3 are on different parts of the ring now, 4 and 3 are not; nothing reaches 5.
        assert_eq!(lost.ways, [None, one, None]);
        plan.flows[0].wrap_eligible = false;
        assert_eq!(plan.phases()[0].ways, [None, one, one], "what must not be wrapped has no way");
    }

    #[test]
    fn what_comes_after_the_end_takes_no_effect() {
        let two = StationId(2);
        let phases = plan(vec![at(10, RingChange::Cut(two)), at(90, RingChange::Restore(two))]).phases();
        assert_eq!(phases[1].ways, phases[0].ways);
        assert_eq!(phases[1].until.as_nanos(), 100_000_000);
    }
}
