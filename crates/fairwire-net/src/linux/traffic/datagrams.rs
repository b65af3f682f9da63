//! Datagrams at the times of the simulator's sources.

use crate::error::NetError;
use crate::frame::UDP_HEADER_BYTES;
use crate::layout::{address, port};
use crate::linux::stage::Stage;
use crate::stamp;
use fairwire_core::Instant;
use fairwire_sim::DatagramMaker;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};

/// No datagram carries more.
const MOST_CONTENTS: usize = 1 << 16;

/// All senders of datagrams.
pub struct Datagrams {
    senders: Vec<Sender>,
    /// Who sends next, and when.
    next: BinaryHeap<Reverse<(Instant, usize)>>,
    /// Sockets that take what arrives; what nobody reads is thrown away by the kernel.
    receivers: Vec<Option<UdpSocket>>,
    /// What a datagram carries: zeros behind its stamp.
    contents: Vec<u8>,
    due: u64,
    not_sent: u64,
}

struct Sender {
    maker: DatagramMaker,
    socket: UdpSocket,
}

impl Datagrams {
    /// None.
    pub fn new() -> Self {
        Self {
            senders: Vec::new(),
            next: BinaryHeap::new(),
            receivers: Vec::new(),
            contents: vec![0; MOST_CONTENTS],
            due: 0,
            not_sent: 0,
        }
    }

    /// Adds a micro-flow of `flow`. The calling thread is in some station's namespace afterwards.
    pub fn add(&mut self, stage: &Stage, flow: usize, maker: DatagramMaker) -> Result<(), NetError> {
        let ends = &stage.layout.flows[flow];
        let doing = NetError::system;
        let to = SocketAddrV4::new(Ipv4Addr::from_bits(address(ends.to)), port(flow));
        if self.receivers.len() <= flow {
            self.receivers.resize_with(flow + 1, || None);
        }
        if self.receivers[flow].is_none() {
            stage.stations[usize::from(ends.to)].go()?;
            let receiver = UdpSocket::bind(to).map_err(doing("opening a receiver's socket"))?;
            self.receivers[flow] = Some(receiver);
        }
        stage.stations[usize::from(ends.from)].go()?;
        let from = SocketAddrV4::new(Ipv4Addr::from_bits(address(ends.from)), 0);
        let socket = UdpSocket::bind(from).map_err(doing("opening a sender's socket"))?;
        socket.connect(to).map_err(doing("connecting a sender's socket"))?;
        socket.set_nonblocking(true).map_err(doing("setting up a sender's socket"))?;
        self.next.push(Reverse((maker.next_at(), self.senders.len())));
        self.senders.push(Sender { maker, socket });
        Ok(())
    }

    /// When the next datagram is due.
    pub fn next_at(&self) -> Instant {
        self.next.peek().map_or(Instant::NEVER, |Reverse((at, _))| *at)
    }

    /// Sends what is due before `until`, each datagram with the time at which it is due.
    pub fn send_due(&mut self, until: Instant) {
        while let Some(Reverse((at, number))) = self.next.peek().copied()
            && at < until
        {
            self.next.pop();
            let Sender { maker, socket } = &mut self.senders[number];
            let payload = usize::from(maker.take()).saturating_sub(UDP_HEADER_BYTES);
            self.due += 1;
            let contents = &mut self.contents[..payload];
            stamp::put(contents, at);
            self.not_sent += u64::from(socket.send(contents).is_err());
            self.next.push(Reverse((maker.next_at(), number)));
        }
    }

    /// How many were due before `end`, and how many of these were not sent.
    pub fn count_until(mut self, end: Instant) -> (u64, u64) {
        for sender in &mut self.senders {
            while sender.maker.next_at() < end {
                sender.maker.take();
                self.due += 1;
                self.not_sent += 1;
            }
        }
        (self.due, self.not_sent)
    }
}
