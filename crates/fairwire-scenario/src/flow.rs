//! `[[flow]]`: who sends where, what, and when.

use crate::diagnostic::Reported;
use crate::document::Value;
use crate::network::Network;
use crate::run::Run;
use crate::table::{Field, Table};
use crate::traffic::Traffic;
use fairwire_core::{BitRate, Bytes, Ringlet, Span};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::Range;

/// One flow. A table that stands for several has become as many of these.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Flow {
    /// Its id; unique.
    pub name: String,
    /// Where it enters.
    pub from: End,
    /// Where it leaves.
    pub to: End,
    /// How it gets there.
    #[serde(flatten)]
    pub way: Way,
    /// Its weight: among the flows of its ingress on a ring and under RIAS,
    /// among all flows under weighted max-min.
    pub weight: f64,
    /// What it offers.
    pub traffic: Traffic,
    /// When it begins to offer.
    pub start: Span,
    /// When it stops, if before the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Span>,
    /// No more than this is granted, whatever it offers (networks only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_rate: Option<BitRate>,
    /// Where the table stands that declares it.
    #[serde(skip)]
    pub(crate) span: Range<usize>,
}

/// A station or node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Its number, from 0.
    pub index: usize,
    /// Its name, if it is a node of a network.
    pub name: Option<String>,
}

/// How a flow gets where it goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Way {
    /// Along one ringlet.
    Ring {
        /// Which.
        #[serde(serialize_with = "ringlet_number")]
        ringlet: Ringlet,
    },
    /// Over links of a network.
    Network {
        /// Their names, in order.
        route: Vec<String>,
        /// Their numbers.
        #[serde(skip)]
        links: Vec<usize>,
    },
}

impl Flow {
    /// The largest rate it can use in bit/s; infinite for demand without end.
    pub fn demand_bps(&self) -> f64 {
        let offered = self.traffic.mean_rate().map_or(f64::INFINITY, BitRate::as_bps_f64);
        self.peak_rate.map_or(offered, |peak| offered.min(peak.as_bps_f64()))
    }
}

/// The number of a station, or the name of a node.
impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.name {
            Some(name) => f.pad(name),
            None => self.index.fmt(f),
        }
    }
}

impl Serialize for End {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.name {
            Some(name) => serializer.serialize_str(name),
            None => serializer.serialize_u64(self.index as u64),
        }
    }
}

pub(crate) const KEYS: &[&str] = &[
    "name",
    "from",
    "to",
    "traffic",
    "demand",
    "start",
    "stop",
    "weight",
    "ringlet",
    "route",
    "class",
    "min-rate",
    "peak-rate",
];
const RING_KEYS: &[&str] = &[
    "name",
    "from",
    "to",
    "traffic",
    "demand",
    "start",
    "stop",
    "weight",
    "ringlet",
    "class",
    "min-rate",
    "peak-rate",
];
const NETWORK_KEYS: &[&str] =
    &["name", "from", "to", "traffic", "demand", "start", "stop", "weight", "route", "class", "min-rate", "peak-rate"];
pub(crate) const CLASSES: &[&str] = &["A0", "A1", "B", "C"];
/// More flows than this in one scenario are a slip.
const MOST_FLOWS: usize = 100_000;

/// What flows run on, as far as it could be read.
pub(crate) enum Ground<'a> {
    Ring(Result<u16, Reported>),
    Network(Result<&'a Network, Reported>),
}

/// Reads all `[[flow]]` tables.
pub(crate) fn read_all(
    root: &Table<'_>,
    ground: &Ground<'_>,
    run: Result<&Run, Reported>,
) -> Result<Vec<Flow>, Reported> {
    let example = match ground {
        Ground::Ring(_) => "[{ name = \"a\", from = 0, to = 1 }]",
        Ground::Network(_) => "[{ name = \"a\", from = \"x\", to = \"y\" }]",
    };
    let field = root.need("flow", example)?;
    let items = field.tables("[[flow]]")?;
    if items.is_empty() {
        return Err(field.error(
            "a scenario without flows has nothing to share",
            "no flows",
            "write at least one [[flow]]",
        ));
    }
    let mut flows: Vec<Flow> = Vec::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut fine = Ok(());
    for item in &items {
        let new = match read(item, ground, run) {
            Ok(new) => new,
            Err(reported) => {
                fine = Err(reported);
                continue;
            }
        };
        let line = item.report.line(&item.span());
        for flow in new {
            if let Some(other) = names.insert(flow.name.clone(), line) {
                let message =
                    format!("the flow \"{}\" is declared on line {other} and again on line {line}", flow.name);
                fine = Err(item.report.error(
                    flow.span.clone(),
                    message,
                    "declared again",
                    "give one of the two flows another `name`",
                ));
            }
            flows.push(flow);
        }
        if flows.len() > MOST_FLOWS {
            let message = format!("this makes more than {MOST_FLOWS} flows");
            return Err(item.error(message, "too many flows", "write fewer stations in `from` and `to`"));
        }
    }
    fine.map(|()| flows)
}

