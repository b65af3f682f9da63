//! What a station of the packet ring does, packet by packet: who goes first, when it
//! counts as congested, and that nothing in transit is lost ([dvsr] §II).

use super::rates_seen::{lasting, plan_under, run_under};
use super::{Claim, Finding, Trouble, expected_number};
use crate::runs;
use crate::tolerance::round;
use fairwire_core::{BitRate, Bytes, Cx, FlowId, Instant, PacketMeta, Ringlet, ServiceClass, Span, StationId, Streams};
use fairwire_laws::NoMessage;
use fairwire_laws::ring::rpr::{FULL_RATE, Message};
use fairwire_laws::ring::{
    Counters, Datapath, LawAbout, LinkCounters, LinkView, RingAction, RingLaw, RingLawChoice, RingNeeds, RingSite,
    StationView, StqThresholds, TransitView, fifo, rpr_aggressive,
};
use fairwire_plan::{Detail, RingPlan};
use fairwire_scenario::Scenario;
use fairwire_sim::simulate_law;
use fairwire_sweep::side_by_side;
use serde_json::json;

/// Once on the ring, a packet is never lost in transit.
pub fn lossless(claim: &Claim) -> Result<Finding, Trouble> {
    let laws: Vec<&str> =
        RingLawChoice::ALL.iter().map(|about| about.name).filter(|name| is_packet_ring(name)).collect();
    let scenarios =
        [runs::parking_lot()?, runs::parallel_parking_lot()?, runs::upstream_parallel()?, runs::two_exit()?];
    let modes = [Datapath::DualQueue, Datapath::TransitFirst];
    let cases = || {
        laws.iter().flat_map(|law| scenarios.iter().flat_map(move |scenario| modes.map(|mode| (*law, scenario, mode))))
    };
    let one = |(law, scenario, mode): (&str, &Scenario, Datapath)| -> Result<Losses, Trouble> {
        let mut plan = plan_under(scenario, law, "")?;
        plan.detail = Detail::Summary;
        lasting(&mut plan, Span::from_millis(500));
        plan.warmup = Span::ZERO;
        plan.transit.datapath = mode;
        plan.check = true;
        let run = run_under(plan, law, "")?;
        let deepest = run.record.links.iter().map(|link| link.deepest).max().unwrap_or_default();
        Ok(Losses {
            drops: run.record.links.iter().map(|link| link.dropped).sum(),
            crossings: run.record.packet_hops - run.record.control_hops,
            deepest: deepest.get() as f64 / run.plan.transit.buffer.get() as f64,
            busy: run.shares().iter().sum::<f64>() > 0.5,
        })
    };
    let all = side_by_side(cases(), one)?;
    let drops: u64 = all.iter().map(|losses| losses.drops).sum();
    let crossings: u64 = all.iter().map(|losses| losses.crossings).sum();
    let holds = drops as f64 <= expected_number(claim, "transit_drops")? && all.iter().all(|losses| losses.busy);
    let measured = json!({
        "transit_drops": drops, "link_crossings": crossings, "runs": all.len(), "laws": laws,
        "deepest_transit_queue_of_its_room": round(all.iter().map(|losses| losses.deepest).fold(0.0, f64::max)),
    });
    let note = "parking lot, parallel, upstream parallel and two exits, every station greedy at the link's rate, 0.5 s each, either queue \
                mode, 200 kB, audited at every control frame and timeout; links of one capacity";
    Ok(Finding::new(measured, holds, note))
}

struct Losses {
    drops: u64,
    crossings: u64,
    deepest: f64,
    busy: bool,
}

fn is_packet_ring(name: &str) -> bool {
    name.starts_with("rpr-") || name == "darwin"
}

/// Who was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    Primary,
    Secondary,
    Station,
}

/// What waited a moment before something was sent, in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    primary: f64,
    secondary: f64,
}

/// Writes down what a station sends and, every microsecond, what waits in transit; controls nothing.
struct Watcher {
    own: StationId,
    watching: bool,
    next: Instant,
    /// Bytes that were sent by the last look: of class A in transit, of class C in transit, of the station's.
    sent: [u64; 3],
}

/// The station that is watched.
const WATCHED: StationId = StationId(2);
const LOOK: Span = Span::from_micros(1);

impl RingLaw for Watcher {
    type Params = fifo::Params;
    type Msg = NoMessage;

    const ABOUT: LawAbout = LawAbout { name: "watcher", ..<fifo::Law as RingLaw>::ABOUT };
    const NEEDS: RingNeeds = RingNeeds { datapath: Datapath::DualQueue, ..RingNeeds::PLAIN };

    fn counters(_params: &Self::Params) -> Counters {
        Counters { added_and_forwarded: true, ..Counters::NONE }
    }

