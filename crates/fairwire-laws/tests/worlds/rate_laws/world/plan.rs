//! What a world is told: its ports, its flows, and what changes.

use fairwire_core::{Instant, Span};
use fairwire_laws::rate::{SendingPlan, Terms};

/// An output port and the link behind it.
#[derive(Clone, Debug)]
pub struct PortPlan {
    pub capacity_bps: u64,
    /// Propagation, the same either way.
    pub delay: Span,
    /// Packets that the queue holds, the one in transmission included.
    pub buffer: u32,
}

/// One flow, which is on once. A flow that comes back is another flow on the same route.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Ports on its way, in order.
    pub route: Vec<usize>,
    /// From the source to the first port, and from there back.
    pub access: Span,
    pub terms: Terms,
    pub sending: SendingPlan,
    pub start: Instant,
    pub stop: Instant,
}

/// What changes beside starts and stops.
#[derive(Clone, Debug)]
pub enum Change {
    Terms {
        flow: usize,
        terms: Terms,
    },
    Capacity {
        port: usize,
        bps: u64,
    },
    /// A flow says nothing for so long, and then goes on.
    Pause {
        flow: usize,
        span: Span,
    },
    /// Traffic of higher priority takes so much from now on.
    Higher {
        port: usize,
        bps: u64,
    },
}

#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub ports: Vec<PortPlan>,
    pub flows: Vec<FlowPlan>,
    pub changes: Vec<(Instant, Change)>,
    /// This part of control packets is lost, at any place of their way.
    pub control_loss: f64,
    pub seed: u64,
}

impl Plan {
    /// Propagation to the destination and back.
    pub fn round_trip(&self, flow: usize) -> Span {
        let flow = &self.flows[flow];
        let way: Span = flow.route.iter().map(|&port| self.ports[port].delay).sum();
        (way + flow.access) * 2
    }
}
