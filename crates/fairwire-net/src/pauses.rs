//! How long connections stood still when something happened to the ring.
//!
//! A pause is the longest time from one segment of a connection to the next, as both arrive at its destination, among those
//! that begin after the event or last while it happens, and before the next event. Connections that bring nothing before an
//! event have none of it.

use crate::options::Carried;
use fairwire_core::{Instant, Span, StationId};
use fairwire_plan::RingChange;
use serde::Serialize;
use std::collections::BTreeMap;

/// One connection's pause at one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pause {
    /// What happened, as `cut 3-4`, `restore 3-4`, `station-down 3` or `station-up 3`.
    pub event: String,
    /// When, in ns of the run's clock.
    pub at_ns: u64,
    /// The connection's flow.
    pub flow: String,
    /// Its sender's port.
    pub port: u16,
    /// How long nothing of it arrived.
    pub pause_ns: u64,
    /// Whether anything of it arrived afterwards.
    pub resumed: bool,
}

/// Watches connections.
#[derive(Clone, Debug, Default)]
pub struct Pauses {
    events: Vec<(Instant, String)>,
    connections: BTreeMap<(usize, u32), Watched>,
}

#[derive(Clone, Debug)]
struct Watched {
    last: Instant,
    /// The longest gap of each event so far, and whether it is over.
    longest: Vec<Option<(Span, bool)>>,
}

impl Pauses {
    /// At the events of what is carried; there are some on rings with protection.
    pub fn of(carried: &Carried) -> Self {
        let plan = carried.ring_plan();
        let stations = plan.map_or(0, |plan| plan.stations.len());
        let events =
            plan.and_then(|plan| plan.protection.as_ref()).into_iter().flat_map(|protection| &protection.events);
        let mut events: Vec<_> = events.map(|event| (event.at, name(event.change, stations))).collect();
        events.sort_by_key(|(at, _)| *at);
        Self { events, connections: BTreeMap::new() }
    }

    /// Whether there is anything to watch.
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// A segment of a connection has arrived.
    pub fn arrive(&mut self, flow: usize, connection: u32, at: Instant) {
        let count = self.events.len();
        let fresh = || Watched { last: at, longest: vec![None; count] };
        let watched = self.connections.entry((flow, connection)).or_insert_with(fresh);
        watched.see(&self.events, at, true);
        watched.last = at;
    }

    /// The run has ended: all pauses, in order of events, flows and ports.
    pub fn end(mut self, end: Instant, flows: &[String]) -> Vec<Pause> {
        self.connections.values_mut().for_each(|watched| watched.see(&self.events, end, false));
        let mut all = Vec::new();
        for (place, (at, event)) in self.events.iter().enumerate() {
            for ((flow, connection), watched) in &self.connections {
                let Some((pause, resumed)) = watched.longest[place] else { continue };
                all.push(Pause {
                    event: event.clone(),
                    at_ns: at.as_nanos(),
                    flow: flows[*flow].clone(),
                    port: (connection >> 16) as u16,
                    pause_ns: pause.as_nanos(),
                    resumed,
                });
            }
        }
        all
    }
}

impl Watched {
    /// Nothing has come since the last time until `at`; whether something `came` then.
    fn see(&mut self, events: &[(Instant, String)], at: Instant, came: bool) {
        let gap = at.since(self.last);
        // The first event in the gap, or else the last one before it.
        let after = events.partition_point(|(event, _)| *event <= self.last);
        let within = events.get(after).is_some_and(|(event, _)| *event <= at);
        let place = if within { Some(after) } else { after.checked_sub(1) };
        let Some(place) = place else { return };
        // Of an event before its first segment a connection knows nothing.
        let longest = &mut self.longest[place];
        if longest.is_none_or(|(known, _)| gap > known) && gap > Span::ZERO {
            *longest = Some((gap, came));
        }
    }
}

fn name(change: RingChange, stations: usize) -> String {
    let next = |at: StationId| (at.index() + 1) % stations.max(1);
    match change {
        RingChange::Cut(at) => format!("cut {at}-{}", next(at)),
        RingChange::Restore(at) => format!("restore {at}-{}", next(at)),
        RingChange::StationDown(at) => format!("station-down {at}"),
        RingChange::StationUp(at) => format!("station-up {at}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn spans_are_named_by_both_ends_and_the_last_one_leads_to_the_first() {
        let station = StationId(5);
        let names = [RingChange::Cut(StationId(2)), RingChange::Restore(station), RingChange::StationDown(station)];
        assert_eq!(names.map(|change| name(change, 6)), ["cut 2-3", "restore 5-0", "station-down 5"]);
    }

    #[test]
    fn the_longest_silence_from_an_event_to_the_next_is_its_pause() {
        let events = vec![(at(100), "cut 3".to_owned()), (at(500), "restore 3".to_owned())];
        let mut pauses = Pauses { events, ..Pauses::default() };
        // Silent for 60 ms before the cut, which is nobody's business, then for 250 from before the cut on.
        for ms in [10, 70, 90, 340, 350, 400, 490] {
            pauses.arrive(0, 7 << 16, at(ms));
        }
        // One that begins after the cut and is silent from before the restoration on, to the end.
        for ms in [200, 210, 220] {
            pauses.arrive(1, 9 << 16, at(ms));
        }
        let told = pauses.end(at(600), &["a".to_owned(), "b".to_owned()]);
        let short =
            |pause: &Pause| (pause.flow.clone(), pause.event.clone(), pause.pause_ns / 1_000_000, pause.resumed);
        let told: Vec<_> = told.iter().map(short).collect();
        let row = |flow: &str, event: &str, ms, resumed| (flow.to_owned(), event.to_owned(), ms, resumed);
        assert_eq!(
            told,
            [
                row("a", "cut 3", 250, true),
                row("b", "cut 3", 10, true),
                row("a", "restore 3", 110, false),
                row("b", "restore 3", 380, false)
            ]
        );
    }

    /// A segment that arrives as something happens has come before it: the silence behind it lasts while the ring is restored.
    #[test]
    fn a_segment_at_an_event_ends_the_silence_before_it() {
        let events = vec![(at(100), "cut 3".to_owned()), (at(500), "restore 3".to_owned())];
        let mut pauses = Pauses { events, ..Pauses::default() };
        for ms in [90, 100, 600] {
            pauses.arrive(0, 7 << 16, at(ms));
        }
        let told = pauses.end(at(600), &["a".to_owned()]);
        let told: Vec<_> = told.iter().map(|pause| (&pause.event[..], pause.pause_ns / 1_000_000)).collect();
        assert_eq!(told, [("cut 3", 10), ("restore 3", 500)]);
    }
}
