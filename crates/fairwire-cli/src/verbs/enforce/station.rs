//! What a station of a ring looks like.

use fairwire_enforce::{RingletStatus, Status};
use fairwire_terminal::{TextTable, text};

/// What it looks like, for people.
pub fn table(status: &Status) -> String {
    let mut table = TextTable::new(&["link", "device", "to", "limit", "rate", "waits", "dropped", "set by"]);
    for ringlet in &status.ringlets {
        let RingletStatus { link, limits, leased, .. } = ringlet;
        let device = ringlet.device.as_deref().unwrap_or("–");
        let by = if *leased { status.law } else { "the scenario: no neighbour is heard" };
        for limit in limits {
            table.row([
                link.clone(),
                device.to_owned(),
                limit.egress.to_string(),
                text::rough_rate(limit.limit_bps as f64),
                text::rough_rate(limit.rate_bps),
                format!("{} B", text::grouped(limit.waiting_bytes)),
                limit.dropped.to_string(),
                by.to_owned(),
            ]);
        }
        let others = [("transit", ringlet.transit_bps), ("no flow", ringlet.rest_bps)];
        for (name, bps) in others {
            let [dash, none] = ["–".to_owned(), String::new()];
            let waits = if name == "transit" {
                format!("{} B", text::grouped(ringlet.transit_waiting_bytes))
            } else {
                dash.clone()
            };
            let row = [
                link.clone(),
                device.to_owned(),
                name.to_owned(),
                dash,
                text::rough_rate(bps),
                waits,
                none.clone(),
                none,
            ];
            table.row(row);
        }
    }
    let mut told = format!("after {:.1} s\n{table}", status.time_s);
    told += &super::dropped(status.strays, status.other_ring, "another ring, law or lease");
    told + "\n"
}
