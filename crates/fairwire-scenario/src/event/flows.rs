//! What events make of flows: whether they are on, and under which terms.

use super::{Event, EventKind};
use crate::flow::Flow;
use crate::reading::diagnostic::Reported;
use crate::reading::table::Table;
use fairwire_core::Span;

impl Event {
    /// Does to a flow of the scenario what changes its demand or terms; nothing if it is about something else.
    pub(crate) fn apply(&self, flows: &mut [Flow]) {
        let Some(flow) = self.flow.is_some().then(|| &mut flows[self.place]) else { return };
        if let Some(rate) = self.demand {
            flow.traffic = flow.traffic.at_rate(rate);
        }
        flow.weight = self.weight.unwrap_or(flow.weight);
        flow.min_rate = self.min_rate.unwrap_or(flow.min_rate);
        flow.peak_rate = self.peak_rate.or(flow.peak_rate);
        flow.supported_rate = self.supported_rate.or(flow.supported_rate);
    }
}

/// The events that have happened at `at`, in order of time.
pub(crate) fn past(events: &[Event], at: Span) -> Vec<&Event> {
    let mut past: Vec<&Event> = events.iter().filter(|event| event.at <= at).collect();
    past.sort_by_key(|event| event.at);
    past
}

/// Whether the flow at this place is on at `at`, all of its micro-flows begun or about to.
pub(crate) fn is_on(flows: &[Flow], events: &[Event], place: usize, at: Span) -> bool {
    let flow = &flows[place];
    let switched = events.iter().filter(|event| event.kind.switches() && event.place == place && event.at <= at);
    let last = switched.max_by_key(|event| event.at).map(|event| event.kind);
    flow.start <= at && flow.stop.is_none_or(|stop| at < stop) && last != Some(EventKind::Stop)
}

/// Finds flows that stop though they are off, that start though they are on, and terms that contradict each other.
pub(crate) fn check(root: &Table<'_>, flows: &[Flow], events: &[Event]) -> Result<(), Reported> {
    let mut sorted: Vec<&Event> = events.iter().filter(|event| event.flow.is_some()).collect();
    sorted.sort_by_key(|event| event.at);
    let mut changed = flows.to_vec();
    let mut stopped = vec![false; flows.len()];
    let together = sorted.chunk_by(|one, other| one.at == other.at);
    let mut fine = Ok(());
    for events in together {
        events.iter().for_each(|event| event.apply(&mut changed));
        for event in events {
            let found = match event.kind {
                EventKind::Start | EventKind::Stop => {
                    check_switch(root, &flows[event.place], stopped[event.place], event)
                }
                _ => check_terms(root, &changed[event.place], event),
            };
            fine = fine.and(found);
            if event.kind.switches() {
                stopped[event.place] = event.kind == EventKind::Stop;
            }
        }
    }
    fine
}

/// What stops was on, and what starts had been stopped.
fn check_switch(root: &Table<'_>, flow: &Flow, stopped: bool, event: &Event) -> Result<(), Reported> {
    let Event { at, kind, .. } = event;
    let name = &flow.name;
    let begun = flow.start + flow.start_jitter;
    let (span, message, label, help) = if *at <= begun {
        let message = format!("flow \"{name}\" is to {} at {at}, and it begins at {begun}", kind.name());
        (
            &event.keys.at,
            message,
            "not yet on",
            "write a later `at`; the `start` of the flow says when it comes on first",
        )
    } else if let Some(stop) = flow.stop.filter(|stop| at >= stop) {
        let message =
            format!("flow \"{name}\" is to {} at {at}, and its `stop` ends it for good at {stop}", kind.name());
        (
            &event.keys.at,
            message,
            "over",
            "remove the `stop` of the flow, and write an event of kind \"stop\" in its place",
        )
    } else if *kind == EventKind::Stop && stopped {
        let message = format!("flow \"{name}\" has stopped before {at}");
        (&event.keys.kind, message, "off already", "remove it, or add an event of kind \"start\" before")
    } else if *kind == EventKind::Start && !stopped {
        let message = format!("flow \"{name}\" is on at {at}");
        (&event.keys.kind, message, "on already", "remove it, or add an event of kind \"stop\" before")
    } else {
        return Ok(());
    };
    Err(root.report.error(span.clone(), message, label, help))
}

/// A flow is promised no more than it may have; `flow` is as it is after all that happens at that time.
fn check_terms(root: &Table<'_>, flow: &Flow, event: &Event) -> Result<(), Reported> {
    let ceilings = [("peak-rate", flow.peak_rate), ("supported-rate", flow.supported_rate)];
    let below = ceilings.into_iter().find_map(|(key, most)| Some((key, most.filter(|most| *most < flow.min_rate)?)));
    let Some((key, most)) = below.filter(|_| event.kind.is_of_terms()) else { return Ok(()) };
    let Event { at, .. } = event;
    let message =
        format!("from {at} on flow \"{}\" is promised {}, more than its `{key}` of {most}", flow.name, flow.min_rate);
    let help = format!("let its `min-rate` be at most \"{most}\", or raise its `{key}`");
    Err(root.report.error(event.keys.value.clone(), message, "more than it may have", help))
}
