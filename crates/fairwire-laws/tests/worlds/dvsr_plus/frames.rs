//! The ledger as bytes.

use fairwire_laws::WireMessage;
use fairwire_laws::ring::dvsr_plus::{Frame, WeightWidth};
use proptest::prelude::*;

#[test]
fn a_new_ledger_byte_by_byte() {
    assert_eq!(Frame::new(WeightWidth::Count, 2).into_bytes(), [3, 0, 0, 2, 0x40, 0, 0, 0, 0, 0x40, 0, 0, 0, 0]);
    let mut ledger = Frame::new(WeightWidth::Proportional, 1);
    ledger.add_room(0, -1);
    ledger.add_held(0, 0x0102_0304);
    ledger.tell_use(0, 0.5);
    assert_eq!(ledger.into_bytes(), [4, 0, 0, 1, 0x3f, 0xff, 1, 2, 3, 4, 0, 0x81]);
}

/// The largest use that was told since the link's own station last had the ledger, and its own.
#[test]
fn the_largest_use_is_known_when_a_lap_has_ended() {
    let mut ledger = Frame::new(WeightWidth::Count, 3);
    ledger.close_uses(1, 1.0);
    assert_eq!(ledger.largest_use(1), 0.0, "nobody has told anything");
    ledger.tell_use(1, 0.25);
    ledger.tell_use(1, 0.125);
    assert_eq!(ledger.largest_use(1), 0.0, "the lap has not ended");
    ledger.close_uses(1, 0.0);
    assert_eq!(ledger.largest_use(1), 0.25);
    ledger.close_uses(1, 0.0);
    assert_eq!(ledger.largest_use(1), 0.25, "nobody has come by since");
    ledger.tell_use(1, 0.0);
    ledger.close_uses(1, 0.0);
    assert_eq!(ledger.largest_use(1), 0.1875, "whoever used it is held now, or gone");
    for _ in 0..20 {
        ledger.tell_use(1, 0.0);
        ledger.close_uses(1, 0.0);
    }
    assert_eq!(ledger.largest_use(1), 0.0, "and is forgotten");
    ledger.tell_use(1, 0.125);
    ledger.close_uses(1, 7.0);
    assert_eq!(ledger.largest_use(1), 254.0 / 256.0, "more than the byte holds");
    assert_eq!((ledger.largest_use(0), ledger.largest_use(2)), (0.0, 0.0));
}

#[test]
fn what_is_no_ledger_is_refused() {
    let (short, long, wide) = ([3, 0, 0, 1, 0, 0, 0, 0], [3, 0, 0, 1, 0, 0, 0, 0, 0, 0], [4, 0, 0, 1, 0, 0, 0, 0, 0]);
    for bytes in [&[][..], &[3, 0, 0], &[1, 0, 0, 0], &[3, 0, 0, 1], &short, &long, &wide] {
        assert!(Frame::parse(bytes.to_vec()).is_err(), "{bytes:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_refused_or_kept(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(ledger) = Frame::parse(bytes.clone()) {
            prop_assert_eq!(ledger.into_bytes(), bytes);
        }
    }

    /// Whatever the entries hold, what was added can be taken away.
    #[test]
    fn additions_can_be_undone(
        entries in proptest::collection::vec(any::<u8>(), 15),
        units in any::<i32>(),
        weight in any::<u32>(),
        link in 0usize..3,
    ) {
        let bytes: Vec<u8> = [3, 0, 0, 3].into_iter().chain(entries).collect();
        let mut ledger = Frame::parse(bytes.clone()).unwrap();
        ledger.add_room(link, units);
        ledger.add_held(link, weight);
        ledger.take_held(link, weight);
        ledger.add_room(link, units.wrapping_neg());
        prop_assert_eq!(ledger.into_bytes(), bytes);
    }
}
