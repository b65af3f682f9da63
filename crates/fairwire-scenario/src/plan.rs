//! The scenario as a plan for the ring simulator.

use crate::Scenario;
use crate::flow::{Flow, Way};
use crate::protection;
use fairwire_core::{Instant, Ringlet, ServiceClass, StationId, Weight};
use fairwire_sim::{Detail, FlowPlan, RingPlan, StationPlan};

impl Scenario {
    /// What replication `run` simulates; none for a network. Detail and checks
    /// are left at their cheapest for the caller to raise.
    pub fn ring_plan(&self, run: u64) -> Option<RingPlan> {
        let ring = self.ring()?;
        let settings = self.run();
        Some(RingPlan {
            seed: settings.seed,
            run,
            duration: settings.duration,
            warmup: settings.warmup,
            window: settings.window,
            links: Ringlet::BOTH.map(|ringlet| ring.ringlet(ringlet)),
            stations: ring.weights.iter().map(|&weight| StationPlan { weight: checked(weight) }).collect(),
            transit: ring.transit.plan(&ring.law, has_classes(self.flows())),
            station_queues: ring.station_queues,
            station_buffer: ring.station_buffer,
            flows: self.flows().iter().map(|flow| flow_plan(flow, settings.duration)).collect(),
            engine: settings.engine,
            protection: protection::plan(ring, self.events()),
            detail: Detail::Summary,
            check: false,
        })
    }
}

fn flow_plan(flow: &Flow, duration: fairwire_core::Span) -> FlowPlan {
    let ringlet = match flow.way {
        Way::Ring { ringlet } => ringlet,
        Way::Network { .. } => Ringlet::Zero,
    };
    FlowPlan {
        name: flow.name.clone(),
        ringlet,
        from: StationId(flow.from.index as u16),
        to: StationId(flow.to.index as u16),
        weight: checked(flow.weight),
        class: flow.class,
        guaranteed: flow.min_rate,
        traffic: flow.traffic.plan(),
        start: Instant::ZERO + flow.start,
        // A flow that starts after the end of the run stops as it starts.
        stop: Instant::ZERO + flow.stop.unwrap_or(duration).max(flow.start),
    }
}

/// Whether any flow has another class than best effort.
pub(crate) fn has_classes(flows: &[Flow]) -> bool {
    flows.iter().any(|flow| flow.class != ServiceClass::C)
}

/// Weights of a scenario have been checked when it was read.
fn checked(weight: f64) -> Weight {
    Weight::new(weight).unwrap_or_default()
}