/// The largest packet that any flow makes.
pub(crate) fn largest_packet(flows: &[Flow]) -> Bytes {
    flows.iter().map(|flow| flow.traffic.largest_packet()).max().unwrap_or_default()
}

/// What the flows of one table have in common.
struct Shared {
    weight: f64,
    traffic: Traffic,
    start: Span,
    stop: Option<Span>,
    peak_rate: Option<BitRate>,
}

fn read(item: &Field<'_>, ground: &Ground<'_>, run: Result<&Run, Reported>) -> Result<Vec<Flow>, Reported> {
    let place = match item.node.get("name").map(|entry| &entry.node.value) {
        Some(Value::Text(name)) => format!("flow \"{name}\""),
        _ => "[[flow]]".to_owned(),
    };
    let flow = item.open_table(place, "{ name = \"a\" }")?;
    check_keys(&flow, ground);
    let name = flow.need("name", "\"a\"").and_then(|field| read_name(&field));
    let ends = match ground {
        Ground::Ring(stations) => read_stations(&flow, *stations),
        Ground::Network(network) => read_nodes(&flow, *network),
    };
    let shared = Shared::read(&flow, ground, run);
    let (name, ends, shared) = (name?, ends?, shared?);
    let flows = ends.pairs.into_iter().map(|(from, to, way)| Flow {
        name: match (ends.many_from, ends.many_to) {
            (false, false) => name.to_owned(),
            (true, false) => format!("{name}-{from}"),
            (_, true) => format!("{name}-{from}-{to}"),
        },
        from,
        to,
        way,
        weight: shared.weight,
        traffic: shared.traffic,
        start: shared.start,
        stop: shared.stop,
        peak_rate: shared.peak_rate,
        span: flow.span.clone(),
    });
    Ok(flows.collect())
}

fn check_keys(flow: &Table<'_>, ground: &Ground<'_>) {
    let (own, other, why) = match ground {
        Ground::Ring(_) => (RING_KEYS, "route", "flows of a ring have a `ringlet` instead"),
        Ground::Network(_) => (NETWORK_KEYS, "ringlet", "flows of a network have a `route` instead"),
    };
    for entry in flow.entries() {
        if entry.key == other {
            let message = format!("{} has no `{other}`: {why}", flow.place);
            flow.report.error(entry.key_span.clone(), message, "not here", format!("remove `{other}`"));
        } else if !own.contains(&entry.key.as_str()) {
            flow.unknown_key(entry, own);
        }
    }
}

fn read_name<'a>(field: &Field<'a>) -> Result<&'a str, Reported> {
    let name = field.some_text("\"to-hub\"")?;
    if name.contains(|c: char| c == '*' || c == '?' || c.is_control()) {
        let message = "a flow's name has no `*`, `?` or control characters: patterns stand for several flows";
        return Err(field.error(message, "not a name", "write letters, digits and hyphens, as in `name = \"to-hub\"`"));
    }
    Ok(name)
}

impl Shared {
    fn read(flow: &Table<'_>, ground: &Ground<'_>, run: Result<&Run, Reported>) -> Result<Self, Reported> {
        let weight = flow.field("weight").map_or(Ok(1.0), |field| field.weight());
        let traffic = read_traffic(flow);
        let start = flow.field("start").map_or(Ok(Span::ZERO), |field| field.quantity());
        let stop = flow.field("stop").map(|field| field.quantity()).transpose();
        let class = flow.field("class").map_or(Ok(()), |field| read_class(&field));
        let peak_rate = flow.field("peak-rate").map(|field| read_peak_rate(&field, ground)).transpose();
        let min_rate = flow.field("min-rate").map_or(Ok(()), |field| {
            let help = "remove `min-rate`; a `weight` above 1 gives a flow more than its neighbours";
            Err(field.report.error(flow.key_span("min-rate"), "`min-rate` is not built yet", "not built yet", help))
        });
        let (start, stop) = (start?, stop?);
        check_times(flow, start, stop, run.ok())?;
        class.and(min_rate)?;
        Ok(Self { weight: weight?, traffic: traffic?, start, stop, peak_rate: peak_rate? })
    }
}

fn read_traffic(flow: &Table<'_>) -> Result<Traffic, Reported> {
    match (flow.field("traffic"), flow.field("demand")) {
        (None, None) => Ok(Traffic::GREEDY),
        (Some(traffic), None) => Traffic::read(&traffic),
        (None, Some(demand)) => demand.positive().map(Traffic::constant),
        (Some(_), Some(demand)) => Err(demand.error(
            format!("{} has both `traffic` and `demand`", flow.place),
            "one too many",
            "keep one: `demand = \"…\"` is short for `traffic = { kind = \"cbr\", rate = \"…\" }`",
        )),
    }
}

fn read_class(field: &Field<'_>) -> Result<(), Reported> {
    match field.text("\"C\"")? {
        "C" => Ok(()),
        word if CLASSES.contains(&word) => Err(field.error(
            format!("class {word} is not built yet"),
            "not built yet",
            "write `class = \"C\"` or remove `class`",
        )),
        word => Err(field.unknown_word(word, CLASSES)),
    }
}

