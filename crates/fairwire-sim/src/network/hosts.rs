//! The ends of all flows, and how what they say becomes packets.

use super::ledger::Owner;
use super::packet::{Flags, Packet};
use crate::endpoint::session::Session;
use crate::endpoint::stream::{Next, Stream};
use fairwire_core::{FlowId, Instant};
use fairwire_laws::queue::QueuedPacket;
use fairwire_laws::transport::{Ack, SackBlocks, Segment};

/// All micro-flows, one flow's after the other's.
#[derive(Debug)]
pub struct Hosts {
    pub micro_flows: Vec<MicroFlow>,
    pub identities: Vec<Identity>,
    /// Under which numbers laws know connections that are open beside a micro-flow's first.
    further_ids: Vec<Vec<u32>>,
    next_id: u32,
    /// Whether a micro-flow was found to send no more.
    over: Vec<bool>,
    blocks: Blocks,
}

/// What a micro-flow is made of.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "each packet of a stream would be one look farther away")]
pub enum MicroFlow {
    Datagrams(Stream),
    Tcp(Box<Session>),
}

/// Who a micro-flow is.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    pub flow: u32,
    pub source: u32,
    pub destination: u32,
    /// The first steps of its routes.
    pub forward: u32,
    pub reverse: u32,
    pub ack_bytes: u16,
}

/// Blocks of the acknowledgements that are under way and have any.
#[derive(Debug, Default)]
struct Blocks {
    kept: Vec<SackBlocks>,
    free: Vec<u32>,
}

impl Hosts {
    pub fn new(micro_flows: Vec<MicroFlow>, identities: Vec<Identity>) -> Self {
        Self {
            further_ids: vec![Vec::new(); micro_flows.len()],
            next_id: micro_flows.len() as u32,
            over: vec![false; micro_flows.len()],
            micro_flows,
            identities,
            blocks: Blocks::default(),
        }
    }

    /// When a micro-flow does something by itself, `u64::MAX` if never.
    #[inline]
    pub fn next_at(&self, micro_flow: usize) -> u64 {
        match &self.micro_flows[micro_flow] {
            MicroFlow::Datagrams(stream) => stream.next_at(),
            MicroFlow::Tcp(session) => session.wake_at(),
        }
    }

    /// Once, when a micro-flow sends no more: the numbers under which laws know it.
    pub fn take_over(&mut self, micro_flow: usize) -> Option<Vec<FlowId>> {
        let is_over = match &self.micro_flows[micro_flow] {
            MicroFlow::Datagrams(stream) => stream.next_at() == u64::MAX,
            MicroFlow::Tcp(session) => session.is_over(),
        };
        if self.over[micro_flow] || !is_over {
            return None;
        }
        self.over[micro_flow] = true;
        let further = self.further_ids[micro_flow].iter().copied();
        Some([micro_flow as u32].into_iter().chain(further).map(FlowId).collect())
    }

    /// What a queue's law may know of a packet, and whose it is.
    #[inline(always)]
    pub fn describe(&self, packet: &Packet) -> (QueuedPacket, Owner) {
        let who = &self.identities[packet.micro_flow as usize];
        let id = match packet.place {
            0 => packet.micro_flow,
            place => self.further_ids[packet.micro_flow as usize][place as usize - 1],
        };
        let acks = packet.is_ack();
        let (source, destination) = if acks { (who.destination, who.source) } else { (who.source, who.destination) };
        let queued = QueuedPacket {
            flow: FlowId(id),
            source,
            destination,
            size_bytes: packet.size.into(),
            ecn_capable: packet.flags.has(Flags::ECN_CAPABLE),
        };
        (queued, if acks { Owner::NOBODY } else { Owner::flow(who.flow) })
    }

    pub fn datagram(&self, micro_flow: u32, now: u64, next: Next) -> Packet {
        let step = self.identities[micro_flow as usize].forward;
        let (size, number, flags) = match next {
            Next::Made { size_bytes } => (size_bytes, 0, Flags::default()),
            Next::Brought { size_bytes, handle } => (size_bytes, handle, Flags::BROUGHT),
        };
        Packet { born: now, micro_flow, step, size, number, flags, ..Packet::default() }
    }

    #[inline]
    pub fn segment(&mut self, micro_flow: u32, place: u16, generation: u16, segment: &Segment) -> Packet {
        if place > 0 {
            self.name_connection(micro_flow as usize, place);
        }
        let flags = Flags::default()
            .with(Flags::RETRANSMITTED, segment.retransmitted)
            .with(Flags::ECN_CAPABLE, segment.ecn_capable)
            .with(Flags::WINDOW_REDUCED, segment.window_reduced);
        Packet {
            born: segment.sent_at.as_nanos(),
            number: segment.number,
            micro_flow,
            step: self.identities[micro_flow as usize].forward,
            blocks: 0,
            place,
            generation,
            size: segment.size_bytes as u16,
            flags,
        }
    }

    #[inline]
    pub fn ack(&mut self, micro_flow: u32, place: u16, generation: u16, ack: &Ack) -> Packet {
        let who = &self.identities[micro_flow as usize];
        let flags =
            Flags::ACK.with(Flags::RETRANSMITTED, ack.of_retransmitted).with(Flags::ECHO, ack.congestion_experienced);
        Packet {
            born: ack.sent_at.as_nanos(),
            number: ack.next,
            micro_flow,
            step: who.reverse,
            blocks: self.blocks.keep(&ack.sack),
            place,
            generation,
            size: who.ack_bytes,
            flags,
        }
    }

    /// The acknowledgement that a packet carries, which ends here.
    #[inline]
    pub fn take_ack(&mut self, packet: &Packet) -> Ack {
        Ack {
            next: packet.number,
            sack: self.blocks.take(packet.blocks),
            sent_at: Instant::from_nanos(packet.born),
            of_retransmitted: packet.flags.has(Flags::RETRANSMITTED),
            congestion_experienced: packet.flags.has(Flags::ECHO),
        }
    }

    /// A packet is no more.
    #[inline]
    pub fn forget(&mut self, packet: &Packet) {
        self.blocks.take(packet.blocks);
    }

    #[cold]
    fn name_connection(&mut self, micro_flow: usize, place: u16) {
        let ids = &mut self.further_ids[micro_flow];
        while ids.len() < usize::from(place) {
            ids.push(self.next_id);
            self.next_id += 1;
        }
    }
}

impl Blocks {
    /// Keeps blocks, if there are any: their place, or 0.
    #[inline]
    fn keep(&mut self, blocks: &SackBlocks) -> u32 {
        if blocks.iter().next().is_none() {
            return 0;
        }
        match self.free.pop() {
            Some(place) => {
                self.kept[place as usize - 1] = *blocks;
                place
            }
            None => {
                self.kept.push(*blocks);
                self.kept.len() as u32
            }
        }
    }

    #[inline]
    fn take(&mut self, place: u32) -> SackBlocks {
        if place == 0 {
            return SackBlocks::default();
        }
        self.free.push(place);
        self.kept[place as usize - 1]
    }
}
