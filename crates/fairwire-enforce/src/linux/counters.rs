//! Counters of a device's classes, by rtnetlink: one question, some tens of microseconds.

use crate::counts::{ClassCount, ClassCounts};
use netlink_packet_core::{
    Emitable, NLM_F_DUMP, NLM_F_REQUEST, NLMSG_DONE, NLMSG_ERROR, NetlinkBuffer, NetlinkHeader, NlasIterator,
};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// `RTM_NEWTCLASS` and `RTM_GETTCLASS` of linux/rtnetlink.h.
const NEW_CLASS: u16 = 40;
const GET_CLASS: u16 = 42;
/// `TCA_STATS2` there, and `TCA_STATS_BASIC` and `TCA_STATS_QUEUE` of linux/gen_stats.h.
const STATS: u16 = 7;
const BASIC: u16 = 1;
const QUEUE: u16 = 3;

const HEADER_BYTES: usize = 16;
/// A `tcmsg`: family and padding, device, handle, parent, info.
const CLASS_BYTES: usize = 20;
/// The kernel sends no larger piece of an answer.
const LARGEST_ANSWER: usize = 64 << 10;

/// A socket on which the kernel answers.
pub struct Counters {
    socket: OwnedFd,
    answer: Vec<u8>,
    asked: u32,
}

impl Counters {
    /// Opens the socket.
    pub fn open() -> io::Result<Self> {
        let protocol = SockProtocol::NetlinkRoute;
        let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, protocol)?;
        Ok(Self { socket, answer: vec![0; LARGEST_ANSWER], asked: 0 })
    }

    /// What the classes of a device have counted, by the lower half of their ids.
    pub fn of_device(&mut self, device: u32) -> io::Result<ClassCounts> {
        self.asked = self.asked.wrapping_add(1);
        send(self.socket.as_raw_fd(), &question(device, self.asked), MsgFlags::empty())?;
        let mut counts = ClassCounts::new();
        loop {
            let length = recv(self.socket.as_raw_fd(), &mut self.answer, MsgFlags::empty())?;
            if take_in(&self.answer[..length], self.asked, &mut counts)? {
                return Ok(counts);
            }
        }
    }
}

fn question(device: u32, number: u32) -> [u8; HEADER_BYTES + CLASS_BYTES] {
    let mut question = [0; HEADER_BYTES + CLASS_BYTES];
    let mut header = NetlinkHeader::default();
    header.length = question.len() as u32;
    header.message_type = GET_CLASS;
    header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    header.sequence_number = number;
    header.emit(&mut question[..HEADER_BYTES]);
    question[HEADER_BYTES + 4..][..4].copy_from_slice(&device.to_ne_bytes());
    question
}

/// Takes in a piece of the answer to a question: whether it was the last one.
fn take_in(mut piece: &[u8], asked: u32, counts: &mut ClassCounts) -> io::Result<bool> {
    while !piece.is_empty() {
        let message = NetlinkBuffer::new_checked(piece).map_err(io::Error::other)?;
        let (kind, length) = (message.message_type(), message.length() as usize);
        if message.sequence_number() == asked {
            match kind {
                NLMSG_DONE => return Ok(true),
                NLMSG_ERROR => return Err(refusal(message.payload())),
                NEW_CLASS => counts.extend(class(message.payload())),
                _ => {}
            }
        }
        // Messages begin at multiples of four bytes.
        piece = &piece[length.next_multiple_of(4).min(piece.len())..];
    }
    Ok(false)
}

/// A negative number of an error comes first.
fn refusal(payload: &[u8]) -> io::Error {
    let number = payload.first_chunk().map_or(0, |bytes| i32::from_ne_bytes(*bytes));
    io::Error::from_raw_os_error(-number)
}

