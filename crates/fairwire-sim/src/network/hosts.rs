//! The ends of all flows, and how what they say becomes packets.

use super::ledger::Owner;
use super::micro_flows::{MicroFlow, MicroFlows};
use super::packet::{Flags, Packet};
use crate::brought::BroughtPacket;
use fairwire_core::{FlowId, Instant};
use fairwire_laws::queue::QueuedPacket;
use fairwire_laws::transport::{Ack, SackBlocks, Segment};
use prefetch_index::prefetch_index;
use std::collections::BTreeMap;
use std::slice;

/// The place of a packet whose connection has one of the numbers of [`super::visitors::Visitors`]; `blocks` is that number.
const VISITOR: u16 = u16::MAX;

/// All micro-flows, one flow's after the other's.
#[derive(Debug)]
pub struct Hosts {
    pub micro_flows: MicroFlows,
    pub identities: Vec<Identity>,
    ways: Vec<FlowRoute>,
    /// Under which numbers laws know connections that are open beside a micro-flow's first.
    further_ids: Vec<Vec<u32>>,
    next_id: u32,
    /// Whether a micro-flow was found to send no more.
    over: Vec<bool>,
    blocks: Blocks,
    pub cells: Cells,
}

/// Who a micro-flow is.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    pub flow: u32,
    /// Its place among the ways.
    way: u32,
}

/// Between which nodes a micro-flow goes, and how. Thousands of micro-flows share one: it stays in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowRoute {
    pub source: u32,
    pub destination: u32,
    /// The first steps of its routes.
    pub forward: u32,
    pub reverse: u32,
    pub ack_bytes: u16,
    /// Its packets go before others.
    pub high: Flags,
}

/// Blocks of the acknowledgements that are under way and have any.
#[derive(Debug, Default)]
struct Blocks {
    kept: Vec<SackBlocks>,
    free: Vec<u32>,
}

impl Hosts {
    /// Micro-flows, and of each which flow it is a part of and its way.
    pub fn new(micro_flows: MicroFlows, who: Vec<(u32, FlowRoute)>) -> Self {
        let (mut ways, mut known) = (Vec::new(), BTreeMap::new());
        let mut share = |way: FlowRoute| {
            *known.entry(way).or_insert_with(|| {
                ways.push(way);
                ways.len() as u32 - 1
            })
        };
        let identities = who.into_iter().map(|(flow, way)| Identity { flow, way: share(way) }).collect();
        Self {
            further_ids: vec![Vec::new(); micro_flows.len()],
            next_id: micro_flows.len() as u32,
            over: vec![false; micro_flows.len()],
            micro_flows,
            identities,
            ways,
            blocks: Blocks::default(),
            cells: Cells::default(),
        }
    }

    /// Whether a micro-flow is made of TCP.
    pub fn is_tcp(&self, micro_flow: u32) -> bool {
        matches!(self.micro_flows.get(micro_flow as usize), MicroFlow::Tcp(_))
    }

    /// When a micro-flow does something by itself, `u64::MAX` if never.
    #[inline]
    pub fn next_at(&self, micro_flow: usize) -> u64 {
        match self.micro_flows.get(micro_flow) {
            MicroFlow::Datagrams(stream) => stream.next_at(),
            MicroFlow::Tcp(session) => session.wake_at(),
            MicroFlow::Rate(end) => end.next_at(),
        }
    }

    /// When each micro-flow does something by itself.
    pub fn wakes(&self) -> Vec<u64> {
        (0..self.micro_flows.len()).map(|micro_flow| self.next_at(micro_flow)).collect()
    }

    /// A micro-flow will soon do something: what sends is fetched into the cache.
    #[inline]
    pub fn look_at_sender(&self, micro_flow: usize) {
        match self.micro_flows.get(micro_flow) {
            MicroFlow::Datagrams(stream) => stream.look_ahead(),
            MicroFlow::Tcp(session) => prefetch_index(slice::from_ref(session), 0),
            MicroFlow::Rate(end) => end.look_at_sender(),
        }
    }

    /// A packet will soon arrive: what receives it is fetched into the cache, which is the source if a control packet comes back.
    #[inline]
    pub fn look_at_receiver(&self, packet: &Packet) {
        match self.micro_flows.get(packet.micro_flow as usize) {
            MicroFlow::Datagrams(_) => {}
            MicroFlow::Tcp(session) => prefetch_index(slice::from_ref(session), 0),
            MicroFlow::Rate(end) if packet.flags.has(Flags::BACKWARD) => end.look_at_source(),
            MicroFlow::Rate(end) => end.look_at_arrivals(),
        }
    }