    fn new(_params: &Self::Params, site: RingSite) -> Self {
        let watching = site.station == WATCHED && site.ringlet == Ringlet::Zero;
        Self { own: site.station, watching, next: Instant::ZERO + LOOK, sent: [0; 3] }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.watching.then_some(self.next)
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        self.next = cx.now + LOOK;
        let here = self.own.0.into();
        // Packets take longer than a look: one at most has been sent since the last one.
        let traffic = view.traffic;
        let sent = [traffic.forwarded.reclaimable, traffic.forwarded.eligible, traffic.added.eligible];
        for (kind, (now, before)) in sent.iter().zip(&self.sent).enumerate() {
            if now > before {
                cx.show("sent", here, kind as f64);
            }
        }
        self.sent = sent;
        cx.show("primary_bytes", here, view.transit.primary.get() as f64);
        cx.show("secondary_bytes", here, view.transit.secondary.get() as f64);
    }
}

/// What was sent in a run, each with what waited in transit at the last look before.
fn watched(plan: &RingPlan) -> Result<Vec<(Waiting, Sent)>, Trouble> {
    let record = simulate_law::<Watcher>(plan, &fifo::Params::default(), &mut |_| true);
    if let Some(violation) = record.violations.first() {
        return Err(format!("an invariant broke: {violation}"));
    }
    let (mut waiting, mut all) = (Waiting::default(), Vec::new());
    for sample in &record.laws {
        match sample.name {
            "primary_bytes" => waiting.primary = sample.value,
            "secondary_bytes" => waiting.secondary = sample.value,
            _ if sample.value == 0.0 => all.push((waiting, Sent::Primary)),
            _ if sample.value == 1.0 => all.push((waiting, Sent::Secondary)),
            _ => all.push((waiting, Sent::Station)),
        }
    }
    Ok(all)
}

/// Station 1 sends class A and C past station 2, which adds as much as it can.
fn crowded(transit: &str, with_class_a: bool) -> Result<RingPlan, Trouble> {
    let class_a = if with_class_a {
        "[[flow]]\nname = \"a\"\nfrom = 1\nto = 3\nclass = \"A1\"\nmin-rate = \"100 Mb/s\"\n\
         traffic = { kind = \"cbr\", rate = \"100 Mb/s\", packet = \"500 B\" }\n"
    } else {
        ""
    };
    let text = format!(
        "schema = 1\n[run]\nduration = \"60 ms\"\nwarmup = \"0 s\"\nwindow = \"1 us\"\n[ring]\nstations = 6\ncapacity = \"622 Mb/s\"\n\
         span-delay = \"0.1 ms\"\nlaw = {{ name = \"rpr-aggressive\" }}\ntransit = {transit}\n\
         [[flow]]\nname = \"c\"\nfrom = 1\nto = 3\ntraffic = {{ kind = \"cbr\", rate = \"622 Mb/s\", packet = \"1000 B\" }}\n\
         [[flow]]\nname = \"own\"\nfrom = 2\nto = 3\ntraffic = {{ kind = \"cbr\", rate = \"622 Mb/s\", packet = \"1000 B\" }}\n{class_a}"
    );
    let scenario = Scenario::parse("made-up ring", &text).map_err(|errors| errors.to_string())?;
    let mut plan = scenario.ring_plan(0).ok_or("the scenario is not a ring")?;
    plan.detail = Detail::Full;
    Ok(plan)
}

/// Either transit mode serves its queues in the documented order.
pub fn order(_claim: &Claim) -> Result<Finding, Trouble> {
    let dual = crowded("{ mode = \"dual-queue\", buffer = \"200 kB\" }", true)?;
    let threshold = StqThresholds::never_stopping(dual.transit.buffer, Bytes::new(1_000)).outrank.get() as f64;
    let sent = watched(&dual)?;
    let of = |from: f64, to: f64| sent.iter().filter(move |(waiting, _)| (from..to).contains(&waiting.secondary));
    // Class A in transit goes first wherever it waited.
    let primary_waits = sent.iter().filter(|(waiting, _)| waiting.primary > 0.0);
    let (first, not_first) =
        (primary_waits.clone().count(), primary_waits.filter(|(_, sent)| *sent != Sent::Primary).count());
    // A packet may come between the look and the choice: closer than that to the threshold nothing is judged.
    let below: Vec<Sent> =
        of(1.0, threshold - 1_000.0).map(|(_, sent)| *sent).filter(|sent| *sent != Sent::Primary).collect();
    let out_of_turn = below.windows(2).filter(|pair| pair[0] == pair[1]).count();
    let at_or_above = of(threshold, f64::INFINITY).filter(|(_, sent)| *sent != Sent::Primary);
    let (above, overtaken) =
        (at_or_above.clone().count(), at_or_above.filter(|(_, sent)| *sent == Sent::Station).count());
    let single =
        watched(&crowded("{ mode = \"single-queue\", scheduler = \"transit-first\", buffer = \"200 kB\" }", false)?)?;
    let transit_waits = single.iter().filter(|(waiting, _)| waiting.primary > 0.0);
    let (transit, station_first) =
        (transit_waits.clone().count(), transit_waits.filter(|(_, sent)| *sent == Sent::Station).count());
    let seen = [first, below.len(), above, transit].iter().all(|&judged| judged > 100);
    let wrong = not_first + out_of_turn + overtaken + station_first;
    let measured = json!({
        "order_dual_primary": { "judged": first, "wrong": not_first },
        "order_dual_below_threshold": { "judged": below.len(), "out_of_turn": out_of_turn },
        "order_dual_at_or_above_threshold": { "judged": above, "wrong": overtaken },
        "order_single": { "judged": transit, "wrong": station_first }, "threshold_bytes": threshold,
    });
    let note = "station 2 of a crowded ring, packet by packet, against what waited in transit up to a microsecond before; the transit \
                link brings 100 Mb/s of class A and fills up with class C, the station adds at the link's rate, and no law interferes. \
                Threshold: seven eighths of the room, ours";
    Ok(Finding::new(measured, seen && wrong == 0, note))
}

