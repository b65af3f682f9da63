//! What will soon be needed is fetched into the processor's cache meanwhile.
//!
//! With thousands of flows each packet is another flow's than the one before, and its state has long left the cache. But
//! who comes soon is known: whoever wins an early heat of the tournament, and who stands a few places behind on a wire.
//! Who a flow is and where its ends are takes few bytes a flow, and needs no such help. Nothing of this changes what happens.

use super::super::packet::{Flags, Packet};
use super::Network;
use fairwire_core::FlowId;

/// A network of fewer micro-flows has all of them in the cache.
const MANY: usize = 512;

/// So many rounds of the tournament are left when a micro-flow is looked at for the first and the second time.
const ROUNDS_LEFT: [u32; 2] = [4, 2];

/// So many packets are before it on a wire when one is looked at for the first and the second time.
const BEFORE: [usize; 2] = [16, 8];

impl Network {
    /// Whether what will be needed has to be fetched.
    pub(super) fn has_many(micro_flows: usize) -> bool {
        micro_flows >= MANY
    }

    /// A micro-flow has done something: others come nearer in its stead.
    #[inline]
    pub(super) fn look_ahead_of(&self, micro_flow: usize) {
        let [first, second] = ROUNDS_LEFT.map(|left| self.wakes.heat(micro_flow, left));
        self.hosts.look_at_sender(first);
        self.ledger.look_at_sent(self.hosts.owner(first));
        let forward = |micro_flow| self.hosts.way(micro_flow as u32).forward;
        self.look_from(&Packet { micro_flow: first as u32, step: forward(first), ..Packet::default() });
        if self.routes.steps[forward(second) as usize].leads_to_end {
            self.ledger.look_at_delays(self.hosts.owner(second));
        }
    }

    /// A packet has arrived at the end of a wire: others come nearer behind it.
    #[inline]
    pub(super) fn look_along(&self, link: usize) {
        let [first, second] = BEFORE.map(|others| self.wires[link].after(others));
        if let Some(packet) = first {
            self.look_from(&Packet { step: packet.step + 1, ..*packet });
        }
        if let Some(packet) = second
            && self.routes.steps[packet.step as usize + 1].leads_to_end
        {
            self.ledger.look_at_delays(self.hosts.owner(packet.micro_flow as usize));
        }
    }

    /// A packet will soon be where its step says: what it needs there, and as far as it goes at once, is fetched.
    #[inline]
    fn look_from(&self, packet: &Packet) {
        let step = self.routes.steps[packet.step as usize];
        let port = match packet.flags.has(Flags::BACKWARD) {
            true => self.ports.get(self.routes.ports[packet.step as usize] as usize),
            // Where another port follows it has to wait.
            false => step.link().map(|link| &self.ports[link]),
        };
        if let Some(Some(port)) = port {
            port.look_ahead(FlowId(packet.micro_flow), packet.is_control());
        }
        if step.leads_to_end {
            self.hosts.look_at_receiver(packet);
            if !packet.is_control() {
                self.ledger.look_at_arrived(self.hosts.owner(packet.micro_flow as usize));
            }
        }
    }
}
