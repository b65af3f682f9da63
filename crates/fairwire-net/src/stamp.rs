//! When a datagram of the scenario's traffic is due, told by the datagram itself.
//!
//! Those who send have a processor now and then, and send what is due until they have one again. The first bytes of what a
//! datagram carries say when it is due, so that it comes to its station at the time of the simulator's source, and not at that
//! of whoever was woken.

use crate::clock::MOST_GAP;
use crate::frame::{ETHERNET_BYTES, Headers};
use fairwire_core::{Instant, Span};

/// By so much datagrams are sent before they are due: those who send may be woken later than they asked by nearly as much
/// before the clock stands still for them ([`MOST_GAP`]).
pub const AHEAD: Span = Span::from_micros(2_500);

/// Nobody else's data begins so, or only by chance.
const TAG: [u8; 4] = *b"due ";
const STAMP_BYTES: usize = TAG.len() + 8;

/// Writes a stamp to the beginning of what a datagram carries, if there is room.
pub fn put(contents: &mut [u8], due: Instant) {
    if let Some(stamp) = contents.get_mut(..STAMP_BYTES) {
        stamp[..TAG.len()].copy_from_slice(&TAG);
        stamp[TAG.len()..].copy_from_slice(&due.as_nanos().to_be_bytes());
    }
}

/// When a frame with these headers is due that came up at `now`: none for one without a stamp, or with a stamp that nobody
/// who sends in time could have written.
pub fn read(frame: &[u8], headers: &Headers, now: Instant) -> Option<Instant> {
    headers.ports.filter(|ports| !ports.tcp)?;
    let header = usize::from(frame.get(ETHERNET_BYTES)? & 15) * 4;
    let stamp = frame.get(ETHERNET_BYTES + header + 8..)?.strip_prefix(&TAG)?;
    let due = Instant::from_nanos(u64::from_be_bytes(*stamp.first_chunk()?));
    (due.since(now) <= AHEAD + MOST_GAP).then_some(due)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Ports, UDP_HEADER_BYTES};

    fn headers(tcp: bool) -> Headers {
        let ports = Some(Ports { tcp, source: 1, destination: 2 });
        Headers { to_mac: [0; 6], source: 0, destination: 0, ports, ecn_capable: false }
    }

    fn frame(due: Instant, payload: usize) -> Vec<u8> {
        let mut frame = vec![0; UDP_HEADER_BYTES + payload];
        frame[ETHERNET_BYTES] = 0x45;
        put(&mut frame[UDP_HEADER_BYTES..], due);
        frame
    }

    #[test]
    fn what_is_written_is_read_if_there_is_room() {
        let at = |us: u64| Instant::from_nanos(us * 1_000);
        let read = |frame: &[u8], now| read(frame, &headers(false), now);
        assert_eq!(read(&frame(at(7_000), 12), at(6_000)), Some(at(7_000)));
        assert_eq!(read(&frame(at(7_000), 900), at(9_000)), Some(at(7_000)), "late");
        assert_eq!(read(&frame(at(7_000), 11), at(6_000)), None, "no room");
        assert_eq!(read(&frame(at(7_000), 12)[..UDP_HEADER_BYTES + 11], at(6_000)), None, "cut off");
        assert_eq!(super::read(&frame(at(7_000), 12), &headers(true), at(6_000)), None, "TCP's data are others'");
        assert_eq!(read(&frame(at(7_000), 12), at(2_500)), Some(at(7_000)));
        assert_eq!(read(&frame(at(7_000), 12), at(2_499)), None, "nobody sends as early");
        assert_eq!(read(&[0; UDP_HEADER_BYTES + 12], at(0)), None);
    }
}