/// Aggressive mode: congested by depth or by rate, and it tells its add rate.
pub fn aggressive_congestion(claim: &Claim) -> Result<Finding, Trouble> {
    let capacity = BitRate::from_mbps(600);
    let room = Bytes::new(200_000);
    let low = expected_number(claim, "low_threshold_fraction_of_stq")? * room.get() as f64;
    let mut rng = Streams::new(1, 0).component("congestion");
    let (mut wrong, mut congested, mut wrong_rate) = (0u32, 0u32, 0u32);
    let mut cases = Vec::new();
    for depth in [0.0, low - 1.0, low, low + 1.0, 2.0 * low] {
        for (add, forward) in [(3_000, 3_000), (3_750, 3_750), (3_750, 3_751), (7_501, 0), (0, 7_501), (100, 2_000)] {
            cases.push((depth, add, forward));
        }
    }
    cases.extend((0..2_000).map(|_| {
        use rand::RngExt;
        (rng.random_range(0.0..50_000.0f64).floor(), rng.random_range(1..8_000u32), rng.random_range(1..8_000u32))
    }));
    for &(depth, add, forward) in &cases {
        let told = told_rate(capacity, room, depth as u64, add, forward)?;
        // 7500 bytes in 0.1 ms are 600 Mb/s.
        let due = depth > low || add + forward > 7_500;
        congested += u32::from(due);
        wrong += u32::from(told.is_some() != due);
        if let Some(bps) = told.filter(|_| due) {
            let expected = (f64::from(add) * 8.0 / 1e-4).min(capacity.as_bps_f64());
            wrong_rate += u32::from((bps - expected).abs() > 1e-3 * capacity.as_bps_f64());
        }
    }
    let holds = wrong == 0 && wrong_rate == 0 && congested > 0 && (congested as usize) < cases.len();
    let measured = json!({
        "low_threshold_fraction_of_stq": low / room.get() as f64, "cases": cases.len(), "congested": congested,
        "judged_wrong": wrong, "advertised_wrong": wrong_rate,
    });
    let note = "the law alone with LPCOEF 1, so that rates are those of the interval: bytes and a depth go in, its frame upstream comes out. \
                The advertised rate is the add rate to the 16 bits of a frame, and no more than the link's";
    Ok(Finding::new(measured, holds, note))
}

/// What a station tells upstream after an aging interval in which it added and forwarded so many bytes.
fn told_rate(capacity: BitRate, room: Bytes, depth: u64, add: u32, forward: u32) -> Result<Option<f64>, Trouble> {
    let params: rpr_aggressive::Params = runs::of_toml("lp-coef = 1")?;
    let site =
        RingSite { secondary_buffer: Some(room), ..RingSite::bare(StationId(3), Ringlet::Zero, vec![capacity; 6]) };
    let code = fairwire_laws::ring::rpr::RateCode::new(
        fairwire_laws::ring::rpr::params::Encoding::Standard,
        &site.capacities,
        Span::from_micros(100),
    );
    let mut counters = LinkCounters::new(rpr_aggressive::Law::counters(&params), &site);
    let mut law = rpr_aggressive::Law::new(&params, site);
    let mut rng = Streams::new(0, 0).component("law");
    let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, probe: None };
    law.start(&mut cx, &StationView::default());
    for (ingress, size_bytes) in [(3, add), (1, forward)] {
        counters.send_in_full(&PacketMeta {
            flow: FlowId(0),
            ingress: StationId(ingress),
            egress: StationId(5),
            size_bytes,
            class: ServiceClass::C,
            fairness_eligible: true,
        });
    }
    let view = StationView {
        link: LinkView::default(),
        transit: TransitView { secondary: Bytes::new(depth), ..TransitView::default() },
        traffic: counters.traffic(),
        adds: &[],
    };
    let mut told = None;
    cx.now = law.poll_timeout().ok_or("no aging interval")?;
    law.handle_timeout(&mut cx, &view);
    while let Some(action) = law.poll_action() {
        if let RingAction::SendUpstream(Message::Fairness(frame)) = action {
            told = Some(frame.fair_rate());
        }
    }
    let told = told.ok_or("nothing was advertised")?;
    Ok((told != FULL_RATE).then(|| code.decode(told)).flatten())
}
