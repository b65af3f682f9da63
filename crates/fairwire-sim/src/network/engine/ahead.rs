//! What will soon be needed is fetched into the processor's cache meanwhile.
//!
//! With thousands of flows each packet is another flow's than the one before, and its state has long left the cache. But
//! who comes soon is known: whoever wins an early heat of the tournament, and who stands a few places behind on a wire.
//! One thing leads to the next, so it is fetched in two steps: first who a micro-flow is and where its ends are, then what
//! is there, its account, its route. Nothing of this changes what happens.

use super::super::packet::Flags;
use super::Network;
use fairwire_core::FlowId;

/// A network of fewer micro-flows has all of them in the cache.
const MANY: usize = 512;

/// So many rounds of the tournament are left when a micro-flow is looked at for the first and the second time.
const ROUNDS_LEFT: [u32; 2] = [6, 3];

/// So many packets are before it on a wire when one is looked at.
const BEFORE: [usize; 3] = [32, 16, 8];

impl Network {
    /// Whether what will be needed has to be fetched.
    pub(super) fn has_many(micro_flows: usize) -> bool {
        micro_flows >= MANY
    }

    /// A micro-flow has done something: others come nearer in its stead.
    #[inline]
    pub(super) fn look_ahead_of(&self, micro_flow: usize) {
        let [first, second] = ROUNDS_LEFT.map(|left| self.wakes.heat(micro_flow, left));
        self.hosts.look_ahead(first);
        self.hosts.look_at_sender(second);
        let (forward, owner) = (self.hosts.way(second as u32).forward, self.hosts.owner(second));
        self.routes.look_ahead(forward);
        self.ledger.look_at_sent(owner);
        if self.routes.steps[forward as usize + 1].at_once {
            self.ledger.look_at_arrived(owner);
        }
    }

    /// A packet has arrived at the end of a wire: others come nearer behind it.
    #[inline]
    pub(super) fn look_along(&self, link: usize) {
        let [first, second, third] = BEFORE.map(|others| self.wires[link].after(others));
        if let Some(packet) = first {
            self.hosts.look_ahead(packet.micro_flow as usize);
            self.routes.look_ahead(packet.step + 1);
        }
        if let Some(packet) = second {
            match packet.flags.has(Flags::BACKWARD) {
                true => self.hosts.look_at_sender(packet.micro_flow as usize),
                false => self.hosts.look_at_receiver(packet.micro_flow as usize),
            }
            self.ledger.look_at_arrived(self.hosts.owner(packet.micro_flow as usize));
        }
        if let Some(packet) = third {
            self.ledger.look_at_delays(self.hosts.owner(packet.micro_flow as usize));
        }
        for (packet, soon) in [(second, false), (third, true)] {
            if let Some(packet) = packet
                && let Some(next) = self.routes.steps[packet.step as usize + 1].link()
                && let Some(port) = &self.ports[next]
            {
                port.look_ahead(FlowId(packet.micro_flow), soon);
            }
        }
    }
}
