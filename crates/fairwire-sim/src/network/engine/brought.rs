//! Packets that come from outside, and the connections that they belong to.

use super::super::hosts::Hosts;
use super::super::micro_flows::MicroFlow;
use super::super::packet::{Flags, Packet};
use super::Network;
use crate::brought::{BroughtPacket, Due, Fate};
use fairwire_core::FlowId;

impl Network {
    /// The fate of a packet from outside is decided.
    #[cold]
    pub(super) fn hand_back(&mut self, packet: &Packet, fate: Fate, at: u64) {
        self.returns.decide_marked(packet.number, fate, at, packet.flags.has(Flags::MARKED));
        if let (Some(visitors), Some(number)) = (&mut self.visitors, Hosts::visitor_of(packet)) {
            visitors.decide(number, at);
        }
    }

    /// Somebody brings a packet, which the first micro-flow of `flow` is to send.
    pub fn bring(&mut self, flow: usize, packet: BroughtPacket) {
        let Some(first) = self.hosts.identities.iter().position(|identity| identity.flow as usize == flow) else {
            return;
        };
        if let MicroFlow::Datagrams(stream) = self.hosts.micro_flows.get_mut(first) {
            let handle = self.returns.bring(flow, packet);
            stream.bring(packet.at.as_nanos(), Due { size_bytes: packet.size_bytes, handle });
            // A stream tells no time gone by.
            self.after_micro_flow(first as u32, 0);
        }
    }

    /// A packet from outside is sent now.
    pub(super) fn send_brought(&mut self, micro_flow: u32, now: u64, handle: u32) {
        let brought = *self.returns.packet(handle);
        let flow = self.hosts.identities[micro_flow as usize].flow;
        let visitor = self.visitors.as_mut().map(|visitors| visitors.send(flow, brought.connection, now));
        self.look_for_silence();
        let mut packet = self.hosts.brought(micro_flow, now, handle, &brought, visitor);
        match self.routes.steps[packet.step as usize].link() {
            Some(link) if brought.back => self.carry(link, now, &mut packet),
            _ => self.send(now, &mut packet),
        }
    }

    /// A connection may have been silent for long enough to give back its number: queues on its ways are told.
    #[cold]
    pub(super) fn on_silence(&mut self, now: u64) {
        let silent = self.visitors.as_mut().and_then(|visitors| visitors.take_silent(now));
        self.look_for_silence();
        let Some((flow, number)) = silent else { return };
        let (forward, reverse) = self.routes.begins[flow as usize];
        for begin in [forward, reverse] {
            for link in self.routes.steps[begin as usize..].iter().map_while(|step| step.link()) {
                self.links[link].forget(now, FlowId(number), &mut self.ledger);
            }
        }
    }

    pub(super) fn look_for_silence(&mut self) {
        if let Some(visitors) = &self.visitors {
            self.next.update(self.silence_place as usize, visitors.next_at());
        }
    }
}
