//! `[[network.link]]`: a directed link, or two, and the queues in front of them.

use super::queue::{self, PlacedLimit};
use super::rate::{self, LinkRate};
use super::{Names, node};
use crate::reading::diagnostic::Reported;
use crate::reading::percent::Percent;
use crate::reading::table::{Field, Table};
use crate::ring::{LEFT_OUT, NEARLY_NOTHING, read_capacity};
use crate::run::Run;
use fairwire_core::{BitRate, Span};
use fairwire_laws::queue::{Limit, QueueLawChoice};
use serde::Serialize;
use std::collections::BTreeMap;

/// One directed link.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NetworkLink {
    /// Its name; unique.
    pub name: String,
    /// The node it leaves.
    pub from: String,
    /// The node it reaches.
    pub to: String,
    /// Bits per second.
    pub capacity: BitRate,
    /// Propagation time.
    pub delay: Span,
    /// The law of its queue, if not that of the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueLawChoice>,
    /// What it says about its port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<LinkRate>,
    #[serde(serialize_with = "queue::limit_text")]
    pub(crate) limit: PlacedLimit,
    /// Part of the packets that the link loses.
    #[serde(skip_serializing_if = "is_default")]
    pub random_loss: Percent,
    /// Propagation times are longer by a uniform time up to this.
    #[serde(skip_serializing_if = "is_default")]
    pub reordering: Span,
    /// From when on the link has which other capacity, in order of time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<CapacityChange>,
    #[serde(skip)]
    pub(crate) ends: (usize, usize),
}

/// A link's capacity becomes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CapacityChange {
    /// When.
    pub at: Span,
    /// Bits per second from then on.
    pub capacity: BitRate,
}

impl NetworkLink {
    /// What its queue holds at most, the packet in transmission not counted.
    pub fn limit(&self) -> Limit {
        self.limit.limit
    }
}

pub(crate) const LINK_KEYS: &[&str] = &[
    "name",
    "from",
    "to",
    "capacity",
    "delay",
    "duplex",
    "queue",
    "rate",
    "limit",
    "back-queue",
    "back-limit",
    "random-loss",
    "reordering",
    "changes",
];
pub(crate) const CHANGE_KEYS: &[&str] = &["at", "capacity"];
/// What the way back of a duplex link is called.
const BACK: &str = "-back";

/// What all links of a network have unless they say otherwise, and what they may name.
pub(crate) struct Around<'a> {
    pub nodes: &'a [String],
    pub by_name: &'a Names,
    pub limit: &'a PlacedLimit,
    pub run: Option<&'a Run>,
}

/// Reads all `[[network.link]]` tables.
pub(crate) fn read_all(network: &Table<'_>, around: &Around<'_>) -> Result<Vec<NetworkLink>, Reported> {
    let Some(field) = network.field("link") else {
        let help = "add a [[network.link]] table with `from`, `to` and `capacity`";
        return Err(network.missing("link", "no links", help));
    };
    let items = field.tables("[[network.link]]")?;
    if items.is_empty() {
        let help = "write at least one [[network.link]] with `from`, `to` and `capacity`";
        return Err(network.report.error(
            network.key_span("link"),
            "a network without links carries nothing",
            "no links",
            help,
        ));
    }
    let mut links: Vec<NetworkLink> = Vec::new();
    let mut seen: BTreeMap<String, &Field<'_>> = BTreeMap::new();
    let mut fine = Ok(());
    for item in &items {
        let new = match read(item, around) {
            Ok(new) => new,
            Err(reported) => {
                fine = Err(reported);
                continue;
            }
        };
        for link in new {
            if let Some(other) = seen.insert(link.name.clone(), item) {
                let other = other.report.line(&other.span());
                let message = format!("the link \"{}\" is declared here and on line {other}", link.name);
                fine = Err(item.error(message, "declared twice", "give one of them another `name`"));
            }
            links.push(link);
        }
    }
    fine.map(|()| links)
}

