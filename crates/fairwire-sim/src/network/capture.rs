//! What captured links of a network have sent.

use super::engine::Network;
use super::link::Outcome;
use super::packet::{Flags, Packet};
use crate::brought::Fate;
use crate::captured::{Captured, CapturedContent, CapturedPacket, in_order};
use fairwire_core::Instant;

/// The links of a network that are captured.
#[derive(Debug)]
pub struct Capture {
    /// For each link its place among those that were asked for.
    places: Vec<Option<usize>>,
    /// What was seen, or is known to be sent later.
    seen: Vec<Captured>,
}

impl Capture {
    /// Of a network of so many links these.
    pub fn of(links: usize, captured: &[usize]) -> Self {
        let place = |link| captured.iter().position(|captured| *captured == link);
        Self { places: (0..links).map(place).collect(), seen: Vec::new() }
    }

    /// All that was sent before `now`.
    pub fn take(&mut self, now: u64) -> Vec<Captured> {
        let (mut taken, left) = std::mem::take(&mut self.seen).into_iter().partition(|seen| seen.at.as_nanos() < now);
        self.seen = left;
        in_order(&mut taken);
        taken
    }
}

impl Network {
    /// What came of `packet` at `link`, which may be captured.
    #[cold]
    pub(super) fn see(&mut self, link: usize, outcome: Outcome, packet: &Packet) {
        let Some(place) = self.capture.as_ref().and_then(|capture| capture.places[link]) else { return };
        let at = match outcome {
            Outcome::Sent(_) => self.links[link].common.transmitter.begun_at,
            Outcome::Gone(Fate::Lost, at) => at,
            Outcome::Nothing | Outcome::Gone(..) => return,
        };
        let content = self.content(packet);
        let captured = Captured { link: place, at: Instant::from_nanos(at), size_bytes: packet.size.into(), content };
        if let Some(capture) = &mut self.capture {
            capture.seen.push(captured);
        }
    }

    fn content(&self, packet: &Packet) -> CapturedContent {
        let flow = self.hosts.identities[packet.micro_flow as usize].flow as usize;
        if packet.is_control() {
            let bytes = self.hosts.cells.get(packet.blocks).to_vec();
            return CapturedContent::RateMessage { flow, micro_flow: packet.micro_flow, bytes };
        }
        let brought = packet.flags.has(Flags::BROUGHT).then(|| self.returns.packet(packet.number).number);
        CapturedContent::Packet(CapturedPacket {
            flow,
            back: packet.is_ack(),
            brought,
            micro_flow: packet.micro_flow,
            connection: if brought.is_some() { 0 } else { packet.place },
            segment: (brought.is_none() && self.hosts.is_tcp(packet.micro_flow)).then_some(packet.number),
            ecn_capable: packet.flags.has(Flags::ECN_CAPABLE),
            marked: packet.flags.has(Flags::MARKED),
        })
    }
}
