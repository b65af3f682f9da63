//! `rate`: the law by which the ports of switches tell flows their rates.

use super::{Network, minimums};
use crate::event::Event;
use crate::flow::{Flow, Way};
use crate::law;
use crate::reading::diagnostic::Reported;
use crate::reading::document::Value;
use crate::reading::table::Table;
use fairwire_laws::queue::{Limit, Order};
use fairwire_laws::rate::RateLawChoice;
use serde::Serialize;

/// What a link says about its port.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum LinkRate {
    /// It has a law of its own.
    Law(RateLawChoice),
    /// It has none, whatever the network has.
    None(NoRate),
}

/// `"none"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoRate {
    /// No law.
    None,
}

/// What stands for no law.
pub(crate) const NONE: &str = "none";

/// Reads the law of a network's ports, if one is named.
pub(crate) fn read_law(table: &Table<'_>) -> Result<Option<RateLawChoice>, Reported> {
    table.field("rate").map(|field| law::read(&field)).transpose()
}

/// Reads what a link says about its port.
pub(crate) fn read_link(table: &Table<'_>) -> Result<Option<LinkRate>, Reported> {
    let Some(field) = table.field("rate") else { return Ok(None) };
    match &field.node.value {
        Value::Text(text) if text == NONE => Ok(Some(LinkRate::None(NoRate::None))),
        _ => law::read(&field).map(|law| Some(LinkRate::Law(law))),
    }
}

/// A law that drops data above a threshold has a queue that holds more: else it overflows before, and drops control packets.
fn check_thresholds(root: &Table<'_>, network: &Network, flow: &Flow) -> Result<(), Reported> {
    let Way::Network { links, .. } = &flow.way else { return Ok(()) };
    let drops_above = |link: usize| Some(network.rate_of(link)?.queue_thresholds().q_d?.0);
    for &link in links {
        let own = &network.links[link];
        let (Some(q_d), Limit::Packets(most)) = (drops_above(link), own.limit()) else {
            continue;
        };
        if q_d > most {
            let message = format!(
                "the law at link {} drops data above a queue of {q_d} packets (`q-d`), and the queue holds {most} (`limit`)",
                own.name
            );
            let help = format!("write `limit = \"{q_d} packets\"` or more for the link, or a smaller `q-t` and `q-d`");
            return Err(root.report.error(own.limit.span.clone(), message, "full before", help));
        }
    }
    Ok(())
}

/// Whether the flows whose rates switches tell can be told them.
pub(crate) fn check(root: &Table<'_>, network: &Network, flows: &[Flow], events: &[Event]) -> Result<(), Reported> {
    let told = || flows.iter().filter(|flow| flow.traffic.is_explicit_rate());
    told().try_for_each(|flow| check_thresholds(root, network, flow))?;
    flows.iter().filter(|flow| flow.traffic.is_explicit_rate()).try_for_each(|flow| check_way(root, network, flow))?;
    minimums::check(root, network, flows, events)
}

/// A flow meets one law, at queues that keep the order, and its control packets come back the way that they went.
fn check_way(root: &Table<'_>, network: &Network, flow: &Flow) -> Result<(), Reported> {
    let Way::Network { links, reverse_links, .. } = &flow.way else { return Ok(()) };
    let wrong =
        |message: String, label: &str, help: String| Err(root.report.error(flow.span.clone(), message, label, help));
    let mut laws = links.iter().filter_map(|&link| Some((link, network.rate_of(link)?)));
    let Some((first, law)) = laws.next() else {
        let message =
            format!("flow \"{}\" is told its rate by switches, and no link on its way has a `rate`", flow.name);
        let help = "write `rate = { name = \"wmfqc\" }` in [network], or another `kind` of traffic".to_owned();
        return wrong(message, "no law on its way", help);
    };
    if let Some((link, other)) = laws.find(|(_, other)| other.about().name != law.about().name) {
        let told = |link: usize, law: &RateLawChoice| format!("{} at {}", law.about().name, network.links[link].name);
        let message = format!(
            "flow \"{}\" meets {} and {}, whose control packets differ",
            flow.name,
            told(first, law),
            told(link, other)
        );
        return wrong(message, "two laws on its way", "write one law for all links on its way, or \"none\"".to_owned());
    }
    let reorders = |link: &&usize| network.rate_of(**link).is_some() && network.queue_of(**link).order() != Order::Fifo;
    if let Some(&link) = links.iter().find(reorders) {
        let queue = network.queue_of(link).about().name;
        let message = format!(
            "link {} tells flow \"{}\" its rate, but its queue law {queue} does not serve in order of arrival",
            network.links[link].name, flow.name
        );
        let help = "write `queue = { name = \"droptail\" }` for this link, or `rate = \"none\"`".to_owned();
        return wrong(message, "a queue that reorders", help);
    }
    let forward = links.iter().map(|&link| network.links[link].ends);
    let back = reverse_links.iter().rev().map(|&link| (network.links[link].ends.1, network.links[link].ends.0));
    if !forward.eq(back) {
        let message =
            format!("control packets of flow \"{}\" come back over other nodes than they went over", flow.name);
        let help = "name the links back in `reverse-route`, over the nodes of the route in reverse".to_owned();
        return wrong(message, "another way back", help);
    }
    Ok(())
}