fn read(item: &Field<'_>, around: &Around<'_>) -> Result<Vec<NetworkLink>, Reported> {
    let Around { nodes, by_name, .. } = *around;
    let link = item.table("[[network.link]]", LINK_KEYS, "{ from = \"a\", to = \"b\" }")?;
    let end = |key: &str, example: usize| {
        link.need(key, &format!("\"{}\"", nodes[example])).and_then(|field| node(&field, nodes, by_name))
    };
    let (from, to) = (end("from", 0), end("to", 1));
    let capacity = link.need("capacity", "\"10 Mb/s\"").and_then(|field| read_capacity(&field, LEFT_OUT));
    let delay = link.field("delay").map_or(Ok(Span::ZERO), |field| field.quantity());
    let duplex = link.field("duplex").map_or(Ok(false), |field| field.boolean());
    let name = link.field("name").map(|field| field.name("\"L1\"")).transpose();
    let (law, limit) = (queue::read_law(&link, "queue"), queue::read_limit(&link, "limit"));
    let (back_law, back_limit) = (queue::read_law(&link, "back-queue"), queue::read_limit(&link, "back-limit"));
    let rate = rate::read_link(&link);
    let random_loss = link.field("random-loss").map_or(Ok(Percent::default()), |field| field.percent(true));
    let reordering = link.field("reordering").map_or(Ok(Span::ZERO), |field| field.quantity());
    let changes = link.field("changes").map_or(Ok(Vec::new()), |field| read_changes(&field, around.run));
    let (from, to, capacity, delay, name) = (from?, to?, capacity?, delay?, name?);
    if from == to {
        let message = format!("a link from {} to itself carries nothing", nodes[from]);
        return Err(link.report.error(link.key_span("to"), message, "same as `from`", "write another node in `to`"));
    }
    let (duplex, law, limit, back_law, back_limit) = (duplex?, law?, limit?, back_law?, back_limit?);
    let (random_loss, reordering, changes, rate) = (random_loss?, reordering?, changes?, rate?);
    let one = |name: String, from: usize, to: usize| NetworkLink {
        name,
        from: nodes[from].clone(),
        to: nodes[to].clone(),
        capacity,
        delay,
        queue: law.clone(),
        rate: rate.clone(),
        limit: limit.clone().unwrap_or_else(|| around.limit.clone()),
        random_loss,
        reordering,
        changes: changes.clone(),
        ends: (from, to),
    };
    let between = |from: usize, to: usize| format!("{}-{}", nodes[from], nodes[to]);
    let mut links = vec![one(name.map_or_else(|| between(from, to), str::to_owned), from, to)];
    if duplex {
        let mut back = one(name.map_or_else(|| between(to, from), |name| format!("{name}{BACK}")), to, from);
        back.queue = back_law.or(back.queue);
        back.limit = back_limit.unwrap_or(back.limit);
        links.push(back);
    } else if let Some(field) = link.field("back-queue").or(link.field("back-limit")) {
        let message = format!("`{}` is for the way back, and this link has none", field.name);
        let span = link.key_span(&field.name);
        return Err(link.report.error(span, message, "no way back", "add `duplex = true`, or remove it"));
    }
    Ok(links)
}

/// Reads `changes = [{ at = "10 s", capacity = "5 Mb/s" }]` and puts them in order of time.
fn read_changes(field: &Field<'_>, run: Option<&Run>) -> Result<Vec<CapacityChange>, Reported> {
    let example = "[{ at = \"10 s\", capacity = \"5 Mb/s\" }]";
    let items = field.items().ok_or_else(|| field.wrong_type("a list of tables", example))?;
    let mut changes: Vec<CapacityChange> = Vec::new();
    let mut fine = Ok(());
    for item in &items {
        match read_change(item, run) {
            Err(reported) => fine = Err(reported),
            Ok(change) if changes.iter().any(|known| known.at == change.at) => {
                let message = format!("the capacity changes twice at {}", change.at);
                fine = Err(item.error(message, "again", "remove one of the two"));
            }
            Ok(change) => changes.push(change),
        }
    }
    changes.sort_by_key(|change| change.at);
    fine.map(|()| changes)
}

fn read_change(item: &Field<'_>, run: Option<&Run>) -> Result<CapacityChange, Reported> {
    let change = item.table("`changes`", CHANGE_KEYS, "{ at = \"10 s\", capacity = \"5 Mb/s\" }")?;
    let at = change.need("at", "\"10 s\"").and_then(|field| field.positive::<Span>());
    let capacity = change.need("capacity", "\"5 Mb/s\"").and_then(|field| read_capacity(&field, NEARLY_NOTHING));
    let at = at?;
    if let Some(run) = run.filter(|run| at >= run.duration) {
        let message = format!("a change at {at} comes after the end of the run at {}", run.duration);
        let help = "write an earlier `at`, or a longer `duration` in [run]";
        item.report.warning(change.key_span("at"), message, "never happens", help);
    }
    Ok(CapacityChange { at, capacity: capacity? })
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
