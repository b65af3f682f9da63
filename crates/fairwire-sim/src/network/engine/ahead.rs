//! What will soon be needed is fetched into the processor's cache meanwhile.
//!
//! With thousands of flows each packet is another flow's than the one before, and its state has long left the cache. But
//! who comes soon is known: whoever wins an early heat of the tournament, and who stands a few places behind on a wire.
//! Who a flow is and where its ends are takes few bytes a flow, and needs no such help. Nothing of this changes what happens.

use super::super::packet::Packet;
use super::Network;
use fairwire_core::FlowId;

/// A network of fewer micro-flows has all of them in the cache.
const MANY: usize = 512;

/// So many rounds of the tournament are left when a micro-flow is looked at.
const ROUNDS_LEFT: u32 = 4;

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
        let next = self.wakes.heat(micro_flow, ROUNDS_LEFT);
        self.hosts.look_at_sender(next);
        self.ledger.look_at_sent(self.hosts.owner(next));
        let (micro_flow, step) = (next as u32, self.hosts.way(next as u32).forward);
        self.look_from(&Packet { micro_flow, step, ..Packet::default() });
    }

    /// A packet has arrived at the end of a wire: others come nearer behind it.
    #[inline]
    pub(super) fn look_along(&self, link: usize) {
        let [first, second] = BEFORE.map(|others| self.wires[link].after(others));
        if let Some(packet) = first {
            self.look_from(&Packet { step: packet.step + 1, ..*packet });
        }
        if let Some(packet) = second {
            self.ledger.look_at_delays(self.hosts.owner(packet.micro_flow as usize));
        }
    }

    /// A packet will soon be where its step says: what it needs from there to where it has to wait is fetched.
    #[inline]
    fn look_from(&self, packet: &Packet) {
        let mut step = packet.step as usize;
        while let Some(link) = self.routes.steps[step].link() {
            if let Some(port) = &self.ports[link] {
                port.look_ahead(FlowId(packet.micro_flow), packet.is_control());
            }
            step += 1;
            if !self.routes.steps[step].at_once {
                return;
            }
        }
        self.hosts.look_at_receiver(packet);
        self.ledger.look_at_arrived(self.hosts.owner(packet.micro_flow as usize));
    }
}
