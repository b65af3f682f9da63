//! What switches promise to flows fits their links at any time, whatever happens.

use super::Network;
use crate::event::{self, Event, EventKind};
use crate::flow::{Flow, Way};
use crate::reading::diagnostic::Reported;
use crate::reading::table::Table;
use fairwire_core::{BitRate, Span};
use std::collections::BTreeSet;
use std::ops::Range;

/// Finds the first time at which a link promises more than it carries.
pub(crate) fn check(root: &Table<'_>, network: &Network, flows: &[Flow], events: &[Event]) -> Result<(), Reported> {
    let promises = |event: &Event| event.min_rate.is_some_and(|rate| rate > BitRate::ZERO);
    if !flows.iter().any(|flow| is_told(flow) && flow.min_rate > BitRate::ZERO) && !events.iter().any(promises) {
        return Ok(());
    }
    let links = network.links.iter().flat_map(|link| link.changes.iter().map(|change| change.at));
    let starts = flows.iter().filter(|flow| is_told(flow)).map(|flow| flow.start);
    let moments: BTreeSet<Span> = starts.chain(links).chain(events.iter().map(|event| event.at)).collect();
    let (mut changed, mut ahead) =
        (flows.to_vec(), event::flows::past(events, Span::from_nanos(u64::MAX)).into_iter().peekable());
    for at in moments {
        while let Some(event) = ahead.next_if(|event| event.at <= at) {
            event.apply(&mut changed);
        }
        State::at(&changed, events, at).check(root, network)?;
    }
    Ok(())
}

/// Whether switches tell the flow its rate.
fn is_told(flow: &Flow) -> bool {
    flow.traffic.is_explicit_rate()
}

/// Who is promised what at one time.
struct State<'a> {
    at: Span,
    events: &'a [Event],
    /// All flows, as events have left them.
    flows: &'a [Flow],
    /// Those that are on and promised something, by their places.
    promised: Vec<usize>,
}

impl<'a> State<'a> {
    fn at(flows: &'a [Flow], events: &'a [Event], at: Span) -> Self {
        let is_promised = |place: &usize| {
            let flow = &flows[*place];
            is_told(flow) && flow.min_rate > BitRate::ZERO && event::flows::is_on(flows, events, *place, at)
        };
        Self { at, events, flows, promised: (0..flows.len()).filter(is_promised).collect() }
    }

    fn check(&self, root: &Table<'_>, network: &Network) -> Result<(), Reported> {
        let mut sums = vec![0.0; network.links.len()];
        for flow in self.promised.iter().map(|place| &self.flows[*place]) {
            links_of(flow).iter().for_each(|link| sums[*link] += flow.min_rate.as_bps_f64());
        }
        let controlled = (0..network.links.len()).filter(|link| network.rate_of(*link).is_some());
        let capacity = |link: usize| event::links::capacity_at(&network.links[link], link, self.events, self.at);
        match controlled.into_iter().find(|link| sums[*link] > capacity(*link).as_bps_f64()) {
            Some(link) => Err(self.tell(root, network, link, capacity(link), sums[link])),
            None => Ok(()),
        }
    }

    fn tell(&self, root: &Table<'_>, network: &Network, link: usize, capacity: BitRate, promised_bps: f64) -> Reported {
        let name = &network.links[link].name;
        let takes = |place: &usize| links_of(&self.flows[*place]).contains(&link);
        let takers: Vec<usize> = self.promised.iter().copied().filter(takes).collect();
        let told = |&place: &usize| {
            let Flow { name, min_rate, .. } = &self.flows[place];
            format!("{name} {min_rate} (line {})", root.report.line(&self.promise_of(place)))
        };
        let message = format!(
            "link {name} carries {capacity}, but from {} on `min-rate` promises {}: {}",
            self.at,
            BitRate::from_bps_f64(promised_bps),
            takers.iter().map(told).collect::<Vec<_>>().join(", ")
        );
        let excess = BitRate::from_bps_f64((promised_bps - capacity.as_bps_f64()).ceil());
        let help = format!("promise {excess} less, or give link {name} more capacity");
        let blamed = self.events.iter().filter(|event| event.at == self.at).find(|event| match event.kind {
            EventKind::MinRate | EventKind::Start => takers.contains(&event.place),
            EventKind::Capacity => event.place == link,
            _ => false,
        });
        let first = takers.first().map_or(0..0, |place| self.promise_of(*place));
        let span = blamed.map_or(first, |event| event.keys.value.clone());
        root.report.error(span, message, "does not fit", help)
    }

    /// Where the file says what the flow at this place is promised at this time.
    fn promise_of(&self, place: usize) -> Range<usize> {
        let past = event::flows::past(self.events, self.at);
        let said = past.iter().rev().find(|event| event.kind == EventKind::MinRate && event.place == place);
        said.map_or(self.flows[place].min_rate_span.clone(), |event| event.keys.value.clone())
    }
}

fn links_of(flow: &Flow) -> &[usize] {
    match &flow.way {
        Way::Network { links, .. } => links,
        Way::Ring { .. } => &[],
    }
}
