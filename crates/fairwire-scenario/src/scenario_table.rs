//! Reads a whole scenario: the tables of a file, in the order in which they depend on each other.

use crate::event::{self, Event, Where};
use crate::expect::{self, table::About};
use crate::fair;
use crate::flow::guarantee::Guarantees;
use crate::flow::{self, table::Ground};
use crate::flow::{Flow, Way};
use crate::network::{Network, rate};
use crate::reading::diagnostic::{Diagnostics, Report, Reported};
use crate::reading::document::{Node, Value};
use crate::reading::suggest::list;
use crate::reading::table::{Field, Table};
use crate::ring::protection;
use crate::ring::{self, Ring};
use crate::run::Run;
use crate::scenario::{Origin, Scenario, Source, criterion_of_kind};
use crate::sweep::{axes, set, until};
use crate::topology::Topology;
use fairwire_core::{ServiceClass, is_text_control};
use fairwire_laws::ring::Datapath;

pub(crate) const KEYS: &[&str] =
    &["schema", "title", "description", "source", "run", "ring", "network", "flow", "event", "fair", "expect", "sweep"];
pub(crate) const SOURCE_KEYS: &[&str] = &["paper", "figure", "section"];
/// The version of the format that this crate reads.
pub(crate) const SCHEMA: u64 = 1;

/// The tree of a file with other values under some keys.
pub(crate) fn tree(text: &str, settings: &[(String, String)], report: &Report<'_>) -> Result<Node, Reported> {
    let mut tree = Node::read(text, report)?;
    settings.iter().try_for_each(|(key, value)| set::set_beside(&mut tree, key, value, report))?;
    Ok(tree)
}

/// Checks a whole tree, as read or as a sweep has changed it.
pub(crate) fn build(file_name: &str, text: &str, tree: &Node) -> Result<Scenario, Diagnostics> {
    let report = Report::new(text);
    let root = Table::root(tree, KEYS, &report);
    let scenario = read(&root, file_name);
    let (mut scenario, warnings) = report.finish(file_name, scenario)?;
    scenario.warnings = warnings;
    file_name.clone_into(&mut scenario.origin.file_name);
    text.clone_into(&mut scenario.origin.text);
    Ok(scenario)
}

fn read(root: &Table<'_>, file_name: &str) -> Result<Scenario, Reported> {
    let schema = root.need("schema", "1").and_then(|field| match field.node.value {
        Value::Integer(1) => Ok(SCHEMA),
        _ => {
            let message =
                format!("`schema` is {SCHEMA}, the version of the format, not {}", field.node.to_inline_toml());
            Err(field.error(message, "unknown version", format!("write `schema = {SCHEMA}`")))
        }
    });
    let title = root.field("title").map_or_else(|| Ok(stem(file_name)), |field| read_title(&field).map(str::to_owned));
    let description =
        root.field("description").map(|field| field.text("\"What it shows\"").map(str::to_owned)).transpose();
    let source = root.field("source").map(|field| Source::read(&field)).transpose();
    let run = Run::read(root.field("run"));
    let run_as_read = run.as_ref().map_err(|reported| *reported);
    let ground = read_ground(root, run_as_read);
    let fair = fair::read(root);
    let measured = match &ground {
        Ok((topology, flows, _)) => {
            let ring = matches!(topology, Topology::Ring(_));
            let usual = fair.ok().flatten().unwrap_or_else(|| criterion_of_kind(ring, flows));
            let about = About { flows, network: topology.network(), usual };
            let expectations = expect::table::read_all(root, &about);
            let measures = until::read_measures(root, &about);
            let until = until::read_until(root, &about);
            expectations.and_then(|expectations| Ok((expectations, measures?, until?)))
        }
        Err(reported) => Err(*reported),
    };
    let sweep = axes::read(root, None);
    let (schema, title, description, source) = (schema?, title?, description?, source?);
    let (mut run, (topology, flows, events)) = (run?, ground?);
    let rows = topology.rows(&flows, &events);
    run.choose_window(topology.lap(), rows);
    run.check_rows_fit(root, rows)?;
    let (expectations, measures, until) = measured?;
    let axes = |blocks: Vec<axes::Block>| blocks.iter().flat_map(|block| &block.axes).map(axes::Axis::told).collect();
    let scenario = Scenario {
        schema,
        title,
        description,
        source,
        run,
        topology,
        flows,
        events,
        fair: fair?,
        expectations,
        sweep: sweep.map(axes)?,
        measures,
        until,
        warnings: Vec::new(),
        origin: Origin::default(),
    };
    protection::check_reservations(root, &scenario)?;
    Ok(scenario)
}

/// What there is, who sends over it, and what happens to it.
type Read = (Topology, Vec<Flow>, Vec<Event>);

