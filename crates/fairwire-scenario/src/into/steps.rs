//! A scenario in steps: what changes on the way, and what it is from then on.

use crate::event::{self, Event};
use crate::flow::Flow;
use crate::flow::traffic::Traffic;
use crate::{Scenario, Topology};
use fairwire_core::{BitRate, Instant, Span};
use std::collections::BTreeMap;

/// What changes at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// When.
    pub at: Instant,
    /// What, in words, one after the other.
    pub events: Vec<String>,
    /// The flows that come on then, by their places; those of a table with `start-jitter` a little later.
    pub starts: Vec<usize>,
}

impl Scenario {
    /// Whether switches tell some of its flows their rates.
    pub fn tells_rates(&self) -> bool {
        tells_rates(&self.flows)
    }

    /// Whether the flow at place `flow` is on at `at`, from its start on until it stops; `active` and `size` are not looked at.
    pub fn is_on(&self, flow: usize, at: Instant) -> bool {
        event::flows::is_on(self.flows(), self.events(), flow, at.since(Instant::ZERO))
    }

    /// What changes what is fair, each time once, in order of time: its events but those that protection guards against. Where
    /// switches tell rates also starts and stops of flows, and what links write in `changes`.
    pub fn changes(&self) -> Vec<Step> {
        let mut told: Vec<(Span, Option<usize>, String)> = Vec::new();
        if self.tells_rates() {
            told.extend(self.written_changes());
        }
        let events = self.events().iter().filter(|event| !event.kind.is_failure());
        let starts = |event: &Event| (event.kind == event::EventKind::Start).then_some(event.place);
        told.extend(events.map(|event| (event.at, starts(event), event.in_words())));
        let mut steps: BTreeMap<Span, Step> = BTreeMap::new();
        for (at, start, words) in told.into_iter().filter(|(at, ..)| *at < self.run().duration) {
            let at_once = || Step { at: Instant::ZERO + at, events: Vec::new(), starts: Vec::new() };
            let step = steps.entry(at).or_insert_with(at_once);
            step.events.push(words);
            step.starts.extend(start);
        }
        steps.into_values().collect()
    }

    /// What flows and links write about themselves: when, who comes on, in words.
    fn written_changes(&self) -> impl Iterator<Item = (Span, Option<usize>, String)> {
        let starts = self.flows().iter().enumerate().map(|(number, flow)| {
            let words = format!("start of {}", flow.name);
            (flow.start, Some(number), words)
        });
        let stops = self.flows().iter().filter_map(|flow| Some((flow.stop?, None, format!("stop of {}", flow.name))));
        let links = self.network().into_iter().flat_map(|network| &network.links);
        let capacities = links.flat_map(|link| {
            link.changes
                .iter()
                .map(|change| (change.at, None, format!("capacity of {} {}", link.name, change.capacity)))
        });
        starts.chain(stops).chain(capacities)
    }

    /// The scenario as all of its changes have left it, as if it began so.
    #[must_use]
    pub fn in_the_end(&self) -> Self {
        self.changed_by(self.changes().last().map_or(Instant::ZERO, |last| last.at))
    }

    /// The scenario as its changes have left it at `at`, as if it began so: with the demands, terms, weights and capacities of
    /// that time. Where switches tell rates, flows that are off then offer nothing and are promised nothing.
    #[must_use]
    pub fn changed_by(&self, at: Instant) -> Self {
        let mut changed = self.clone();
        let since = at.since(Instant::ZERO);
        for event in event::flows::past(self.events(), since) {
            event.apply(&mut changed.flows);
            let Topology::Ring(ring) = &mut changed.topology else { continue };
            if let Some(weight) = event.weight {
                ring.weights[event.place] = weight;
            }
            if let Some(capacity) = event.capacity {
                event.ring_links.iter().for_each(|link| ring.set_capacity(*link, capacity));
            }
        }
        if let Topology::Network(network) = &mut changed.topology {
            for (number, link) in network.links.iter_mut().enumerate() {
                link.capacity = event::links::capacity_at(link, number, self.events(), since);
            }
        }
        if self.tells_rates() {
            for place in 0..changed.flows.len() {
                if !self.is_on(place, at) {
                    changed.flows[place].silence();
                }
            }
        }
        changed
    }
}

impl Flow {
    /// Makes it offer nothing, and takes back what it was promised.
    pub(crate) fn silence(&mut self) {
        (self.traffic, self.min_rate) = (Traffic::constant(BitRate::ZERO), BitRate::ZERO);
    }
}

/// Whether switches tell some of the flows their rates.
pub(crate) fn tells_rates(flows: &[Flow]) -> bool {
    flows.iter().any(|flow| flow.traffic.is_explicit_rate())
}
