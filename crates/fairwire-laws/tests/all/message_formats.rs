//! Formats against what reads and writes the messages: each tells of the other's bytes.

use crc::{CRC_16_GENIBUS, Crc};
use fairwire_core::{Ringlet, StationId, Streams};
use fairwire_laws::WireMessage;
use fairwire_laws::format::{Kind, MessageFormat, Value, all};
use fairwire_laws::frame::{Address, ControlFrame, ControlType, fcs, hec};
use fairwire_laws::rate::s_perc::{HopState, PercCell};
use fairwire_laws::rate::wmfqc_plus::GrantCell;
use fairwire_laws::rate::{RateCell, RateFormat};
use fairwire_laws::ring::rpr::{Choke, FairnessFrame, Message};
use fairwire_laws::ring::{dvsr, dvsr_plus};
use rand::{Rng, RngExt};
use std::collections::BTreeSet;

const CELL: RateCell = RateCell {
    backward: true,
    congestion: false,
    last: true,
    format: RateFormat::Exact,
    number: 77,
    explicit_bps: 25e6,
    current_bps: 97e6,
    minimum_bps: 1e6,
    weight: 2.5,
    round_trip_s: 0.0125,
};

fn crc16(bytes: &mut Vec<u8>) {
    let at = bytes.len().saturating_sub(2);
    let sum = Crc::<u16>::new(&CRC_16_GENIBUS).checksum(&bytes[..at]);
    bytes.truncate(at);
    bytes.extend(sum.to_be_bytes());
}

/// The checksums of a frame of the packet ring.
#[allow(clippy::ptr_arg, reason = "one type of seal for all formats: some change the length")]
fn ring_sums(bytes: &mut Vec<u8>) {
    let Some(at) = bytes.len().checked_sub(4) else { return };
    let is_control = bytes.get(1).is_some_and(|byte| byte >> 4 & 3 == 1);
    if is_control && at >= 18 {
        let sum = hec(&bytes[..16]);
        bytes[16..18].copy_from_slice(&sum);
    }
    let from = if is_control { 18.min(at) } else { 0 };
    let sum = fcs(&bytes[from..at]);
    bytes[at..].copy_from_slice(&sum);
}

fn unsealed(_: &mut Vec<u8>) {}

fn format<M: WireMessage>() -> &'static MessageFormat {
    M::FORMATS[0]
}

fn values<M: WireMessage>(bytes: &[u8], name: &str) -> Vec<f64> {
    let decoded = format::<M>().decode(bytes).expect("it is of the format");
    let of_name = decoded.into_iter().filter(|field| field.name == name);
    of_name
        .map(|field| match field.value {
            Value::Number(number) => number as f64,
            Value::Real(real) => real,
            Value::Bytes(bytes) => bytes.iter().fold(0.0, |number, byte| number * 256.0 + f64::from(*byte)),
        })
        .collect()
}

fn value<M: WireMessage>(bytes: &[u8], name: &str) -> f64 {
    let [value] = values::<M>(bytes, name)[..] else { panic!("one {name}") };
    value
}

/// Breaks good messages here and there: whatever `parse` takes is of the format.
fn hold<M: WireMessage>(seeds: &[Vec<u8>], seal: fn(&mut Vec<u8>)) {
    let mut draw = Streams::new(24, 0).component(std::any::type_name::<M>());
    let (mut taken, mut refused) = (0, 0);
    for round in 0..40_000 {
        let mut bytes = seeds[round % seeds.len()].clone();
        for _ in 0..draw.random_range(0..3) {
            let at = draw.random_range(0..bytes.len());
            bytes[at] =
                if draw.random_bool(0.5) { draw.next_u32() as u8 } else { bytes[at] ^ 1 << draw.random_range(0..8) };
        }
        match draw.random_range(0..10) {
            0 => bytes.truncate(draw.random_range(0..=bytes.len())),
            1 => bytes.push(0),
            _ => {}
        }
        seal(&mut bytes);
        let parsed = M::parse(bytes.clone());
        let decoded = format::<M>().decode(&bytes);
        match (parsed, decoded) {
            (Ok(message), Ok(_)) => {
                assert_eq!(message.into_bytes(), bytes);
                taken += 1;
            }
            (Err(_), _) => refused += 1,
            (Ok(_), Err(misfit)) => panic!("{bytes:?} is taken, though {misfit}"),
        }
    }
    assert!(taken > 1_000 && refused > 1_000, "{taken} taken, {refused} refused");
}

