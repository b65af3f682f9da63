//! `[[flow]]`: reads the tables and spells out those that stand for several flows.

use super::Flow;
use super::activity::Activity;
use super::ends::{MOST_FLOWS, check_hops, read_nodes, read_stations};
use super::traffic::Traffic;
use crate::network::Network;
use crate::reading::diagnostic::Reported;
use crate::reading::document::Value;
use crate::reading::table::{Field, Table};
use crate::run::Run;
use fairwire_alloc::LARGEST_WEIGHT;
use fairwire_core::{BitRate, Bytes, ServiceClass, Span, is_text_control};
use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) const KEYS: &[&str] = &[
    "name",
    "from",
    "to",
    "ringlet",
    "route",
    "reverse-route",
    "micro-flows",
    "traffic",
    "demand",
    "weight",
    "start",
    "start-jitter",
    "stagger",
    "stop",
    "active",
    "class",
    "order",
    "wrap-eligible",
    "min-rate",
    "peak-rate",
    "supported-rate",
    "priority",
];
/// What only flows of a network have, and why those of a ring do not.
const OF_NETWORKS: &[(&str, &str)] = &[
    ("route", "flows of a ring have a `ringlet` instead"),
    ("reverse-route", "flows of a ring have a `ringlet` instead"),
    ("active", "only flows of a network have periods"),
    ("priority", "flows of a ring have a `class` instead"),
];
/// What only flows of a ring have.
const OF_RINGS: &[(&str, &str)] = &[
    ("ringlet", "flows of a network have a `route` instead"),
    ("order", "only protection of a ring changes a flow's way"),
    ("wrap-eligible", "only stations of a ring wrap"),
];
/// Micro-flows that one flow is made of at most.
pub(crate) const MOST_MICRO_FLOWS: u64 = 1_000_000;
pub(crate) const CLASSES: &[(&str, ServiceClass)] =
    &[("A0", ServiceClass::A0), ("A1", ServiceClass::A1), ("B", ServiceClass::B), ("C", ServiceClass::C)];

pub(crate) const PRIORITIES: &[(&str, bool)] = &[("normal", false), ("high", true)];
pub(crate) const ORDERS: &[(&str, bool)] = &[("relaxed", false), ("strict", true)];

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
    let Some(field) = root.field("flow") else {
        let help = "add a [[flow]] table with `name`, `from` and `to`";
        return Err(root.missing("flow", "no flows", help));
    };
    let items = field.tables("[[flow]]")?;
    if items.is_empty() {
        return Err(field.error(
            "a scenario without flows has nothing to share",
            "no flows",
            "write at least one [[flow]]",
        ));
    }
    let mut flows: Vec<Flow> = Vec::new();
    let mut seen: BTreeMap<String, &Field<'_>> = BTreeMap::new();
    let (mut fine, mut hops) = (Ok(()), 0);
    // Where the flows of each table begin.
    let mut first_of_table = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        first_of_table.push(flows.len());
        let new = match read(item, position, ground, run) {
            Ok(new) => new,
            Err(reported) => {
                fine = Err(reported);
                continue;
            }
        };
        for flow in new {
            if let Some(other) = seen.insert(flow.name.clone(), item) {
                let [other, line] = [other, item].map(|item| item.report.line(&place_of(item)));
                let message =
                    format!("the flow \"{}\" is declared on line {other} and again on line {line}", flow.name);
                fine = Err(item.report.error(
                    flow.span.clone(),
                    message,
                    "declared again",
                    "give one of the two flows another `name`",
                ));
            }
            hops += flow.way.hops();
            flows.push(flow);
        }
        check_hops(hops, |message, help| item.error(message, "too long ways", help))?;
        if flows.len() > MOST_FLOWS {
            let message = format!("this makes more than {MOST_FLOWS} flows");
            let help = "write fewer `[[flow]]`, or fewer places in `from` and `to`";
            return Err(item.error(message, "too many flows", help));
        }
    }
    fine?;
    if matches!(ground, Ground::Ring(_)) {
        warn_of_idle_weights(&items, &first_of_table, &flows);
    }
    Ok(flows)
}

