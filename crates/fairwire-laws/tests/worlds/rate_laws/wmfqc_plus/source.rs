//! Sources under WMFQC with grants, called by hand: when they ask, and what they believe.

use crate::rate_laws::one_port::{PLAIN, law};
use fairwire_core::{Instant, Span};
use fairwire_laws::rate::wmfqc_plus::GrantCell;
use fairwire_laws::rate::{AnyRateSource, FirstRate, RateMessage, Refusal, Terms};

const MBPS: f64 = 1e6;

fn us(us: u64) -> Instant {
    Instant::ZERO + Span::from_micros(us)
}

struct Ends(AnyRateSource);

impl Ends {
    fn new() -> Self {
        let mut source = law("name = 'wmfqc-plus'").source(&PLAIN, FirstRate::Ask);
        source.on_start(us(0), Span::ZERO);
        Self(source)
    }

    fn write(&mut self, at: u64) -> GrantCell {
        let mut bytes = Vec::new();
        self.0.write(us(at), false, &mut bytes);
        GrantCell::read(&bytes).expect("it is good")
    }

    /// The answer to the packet with this number tells this share and this grant, in Mb/s.
    fn hear(&mut self, at: u64, number: u32, share: f64, granted: f64) -> Result<(), Refusal> {
        let cell = GrantCell {
            backward: true,
            last: false,
            notice: false,
            number,
            applied: 0,
            explicit_bps: share * MBPS,
            granted_bps: granted * MBPS,
            current_bps: 0.0,
            loop_s: 0.0,
        };
        let mut bytes = Vec::new();
        cell.write(&mut bytes);
        self.0.on_return(us(at), &bytes)
    }
}

/// A source that was told 10 Mb/s after a round trip of 100 us.
fn told() -> Ends {
    let mut ends = Ends::new();
    ends.write(0);
    ends.hear(100, 1, 10.0, 10.0).unwrap();
    assert_eq!((ends.0.allowed_bps(), ends.0.asks_at()), (10.0 * MBPS, None));
    ends
}

#[test]
fn rounding_is_not_waited_for() {
    let mut ends = Ends::new();
    ends.write(0);
    ends.hear(100, 1, 10.0, 10.0 - 1e-12).unwrap();
    assert_eq!(ends.0.asks_at(), None);
    ends.write(200);
    ends.hear(300, 2, 10.0, 10.0 - 1e-6).unwrap();
    assert!(ends.0.asks_at().is_some());
}

#[test]
fn an_answer_counts_once_and_none_counts_after_a_new_start() {
    let mut ends = told();
    assert_eq!(ends.hear(200, 1, 20.0, 20.0), Err(Refusal::Stale));
    ends.write(300);
    ends.0.on_start(us(350), Span::ZERO);
    assert_eq!(ends.0.allowed_bps(), 0.0);
    assert_eq!(ends.hear(400, 2, 20.0, 20.0), Err(Refusal::Stale));
    assert_eq!(ends.0.allowed_bps(), 0.0);
}

#[test]
fn what_is_given_back_is_told_at_once() {
    let mut ends = told();
    // The next packet of its own comes 900 us after the last one, nine round trips later.
    ends.write(900);
    ends.hear(1000, 2, 9.95, 9.95).unwrap();
    assert_eq!(ends.0.asks_at(), Some(us(1000)));
    // It comes soon enough for less than a part of 256.
    let mut ends = told();
    ends.write(101);
    ends.hear(201, 2, 9.97, 9.97).unwrap();
    assert_eq!(ends.0.asks_at(), None);
    ends.write(202);
    ends.hear(302, 3, 5.0, 5.0).unwrap();
    assert_eq!(ends.0.asks_at(), Some(us(302)));
}

#[test]
fn one_packet_that_asks_is_under_way_at_a_time() {
    let mut ends = Ends::new();
    ends.write(0);
    ends.write(100);
    assert_eq!(ends.0.asks_at(), Some(us(700)));
    ends.hear(200, 1, 10.0, 0.0).unwrap();
    assert_eq!(ends.0.asks_at(), Some(us(700)));
    ends.hear(300, 2, 10.0, 0.0).unwrap();
    assert_eq!(ends.0.asks_at(), Some(us(300)));
}

#[test]
fn who_is_given_little_asks_after_a_pause() {
    let mut ends = Ends::new();
    for (number, granted) in [(1, 10.0), (2, 20.0)] {
        ends.write(1000 * u64::from(number));
        ends.hear(1000 * u64::from(number) + 400, number, 100.0, granted).unwrap();
    }
    // A quarter of the round trip.
    assert_eq!(ends.0.asks_at(), Some(us(2500)));
    ends.write(3000);
    ends.hear(3400, 3, 100.0, 60.0).unwrap();
    assert_eq!(ends.0.asks_at(), Some(us(3400)));
}

#[test]
fn loops_are_a_round_trip_and_the_time_between_two_packets() {
    let mut ends = Ends::new();
    assert_eq!(ends.write(5000).loop_s, 0.0);
    ends.hear(5100, 1, 10.0, 10.0).unwrap();
    let near = |got: f64, wanted: f64| assert!((got - wanted).abs() < 1e-12, "{got}, {wanted}");
    near(ends.write(6000).loop_s, 1.1e-3);
    near(ends.write(6300).loop_s, 0.4e-3);
}

/// Ports forget who is silent for 100 ms, and so does he.
#[test]
fn who_was_silent_for_long_asks_anew() {
    let mut ends = told();
    ends.0.on_pause(us(99_999));
    assert_eq!(ends.0.allowed_bps(), 10.0 * MBPS);
    ends.0.on_pause(us(100_000));
    assert_eq!((ends.0.allowed_bps(), ends.0.asks_at()), (0.0, Some(us(100_000))));
}

#[test]
fn nobody_is_allowed_more_than_his_peak_rate() {
    let mut ends = told();
    ends.0.on_terms(&Terms { peak_bps: 4.0 * MBPS, ..PLAIN });
    assert_eq!(ends.0.allowed_bps(), 4.0 * MBPS);
}

#[test]
fn applied_answers_are_confirmed_but_by_those_that_confirm_nothing() {
    let mut ends = told();
    assert_eq!(ends.write(200).applied, 1);
    let mut liar = Ends::new();
    liar.0.confirm_nothing();
    liar.write(0);
    liar.hear(100, 1, 10.0, 10.0).unwrap();
    assert_eq!(liar.write(200).applied, 0);
}
