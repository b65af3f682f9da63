//! What a station has heard: who lies how far away on which side, and what each
//! says of its spans.

use super::topology_report::TopologyReport;
use super::{Params, Request, Side};
use crate::frame::Address;
use fairwire_core::{Instant, Span};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub struct Database {
    own: Address,
    /// By side and by hops less one: who lies there, and when it was last heard.
    places: [Vec<Option<(Address, Instant)>>; 2],
    /// The latest word of each station and when it came, our own included.
    reports: BTreeMap<Address, (TopologyReport, Instant)>,
    lifetime: Span,
    /// An older word that comes within so long of a newer one came the longer way.
    detour: Span,
}

/// What a report brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Nothing new.
    None,
    /// Something has changed.
    Changed,
    /// A span carries again, or a station has started anew: there may be somebody
    /// who has not heard of us.
    Revived,
}

impl Database {
    pub fn new(own: Address, params: &Params) -> Self {
        let reports = BTreeMap::from([(own, (TopologyReport::default(), Instant::ZERO))]);
        let (lifetime, detour) = (params.lifetime(), params.fast_timer * 2);
        Self { own, places: [Vec::new(), Vec::new()], reports, lifetime, detour }
    }

    /// Our own word changes.
    pub fn say(&mut self, now: Instant, report: TopologyReport) {
        self.reports.insert(self.own, (report, now));
    }

    /// `source`, another station `hops` away on `side`, says this.
    pub fn record(&mut self, now: Instant, side: Side, hops: usize, source: Address, report: TopologyReport) -> News {
        let moved = self.place(now, side, hops, source);
        match self.believe(now, source, report) {
            News::None if moved => News::Changed,
            news => news,
        }
    }

    /// Tells whether `source` was not known to lie there.
    fn place(&mut self, now: Instant, side: Side, hops: usize, source: Address) -> bool {
        let row = &mut self.places[side.index()];
        if row.len() < hops {
            row.resize(hops, None);
        }
        let is_source = |place: &Option<(Address, Instant)>| place.is_some_and(|(known, _)| known == source);
        let moved = !is_source(&row[hops - 1]);
        if moved {
            row.iter_mut().filter(|place| is_source(place)).for_each(|place| *place = None);
        }
        row[hops - 1] = Some((source, now));
        moved
    }

    fn believe(&mut self, now: Instant, source: Address, report: TopologyReport) -> News {
        let Some(&(known, since)) = self.reports.get(&source) else {
            self.reports.insert(source, (report, now));
            return News::Changed;
        };
        let backwards = report.is_older_than(&known);
        if known == report || (backwards && now.since(since) < self.detour) {
            return News::None;
        }
        self.reports.insert(source, (report, now));
        let fails = |report: &TopologyReport| report.requests.map(|request| request >= Request::SignalFail);
        let mended = fails(&known).iter().zip(fails(&report)).any(|(before, now)| *before && !now);
        if mended || backwards { News::Revived } else { News::Changed }
    }

    /// Who lies `hops` away on `side`.
    pub fn at(&self, side: Side, hops: usize) -> Option<Address> {
        self.places[side.index()].get(hops - 1).copied().flatten().map(|(address, _)| address)
    }

    /// What `station` asks for its span on `side`.
    pub fn request(&self, station: Address, side: Side) -> Request {
        self.requests(station)[side.index()]
    }

    /// What `station` asks for its spans, by side.
    pub fn requests(&self, station: Address) -> [Request; 2] {
        self.reports.get(&station).map_or([Request::Idle; 2], |(report, _)| report.requests)
    }

    /// Nothing comes from beyond `hops` on `side` any more.
    pub fn forget_beyond(&mut self, side: Side, hops: usize) {
        self.places[side.index()].truncate(hops);
        self.drop_the_unplaced();
    }

    /// Forgets who has been silent for too long. Tells whether anybody has.
    pub fn expire(&mut self, now: Instant) -> bool {
        let mut any = false;
        for place in self.places.iter_mut().flatten() {
            if place.is_some_and(|(_, heard)| now >= heard + self.lifetime) {
                *place = None;
                any = true;
            }
        }
        if any {
            self.drop_the_unplaced();
        }
        any
    }

    fn drop_the_unplaced(&mut self) {
        let placed: Vec<Address> = self.places.iter().flatten().flatten().map(|(address, _)| *address).collect();
        self.reports.retain(|address, _| *address == self.own || placed.contains(address));
    }
}
