//! The link that leaves a station, and the control frames that go first on it.

use super::Wire;
use super::frame::Frame;
use super::packet::Packet;
use super::repeated::Repeated;
use super::tap::Sent;
use fairwire_core::{BitRate, Serialiser};
use fairwire_laws::PackedMessage;
use fairwire_plan::LinkPlan;
use std::collections::VecDeque;

/// A byte in units of what a bit/s brings in a ns.
const BYTE_NS_BPS: u64 = 8_000_000_000;

#[derive(Debug)]
pub struct OutgoingLink {
    serialiser: Serialiser,
    delay: u64,
    /// When the packet in transmission, or the idle time, ended or will end.
    free_at: u64,
    /// When the last control message has left or will have.
    control_until: u64,
    frames: VecDeque<Frame>,
    /// When the last idle time ended.
    busy_since: u64,
    /// What was in transmission when the capacity became another: until when, and at what rate.
    before: Option<Box<(u64, BitRate)>>,
    data_hops: u64,
    control_hops: u64,
    control_bytes: u64,
    sent_bytes: u64,
    /// Of these, before the warm-up ended and before the current row.
    unmeasured_bytes: u64,
    earlier_bytes: u64,
}

impl OutgoingLink {
    pub fn new(plan: &LinkPlan) -> Self {
        Self {
            serialiser: Serialiser::new(plan.capacity),
            delay: plan.delay.as_nanos(),
            free_at: 0,
            control_until: 0,
            frames: VecDeque::new(),
            busy_since: 0,
            before: None,
            data_hops: 0,
            control_hops: 0,
            control_bytes: 0,
            sent_bytes: 0,
            unmeasured_bytes: 0,
            earlier_bytes: 0,
        }
    }

    pub fn capacity(&self) -> BitRate {
        self.serialiser.rate()
    }

    /// It carries so much from `now` on; what is in transmission is sent to its end as it began.
    pub fn set_capacity(&mut self, now: u64, capacity: BitRate) {
        if self.free_at > now && self.before.as_ref().is_none_or(|before| before.0 < self.free_at) {
            self.before = Some(Box::new((self.free_at, self.capacity())));
        }
        self.serialiser = Serialiser::new(capacity);
    }

    /// Propagation time in ns.
    pub fn delay(&self) -> u64 {
        self.delay
    }

    #[inline(always)]
    pub fn free_at(&self) -> u64 {
        self.free_at
    }

    #[inline(always)]
    pub fn has_frames(&self) -> bool {
        !self.frames.is_empty()
    }

    pub fn queue_frame(&mut self, frame: Frame) {
        self.frames.push_back(frame);
    }

    /// Something to send came up at `now`: idle time, if any, ends.
    #[inline(always)]
    pub fn wake(&mut self, now: u64) {
        // Nobody could predict a branch on it.
        self.busy_since = if self.free_at < now { now } else { self.busy_since };
        self.free_at = self.free_at.max(now);
    }

    /// Sends a packet, which may be one of TCP or is none; `false` if a cut takes it.
    #[inline(always)]
    #[must_use]
    pub fn send_packet<const TCP: bool>(&mut self, now: u64, packet: Packet, wire: &mut Wire) -> bool {
        let arrival = self.transmit(now, packet.size().into());
        self.data_hops += 1;
        let carried = wire.carries(now, arrival, packet);
        if carried {
            match TCP {
                true => wire.push(arrival, packet),
                false => wire.data.push(arrival, packet),
            }
        }
        carried
    }

    /// The same for what came up at `now`, as [`OutgoingLink::wake`] has it.
    #[inline(always)]
    #[must_use]
    pub fn wake_to_send<const TCP: bool>(&mut self, now: u64, packet: Packet, wire: &mut Wire) -> bool {
        if self.free_at < now {
            self.busy_since = now;
        }
        self.send_packet::<TCP>(now, packet, wire)
    }

    #[inline]
    pub fn send_frame(&mut self, now: u64, wire: &mut Wire) {
        if let Some(frame) = self.frames.pop_front() {
            self.send_letter(now, frame, wire);
        }
    }

    /// Sends a control frame that comes up at `now`, or lets it wait until the link is free.
    #[inline(always)]
    pub fn send_or_queue_frame(&mut self, now: u64, frame: Frame, wire: &mut Wire) {
        if self.takes_frame(now) {
            self.put(now, frame, wire);
        } else {
            self.frames.push_back(frame);
        }
    }

    /// The same for a message to the law of the other ringlet, which may be advice.
    #[inline(always)]
    pub fn send_or_queue_message<const ADVICE: bool>(&mut self, now: u64, message: PackedMessage, wire: &mut Wire) {
        if !self.takes_frame(now) {
            return self.frames.push_back(Frame::of::<ADVICE>(message));
        }
        let arrival = self.transmit_control(now, message.wire_bytes() as u64);
        if wire.carries_frame(now, arrival, true, || Sent::Message(message.clone())) {
            wire.push_message::<ADVICE>(arrival, message);
        }
    }

    /// `message` as it arrives if it is sent at `from` and whenever `period` has passed, on a wire that is never cut and a
    /// link that sends nothing else; none if it is still busy then, or with the last message.
    pub fn repeated(&mut self, message: PackedMessage, from: u64, period: u64) -> Option<Repeated> {
        let times = self.serialiser.packets_of(message.wire_bytes() as u32);
        let in_time = self.takes_frame(from) && times.longest() < period;
        in_time.then(|| Repeated::new(message, from, period, times, self.delay))
    }

