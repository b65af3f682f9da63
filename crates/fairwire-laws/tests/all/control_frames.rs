//! The bytes that control frames have in common: what is written is read, and
//! nothing panics, whatever comes in.

use fairwire_core::{Ringlet, StationId};
use fairwire_laws::frame::{
    Address, BaseControl, CONTROL_OVERHEAD_BYTES, ControlFrame, ControlType, ExtendedControl, FrameType, HEADER_BYTES,
    Header, IdleFrame, ServiceClass, fcs, hec, peek_type,
};
use fairwire_laws::{MessageError, WireMessage};
use proptest::prelude::*;

#[test]
fn checksums_are_the_published_ones() {
    // The check values of CRC-16/GENIBUS and CRC-32 for these nine bytes.
    assert_eq!(hec(b"123456789"), [0xd6, 0x4e]);
    assert_eq!(fcs(b"123456789"), [0xcb, 0xf4, 0x39, 0x26]);
}

#[test]
fn a_topology_frame_lies_on_the_wire_as_documented() {
    let source = Address::of(StationId(258));
    let bytes = ControlFrame::broadcast(ControlType::Topology, Ringlet::One, source, &[0xab, 0xcd]).into_bytes();
    assert_eq!(bytes.len(), CONTROL_OVERHEAD_BYTES + 2);
    assert_eq!(bytes[..2], [255, 0b1001_1100], "ttl; ringlet 1, control, class A0");
    assert_eq!(bytes[2..8], [0xff; 6]);
    assert_eq!(bytes[8..14], [2, 0, 0, 0, 1, 2]);
    assert_eq!(bytes[14..16], [255, 0]);
    assert_eq!(bytes[16..18], hec(&bytes[..16]));
    assert_eq!(bytes[18..22], [2, 0, 0xab, 0xcd]);
    assert_eq!(bytes[22..], fcs(&bytes[18..22]));
}

#[test]
fn errors_say_what_is_wrong() {
    let good = ControlFrame::broadcast(ControlType::Attributes, Ringlet::Zero, Address([7; 6]), &[1, 2]).into_bytes();
    let error = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        ControlFrame::parse(bytes).unwrap_err().to_string()
    };
    assert_eq!(error(&|bytes| bytes.clear()), "the message has 0 bytes where 18 belong");
    assert_eq!(error(&|bytes| bytes.truncate(20)), "the message has 20 bytes where 24 belong");
    assert_eq!(error(&|bytes| bytes[0] = 9), "the checksum `hec` does not hold");
    assert_eq!(error(&|bytes| bytes[20] = 9), "the checksum `fcs` does not hold");
    let mend = |bytes: &mut Vec<u8>| {
        let (hec, end) = (hec(&bytes[..16]), bytes.len() - 4);
        bytes[16..18].copy_from_slice(&hec);
        let fcs = fcs(&bytes[18..end]);
        bytes[end..].copy_from_slice(&fcs);
    };
    let mended = |at: usize, value: u8| {
        error(&|bytes| {
            bytes[at] = value;
            mend(bytes);
        })
    };
    assert_eq!(mended(0, 0), "field `ttl` holds 0, which has no meaning");
    assert_eq!(mended(14, 3), "field `ttl` holds 255, which has no meaning");
    assert_eq!(mended(1, 0b0011_1100), "field `ft` holds 3, which has no meaning");
    assert_eq!(mended(15, 1), "field `extendedControl` holds 1, which has no meaning");
    assert_eq!(mended(18, 0x77), "field `controlType` holds 119, which has no meaning");
    assert_eq!(mended(19, 1), "field `controlVersion` holds 1, which has no meaning");
}

#[test]
fn hops_are_counted_until_they_are_used_up() {
    let source = Address::of(StationId(1));
    let mut frame = ControlFrame::new(ControlType::Topology, Ringlet::Zero, source, Address::BROADCAST, 3, &[]);
    for hops in 1..=3 {
        assert_eq!(frame.header().hops(), hops);
        assert_eq!(ControlFrame::parse(frame.clone().into_bytes()), Ok(frame.clone()), "its HEC is mended");
        match frame.forwarded() {
            Some(next) => frame = next,
            None => return assert_eq!(hops, 3),
        }
    }
    panic!("more than three hops");
}