/// On a ring a flow's weight counts among the flows of its station. One that has none beside it should probably
/// have weighed the station.
fn warn_of_idle_weights(items: &[Field<'_>], first_of_table: &[usize], flows: &[Flow]) {
    let mut of_station: BTreeMap<usize, usize> = BTreeMap::new();
    flows.iter().for_each(|flow| *of_station.entry(flow.from.index).or_default() += 1);
    for (position, item) in items.iter().enumerate() {
        let Some(weight) = item.node.get("weight") else { continue };
        let end = first_of_table.get(position + 1).copied().unwrap_or(flows.len());
        let new = &flows[first_of_table[position]..end];
        let Some(flow) = new.first().filter(|flow| flow.weight != 1.0) else { continue };
        if new.iter().all(|flow| of_station[&flow.from.index] == 1) {
            let station = flow.from.index;
            let message = format!(
                "the weight of flow \"{}\" changes nothing for a ring's laws and under RIAS: station {station} sends no other flow",
                flow.name
            );
            let help = format!("to weigh the station, write `weights = {{ {station} = {} }}` in [ring]", flow.weight);
            item.report.warning(weight.key_span.clone(), message, "nobody to weigh it against", help);
        }
    }
}

/// The largest packet that any flow makes.
pub(crate) fn largest_packet(flows: &[Flow]) -> Bytes {
    flows.iter().map(|flow| flow.traffic.largest_packet()).max().unwrap_or_default()
}

/// What the flows of one table have in common.
struct Shared {
    weight: f64,
    micro_flows: u32,
    traffic: Traffic,
    start: Span,
    start_jitter: Span,
    active: Option<Activity>,
    /// How much later each flow of the table starts than the one before.
    stagger: Span,
    stop: Option<Span>,
    peak_rate: Option<BitRate>,
    supported_rate: Option<BitRate>,
    class: ServiceClass,
    strict_order: bool,
    wrap_eligible: bool,
    min_rate: BitRate,
    high_priority: bool,
}

/// Where a table of flows is shown: at its name, whose neighbours are lines of its own. The header's neighbour is the flow
/// before.
fn place_of(item: &Field<'_>) -> Range<usize> {
    item.node.get("name").map_or_else(|| item.span(), |entry| entry.node.span.clone())
}

/// Reads the table at `position` of all.
fn read(
    item: &Field<'_>,
    position: usize,
    ground: &Ground<'_>,
    run: Result<&Run, Reported>,
) -> Result<Vec<Flow>, Reported> {
    let place = match item.node.get("name").map(|entry| &entry.node.value) {
        Some(Value::Text(name)) => format!("flow \"{name}\""),
        _ => "[[flow]]".to_owned(),
    };
    let mut flow = item.open_table(place, "{ name = \"a\" }")?;
    flow.span = place_of(item);
    check_keys(&flow, ground);
    let free_name = format!("\"flow-{}\"", position + 1);
    let name = flow.need("name", &free_name).and_then(|field| read_name(&field));
    let shared = Shared::read(&flow, ground);
    let ends = match ground {
        Ground::Ring(stations) => read_stations(&flow, *stations),
        Ground::Network(network) => read_nodes(&flow, *network, shared.as_ref().ok().map(|shared| &shared.traffic)),
    };
    let (name, ends, shared) = (name?, ends?, shared?);
    let starts = (0..).map(|flow| shared.start + shared.stagger * flow);
    let last_start = shared.start + shared.stagger * (ends.pairs.len() as u64 - 1);
    check_times(&flow, last_start, shared.stop, run.ok())?;
    let flows = ends.pairs.into_iter().zip(starts).map(|((from, to, way), start)| Flow {
        name: match (ends.many_from, ends.many_to) {
            (false, false) => name.to_owned(),
            (true, false) => format!("{name}-{from}"),
            (_, true) => format!("{name}-{from}-{to}"),
        },
        from,
        to,
        way,
        weight: shared.weight,
        class: shared.class,
        strict_order: shared.strict_order,
        wrap_eligible: shared.wrap_eligible,
        min_rate: shared.min_rate,
        micro_flows: shared.micro_flows,
        traffic: shared.traffic,
        high_priority: shared.high_priority,
        start,
        start_jitter: shared.start_jitter,
        active: shared.active,
        stop: shared.stop,
        peak_rate: shared.peak_rate,
        supported_rate: shared.supported_rate,
        min_rate_span: flow.key_span("min-rate"),
        span: flow.span.clone(),
    });
    Ok(flows.collect())
}

fn check_keys(flow: &Table<'_>, ground: &Ground<'_>) {
    let foreign = match ground {
        Ground::Ring(_) => OF_NETWORKS,
        Ground::Network(_) => OF_RINGS,
    };
    let is_foreign = |key: &str| foreign.iter().find(|(known, _)| *known == key);
    let own: Vec<&str> = KEYS.iter().copied().filter(|key| is_foreign(key).is_none()).collect();
    for entry in flow.entries() {
        if let Some((key, why)) = is_foreign(&entry.key) {
            let message = format!("{} has no `{key}`: {why}", flow.place);
            flow.report.error(entry.key_span.clone(), message, "not here", format!("remove `{key}`"));
        } else if !own.contains(&entry.key.as_str()) {
            flow.unknown_key(entry, &own);
        }
    }
}

fn read_name<'a>(field: &Field<'a>) -> Result<&'a str, Reported> {
    let name = field.some_text("\"to-hub\"")?;
    if name.contains(|c: char| c == '*' || c == '?' || is_text_control(c)) {
        let message = "a flow's name has no `*`, `?` or control characters: patterns stand for several flows";
        return Err(field.error(message, "not a name", "write letters, digits and hyphens, as in `name = \"to-hub\"`"));
    }
    Ok(name)
}

