//! DVSR's rules, asked of the law object itself: counts and a frame go in,
//! the frame's new value and the limits come out.

use super::{Claim, Finding, Trouble, expected_number, expected_rates};
use crate::runs::{Run, parking_lot, run};
use crate::tolerance::{compare, round, rounded};
use crate::ways::Way;
use fairwire_alloc::max_min_shares;
use fairwire_core::{
    BitRate, Bytes, Cx, FlowId, Instant, PacketMeta, Ringlet, ServiceClass, Span, StationId, Streams, Weight,
};
use fairwire_laws::WireMessage;
use fairwire_laws::ring::dvsr::{Encoding, Frame, Law, Packets, Params};
use fairwire_laws::ring::{
    AddQueueView, LinkCounters, LinkView, RingAction, RingLaw, RingSite, SiteFlow, StationView, TransitView,
};
use fairwire_plan::{Detail, LawSample};
use rand::RngExt;
use serde_json::json;
use std::sync::Arc;

const CAPACITY: BitRate = BitRate::from_mbps(800);
/// In which a link sends 100,000 bytes.
const WINDOW: Span = Span::from_millis(1);
pub(super) const ROOM: u32 = 100_000;

/// A station on a ring of `stations` with flows to these egresses.
pub(crate) fn site(station: usize, stations: usize, egresses: &[usize]) -> RingSite {
    RingSite {
        flows: egresses
            .iter()
            .map(|&egress| SiteFlow { egress: StationId(egress as u16), hops: egress - station, weight: Weight::ONE })
            .collect(),
        ring_time: WINDOW,
        max_packet: Bytes::new(1_000),
        ..RingSite::bare(StationId(station as u16), Ringlet::Zero, vec![CAPACITY; stations])
    }
}

/// One window of a station: what each ingress brought, what the link sent, then the frame.
pub(super) struct Visit<'a> {
    pub site: RingSite,
    pub arrived: &'a [(usize, u32)],
    pub sent: u32,
    pub frame: Frame,
}

/// The frame as the station sends it on, and the limits it set, in bit/s.
pub(super) struct Outcome {
    pub frame: Frame,
    pub limits: Vec<f64>,
}

/// Counts compared as Table I is printed.
fn as_printed() -> Params {
    Params { count_margin: Packets::clamped(0.0), ..Params::default() }
}

impl Visit<'_> {
    pub fn happen(self) -> Result<Outcome, Trouble> {
        let flows = self.site.flows.len();
        let mut counters = LinkCounters::new(Law::counters(&as_printed()), &self.site);
        let mut law = Law::new(&as_printed(), self.site);
        for &(ingress, size_bytes) in self.arrived {
            counters.arrive(&packet(ingress, size_bytes));
        }
        counters.send_in_full(&packet(0, self.sent));
        let adds = vec![AddQueueView { packets: u32::MAX, ..Default::default() }; flows];
        // The link ran dry once in the window, so b alone decides whether it was busy.
        let view = StationView {
            link: LinkView::default(),
            transit: TransitView::default(),
            traffic: counters.traffic(),
            adds: &adds,
        };
        let mut rng = Streams::new(0, 0).component("law");
        let mut cx = Cx { now: Instant::ZERO + WINDOW, rng: &mut rng, probe: None };
        law.on_message(&mut cx, self.frame, &view);
        let (mut frame, mut limits) = (None, vec![CAPACITY.as_bps_f64(); flows]);
        // Station 0 alone may hold the frame back, for the next lap.
        while let Some(action) = law.poll_action() {
            match action {
                RingAction::SendUpstream(message) => frame = Some(message),
                RingAction::SetAddRate { flow, rate } => limits[flow] = rate.as_bps_f64(),
                _ => return Err("dvsr limits each flow by itself".into()),
            }
        }
        Ok(Outcome { frame: frame.ok_or("the frame was not passed on")?, limits })
    }
}

fn packet(ingress: usize, size_bytes: u32) -> PacketMeta {
    PacketMeta {
        flow: FlowId(0),
        ingress: StationId(ingress as u16),
        egress: StationId(0),
        size_bytes,
        class: ServiceClass::C,
        fairness_eligible: true,
    }
}

