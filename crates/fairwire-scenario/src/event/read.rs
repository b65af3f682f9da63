//! `[[event]]`: reads the tables.

use super::{Event, EventKind, KEYS, KINDS, Keys, Where, flows};
use crate::flow::{self, Flow};
use crate::into::plan::offer;
use crate::network::Network;
use crate::reading::diagnostic::Reported;
use crate::reading::suggest::{list, nearest};
use crate::reading::table::{Field, Table};
use crate::ring::{CUT, NEARLY_NOTHING, Ring, read_capacity, read_span};
use crate::run::Run;
use fairwire_core::{Ringlet, Span};

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
                    let help = "remove one of the two, or write another `at`";
                    fine = Err(root.report.error(event.keys.at, message, "again", help));
                }
                None => events.push(event),
            },
            Err(reported) => fine = Err(reported),
        }
    }
    fine?;
    flows::check(root, flows, &events)?;
    Ok(events)
}

/// Whether both change one thing at one instant.
fn same_again(known: &Event, new: &Event) -> bool {
    if !new.ring_links.is_empty() {
        return known.at == new.at && new.ring_links.iter().any(|link| known.ring_links.contains(link));
    }
    let alike = known.kind == new.kind || (known.kind.switches() && new.kind.switches());
    alike && !new.kind.is_failure() && (known.at, known.place) == (new.at, new.place)
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
    check_keys(&table, kind, ground)?;
    let mut event = Event {
        at: Span::ZERO,
        kind,
        between: None,
        station: None,
        flow: None,
        weight: None,
        demand: None,
        min_rate: None,
        peak_rate: None,
        supported_rate: None,
        link: None,
        capacity: None,
        place: 0,
        ring_links: Vec::new(),
        keys: keys(&table, kind),
    };
    match (kind, ground) {
        (EventKind::Cut | EventKind::Restore, Where::Ring(ring)) => {
            let field = table.need("between", "[3, 4]")?;
            event.between = Some(span_of(&read_span(&field, ring.stations, |field| station(field, ring))?, ring));
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
        (EventKind::Capacity, Where::Ring(ring)) => {
            let capacity = table.need("capacity", "\"500 Mb/s\"").and_then(|field| read_capacity(&field, CUT));
            read_ring_links(&table, ring, &mut event)?;
            event.capacity = Some(capacity?);
        }
        (EventKind::Capacity, Where::Network(network)) => {
            let names = network.links.iter().map(|link| link.name.as_str());
            let place = table.need("link", "\"a-b\"").and_then(|field| named(&field, "link", names));
            let capacity = table.need("capacity", "\"5 Mb/s\"").and_then(|field| read_capacity(&field, NEARLY_NOTHING));
            event.place = place?;
            (event.link, event.capacity) = (Some(network.links[event.place].name.clone()), Some(capacity?));
            check_link(root, network, &event, at.ok())?;
        }
        (_, _) => {
            let names = flows.iter().map(|flow| flow.name.as_str());
            let place = table.need("flow", "\"a\"").and_then(|field| {
                let place = named(&field, "flow", names)?;
                check_flow(&field, &flows[place], kind, ground).map(|()| place)
            });
            let values = read_values(&table, &mut event, flows.get(place.unwrap_or(usize::MAX)));
            event.place = place?;
            event.flow = Some(flows[event.place].name.clone());
            values?;
        }
    }
    event.at = at?;
    Ok(event)
}

/// The links of a ring whose capacity becomes another: one, those of a span, or all.
fn read_ring_links(table: &Table<'_>, ring: &Ring, event: &mut Event) -> Result<(), Reported> {
    let all = || Ringlet::BOTH.into_iter().flat_map(|ringlet| (0..ring.stations).map(move |from| (ringlet, from)));
    event.ring_links = match (table.field("link"), table.field("between")) {
        (Some(_), Some(between)) => {
            let message = "an event of kind \"capacity\" names a link or a span, not both";
            return Err(between.error(message, "one too many", "remove `between`, or `link`"));
        }
        (Some(field), None) => {
            let names: Vec<String> = all().map(|(ringlet, from)| ringlet.link_name(from)).collect();
            let place = named(&field, "link", names.iter().map(String::as_str))?;
            event.link = Some(names[place].clone());
            all().skip(place).take(1).collect()
        }
        (None, Some(field)) => {
            let links = read_span(&field, ring.stations, |field| station(field, ring))?;
            event.between = Some(span_of(&links, ring));
            links
        }
        (None, None) => all().collect(),
    };
    Ok(())
}

/// The two stations that these links join, in the direction of ringlet 0.
fn span_of(links: &[(Ringlet, u16)], ring: &Ring) -> [u16; 2] {
    let west = links.iter().find(|(ringlet, _)| *ringlet == Ringlet::Zero).map_or(0, |(_, from)| *from);
    [west, (west + 1) % ring.stations]
}

/// Where what stands.
fn keys(table: &Table<'_>, kind: EventKind) -> Keys {
    let place = |key: &str| table.field(key).map(|field| field.span());
    let key = |key: &str| place(key).unwrap_or_else(|| table.key_span(key));
    let value = match kind {
        _ if kind.is_failure() => place("between").or_else(|| place("station")),
        _ if kind.switches() => None,
        _ => place(kind.name()),
    };
    Keys { at: key("at"), kind: key("kind"), value: value.unwrap_or_else(|| key("kind")) }
}

/// What changes about a flow.
fn read_values(table: &Table<'_>, event: &mut Event, flow: Option<&Flow>) -> Result<(), Reported> {
    let rate = |key: &str| table.need(key, "\"5 Mb/s\"");
    match event.kind {
        EventKind::Demand => event.demand = Some(rate("demand")?.quantity()?),
        EventKind::MinRate => event.min_rate = Some(rate("min-rate")?.quantity()?),
        EventKind::PeakRate => event.peak_rate = Some(rate("peak-rate")?.positive()?),
        EventKind::SupportedRate => event.supported_rate = Some(rate("supported-rate")?.quantity()?),
        EventKind::Weight => {
            let weight = table.need("weight", "2")?.weight()?;
            flow.map_or(Ok(()), |flow| flow::table::check_share(table, weight, flow.micro_flows))?;
            event.weight = Some(weight);
        }
        _ => {}
    }
    Ok(())
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
        Where::Network(_) if kind.is_failure() => {
            let message = format!("\"{name}\" happens to the spans and stations of a [ring]");
            Err(field.error(message, "not in a network", "write \"demand\" or \"capacity\", or remove the event"))
        }
        Where::Ring(_) if kind.switches() || (kind.is_of_terms() && kind != EventKind::Weight) => {
            let message = format!("\"{name}\" happens to flows whose rates the switches of a [network] tell");
            Err(field.error(
                message,
                "not on a ring",
                "write \"demand\", \"weight\", \"capacity\" or \"cut\", or remove the event",
            ))
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
fn check_keys(table: &Table<'_>, kind: EventKind, ground: Where<'_>) -> Result<(), Reported> {
    let own = kind.keys(ground);
    let strange =
        KEYS[2..].iter().filter(|key| !own.iter().any(|(known, _)| known == *key)).find_map(|key| table.field(key));
    let Some(field) = strange else { return Ok(()) };
    let names: Vec<&str> = own.iter().map(|(key, _)| *key).collect();
    let message = format!("an event of kind \"{}\" has {}, not `{}`", kind.name(), list(&names), field.name);
    let examples: Vec<String> = own.iter().take(2).map(|(key, example)| format!("`{key} = {example}`")).collect();
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

/// A flow that has a rate to change, or whose rate switches tell.
fn check_flow(field: &Field<'_>, flow: &Flow, kind: EventKind, ground: Where<'_>) -> Result<(), Reported> {
    let (name, is_told) = (&flow.name, flow.traffic.is_explicit_rate());
    if kind != EventKind::Demand {
        if is_told {
            return Ok(());
        }
        let message = format!("\"{}\" cannot happen to flow \"{name}\": no switch tells it its rate", kind.name());
        let help = "name a flow with `traffic` of kind \"explicit-rate\"";
        return Err(field.error(message, "not told its rate", help));
    }
    let Some(why) = offer(flow).steadfast(matches!(ground, Where::Network(_))) else { return Ok(()) };
    let message = format!("the demand of flow \"{name}\" cannot change: it {why}");
    let help = match is_told {
        true => "write kind = \"peak-rate\" with `peak-rate`: its source never sends more",
        false => "give the flow a `demand`, or `traffic` of kind \"cbr\" or \"poisson\"",
    };
    Err(field.error(message, "no rate to change", help))
}

/// A link changes once at an instant, wherever that is written.
fn check_link(root: &Table<'_>, network: &Network, event: &Event, at: Option<Span>) -> Result<(), Reported> {
    let link = &network.links[event.place];
    match at.filter(|at| link.changes.iter().any(|change| change.at == *at)) {
        None => Ok(()),
        Some(at) => {
            let message = format!("the capacity of link \"{}\" changes at {at} in its `changes`, too", link.name);
            let help = "remove one of the two, or write another `at`";
            Err(root.report.error(event.keys.at.clone(), message, "again", help))
        }
    }
}
