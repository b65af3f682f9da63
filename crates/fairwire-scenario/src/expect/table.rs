//! `[expect]`: reads what a scenario promises.

use super::{Bound, Expectation, FlowMeasure, Measure, Unit, explicit_rates, matches};
use crate::flow::{Flow, Way};
use crate::network::Network;
use crate::reading::diagnostic::Reported;
use crate::reading::document::{Entry, Node, Value};
use crate::reading::percent::Percent;
use crate::reading::suggest::{list, nearest};
use crate::reading::table::{Field, Table};
use fairwire_alloc::Criterion;
use fairwire_core::{BitRate, Span};

pub(crate) const FLOW_MEASURES: &[&str] = &[
    "rate.mean",
    "fair-rate",
    "ratio",
    "loss",
    "delay.mean",
    "delay.p50",
    "delay.p95",
    "delay.p99",
    "transfer.mean",
    "transfer.p50",
    "transfer.p90",
    "transfer.p99",
    "response",
];
pub(crate) const MEASURES: &[&str] = &[
    "fair",
    "fair.after-events",
    "jain",
    "jain.windows",
    "utilisation",
    "oscillation",
    "time-to-fair.5%",
    "queue.max",
    "queue.LINK.max",
];
const BOUND_KEYS: &[&str] = &["value", "within", "min", "max"];
const CRITERION_KEYS: &[&str] = &["value", "within", "min", "max", "criterion"];
/// The order in which the keys of a promise are written.
pub(crate) const BOUND_ORDER: &[&str] = &["criterion", "value", "min", "max", "within"];
const FAIR_KEYS: &[&str] = &["criterion", "within"];

/// Reads `[expect]`.
pub(crate) fn read_all(root: &Table<'_>, about: &About<'_>) -> Result<Vec<Expectation>, Reported> {
    let Some(field) = root.field("expect") else { return Ok(Vec::new()) };
    let expect = field.open_table("[expect]", "{ fair = { criterion = \"rias\", within = \"1 %\" } }")?;
    let mut leaves = Vec::new();
    collect(expect.entries(), "", &mut leaves);
    let read: Vec<_> = leaves.iter().map(|(key, entry)| read(&expect, key, entry, about)).collect();
    read.into_iter().collect()
}

/// What promises, and measures of a sweep, are about.
pub(crate) struct About<'a> {
    pub flows: &'a [Flow],
    pub network: Option<&'a Network>,
    pub usual: Criterion,
}

/// Finds the promises: keys may be quoted whole or written as dotted tables.
fn collect<'a>(entries: &'a [Entry], prefix: &str, leaves: &mut Vec<(String, &'a Entry)>) {
    for entry in entries {
        let key = if prefix.is_empty() { entry.key.clone() } else { format!("{prefix}.{}", entry.key) };
        match entry.node.entries() {
            Some(inner)
                if !inner.is_empty() && !inner.iter().any(|inner| CRITERION_KEYS.contains(&inner.key.as_str())) =>
            {
                // A promise with nothing but unknown keys is still a promise.
                if inner.iter().all(|inner| inner.node.entries().is_some()) {
                    collect(inner, &key, leaves);
                } else {
                    leaves.push((key, entry));
                }
            }
            _ => leaves.push((key, entry)),
        }
    }
}

fn read(expect: &Table<'_>, key: &str, entry: &Entry, about: &About<'_>) -> Result<Expectation, Reported> {
    let field = Field { node: &entry.node, name: key.to_owned(), place: "[expect]".to_owned(), report: expect.report };
    let measure = read_measure(&field, entry, about)?;
    let example = example(&measure);
    let keys = match &measure {
        Measure::Fair { .. } | Measure::FairAfterEvents { .. } => FAIR_KEYS,
        Measure::Flow { what: FlowMeasure::FairRate(_), .. } => CRITERION_KEYS,
        _ => BOUND_KEYS,
    };
    let promise = field.table(format!("\"{key}\""), keys, &example)?;
    let bound = match &measure {
        Measure::Fair { .. } | Measure::FairAfterEvents { .. } => promise
            .need("within", "\"1 %\"")?
            .percent(false)
            .map(|within| Bound::Near { value: 1.0, tolerance: within.fraction() }),
        _ => read_bound(&promise, &measure, &example),
    };
    Ok(Expectation { key: key.to_owned(), bound: bound?, measure, span: entry.key_span.clone() })
}

fn example(measure: &Measure) -> String {
    match (measure, measure.unit()) {
        (Measure::Fair { .. } | Measure::FairAfterEvents { .. }, _) => "{ criterion = \"rias\", within = \"1 %\" }",
        (Measure::DeepestQueue { .. }, _) => "{ max = 50 }",
        (_, Unit::Rate) => "{ value = \"155.5 Mb/s\", within = \"1 %\" }",
        (_, Unit::Time) => "{ max = \"5 ms\" }",
        (_, Unit::Number) => "{ min = 0.99 }",
        (_, Unit::Fraction) => "{ max = \"1 %\" }",
    }
    .to_owned()
}

