//! What a node of a network looks like.

use fairwire_enforce::{FlowStatus, LinkStatus, NodeStatus};
use fairwire_terminal::{TextTable, text};

/// What it looks like, for people.
pub fn table(status: &NodeStatus) -> String {
    let mut table = TextTable::new(&["link", "device", "flow", "limit", "rate", "waits", "dropped", "set by"]);
    let dash = || "–".to_owned();
    for LinkStatus { link, device, flows, rest_bps, .. } in &status.links {
        for FlowStatus { flow, limit_bps, leased, rate_bps, waiting_bytes, dropped } in flows {
            let by = match leased {
                Some(true) => status.law.to_owned(),
                Some(false) => "the scenario: no answer is heard".to_owned(),
                None => "where it enters".to_owned(),
            };
            table.row([
                link.clone(),
                device.clone(),
                flow.clone(),
                limit_bps.map_or_else(dash, |limit| text::rough_rate(limit as f64)),
                text::rough_rate(*rate_bps),
                format!("{} B", text::grouped(*waiting_bytes)),
                dropped.to_string(),
                by,
            ]);
        }
        let rest = text::rough_rate(*rest_bps);
        table.row([
            link.clone(),
            device.clone(),
            "no flow".to_owned(),
            dash(),
            rest,
            dash(),
            String::new(),
            String::new(),
        ]);
    }
    let links = if status.links.is_empty() { "no flow leaves here\n".to_owned() } else { table.to_string() };
    let dropped = super::dropped(status.strays, status.other_network, "another network, law or lease");
    format!("after {:.1} s\n{links}{dropped}\n", status.time_s)
}