fn read_peak_rate(field: &Field<'_>, ground: &Ground<'_>) -> Result<BitRate, Reported> {
    let rate = field.positive()?;
    match ground {
        Ground::Network(_) => Ok(rate),
        Ground::Ring(_) => Err(field.error(
            "`peak-rate` is for flows of a [network]",
            "not on a ring",
            "write the rate into `traffic` instead, as in `traffic = { kind = \"cbr\", rate = \"100 Mb/s\" }`",
        )),
    }
}

fn check_times(flow: &Table<'_>, start: Span, stop: Option<Span>, run: Option<&Run>) -> Result<(), Reported> {
    if let Some((stop, field)) = stop.zip(flow.field("stop")).filter(|(stop, _)| *stop <= start) {
        let message = format!("{} stops at {stop} and starts at {start}", flow.place);
        return Err(field.error(
            message,
            "not after `start`",
            format!("write a later `stop`, after \"{start}\", or an earlier `start`"),
        ));
    }
    if let Some((run, field)) = run.zip(flow.field("start")).filter(|(run, _)| start >= run.duration) {
        let message = format!("{} starts at {start}, but the run ends at {}", flow.place, run.duration);
        field.report.warning(field.span(), message, "never sends", "write an earlier `start` or a longer `duration`");
    }
    Ok(())
}

/// The pairs that a table stands for, with their ways.
struct Ends {
    pairs: Vec<(End, End, Way)>,
    many_from: bool,
    many_to: bool,
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
#[derive(Clone, Copy)]
enum Target {
    Station(u16),
    Ahead(i64),
}

fn read_stations(flow: &Table<'_>, stations: Result<u16, Reported>) -> Result<Ends, Reported> {
    let (from, to) = (written(flow, "from", "1"), written(flow, "to", "5"));
    let ringlet = flow.field("ringlet").map_or(Ok(None), |field| read_ringlet(&field));
    let (from, to, stations) = (from?, to?, stations?);
    let sources = all(&from.items, |item| read_station(item, stations));
    let targets = all(&to.items, |item| match &item.node.value {
        Value::Text(text) => read_ahead(item, text, stations),
        _ => read_station(item, stations).map(Target::Station),
    });
    let (sources, targets, ringlet) = (sources?, targets?, ringlet?);
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
fn shorter(from: usize, to: usize, stations: usize) -> Ringlet {
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

/// `"+4"`: so many stations on, in the direction of ringlet 0.
fn read_ahead(item: &Field<'_>, text: &str, stations: u16) -> Result<Target, Reported> {
    let signed = text.starts_with(['+', '-']).then(|| text.parse::<i64>().ok()).flatten();
    match signed.filter(|steps| steps.unsigned_abs() < u64::from(stations)) {
        Some(steps) => Ok(Target::Ahead(steps)),
        None => {
            let message = format!("`to` of {} cannot be \"{text}\"", item.place);
            let help =
                format!("write the number of a station, from 0 to {}, or \"+4\" for four stations on", stations - 1);
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

fn read_nodes(flow: &Table<'_>, network: Result<&Network, Reported>) -> Result<Ends, Reported> {
    let (from, to) = (written(flow, "from", "\"a\""), written(flow, "to", "\"b\""));
    let (from, to, network) = (from?, to?, network?);
    let sources = all(&from.items, |item| network.node(item));
    let targets = all(&to.items, |item| network.node(item));
    let (sources, targets) = (sources?, targets?);
    check_count(flow, sources.len(), targets.len())?;
    let end = |index: usize| End { index, name: Some(network.nodes[index].clone()) };
    let mut pairs = Vec::new();
    for &source in &sources {
        for (&target, item) in targets.iter().zip(&to.items) {
            if source == target {
                if from.many && to.many {
                    continue;
                }
                return Err(goes_nowhere(flow, item, &network.nodes[source]));
            }
            let links = match flow.field("route") {
                Some(field) => network.route(&field, source, target)?,
                None => network.shortest(source, target).ok_or_else(|| {
                    let (from, to) = (&network.nodes[source], &network.nodes[target]);
                    let message = format!("no way leads from {from} to {to}");
                    item.error(
                        message,
                        "out of reach",
                        format!("add a [[network.link]] on the way from {from} to {to}, or `duplex = true` to one"),
                    )
                })?,
            };
            let route = links.iter().map(|&link| network.links[link].name.clone()).collect();
            pairs.push((end(source), end(target), Way::Network { route, links }));
        }
    }
    not_empty(flow, pairs, from.many, to.many)
}

/// Reads all items and so reports all that is wrong with them.
fn all<'a, T>(items: &[Field<'a>], read: impl Fn(&Field<'a>) -> Result<T, Reported>) -> Result<Vec<T>, Reported> {
    let read: Vec<_> = items.iter().map(read).collect();
    read.into_iter().collect()
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

fn ringlet_number<S: Serializer>(ringlet: &Ringlet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(ringlet.index() as u64)
}
