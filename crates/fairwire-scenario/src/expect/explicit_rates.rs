//! Promises about flows whose rates switches tell, and about the queues of these switches.

use super::{FlowMeasure, Measure, matches};
use crate::flow::Flow;
use crate::into::steps::tells_rates;
use crate::network::Network;
use crate::reading::diagnostic::Reported;
use crate::reading::document::Entry;
use crate::reading::suggest::nearest;
use crate::reading::table::Field;

/// `flow.NAME.response`, of flows that have an allowed rate.
pub(super) fn response(
    field: &Field<'_>,
    entry: &Entry,
    flows: &[Flow],
    chosen: &[usize],
) -> Result<FlowMeasure, Reported> {
    match chosen.iter().find(|&&flow| !flows[flow].traffic.is_explicit_rate()) {
        None => Ok(FlowMeasure::Response),
        Some(&flow) => {
            let message = format!("no switch tells flow \"{}\" its rate, so that it could respond", flows[flow].name);
            let help = "name a flow with traffic of kind \"explicit-rate\"";
            Err(field.report.error(entry.key_span.clone(), message, "no allowed rate", help))
        }
    }
}

/// Allowed rates are there to be fair.
pub(super) fn check_told(field: &Field<'_>, entry: &Entry, flows: &[Flow]) -> Result<(), Reported> {
    if tells_rates(flows) {
        return Ok(());
    }
    let message = "\"fair.after-events\" is measured of the rates that switches tell, and here they tell none";
    let help = "write `fair`, or flows with traffic of kind \"explicit-rate\"";
    Err(field.report.error(entry.key_span.clone(), message, "no allowed rates", help))
}

/// Whether the key is one of those that [`deepest_queue`] reads.
pub(super) fn is_of_queues(key: &str) -> bool {
    link_of(key).is_some()
}

/// The pattern of a link's name in the key.
fn link_of(key: &str) -> Option<&str> {
    match key.strip_prefix("queue.")? {
        "max" => Some("*"),
        rest => rest.strip_suffix(".max"),
    }
}

/// `queue.max`, `queue.LINK.max`: of links that have a port.
pub(super) fn deepest_queue(field: &Field<'_>, entry: &Entry, network: Option<&Network>) -> Result<Measure, Reported> {
    let ports = network.into_iter().flat_map(|network| {
        let has_port = |(number, _): &(usize, _)| network.rate_of(*number).is_some();
        network.links.iter().enumerate().filter(has_port).map(|(number, link)| (number, link.name.as_str()))
    });
    let ports: Vec<(usize, &str)> = ports.collect();
    let wrong = |message: String, label: &str, help: String| {
        Err(field.report.error(entry.key_span.clone(), message, label, help))
    };
    if ports.is_empty() {
        let message = format!("\"{}\" is measured at ports that tell flows their rates, and here are none", field.name);
        return wrong(message, "no port", "write `rate` in [network], or promise something else".to_owned());
    }
    let pattern = link_of(&field.name).unwrap_or("*");
    let links: Vec<usize> =
        ports.iter().filter(|(_, name)| matches(pattern, name)).map(|(number, _)| *number).collect();
    if links.is_empty() {
        let message = format!("no link with a port is called \"{pattern}\"");
        let names = ports.iter().map(|(_, name)| *name);
        let known = nearest(pattern, names).unwrap_or(ports[0].1);
        return wrong(message, "no such port", format!("write \"queue.{known}.max\"; `*` stands for any characters"));
    }
    Ok(Measure::DeepestQueue { links })
}