/// The lower half of a class's id, and its counts.
fn class(payload: &[u8]) -> Option<(u16, ClassCount)> {
    let (message, attributes) = payload.split_at_checked(CLASS_BYTES)?;
    let handle = u32_at(message, 8)?;
    let stats = attribute(attributes, STATS)?;
    let (basic, queue) = (attribute(stats, BASIC)?, attribute(stats, QUEUE)?);
    let (sent_bytes, sent_packets) = (u64::from_ne_bytes(*basic.first_chunk()?), u32_at(basic, 8)?);
    let [waiting_packets, waiting_bytes, dropped] = [u32_at(queue, 0)?, u32_at(queue, 4)?, u32_at(queue, 8)?];
    Some((handle as u16, ClassCount { sent_bytes, sent_packets, waiting_bytes, waiting_packets, dropped }))
}

fn attribute(attributes: &[u8], kind: u16) -> Option<&[u8]> {
    let found = NlasIterator::new(attributes).flatten().find(|attribute| attribute.kind() == kind)?;
    let (value, length) = (found.into_inner(), usize::from(found.length()));
    value.get(4..length)
}

fn u32_at(bytes: &[u8], place: usize) -> Option<u32> {
    bytes.get(place..)?.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message with a payload, or the value of an attribute behind its kind, whose length counts the head.
    fn message(kind: u16, number: u32, payload: &[u8]) -> Vec<u8> {
        let mut header = NetlinkHeader::default();
        (header.length, header.message_type) = ((HEADER_BYTES + payload.len()) as u32, kind);
        header.sequence_number = number;
        let mut bytes = vec![0; HEADER_BYTES];
        header.emit(&mut bytes);
        [&bytes[..], payload].concat()
    }

    fn attribute_of(kind: u16, value: &[u8]) -> Vec<u8> {
        let length = 4 + value.len() as u16;
        let mut bytes = [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), value].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    /// As many packets were sent as bytes wait.
    fn class_of(handle: u32, sent: u64, queue: [u32; 5]) -> Vec<u8> {
        let mut payload = vec![0; CLASS_BYTES];
        payload[8..12].copy_from_slice(&handle.to_ne_bytes());
        let basic = [&sent.to_ne_bytes()[..], &queue[1].to_ne_bytes(), &[0; 4]].concat();
        let queue = queue.map(u32::to_ne_bytes).concat();
        payload.extend(attribute_of(1, b"htb\0"));
        payload.extend(attribute_of(STATS, &[attribute_of(BASIC, &basic), attribute_of(QUEUE, &queue)].concat()));
        payload
    }

    #[test]
    fn an_answer_in_pieces_is_read_to_its_end_and_old_answers_are_left_out() {
        let mut counts = ClassCounts::new();
        let other = message(NEW_CLASS, 6, &class_of(0x0001_0010, 1, [1; 5]));
        let own = message(NEW_CLASS, 7, &class_of(0x0001_0011, 1 << 40, [3, 4_500, 2, 0, 0]));
        assert!(!take_in(&[other, own].concat(), 7, &mut counts).unwrap());
        assert!(take_in(&message(NLMSG_DONE, 7, &[0; 4]), 7, &mut counts).unwrap());
        let sent = ClassCount { sent_bytes: 1 << 40, sent_packets: 4_500, ..ClassCount::default() };
        let count = ClassCount { waiting_bytes: 4_500, waiting_packets: 3, dropped: 2, ..sent };
        assert_eq!(counts, ClassCounts::from([(0x11, count)]));
    }

    #[test]
    fn what_the_kernel_refuses_is_an_error() {
        let refused = message(NLMSG_ERROR, 7, &(-19i32).to_ne_bytes());
        let error = take_in(&refused, 7, &mut ClassCounts::new()).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(19));
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let whole =
            [message(NEW_CLASS, 7, &class_of(0x0001_0010, 9, [1; 5])), message(NLMSG_DONE, 7, &[0; 4])].concat();
        for length in 0..whole.len() {
            let _ = take_in(&whole[..length], 7, &mut ClassCounts::new());
        }
        for place in 0..whole.len() {
            for value in [0, 1, 3, 255] {
                let mut other = whole.clone();
                other[place] = value;
                let _ = take_in(&other, 7, &mut ClassCounts::new());
            }
        }
    }
}