#[test]
fn every_message_of_the_list_has_a_format_of_its_own() {
    let codes: Vec<_> = all().iter().map(|format| (format.code, format.name)).collect();
    assert_eq!(codes, [(1, "dvsr"), (2, "dvsrplus"), (3, "rpr"), (4, "ratecell"), (5, "grantcell"), (6, "perc")]);
    for format in all() {
        // Names are what filters are made of.
        let mut names = BTreeSet::new();
        for field in format.sections.iter().flat_map(|section| section.fields) {
            let parts: Vec<_> = match field.kind {
                Kind::Parts(parts) => parts.iter().map(|part| part.name).collect(),
                _ => Vec::new(),
            };
            names.extend(parts.into_iter().chain([field.name]));
        }
        assert!(
            names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')),
            "{names:?}"
        );
    }
}

#[test]
fn dvsrs_frames() {
    let mut seeds = Vec::new();
    for encoding in [dvsr::Encoding::Byte, dvsr::Encoding::Exact] {
        let mut frame = dvsr::Frame::new(encoding, 5);
        frame.set_fraction(1, 0.5);
        frame.set_fraction(4, 0.0);
        let bytes = frame.clone().on_next_lap().into_bytes();
        let rates: Vec<f64> = (0..5).map(|station| frame.fraction(station)).collect();
        assert_eq!(values::<dvsr::Frame>(&bytes, "rate"), rates);
        assert_eq!(["stations", "lap", "generation"].map(|name| value::<dvsr::Frame>(&bytes, name)), [5.0, 1.0, 0.0]);
        let frame = dvsr::Frame::of_node(encoding, 300, 258, 7, 0.25);
        let told = frame.as_node_frame().map(|(_, rate)| rate);
        let of_node = frame.into_bytes();
        assert_eq!(Some(value::<dvsr::Frame>(&of_node, "rate")), told);
        assert_eq!(["origin", "hops"].map(|name| value::<dvsr::Frame>(&of_node, name)), [258.0, 7.0]);
        seeds.extend([bytes, of_node]);
    }
    hold::<dvsr::Frame>(&seeds, unsealed);
}

#[test]
fn the_ledgers_of_dvsr_plus() {
    let mut seeds = Vec::new();
    for width in [dvsr_plus::WeightWidth::Count, dvsr_plus::WeightWidth::Proportional] {
        let mut frame = dvsr_plus::Frame::new(width, 3);
        frame.add_room(1, -20_000);
        frame.add_held(2, 200);
        frame.tell_use(0, 0.5);
        frame.close_uses(0, 0.25);
        frame.tell_use(0, 0.75);
        let bytes = frame.clone().into_bytes();
        assert_eq!(values::<dvsr_plus::Frame>(&bytes, "room"), [1.0, f64::from(16_384 - 20_000) / 16_384.0, 1.0]);
        assert_eq!(values::<dvsr_plus::Frame>(&bytes, "held"), [0.0, 0.0, 200.0]);
        assert_eq!(values::<dvsr_plus::Frame>(&bytes, "use")[0], frame.largest_use(0));
        assert_eq!(values::<dvsr_plus::Frame>(&bytes, "lap_use")[0], 0.75);
        seeds.push(bytes);
    }
    hold::<dvsr_plus::Frame>(&seeds, unsealed);
}