impl Shared {
    fn read(flow: &Table<'_>, ground: &Ground<'_>) -> Result<Self, Reported> {
        let weight = flow.field("weight").map_or(Ok(1.0), |field| field.weight());
        let micro_flows = flow.field("micro-flows").map_or(Ok(1), |field| field.integer(1..=MOST_MICRO_FLOWS, "10"));
        let traffic = read_traffic(flow);
        let start = flow.field("start").map_or(Ok(Span::ZERO), |field| field.quantity());
        let start_jitter = flow.field("start-jitter").map_or(Ok(Span::ZERO), |field| field.quantity());
        let active = flow.field("active").map(|field| Activity::read(&field)).transpose();
        let stagger = flow.field("stagger").map_or(Ok(Span::ZERO), |field| field.quantity());
        let stop = flow.field("stop").map(|field| field.quantity()).transpose();
        let class = flow.field("class").map_or(Ok(ServiceClass::C), |field| read_class(&field, ground));
        let strict_order = flow.field("order").map_or(Ok(false), |field| field.word(ORDERS));
        let wrap_eligible = flow.field("wrap-eligible").map_or(Ok(true), |field| field.boolean());
        let high_priority = flow.field("priority").map_or(Ok(false), |field| field.word(PRIORITIES));
        let peak_rate = flow.field("peak-rate").map(|field| field.quantity()).transpose();
        let supported_rate = flow.field("supported-rate").map(|field| field.quantity()).transpose();
        let (class, traffic, micro_flows) = (class?, traffic?, micro_flows? as u32);
        check_class(flow, class, &traffic)?;
        check_explicit_rate(flow, ground, &traffic)?;
        check_offered(flow, &traffic, micro_flows)?;
        let weight = weight?;
        if let Ground::Network(_) = ground {
            check_share(flow, weight, micro_flows)?;
        }
        let (peak_rate, supported_rate) = (peak_rate?, supported_rate?);
        let min_rate = read_min_rate(flow, class, &traffic, micro_flows)?;
        check_ceilings(flow, min_rate, [("peak-rate", peak_rate), ("supported-rate", supported_rate)])?;
        Ok(Self {
            weight,
            class,
            strict_order: strict_order?,
            wrap_eligible: wrap_eligible?,
            min_rate,
            high_priority: high_priority?,
            micro_flows,
            traffic,
            start: start?,
            start_jitter: start_jitter?,
            active: active?,
            stagger: stagger?,
            stop: stop?,
            peak_rate,
            supported_rate,
        })
    }
}

fn read_traffic(flow: &Table<'_>) -> Result<Traffic, Reported> {
    match (flow.field("traffic"), flow.field("demand")) {
        (None, None) => Ok(Traffic::GREEDY),
        (Some(field), None) => Traffic::read(&field),
        (None, Some(demand)) => demand.quantity().map(Traffic::constant),
        (Some(_), Some(demand)) => Err(demand.error(
            format!("{} has both `traffic` and `demand`", flow.place),
            "one too many",
            "keep one: `demand = \"…\"` is short for `traffic = { kind = \"cbr\", rate = \"…\" }`",
        )),
    }
}

fn read_class(field: &Field<'_>, ground: &Ground<'_>) -> Result<ServiceClass, Reported> {
    let class = field.word(CLASSES)?;
    match ground {
        Ground::Network(_) if class != ServiceClass::C => {
            Err(field.error("only rings have service classes", "not in a network", "remove `class`"))
        }
        _ => Ok(class),
    }
}

/// Only switches of a network tell flows their rates.
fn check_explicit_rate(flow: &Table<'_>, ground: &Ground<'_>, traffic: &Traffic) -> Result<(), Reported> {
    if !traffic.is_explicit_rate() || matches!(ground, Ground::Network(_)) {
        return Ok(());
    }
    let message = format!("{} is told its rate by switches, and a ring has none", flow.place);
    let help = "write another `kind`: on a ring `law` of [ring] limits what stations add";
    Err(flow.report.error(flow.key_span("traffic"), message, "not on a ring", help))
}

