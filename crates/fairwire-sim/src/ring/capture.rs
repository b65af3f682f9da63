//! What captured links of a ring have sent.

use super::books::{Content, Parcel};
use super::engine::Ring;
use super::whole::Whole;
use super::wire::{Packet, Sent};
use crate::captured::{Captured, CapturedContent, CapturedPacket, in_order};
use fairwire_core::{Instant, Ringlet};

/// The links of a ring that are captured.
#[derive(Debug, Default)]
pub struct Capture {
    /// The wires that they are, in the order in which they were asked for.
    wires: Vec<usize>,
    /// For each flow of the ring the declared one, and whether it answers that.
    flows: Vec<(usize, bool)>,
}

impl Capture {
    /// Begins to capture `links`, by ringlet and by the station that they leave.
    pub fn begin(ring: &mut Ring, plan: &Whole<'_>, links: &[(Ringlet, usize)]) -> Self {
        let stations = plan.stations.len();
        let wire =
            |&(ringlet, from): &(Ringlet, usize)| ringlet.index() * stations + ringlet.downstream(from, stations);
        let wires: Vec<usize> = links.iter().map(wire).collect();
        wires.iter().for_each(|wire| ring.wires[*wire].capture());
        ring.stations.iter_mut().for_each(super::station::Station::never_rest);
        ring.ledger.parcels.remember();
        let mut flows: Vec<_> = (0..plan.declared()).map(|flow| (flow, false)).collect();
        let answers = (0..plan.declared()).filter(|flow| plan.answer(*flow).is_some());
        flows.extend(answers.map(|flow| (flow, true)));
        Self { wires, flows }
    }

    /// All that they have sent since the last call.
    pub fn take(&self, ring: &mut Ring) -> Vec<Captured> {
        let mut all = Vec::new();
        for (link, &wire) in self.wires.iter().enumerate() {
            for (at, sent) in ring.wires[wire].take_seen() {
                let (size_bytes, content) = self.content(ring, sent);
                all.push(Captured { link, at: Instant::from_nanos(at), size_bytes, content });
            }
        }
        ring.ledger.parcels.forget();
        in_order(&mut all);
        all
    }

    fn content(&self, ring: &Ring, sent: Sent) -> (u32, CapturedContent) {
        match sent {
            Sent::Packet(packet) => (packet.size().into(), CapturedContent::Packet(self.packet(ring, &packet))),
            Sent::Message(message) => {
                let size = message.wire_bytes() as u32;
                // All stations run the same law.
                let law = ring.stations.iter().flat_map(|station| &station.sides).find_map(|side| side.law.as_ref());
                (size, CapturedContent::Message(law.map_or_else(Vec::new, |law| law.bytes_of(message))))
            }
            Sent::Protection(bytes) => (bytes.len() as u32, CapturedContent::Protection(bytes)),
        }
    }

    fn packet(&self, ring: &Ring, packet: &Packet) -> CapturedPacket {
        let flow = ring.ledger.flow_of(packet) as usize;
        let (flow, back) = self.flows.get(flow).copied().unwrap_or((flow, false));
        let parcel = ring.ledger.recall(packet);
        let plain = CapturedPacket {
            flow,
            back,
            brought: None,
            micro_flow: parcel.map_or(0, |parcel| parcel.micro_flow),
            connection: parcel.map_or(0, |parcel| parcel.place),
            segment: None,
            ecn_capable: false,
            marked: false,
        };
        match parcel {
            None => plain,
            Some(Parcel { content: Content::Segment(segment), .. }) => {
                CapturedPacket { segment: Some(segment.number), ecn_capable: segment.ecn_capable, ..plain }
            }
            Some(Parcel { content: Content::Ack(ack), .. }) => CapturedPacket { segment: Some(ack.next), ..plain },
            Some(Parcel { content: Content::Brought(handle), .. }) => {
                let brought = ring.ledger.returns.packet(handle);
                CapturedPacket { brought: Some(brought.number), ecn_capable: brought.ecn_capable, ..plain }
            }
        }
    }
}