#[test]
fn frames_of_the_packet_ring() {
    let source = Address::of(StationId(4));
    let fairness = FairnessFrame::new(Choke::Multi, Ringlet::One, source, 0x1234).into_bytes();
    let names = ["ttl", "ri", "ft", "sc", "fftype", "fairrate"];
    assert_eq!(names.map(|name| value::<Message>(&fairness, name)), [255.0, 1.0, 2.0, 3.0, 1.0, f64::from(0x1234)]);
    let address = source.0.iter().fold(0.0, |number, byte| number * 256.0 + f64::from(*byte));
    assert_eq!(value::<Message>(&fairness, "sa"), address);
    let kinds = [ControlType::Topology, ControlType::LoopRoundTripRequest, ControlType::FairnessDifferentialDelay];
    let control = kinds.map(|kind| {
        let bytes = ControlFrame::broadcast(kind, Ringlet::Zero, source, &[1, 2, 3]).into_bytes();
        assert_eq!(value::<Message>(&bytes, "controltype"), f64::from(kind as u8));
        assert_eq!(value::<Message>(&bytes, "payload"), f64::from(0x0001_0203));
        bytes
    });
    hold::<Message>(&[vec![fairness], control.to_vec()].concat(), ring_sums);
}

#[test]
fn control_packets_of_rate_laws() {
    let atm = RateCell { format: RateFormat::AtmFloat, ..CELL };
    let seeds = [CELL, atm].map(RateCell::into_bytes);
    for bytes in &seeds {
        let cell = RateCell::parse(bytes.clone()).unwrap();
        let told = ["er", "ccr", "mr", "weight", "rtt", "number", "backward", "congestion", "last"];
        let has = [cell.explicit_bps, cell.current_bps, cell.minimum_bps, 2.5, 0.0125, 77.0, 1.0, 0.0, 1.0];
        assert_eq!(told.map(|name| value::<RateCell>(bytes, name)), has);
    }
    hold::<RateCell>(&seeds, crc16);
}

#[test]
fn control_packets_with_grants() {
    let cell = GrantCell {
        backward: false,
        last: true,
        notice: false,
        number: 9,
        applied: 8,
        explicit_bps: 1e6,
        granted_bps: 2e6,
        current_bps: 3e6,
        loop_s: 0.5,
    };
    let bytes = cell.into_bytes();
    let names = ["backward", "last", "number", "applied", "er", "gr", "ccr", "loop"];
    assert_eq!(names.map(|name| value::<GrantCell>(&bytes, name)), [0.0, 1.0, 9.0, 8.0, 1e6, 2e6, 3e6, 0.5]);
    let notice = GrantCell { backward: true, last: false, notice: true, ..cell }.into_bytes();
    assert_eq!(["backward", "last", "notice"].map(|name| value::<GrantCell>(&notice, name)), [1.0, 0.0, 1.0]);
    hold::<GrantCell>(&[bytes, notice], crc16);
}

#[test]
fn control_packets_of_s_perc() {
    let hop = HopState {
        elsewhere: true,
        round: 513,
        excess_bps: 7e6,
        weight: 2.0,
        minimum_bps: 1.5e6,
        offers: f64::INFINITY,
        tag: 0x0102_0304_0506_0708,
    };
    let cell = PercCell {
        backward: true,
        last: false,
        carries_states: true,
        doubtful: true,
        number: 3,
        explicit_bps: 1e6,
        minimum_bps: 2e6,
        weight: 3.0,
        most_bps: 4e6,
        loop_s: 0.25,
        passed: 1,
        hops: vec![hop; 2],
    };
    let without = PercCell { carries_states: false, passed: 0, hops: Vec::new(), ..cell.clone() };
    let bytes = cell.into_bytes();
    let names = ["er", "mr", "weight", "most", "loop", "hops", "passed", "number", "states", "doubtful"];
    let has = [1e6, 2e6, 3.0, 4e6, 0.25, 2.0, 1.0, 3.0, 1.0, 1.0];
    assert_eq!(names.map(|name| value::<PercCell>(&bytes, name)), has);
    let of_hops = ["hop_elsewhere", "hop_round", "hop_excess", "hop_weight", "hop_mr", "hop_offers"];
    assert_eq!(
        of_hops.map(|name| values::<PercCell>(&bytes, name)),
        [1.0, 513.0, 7e6, 2.0, 1.5e6, f64::INFINITY].map(|value| vec![value; 2])
    );
    hold::<PercCell>(&[bytes, without.into_bytes()], crc16);
}
