//! `from` and `to` of a flow: which pairs a table stands for, and how each gets there.

use super::{End, Traffic, Way};
use crate::network::Network;
use crate::reading::diagnostic::Reported;
use crate::reading::document::Value;
use crate::reading::table::{Field, Table};
use fairwire_core::Ringlet;
use std::collections::{BTreeMap, BTreeSet};

/// More flows than this in one scenario are a slip.
pub const MOST_FLOWS: usize = 100_000;

/// More links than this on the ways of all flows, there and back, would fill memory: their names alone take 1.3 GB.
const MOST_HOPS: usize = 20_000_000;

/// Steps of ways back that are kept, so as not to look for them again.
const MOST_WAYS_KEPT: usize = 10_000_000;

/// The pairs that a table stands for, with their ways.
pub(crate) struct Ends {
    pub pairs: Vec<(End, End, Way)>,
    pub many_from: bool,
    pub many_to: bool,
}

/// One end as written: a value, or a list of them.
struct Written<'a> {
    items: Vec<Field<'a>>,
    many: bool,
}

fn written<'a>(flow: &Table<'a>, key: &str, example: &str) -> Result<Written<'a>, Reported> {
    let field = flow.need(key, example)?;
    match field.items() {
        None => Ok(Written { items: vec![field], many: false }),
        Some(items) if items.is_empty() => {
            let message = format!("`{key}` of {} is an empty list", flow.place);
            Err(field.error(message, "nobody", format!("write `{key} = {example}`, or a list of several")))
        }
        Some(items) => Ok(Written { items, many: true }),
    }
}

/// Where a flow of a ring goes: to a station, or so many stations on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Station(u16),
    Ahead(i64),
}

pub(crate) fn read_stations(flow: &Table<'_>, stations: Result<u16, Reported>) -> Result<Ends, Reported> {
    let (from, to) = (written(flow, "from", "1"), written(flow, "to", "5"));
    let ringlet = flow.field("ringlet").map_or(Ok(None), |field| read_ringlet(&field));
    let (from, to, stations) = (from?, to?, stations?);
    let sources = all(&from.items, |item| read_station(item, stations));
    let targets = all(&to.items, |item| match &item.node.value {
        Value::Text(text) => read_ahead(item, text, stations),
        _ => read_station(item, stations).map(Target::Station),
    });
    let (sources, targets, ringlet) = (sources?, targets?, ringlet?);
    each_once(&sources, &from.items)?;
    each_once(&targets, &to.items)?;
    check_count(flow, sources.len(), targets.len())?;
    let size = usize::from(stations);
    let mut pairs = Vec::new();
    for &source in &sources {
        for (target, item) in targets.iter().zip(&to.items) {
            let (start, stop) = (
                usize::from(source),
                match *target {
                    Target::Station(station) => usize::from(station),
                    Target::Ahead(steps) => (i64::from(source) + steps).rem_euclid(i64::from(stations)) as usize,
                },
            );
            if start == stop {
                // All pairs of two lists leave out those that go nowhere.
                if from.many && to.many {
                    continue;
                }
                return Err(goes_nowhere(flow, item, &source.to_string()));
            }
            let ringlet = ringlet.unwrap_or_else(|| shorter(start, stop, size));
            pairs.push((End { index: start, name: None }, End { index: stop, name: None }, Way::Ring { ringlet }));
        }
    }
    not_empty(flow, pairs, from.many, to.many)
}

/// The ringlet with fewer hops; ringlet 0 if both have as many.
pub(crate) fn shorter(from: usize, to: usize, stations: usize) -> Ringlet {
    let hops = |ringlet: Ringlet| ringlet.hops(from, to, stations);
    if hops(Ringlet::One) < hops(Ringlet::Zero) { Ringlet::One } else { Ringlet::Zero }
}

fn read_station(item: &Field<'_>, stations: u16) -> Result<u16, Reported> {
    let Value::Integer(number) = item.node.value else {
        return Err(item.wrong_type("the number of a station", "1"));
    };
    u16::try_from(number).ok().filter(|number| *number < stations).ok_or_else(|| {
        let last = stations - 1;
        let message = format!("{} speaks of station {number}, but the ring has stations 0 to {last}", item.place);
        item.error(message, "no such station", format!("write a number from 0 to {last}, or raise `stations`"))
    })
}

