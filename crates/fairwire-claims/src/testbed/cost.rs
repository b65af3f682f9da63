//! What a visit of the control frame costs a station of a ring of eight, on this machine.

use super::Carrier;
use super::ring::middle;
use crate::catalogue::Claim;
use crate::checks::dvsr_rules::site;
use crate::checks::expected_number;
use crate::row::Finding;
use crate::runs::Trouble;
use crate::tolerance::round;
use fairwire_core::{Cx, FlowId, Instant, PacketMeta, ServiceClass, StationId, Streams};
use fairwire_laws::ring::dvsr::{Encoding, Frame, Law, Packets, Params};
use fairwire_laws::ring::{
    AddQueueView, LinkCounters, LinkView, RingAction, RingLaw, RingSite, StationView, TransitView,
};
use serde_json::json;
use std::hint::black_box;
use std::time::Instant as Clock;

/// Rounds of so many visits; the middle of the rounds is told.
const ROUNDS: usize = 21;
const VISITS: u32 = 2_000;
const STATIONS: usize = 8;
/// Orders of magnitude compare: an instruction a nanosecond, within a factor of ten.
const FACTOR: f64 = 10.0;

/// Instructions printed against nanoseconds a visit: the fair rate of the link, and limits of seven destinations.
pub fn visit(claim: &Claim, _: &dyn Carrier) -> Result<Finding, Trouble> {
    let keys = ["fair_rate_instructions", "rate_limit_instructions", "hardware_write_instructions"];
    let printed: f64 = keys.iter().map(|key| expected_number(claim, key)).sum::<Result<f64, _>>()?;
    let visit_ns = middle((0..ROUNDS).map(|_| nanoseconds_a_visit()).collect::<Result<_, _>>()?)?;
    let measured = json!({ "visit_ns": round(visit_ns), "printed_instructions_in_all": printed });
    let note = "the time of a visit on this machine, counts and limits included; a nanosecond of today's processors is one to five \
                instructions";
    Ok(Finding::new(measured, (printed / FACTOR..=printed * FACTOR).contains(&visit_ns), note))
}

fn nanoseconds_a_visit() -> Result<f64, Trouble> {
    let params = Params { encoding: Encoding::Byte, count_margin: Packets::clamped(0.0), ..Params::default() };
    let site = RingSite { first: false, ..site(0, STATIONS, &[1, 2, 3, 4, 5, 6, 7]) };
    let (flows, ring_time) = (site.flows.len(), site.ring_time);
    let mut counters = LinkCounters::new(Law::counters(&params), &site);
    let mut law = Law::new(&params, site);
    let adds = vec![AddQueueView { packets: u32::MAX, ..Default::default() }; flows];
    let mut rng = Streams::new(0, 0).component("law");
    let mut now = Instant::ZERO;
    let mut frame = Frame::new(Encoding::Byte, STATIONS);
    let begun = Clock::now();
    for _ in 0..VISITS {
        now += ring_time;
        for ingress in 0..STATIONS as u16 {
            counters.arrive(&packet(ingress));
            counters.send_in_full(&packet(ingress));
        }
        let view = StationView {
            link: LinkView::default(),
            transit: TransitView::default(),
            traffic: counters.traffic(),
            adds: &adds,
        };
        let mut cx = Cx { now, rng: &mut rng, probe: None };
        law.on_message(&mut cx, black_box(frame), &view);
        frame = passed_on(&mut law).ok_or("the frame was not passed on")?.on_next_lap();
    }
    Ok(begun.elapsed().as_nanos() as f64 / f64::from(VISITS))
}

/// The frame as the law passes it on; its limits are thrown away.
fn passed_on(law: &mut Law) -> Option<Frame> {
    let mut passed = None;
    while let Some(action) = law.poll_action() {
        if let RingAction::SendUpstream(frame) = action {
            passed = Some(frame);
        }
    }
    passed
}

fn packet(ingress: u16) -> PacketMeta {
    PacketMeta {
        flow: FlowId(0),
        ingress: StationId(ingress),
        egress: StationId(0),
        size_bytes: 1_000,
        class: ServiceClass::C,
        fairness_eligible: true,
    }
}

#[cfg(test)]
mod tests {
    use super::nanoseconds_a_visit;

    #[test]
    fn a_visit_takes_some_time() {
        let visit_ns = nanoseconds_a_visit().expect("the frame goes on");
        assert!(visit_ns > 1.0, "{visit_ns}");
    }
}
