//! What a world is asked when a phase is over.

use super::World;
use super::random::{Phase, Trial};
use fairwire_core::Instant;
use fairwire_laws::rate::RateLawChoice;

/// What one phase came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The largest relative distance of a flow from its fair rate at the end.
    pub off: f64,
    /// From when on all flows were within 1 % of their fair rates, in loops; infinite if they are not at the end.
    pub loops: f64,
    pub seconds: f64,
    /// By how many packets a queue was longer than its port had flows, at most.
    pub beyond_flows: i64,
    pub longest: usize,
    pub falls: bool,
}

/// What a whole trial came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub phases: Vec<Outcome>,
    /// Data and control packets lost to a law or a full buffer.
    pub dropped: usize,
    pub refused: usize,
    /// The part of all packets that are control packets.
    pub control: f64,
}

/// Takes a trial through all its phases.
pub fn run(law: &RateLawChoice, trial: &Trial) -> Run {
    let mut world = World::new(law, &trial.plan);
    let mut phases = Vec::new();
    for phase in &trial.phases {
        world.run(phase.from);
        world.begin();
        world.run(phase.to);
        phases.push(world.outcome(phase));
        let violations: Vec<String> = world.ports.iter().filter_map(|port| port.law.violation()).collect();
        assert!(violations.is_empty(), "{violations:?}");
    }
    let (control, data) =
        world.flows.iter().fold((0, 0), |(c, d), f| (c + f.control_sent + f.control_noticed, d + f.data_sent));
    Run {
        phases,
        dropped: world.dropped(),
        refused: world.flows.iter().map(|flow| flow.refused.len()).sum(),
        control: control as f64 / (control + data) as f64,
    }
}

impl World {
    /// Queues are measured anew.
    pub fn begin(&mut self) {
        self.ports.iter_mut().for_each(super::Port::begin);
    }

    pub fn dropped(&self) -> usize {
        self.ports.iter().map(|port| port.dropped.len() + port.overflowed.len()).sum()
    }

    pub fn outcome(&self, phase: &Phase) -> Outcome {
        let (mut off, mut settled) = (0.0_f64, phase.from);
        for (flow, fair) in phase.fair.iter().enumerate() {
            let Some(fair) = *fair else { continue };
            let rate = self.flows[flow].sender.allowed_bps();
            off = off.max(distance(rate, fair));
            settled = settled.max(self.settled(flow, fair, phase));
        }
        let took = match settled {
            Instant::NEVER => f64::INFINITY,
            settled => settled.since(phase.from).as_secs_f64(),
        };
        let beyond = self.ports.iter().map(|port| port.longest as i64 - port.most_open as i64).max();
        Outcome {
            off,
            loops: took / phase.turn.as_secs_f64(),
            seconds: took,
            beyond_flows: beyond.unwrap_or(0),
            longest: self.ports.iter().map(|port| port.longest).max().unwrap_or(0),
            falls: phase.falls,
        }
    }

    /// From when on the flow was within 1 % of what is fair.
    fn settled(&self, flow: usize, fair: f64, phase: &Phase) -> Instant {
        let rates = &self.flows[flow].rates;
        let mut since = Instant::NEVER;
        for &(at, rate) in rates.iter().rev() {
            if distance(rate, fair) > 0.01 {
                break;
            }
            since = at.max(phase.from);
            if at <= phase.from {
                break;
            }
        }
        since
    }
}

fn distance(rate: f64, fair: f64) -> f64 {
    (rate - fair).abs() / fair.max(1.0)
}

/// The value below which this part of all lies.
pub fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() as f64 * part) as usize).min(values.len() - 1)]
}
