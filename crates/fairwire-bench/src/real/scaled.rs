//! Shipped scenarios at the speed of a laptop: other links, and all rates and sizes in proportion.

use fairwire_core::{BitRate, Bytes, Span};
use fairwire_terminal::CliError;
use toml::{Table, Value};

/// What a scenario becomes.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Capacity of a ring's links.
    pub link_bps: f64,
    /// Delay of a span.
    pub span: &'static str,
    /// Packets of datagrams; none for the scenario's.
    pub packet: Option<&'static str>,
    /// By how much buffers grow.
    pub buffers: f64,
    /// How long it runs, and how much of that is not measured.
    pub times: (&'static str, &'static str),
}

impl Scale {
    /// What a packet more or less in the measured time makes of a rate, in bit/s.
    pub fn packet_bps(&self) -> Result<f64, CliError> {
        let time = |text: &str| text.parse::<Span>().map_err(|error| wrong(&error.to_string()));
        let measured = time(self.times.0)?.as_secs_f64() - time(self.times.1)?.as_secs_f64();
        Ok(size(&self.packet.unwrap_or(PACKET).into())?.get() as f64 * 8.0 / measured)
    }
}

/// As shipped scenarios have them.
const PACKET: &str = "1 kB";
/// Where a scenario has none.
const SIZE_JITTER: &str = "5 %";
const START_JITTER: &str = "10 ms";
/// Where flows end, on rings that become smaller.
const STATIONS: i64 = 8;

/// A shipped scenario as a table, without promises, sweep and source.
pub fn shipped(text: &str) -> Result<Table, CliError> {
    let mut table: Table = toml::from_str(text).map_err(|error| wrong(&error.to_string()))?;
    ["expect", "sweep", "source", "description"].into_iter().for_each(|key| drop(table.remove(key)));
    Ok(table)
}

/// As a file.
pub fn written(table: &Table) -> Result<String, CliError> {
    toml::to_string(table).map_err(|error| wrong(&error.to_string()))
}

/// A run of this length, and how much of it is not measured.
pub fn lasts(table: &mut Table, (duration, warmup): (&str, &str)) {
    let run = Table::from_iter(
        [("duration", duration), ("warmup", warmup)].map(|(key, value)| (key.to_owned(), value.into())),
    );
    table.insert("run".to_owned(), Value::Table(run));
}

/// The law of a ring.
pub fn under(table: &mut Table, law: &str) {
    if let Some(ring) = table.get_mut("ring").and_then(Value::as_table_mut) {
        ring.insert("law".to_owned(), law_table(law));
    }
}

/// Connections of the papers' profile begin with the kernel's window, and its Reno repairs losses with SACK: simulated
/// ones do as well.
pub fn as_kernels(table: &mut Table) {
    for flow in table.get_mut("flow").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(traffic) = flow.get_mut("traffic").and_then(Value::as_table_mut) else { continue };
        if traffic.get("profile").and_then(Value::as_str) != Some("ns-2") {
            continue;
        }
        let control = traffic.entry("control").or_insert_with(|| "reno".into());
        if control.as_str() == Some("reno") {
            *control = "sack".into();
        }
        traffic.insert("initial-window".to_owned(), "10 packets".into());
    }
}

/// `{ name = "…" }`.
pub fn law_table(name: &str) -> Value {
    Value::Table(Table::from_iter([("name".to_owned(), Value::from(name))]))
}

