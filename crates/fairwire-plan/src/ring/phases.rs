//! What events leave of a ring: which way each flow takes when all have steered, or wrap.

use super::plan::RingPlan;
use super::reactions::Reaction;
use super::spans::DeadSpans;
use fairwire_core::{BitRate, Instant, Ringlet, ServiceClass, Span};

/// The time from one effect of an event to the next effect of any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What happened, by its number in [`ProtectionPlan::events`](crate::ProtectionPlan::events).
    pub event: usize,
    /// When it happened.
    pub at: Instant,
    /// From when on the ring acts on it: what is mended may wait to be restored first. Never if
    /// nothing comes of it within the run.
    pub acts_at: Instant,
    /// Whether the ring has acted on it before, and this is what comes of the end of a wait.
    pub again: bool,
    /// Whether stations take another span out of use, or into use; not if the failure is too short for them.
    pub noticed: bool,
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

impl RingPlan {
    /// A phase for every event and effect of it, in their order; of events at one instant all share what comes of
    /// them together. A station that comes back has two: it is reached at once over one of its spans, and the
    /// other one waits to be restored. Last come events without an effect.
    pub fn phases(&self) -> Vec<Phase> {
        let Some(protection) = &self.protection else { return Vec::new() };
        let (end, reactions) = (Instant::ZERO + self.duration, self.reactions());
        let phase = |event: usize, acts_at, until: Instant, out: &DeadSpans, noticed| Phase {
            event,
            at: protection.events[event].at,
            acts_at,
            again: false,
            noticed,
            until: until.min(end),
            ways: (0..self.flows.len()).map(|flow| self.way(flow, out)).collect(),
            folded: (!self.steers() && out.any()).then(|| out.clone()),
        };
        let mut phases: Vec<Phase> = Vec::new();
        for (reaction, number) in reactions.iter().zip(1..) {
            let until = reactions.get(number).map_or(Instant::NEVER, |next: &Reaction| next.at);
            for &event in &reaction.events {
                let again = phases.iter().any(|phase| phase.event == event);
                phases.push(Phase { again, ..phase(event, reaction.at, until, &reaction.out, reaction.noticed) });
            }
        }
        let whole = DeadSpans::none(self.stations.len());
        let last = reactions.last().map_or(&whole, |reaction| &reaction.out);
        let acts = |event: &usize| reactions.iter().any(|reaction| reaction.events.contains(event));
        let mut idle: Vec<usize> = (0..protection.events.len()).filter(|event| !acts(event)).collect();
        idle.sort_by_key(|&event| protection.events[event].at);
        phases.extend(idle.into_iter().map(|event| phase(event, Instant::NEVER, Instant::NEVER, last, false)));
        phases
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
    use crate::*;
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
            stations: vec![StationPlan::default(); 6],
            transit: TransitPlan::merged(Bytes::new(200_000), Overflow::Drop),
            station_queues: StationQueues::PerDestination,
            station_buffer: Bytes::new(200_000),
            flows: vec![flow(1, 3, Ringlet::Zero), flow(4, 3, Ringlet::One), flow(0, 5, Ringlet::One)],
            protection: Some(ProtectionPlan { params, events }),
            demand_changes: Vec::new(),
            weight_changes: Vec::new(),
            capacity_changes: Vec::new(),
            control: ControlPlan::default(),
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

    /// When the ring acts on each event, in ms, and the ringlets that flows take then.
    fn acts(plan: &RingPlan) -> Vec<(u64, Option<u64>, Vec<Option<usize>>)> {
        let ms = |at: Instant| (at < Instant::NEVER).then(|| at.as_nanos() / 1_000_000);
        let ways = |ways: &[Option<Ringlet>]| ways.iter().map(|way| way.map(Ringlet::index)).collect();
        plan.phases().iter().map(|phase| (ms(phase.at).unwrap(), ms(phase.acts_at), ways(&phase.ways))).collect()
    }

    #[test]
    fn a_span_that_waits_is_used_as_long_as_another_one_is_dead() {
        let (two, five) = (StationId(2), StationId(5));
        let cuts = [at(10, RingChange::Cut(two)), at(10, RingChange::Cut(five))];
        let mut mended = plan([&cuts[..], &[at(40, RingChange::Restore(two))]].concat());
        for revertive in [true, false] {
            mended.protection.as_mut().unwrap().params.revertive = revertive;
            let apart = vec![None, Some(1), None];
            let open = vec![Some(0), Some(1), Some(0)];
            assert_eq!(acts(&mended), [(10, Some(10), apart.clone()), (10, Some(10), apart), (40, Some(40), open)]);
        }
        // It waits alone, is taken into use by a cut elsewhere, and its wait ends unseen.
        let later = [at(10, RingChange::Cut(two)), at(40, RingChange::Restore(two)), at(50, RingChange::Cut(five))];
        let (around, open) = (vec![Some(1); 3], vec![Some(0), Some(1), Some(0)]);
        let found = acts(&plan(later.to_vec()));
        assert_eq!(found, [(10, Some(10), around.clone()), (50, Some(50), open.clone()), (40, None, open.clone())]);
        // Of two that wait the one at the lower address is out of use until its wait ends, then the other one.
        let both = [&cuts[..], &[at(40, RingChange::Restore(five)), at(50, RingChange::Restore(two))]].concat();
        let whole = vec![Some(0), Some(1), Some(1)];
        let found = acts(&plan(both));
        let found: Vec<_> = found[2..].iter().map(|(at, acts, ways)| (*at, *acts, ways.clone())).collect();
        assert_eq!(found, [(40, Some(40), around.clone()), (50, Some(70), whole)]);
    }

    #[test]
    fn a_station_that_comes_back_is_reached_before_the_ring_is_closed() {
        let three = StationId(3);
        let plan = plan(vec![at(10, RingChange::StationDown(three)), at(40, RingChange::StationUp(three))]);
        let (one, zero) = (Some(1), Some(0));
        let due =
            [(10, Some(10), vec![None, None, one]), (40, Some(40), vec![one; 3]), (40, Some(60), vec![zero, one, one])];
        assert_eq!(acts(&plan), due);
        assert_eq!(plan.phases().iter().map(|phase| phase.again).collect::<Vec<_>>(), [false, false, true]);
    }

    #[test]
    fn what_is_too_short_to_be_noticed_opens_no_ring() {
        let two = StationId(2);
        let cut = |until: u64| plan(vec![at(10, RingChange::Cut(two)), at(until, RingChange::Restore(two))]);
        let whole = vec![Some(0), Some(1), Some(1)];
        let unnoticed = [(10, Some(10), whole.clone()), (11, None, whole.clone())];
        assert_eq!(acts(&cut(11)), unnoticed);
        assert!(!cut(11).phases()[0].noticed && cut(14).phases()[0].noticed);
        assert_eq!(cut(11).phases()[0].until.as_nanos(), 100_000_000, "its mend changes nothing");
        let mut held_off = cut(40);
        held_off.protection.as_mut().unwrap().params.hold_off = Span::from_millis(30);
        assert_eq!(acts(&held_off)[0], unnoticed[0]);
        held_off.protection.as_mut().unwrap().params.hold_off = Span::from_millis(20);
        assert_eq!(acts(&held_off)[0].2, [Some(1); 3]);
        // Of events without an effect the earlier one comes first, wherever it stands in the file.
        let (later, earlier) = (at(30, RingChange::Restore(two)), at(20, RingChange::Restore(StationId(4))));
        assert_eq!(acts(&plan(vec![later, earlier])), [(20, None, whole.clone()), (30, None, whole.clone())]);
        // A span that carries for too short to be heard stays dead.
        let flap = [
            at(10, RingChange::Cut(two)),
            at(12, RingChange::Restore(two)),
            RingEvent { at: Instant::from_nanos(12_500_000), change: RingChange::Cut(two) },
        ];
        assert!(plan(flap.to_vec()).phases()[0].noticed);
        assert!(!plan(vec![at(98, RingChange::Cut(two))]).phases()[0].noticed, "the run ends first");
    }

    /// A keepalive that is sent when a span is mended comes after the longer of its two delays: so much shorter than the
    /// timeout an outage may be, and so much longer a mend has to last.
    #[test]
    fn silence_ends_when_the_first_keepalive_has_crossed_the_span() {
        let two = StationId(2);
        let mut longer = plan(Vec::new());
        longer.links[1][3].delay = Span::from_micros(300);
        let phases = |events: &[(u64, RingChange)]| {
            let mut plan = longer.clone();
            let event = |&(us, change): &(u64, RingChange)| RingEvent { at: Instant::from_nanos(us * 1_000), change };
            plan.protection.as_mut().unwrap().events = events.iter().map(event).collect();
            plan.phases()
        };
        let noticed =
            |until: u64| phases(&[(10_000, RingChange::Cut(two)), (until, RingChange::Restore(two))])[0].noticed;
        assert_eq!([12_699, 12_700].map(noticed), [false, true], "3 ms of silence, 0.3 ms of them after the mend");
        // Mended, cut again for less than the timeout and mended: the wait of 20 ms begins with the mend that was heard.
        let restored = |again: u64| {
            let [cut, restore] = [RingChange::Cut(two), RingChange::Restore(two)];
            let phases = phases(&[(10_000, cut), (40_000, restore), (again, cut), (again + 1_000, restore)]);
            phases.iter().filter(|phase| phase.noticed).map(|phase| phase.acts_at.as_nanos() / 1_000).max().unwrap()
        };
        assert_eq!(restored(41_299), 62_299, "1.299 ms are too short for an interval and the delay");
        assert_eq!(restored(41_300), 60_000);
    }

    /// Class A0 reserves all around the ringlet that it is sent on.
    #[test]
    fn reservations_steer_along() {
        let mut plan = plan(vec![at(10, RingChange::Cut(StationId(2)))]);
        (plan.flows[0].class, plan.flows[0].guaranteed) = (ServiceClass::A0, BitRate::from_mbps(100));
        let intact = Phase { ways: vec![Some(Ringlet::Zero), None, None], ..plan.phases().remove(0) };
        let all_around = |mbps| vec![BitRate::from_mbps(mbps); 6];
        assert_eq!(intact.reserved(&plan), [all_around(100), all_around(0)]);
        assert_eq!(plan.phases()[0].reserved(&plan), [all_around(0), all_around(100)]);
        plan.protection.as_mut().unwrap().params.mode = ProtectionMode::Wrap;
        assert_eq!(plan.phases()[0].reserved(&plan), [all_around(100), all_around(100)], "one ringlet of both");
    }

    /// A row counts bytes in 32 bits: the fastest link of either ringlet must not fill it, whenever it is so fast.
    #[test]
    fn a_row_holds_what_the_fastest_link_ever_carries() {
        let mut plan = plan(Vec::new());
        plan.window = Span::from_millis(100);
        assert_eq!(plan.validate(), Ok(()));
        // 343.6 Gb/s carry 2³² bytes in 100 ms.
        let fast = BitRate::from_mbps(344_000);
        let change =
            CapacityChange { at: Instant::from_nanos(1), ringlet: Ringlet::One, from: StationId(4), capacity: fast };
        plan.capacity_changes.push(change);
        assert!(plan.validate().is_err());
        plan.capacity_changes[0].capacity = BitRate::from_mbps(343_000);
        assert_eq!(plan.validate(), Ok(()));
        plan.links[1][5].capacity = fast;
        assert!(plan.validate().is_err());
    }

    #[test]
    fn what_breaks_nothing_has_no_effect() {
        let (two, three) = (StationId(2), StationId(3));
        let plan = plan(vec![at(10, RingChange::StationDown(three)), at(20, RingChange::Cut(two))]);
        let acts: Vec<_> = acts(&plan).into_iter().map(|(_, acts, _)| acts).collect();
        assert_eq!(acts, [Some(10), None], "the span was dead before");
    }
}
