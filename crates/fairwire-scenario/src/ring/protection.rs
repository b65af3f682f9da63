//! `[ring] protection`: what guards a ring, and failures that it guards from.

use super::Ring;
use crate::Scenario;
use crate::event::{Event, EventKind};
use crate::flow::{Flow, Way};
use crate::reading::diagnostic::Reported;
use crate::reading::table::{Field, Table};
use fairwire_core::{Instant, Ringlet, ServiceClass, Span, StationId};
use fairwire_laws::protection::{Params, ProtectionMode};
use fairwire_plan::{MOST_STEERING, MOST_WRAPPING, ProtectionPlan, RingChange, RingEvent, StationQueues};
use std::collections::BTreeMap;

pub(crate) const PROTECTION_KEYS: &[&str] = &[
    "mode",
    "keepalive-timeout",
    "keepalive-interval",
    "hold-off",
    "revertive",
    "wait-to-restore",
    "fast-timer",
    "slow-timer",
    "attribute-timer",
    "stability",
];
pub(crate) const MODES: &[(&str, ProtectionMode)] = &[("steer", ProtectionMode::Steer), ("wrap", ProtectionMode::Wrap)];
impl Event {
    /// A failure or a mend as the simulator knows it.
    fn failure(&self) -> Option<RingEvent> {
        let [west, _] = self.between.unwrap_or_default();
        let station = self.station.unwrap_or_default();
        let change = match self.kind {
            EventKind::Cut => RingChange::Cut(StationId(west)),
            EventKind::Restore => RingChange::Restore(StationId(west)),
            EventKind::StationDown => RingChange::StationDown(StationId(station)),
            EventKind::StationUp => RingChange::StationUp(StationId(station)),
            _ => return None,
        };
        Some(RingEvent { at: Instant::ZERO + self.at, change })
    }

    /// How people call what it happens to.
    fn victim(&self) -> String {
        match (self.between, self.station) {
            (Some([a, b]), _) => format!("the span between {a} and {b}"),
            (None, station) => format!("station {}", station.unwrap_or_default()),
        }
    }
}

/// What the simulator is told of `ring` and the events on it.
pub(crate) fn plan(ring: &Ring, events: &[Event]) -> Option<ProtectionPlan> {
    let params = ring.protection.clone()?;
    Some(ProtectionPlan { params, events: events.iter().filter_map(Event::failure).collect() })
}

/// Reads the `protection` of a ring.
pub(crate) fn read(ring: &Table<'_>) -> Result<Option<Params>, Reported> {
    let Some(field) = ring.field("protection") else { return Ok(None) };
    let table = field.table("`protection`", PROTECTION_KEYS, "{ mode = \"steer\" }")?;
    let usual = Params::default();
    let span = |key: &str, usual: Span| table.field(key).map_or(Ok(usual), |field| field.quantity());
    let mode = table.field("mode").map_or(Ok(usual.mode), |field| field.word(MODES));
    let keepalive_timeout = span("keepalive-timeout", usual.keepalive_timeout);
    let keepalive_interval = span("keepalive-interval", usual.keepalive_interval);
    let hold_off = span("hold-off", usual.hold_off);
    let revertive = table.field("revertive").map_or(Ok(usual.revertive), |field| field.boolean());
    let wait_to_restore = span("wait-to-restore", usual.wait_to_restore);
    let fast_timer = span("fast-timer", usual.fast_timer);
    let slow_timer = span("slow-timer", usual.slow_timer);
    let attribute_timer = span("attribute-timer", usual.attribute_timer);
    let stability = span("stability", usual.stability);
    let params = Params {
        mode: mode?,
        keepalive_timeout: keepalive_timeout?,
        keepalive_interval: keepalive_interval?,
        hold_off: hold_off?,
        revertive: revertive?,
        wait_to_restore: wait_to_restore?,
        fast_timer: fast_timer?,
        slow_timer: slow_timer?,
        attribute_timer: attribute_timer?,
        stability: stability?,
    };
    if let Err(wrong) = params.validate() {
        let help = format!("write `{}` from \"{}\" to \"{}\"", wrong.key, wrong.least, wrong.most);
        let place = table.field(wrong.key).map_or(field.span(), |field| field.span());
        return Err(field.report.error(place, format!("{wrong}, in `protection`"), "out of range", help));
    }
    Ok(Some(params))
}

