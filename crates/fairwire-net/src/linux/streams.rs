//! The other half of the link check: a stream over each idle way, and the rate at which it arrives.
//!
//! Those who send have a processor now and then. What they send late in one go takes its time on the slowest link, so that the
//! rate at which a stream is to arrive is worked out of the times at which its packets were sent.

use super::links::SocketPath;
use crate::fidelity::LinkCheck;
use fairwire_core::{BitRate, Bytes, Span};
use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt::ReceiveTimestampns};
use nix::sys::time::TimeSpec;
use std::io::IoSliceMut;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant as Clock};

/// Part of what the slowest link carries.
const LOAD: f64 = 0.8;
/// A stream has no more packets a second: the check is not to be about processors.
const MOST_PACKETS_A_SECOND: u64 = 20_000;
/// How long a stream is, if that is packets enough.
const LENGTH: Span = Span::from_millis(25);
/// It has so many at least.
const LEAST_PACKETS: u64 = 12;
/// What the last packet may take longer than it should.
const PATIENCE: Span = Span::from_millis(10);

/// A stream as it is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    packets: u64,
    gap: Span,
    /// What the slowest link takes for a packet.
    takes: Span,
}

impl Stream {
    /// One of packets of this size over a way whose slowest link is this.
    pub fn over(slowest: BitRate, size: Bytes) -> Self {
        let takes = size / slowest;
        let gap = Span::from_nanos((takes.as_nanos() as f64 / LOAD) as u64);
        let gap = gap.max(Span::from_nanos(1_000_000_000 / MOST_PACKETS_A_SECOND));
        Self { packets: (LENGTH.as_nanos() / gap.as_nanos()).max(LEAST_PACKETS), gap, takes }
    }

    /// When packets that were sent at these times have left the slowest link.
    fn behind_slowest(&self, sent: &[Duration]) -> Vec<Duration> {
        let takes = Duration::from_nanos(self.takes.as_nanos());
        let leaves = |free: &mut Duration, at: &Duration| {
            *free = (*free).max(*at) + takes;
            Some(*free)
        };
        sent.iter().scan(Duration::ZERO, leaves).collect()
    }

    /// How long it takes, until nobody waits any more, over a way of this delay.
    pub fn lasts(&self, delay: Span) -> Span {
        Span::from_nanos(self.gap.as_nanos() * self.packets) + delay + delay + PATIENCE
    }
}

/// Sends a stream over each way, one after the other; the way whose rate is farthest off is told.
pub fn send_streams(ways: &[SocketPath], finished: &AtomicBool, check: &mut LinkCheck) {
    let mut off = -1.0;
    for way in ways {
        if finished.load(Ordering::Acquire) {
            return;
        }
        let Some(seen) = send_stream(way, finished) else { continue };
        check.stream_sent += seen.sent;
        check.stream_arrived += seen.arrived;
        let (Some(due_bps), Some(arrived_bps)) = (seen.due_bps, seen.arrived_bps) else { continue };
        let is_off = (arrived_bps / due_bps - 1.0).abs();
        if is_off > off {
            off = is_off;
            check.stream_flow = Some(way.flow.clone());
            (check.stream_sent_bps, check.stream_arrived_bps) = (due_bps, arrived_bps);
        }
    }
}

struct StreamCounts {
    sent: u64,
    arrived: u64,
    /// The rate at which it comes over a way like this one.
    due_bps: Option<f64>,
    arrived_bps: Option<f64>,
}

fn send_stream(way: &SocketPath, finished: &AtomicBool) -> Option<StreamCounts> {
    let Stream { packets, gap, .. } = way.stream;
    setsockopt(&way.receiver, ReceiveTimestampns, &true).ok()?;
    way.receiver.set_nonblocking(true).ok()?;
    // Packets of the idle check that came too late do not belong to it.
    while take(way).is_some() {}
    let contents = way.contents(u64::MAX);
    let begun = Clock::now();
    let (mut sent, mut left) = (Vec::new(), Vec::new());
    for number in 0..packets {
        let due = begun + Duration::from_nanos(gap.as_nanos() * number);
        thread::sleep(due.saturating_duration_since(Clock::now()));
        if finished.load(Ordering::Acquire) {
            return None;
        }
        if way.sender.send(&contents).is_ok() {
            sent.push(begun.elapsed());
        }
        left.extend(take(way));
    }
    let patience = Clock::now()
        + Duration::from_nanos(way.stream.lasts(way.expected).as_nanos()) / 4
        + Duration::from_nanos((way.expected + way.expected + PATIENCE).as_nanos());
    while (left.len() as u64) < packets && Clock::now() < patience && !finished.load(Ordering::Acquire) {
        match take(way) {
            Some(at) => left.push(at),
            None => thread::sleep(Duration::from_millis(1)),
        }
    }
    way.receiver.set_nonblocking(false).ok()?;
    let rate = |times: &[Duration]| {
        let lasted = times.last()?.checked_sub(*times.first()?)?.as_secs_f64();
        (lasted > 0.0).then(|| (times.len() - 1) as f64 * way.size_bytes as f64 * 8.0 / lasted)
    };
    let due_bps = rate(&way.stream.behind_slowest(&sent));
    Some(StreamCounts { sent: sent.len() as u64, arrived: left.len() as u64, due_bps, arrived_bps: rate(&left) })
}

/// When the kernel got the next packet, if there is one.
fn take(way: &SocketPath) -> Option<Duration> {
    let (mut contents, mut control) = ([0; 64], cmsg_space!(TimeSpec));
    let mut pieces = [IoSliceMut::new(&mut contents)];
    let socket = way.receiver.as_raw_fd();
    let message = recvmsg::<()>(socket, &mut pieces, Some(&mut control), MsgFlags::MSG_DONTWAIT).ok()?;
    let stamp = message.cmsgs().ok()?.find_map(|control| match control {
        ControlMessageOwned::ScmTimestampns(at) => Some(at),
        _ => None,
    });
    stamp.map(Duration::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_four_fifths_of_the_slowest_link_and_never_too_many_packets() {
        let stream = Stream::over(BitRate::from_mbps(100), Bytes::new(1_000));
        assert_eq!(stream, Stream { packets: 250, gap: Span::from_micros(100), takes: Span::from_micros(80) });
        let fast = Stream::over(BitRate::from_mbps(10_000), Bytes::new(1_000));
        assert_eq!((fast.packets, fast.gap), (500, Span::from_micros(50)));
        let slow = Stream::over(BitRate::from_bps(800_000), Bytes::new(1_000));
        assert_eq!((slow.packets, slow.gap), (12, Span::from_micros(12_500)));
        assert_eq!(slow.lasts(Span::from_millis(5)), Span::from_millis(150 + 10 + 10));
    }

    #[test]
    fn what_is_sent_late_in_one_go_is_due_one_packet_after_the_other() {
        let stream = Stream::over(BitRate::from_mbps(8), Bytes::new(1_000));
        let leaves = |sent_us: &[u64]| {
            let sent: Vec<_> = sent_us.iter().copied().map(Duration::from_micros).collect();
            stream.behind_slowest(&sent).iter().map(Duration::as_micros).collect::<Vec<_>>()
        };
        assert_eq!(leaves(&[0, 1_250, 2_500]), [1_000, 2_250, 3_500], "in time: the rate at which it is sent");
        assert_eq!(leaves(&[0, 4_000, 4_001, 4_002]), [1_000, 5_000, 6_000, 7_000]);
    }
}
