//! The ends of TCP connections at one station: what arrives for them, when they act by
//! themselves, and how what they send gets into the station's queues. What is brought to a ring from outside is sent and
//! received in the same way.

use super::hosts::{Bringer, Door, End, Hosts};
use super::{Station, Wires};
use crate::brought::{Due, Fate};
use crate::ring::books::{Content, Ledger, Parcel};
use crate::ring::wire::Packet;
use crate::winner_tree::WinnerTree;
use fairwire_core::Ringlet;
use fairwire_laws::transport::{Ack, Segment};

/// The ends at one station.
pub struct Ends {
    pub ends: Vec<End>,
    /// When each does something by itself.
    wake: WinnerTree,
}

/// What happens next for the ends at a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndEvent {
    /// A packet for one of them arrives on this ringlet.
    Arrival(Ringlet),
    /// One of them acts by itself.
    Wake,
}

impl Ends {
    /// None if nothing ever happens here: there are none, and the ring is not `fed` with packets that end here.
    pub fn new(ends: Vec<End>, hosts: &Hosts, fed: bool) -> Option<Self> {
        let mut keys: Vec<_> = ends.iter().map(|end| hosts.wake_at(*end)).collect();
        let any = fed || !keys.is_empty();
        keys.push(u64::MAX);
        any.then(|| Self { ends, wake: WinnerTree::new(keys) })
    }

    /// The first of arrivals, which are at `ending` by ringlet (ringlet 0 first), and of what
    /// they do by themselves.
    #[inline]
    pub fn next(&self, ending: [u64; 2]) -> (u64, EndEvent) {
        let [zero, one] = ending;
        let (_, wake) = self.wake.first();
        if zero <= one && zero <= wake {
            (zero, EndEvent::Arrival(Ringlet::Zero))
        } else if one <= wake {
            (one, EndEvent::Arrival(Ringlet::One))
        } else {
            (wake, EndEvent::Wake)
        }
    }

    fn look(&mut self, end: usize, hosts: &Hosts) {
        self.wake.update(end, hosts.wake_at(self.ends[end]));
    }
}

impl Station {
    pub(super) fn handle_ends(
        &mut self,
        now: u64,
        event: EndEvent,
        wires: &mut Wires<'_>,
        ledger: &mut Ledger,
        hosts: &mut Hosts,
    ) {
        match event {
            EndEvent::Arrival(ringlet) => {
                // Protection may just have taken it away.
                let ending = &mut wires.inbound[ringlet.index()].ending;
                if ending.next_at() <= now
                    && let Some(arrival) = ending.pop()
                {
                    self.take_arrival(now, &arrival.packet, ledger, hosts);
                }
            }
            EndEvent::Wake => self.wake_end(now, ledger, hosts),
        }
    }

    fn take_arrival(&mut self, now: u64, packet: &Packet, ledger: &mut Ledger, hosts: &mut Hosts) {
        let flow = ledger.flow_of(packet);
        let Some(Parcel { micro_flow, place, generation, content }) = ledger.open(packet) else {
            return self.violations.push(format!("station {}: an empty packet of TCP arrived", self.id()));
        };
        match content {
            Content::Brought(handle) => {
                ledger.receive(flow, now, packet.born(), packet.size().into());
                ledger.returns.decide(handle, Fate::Arrived, now);
            }
            Content::Segment(segment) => {
                let session = &mut hosts.sessions[micro_flow as usize];
                let (bytes, ack) = session.on_segment(now, place, generation, &segment, false);
                // No window is so large that so much more than a row's bytes come to be in order at once.
                ledger.receive(flow, now, packet.born(), u32::try_from(bytes).unwrap_or(u32::MAX));
                if let Some(ack) = ack {
                    self.send_ack(now, micro_flow, place, generation, ack, ledger, hosts);
                }
                self.look_at_end(hosts.addresses[micro_flow as usize].receivers, hosts);
            }
            Content::Ack(ack) => {
                ledger.receive(flow, now, packet.born(), packet.size().into());
                hosts.sessions[micro_flow as usize].on_ack(now, place, generation, &ack);
                while let Some(segment) = hosts.sessions[micro_flow as usize].poll_segment(now, place) {
                    self.send_segment(now, micro_flow, place, segment, ledger, hosts);
                }
                self.look_at_end(hosts.addresses[micro_flow as usize].senders, hosts);
            }
        }
    }

