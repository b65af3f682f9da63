//! What a frame from a station's TAP is, and its mark.

use std::fmt;

/// Ethernet's header.
pub const ETHERNET_BYTES: usize = 14;
/// Ethernet's and IPv4's and UDP's headers: no datagram is smaller.
pub const UDP_HEADER_BYTES: usize = ETHERNET_BYTES + 20 + 8;
/// Ethernet's and IPv4's and TCP's headers, without options.
pub const TCP_HEADER_BYTES: usize = ETHERNET_BYTES + 20 + 20;

/// What of a frame's headers matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// Destination MAC address.
    pub to_mac: [u8; 6],
    /// IPv4 address of the sender.
    pub source: u32,
    /// IPv4 address of the receiver.
    pub destination: u32,
    /// Ports of UDP or TCP.
    pub ports: Option<Ports>,
    /// Whether the packet may be marked instead of dropped (ECT).
    pub ecn_capable: bool,
}

/// Of UDP or TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// Whether it is TCP.
    pub tcp: bool,
    /// The sender's.
    pub source: u16,
    /// The receiver's.
    pub destination: u16,
}

/// Why a frame is not carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Foreign {
    /// It ends before its headers do.
    Short,
    /// Larger than any that the ring or network takes.
    TooLarge,
    /// To a group, or to all.
    Multicast,
    /// With a VLAN tag.
    Vlan,
    /// ARP: neighbours are permanent, so nobody need ask.
    Arp,
    /// IPv6 is off.
    Ipv6,
    /// An EtherType that is none of IPv4, VLAN, ARP and IPv6.
    Protocol,
    /// An IPv4 header that contradicts itself or its frame.
    BadHeader,
    /// It does not bear its station's address.
    Source,
    /// To an address, or a neighbour, that nobody has.
    Destination,
    /// Between two stations without a flow.
    NoFlow,
}

impl Foreign {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Short,
        Self::TooLarge,
        Self::Multicast,
        Self::Vlan,
        Self::Arp,
        Self::Ipv6,
        Self::Protocol,
        Self::BadHeader,
        Self::Source,
        Self::Destination,
        Self::NoFlow,
    ];
}

impl fmt::Display for Foreign {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Short => "too short",
            Self::TooLarge => "too large",
            Self::Multicast => "multicast or broadcast",
            Self::Vlan => "with a VLAN tag",
            Self::Arp => "ARP",
            Self::Ipv6 => "IPv6",
            Self::Protocol => "of another protocol",
            Self::BadHeader => "with a broken IPv4 header",
            Self::Source => "with another's address as source",
            Self::Destination => "to nobody's address",
            Self::NoFlow => "between stations without a flow",
        })
    }
}

/// Reads the headers of a frame.
///
/// # Errors
/// Why it is not carried.
pub fn read(frame: &[u8]) -> Result<Headers, Foreign> {
    let to_mac: [u8; 6] = frame.first_chunk().copied().ok_or(Foreign::Short)?;
    let ip = frame.get(ETHERNET_BYTES..).ok_or(Foreign::Short)?;
    if to_mac[0] & 1 != 0 {
        return Err(Foreign::Multicast);
    }
    match be16(frame, 12) {
        0x0800 => {}
        0x8100 | 0x88A8 => return Err(Foreign::Vlan),
        0x0806 => return Err(Foreign::Arp),
        0x86DD => return Err(Foreign::Ipv6),
        _ => return Err(Foreign::Protocol),
    }
    if ip.len() < 20 {
        return Err(Foreign::Short);
    }
    let header = usize::from(ip[0] & 15) * 4;
    let total = usize::from(be16(ip, 2));
    if ip[0] >> 4 != 4 || header < 20 || total < header || total > ip.len() {
        return Err(Foreign::BadHeader);
    }
    let is_later_fragment = be16(ip, 6) & 0x1FFF != 0;
    let ports = match ip[9] {
        6 | 17 if !is_later_fragment && total >= header + 8 => {
            Some(Ports { tcp: ip[9] == 6, source: be16(ip, header), destination: be16(ip, header + 2) })
        }
        _ => None,
    };
    let address = |at: usize| u32::from_be_bytes([ip[at], ip[at + 1], ip[at + 2], ip[at + 3]]);
    Ok(Headers { to_mac, source: address(12), destination: address(16), ports, ecn_capable: ip[1] & 3 != 0 })
}

