//! What events leave of a ring: which way each flow takes when all have steered.

use crate::plan::{ProtectionPlan, RingChange, RingPlan};
use fairwire_core::{Instant, Ringlet, Span};

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
    /// The ringlet of each flow when all have steered; none where neither reaches its egress.
    pub ways: Vec<Option<Ringlet>>,
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
            Phase { event, at: protection.events[event].at, acts_at, until: next.min(end), ways }
        };
        order.iter().map(phase).collect()
    }

    /// Spans out of use after the events of these numbers, by the station at their western end.
    fn dead_spans(&self, protection: &ProtectionPlan, done: &[usize]) -> Vec<bool> {
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
        (0..stations).map(|span| cut[span] || down[span] || down[(span + 1) % stations]).collect()
    }

    /// The ringlet that still reaches the flow's egress, its own before the other.
    fn way(&self, flow: usize, dead: &[bool]) -> Option<Ringlet> {
        let flow = &self.flows[flow];
        [flow.ringlet, flow.ringlet.opposite()].into_iter().find(|ringlet| {
            let stations = self.stations.len();
            let hops = ringlet.hops(flow.from.index(), flow.to.index(), stations);
            let next = |at: &usize| Some(ringlet.downstream(*at, stations));
            std::iter::successors(Some(flow.from.index()), next).take(hops).all(|at| {
                let span = if *ringlet == Ringlet::Zero { at } else { ringlet.downstream(at, stations) };
                !dead[span]
            })
        })
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
    use fairwire_laws::protection::Params;

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
    fn what_comes_after_the_end_takes_no_effect() {
        let two = StationId(2);
        let phases = plan(vec![at(10, RingChange::Cut(two)), at(90, RingChange::Restore(two))]).phases();
        assert_eq!(phases[1].ways, phases[0].ways);
        assert_eq!(phases[1].until.as_nanos(), 100_000_000);
    }
}
