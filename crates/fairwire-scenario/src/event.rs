//! `[[event]]`: what happens on the way, to rings and networks.

use crate::flow::Flow;
use crate::into::plan::offer;
use crate::network::Network;
use crate::reading::diagnostic::Reported;
use crate::reading::suggest::{list, nearest};
use crate::reading::table::{Field, Table};
use crate::ring::{Ring, read_capacity, read_span};
use crate::run::Run;
use fairwire_core::{BitRate, Instant, Ringlet, Span};
use fairwire_plan::DemandChange;
use serde::Serialize;
use std::ops::Range;

/// Something that happens on the way.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Event {
    /// When.
    pub at: Span,
    /// What.
    pub kind: EventKind,
    /// The two neighbours whose span is cut or mended, in the direction of ringlet 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<[u16; 2]>,
    /// The station that falls silent or comes back, or has another weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub station: Option<u16>,
    /// The weight that the station has as an ingress from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The flow that offers another rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    /// What each of its micro-flows offers from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demand: Option<BitRate>,
    /// The link of a network whose capacity becomes another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// What it carries from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<BitRate>,
    /// The place of the flow, the link or the station with another weight among all.
    #[serde(skip)]
    pub(crate) place: usize,
    #[serde(skip)]
    pub(crate) span: Range<usize>,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// Both links of a span of a ring are dead.
    Cut,
    /// They are mended.
    Restore,
    /// A station of a ring falls silent: all four links that touch it are dead.
    StationDown,
    /// It comes back.
    StationUp,
    /// A flow offers another rate.
    Demand,
    /// A link of a network has another capacity.
    Capacity,
    /// A station of a ring has another weight.
    Weight,
}

pub(crate) const KEYS: &[&str] = &["at", "kind", "between", "station", "weight", "flow", "demand", "link", "capacity"];
pub(crate) const KINDS: &[(&str, EventKind)] = &[
    ("cut", EventKind::Cut),
    ("restore", EventKind::Restore),
    ("station-down", EventKind::StationDown),
    ("station-up", EventKind::StationUp),
    ("demand", EventKind::Demand),
    ("capacity", EventKind::Capacity),
    ("weight", EventKind::Weight),
];

impl EventKind {
    fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Whether it concerns what protection guards: spans and stations of a ring.
    pub fn is_failure(self) -> bool {
        !matches!(self, Self::Demand | Self::Capacity | Self::Weight)
    }

    /// Whether something is worse afterwards.
    pub(crate) fn breaks(self) -> bool {
        matches!(self, Self::Cut | Self::StationDown)
    }

    /// Its keys, each with an example.
    fn keys(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Cut | Self::Restore => &[("between", "[3, 4]")],
            Self::StationDown | Self::StationUp => &[("station", "3")],
            Self::Weight => &[("station", "3"), ("weight", "2")],
            Self::Demand => &[("flow", "\"a\""), ("demand", "\"5 Mb/s\"")],
            Self::Capacity => &[("link", "\"a-b\""), ("capacity", "\"5 Mb/s\"")],
        }
    }
}