/// Marks a frame that [`read`] took: congestion experienced (RFC 3168 §5), the header's checksum with it (RFC 1624).
pub fn mark(frame: &mut [u8]) {
    let Some(ip) = frame.get_mut(ETHERNET_BYTES..).filter(|ip| ip.len() >= 20) else { return };
    let before = be16(ip, 0);
    ip[1] |= 3;
    let sum = u32::from(!be16(ip, 10)) + u32::from(!before) + u32::from(be16(ip, 0));
    let folded = (sum & 0xFFFF) + (sum >> 16);
    let folded = (folded & 0xFFFF) + (folded >> 16);
    ip[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}

/// The one's complement sum of an IPv4 header (RFC 1071), 0xFFFF where its checksum is right.
pub(crate) fn ipv4_sum(ip: &[u8]) -> u16 {
    let header = usize::from(ip[0] & 15) * 4;
    let sum: u32 = ip[..header].chunks(2).map(|pair| u32::from(be16(pair, 0))).sum();
    let folded = (sum & 0xFFFF) + (sum >> 16);
    ((folded & 0xFFFF) + (folded >> 16)) as u16
}

fn be16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A datagram of so many bytes, with this type of service.
    pub fn datagram(bytes: usize, service: u8, source: u32, destination: u32, ports: [u16; 2]) -> Vec<u8> {
        let mut frame = vec![0; bytes];
        frame[0] = 2;
        frame[12] = 8;
        let ip = &mut frame[ETHERNET_BYTES..];
        let total = ip.len() as u16;
        ip[0] = 0x45;
        ip[1] = service;
        ip[2..4].copy_from_slice(&total.to_be_bytes());
        ip[8..10].copy_from_slice(&[64, 17]);
        ip[12..16].copy_from_slice(&source.to_be_bytes());
        ip[16..20].copy_from_slice(&destination.to_be_bytes());
        let checksum = !ipv4_sum(ip);
        ip[10..12].copy_from_slice(&checksum.to_be_bytes());
        ip[20..22].copy_from_slice(&ports[0].to_be_bytes());
        ip[22..24].copy_from_slice(&ports[1].to_be_bytes());
        frame
    }

    #[test]
    fn headers_are_read_and_marks_keep_the_checksum_right() {
        for seed in 0..2_000u32 {
            let (source, destination) = (seed.wrapping_mul(0x9E37_79B9), seed.wrapping_mul(0x85EB_CA6B));
            let mut frame = datagram(100 + seed as usize % 50, 2, source, destination, [seed as u16, 7]);
            let headers = read(&frame).unwrap();
            let ports = Some(Ports { tcp: false, source: seed as u16, destination: 7 });
            assert_eq!((headers.source, headers.destination, headers.ports), (source, destination, ports));
            assert!(headers.ecn_capable);
            mark(&mut frame);
            assert_eq!((ipv4_sum(&frame[ETHERNET_BYTES..]), frame[15] & 3), (0xFFFF, 3));
        }
        assert!(!read(&datagram(60, 0xFC, 1, 2, [3, 4])).unwrap().ecn_capable);
    }

    #[test]
    fn what_is_foreign_is_told_by_kind() {
        let good = datagram(100, 0, 1, 2, [3, 4]);
        let with = |change: fn(&mut Vec<u8>)| {
            let mut frame = good.clone();
            change(&mut frame);
            read(&frame).err()
        };
        let kind = |high: u8, low: u8| {
            let mut frame = good.clone();
            frame[12..14].copy_from_slice(&[high, low]);
            read(&frame).err()
        };
        assert_eq!(with(|frame| frame.truncate(13)), Some(Foreign::Short));
        assert_eq!(with(|frame| frame.truncate(33)), Some(Foreign::Short));
        assert_eq!(with(|frame| frame.clear()), Some(Foreign::Short));
        assert_eq!(with(|frame| frame.truncate(99)), Some(Foreign::BadHeader), "its total length says 86");
        assert_eq!(with(|frame| frame[14] = 0x44), Some(Foreign::BadHeader), "a header of 16 bytes");
        assert_eq!(with(|frame| frame[14] = 0x65), Some(Foreign::BadHeader));
        assert_eq!(with(|frame| frame[0] = 0xFF), Some(Foreign::Multicast));
        let kinds = [(0x81, 0), (0x88, 0xA8), (8, 6), (0x86, 0xDD), (0x88, 0x47)].map(|(high, low)| kind(high, low));
        let expected = [Foreign::Vlan, Foreign::Vlan, Foreign::Arp, Foreign::Ipv6, Foreign::Protocol];
        assert_eq!(kinds, expected.map(Some));
        // A later fragment has no ports, and a long frame may carry more than its packet.
        let mut fragment = good.clone();
        fragment[21] = 1;
        assert_eq!(read(&fragment).unwrap().ports, None);
        let mut padded = good;
        padded.resize(200, 0);
        assert!(read(&padded).is_ok());
    }
}