#[test]
fn parity_counts_the_first_two_bytes() {
    for ttl in 0..=255 {
        for bits in (0..=254).step_by(2) {
            let byte = BaseControl::from_bits(bits).bits_with_parity(ttl);
            assert_eq!(byte & !1, bits);
            assert_eq!((ttl.count_ones() + byte.count_ones()) % 2, 1);
        }
    }
}

#[test]
fn stations_have_addresses_of_their_own() {
    for station in (0..=u16::MAX).map(StationId) {
        assert_eq!(Address::of(station).station(), Some(station));
        assert_eq!(Address::of(station).0[0] & 3, 2, "locally administered, one receiver");
    }
    assert_eq!(Address::BROADCAST.station(), None);
    assert_eq!(Address::of(StationId(0x1234)).to_string(), "02:00:00:00:12:34");
}

fn ringlets() -> impl Strategy<Value = Ringlet> {
    prop_oneof![Just(Ringlet::Zero), Just(Ringlet::One)]
}

fn kinds() -> impl Strategy<Value = ControlType> {
    prop_oneof![
        Just(ControlType::Attributes),
        Just(ControlType::Topology),
        Just(ControlType::TopologyChecksum),
        Just(ControlType::LoopRoundTripRequest),
        Just(ControlType::LoopRoundTripResponse),
        Just(ControlType::FairnessDifferentialDelay),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        kind in kinds(),
        ringlet in ringlets(),
        addresses in any::<[[u8; 6]; 2]>(),
        ttl in 1u8..,
        payload in proptest::collection::vec(any::<u8>(), 0..1592),
    ) {
        let [source, destination] = addresses.map(Address);
        let frame = ControlFrame::new(kind, ringlet, source, destination, ttl, &payload);
        let read = ControlFrame::parse(frame.clone().into_bytes()).unwrap();
        prop_assert_eq!(&read, &frame);
        prop_assert_eq!((read.kind(), read.payload(), read.header().hops()), (kind, &payload[..], 1));
        prop_assert_eq!(read.header().base.ringlet, ringlet);
    }

    #[test]
    fn any_header_that_is_read_is_written_back(bytes in any::<[u8; 16]>()) {
        let mut whole = [0; HEADER_BYTES];
        whole[..16].copy_from_slice(&bytes);
        whole[1] &= !1;
        whole[15] &= !7;
        let hec = hec(&whole[..16]);
        whole[16..].copy_from_slice(&hec);
        match Header::parse(&whole) {
            Ok(header) => {
                prop_assert_eq!(header.bytes(), whole);
                prop_assert_eq!(ExtendedControl::from_bits(header.extended.bits()), Ok(header.extended));
                prop_assert!(header.hops() >= 1);
            }
            Err(error) => prop_assert_eq!(error, MessageError::Field { field: "ttl", value: bytes[0].into() }),
        }
    }

    #[test]
    fn idle_frames_are_read_back(ringlet in ringlets(), source in any::<[u8; 6]>(), flip in 0usize..128) {
        let frame = IdleFrame { ringlet, source: Address(source) };
        let mut bytes = frame.into_bytes();
        prop_assert_eq!(peek_type(&bytes), Some(FrameType::Idle));
        prop_assert_eq!(BaseControl::from_bits(bytes[1]).class, ServiceClass::A0);
        prop_assert_eq!(IdleFrame::parse(bytes.clone()), Ok(frame));
        bytes[flip / 8] ^= 1 << (flip % 8);
        prop_assert!(IdleFrame::parse(bytes).is_err(), "one flipped bit is noticed");
    }

    #[test]
    fn one_flipped_bit_is_noticed(flip in 0usize..8 * 27, payload in any::<[u8; 3]>()) {
        let frame = ControlFrame::broadcast(ControlType::TopologyChecksum, Ringlet::One, Address([3; 6]), &payload);
        let mut bytes = frame.into_bytes();
        bytes[flip / 8] ^= 1 << (flip % 8);
        prop_assert!(ControlFrame::parse(bytes).is_err());
    }

    #[test]
    fn any_bytes_are_a_frame_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = peek_type(&bytes);
        prop_assert!(IdleFrame::parse(bytes.clone()).is_err(), "by chance once in four thousand million");
        if let Ok(frame) = ControlFrame::parse(bytes.clone()) {
            prop_assert_eq!(frame.into_bytes(), bytes);
        }
    }
}