/// The measure that a key names, for the flows that there are.
pub(crate) fn read_measure(field: &Field<'_>, entry: &Entry, about: &About<'_>) -> Result<Measure, Reported> {
    let About { flows, usual, .. } = *about;
    let key = field.name.as_str();
    let criterion = |usual: Criterion| match field.node.get("criterion") {
        None => Ok(usual),
        Some(entry) => read_criterion(&Field {
            node: &entry.node,
            name: "criterion".to_owned(),
            place: format!("\"{key}\""),
            report: field.report,
        }),
    };
    if let Some(rest) = key.strip_prefix("flow.") {
        let Some((pattern, what)) = FLOW_MEASURES
            .iter()
            .find_map(|name| rest.strip_suffix(name)?.strip_suffix('.').map(|pattern| (pattern, *name)))
        else {
            return Err(unknown(field, entry, FLOW_MEASURES, "flow.NAME."));
        };
        let chosen = matching(field, entry, pattern, flows)?;
        let what = match what {
            "rate.mean" => FlowMeasure::MeanRate,
            "fair-rate" => FlowMeasure::FairRate(criterion(usual)?),
            "ratio" => FlowMeasure::Ratio,
            "loss" => FlowMeasure::Loss,
            "delay.mean" => FlowMeasure::MeanDelay,
            "delay.p50" => FlowMeasure::DelayP50,
            "delay.p95" => FlowMeasure::DelayP95,
            "delay.p99" => FlowMeasure::DelayP99,
            "transfer.mean" => FlowMeasure::MeanTransfer,
            "transfer.p50" => FlowMeasure::TransferP50,
            "transfer.p90" => FlowMeasure::TransferP90,
            "transfer.p99" => FlowMeasure::TransferP99,
            _ => explicit_rates::response(field, entry, flows, &chosen)?,
        };
        let is_transfer = matches!(
            what,
            FlowMeasure::MeanTransfer | FlowMeasure::TransferP50 | FlowMeasure::TransferP90 | FlowMeasure::TransferP99
        );
        if let Some(&flow) = chosen.iter().find(|&&flow| is_transfer && !flows[flow].traffic.makes_transfers()) {
            let message = format!("flow \"{}\" makes no transfers whose time could be measured", flows[flow].name);
            let help = "name a flow with traffic of kind \"transfers\" or \"web\"";
            return Err(field.report.error(entry.key_span.clone(), message, "no transfers", help));
        }
        return Ok(Measure::Flow { flows: chosen, what });
    }
    match key {
        "fair" => Ok(Measure::Fair { criterion: criterion(usual)? }),
        "fair.after-events" => {
            explicit_rates::check_told(field, entry, flows)?;
            Ok(Measure::FairAfterEvents { criterion: criterion(usual)? })
        }
        "jain" => Ok(Measure::Jain),
        "jain.windows" => match flows.iter().any(|flow| matches!(flow.way, Way::Network { .. })) {
            true => Ok(Measure::JainWindows),
            false => {
                let message = "\"jain.windows\" is measured on networks only";
                Err(field.report.error(entry.key_span.clone(), message, "not on a ring", "write `jain`"))
            }
        },
        "utilisation" => Ok(Measure::Utilisation),
        "oscillation" => Ok(Measure::Oscillation),
        _ if explicit_rates::is_of_queues(key) => explicit_rates::deepest_queue(field, entry, about.network),
        _ => {
            let within = key.strip_prefix("time-to-fair.").and_then(|within| within.strip_suffix('%'));
            match within
                .and_then(|within| within.trim().parse::<f64>().ok())
                .filter(|within| *within > 0.0 && *within <= 100.0)
            {
                Some(within) => Ok(Measure::TimeToFair { within: Percent::new(within).fraction() }),
                None => Err(unknown(field, entry, MEASURES, "")),
            }
        }
    }
}

fn unknown(field: &Field<'_>, entry: &Entry, known: &[&str], prefix: &str) -> Reported {
    let key = field.name.as_str();
    // Only the last words say what is measured; the flow's name may be anything.
    let tail = if prefix.is_empty() { key } else { key.splitn(3, '.').nth(2).unwrap_or(key) };
    let all: Vec<String> = known.iter().map(|name| format!("{prefix}{name}")).collect();
    let all = list(&all.iter().map(String::as_str).collect::<Vec<_>>());
    // Who writes `rate` means `rate.mean`.
    let begun = known.iter().copied().find(|name| name.strip_prefix(tail).is_some_and(|rest| rest.starts_with('.')));
    let help = match begun.or_else(|| nearest(tail, known.iter().copied())) {
        Some(name) => format!("write `{name}`; there are {all}"),
        None if prefix.is_empty() => format!("use one of {all}, or one of flow.NAME with {}", list(FLOW_MEASURES)),
        None => format!("use one of {all}"),
    };
    field.report.error(entry.key_span.clone(), format!("nothing called \"{key}\" is measured"), "unknown measure", help)
}

