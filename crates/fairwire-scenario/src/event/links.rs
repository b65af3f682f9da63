//! What capacities links have, by what they write themselves and by events.

use super::{Event, EventKind};
use crate::network::link::NetworkLink;
use fairwire_core::{BitRate, Span};

/// When the link at place `number` has which other capacity, in order of time.
pub(crate) fn capacity_changes(link: &NetworkLink, number: usize, events: &[Event]) -> Vec<(Span, BitRate)> {
    let of_link = events.iter().filter(|event| event.kind == EventKind::Capacity && event.place == number);
    let by_events = of_link.filter_map(|event| event.capacity.map(|capacity| (event.at, capacity)));
    let mut changes: Vec<_> = link.changes.iter().map(|change| (change.at, change.capacity)).chain(by_events).collect();
    changes.sort_by_key(|(at, _)| *at);
    changes
}

/// Its capacity at `at`.
pub(crate) fn capacity_at(link: &NetworkLink, number: usize, events: &[Event], at: Span) -> BitRate {
    let changes = capacity_changes(link, number, events);
    changes.iter().take_while(|(since, _)| *since <= at).last().map_or(link.capacity, |(_, capacity)| *capacity)
}

/// The most that it ever carries.
pub(crate) fn most(link: &NetworkLink, number: usize, events: &[Event]) -> BitRate {
    let changes = capacity_changes(link, number, events);
    changes.into_iter().map(|(_, capacity)| capacity).fold(link.capacity, BitRate::max)
}