/// What is mended was broken before, and what breaks was whole.
pub(crate) fn check_order(root: &Table<'_>, events: &[Event]) -> Result<(), Reported> {
    let mut sorted: Vec<&Event> = events.iter().filter(|event| event.kind.is_failure()).collect();
    sorted.sort_by_key(|event| event.at);
    let mut broken: BTreeMap<(Option<[u16; 2]>, Option<u16>), bool> = BTreeMap::new();
    let mut fine = Ok(());
    for event in sorted {
        let was = broken.insert((event.between, event.station), event.kind.breaks()).unwrap_or(false);
        if was != event.kind.breaks() {
            continue;
        }
        let (state, label, help) = match event.kind {
            EventKind::Cut => ("already cut", "cut twice", "remove it, or add a \"restore\" before"),
            EventKind::Restore => ("not cut", "nothing to mend", "remove it, or add a \"cut\" before"),
            EventKind::StationDown => ("already down", "down twice", "remove it, or add a \"station-up\" before"),
            EventKind::StationUp => {
                ("not down", "nothing to bring back", "remove it, or add a \"station-down\" before")
            }
            _ => continue,
        };
        let message = format!("at {} {} is {state}", event.at, event.victim());
        fine = Err(root.report.error(event.keys.value.clone(), message, label, help));
    }
    fine
}

/// What class A0 has reserved fits beside each other after every event.
pub(crate) fn check_reservations(root: &Table<'_>, scenario: &Scenario) -> Result<(), Reported> {
    let reserves = scenario.flows().iter().any(|flow| flow.class == ServiceClass::A0);
    let Some(plan) = scenario.ring_plan(0).filter(|plan| plan.protection.is_some() && reserves) else { return Ok(()) };
    for phase in plan.phases() {
        let reserved = phase.reserved(&plan);
        for ringlet in Ringlet::BOTH {
            let least = |station: usize| plan.least_of_link(ringlet, station);
            let mut of_links = reserved[ringlet.index()].iter().enumerate();
            let Some((station, reserved)) = of_links.find(|(station, reserved)| **reserved >= least(*station)) else {
                continue;
            };
            let message = format!(
                "after this event class A0 reserves {reserved} of link {}, which carries {}",
                ringlet.link_name(station),
                least(station)
            );
            let help = match phase.folded {
                None => "reserve less with `min-rate`: what steers takes its reservation along",
                Some(_) => {
                    "reserve less with `min-rate`: an open ring that wraps is one ringlet, on which all is reserved"
                }
            };
            let failures = scenario.events().iter().filter(|event| event.kind.is_failure());
            let span = failures.into_iter().nth(phase.event).map_or(0..0, |event| event.keys.value.clone());
            return Err(root.report.error(span, message, "too much", help));
        }
    }
    Ok(())
}

/// What protection cannot do.
pub(crate) fn check(root: &Table<'_>, field: &Field<'_>, ring: &Ring, flows: &[Flow]) -> Result<(), Reported> {
    let Some(protection) = &ring.protection else { return Ok(()) };
    let (most, means) = match protection.mode {
        ProtectionMode::Steer => (MOST_STEERING, "protection reaches"),
        ProtectionMode::Wrap => {
            (MOST_WRAPPING, "stations that wrap make one ringlet of twice their number, and that reaches")
        }
    };
    if usize::from(ring.stations) > most {
        let message = format!("{means} over {most} stations, not over {}", ring.stations);
        return Err(field.error(message, "too many stations", "write fewer `stations`, or remove `protection`"));
    }
    if ring.station_queues == StationQueues::Single {
        let message = match protection.mode {
            ProtectionMode::Steer => {
                "a station with one queue cannot steer: what goes one way would wait for what goes the other"
            }
            ProtectionMode::Wrap => {
                "with one queue a station cannot hold back only what goes nowhere any more while the ring is cut"
            }
        };
        let help = "write `station-queues = \"per-destination\"`, or remove `protection`";
        return Err(field.error(message, "one queue here", help));
    }
    let way = |flow: &Flow| match flow.way {
        Way::Ring { ringlet } => ringlet,
        Way::Network { .. } => Ringlet::Zero,
    };
    let mut ways: BTreeMap<(usize, usize), &Flow> = BTreeMap::new();
    for (index, flow) in flows.iter().enumerate() {
        let shares = |other: &&Flow| (&other.from, &other.to, other.class) == (&flow.from, &flow.to, flow.class);
        let other = |differs: &dyn Fn(&Flow) -> bool| flows[..index].iter().filter(shares).find(|other| differs(other));
        let order = other(&|other| other.strict_order != flow.strict_order);
        let wrap_eligible = other(&|other| other.wrap_eligible != flow.wrap_eligible);
        for (key, other) in [("order", order), ("wrap-eligible", wrap_eligible)] {
            let Some(other) = other else { continue };
            let message = format!(
                "with `protection`, flows \"{}\" and \"{}\" share a station queue and its `{key}`",
                other.name, flow.name
            );
            let help = format!("give both the same `{key}`, or remove `protection`");
            return Err(root.report.error(flow.span.clone(), message, format!("another {key}"), help));
        }
        let first = *ways.entry((flow.from.index, flow.to.index)).or_insert(flow);
        if way(first) != way(flow) {
            let message = format!(
                "with `protection`, flows \"{}\" and \"{}\" between the same stations take the same ringlet",
                first.name, flow.name
            );
            let help = "give both the same `ringlet`, or remove `protection`";
            return Err(root.report.error(flow.span.clone(), message, "another ringlet", help));
        }
    }
    Ok(())
}
