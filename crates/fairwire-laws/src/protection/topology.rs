//! Who can be reached, and which way.

use super::database::Database;
use super::{Request, Side, TopologyChecksum};
use crate::frame::Address;
use crc::{CRC_32_ISO_HDLC, Crc, Table};
use fairwire_core::Ringlet;

const CHECKSUM: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISO_HDLC);

/// A station and what it asks for its spans, by side.
type Heard = (Address, [Request; 2]);

/// The stations that data can reach, and how they lie.
///
/// Everybody who has heard the same says the same: a closed ring begins at its
/// lowest address, an open one at its western end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// In the direction of ringlet 0, our own included.
    stations: Vec<Address>,
    closed: bool,
    here: usize,
    /// Whether a request keeps us off our span, by side.
    edges: [bool; 2],
    highest: Request,
}

impl Topology {
    /// What follows from what `own` has heard.
    pub(super) fn of(own: Address, database: &Database) -> Self {
        let us = (own, database.requests(own));
        let (mut east, mut west) = (walk(us, Side::East, database), walk(us, Side::West, database));
        // Whoever lies on both sides closes the ring, though one of the ways may not be known to its end.
        let mut hops_west: Vec<(Address, usize)> = west.iter().map(|(station, _)| *station).zip(0..).collect();
        hops_west.sort_unstable();
        let meeting = east.iter().enumerate().rev().find_map(|(at, (station, _))| {
            let known = hops_west.binary_search_by_key(station, |(station, _)| *station).ok()?;
            Some((at, hops_west[known].1))
        });
        if let Some((east_end, west_end)) = meeting {
            east.truncate(east_end + 1);
            west.truncate(west_end);
        }
        let (here, closed) = (west.len(), meeting.is_some());
        let (stations, requests): (Vec<_>, Vec<_>) = west.into_iter().rev().chain([us]).chain(east).unzip();
        let mut topology = Self { stations, closed, here, edges: [false; 2], highest: Request::Idle };
        topology.take_one_span_out(&requests);
        if topology.closed {
            let first = (0..topology.stations.len()).min_by_key(|&at| topology.stations[at]).unwrap_or(0);
            topology.begin_at(first);
        }
        topology.edges = Side::BOTH.map(|side| {
            let beyond = database.at(side, 1).map_or(Request::Idle, |near| database.request(near, side.opposite()));
            topology.ends_at(side) && database.request(own, side).max(beyond) > Request::Idle
        });
        topology
    }

    /// Where nothing stands beside others, the highest request on the ring takes its span out. `requests` are those of all
    /// stations.
    fn take_one_span_out(&mut self, requests: &[[Request; 2]]) {
        let last = self.stations.len() - 1;
        let request = |at: usize, side: Side| requests[at][side.index()];
        // By the station at the western end of each span.
        let inner = |at: usize| request(at, Side::East).max(request((at + 1) % (last + 1), Side::West));
        let spans = if self.closed { 0..last + 1 } else { 0..last };
        let outer = if self.closed { Request::Idle } else { request(0, Side::West).max(request(last, Side::East)) };
        let foremost = Request::foremost(spans.map(|at| ((self.stations[at], at), inner(at))));
        let highest_inner = foremost.map_or(Request::Idle, |(_, request)| request);
        self.highest = highest_inner.max(outer);
        if let Some(((_, at), _)) = foremost.filter(|_| highest_inner > outer) {
            self.open_after(at);
        }
    }

    fn open_after(&mut self, at: usize) {
        if self.closed {
            self.begin_at((at + 1) % self.stations.len());
            self.closed = false;
        } else if self.here <= at {
            self.stations.truncate(at + 1);
        } else {
            self.stations.drain(..=at);
            self.here -= at + 1;
        }
    }

    fn begin_at(&mut self, first: usize) {
        let stations = self.stations.len();
        self.stations.rotate_left(first);
        self.here = (self.here + stations - first) % stations;
    }

    /// The stations in the direction of ringlet 0: of a closed ring from the
    /// lowest address, else from the western end.
    pub fn stations(&self) -> &[Address] {
        &self.stations
    }

    /// Whether every span between them is in use.
    pub const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Links from here to `destination` on `ringlet`, if it is reached that way
    /// without a wrap; 0 for ourselves.
    pub fn hops(&self, destination: Address, ringlet: Ringlet) -> Option<usize> {
        let there = self.stations.iter().position(|station| *station == destination)?;
        match (self.closed, ringlet) {
            (true, _) => Some(ringlet.hops(self.here, there, self.stations.len())),
            (false, Ringlet::Zero) => there.checked_sub(self.here),
            (false, Ringlet::One) => self.here.checked_sub(there),
        }
    }

    /// Whether a request keeps us off our span on `side`.
    pub const fn is_edge(&self, side: Side) -> bool {
        self.edges[side.index()]
    }

    /// The last station on `side` and how far away it is, unless the ring is closed.
    pub(super) fn end(&self, side: Side) -> Option<(Address, usize)> {
        let last = self.stations.len() - 1;
        let (end, hops) = match side {
            Side::West => (0, self.here),
            Side::East => (last, last - self.here),
        };
        (!self.closed).then(|| (self.stations[end], hops))
    }

    /// Whether we are the last one on `side`.
    pub(super) fn ends_at(&self, side: Side) -> bool {
        self.end(side).is_some_and(|(_, hops)| hops == 0)
    }

    /// The highest request on the ring.
    pub const fn highest_request(&self) -> Request {
        self.highest
    }

    /// What neighbours compare.
    pub fn checksum(&self) -> TopologyChecksum {
        let mut digest = CHECKSUM.digest();
        digest.update(&[self.closed.into()]);
        self.stations.iter().for_each(|station| digest.update(&station.0));
        TopologyChecksum(digest.finalize())
    }
}

/// The stations on `side` of `own` as far as no request that stands beside others bars
/// the way, nearest first.
fn walk(own: Heard, side: Side, database: &Database) -> Vec<Heard> {
    let bars = |(_, requests): &Heard, side: Side| requests[side.index()].stands_beside_others();
    let mut met = Vec::new();
    let mut last = own;
    while !bars(&last, side)
        && let Some(station) = database.at(side, met.len() + 1)
    {
        last = (station, database.requests(station));
        if bars(&last, side.opposite()) {
            break;
        }
        met.push(last);
    }
    met
}
