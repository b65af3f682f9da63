//! A source that does as it is told: what it takes for an answer, and what it makes of one.

use crate::rate_laws::one_port::law;
use fairwire_core::{Instant, Span};
use fairwire_laws::rate::{AnyRateSource, FirstRate, RateCell, RateMessage, Refusal, Terms};

const TERMS: Terms = Terms { minimum_bps: 2e6, peak_bps: 50e6, supported_bps: 1e9, weight: 3.0 };
/// A law whose explicit rates are what a flow has beyond its minimum, and one that tells whole rates.
const LAWS: [&str; 2] = ["name = 'wmfqc'", "name = 'capc'"];

fn ms(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

fn source(name: &str, first: FirstRate) -> AnyRateSource {
    law(name).source(&TERMS, first)
}

fn write(source: &mut AnyRateSource, now: Instant) -> RateCell {
    let mut bytes = Vec::new();
    source.write(now, false, &mut bytes);
    RateCell::read(&bytes).expect("it is good")
}

fn hear(source: &mut AnyRateSource, now: Instant, cell: &RateCell) -> Result<(), Refusal> {
    let mut bytes = Vec::new();
    cell.write(&mut bytes);
    source.on_return(now, &bytes)
}

/// The answer to a packet, with this explicit rate.
fn answer(cell: &RateCell, explicit_bps: f64) -> RateCell {
    RateCell { backward: true, explicit_bps, ..*cell }
}

#[test]
fn it_writes_its_terms_and_its_rate() {
    for (name, asked_bps) in LAWS.into_iter().zip([48e6, 50e6]) {
        let cell = write(&mut source(name, FirstRate::Peak), ms(0));
        assert_eq!((cell.number, cell.backward, cell.last, cell.congestion), (1, false, false, false));
        assert_eq!((cell.explicit_bps, cell.current_bps), (asked_bps, 50e6), "{name}");
        assert_eq!((cell.minimum_bps, cell.weight, cell.round_trip_s), (2e6, 3.0, 0.0));
    }
}

#[test]
fn it_takes_an_answer_to_its_own_packets_once() {
    for name in LAWS {
        let mut source = source(name, FirstRate::Minimum);
        let (first, second) = (write(&mut source, ms(0)), write(&mut source, ms(1)));
        assert_eq!(hear(&mut source, ms(5), &first), Err(Refusal::Direction));
        let unasked = RateCell { number: 3, ..answer(&first, 9e6) };
        assert_eq!(hear(&mut source, ms(5), &unasked), Err(Refusal::Stale));
        assert_eq!(source.allowed_bps(), 2e6);
        assert_eq!(hear(&mut source, ms(5), &answer(&second, 9e6)), Ok(()));
        let told = source.allowed_bps();
        for again in [&second, &first] {
            assert_eq!(hear(&mut source, ms(6), &answer(again, 1e6)), Err(Refusal::Stale));
            assert_eq!(source.allowed_bps(), told);
        }
        // Its own round trip: of the packet that was answered.
        assert_eq!(write(&mut source, ms(7)).round_trip_s, 4e-3);
        write(&mut source, ms(8));
        let last = write(&mut source, ms(9));
        let answered = RateCell { number: last.number - 1, ..answer(&last, 9e6) };
        assert_eq!(hear(&mut source, ms(20), &answered), Ok(()));
        assert_eq!(write(&mut source, ms(21)).round_trip_s, 12e-3);
    }
}

#[test]
fn it_is_allowed_what_it_is_told_between_minimum_and_peak() {
    for (name, beyond) in LAWS.into_iter().zip([2e6, 0.0]) {
        let mut source = source(name, FirstRate::Ask);
        for (explicit_bps, allowed_bps) in [(9e6, 9e6 + beyond), (0.0, 2e6), (1e12, 50e6)] {
            let cell = write(&mut source, ms(0));
            hear(&mut source, ms(1), &answer(&cell, explicit_bps)).expect("it is good");
            assert_eq!(source.allowed_bps(), allowed_bps, "{name}");
        }
        let cell = RateCell { congestion: true, ..write(&mut source, ms(2)) };
        hear(&mut source, ms(3), &answer(&cell, 9e6)).expect("it is good");
        assert_eq!(source.allowed_bps(), 2e6, "{name}: CI");
    }
}

#[test]
fn who_asks_sends_no_data_before_the_first_answer() {
    for name in LAWS {
        let mut source = source(name, FirstRate::Ask);
        assert!(!source.may_send_data());
        let cell = write(&mut source, ms(0));
        hear(&mut source, ms(1), &answer(&cell, 9e6)).expect("it is good");
        assert!(source.may_send_data());
    }
}

#[test]
fn other_terms_hold_at_once() {
    for name in LAWS {
        let mut source = source(name, FirstRate::Peak);
        source.on_terms(&Terms { peak_bps: 10e6, ..TERMS });
        assert_eq!(source.allowed_bps(), 10e6);
        source.on_terms(&Terms { minimum_bps: 20e6, ..TERMS });
        assert_eq!(source.allowed_bps(), 20e6);
    }
}

#[test]
fn who_comes_back_begins_as_at_first() {
    for name in LAWS {
        for (first, begins_bps) in [(FirstRate::Peak, 50e6), (FirstRate::Minimum, 2e6), (FirstRate::Ask, 2e6)] {
            let mut source = source(name, first);
            source.on_start(ms(0), Span::ZERO);
            let cell = write(&mut source, ms(0));
            let late = write(&mut source, ms(1));
            hear(&mut source, ms(5), &answer(&cell, 7e6)).unwrap();
            assert_ne!(source.allowed_bps(), begins_bps);
            source.on_start(ms(100), Span::ZERO);
            assert_eq!((source.allowed_bps(), source.may_send_data()), (begins_bps, first != FirstRate::Ask));
            // What was asked before is no answer now.
            assert_eq!(hear(&mut source, ms(101), &answer(&late, 9e6)), Err(Refusal::Stale));
            assert_eq!(source.allowed_bps(), begins_bps);
        }
    }
}