    /// Sends such a message of so many `bytes` so many `times`, the last one at `last`; the wire knows of it.
    pub fn count_repeated(&mut self, bytes: u64, times: u64, last: u64) {
        let mut messages = self.serialiser.packets_of(bytes as u32);
        messages.transmit_many(times - 1);
        self.free_at = last + messages.transmit();
        self.control_until = self.free_at;
        self.serialiser.resume(messages);
        // It was idle before each of them.
        self.busy_since = last;
        self.control_hops += times;
        self.control_bytes += bytes * times;
        self.sent_bytes += bytes * times;
    }

    /// Whether a control frame that comes up at `now` goes out at once.
    #[inline(always)]
    fn takes_frame(&mut self, now: u64) -> bool {
        self.wake(now);
        self.free_at <= now && self.frames.is_empty()
    }

    /// A control message that comes up at `now` takes its time, right after what is in transmission, and goes nowhere.
    pub fn spend_time(&mut self, now: u64, bytes: u64) {
        self.wake(now);
        self.transmit_control(self.free_at, bytes);
    }

    /// Sends a control message whose turn among the packets has come.
    pub fn send_letter(&mut self, now: u64, frame: Frame, wire: &mut Wire) {
        self.put(now, frame, wire);
    }

    #[inline(always)]
    fn put(&mut self, now: u64, frame: Frame, wire: &mut Wire) {
        let arrival = self.transmit_control(now, frame.size().into());
        if wire.carries_frame(now, arrival, frame.is_of_law(), || Sent::frame(&frame)) {
            wire.push_frame(arrival, frame);
        }
    }

    #[inline(always)]
    fn transmit_control(&mut self, now: u64, bytes: u64) -> u64 {
        self.control_hops += 1;
        self.control_bytes += bytes;
        let arrival = self.transmit(now, bytes as u32);
        self.control_until = self.free_at;
        arrival
    }

    #[inline(always)]
    fn transmit(&mut self, now: u64, size: u32) -> u64 {
        self.free_at = now + self.serialiser.transmit(size).as_nanos();
        self.sent_bytes += u64::from(size);
        self.free_at + self.delay
    }

    /// Of the packet that is in transmission at `now`, the bytes that have not left yet; none if there is no such packet.
    pub fn left_of_packet(&self, now: u64) -> Option<u64> {
        let left_ns = self.free_at.saturating_sub(now);
        if left_ns == 0 || self.control_until == self.free_at {
            return None;
        }
        let before = self.before.as_ref().filter(|before| before.0 == self.free_at);
        let rate = before.map_or(self.capacity(), |before| before.1);
        Some(left_ns.saturating_mul(rate.as_bps()).saturating_add(BYTE_NS_BPS / 2) / BYTE_NS_BPS)
    }

    /// Since when the link has had something to send at all times; none if it has nothing at `now`.
    pub fn busy_since(&self, now: u64, queue_empty: bool) -> Option<u64> {
        let idle = queue_empty && self.frames.is_empty() && self.free_at < now;
        (!idle).then_some(self.busy_since)
    }

    pub fn control_hops(&self) -> u64 {
        self.control_hops
    }

    pub fn control_bytes(&self) -> u64 {
        self.control_bytes
    }

    /// Bytes of all packets that it has begun to send.
    #[inline(always)]
    pub fn data_bytes(&self) -> u64 {
        self.sent_bytes - self.control_bytes
    }

    pub fn hops(&self) -> u64 {
        self.data_hops + self.control_hops
    }

    pub fn measured_bytes(&self) -> u64 {
        self.sent_bytes - self.unmeasured_bytes
    }

    /// The warm-up is over.
    pub fn begin_measuring(&mut self) {
        self.unmeasured_bytes = self.sent_bytes;
    }

    /// Ends a row: bytes sent in it.
    pub fn close_row(&mut self) -> u32 {
        let row = self.sent_bytes - self.earlier_bytes;
        self.earlier_bytes = self.sent_bytes;
        u32::try_from(row).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::wire::Outages;
    use fairwire_core::Span;

    /// 1000 bytes take 1 ms at 8 Mb/s. What is being sent is sent to its end as it began, whatever the link carries then.
    #[test]
    fn what_is_left_of_a_packet_goes_by_the_rate_at_which_it_is_sent() {
        let plan = LinkPlan { capacity: BitRate::from_mbps(8), delay: Span::ZERO };
        let (mut link, mut wire) = (OutgoingLink::new(&plan), Wire::new(1, Outages::none()));
        assert_eq!(link.left_of_packet(0), None);
        assert!(link.send_packet::<false>(0, Packet::new(0, 0, 1_000, 2), &mut wire));
        assert_eq!(link.left_of_packet(250_000), Some(750));
        link.set_capacity(500_000, BitRate::from_mbps(16));
        assert_eq!([500_000, 900_000].map(|now| link.left_of_packet(now)), [Some(500), Some(100)]);
        link.set_capacity(600_000, BitRate::from_mbps(4));
        assert_eq!(link.left_of_packet(900_000), Some(100), "another change is none of it");
        // The next one takes 2 ms.
        assert!(link.send_packet::<false>(1_000_000, Packet::new(0, 0, 1_000, 2), &mut wire));
        assert_eq!((link.free_at(), link.left_of_packet(2_000_000)), (3_000_000, Some(500)));
    }
}
