//! What is read of datagrams.

use super::*;
use fairwire_core::{Ringlet, StationId};

const ON_RING: RingHead = RingHead { ringlet: Ringlet::One, from: StationId(300) };
const OF_FLOW: FlowHead = FlowHead { flow: 70_000, from: 3, life: 1 << 60, number: 9 };

/// A head is read as it was written by those who agree, and by nobody else.
fn only_those_who_agree_read<H: Head + PartialEq + std::fmt::Debug>(head: H) {
    let envelope = |ring: u64| Envelope::<H>::agreed(&ring);
    let datagram = envelope(7).seal(&head, b"ledger");
    assert_eq!(datagram.len(), MARK_BYTES + SUM_BYTES + H::BYTES + 6);
    assert_eq!(envelope(7).open(&datagram), Ok((head, &b"ledger"[..])));
    assert_eq!(envelope(8).open(&datagram).err(), Some(Stray::Other));
    let head_ends = datagram.len() - 6;
    for length in 0..head_ends {
        assert_eq!(envelope(7).open(&datagram[..length]).err(), Some(Stray::Foreign), "{length} bytes");
    }
    let mut other = datagram;
    other[0] = b'x';
    assert_eq!(envelope(7).open(&other).err(), Some(Stray::Foreign));
}

#[test]
fn a_neighbour_who_agrees_reads_what_was_sent() {
    only_those_who_agree_read(ON_RING);
    only_those_who_agree_read(OF_FLOW);
}

#[test]
fn a_ring_has_two_ringlets() {
    let mut datagram = Envelope::<RingHead>::agreed(&7).seal(&ON_RING, b"");
    datagram[MARK_BYTES + SUM_BYTES] = 2;
    assert_eq!(Envelope::<RingHead>::agreed(&7).open(&datagram), Err(Stray::Foreign));
}

#[test]
fn a_ring_is_no_network() {
    let datagram = Envelope::<FlowHead>::agreed(&7).seal(&OF_FLOW, b"");
    assert_eq!(Envelope::<RingHead>::agreed(&7).open(&datagram), Err(Stray::Foreign));
}