/// Where events happen.
#[derive(Clone, Copy)]
pub(crate) enum Where<'a> {
    Ring(&'a Ring),
    Network(&'a Network),
}

impl Event {
    /// What changes about a demand, if that is what happens.
    pub(crate) fn demand_change(&self, flows: &[Flow]) -> Option<DemandChange> {
        let demand = self.demand?;
        let flow = &flows[self.place];
        let most = flow.cap().map(|cap| cap.scaled(1.0 / f64::from(flow.micro_flows)));
        let demand = most.map_or(demand, |most| demand.min(most));
        Some(DemandChange { at: Instant::ZERO + self.at, flow: self.place, demand })
    }

    /// What happens, for people: `demand of a 5 Mb/s`.
    pub fn in_words(&self) -> String {
        let name = self.kind.name();
        match (self.between, self.station) {
            (Some([a, b]), _) => format!("{name} {a}-{b}"),
            (None, Some(station)) if self.weight.is_some() => {
                format!("{name} of station {station} {}", self.weight.unwrap_or_default())
            }
            (None, Some(station)) => format!("{name} {station}"),
            (None, None) => {
                let of = self.flow.as_ref().or(self.link.as_ref()).map_or("", String::as_str);
                let rate = self.demand.or(self.capacity).unwrap_or_default();
                format!("{name} of {of} {rate}")
            }
        }
    }
}

/// Reads all `[[event]]` tables.
pub(crate) fn read_all(
    root: &Table<'_>,
    ground: Where<'_>,
    flows: &[Flow],
    run: Option<&Run>,
) -> Result<Vec<Event>, Reported> {
    let Some(field) = root.field("event") else { return Ok(Vec::new()) };
    let items = field.tables("[[event]]")?;
    let mut events: Vec<Event> = Vec::new();
    let mut fine = Ok(());
    for item in &items {
        match read(root, item, ground, flows, run) {
            Ok(event) => match events.iter().find(|known| same_again(known, &event)) {
                Some(_) => {
                    let message = format!("the same changes twice at {}", event.at);
                    fine = Err(item.error(message, "again", "remove one of the two, or write another `at`"));
                }
                None => events.push(event),
            },
            Err(reported) => fine = Err(reported),
        }
    }
    fine.map(|()| events)
}

/// Whether both change one thing at one instant.
fn same_again(known: &Event, new: &Event) -> bool {
    !new.kind.is_failure() && (known.at, known.kind, known.place) == (new.at, new.kind, new.place)
}

fn read(
    root: &Table<'_>,
    item: &Field<'_>,
    ground: Where<'_>,
    flows: &[Flow],
    run: Option<&Run>,
) -> Result<Event, Reported> {
    let table = item.table("[[event]]", KEYS, "{ at = \"0.5 s\", kind = \"cut\", between = [3, 4] }")?;
    let at = table.need("at", "\"0.5 s\"").and_then(|field| read_time(&field, run));
    let kind_field = table.need("kind", "\"cut\"")?;
    let kind = kind_field.word(KINDS)?;
    check_ground(root, &kind_field, kind, ground)?;
    check_keys(&table, kind)?;
    let mut event = Event {
        at: Span::ZERO,
        kind,
        between: None,
        station: None,
        weight: None,
        flow: None,
        demand: None,
        link: None,
        capacity: None,
        place: 0,
        span: item.span(),
    };
    match (kind, ground) {
        (EventKind::Cut | EventKind::Restore, Where::Ring(ring)) => {
            let links = read_span(&table.need("between", "[3, 4]")?, ring.stations, |field| station(field, ring))?;
            let west = links.iter().find(|(ringlet, _)| *ringlet == Ringlet::Zero).map_or(0, |(_, from)| *from);
            event.between = Some([west, (west + 1) % ring.stations]);
        }
        (EventKind::StationDown | EventKind::StationUp, Where::Ring(ring)) => {
            event.station = Some(station(&table.need("station", "3")?, ring)?);
        }
        (EventKind::Weight, Where::Ring(ring)) => {
            let station = table.need("station", "3").and_then(|field| station(&field, ring));
            let weight = table.need("weight", "2").and_then(|field| field.weight());
            event.place = usize::from(station?);
            (event.station, event.weight) = (Some(event.place as u16), Some(weight?));
        }
        (EventKind::Capacity, Where::Network(network)) => {
            let names = network.links.iter().map(|link| link.name.as_str());
            let place = table.need("link", "\"a-b\"").and_then(|field| named(&field, "link", names));
            let capacity = table.need("capacity", "\"5 Mb/s\"").and_then(|field| read_capacity(&field));
            event.place = place?;
            (event.link, event.capacity) = (Some(network.links[event.place].name.clone()), Some(capacity?));
            check_link(item, network, &event, at.ok())?;
        }
        (_, _) => {
            let names = flows.iter().map(|flow| flow.name.as_str());
            let place = table.need("flow", "\"a\"").and_then(|field| {
                named(&field, "flow", names).and_then(|place| check_flow(&field, &flows[place], ground, place))
            });
            let demand = table.need("demand", "\"5 Mb/s\"").and_then(|field| field.quantity());
            event.place = place?;
            (event.flow, event.demand) = (Some(flows[event.place].name.clone()), Some(demand?));
        }
    }
    event.at = at?;
    Ok(event)
}

fn read_time(field: &Field<'_>, run: Option<&Run>) -> Result<Span, Reported> {
    let at: Span = field.quantity()?;
    match run.filter(|run| at >= run.duration) {
        Some(run) => {
            let message = format!("an event at {at} comes after the end of the run at {}", run.duration);
            Err(field.error(message, "never happens", "write an earlier `at`, or a longer `duration` in [run]"))
        }
        None => Ok(at),
    }
}

fn station(field: &Field<'_>, ring: &Ring) -> Result<u16, Reported> {
    field.integer(0..=u64::from(ring.stations) - 1, "3").map(|station| station as u16)
}

/// Not everything happens everywhere.
fn check_ground(root: &Table<'_>, field: &Field<'_>, kind: EventKind, ground: Where<'_>) -> Result<(), Reported> {
    let name = kind.name();
    match ground {
        Where::Network(_) if kind.is_failure() || kind == EventKind::Weight => {
            let message = format!("\"{name}\" happens to the spans and stations of a [ring]");
            Err(field.error(message, "not in a network", "write \"demand\" or \"capacity\", or remove the event"))
        }
        Where::Ring(_) if kind == EventKind::Capacity => {
            let message = "links of a [ring] keep their capacity";
            Err(field.error(message, "not on a ring", "write \"demand\", \"weight\" or \"cut\", or remove the event"))
        }
        Where::Ring(ring) if kind.is_failure() && ring.protection.is_none() => {
            let message = "something happens to the ring, and nothing protects it";
            let help = "add `protection = { mode = \"steer\" }` to [ring]";
            Err(root.report.error(root.key_span("event"), message, "without protection", help))
        }
        _ => Ok(()),
    }
}

/// Every kind has its keys.
fn check_keys(table: &Table<'_>, kind: EventKind) -> Result<(), Reported> {
    let own = kind.keys();
    let strange =
        KEYS[2..].iter().filter(|key| !own.iter().any(|(known, _)| known == *key)).find_map(|key| table.field(key));
    let Some(field) = strange else { return Ok(()) };
    let names: Vec<&str> = own.iter().map(|(key, _)| *key).collect();
    let message = format!("an event of kind \"{}\" has {}, not `{}`", kind.name(), list(&names), field.name);
    let examples: Vec<String> = own.iter().map(|(key, example)| format!("`{key} = {example}`")).collect();
    let span = table.key_span(&field.name);
    Err(field.report.error(span, message, "not here", format!("write {}", examples.join(" and "))))
}

/// The place of what is called so.
fn named<'n>(field: &Field<'_>, what: &str, names: impl Iterator<Item = &'n str> + Clone) -> Result<usize, Reported> {
    let name = field.name(&format!("\"{}\"", names.clone().next().unwrap_or("a")))?;
    names.clone().position(|known| known == name).ok_or_else(|| {
        let help = match nearest(name, names.clone()) {
            Some(known) => format!("write \"{known}\""),
            None => format!("use one of {}", list(&names.collect::<Vec<_>>())),
        };
        field.error(format!("there is no {what} \"{name}\""), format!("no such {what}"), help)
    })
}

/// A flow that has a rate to change.
fn check_flow(field: &Field<'_>, flow: &Flow, ground: Where<'_>, place: usize) -> Result<usize, Reported> {
    let Some(why) = offer(flow).steadfast(matches!(ground, Where::Network(_))) else { return Ok(place) };
    let message = format!("the demand of flow \"{}\" cannot change: it {why}", flow.name);
    let help = "give the flow a `demand`, or `traffic` of kind \"cbr\" or \"poisson\"";
    Err(field.error(message, "no rate to change", help))
}

/// A link changes once at an instant, wherever that is written.
fn check_link(item: &Field<'_>, network: &Network, event: &Event, at: Option<Span>) -> Result<(), Reported> {
    let link = &network.links[event.place];
    match at.filter(|at| link.changes.iter().any(|change| change.at == *at)) {
        None => Ok(()),
        Some(at) => {
            let message = format!("the capacity of link \"{}\" changes at {at} in its `changes`, too", link.name);
            Err(item.error(message, "again", "remove one of the two, or write another `at`"))
        }
    }
}