    /// Between which nodes a micro-flow goes.
    #[inline(always)]
    pub fn way(&self, micro_flow: u32) -> &FlowRoute {
        &self.ways[self.identities[micro_flow as usize].way as usize]
    }

    /// Whose the data packets of a micro-flow are.
    #[inline]
    pub fn owner(&self, micro_flow: usize) -> Owner {
        Owner::flow(self.identities[micro_flow].flow)
    }

    /// Whether a micro-flow makes nothing more by itself. What may still be brought to it does not count: nobody knows.
    #[inline]
    pub fn makes_no_more(&self, micro_flow: usize) -> bool {
        match self.micro_flows.get(micro_flow) {
            MicroFlow::Datagrams(stream) => stream.makes_no_more(),
            MicroFlow::Tcp(session) => session.wake_at() == u64::MAX,
            MicroFlow::Rate(end) => end.is_over(),
        }
    }

    /// Once, when a micro-flow sends no more: the numbers under which laws know it.
    pub fn take_over(&mut self, micro_flow: usize) -> Option<Vec<FlowId>> {
        let is_over = match self.micro_flows.get(micro_flow) {
            MicroFlow::Datagrams(stream) => stream.makes_no_more(),
            MicroFlow::Tcp(session) => session.is_over(),
            MicroFlow::Rate(end) => end.is_over(),
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
        let (flow, who) = (self.identities[packet.micro_flow as usize].flow, self.way(packet.micro_flow));
        let id = match packet.place {
            0 => packet.micro_flow,
            VISITOR => packet.blocks,
            place => self.further_ids[packet.micro_flow as usize][place as usize - 1],
        };
        let acks = packet.is_ack() || packet.flags.has(Flags::BACKWARD);
        let (source, destination) = if acks { (who.destination, who.source) } else { (who.source, who.destination) };
        let queued = QueuedPacket {
            flow: FlowId(id),
            source,
            destination,
            size_bytes: packet.size.into(),
            ecn_capable: packet.flags.has(Flags::ECN_CAPABLE),
        };
        (queued, if acks || packet.is_control() { Owner::NOBODY } else { Owner::flow(flow) })
    }

    pub fn datagram(&self, micro_flow: u32, now: u64, size: u16) -> Packet {
        let FlowRoute { forward: step, high: flags, .. } = *self.way(micro_flow);
        Packet { born: now, micro_flow, step, size, flags, ..Packet::default() }
    }

    /// A packet from outside, known as `handle`; its connection is this `visitor`, where connections have numbers.
    pub fn brought(
        &self,
        micro_flow: u32,
        now: u64,
        handle: u32,
        brought: &BroughtPacket,
        visitor: Option<u32>,
    ) -> Packet {
        let FlowRoute { forward, reverse, high, .. } = *self.way(micro_flow);
        let flags = Flags::BROUGHT.and(high);
        let flags = flags.with(Flags::ACK, brought.back).with(Flags::ECN_CAPABLE, brought.ecn_capable);
        Packet {
            born: now,
            micro_flow,
            step: if brought.back { reverse } else { forward },
            size: brought.size_bytes,
            number: handle,
            blocks: visitor.unwrap_or(0),
            place: visitor.map_or(0, |_| VISITOR),
            flags,
            ..Packet::default()
        }
    }

    /// The number of the connection of a packet from outside, where connections have numbers.
    pub fn visitor_of(packet: &Packet) -> Option<u32> {
        (packet.place == VISITOR).then_some(packet.blocks)
    }

    /// A packet of a flow whose rate switches tell; a control packet has these `bytes`.
    pub fn controlled(&mut self, micro_flow: u32, now: u64, control: Option<Vec<u8>>, size: u16, last: bool) -> Packet {
        let FlowRoute { forward: step, high, .. } = *self.way(micro_flow);
        let flags = Flags::CONTROLLED.and(high).with(Flags::CONTROL, control.is_some()).with(Flags::LAST, last);
        let blocks = control.map_or(0, |bytes| self.cells.keep(bytes));
        Packet { born: now, micro_flow, step, size, flags, blocks, ..Packet::default() }
    }

    /// A control packet for the source of a flow, made on its way back, at whose beginning it stands.
    pub fn notice(&mut self, micro_flow: u32, now: u64, control: Vec<u8>) -> Option<Packet> {
        let MicroFlow::Rate(end) = self.micro_flows.get_mut(micro_flow as usize) else { return None };
        end.counts.control_noticed += 1;
        let FlowRoute { reverse: step, high, .. } = *self.way(micro_flow);
        let flags = Flags::CONTROLLED.and(Flags::CONTROL).and(Flags::BACKWARD).and(Flags::NOTICE).and(high);
        let size = control.len() as u16;
        Some(Packet { born: now, micro_flow, step, size, flags, blocks: self.cells.keep(control), ..Packet::default() })
    }

    /// Size of a data packet of a flow whose rate switches tell.
    pub fn data_bytes(&self, micro_flow: u32) -> u16 {
        match self.micro_flows.get(micro_flow as usize) {
            MicroFlow::Rate(end) => end.data_bytes(),
            MicroFlow::Datagrams(_) | MicroFlow::Tcp(_) => 0,
        }
    }

    /// The control packet that the destination makes of one that came: none if it refuses.
    pub fn turn(&mut self, packet: &Packet) -> Option<Packet> {
        let MicroFlow::Rate(end) = self.micro_flows.get_mut(packet.micro_flow as usize) else { return None };
        let bytes = self.cells.get_mut(packet.blocks)?;
        if end.turn(bytes).is_err() {
            end.counts.control_refused += 1;
            self.cells.take(packet.blocks);
            return None;
        }
        let step = self.way(packet.micro_flow).reverse;
        let flags = packet.flags.with(Flags::BACKWARD, true).without(Flags::LAST);
        Some(Packet { step, flags, ..*packet })
    }

    #[inline]
    pub fn segment(&mut self, micro_flow: u32, place: u16, generation: u16, segment: &Segment) -> Packet {
        if place > 0 {
            self.name_connection(micro_flow as usize, place);
        }
        let way = self.way(micro_flow);
        let flags = Flags::default()
            .with(Flags::RETRANSMITTED, segment.retransmitted)
            .with(Flags::ECN_CAPABLE, segment.ecn_capable)
            .with(Flags::WINDOW_REDUCED, segment.window_reduced);
        Packet {
            born: segment.sent_at.as_nanos(),
            number: segment.number,
            micro_flow,
            step: way.forward,
            blocks: 0,
            place,
            generation,
            size: segment.size_bytes as u16,
            flags: flags.and(way.high),
        }
    }

    #[inline(always)]
    pub fn ack(&mut self, micro_flow: u32, place: u16, generation: u16, ack: &Ack) -> Packet {
        let who = *self.way(micro_flow);
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
            flags: flags.and(who.high),
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
        if packet.is_control() {
            self.cells.take(packet.blocks);
        } else if !packet.flags.has(Flags::BROUGHT) {
            self.blocks.take(packet.blocks);
        }
    }

    /// A control packet that was on its way is no more, as a port `refused` it or a link lost it. It counts if a source sent it.
    #[cold]
    pub fn count_lost_control(&mut self, packet: &Packet, refused: bool) {
        if packet.flags.has(Flags::NOTICE) {
            return;
        }
        if let MicroFlow::Rate(end) = self.micro_flows.get_mut(packet.micro_flow as usize) {
            let count = if refused { &mut end.counts.control_refused } else { &mut end.counts.control_lost };
            *count += 1;
        }
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

/// Bytes of the control packets that are under way. Buffers are used again.
#[derive(Debug, Default)]
pub struct Cells {
    kept: Vec<Vec<u8>>,
    free: Vec<u32>,
    spare: Vec<Vec<u8>>,
}

impl Cells {
    /// An empty buffer.
    pub fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    /// A buffer that is not needed.
    pub fn give_back(&mut self, mut bytes: Vec<u8>) {
        bytes.clear();
        self.spare.push(bytes);
    }

    /// Keeps bytes: their place.
    fn keep(&mut self, bytes: Vec<u8>) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.kept[place as usize - 1] = bytes;
                place
            }
            None => {
                self.kept.push(bytes);
                self.kept.len() as u32
            }
        }
    }

    pub fn get(&self, place: u32) -> &[u8] {
        place.checked_sub(1).and_then(|place| self.kept.get(place as usize)).map_or(&[], Vec::as_slice)
    }

    pub fn get_mut(&mut self, place: u32) -> Option<&mut Vec<u8>> {
        self.kept.get_mut(place.checked_sub(1)? as usize)
    }

    /// A place is free again.
    pub fn take(&mut self, place: u32) {
        if let Some(bytes) = self.get_mut(place).map(std::mem::take) {
            self.free.push(place);
            self.give_back(bytes);
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