/// Table I against max-min shares, and the rule for links with idle time.
pub fn table_one(_claim: &Claim) -> Result<Finding, Trouble> {
    let mut rng = Streams::new(1, 0).component("table one");
    let (mut worst_busy, mut worst_idle) = (0.0f64, 0.0f64);
    for case in 0..4_000 {
        let k = rng.random_range(1..=32usize);
        let busy = case % 2 == 0;
        let mut bytes: Vec<u32> = (0..k).map(|_| rng.random_range(1..=ROOM)).collect();
        let total: u64 = bytes.iter().map(|&bytes| u64::from(bytes)).sum();
        if !busy {
            bytes.iter_mut().for_each(|bytes| *bytes = (u64::from(*bytes) * 90_000 / total).max(1) as u32);
        } else if total < u64::from(ROOM) {
            bytes[0] += ROOM - total as u32;
        }
        let sent = bytes.iter().map(|&bytes| u64::from(bytes)).sum::<u64>().min(ROOM.into()) as u32;
        let arrived: Vec<(usize, u32)> = bytes.iter().copied().enumerate().collect();
        let frame = Frame::new(Encoding::Exact, 64);
        let outcome = Visit { site: site(40, 64, &[]), arrived: &arrived, sent, frame }.happen()?;
        let measured = outcome.frame.fraction(40);
        let shares: Vec<f64> = bytes.iter().map(|&bytes| f64::from(bytes) / f64::from(ROOM)).collect();
        let largest = shares.iter().copied().fold(0.0, f64::max);
        if busy {
            let max_min = max_min_shares(1.0, &shares, &vec![1.0; k]).into_iter().fold(0.0, f64::max);
            worst_busy = worst_busy.max((measured - max_min).abs());
        } else {
            let rule = (largest + 1.0 - f64::from(sent) / f64::from(ROOM)).min(1.0);
            worst_idle = worst_idle.max((measured - rule).abs());
        }
    }
    let holds = worst_busy <= 1e-9 && worst_idle <= 1e-9;
    let measured = json!({ "cases": 4_000, "busy_worst": worst_busy, "not_busy_worst": worst_idle });
    Ok(Finding::new(measured, holds, "random counts of 1 to 32 ingresses, read back from the frame (steps of 2^-32)"))
}

/// What node 1 of the parking lot first hears.
pub fn first_feedback(claim: &Claim) -> Result<Finding, Trouble> {
    let mut frame = Frame::new(Encoding::Exact, 10);
    // Link n carries the endless demand of ingresses 1 to n.
    for link in (1..=4).rev() {
        let arrived: Vec<(usize, u32)> = (1..=link).map(|ingress| (ingress, ROOM)).collect();
        frame = Visit { site: site(link, 10, &[5]), arrived: &arrived, sent: ROOM, frame }.happen()?.frame;
    }
    let fractions: Vec<f64> = (1..=4).map(|link| frame.fraction(link)).collect();
    let limit = Visit { site: site(1, 10, &[5]), arrived: &[(1, ROOM)], sent: ROOM, frame }.happen()?.limits[0];
    let rate = limit / CAPACITY.as_bps_f64();
    let close = |measured: f64, expected: f64| (measured - expected).abs() <= 2.0 / CAPACITY.as_bps_f64();
    let expected = expected_rates(claim, "per_link_fair_rate")?;
    // 1/3 stands in the catalogue with ten digits; limits are whole bits per second.
    let holds = fractions.iter().zip(&expected).all(|(x, y)| (x - y).abs() <= 1e-9)
        && close(rate, expected_number(claim, "rate_1_5")?);
    let measured = json!({ "per_link_fair_rate": rounded(&fractions), "rate_1_5": round(rate) });
    Ok(Finding::new(
        measured,
        holds,
        "the law at stations 4, 3, 2, 1 in the order in which the frame visits them; limits are whole bit/s",
    ))
}

/// Node 4 shares a quarter between two egresses.
pub fn two_exits(claim: &Claim) -> Result<Finding, Trouble> {
    let arrived: Vec<(usize, u32)> = (1..=4).map(|ingress| (ingress, ROOM)).collect();
    let frame = Frame::new(Encoding::Exact, 10);
    let limits = Visit { site: site(4, 10, &[5, 6]), arrived: &arrived, sent: ROOM, frame }.happen()?.limits;
    let shares: Vec<f64> = limits.iter().map(|limit| limit / CAPACITY.as_bps_f64()).collect();
    let expected = [expected_number(claim, "rate_4_5")?, expected_number(claim, "rate_4_6")?];
    let holds = shares.iter().zip(expected).all(|(x, y)| (x - y).abs() <= 2.0 / CAPACITY.as_bps_f64());
    let measured = json!({ "rate_4_5": round(shares[0]), "rate_4_6": round(shares[1]) });
    Ok(Finding::new(
        measured,
        holds,
        "limits that the law sets after one window of endless demand; limits are whole bit/s",
    ))
}

