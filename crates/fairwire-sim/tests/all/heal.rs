//! dvsr and dvsr-plus lose control frames and are fair again soon.

use crate::common::{flow, law, ring_of, run, traffic};
use fairwire_core::{BitRate, Instant, RandomStream, Ringlet, Span, StationId, Streams};
use fairwire_laws::ring::{RingLawChoice, dvsr};
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
        Self::of(number, 5..=16)
    }

    /// On a ring of so many stations.
    fn of(number: u64, stations: std::ops::RangeInclusive<usize>) -> Self {
        let mut draw = Streams::new(21, number).component("lot");
        let stations: usize = draw.random_range(stations);
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

const LOTS: u64 = 40;
/// The laws whose frame circulates.
const LAWS: [&str; 2] = ["dvsr", "dvsr-plus"];

#[test]
fn rates_are_fair_within_twenty_laps_of_a_lost_frame() {
    for (number, name) in (0..LOTS).flat_map(|number| LAWS.map(|name| (number, name))) {
        let lot = Lot::random(number);
        let mut draw = Streams::new(22, number).component("lost");
        let (until, _) = lot.unfair_laps(lot.one_lost(&mut draw), &law(name));
        assert!(until <= 20, "{name} on lot {number}: fair after {until} laps");
    }
}

#[test]
fn where_one_frame_in_a_hundred_is_lost_rates_are_never_unfair_for_more_than_twenty_laps() {
    let mut slower = 0;
    for (number, name) in (0..LOTS).flat_map(|number| LAWS.map(|name| (number, name))) {
        let lot = Lot::random(number);
        let (usual, _) = lot.unfair_laps(ControlPlan::default(), &law(name));
        let (_, longest) = lot.unfair_laps(ControlPlan { loss: 0.01, ..ControlPlan::default() }, &law(name));
        assert!(longest <= 20, "{name} on lot {number}: unfair for {longest} laps");
        slower += u64::from(longest > usual + 1);
    }
    assert!(slower > 0, "no loss mattered");
}

/// There a frame that is sent once comes around in every second lap, and at 10 % in one of three hundred.
#[test]
fn on_rings_of_many_links_copies_make_up_for_what_is_lost() {
    for (number, name) in (0..LOTS / 4).flat_map(|number| LAWS.map(|name| (number, name))) {
        let lot = Lot::of(number, 48..=64);
        for (loss, most) in [(0.01, 20), (0.1, 60)] {
            let (_, longest) = lot.unfair_laps(ControlPlan { loss, ..ControlPlan::default() }, &law(name));
            assert!(longest <= most, "{name} on lot {number} at {loss}: unfair for {longest} laps");
        }
    }
}

/// What notes tell is told again a period later.
#[test]
fn where_each_station_sends_its_own_frames_a_lost_one_hardly_matters() {
    let per_node = dvsr::Params { signalling: dvsr::Signalling::PerNode, ..dvsr::Params::default() };
    for number in 0..LOTS / 2 {
        let lot = Lot::random(number);
        let control = ControlPlan { loss: 0.01, ..ControlPlan::default() };
        let (_, longest) = lot.unfair_laps(control, &RingLawChoice::dvsr(per_node.clone()));
        assert!(longest <= 20, "lot {number}: unfair for {longest} laps");
    }
}
