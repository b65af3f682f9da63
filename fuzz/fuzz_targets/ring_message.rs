//! Any bytes handed to the stations of a packet ring are a message, which says itself
//! again in the same bytes and which a station can take, or are refused.
#![no_main]

use fairwire_core::{BitRate, Bytes, Cx, Instant, Ringlet, Span, StationId, Streams};
use fairwire_laws::WireMessage;
use fairwire_laws::frame::{CONTROL_OVERHEAD_BYTES, HEADER_BYTES, fcs, hec};
use fairwire_laws::ring::rpr::{FAIRNESS_BYTES, FairnessFrame, Message};
use fairwire_laws::ring::{RingAction, RingLaw, RingSite, StationView, rpr_2004_conservative};
use libfuzzer_sys::fuzz_target;

const STATIONS: usize = 4;

fuzz_target!(|data: &[u8]| {
    check(data);
    check(&mended(data));
});

/// The bytes with good checksums, which no chance finds.
fn mended(data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    let end = bytes.len().saturating_sub(4);
    let covered = match bytes.len() {
        FAIRNESS_BYTES => 0..end,
        length if length >= CONTROL_OVERHEAD_BYTES => {
            let good = hec(&bytes[..HEADER_BYTES - 2]);
            bytes[HEADER_BYTES - 2..HEADER_BYTES].copy_from_slice(&good);
            HEADER_BYTES..end
        }
        _ => return bytes,
    };
    let good = fcs(&bytes[covered]);
    bytes[end..].copy_from_slice(&good);
    bytes
}

fn check(data: &[u8]) {
    let Ok(message) = Message::parse(data.to_vec()) else {
        assert!(FairnessFrame::parse(data.to_vec()).is_err());
        return;
    };
    assert_eq!(message.clone().into_bytes(), data);
    if let Message::Fairness(frame) = message
        && let Some(forwarded) = frame.forwarded()
    {
        assert_eq!(FairnessFrame::parse(forwarded.into_bytes()), Ok(forwarded));
    }
    take(message);
}

/// A station takes it and lives on: it sends good messages and asks for times to come.
fn take(message: Message) {
    let site = RingSite {
        secondary_buffer: Some(Bytes::new(200_000)),
        delays: vec![Span::from_micros(100); STATIONS],
        ..RingSite::bare(StationId(1), Ringlet::Zero, vec![BitRate::from_mbps(622); STATIONS])
    };
    let mut law = rpr_2004_conservative::Law::new(&Default::default(), site);
    let mut rng = Streams::new(1, 0).component("law");
    let view = StationView::default();
    let mut now = Instant::ZERO;
    law.start(&mut Cx { now, rng: &mut rng, probe: None }, &view);
    for _ in 0..20 {
        law.on_message(&mut Cx { now, rng: &mut rng, probe: None }, message.clone(), &view);
        let due = law.poll_timeout().expect("there is always a next aging interval");
        assert!(due > now);
        now = due;
        law.handle_timeout(&mut Cx { now, rng: &mut rng, probe: None }, &view);
        while let Some(action) = law.poll_action() {
            if let RingAction::SendUpstream(message) | RingAction::SendDownstream { message, .. } = action {
                assert_eq!(Message::parse(message.clone().into_bytes()), Ok(message));
            }
        }
    }
}
