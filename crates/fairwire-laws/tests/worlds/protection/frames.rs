//! The bytes of what machines say, and frames that nobody takes off the ring.

use crate::protection::params;
use crate::protection::ring::Ring;
use fairwire_core::{Ringlet, Span};
use fairwire_laws::WireMessage;
use fairwire_laws::frame::{Address, ControlFrame, ControlType};
use fairwire_laws::protection::{Attributes, Params, ProtectionMode, Request, TopologyChecksum, TopologyReport};
use proptest::prelude::*;

/// A broadcast whose source is not on the ring would go around for ever.
#[test]
fn a_frame_that_nobody_takes_off_ends_after_255_hops() {
    let mut ring = Ring::settled(10, &params());
    let payload = TopologyReport::default().payload();
    let stray = ControlFrame::broadcast(ControlType::Topology, Ringlet::Zero, Address([9; 6]), &payload);
    ring.send(3, Ringlet::Zero, stray.into_bytes());
    let is_stray = |bytes: &&[u8]| bytes[8..14] == [9; 6];
    for _ in 0..254 {
        assert_eq!(ring.on_the_way().filter(is_stray).count(), 1);
        ring.run_for(ring.delay);
    }
    ring.run_for(ring.delay);
    assert_eq!(ring.on_the_way().filter(is_stray).count(), 0);
    ring.run_for(Span::from_millis(9_000));
    ring.assert_whole();
}

/// Two stations of one address: nothing sensible can come of it, but no storm either.
#[test]
fn a_station_heard_in_two_places_starts_no_storm() {
    let mut ring = Ring::settled(10, &params());
    let payload = TopologyReport::default().payload();
    let before = ring.frames_sent();
    for step in 0..200 {
        let twin = ControlFrame::broadcast(ControlType::Topology, Ringlet::Zero, Address([9; 6]), &payload);
        ring.send(step % 10, Ringlet::Zero, twin.into_bytes());
        ring.run_for(Span::from_millis(5));
    }
    let sent = ring.frames_sent() - before;
    let fast = 100 * 10 * (2 * 10 + 2); // at most one report and checksum a station and fast interval
    let rest = 20 * 1_000 + 200 * 255 + 10_000;
    assert!(sent < fast + rest, "{sent} frames in a second");
}

fn requests() -> impl Strategy<Value = Request> {
    (0u8..6).prop_map(|number| Request::from_number(number).unwrap())
}

proptest! {
    #[test]
    fn reports_are_read_back(
        sequence in 0u8..64,
        requests in [requests(), requests()],
        wrapped in any::<[bool; 2]>(),
    ) {
        let report = TopologyReport { sequence, requests, wrapped };
        prop_assert_eq!(TopologyReport::parse(&report.payload()), Ok(report));
    }

    #[test]
    fn attributes_are_read_back(weights in [1u8.., 1u8..], wraps in any::<bool>(), stray in any::<Vec<u8>>()) {
        let mode = if wraps { ProtectionMode::Wrap } else { ProtectionMode::Steer };
        let attributes = Attributes { weights, mode };
        prop_assert_eq!(Attributes::parse(&attributes.payload()), Ok(attributes));
        // What a later version may add is passed over.
        let unknown = [&[0x12, 0x34][..], &(stray.len() as u16).to_be_bytes(), &stray].concat();
        let longer = [unknown, attributes.payload()].concat();
        prop_assert_eq!(Attributes::parse(&longer), Ok(attributes));
    }

    #[test]
    fn any_payload_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        if let Ok(report) = TopologyReport::parse(&bytes) {
            prop_assert_eq!(&report.payload()[..], &bytes);
        }
        if let Ok(checksum) = TopologyChecksum::parse(&bytes) {
            prop_assert_eq!(&checksum.payload()[..], &bytes);
        }
        let _ = Attributes::parse(&bytes);
    }
}

#[test]
fn attributes_say_what_is_wrong() {
    let error = |bytes: &[u8]| Attributes::parse(bytes).unwrap_err().to_string();
    assert_eq!(error(&[0, 1]), "the message has 2 bytes where 4 belong");
    assert_eq!(error(&[0, 1, 0, 2, 5]), "the message has 1 bytes where 2 belong");
    assert_eq!(error(&[0, 1, 0, 2, 0, 5]), "field `weight` holds 0, which has no meaning");
    assert_eq!(error(&[0, 2, 0, 1, 9]), "field `settings` holds 9, which has no meaning");
}

#[test]
fn parameters_out_of_range_are_named() {
    let error = |params: Params| params.validate().unwrap_err().to_string();
    assert_eq!(Params::default().validate(), Ok(()));
    let slow = Params { keepalive_timeout: Span::from_millis(60), ..Params::default() };
    assert_eq!(error(slow), "`keepalive-timeout` goes from 2 ms to 50 ms, not 60 ms");
    let rare = Params { keepalive_interval: Span::from_millis(3), ..Params::default() };
    assert!(error(rare).starts_with("`keepalive-interval` goes from 1 us"));
    let text: Params = toml::from_str("mode = \"wrap\"\nwait-to-restore = \"1 s\"").unwrap();
    assert_eq!((text.mode, text.wait_to_restore), (ProtectionMode::Wrap, Span::from_millis(1_000)));
}
