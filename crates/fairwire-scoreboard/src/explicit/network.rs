//! A network of flows whose rates switches tell, and what happens in it.

use fairwire_core::{BitRate, Span};
use fairwire_laws::rate::Terms;

/// Links, flows, and what happens step by step.
#[derive(Clone, Debug)]
pub struct Network {
    /// Number of switches.
    pub nodes: usize,
    /// Links between them, each in one direction. A rate law tells flows their rates at each of them.
    pub links: Vec<Link>,
    /// Flows, each from a host of its own.
    pub flows: Vec<Flow>,
    /// Bytes of a data packet.
    pub packet_bytes: u16,
    /// Each link loses a packet with this probability, data and control packets alike.
    pub loss: f64,
    /// What happens, all of a step at one instant.
    pub steps: Vec<Vec<Deed>>,
}

/// A link in one direction. What comes back against it has a link of its own, as fast and as long, so that control packets
/// on their way back take nothing from data.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The switch it leaves.
    pub from: u32,
    /// The switch it reaches.
    pub to: u32,
    /// Capacity at the start.
    pub capacity: BitRate,
    /// Propagation time.
    pub delay: Span,
}

/// A flow.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Links on its way, in order; it ends at the last switch.
    pub route: Vec<usize>,
    /// Propagation time between its host and the first switch.
    pub access: Span,
    /// What was agreed for it at first.
    pub terms: Terms,
    /// Whether it is on at the start.
    pub is_on: bool,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deed {
    /// A flow that is off comes on.
    Start(usize),
    /// A flow that is on stops.
    Stop(usize),
    /// A flow has other terms.
    Terms(usize, Terms),
    /// A link has another capacity.
    Capacity(usize, BitRate),
}

/// Bits of a control packet that is as long as a cell of ATM.
const CONTROL_BITS: f64 = 424.0;

impl Network {
    /// How many flows take a link, whether they are on or not.
    pub fn flows_over(&self, link: usize) -> usize {
        self.flows.iter().filter(|flow| flow.route.contains(&link)).count()
    }

    /// Capacity of the hosts' own links, which is no bottleneck.
    pub fn access_capacity(&self) -> BitRate {
        let fastest = self.links.iter().map(|link| link.capacity).max().unwrap_or_default();
        fastest.scaled(4.0)
    }

    /// The time in s from when a flow's packet leaves to when a control packet that went with it is back, on empty links
    /// of these capacities.
    pub fn round_trip_s(&self, flow: &Flow, capacities: &[BitRate]) -> f64 {
        let packet_bits = f64::from(self.packet_bytes) * 8.0;
        let access = self.access_capacity().as_bps_f64();
        let hop = |link: &usize| {
            let link_bps = capacities[*link].as_bps_f64();
            2.0 * self.links[*link].delay.as_secs_f64() + packet_bits / link_bps + CONTROL_BITS / link_bps
        };
        let host = 2.0 * flow.access.as_secs_f64() + (packet_bits + CONTROL_BITS) / access;
        host + flow.route.iter().map(hop).sum::<f64>()
    }
}
