//! Headers of packets that never had any: those of simulated runs.
//!
//! Stations have the addresses that they have in real runs, flows their ports. Of TCP a segment's number becomes a sequence
//! number by the bytes of data in a full segment; all segments acknowledge, and nothing else is told of windows or options.
//! What the packet carries is not captured, but its size is that on the wire: one that is smaller than its headers appears
//! as large as these.

use crate::frame::{ETHERNET_BYTES, TCP_HEADER_BYTES, UDP_HEADER_BYTES, ipv4_sum};
use crate::layout::{Layout, address, mac, port};
use fairwire_sim::CapturedPacket;

/// The first port of those who send.
const FIRST_SENDER: u32 = 40_000;
const SENDERS: u32 = 20_000;
const TIME_TO_LIVE: u8 = 64;
const UDP: u8 = 17;
const TCP: u8 = 6;
const ACK: u8 = 0x10;

/// The headers of a packet of so many bytes, and its size as a frame.
pub fn headers(layout: &Layout, packet: &CapturedPacket, size_bytes: u32) -> (Vec<u8>, u32) {
    let ends = &layout.flows[packet.flow];
    let is_tcp = ends.tcp.is_some();
    let (from, to) = if packet.back { (ends.to, ends.from) } else { (ends.from, ends.to) };
    let length = if is_tcp { TCP_HEADER_BYTES } else { UDP_HEADER_BYTES };
    let size = size_bytes.max(length as u32);
    let mut frame = vec![0; length];
    frame[..6].copy_from_slice(&mac(to));
    frame[6..12].copy_from_slice(&mac(from));
    frame[12..14].copy_from_slice(&0x0800u16.to_be_bytes());
    let ip = &mut frame[ETHERNET_BYTES..];
    ip[0] = 0x45;
    ip[1] = match packet {
        CapturedPacket { marked: true, .. } => 3,
        CapturedPacket { ecn_capable: true, .. } => 2,
        _ => 0,
    };
    let total = size - ETHERNET_BYTES as u32;
    ip[2..4].copy_from_slice(&(total as u16).to_be_bytes());
    ip[8..10].copy_from_slice(&[TIME_TO_LIVE, if is_tcp { TCP } else { UDP }]);
    ip[12..16].copy_from_slice(&address(from).to_be_bytes());
    ip[16..20].copy_from_slice(&address(to).to_be_bytes());
    let sum = !ipv4_sum(ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    let sender = FIRST_SENDER + (packet.micro_flow.wrapping_mul(64) + u32::from(packet.connection)) % SENDERS;
    let (near, far) = (sender as u16, port(packet.flow));
    let (source, destination) = if packet.back { (far, near) } else { (near, far) };
    ip[20..22].copy_from_slice(&source.to_be_bytes());
    ip[22..24].copy_from_slice(&destination.to_be_bytes());
    match &ends.tcp {
        None => ip[24..26].copy_from_slice(&((total - 20) as u16).to_be_bytes()),
        Some(tcp) => {
            let data = (tcp.settings.segment.get() as u32).saturating_sub(TCP_HEADER_BYTES as u32).max(1);
            // The first byte has number 1, as behind a SYN of number 0.
            let place = packet.segment.unwrap_or(0).wrapping_mul(data).wrapping_add(1);
            let (sequence, acknowledged) = if packet.back { (1, place) } else { (place, 1) };
            ip[24..28].copy_from_slice(&u32::to_be_bytes(sequence));
            ip[28..32].copy_from_slice(&u32::to_be_bytes(acknowledged));
            ip[32..34].copy_from_slice(&[5 << 4, ACK]);
            ip[34..36].copy_from_slice(&u16::MAX.to_be_bytes());
        }
    }
    (frame, size)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::frame::{Ports, read};
    use crate::layout::tests::layout;

    /// A packet of the first flow, whose ends agree on marks.
    pub fn packet(marked: bool) -> CapturedPacket {
        CapturedPacket {
            flow: 0,
            back: false,
            brought: None,
            micro_flow: 0,
            connection: 0,
            segment: None,
            ecn_capable: true,
            marked,
        }
    }

    #[test]
    fn headers_are_those_of_the_flows_in_real_runs() {
        let layout = layout();
        let packet = packet(false);
        let (frame, size) = headers(&layout, &packet, 1_000);
        assert_eq!((frame.len(), size), (UDP_HEADER_BYTES, 1_000));
        let mut whole = frame.clone();
        whole.resize(1_000, 0);
        let read_back = read(&whole).unwrap();
        let ports = Some(Ports { tcp: false, source: 40_000, destination: port(0) });
        assert_eq!((read_back.ports, read_back.ecn_capable), (ports, true));
        assert_eq!(layout.place(0, &read_back).unwrap().flow, 0);
        assert_eq!(ipv4_sum(&frame[ETHERNET_BYTES..]), 0xFFFF);
        assert_eq!(frame[38..40], (1_000 - 34u16).to_be_bytes(), "RFC 768: the datagram's header and its data");
        // An acknowledgement of what came before segment 7, of segments with 946 bytes of data.
        let ack = CapturedPacket { flow: 1, back: true, segment: Some(7), ecn_capable: false, ..packet };
        let (mut frame, size) = headers(&layout, &ack, 40);
        assert_eq!((frame.len(), size), (TCP_HEADER_BYTES, TCP_HEADER_BYTES as u32));
        assert_eq!(frame[42..46], (7 * 946 + 1u32).to_be_bytes());
        frame.resize(size as usize, 0);
        assert_eq!(layout.place(1, &read(&frame).unwrap()).map(|place| (place.flow, place.back)), Ok((1, true)));
    }

    /// RFC 3168 §5: no ECN is 0, ECT(0) is 2, and 3 is a mark, whoever carries it.
    #[test]
    fn marks_stand_in_the_last_bits_of_the_type_of_service() {
        let layout = layout();
        let field = |ecn_capable, marked| {
            headers(&layout, &CapturedPacket { ecn_capable, ..packet(marked) }, 1_000).0[ETHERNET_BYTES + 1]
        };
        assert_eq!([field(false, false), field(true, false), field(true, true)], [0, 2, 3]);
    }

    /// The ports of one micro-flow's connections are nobody else's: a stream of a capture is one connection.
    #[test]
    fn every_connection_has_a_port_of_its_own() {
        let layout = layout();
        let port = |(micro_flow, connection): (u32, u16)| {
            let packet = CapturedPacket {
                flow: 1,
                back: false,
                brought: None,
                micro_flow,
                connection,
                segment: None,
                ecn_capable: false,
                marked: false,
            };
            let (mut frame, size) = headers(&layout, &packet, 1_000);
            frame.resize(size as usize, 0);
            read(&frame).unwrap().ports.unwrap().source
        };
        let connections = (0..16).flat_map(|micro_flow| (0..64).map(move |connection| (micro_flow, connection)));
        let ports: std::collections::BTreeSet<u16> = connections.map(port).collect();
        assert_eq!(ports.len(), 16 * 64);
    }
}