/// No filter: the same window gives the same limits, whatever went before.
pub fn no_filtering(_claim: &Claim) -> Result<Finding, Trouble> {
    let history = [ROOM / 10, ROOM / 3, ROOM, 7];
    let after = |earlier: &[u32]| {
        let mut counters = LinkCounters::new(Law::counters(&Params::default()), &site(4, 10, &[5]));
        let mut law = Law::new(&Params::default(), site(4, 10, &[5]));
        let mut rng = Streams::new(0, 0).component("law");
        let mut now = Instant::ZERO;
        let (mut frame, mut limit) = (Frame::new(Encoding::Exact, 10), BitRate::ZERO);
        for &others in earlier.iter().chain(&[ROOM / 2]) {
            counters.arrive(&packet(3, others));
            counters.arrive(&packet(4, ROOM));
            counters.send_in_full(&packet(4, ROOM));
            now += WINDOW;
            let adds = [AddQueueView { packets: u32::MAX, ..Default::default() }];
            law.on_message(
                &mut Cx { now, rng: &mut rng, probe: None },
                frame.clone(),
                &StationView { traffic: counters.traffic(), adds: &adds, ..Default::default() },
            );
            while let Some(action) = law.poll_action() {
                match action {
                    RingAction::SendUpstream(message) => frame = message.on_next_lap(),
                    RingAction::SetAddRate { rate, .. } => limit = rate,
                    other => unreachable!("dvsr does not {other:?}"),
                }
            }
        }
        // All but the frame's number, which counts laps.
        let told: Vec<f64> = (0..10).map(|link| frame.fraction(link)).collect();
        (told, limit)
    };
    let same = (0..=history.len()).all(|length| after(&history[..length]) == after(&[]));
    Ok(Finding::new(
        json!({ "memory_beyond_one_period": !same }),
        same,
        "rates told and limits equal to the bit after five different pasts",
    ))
}

/// The control frame's payload, and the lap.
pub fn control_frame(claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    let header = Frame::new(Encoding::Byte, 0).into_bytes().len();
    let payload = |stations: usize| Frame::new(Encoding::Byte, stations).into_bytes().len() - header;
    let levels = {
        let mut frame = Frame::new(Encoding::Byte, 1);
        let mut seen: Vec<u64> = (0..=10_000)
            .map(|step| {
                frame.set_fraction(0, f64::from(step) / 10_000.0);
                (frame.fraction(0) * 1e9) as u64
            })
            .collect();
        seen.dedup();
        seen.len()
    };
    let lap_ms = measured_lap_ms(way)?;
    let expected_ms = expected_number(claim, "T_ms_for_10_nodes")?;
    let holds = [8, 10, 64, 255].iter().all(|&stations| payload(stations) == stations)
        && Some(levels as f64) == claim.expected_number("rate_levels")
        && (lap_ms - expected_ms).abs() <= 0.01 * expected_ms;
    let measured = json!({ "payload_bytes_of_64_stations": payload(64), "T_ms_for_10_nodes": round(lap_ms), "rate_levels": levels });
    let note = format!(
        "payload in byte encoding, our header adds {header} bytes; T is the mean time between two visits of the frame to \
         a station, 1 % allowed, since its own transmission adds to the ring's propagation"
    );
    Ok(Finding::new(measured, holds, note))
}

/// Links that control frames cross in one ring time, under either signalling.
pub fn message_economy(_claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    let hops = |parameters: &str| -> Result<(f64, usize), Trouble> {
        let run = run(&parking_lot()?, &way.law(parameters)?, 0, Detail::Summary)?;
        let lap: Span = run.plan.links[1].iter().map(|link| link.delay).sum();
        let laps = run.plan.duration.as_secs_f64() / lap.as_secs_f64();
        Ok((run.record.control_hops as f64 / laps, run.plan.stations.len()))
    };
    let (circulating, stations) = hops("")?;
    let (per_node, _) = hops("signalling = \"per-node\"")?;
    // Its own transmission lengthens a lap a little beyond the ring's propagation.
    let holds = circulating < per_node && (circulating - stations as f64).abs() < 0.02 * stations as f64;
    Ok(Finding::new(
        json!({ "circulating_per_T": round(circulating), "per_node_per_T": round(per_node), "N": stations }),
        holds,
        "links crossed in one propagation time of the parking lot's ring; a station's own frame goes N - 1 hops",
    ))
}

/// Mean time between two visits of the frame to station 4 of the parking lot.
fn measured_lap_ms(way: Way) -> Result<f64, Trouble> {
    let run = parking_lot_in_detail(way)?;
    let visits: Vec<Instant> = fair_rates_of_link_four(&run).map(|sample| sample.t).collect();
    let (first, last) = (visits.first().ok_or("no frame came by")?, visits.last().ok_or("no frame came by")?);
    Ok(last.since(*first).as_secs_f64() * 1e3 / (visits.len() - 1).max(1) as f64)
}

fn parking_lot_in_detail(way: Way) -> Result<Arc<Run>, Trouble> {
    run(&parking_lot()?, &way.law("")?, 0, Detail::Full)
}

fn fair_rates_of_link_four(run: &Run) -> impl Iterator<Item = &LawSample> {
    run.record.laws.iter().filter(|sample| sample.name == "fair_rate_bps" && sample.station == StationId(4))
}

/// The least F over whole runs of the parking lot: never below 1/N.
pub fn minimum_rate(claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    let run = parking_lot_in_detail(way)?;
    let least = fair_rates_of_link_four(&run).map(|sample| sample.value / run.capacity()).fold(f64::INFINITY, f64::min);
    let holds = compare(claim, &[least.min(0.25)], &[0.25]).holds;
    Ok(Finding::new(
        json!({ "min_F": round(least), "N": 4 }),
        holds,
        "link 4 of the parking lot, where N = 4, through 5 s",
    ))
}
