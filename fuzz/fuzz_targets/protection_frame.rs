//! Any bytes that come in on either ringlet leave a station's protection alive: it asks for times to come, sends frames
//! that can be read, and knows itself once.
#![no_main]

use fairwire_core::{Instant, Ringlet, Span, StationId};
use fairwire_laws::frame::{Address, CONTROL_OVERHEAD_BYTES, HEADER_BYTES, fcs, hec};
use fairwire_laws::protection::{Action, Event, Params, Protection};
use libfuzzer_sys::fuzz_target;

const STATIONS: u16 = 4;

fuzz_target!(|data: &[u8]| {
    let ring: Vec<Address> = (0..STATIONS).map(|station| Address::of(StationId(station))).collect();
    let mut protection = Protection::new(&Params::default(), ring[1], [1, 1]);
    protection.start_settled(Instant::ZERO, &ring);
    let mut now = Instant::ZERO;
    // Frames, each after a byte that says where and when it comes and one that says how long it is.
    let mut rest = data;
    while let [way, length, after @ ..] = rest {
        let (frame, after) = after.split_at(usize::from(*length).min(after.len()));
        rest = after;
        let ringlet = if way & 1 == 0 { Ringlet::Zero } else { Ringlet::One };
        now += Span::from_micros(u64::from(way >> 1) * 50);
        for bytes in [frame.to_vec(), mended(frame)] {
            let event =
                if Protection::takes(&bytes) { Event::Frame { ringlet, bytes } } else { Event::Heard { ringlet } };
            protection.handle(now, event);
        }
        while protection.poll_timeout() <= now {
            protection.handle_timeout(now);
        }
        while let Some(action) = protection.poll_action() {
            if let Action::SendFrame { bytes, .. } = action {
                assert!(Protection::takes(&bytes), "{bytes:?}");
            }
        }
        let stations = protection.topology().stations();
        assert_eq!(stations.iter().filter(|station| **station == ring[1]).count(), 1, "{stations:?}");
    }
});

/// The bytes with good checksums, which no chance finds.
fn mended(data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    if bytes.len() >= CONTROL_OVERHEAD_BYTES {
        let good = hec(&bytes[..HEADER_BYTES - 2]);
        bytes[HEADER_BYTES - 2..HEADER_BYTES].copy_from_slice(&good);
        let end = bytes.len() - 4;
        let good = fcs(&bytes[HEADER_BYTES..end]);
        bytes[end..].copy_from_slice(&good);
    }
    bytes
}