/// `"+4"`, `"-1"`: so many stations on, in the direction of ringlet 0, or back.
fn read_ahead(item: &Field<'_>, text: &str, stations: u16) -> Result<Target, Reported> {
    let signed = text.starts_with(['+', '-']).then(|| text.parse::<i64>().ok()).flatten();
    match signed.filter(|steps| steps.unsigned_abs() < u64::from(stations)) {
        Some(steps) => Ok(Target::Ahead(steps)),
        None => {
            let message = format!("`to` of {} cannot be \"{text}\"", item.place);
            let last = stations - 1;
            let help = format!(
                "write the number of a station, from 0 to {last}, or \"+1\" to \"+{last}\" for so many stations on"
            );
            Err(item.error(message, "not a station", help))
        }
    }
}

fn read_ringlet(field: &Field<'_>) -> Result<Option<Ringlet>, Reported> {
    match &field.node.value {
        Value::Integer(0) => Ok(Some(Ringlet::Zero)),
        Value::Integer(1) => Ok(Some(Ringlet::One)),
        Value::Text(text) if text == "shorter" => Ok(None),
        _ => {
            let message = format!("`ringlet` of {} cannot be {}", field.place, field.node.to_inline_toml());
            Err(field.error(
                message,
                "no such ringlet",
                "write `ringlet = 0`, `ringlet = 1` or `ringlet = \"shorter\"`",
            ))
        }
    }
}

/// Reads both ends and the routes between them; the way back is needed where `traffic`, which is none
/// if that could not be read, is acknowledged. Control packets have to come back to the ports that they left.
pub(crate) fn read_nodes(
    flow: &Table<'_>,
    network: Result<&Network, Reported>,
    traffic: Option<&Traffic>,
) -> Result<Ends, Reported> {
    let acknowledged = traffic.map(Traffic::is_acknowledged);
    let returns = traffic.is_some_and(Traffic::is_explicit_rate);
    let (from, to) = (written(flow, "from", "\"a\""), written(flow, "to", "\"b\""));
    let (from, to, network) = (from?, to?, network?);
    let sources = all(&from.items, |item| network.node(item));
    let targets = all(&to.items, |item| network.node(item));
    let (sources, targets) = (sources?, targets?);
    each_once(&sources, &from.items)?;
    each_once(&targets, &to.items)?;
    check_count(flow, sources.len(), targets.len())?;
    let end = |index: usize| End { index, name: Some(network.nodes[index].clone()) };
    let (mut pairs, mut hops) = (Vec::new(), 0);
    let routed = flow.field("route");
    let back = flow.field("reverse-route");
    if let Some(field) = back.as_ref().filter(|_| acknowledged == Some(false)) {
        let message = format!("nothing of {} comes back: only TCP is acknowledged", flow.place);
        let span = flow.key_span("reverse-route");
        return Err(field.report.error(span, message, "nothing to route", "remove `reverse-route`"));
    }
    let mut ways_back: BTreeMap<usize, Vec<Option<usize>>> = BTreeMap::new();
    for &source in &sources {
        let ways = if routed.is_none() { network.ways(source) } else { Vec::new() };
        for (&target, item) in targets.iter().zip(&to.items) {
            if source == target {
                if from.many && to.many {
                    continue;
                }
                return Err(goes_nowhere(flow, item, &network.nodes[source]));
            }
            let out_of_reach = |from: usize, to: usize, why: &str| {
                let (from, to) = (&network.nodes[from], &network.nodes[to]);
                let help = format!("add a [[network.link]] on the way from {from} to {to}, or `duplex = true` to one");
                item.error(format!("no way leads from {from} to {to}{why}"), "out of reach", help)
            };
            let links = match &routed {
                Some(field) => network.route(field, source, target)?,
                None => network.shortest(&ways, source, target).ok_or_else(|| out_of_reach(source, target, ""))?,
            };
            let reverse_links = match &back {
                _ if acknowledged != Some(true) => Vec::new(),
                Some(field) => network.route(field, target, source)?,
                None if let Some(links) = returns.then(|| network.reversed(&links)).flatten() => links,
                None => {
                    if ways_back.len() * network.nodes.len() > MOST_WAYS_KEPT {
                        ways_back.clear();
                    }
                    let ways = ways_back.entry(target).or_insert_with(|| network.ways(target));
                    let way = network.shortest(ways, target, source);
                    way.ok_or_else(|| out_of_reach(target, source, ", which acknowledgements need"))?
                }
            };
            hops += links.len() + reverse_links.len();
            check_hops(hops, |message, help| item.error(message, "too long ways", help))?;
            let names = |links: &[usize]| links.iter().map(|&link| network.links[link].name.clone()).collect();
            let (route, reverse_route) = (names(&links), names(&reverse_links));
            pairs.push((end(source), end(target), Way::Network { route, links, reverse_route, reverse_links }));
        }
    }
    not_empty(flow, pairs, from.many, to.many)
}

