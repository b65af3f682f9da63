//! When links are dead.
//!
//! A plan tells all cuts in advance, so that a wire knows of what is put on it
//! whether it arrives: not if the wire is dead at any time on the way.

use fairwire_core::{Ringlet, StationId};
use fairwire_plan::{RingChange, RingPlan};

/// When one link is dead.
#[derive(Clone, Debug)]
pub struct Outages {
    /// From when on and until before when, in order.
    spans: Vec<(u64, u64)>,
    /// Nothing is wrong before.
    first: u64,
}

impl Outages {
    /// Never.
    pub fn none() -> Self {
        Self { spans: Vec::new(), first: u64::MAX }
    }

    /// Whatever arrives before arrives: there is no outage until then.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Whether what is sent at `sent` arrives at `arrival`.
    #[cold]
    pub fn spares(&self, sent: u64, arrival: u64) -> bool {
        self.spans.iter().all(|&(from, until)| arrival < from || sent >= until)
    }
}

/// When the link of `ringlet` that leaves `station` is dead.
pub fn outages(plan: &RingPlan, ringlet: Ringlet, station: usize) -> Outages {
    let next = ringlet.downstream(station, plan.stations.len());
    // A span has the number of the station at its western end.
    let span = if ringlet == Ringlet::Zero { station } else { next };
    let mut events: Vec<_> = plan.protection.iter().flat_map(|protection| protection.events.iter().copied()).collect();
    events.sort_by_key(|event| event.at);
    let is = |id: StationId, number: usize| id.index() == number;
    let (mut cut, mut down, mut dead_since) = (false, [false; 2], None);
    let mut spans = Vec::new();
    for event in events {
        match event.change {
            RingChange::Cut(at) if is(at, span) => cut = true,
            RingChange::Restore(at) if is(at, span) => cut = false,
            RingChange::StationDown(at) | RingChange::StationUp(at) => {
                let off = matches!(event.change, RingChange::StationDown(_));
                [station, next]
                    .into_iter()
                    .zip(&mut down)
                    .filter(|(end, _)| is(at, *end))
                    .for_each(|(_, down)| *down = off);
            }
            _ => {}
        }
        let dead = cut || down[0] || down[1];
        match dead_since {
            None if dead => dead_since = Some(event.at.as_nanos()),
            Some(since) if !dead => {
                spans.push((since, event.at.as_nanos()));
                dead_since = None;
            }
            _ => {}
        }
    }
    spans.extend(dead_since.map(|since| (since, u64::MAX)));
    Outages { first: spans.first().map_or(u64::MAX, |span| span.0), spans }
}
