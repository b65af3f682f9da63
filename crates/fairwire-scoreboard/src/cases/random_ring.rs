//! The random rings: an endless list, each known by its number.
//!
//! | what | how it is drawn |
//! | --- | --- |
//! | stations N | uniform, 4 to 64 |
//! | delay of a span | log-uniform, 0.05 to 2 ms; all spans of a ring alike |
//! | capacity | such that one lap T = N spans holds 100 packets of 1000 B; all links alike |
//! | flows | uniform, N/2 to 3N/2 |
//! | ends of a flow | uniform over the ordered pairs that have no flow yet |
//! | ringlet | the shorter way; half-way round, ringlet 0 |
//! | demand | half without end; else log-uniform, 1 % to 100 % of capacity |
//! | traffic | greedy, or CBR; packets of 1000 B ± 5 %, so that flows do not lock in phase |
//! | queues | transit as the law is described for, 200 kB; one station queue of 200 kB for each egress |
//! | weights | 1 |
//!
//! RIAS-fair rates of every ring are solved for; where the solver cannot tell
//! whether they are the only ones, the ring stays in the sample and its score
//! says so: to draw another in its place would keep the most crowded rings out.
//!
//! Time is counted in laps, so that rings of all lengths are asked for the same
//! number of control cycles. A run has two halves, warm-up and measurement, of
//! [`LAPS`] laps each, or as many as it takes for every flow to deliver
//! [`PACKETS`] packets at the rate that RIAS guarantees it. Rows of the series
//! are one lap.

use crate::{Rates, ScoreError};
use fairwire_alloc::Problem;
use fairwire_core::{BitRate, RandomStream, Span, Streams};
use fairwire_plan::RingPlan;
use fairwire_scenario::Scenario;
use rand::RngExt;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The experiment from which the scoreboard takes its rings.
pub const SAMPLE_SEED: u64 = 2004;
/// Laps of the warm-up, and of the measurement, at least.
const LAPS: u64 = 500;
/// Packets that the slowest flow delivers while it is measured if it gets what is
/// fair, at least: one more or less is a tenth of the strictest tolerance, 1 %.
const PACKETS: f64 = 1_000.0;
/// Packets of the usual size on the spans of one ringlet when all links are full.
const PACKETS_A_LAP: f64 = 100.0;
const PACKET_BITS: f64 = 8_000.0;

/// One ring of the sample, as a validated scenario.
#[derive(Clone, Debug)]
pub struct RandomRing {
    /// Its place in the list, from 0.
    pub number: u64,
    /// The scenario; its law is `dvsr` until told otherwise.
    pub scenario: Scenario,
    /// The scenario as a file.
    pub toml: String,
}

impl RandomRing {
    /// Ring `number` of the scoreboard's sample.
    ///
    /// # Errors
    /// [`ScoreError::Scenario`] if it makes no scenario; no ring of the sample does that.
    pub fn new(number: u64) -> Result<Self, ScoreError> {
        Self::of_experiment(SAMPLE_SEED, number)
    }

    /// Ring `number` of the list that belongs to `seed`.
    ///
    /// # Errors
    /// As [`RandomRing::new`].
    pub fn of_experiment(seed: u64, number: u64) -> Result<Self, ScoreError> {
        let case = case_name(number);
        let drawn = Drawn::new(&mut Streams::new(seed, number).component("random-ring"));
        let parse = |text: &str| {
            Scenario::parse(&case, text)
                .map_err(|errors| ScoreError::Scenario { case: case.clone(), message: errors.to_string() })
        };
        let mut toml = drawn.toml(number, LAPS);
        let mut scenario = parse(&toml)?;
        let laps = drawn.laps(smallest_guarantee_bps(&scenario.problem()));
        if laps != LAPS {
            toml = drawn.toml(number, laps);
            scenario = parse(&toml)?;
        }
        Ok(Self { number, scenario, toml })
    }

    /// What the simulator runs, under any law.
    pub fn plan(&self) -> RingPlan {
        // The scenario is a ring: there always is a plan.
        self.scenario.ring_plan(0).unwrap_or_else(|| unreachable!("a random ring is a ring"))
    }

    /// RIAS-fair rates.
    ///
    /// # Errors
    /// [`ScoreError::Reference`] if the solver finds none; no ring of the
    /// sample does that.
    pub fn reference(&self) -> Result<Rates, ScoreError> {
        Rates::solve(&case_name(self.number), &self.scenario)
    }
}

fn case_name(number: u64) -> String {
    format!("random ring {number}")
}