/// Reads all items and so reports all that is wrong with them.
fn all<'a, T>(items: &[Field<'a>], read: impl Fn(&Field<'a>) -> Result<T, Reported>) -> Result<Vec<T>, Reported> {
    let read: Vec<_> = items.iter().map(read).collect();
    read.into_iter().collect()
}

/// Reports what a list names twice.
fn each_once<T: Copy + Ord>(read: &[T], items: &[Field<'_>]) -> Result<(), Reported> {
    let mut seen = BTreeSet::new();
    let twice = read.iter().zip(items).find(|(end, _)| !seen.insert(**end));
    twice.map_or(Ok(()), |(_, item)| {
        let message = format!("{} lists {} twice", item.place, item.node.to_inline_toml());
        Err(item.error(message, "again", "remove it; flows between the same two ends need two [[flow]] tables"))
    })
}

fn check_count(flow: &Table<'_>, from: usize, to: usize) -> Result<(), Reported> {
    if from.saturating_mul(to) > MOST_FLOWS {
        let message = format!("{} stands for {from} times {to} flows", flow.place);
        return Err(flow.report.error(
            flow.span.clone(),
            message,
            "too many flows",
            format!("write at most {MOST_FLOWS}"),
        ));
    }
    Ok(())
}

/// Refuses ways that are too long together. `error` makes an error of a message and its mend.
pub(crate) fn check_hops(hops: usize, error: impl Fn(String, &str) -> Reported) -> Result<(), Reported> {
    if hops <= MOST_HOPS {
        return Ok(());
    }
    let most = MOST_HOPS / 1_000_000;
    let message = format!("the ways of these flows and of those before come to more than {most} million links");
    Err(error(message, "write fewer flows, or a network in which their ways are shorter"))
}

fn goes_nowhere(flow: &Table<'_>, item: &Field<'_>, end: &str) -> Reported {
    let message = format!("{} goes from {end} to {end}", flow.place);
    item.error(message, "same as `from`", "write a `to` that is not in `from`")
}

fn not_empty(flow: &Table<'_>, pairs: Vec<(End, End, Way)>, many_from: bool, many_to: bool) -> Result<Ends, Reported> {
    if pairs.is_empty() {
        let message = format!("{} goes nowhere: `from` and `to` are the same", flow.place);
        return Err(flow.report.error(
            flow.key_span("to"),
            message,
            "same as `from`",
            "write a `to` that is not in `from`",
        ));
    }
    Ok(Ends { pairs, many_from, many_to })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn ways_may_have_so_many_links_and_no_more() {
        let told = RefCell::new(Vec::new());
        let error = |message: String, help: &str| {
            told.borrow_mut().push(format!("{message}; {help}"));
            Reported
        };
        assert!(check_hops(MOST_HOPS, error).is_ok());
        assert!(check_hops(MOST_HOPS + 1, error).is_err());
        let told = told.into_inner();
        assert!(told.len() == 1 && told[0].contains("more than 20 million links; write fewer flows"), "{told:?}");
    }
}
