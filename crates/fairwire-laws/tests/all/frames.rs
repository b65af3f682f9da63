//! The bytes of control messages: what is written is read, and nothing panics.

use fairwire_laws::ring::dvsr::{Encoding, Frame};
use fairwire_laws::{MessageError, NoMessage, WireMessage};
use proptest::prelude::*;

#[test]
fn a_new_frame_grants_every_link_whole() {
    for (encoding, length) in [(Encoding::Byte, 4 + 8), (Encoding::Exact, 4 + 32)] {
        let frame = Frame::new(encoding, 8);
        assert_eq!(frame.stations(), 8);
        assert!((0..8).all(|station| frame.fraction(station) == 1.0));
        let bytes = frame.into_bytes();
        assert_eq!((bytes.len(), &bytes[1..4]), (length, &[0, 0, 8][..]));
    }
}

/// The bytes of the paper's testbed: a half is 0x7F, a third 0x55 ([dvsr] §VIII-A).
#[test]
fn fractions_are_rounded_down_to_the_papers_bytes() {
    let byte = |fraction| {
        let mut frame = Frame::new(Encoding::Byte, 2);
        frame.set_fraction(1, fraction);
        frame.into_bytes()[5]
    };
    let due = [(0.0, 0x00), (0.5, 0x7f), (1.0 / 3.0, 0x55), (0.2, 0x33), (0.6, 0x99), (1.0, 0xff)];
    due.iter().for_each(|&(fraction, due)| assert_eq!(byte(fraction), due, "{fraction}"));
    // The paper prints 0x94 for 0.58, rounded to the nearest.
    assert!((0x93..=0x94).contains(&byte(0.58)));
    let word = |fraction| {
        let mut frame = Frame::new(Encoding::Exact, 2);
        frame.set_fraction(0, fraction);
        frame.into_bytes()[4..8].to_vec()
    };
    assert_eq!(word(0.5), [0x7f, 0xff, 0xff, 0xff]);
    assert_eq!(word(1.0 / 3.0), [0x55, 0x55, 0x55, 0x55]);
}

#[test]
fn what_is_no_fraction_is_clamped() {
    for encoding in [Encoding::Byte, Encoding::Exact] {
        let mut frame = Frame::new(encoding, 3);
        for (written, read) in [(-1.0, 0.0), (2.0, 1.0), (f64::INFINITY, 1.0), (f64::NAN, 0.0)] {
            frame.set_fraction(2, written);
            assert_eq!(frame.fraction(2), read);
        }
        assert_eq!((frame.fraction(0), frame.fraction(1)), (1.0, 1.0), "neighbours stay");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let error = |bytes: &[u8]| Frame::parse(bytes.to_vec()).unwrap_err().to_string();
    assert_eq!(error(&[]), "the message has 0 bytes where 4 belong");
    assert_eq!(error(&[1, 0, 0, 2, 9]), "the message has 5 bytes where 6 belong");
    assert_eq!(error(&[2, 0, 0, 1, 9, 9, 9, 9, 9]), "the message has 9 bytes where 8 belong");
    assert_eq!(error(&[3, 0, 0, 0]), "field `encoding` holds 3, which has no meaning");
    assert_eq!(error(&[129, 7, 0, 2, 0, 1, 0, 1, 9]), "field `number` holds 7, which has no meaning");
    assert_eq!(error(&[129, 0, 0, 2, 0, 0, 0, 1]), "the message has 8 bytes where 9 belong");
    assert_eq!(error(&[129, 0, 0, 2, 0, 2, 0, 1, 9]), "field `origin` holds 2, which has no meaning");
    assert_eq!(NoMessage::parse(vec![1]), Err(MessageError::Length { got: 1, expected: 0 }));
    assert!(NoMessage::parse(Vec::new()).is_err());
}

fn encodings() -> impl Strategy<Value = Encoding> {
    prop_oneof![Just(Encoding::Byte), Just(Encoding::Exact)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_is_written_is_read(encoding in encodings(), fractions in proptest::collection::vec(0.0f64..=1.0, 0..300)) {
        let mut frame = Frame::new(encoding, fractions.len());
        for (station, &fraction) in fractions.iter().enumerate() {
            frame.set_fraction(station, fraction);
        }
        let read = Frame::parse(frame.clone().into_bytes()).unwrap();
        prop_assert_eq!(&read, &frame);
        let step = match encoding { Encoding::Byte => 1.0 / 255.0, Encoding::Exact => 1.0 / f64::from(u32::MAX) };
        for (station, &fraction) in fractions.iter().enumerate() {
            let read = read.fraction(station);
            prop_assert!(read <= fraction + 1e-15 && read > fraction - step - 1e-15, "{} read as {}", fraction, read);
        }
    }

    /// Any bytes at all: a message that gives the very same bytes back, or an error. Most are given a head that means
    /// something.
    #[test]
    fn any_bytes_are_a_message_or_an_error(
        bytes in proptest::collection::vec(any::<u8>(), 0..64),
        head in proptest::option::weighted(0.9, (prop_oneof![Just(1u8), Just(2), Just(129), Just(130)], 0u8..2, 0u8..2)),
    ) {
        let mut bytes = bytes;
        if let (Some((kind, number, stations)), [first, second, third, ..]) = (head, bytes.as_mut_slice()) {
            (*first, *second, *third) = (kind, number, stations);
        }
        if let Ok(frame) = Frame::parse(bytes.clone()) {
            let of_all = |frame: &Frame| (0..frame.stations()).map(|station| frame.fraction(station)).collect();
            let told: Vec<f64> = frame.as_node_frame().map_or_else(|| of_all(&frame), |(_, rate)| vec![rate]);
            prop_assert!(told.iter().all(|rate| (0.0..=1.0).contains(rate)), "{:?}", told);
            prop_assert_eq!(frame.into_bytes(), bytes);
        }
    }

    /// Nearly right: a good header, and a length that mostly fits.
    #[test]
    fn headers_that_nearly_fit_are_safe(code in 0u8..4, number in any::<u8>(), stations in 0u8..9, extra in 0usize..40) {
        let mut bytes = vec![code, number, 0, stations];
        bytes.resize(4 + extra, 0xa5);
        let width = match code { 1 => 1, 2 => 4, _ => 0 };
        let fits = width > 0 && extra == usize::from(stations) * width;
        prop_assert_eq!(Frame::parse(bytes).is_ok(), fits);
    }
}