    /// The end whose turn it is acts by itself.
    fn wake_end(&mut self, now: u64, ledger: &mut Ledger, hosts: &mut Hosts) {
        let Some(ends) = &self.ends else { return };
        let number = ends.wake.first().0;
        match ends.ends[number] {
            End::Senders(micro_flow) => {
                hosts.sessions[micro_flow as usize].wake_senders(now);
                while let Some((place, segment)) = hosts.sessions[micro_flow as usize].poll_due(now) {
                    self.send_segment(now, micro_flow, place, segment, ledger, hosts);
                }
            }
            End::Receivers(micro_flow) => {
                hosts.sessions[micro_flow as usize].wake_receivers(now);
                while let Some((place, ack)) = hosts.sessions[micro_flow as usize].poll_ack() {
                    let generation = hosts.sessions[micro_flow as usize].generation(place);
                    self.send_ack(now, micro_flow, place, generation, ack, ledger, hosts);
                }
            }
            End::Bringer(number) => {
                let Bringer { door, line } = &mut hosts.bringers[number as usize];
                while let Some(Due { size_bytes, handle }) = line.take_before(now + 1) {
                    self.send(now, door, size_bytes, Parcel::brought(handle), ledger);
                }
            }
        }
        if let Some(ends) = &mut self.ends {
            ends.look(number, hosts);
        }
    }

    /// A packet was brought, which one of the ends here is to send.
    pub fn expect_brought(&mut self, end: usize, hosts: &Hosts) {
        if let Some(ends) = &mut self.ends {
            ends.look(end, hosts);
        }
    }

    fn look_at_end(&mut self, door: Door, hosts: &Hosts) {
        if let Some(ends) = &mut self.ends {
            ends.look(door.end, hosts);
        }
    }

    fn send_segment(
        &mut self,
        now: u64,
        micro_flow: u32,
        place: u16,
        segment: Segment,
        ledger: &mut Ledger,
        hosts: &Hosts,
    ) {
        let generation = hosts.sessions[micro_flow as usize].generation(place);
        let parcel = Parcel { micro_flow, place, generation, content: Content::Segment(segment) };
        self.send(now, &hosts.addresses[micro_flow as usize].senders, segment.size_bytes as u16, parcel, ledger);
    }

    #[expect(clippy::too_many_arguments, reason = "who, which connection and what")]
    fn send_ack(
        &mut self,
        now: u64,
        micro_flow: u32,
        place: u16,
        generation: u16,
        ack: Ack,
        ledger: &mut Ledger,
        hosts: &Hosts,
    ) {
        let address = &hosts.addresses[micro_flow as usize];
        let parcel = Parcel { micro_flow, place, generation, content: Content::Ack(ack) };
        self.send(now, &address.receivers, address.ack_bytes, parcel, ledger);
    }

    /// Brings a packet to its station queue, which refuses it if it is full.
    fn send(&mut self, now: u64, door: &Door, size: u16, parcel: Parcel, ledger: &mut Ledger) {
        let (ringlet, slot) = match &self.guard {
            Some(guard) => guard.slot_now(door.ringlet, door.slot),
            None => (door.ringlet, door.slot),
        };
        let packet = Packet::new(now, ledger.post(door.flow, parcel), size, door.egress).answered();
        if !self.sides[ringlet.index()].mac.push(slot, door.feeder, packet, ledger) {
            ledger.close(now, &packet, Fate::Refused);
        }
    }
}
