//! What capacities links have, by what they write themselves and by events.

use super::{Event, EventKind};
use crate::flow::Flow;
use crate::flow::guarantee::Guarantees;
use crate::network::link::NetworkLink;
use crate::reading::diagnostic::Reported;
use crate::reading::table::Table;
use crate::ring::Ring;
use fairwire_core::{BitRate, Ringlet, Span};

/// Which link of a ring has which other capacity when, in the order of the file.
pub(crate) fn of_ring(events: &[Event]) -> impl Iterator<Item = (Span, (Ringlet, u16), BitRate)> {
    let capacities = events.iter().filter_map(|event| Some((event, event.capacity?)));
    capacities.flat_map(|(event, capacity)| event.ring_links.iter().map(move |link| (event.at, *link, capacity)))
}

/// Finds the first time at which a link of a ring guarantees as much as it carries.
pub(crate) fn check(root: &Table<'_>, ring: &Ring, flows: &[Flow], events: &[Event]) -> Result<(), Reported> {
    let mut sorted: Vec<&Event> = events.iter().filter(|event| !event.ring_links.is_empty()).collect();
    sorted.sort_by_key(|event| event.at);
    let mut changed = ring.clone();
    for together in sorted.chunk_by(|one, other| one.at == other.at) {
        for event in together {
            let capacity = event.capacity.unwrap_or_default();
            event.ring_links.iter().for_each(|link| changed.set_capacity(*link, capacity));
        }
        let capacities = changed.capacities();
        let Some((flow, link)) = Guarantees::too_much(&changed, flows, &capacities) else { continue };
        let (ringlet, from) = (link / usize::from(ring.stations), link % usize::from(ring.stations));
        let of_link = |event: &&&Event| event.ring_links.contains(&(Ringlet::BOTH[ringlet], from as u16));
        let blamed = together.iter().find(of_link).unwrap_or(&together[0]);
        let message = format!(
            "from {} on link r{ringlet}:{from} carries {}, and with flow \"{}\" it guarantees as much: nothing is left to share",
            blamed.at, capacities[link], flows[flow].name
        );
        let help = "guarantee less with `min-rate`, or write a higher `capacity`";
        return Err(root.report.error(blamed.keys.value.clone(), message, "too little", help));
    }
    Ok(())
}

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