/// A ring at another speed. Rates keep their proportion to the links; rings of more than eight stations have
/// eight, if all flows end there.
pub fn ring(table: &mut Table, scale: &Scale) -> Result<(), CliError> {
    lasts(table, scale.times);
    let ends = table.get("flow").map_or(0, largest_end);
    let ring = table.get_mut("ring").and_then(Value::as_table_mut).ok_or_else(|| wrong("there is no ring"))?;
    let factor = scale.link_bps / rate(ring.get("capacity"))?;
    if ends < STATIONS {
        ring.insert("stations".to_owned(), STATIONS.into());
    }
    ring.insert("capacity".to_owned(), format!("{} b/s", scale.link_bps).into());
    ring.insert("span-delay".to_owned(), scale.span.into());
    let buffers = [ring.get_mut("transit").and_then(|transit| transit.get_mut("buffer"))];
    for buffer in buffers.into_iter().flatten() {
        *buffer = scaled_size(buffer, scale.buffers)?;
    }
    if let Some(buffer) = ring.get_mut("station-buffer").filter(|buffer| size(buffer).is_ok()) {
        *buffer = scaled_size(buffer, scale.buffers)?;
    }
    for flow in table.get_mut("flow").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(flow) = flow.as_table_mut() {
            scale_flow(flow, scale, factor)?;
        }
    }
    Ok(())
}

/// Datagrams vary in size, and flows in their start, from seed to seed: packets of one size that leave at the same times in
/// every run lock in phase, which those of a kernel do not. The seeds then show what such chances make of the shares.
fn scale_flow(flow: &mut Table, scale: &Scale, factor: f64) -> Result<(), CliError> {
    if let Some(demand) = flow.remove("demand") {
        let traffic = Table::from_iter([("kind".to_owned(), "cbr".into()), ("rate".to_owned(), demand)]);
        flow.insert("traffic".to_owned(), Value::Table(traffic));
    }
    flow.entry("start-jitter").or_insert_with(|| START_JITTER.into());
    let Some(traffic) = flow.get_mut("traffic").and_then(Value::as_table_mut) else { return Ok(()) };
    // Who sends to a kernel cannot know when its queue has room: one who never runs out sends as fast as its link.
    if traffic.get("kind").and_then(Value::as_str) == Some("greedy") {
        traffic.insert("kind".to_owned(), "cbr".into());
        traffic.insert("rate".to_owned(), format!("{} b/s", scale.link_bps.round()).into());
    } else if let Some(rate) = traffic.get_mut("rate") {
        *rate = scaled_rate(rate, factor)?;
    }
    if traffic.get("kind").and_then(Value::as_str) != Some("tcp") {
        traffic.entry("size-jitter").or_insert_with(|| SIZE_JITTER.into());
        traffic.extend(scale.packet.map(|packet| ("packet".to_owned(), packet.into())));
    }
    Ok(())
}

/// The largest station that a flow begins or ends at.
fn largest_end(flows: &Value) -> i64 {
    let ends = |value: &Value| match value {
        Value::Array(many) => many.iter().filter_map(Value::as_integer).max(),
        one => one.as_integer(),
    };
    let of_flow = |flow: &Value| ["from", "to"].into_iter().filter_map(|key| flow.get(key).and_then(ends)).max();
    flows.as_array().into_iter().flatten().filter_map(of_flow).max().unwrap_or(0)
}

fn rate(value: Option<&Value>) -> Result<f64, CliError> {
    let text = value.and_then(Value::as_str).ok_or_else(|| wrong("a rate is missing"))?;
    text.parse::<BitRate>().map(|rate| rate.as_bps_f64()).map_err(|error| wrong(&error.to_string()))
}

fn size(value: &Value) -> Result<Bytes, CliError> {
    let text = value.as_str().ok_or_else(|| wrong("a size is missing"))?;
    text.parse().map_err(|error: fairwire_core::UnitError| wrong(&error.to_string()))
}

fn scaled_rate(value: &Value, factor: f64) -> Result<Value, CliError> {
    Ok(format!("{} b/s", (rate(Some(value))? * factor).round()).into())
}

fn scaled_size(value: &Value, factor: f64) -> Result<Value, CliError> {
    Ok(format!("{} B", (size(value)?.get() as f64 * factor).round()).into())
}

fn wrong(what: &str) -> CliError {
    CliError::bad_input(
        format!("a shipped scenario cannot be changed: {what}"),
        "this is a mistake of the program; please report it",
    )
}
