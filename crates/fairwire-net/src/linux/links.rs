//! The check of the links: packets one by one over idle ways, from socket to socket, and then a stream over each.

use super::stage::Stage;
use super::streams::{Stream, send_streams};
use crate::error::NetError;
use crate::fidelity::LinkCheck;
use crate::frame::UDP_HEADER_BYTES;
use crate::layout::{address, port};
use crate::options::Carried;
use fairwire_core::{BitRate, Bytes, Instant, Span};
use fairwire_plan::{NetworkPlan, RingPlan};
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant as Clock};

/// So many ways are checked.
const MOST_WAYS: usize = 8;
/// So many packets a way.
const PACKETS: u64 = 9;
/// What a packet may take longer than its links do twice over.
const LONGER: Span = Span::from_millis(4);
/// Size of a packet, unless the ring or network has none as large.
const SIZE: u64 = 500;

/// A flow's way with a socket at either end.
pub struct SocketPath {
    pub(super) flow: String,
    pub(super) sender: UdpSocket,
    pub(super) receiver: UdpSocket,
    pub(super) size_bytes: u64,
    /// What its links add up to: spans and transmission times.
    pub(super) expected: Span,
    pub(super) stream: Stream,
}

impl SocketPath {
    /// When all packets of all ways have arrived, or nobody waits for them any more.
    pub fn all_done(ways: &[Self]) -> Instant {
        let one_by_one: Span = ways.iter().map(|way| way.patience() * PACKETS).sum();
        let streams: Span = ways.iter().map(|way| way.stream.lasts(way.expected)).sum();
        Instant::ZERO + one_by_one + streams + Span::from_millis(20)
    }

    /// So long a packet is waited for.
    fn patience(&self) -> Span {
        LONGER + self.expected + self.expected
    }

    /// What a packet carries.
    pub(super) fn contents(&self, number: u64) -> Vec<u8> {
        let mut contents = vec![0; (self.size_bytes as usize).saturating_sub(UDP_HEADER_BYTES).max(8)];
        contents[..8].copy_from_slice(&number.to_le_bytes());
        contents
    }
}

/// The ways of the first flows of different pairs. The calling thread is back home afterwards.
pub fn ways(carried: &Carried, stage: &Stage) -> Result<Vec<SocketPath>, NetError> {
    let size_bytes = SIZE.min(carried.largest_packet());
    let mut pairs = Vec::new();
    let mut ways = Vec::new();
    for (flow, ends) in stage.layout.flows.iter().enumerate() {
        if ways.len() == MOST_WAYS || pairs.contains(&(ends.from, ends.to)) {
            continue;
        }
        pairs.push((ends.from, ends.to));
        let links = match carried {
            Carried::Ring(ring) => over_ring(ring.plan(), flow),
            Carried::Network(network) => over_network(network.plan(), flow),
        };
        let size = Bytes::new(size_bytes);
        let expected = links.iter().map(|(delay, capacity)| *delay + size / *capacity).sum();
        let slowest = links.iter().map(|(_, capacity)| *capacity).min().unwrap_or(ends.line);
        let doing = NetError::system;
        let to = SocketAddrV4::new(Ipv4Addr::from_bits(address(ends.to)), port(flow));
        stage.stations[usize::from(ends.to)].go()?;
        let receiver = UdpSocket::bind(to).map_err(doing("opening a socket to check links"))?;
        stage.stations[usize::from(ends.from)].go()?;
        let from = SocketAddrV4::new(Ipv4Addr::from_bits(address(ends.from)), 0);
        let sender = UdpSocket::bind(from).map_err(doing("opening a socket to check links"))?;
        sender.connect(to).map_err(doing("connecting a socket to check links"))?;
        let (flow, stream) = (ends.name.clone(), Stream::over(slowest, size));
        ways.push(SocketPath { flow, sender, receiver, size_bytes, expected, stream });
    }
    stage.home.go()?;
    Ok(ways)
}

/// Delay and capacity of the links that a flow takes.
fn over_ring(plan: &RingPlan, flow: usize) -> Vec<(Span, BitRate)> {
    let flow = &plan.flows[flow];
    let (stations, links) = (plan.stations.len(), &plan.links[flow.ringlet.index()]);
    let mut station = flow.from.index();
    let mut taken = Vec::new();
    while station != flow.to.index() {
        taken.push((links[station].delay, links[station].capacity));
        station = flow.ringlet.downstream(station, stations);
    }
    taken
}

/// The same in a network.
fn over_network(plan: &NetworkPlan, flow: usize) -> Vec<(Span, BitRate)> {
    let links = plan.flows[flow].route.iter().map(|link| &plan.links[*link as usize]);
    links.map(|link| (link.delay, link.capacity_at(Instant::ZERO))).collect()
}

/// Sends the packets, one way after the other, and takes the times that they need; by the machine's own clock.
pub fn check_links(ways: &[SocketPath], finished: &AtomicBool) -> LinkCheck {
    let mut check = LinkCheck { ways: ways.len(), ..LinkCheck::default() };
    let mut off = 0;
    for way in ways {
        let mut times = Vec::new();
        for number in 0..PACKETS {
            if finished.load(Ordering::Acquire) {
                break;
            }
            let patience = Duration::from_nanos(way.patience().as_nanos());
            check.sent += 1;
            if let Some(took) = send_one(way, number, patience) {
                times.push(took);
            }
        }
        check.arrived += times.len() as u64;
        times.sort_unstable();
        let [Some(least), Some(median)] = [times.first(), times.get(times.len() / 2)] else { continue };
        let [least, median] = [least, median].map(|time| time.as_nanos() as u64);
        let expected = way.expected.as_nanos();
        if least.abs_diff(expected) >= off {
            off = least.abs_diff(expected);
            check.worst_flow = Some(way.flow.clone());
            (check.expected_ns, check.measured_ns, check.least_ns) = (expected, median, least);
        }
    }
    send_streams(ways, finished, &mut check);
    check
}

/// Sends a packet and waits for it: how long it was on its way.
fn send_one(way: &SocketPath, number: u64, patience: Duration) -> Option<Duration> {
    let contents = way.contents(number);
    let begun = Clock::now();
    way.sender.send(&contents).ok()?;
    loop {
        let left = patience.checked_sub(begun.elapsed()).filter(|left| !left.is_zero())?;
        way.receiver.set_read_timeout(Some(left)).ok()?;
        let mut received = [0; 8];
        // One that was given up may come after all.
        if way.receiver.recv(&mut received).is_ok() && received == number.to_le_bytes() {
            return Some(begun.elapsed());
        }
    }
}