/// Class A is for datagrams.
fn check_class(flow: &Table<'_>, class: ServiceClass, traffic: &Traffic) -> Result<(), Reported> {
    if !class.is_primary() || !traffic.is_acknowledged() {
        return Ok(());
    }
    let message = format!(
        "{} is TCP of class {class:?}: classes A0 and A1 send what is reserved, and nothing is for acknowledgements",
        flow.place
    );
    let help = "write class = \"B\" with a `min-rate`, or remove `class`";
    Err(flow.report.error(flow.key_span("class"), message, "not for TCP", help))
}

/// From 2^53 b/s on, solvers cannot tell neighbouring rates apart.
fn check_offered(flow: &Table<'_>, traffic: &Traffic, micro_flows: u32) -> Result<(), Reported> {
    const TOO_LARGE_BPS: f64 = 9_007_199_254_740_992.0;
    let each = traffic.mean_rate().map_or(0.0, BitRate::as_bps_f64);
    if each * f64::from(micro_flows) < TOO_LARGE_BPS {
        return Ok(());
    }
    let key = if flow.field("demand").is_some() { "demand" } else { "traffic" };
    let message =
        format!("{} offers {:e} b/s, and rates stay below 2^53 b/s", flow.place, each * f64::from(micro_flows));
    let help = format!("leave `{key}` out for a flow that takes all it can get, or write at most \"9000 Tb/s\" in all");
    Err(flow.report.error(flow.key_span(key), message, "too large", help))
}

/// In a network a flow weighs as much as its micro-flows together.
pub(crate) fn check_share(flow: &Table<'_>, weight: f64, micro_flows: u32) -> Result<(), Reported> {
    let share = weight * f64::from(micro_flows);
    if share <= LARGEST_WEIGHT {
        return Ok(());
    }
    let message =
        format!("the {micro_flows} micro-flows of {} weigh {share} together, more than {LARGEST_WEIGHT}", flow.place);
    let help = format!("write a `weight` of at most {}, or fewer micro-flows", LARGEST_WEIGHT / f64::from(micro_flows));
    Err(flow.report.error(flow.key_span("weight"), message, "too much", help))
}

/// What class A has reserved (what it sends, unless told), what class B has committed,
/// and what others are promised.
fn read_min_rate(
    flow: &Table<'_>,
    class: ServiceClass,
    traffic: &Traffic,
    micro_flows: u32,
) -> Result<BitRate, Reported> {
    let given = flow.field("min-rate");
    match (class, given) {
        (ServiceClass::C, None) | (ServiceClass::B, None) => Ok(BitRate::ZERO),
        (ServiceClass::C | ServiceClass::B, Some(field)) => field.quantity(),
        (_, Some(field)) => field.positive(),
        (ServiceClass::A0 | ServiceClass::A1, None) => {
            traffic.mean_rate().map(|rate| rate.scaled(micro_flows.into())).ok_or_else(|| {
                let message = format!("{} sends without end and says no `min-rate` to reserve for it", flow.place);
                flow.missing("min-rate", &message, "write what is reserved, as in `min-rate = \"50 Mb/s\"`")
            })
        }
    }
}

/// A flow cannot be promised more than it may have.
fn check_ceilings(flow: &Table<'_>, min_rate: BitRate, ceilings: [(&str, Option<BitRate>); 2]) -> Result<(), Reported> {
    let below = ceilings.into_iter().find_map(|(key, most)| Some((key, most.filter(|most| *most < min_rate)?)));
    let Some((key, most)) = below else { return Ok(()) };
    let message = format!("{} is promised {min_rate}, more than its `{key}` of {most}", flow.place);
    let help = format!("write a `min-rate` of at most \"{most}\", or raise `{key}`");
    Err(flow.report.error(flow.key_span("min-rate"), message, "more than it may have", help))
}

/// `start` is that of the table's last flow.
fn check_times(flow: &Table<'_>, start: Span, stop: Option<Span>, run: Option<&Run>) -> Result<(), Reported> {
    if let Some((stop, field)) = stop.zip(flow.field("stop")).filter(|(stop, _)| *stop <= start) {
        let message = format!("{} stops at {stop} and starts at {start}", flow.place);
        let help = format!("write a `stop` after \"{start}\", or an earlier `start`");
        return Err(field.error(message, "not after `start`", help));
    }
    if let Some(run) = run.filter(|run| start >= run.duration) {
        let message = format!("{} starts at {start}, but the run ends at {}", flow.place, run.duration);
        let help = "write an earlier `start` or a longer `duration`";
        flow.report.warning(flow.key_span("start"), message, "never sends", help);
    }
    Ok(())
}
