//! Times, rates and sizes at their edges, and rings walked both ways round.

use fairwire_core::{
    BitRate, Bytes, FlowId, Instant, PacketMeta, Ringlet, Serialiser, ServiceClass, Span, StationId, Streams, Weight,
};
use rand::RngExt;
use std::fmt::Display;
use std::str::FromStr;

/// After any packets at any rate the time is the exact time of their bytes, rounded down.
#[test]
fn serialisers_never_drift_at_any_rate() {
    let mut draw = Streams::new(9, 0).component("serialiser");
    for rate in [1, 3, 999, 64_000, 9_999_999, 599_040_000, 1_000_000_007, 400_000_000_000, 3_000_000_000_000_000_000] {
        let mut link = Serialiser::new(BitRate::from_bps(rate));
        assert_eq!(link.rate(), BitRate::from_bps(rate));
        let (mut nanos, mut bytes) = (0u128, 0u128);
        for _ in 0..20_000 {
            let size = if draw.random_bool(0.5) { 1_000 } else { draw.random_range(0..200_000u32) };
            nanos += u128::from(link.transmit(size).as_nanos());
            bytes += u128::from(size);
            assert_eq!(nanos, bytes * 8_000_000_000 / u128::from(rate), "{rate} b/s");
        }
    }
}

#[test]
#[should_panic(expected = "a rate above zero")]
fn a_serialiser_needs_a_rate() {
    Serialiser::new(BitRate::ZERO);
}

#[test]
fn a_size_over_a_rate_is_a_time() {
    assert_eq!(Bytes::new(1_000) / BitRate::from_mbps(8), Span::from_millis(1));
    assert_eq!(Bytes::new(1_000) / BitRate::from_mbps(622), Span::from_nanos(12_861));
    assert_eq!(Bytes::new(1) / BitRate::ZERO, Span::from_nanos(u64::MAX));
    assert_eq!(Bytes::new(u64::MAX) / BitRate::from_bps(1), Span::from_nanos(u64::MAX));
}

#[test]
fn times_stop_at_their_ends() {
    assert_eq!(Instant::NEVER + Span::from_nanos(1), Instant::NEVER);
    assert_eq!(Instant::from_nanos(5).since(Instant::from_nanos(7)), Span::ZERO);
    assert_eq!(Span::from_nanos(3) - Span::from_nanos(4), Span::ZERO);
    assert_eq!(Span::from_nanos(u64::MAX) * 3, Span::from_nanos(u64::MAX));
    assert_eq!([1, 2, 3].map(Span::from_micros).into_iter().sum::<Span>(), Span::from_micros(6));
    for (seconds, nanos) in [(-1.0, 0), (f64::NAN, 0), (0.6e-9, 1), (1e-9, 1), (0.1, 100_000_000), (1e30, u64::MAX)] {
        assert_eq!(Span::from_secs_f64(seconds), Span::from_nanos(nanos), "{seconds}");
    }
    for (bps, whole) in [(-1.0, 0), (f64::NAN, 0), (0.4, 0), (0.5, 1), (1e30, u64::MAX)] {
        assert_eq!(BitRate::from_bps_f64(bps), BitRate::from_bps(whole), "{bps}");
    }
}

#[test]
fn weights_are_finite_and_above_zero() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Weight::new(value).unwrap_err().to_string();
        assert!(error.starts_with("a weight is a finite number above zero, not "), "{error}");
    }
    assert_eq!((Weight::default(), Weight::new(2.5).map(Weight::get)), (Weight::ONE, Ok(2.5)));
}

#[test]
fn hops_count_the_steps_downstream() {
    for stations in 2..9 {
        for (ringlet, from) in Ringlet::BOTH.into_iter().flat_map(|r| (0..stations).map(move |from| (r, from))) {
            let mut at = from;
            for hops in 0..stations {
                assert_eq!(ringlet.hops(from, at, stations), hops);
                assert_eq!(ringlet.opposite().downstream(ringlet.downstream(at, stations), stations), at);
                at = ringlet.downstream(at, stations);
            }
            assert_eq!(at, from, "once around");
        }
    }
}

/// Text in every unit, of values of every size, reads back to the same value.
#[test]
fn text_reads_back() {
    let mut draw = Streams::new(1, 0).component("text");
    for _ in 0..50_000 {
        let value = draw.random_range(0..1u64 << 53) >> draw.random_range(0..53);
        assert_eq!(Span::from_nanos(value).to_text().parse(), Ok(Span::from_nanos(value)));
        assert_eq!(BitRate::from_bps(value).to_text().parse(), Ok(BitRate::from_bps(value)));
        assert_eq!(Bytes::new(value).to_text().parse(), Ok(Bytes::new(value)));
    }
}

/// Reading never panics, and what it accepts has a number and a unit.
#[test]
fn any_text_is_a_quantity_or_an_error() {
    let mut draw = Streams::new(2, 0).component("text");
    let letters: Vec<char> = "0123456789.eE+-_ bkMGTBisnumµμ/ph\u{0}é".chars().collect();
    for _ in 0..200_000 {
        let length = draw.random_range(0..9);
        let text: String = (0..length).map(|_| letters[draw.random_range(0..letters.len())]).collect();
        let whole = |accepted: bool| {
            assert!(!accepted || (text.contains(|c: char| c.is_ascii_digit()) && text.trim().len() > 1), "{text:?}");
        };
        whole(text.parse::<Span>().is_ok());
        whole(text.parse::<BitRate>().is_ok());
        whole(text.parse::<Bytes>().is_ok());
    }
}

/// A number of 64 bits is below 2⁶⁴. The largest that a message names can be written.
#[test]
fn what_is_written_is_in_range() {
    fn read<Q: FromStr<Err: Display>>(text: &str) -> Result<Q, String> {
        text.parse().map_err(|error: Q::Err| error.to_string())
    }
    fn check<Q: FromStr<Err: Display>>(largest: &str, beyond: &str, unit: &str, what: &str) {
        assert!(read::<Q>(largest).is_ok(), "{largest}");
        for text in [beyond.to_owned(), format!("1e300 {unit}"), format!("-1 {unit}"), format!("-0 {unit}")] {
            let message = format!("`{text}` is out of range; write {what} from 0 to {largest}");
            assert_eq!(read::<Q>(&text).err(), Some(message));
        }
    }
    check::<Span>("5124095 h", "5124096 h", "s", "a time");
    check::<BitRate>("18446744 Tb/s", "18446744.1 Tb/s", "Gb/s", "a bit rate");
    check::<Bytes>("18446744073 GB", "18446744074 GB", "kB", "a size");
    assert!(read::<BitRate>("18446744073709551616 b/s").is_err(), "2⁶⁴");
}

/// [rpr-enhanced-conservative] §II: what is promised but not reserved may be used by others while it is idle.
#[test]
fn reclaimable_is_what_is_promised_but_not_reserved() {
    let reclaimable = |class, fairness_eligible| {
        let (flow, ingress, egress) = (FlowId(0), StationId(0), StationId(1));
        PacketMeta { flow, ingress, egress, size_bytes: 1_000, class, fairness_eligible }.is_reclaimable()
    };
    assert!(!reclaimable(ServiceClass::A0, false), "reserved");
    assert!(reclaimable(ServiceClass::A1, false));
    assert!(reclaimable(ServiceClass::B, false), "within its committed rate");
    assert!(!reclaimable(ServiceClass::B, true), "beyond it");
    assert!(!reclaimable(ServiceClass::C, true));
}
