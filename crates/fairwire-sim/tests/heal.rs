//! dvsr and dvsr-plus lose control frames and are fair again soon.

mod common;

use common::{flow, law, ring_of, run, traffic};
use fairwire_core::{BitRate, Instant, RandomStream, Ringlet, Span, StationId, Streams};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::*;
use rand::RngExt;

/// The last sender starts after so many laps.
const START: usize = 60;
const LAPS: usize = 240;
/// Packets of 1000 bytes on the spans of a full ringlet.
const PACKETS_A_LAP: u64 = 1_000;

/// A parking lot somewhere on a ring: some stations in a row send to the one behind them, and the last of them starts late.
struct Lot {
    plan: RingPlan,
    lap: Span,
    starts_at: Instant,
}

impl Lot {
    fn random(number: u64) -> Self {
        let mut draw = Streams::new(21, number).component("lot");
        let stations: usize = draw.random_range(5..=16);
        let senders = draw.random_range(2..=(stations - 2).min(8));
        let span = Span::from_micros(draw.random_range(20..400));
        let lap = span * stations as u64;
        let capacity = BitRate::from_bps((PACKETS_A_LAP as f64 * 8_000.0 / lap.as_secs_f64()) as u64);
        let (first, late) = (draw.random_range(0..stations), draw.random_range(0..senders));
        let at = |hops: usize| ((first + hops) % stations) as u16;
        let starts_at = Instant::ZERO + lap * START as u64;
        let flows = (0..senders).map(|sender| {
            let mut flow = flow(at(sender), at(senders), Arrivals::Greedy);
            traffic(&mut flow).size_jitter = 0.05;
            FlowPlan { start: if sender == late { starts_at } else { Instant::ZERO }, ..flow }
        });
        let plan = RingPlan {
            seed: number,
            flows: flows.collect(),
            window: lap,
            duration: lap * LAPS as u64,
            check: false,
            ..ring_of(stations, capacity, span)
        };
        Self { plan, lap, starts_at }
    }

    /// Laps after the last start during which some flow was not within 5 % of its part, in windows of two laps: until all
    /// are for good, and the longest stretch.
    fn unfair_laps(&self, control: ControlPlan, law: &RingLawChoice) -> (usize, usize) {
        let record = run(&RingPlan { control, ..self.plan.clone() }, law);
        let part = self.plan.links[0][0].capacity.as_bps_f64() / self.plan.flows.len() as f64;
        let bytes = 2.0 * part * self.lap.as_secs_f64() / 8.0;
        let is_fair = |lap: usize| {
            let got =
                |flow: &FlowRecord| f64::from(flow.delivered_bytes[lap]) + f64::from(flow.delivered_bytes[lap + 1]);
            record.flows.iter().all(|flow| (got(flow) / bytes - 1.0).abs() <= 0.05)
        };
        let fair: Vec<bool> = (START..LAPS - 1).map(is_fair).collect();
        let last = fair.iter().rposition(|fair| !fair).map_or(0, |last| last + 2);
        let longest = fair.split(|fair| *fair).map(<[bool]>::len).max().unwrap_or(0) + 1;
        (last, longest)
    }

    /// One frame is lost somewhere as the last sender starts.
    fn one_lost(&self, draw: &mut RandomStream) -> ControlPlan {
        let from = StationId(draw.random_range(0..self.plan.stations.len() as u16));
        ControlPlan {
            lost: vec![LostFrame { at: self.starts_at, ringlet: Ringlet::One, from }],
            ..ControlPlan::default()
        }
    }
}

#[test]
fn figures() {
    let names = std::env::var("LAWS").unwrap_or("dvsr dvsr-plus".into());
    for name in names.split(' ') {
        let law = law(name);
        for number in 0..std::env::var("LOTS").map_or(20u64, |n| n.parse().unwrap()) {
            let lot = Lot::random(number);
            let mut draw = Streams::new(22, number).component("lost");
            let loss = |loss| ControlPlan { loss, ..ControlPlan::default() };
            let all = [ControlPlan::default(), lot.one_lost(&mut draw), loss(0.01), loss(0.1)]
                .map(|control| lot.unfair_laps(control, &law));
            println!("{name} {number}: {} stations {} flows: {all:?}", lot.plan.stations.len(), lot.plan.flows.len());
        }
    }
}