/// Reads `[ring]` or `[network]`, the flows on it, and what happens to it.
fn read_ground(root: &Table<'_>, run: Result<&Run, Reported>) -> Result<Read, Reported> {
    match (root.field("ring"), root.field("network")) {
        (Some(field), None) => {
            let draft = ring::Draft::read(&field, run.ok())?;
            let flows = flow::table::read_all(root, &Ground::Ring(draft.stations), run);
            // Buffers may be counted in packets, so the flows come first.
            let largest = flows
                .as_ref()
                .map_or_else(|_| fairwire_core::Bytes::new(1), |flows| flow::table::largest_packet(flows));
            let ring = draft.finish(&field, largest);
            let (ring, flows) = (ring?, flows?);
            let events = event::read::read_all(root, Where::Ring(&ring), &flows, run.ok())
                .and_then(|events| protection::check_order(root, &events).map(|()| events));
            check_classes(root, &field, &ring, &flows)?;
            protection::check(root, &field, &ring, &flows)?;
            let events = events?;
            event::links::check(root, &ring, &flows, &events)?;
            Ok((Topology::Ring(ring), flows, events))
        }
        (None, Some(field)) => {
            let network = Network::read(&field, run.ok());
            let flows =
                flow::table::read_all(root, &Ground::Network(network.as_ref().map_err(|reported| *reported)), run);
            let (network, flows) = (network?, flows?);
            let events = event::read::read_all(root, Where::Network(&network), &flows, run.ok());
            check_limits(root, &network, &flows)?;
            let events = events?;
            rate::check(root, &network, &flows, &events)?;
            Ok((Topology::Network(network), flows, events))
        }
        (Some(_), Some(network)) => {
            let message = "a scenario has either [ring] or [network], not both";
            Err(root.report.error(
                root.key_span(&network.name),
                message,
                "one too many",
                "remove one of the two, or make two files",
            ))
        }
        (None, None) => {
            let message = "a scenario needs [ring] or [network]";
            let help =
                format!("add a table such as `[ring]` with {}", list(&["stations", "capacity", "span-delay", "law"]));
            Err(root.report.error(0..0, message, "nothing to run on", help))
        }
    }
}

/// Every packet must fit into an empty queue on its way.
fn check_limits(root: &Table<'_>, network: &Network, flows: &[Flow]) -> Result<(), Reported> {
    flows.iter().try_for_each(|flow| {
        let Way::Network { links, .. } = &flow.way else { return Ok(()) };
        let largest = flow.traffic.largest_packet();
        links.iter().try_for_each(|&link| network.links[link].limit.check(largest, root))
    })
}

/// Stations must tell classes apart where there are several, wait for their turn
/// where the law limits them as a whole, and guarantee no more than links carry.
fn check_classes(root: &Table<'_>, field: &Field<'_>, ring: &Ring, flows: &[Flow]) -> Result<(), Reported> {
    let classed = flows.iter().find(|flow| flow.class != ServiceClass::C);
    if ring.transit.datapath(&ring.law, classed.is_some()) == Datapath::Merged {
        if let Some(flow) = classed {
            let (name, class) = (&flow.name, flow.class);
            let message =
                format!("flow \"{name}\" is of class {class:?}, but its station's one queue tells no classes apart");
            let help = "write `transit = { mode = \"dual-queue\" }`, or remove `mode` and `scheduler`";
            return Err(root.report.error(flow.span.clone(), message, "no queue of its own", help));
        }
        if ring.law.needs().limits_together {
            let law = ring.law.about().name;
            let message =
                format!("law {law} needs stations whose packets wait for their turn beside the transit queue");
            let help = "write `transit = { mode = \"dual-queue\" }`, or remove `mode` and `scheduler`";
            return Err(field.error(message, "packets join one queue here", help));
        }
    }
    let capacities = ring.capacities();
    if let Some((flow, link)) = Guarantees::too_much(ring, flows, &capacities) {
        let (ringlet, station) = (link / usize::from(ring.stations), link % usize::from(ring.stations));
        let message = format!(
            "with flow \"{}\", link r{ringlet}:{station} guarantees as much as it carries, {}, and leaves nothing to share",
            flows[flow].name, capacities[link]
        );
        let help = "guarantee less with `min-rate`, or raise `capacity`";
        return Err(root.report.error(flows[flow].span.clone(), message, "too much", help));
    }
    Ok(())
}

impl Source {
    fn read(field: &Field<'_>) -> Result<Self, Reported> {
        let source = field.table("`source`", SOURCE_KEYS, "{ paper = \"dvsr\", figure = \"16\" }")?;
        let text = |key: &str| {
            source.field(key).map(|field| match field.node.value {
                // Figure 16 is as good as figure "16".
                Value::Integer(number) => Ok(number.to_string()),
                _ => field.some_text("\"16\"").map(str::to_owned),
            })
        };
        let paper = source.need("paper", "\"dvsr\"").and_then(|field| field.some_text("\"dvsr\"").map(str::to_owned));
        let (figure, section) = (text("figure").transpose(), text("section").transpose());
        Ok(Self { paper: paper?, figure: figure?, section: section? })
    }
}

/// A line of its own in every answer.
fn read_title<'a>(field: &Field<'a>) -> Result<&'a str, Reported> {
    let title = field.some_text("\"Parking lot\"")?;
    if title.contains(is_text_control) {
        let message = "a title is one line without control characters";
        return Err(field.error(
            message,
            "not a line",
            "write letters, digits and marks; `description` may have lines",
        ));
    }
    Ok(title)
}

/// The file's name without folder and ending, for a scenario without a title.
fn stem(file_name: &str) -> String {
    let name = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
    name.strip_suffix(".toml").unwrap_or(name).to_owned()
}
