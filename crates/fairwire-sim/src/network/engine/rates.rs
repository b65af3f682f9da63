//! What ports under rate laws, and sources that they tell their rates, add to the walk.

use super::super::ledger::Owner;
use super::super::micro_flows::MicroFlow;
use super::super::packet::{Flags, Packet};
use super::super::port::Controlled;
use super::super::routes::NO_PORT;
use super::Network;
use fairwire_core::FlowId;
use fairwire_laws::rate::Leaving;

impl Network {
    /// What a source whose rate switches tell has to send, if anything.
    pub(super) fn send_controlled(
        &mut self,
        micro_flow: u32,
        now: u64,
        taken: Option<(Leaving, bool)>,
        bytes: Vec<u8>,
    ) {
        let Some((leaving, is_last)) = taken else {
            self.hosts.cells.give_back(bytes);
            return;
        };
        let (size, control) = match leaving {
            Leaving::Control => (bytes.len() as u16, Some(bytes)),
            Leaving::Data => {
                self.hosts.cells.give_back(bytes);
                (self.hosts.data_bytes(micro_flow), None)
            }
        };
        let mut packet = self.hosts.controlled(micro_flow, now, control, size, is_last);
        match leaving {
            Leaving::Data => self.send(now, &mut packet),
            Leaving::Control => {
                if let Some(link) = self.routes.steps[packet.step as usize].link() {
                    self.carry(link, now, &mut packet);
                }
            }
        }
    }

    /// A packet comes to a port: whether it goes on to the queue.
    pub(super) fn pass(&mut self, link: usize, now: u64, packet: &mut Packet) -> bool {
        let Some(port) = &mut self.ports[link] else { return true };
        if !packet.flags.has(Flags::CONTROLLED) || packet.flags.has(Flags::BACKWARD) {
            if !packet.flags.has(Flags::HIGH) {
                port.on_uncontrolled(packet.size.into());
            }
            return true;
        }
        let controlled = Controlled {
            flow: FlowId(packet.micro_flow),
            owner: Owner::flow(self.hosts.identities[packet.micro_flow as usize].flow),
            ends: &self.hosts.micro_flows,
            size_bytes: packet.size.into(),
            is_last: packet.flags.has(Flags::LAST),
        };
        let queue = &mut self.links[link];
        let goes_on = match self.hosts.cells.get_mut(packet.blocks) {
            Some(bytes) => port.on_forward(now, &controlled, bytes, queue, &mut self.ledger),
            None => port.on_data(now, &controlled, queue, &mut self.ledger),
        };
        if !goes_on {
            if packet.is_control() {
                self.hosts.count_lost_control(packet, true);
            }
            self.hosts.forget(packet);
        }
        self.after_port(link, now);
        goes_on
    }

    /// A control packet on its way back comes to where the port of its way forward is: whether it goes on.
    pub(super) fn pass_backward(&mut self, now: u64, packet: &Packet) -> bool {
        let link = self.routes.ports[packet.step as usize];
        if link == NO_PORT {
            return true;
        }
        let link = link as usize;
        let (Some(port), Some(bytes)) = (&mut self.ports[link], self.hosts.cells.get_mut(packet.blocks)) else {
            return true;
        };
        let flow = FlowId(packet.micro_flow);
        let goes_on = port.on_backward(now, flow, bytes, &mut self.links[link], &mut self.ledger);
        if !goes_on {
            self.hosts.count_lost_control(packet, true);
            self.hosts.forget(packet);
        }
        self.after_port(link, now);
        goes_on
    }

    /// A port's law has been called. A time gone by at which it wants to be woken, such as that of a change of which it has just
    /// been told, means `now`.
    #[inline]
    pub(super) fn after_port(&mut self, link: usize, now: u64) {
        if let Some(port) = &self.ports[link] {
            self.next.update(self.port_places[link] as usize, port.next_at().max(now));
            self.links[link].reserve(|| port.reserved_bps());
        }
    }

    #[cold]
    pub(super) fn on_port(&mut self, link: usize, now: u64) {
        if let Some(port) = &mut self.ports[link] {
            port.on_timeout(now, &mut self.links[link], &mut self.ledger);
        }
        self.after_port(link, now);
        self.send_notices(link, now);
    }

    /// What a port sends to sources by itself, from where control packets of theirs pass it on their way back.
    fn send_notices(&mut self, link: usize, now: u64) {
        loop {
            let mut bytes = self.hosts.cells.buffer();
            let noticed = self.ports[link].as_mut().and_then(|port| port.poll_notice(&mut bytes));
            let Some(flow) = noticed else {
                self.hosts.cells.give_back(bytes);
                return;
            };
            let Some(mut packet) = self.hosts.notice(flow.0, now, bytes) else { continue };
            while self.routes.ports[packet.step as usize] != link as u32 {
                packet.step += 1;
            }
            match self.routes.steps[packet.step as usize].link() {
                Some(onward) => self.carry(onward, now, &mut packet),
                None => self.on_return(now, &packet),
            }
        }
    }

    /// A control packet has come to the source that it is for.
    pub(super) fn on_return(&mut self, now: u64, packet: &Packet) {
        if let MicroFlow::Rate(end) = self.hosts.micro_flows.get_mut(packet.micro_flow as usize) {
            let is_notice = packet.flags.has(Flags::NOTICE);
            end.on_return(now, self.hosts.cells.get(packet.blocks), is_notice);
        }
        self.hosts.forget(packet);
        self.after_micro_flow(packet.micro_flow, now);
    }

    /// Flows have other terms.
    #[cold]
    pub(super) fn on_changes(&mut self, now: u64) {
        while let Some((flow, terms)) = self.changes.pop(now) {
            let (forward, _) = self.routes.begins[flow];
            let route: Vec<_> = self.routes.steps[forward as usize..].iter().map_while(|step| step.link()).collect();
            for micro_flow in 0..self.hosts.micro_flows.len() {
                if self.hosts.identities[micro_flow].flow as usize != flow {
                    continue;
                }
                if let MicroFlow::Rate(end) = self.hosts.micro_flows.get_mut(micro_flow) {
                    end.on_terms(now, &terms);
                }
                for &link in &route {
                    if let Some(port) = &mut self.ports[link] {
                        port.on_terms(now, FlowId(micro_flow as u32), &terms);
                    }
                    self.after_port(link, now);
                }
                self.after_micro_flow(micro_flow as u32, now);
            }
        }
        self.next.update(self.changes_place as usize, self.changes.next_at());
    }
}