fn matching(field: &Field<'_>, entry: &Entry, pattern: &str, flows: &[Flow]) -> Result<Vec<usize>, Reported> {
    let chosen: Vec<usize> = (0..flows.len()).filter(|&flow| matches(pattern, &flows[flow].name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = flows.iter().map(|flow| flow.name.as_str()).collect();
        let help = match nearest(pattern, names.iter().copied()) {
            Some(name) => format!("write \"{name}\"; `*` stands for any characters"),
            None => format!("use a name such as \"{}\"; `*` stands for any characters", names[0]),
        };
        let message = format!("no flow is called \"{pattern}\"");
        return Err(field.report.error(entry.key_span.clone(), message, "no such flow", help));
    }
    Ok(chosen)
}

/// Reads the name of a criterion.
pub(crate) fn read_criterion(field: &Field<'_>) -> Result<Criterion, Reported> {
    let names: Vec<&str> = Criterion::ALL.iter().map(|criterion| criterion.name()).collect();
    let text = field.text("\"rias\"")?;
    Criterion::ALL
        .into_iter()
        .find(|criterion| criterion.name() == text)
        .ok_or_else(|| field.unknown_word(text, &names))
}

fn read_bound(promise: &Table<'_>, measure: &Measure, example: &str) -> Result<Bound, Reported> {
    let read = |key: &str| promise.field(key).map(|field| read_value(&field, measure)).transpose();
    let (value, min, max) = (read("value"), read("min"), read("max"));
    let (value, min, max) = (value?, min?, max?);
    if let Some(value) = value {
        if let Some(other) = promise.field("min").or(promise.field("max")) {
            let message = format!("{} has both `value` and `{}`", promise.place, other.name);
            return Err(other.error(message, "one too many", "write either `value` and `within`, or `min` and `max`"));
        }
        let within = promise.need("within", "\"1 %\"")?;
        return Ok(Bound::Near { value, tolerance: read_tolerance(&within, value, measure)? });
    }
    if let Some(within) = promise.field("within") {
        return Err(within.error(
            format!("{} has `within` and no `value`", promise.place),
            "within of what?",
            format!("write {example}"),
        ));
    }
    let (low, high) = (min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY));
    if min.is_none() && max.is_none() {
        let message = format!("{} says nothing", promise.place);
        return Err(promise.report.error(promise.span.clone(), message, "no bound", format!("write {example}")));
    }
    if low > high {
        let message = format!("{} has a `min` above its `max`", promise.place);
        return Err(promise.report.error(
            promise.span.clone(),
            message,
            "nothing lies between",
            "swap `min` and `max`",
        ));
    }
    Ok(Bound::Between { min: low, max: high })
}

/// The largest plain number that a measure can come to.
fn most(measure: &Measure) -> f64 {
    match measure {
        Measure::Jain | Measure::JainWindows => 1.0,
        _ => 1e6,
    }
}

/// A value in the unit of a measure.
pub(crate) fn read_value(field: &Field<'_>, measure: &Measure) -> Result<f64, Reported> {
    match measure.unit() {
        Unit::Rate => field.quantity::<BitRate>().map(BitRate::as_bps_f64),
        Unit::Time => field.quantity::<Span>().map(|span| span.as_nanos() as f64),
        Unit::Number => match field.node.value {
            Value::Integer(number) if number >= 0 && number as f64 <= most(measure) => Ok(number as f64),
            Value::Float(number) if (0.0..=most(measure)).contains(&number) => Ok(number),
            Value::Integer(_) | Value::Float(_) => {
                let message = format!("{} goes from 0 to {}", field.called(), most(measure));
                Err(field.error(message, "out of range", format!("write a number such as `{} = 0.99`", field.name)))
            }
            _ if matches!(measure, Measure::DeepestQueue { .. }) => Err(field.wrong_type("a number of packets", "50")),
            _ => Err(field.wrong_type("a number", "0.99")),
        },
        Unit::Fraction => field.percent(false).map(Percent::fraction),
    }
}

/// A percentage is a part of the value, also where the value is one itself; a
/// quantity is taken as it is.
fn read_tolerance(field: &Field<'_>, value: f64, measure: &Measure) -> Result<f64, Reported> {
    let percent = matches!(&field.node, Node { value: Value::Text(text), .. } if text.trim_end().ends_with('%'));
    if !percent {
        return read_value(field, measure);
    }
    let within = field.percent(false)?;
    if value == 0.0 {
        let message = format!("{within} of zero is zero");
        let limit = match measure.unit() {
            Unit::Rate => "max = \"1 Mb/s\"",
            Unit::Time => "max = \"1 ms\"",
            Unit::Number => "max = 0.001",
            Unit::Fraction => "max = \"0.1 %\"",
        };
        return Err(field.error(
            message,
            "no room at all",
            format!("write `{{ {limit} }}` instead of `value` and `within`"),
        ));
    }
    Ok(within.fraction() * value)
}