/// The smallest rate that RIAS leaves any flow, whatever the others send: its
/// demand, or its part of its ingress's part of a link on its way (all weights
/// are 1). `[dvsr] §III-A`.
fn smallest_guarantee_bps(problem: &Problem) -> f64 {
    let mut flows_by_ingress = vec![vec![0_u32; problem.nodes.len()]; problem.links.len()];
    for flow in &problem.flows {
        for &link in &flow.route {
            flows_by_ingress[link][flow.ingress] += 1;
        }
    }
    let part = |link: usize, ingress: usize| {
        let ingresses = flows_by_ingress[link].iter().filter(|&&flows| flows > 0).count();
        problem.links[link].capacity_bps / ingresses as f64 / f64::from(flows_by_ingress[link][ingress])
    };
    let guaranteed = problem
        .flows
        .iter()
        .map(|flow| flow.route.iter().map(|&link| part(link, flow.ingress)).fold(flow.demand_bps, f64::min));
    guaranteed.fold(f64::INFINITY, f64::min)
}

/// What was drawn.
struct Drawn {
    stations: u16,
    span_delay: Span,
    capacity: BitRate,
    flows: Vec<DrawnFlow>,
}

struct DrawnFlow {
    from: u16,
    to: u16,
    /// None is demand without end.
    demand: Option<BitRate>,
}

impl Drawn {
    fn new(draw: &mut RandomStream) -> Self {
        let stations: u16 = draw.random_range(4..=64);
        let span_delay = Span::from_secs_f64(log_uniform(draw, 0.05e-3, 2e-3));
        let lap_s = (span_delay * u64::from(stations)).as_secs_f64();
        let capacity = BitRate::from_bps_f64(PACKETS_A_LAP * PACKET_BITS / lap_s);
        let count = draw.random_range(usize::from(stations / 2)..=usize::from(3 * stations / 2));
        let mut taken = BTreeSet::new();
        while taken.len() < count {
            let from = draw.random_range(0..stations);
            let to = (from + draw.random_range(1..stations)) % stations;
            taken.insert((from, to));
        }
        let flows = taken.into_iter().map(|(from, to)| {
            let endless = draw.random_bool(0.5);
            let part = log_uniform(draw, 0.01, 1.0);
            DrawnFlow { from, to, demand: (!endless).then(|| capacity.scaled(part)) }
        });
        let flows = flows.collect();
        Self { stations, span_delay, capacity, flows }
    }

    fn lap(&self) -> Span {
        self.span_delay * u64::from(self.stations)
    }

    /// How many laps each half of a run takes if no flow gets less than `slowest_bps`.
    fn laps(&self, slowest_bps: f64) -> u64 {
        let laps = PACKETS * PACKET_BITS / slowest_bps / self.lap().as_secs_f64();
        LAPS.max(laps.ceil() as u64)
    }

    fn toml(&self, number: u64, laps: u64) -> String {
        let Self { stations, span_delay, capacity, .. } = self;
        let lap = self.lap();
        let (warmup, duration) = (lap * laps, lap * (2 * laps));
        let mut text = format!(
            "schema = 1\n\
             title = \"Random ring {number}\"\n\
             \n\
             [run]\n\
             duration = \"{duration}\"\n\
             warmup = \"{warmup}\"\n\
             seed = {number}\n\
             window = \"{lap}\"\n\
             \n\
             [ring]\n\
             stations = {stations}\n\
             capacity = \"{capacity}\"\n\
             span-delay = \"{span_delay}\"\n\
             law = {{ name = \"dvsr\" }}\n\
             transit = {{ buffer = \"200 kB\" }}\n\
             station-queues = \"per-destination\"\n\
             station-buffer = \"200 kB\"\n"
        );
        for flow in &self.flows {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{}", flow.toml());
        }
        text
    }
}

impl DrawnFlow {
    fn toml(&self) -> String {
        let Self { from, to, demand } = self;
        let traffic = match demand {
            None => "kind = \"greedy\"".to_owned(),
            Some(rate) => format!("kind = \"cbr\", rate = \"{rate}\""),
        };
        format!(
            "[[flow]]\n\
             name = \"{from}-to-{to}\"\n\
             from = {from}\n\
             to = {to}\n\
             traffic = {{ {traffic}, packet = \"1 kB\", size-jitter = \"5 %\" }}\n"
        )
    }
}

/// Uniform in the logarithm.
fn log_uniform(draw: &mut RandomStream, low: f64, high: f64) -> f64 {
    (draw.random_range(low.ln()..high.ln())).exp()
}
