//! Two groups at different distances: RFC 7928 §6.2.

use super::Draft;
use super::dumbbell::{Dumbbell, NEWRENO, Senders};

/// Round trip of the near group, in ms.
const NEAR_MS: f64 = 20.0;
/// Round trips of the far group, in ms.
pub const FAR_MS: [u32; 5] = [20, 50, 100, 200, 500];
/// Connections of each group.
const EACH: usize = 5;

pub fn drafts() -> Vec<Draft> {
    FAR_MS.map(draft).into()
}

fn draft(far_ms: u32) -> Draft {
    let asks = format!("Does distance cost bandwidth? Five connections 20 ms away, five {far_ms} ms");
    let description = "After RFC 7928, section 6.2: one category of flows stays at 20 ms, the other moves away";
    let senders =
        vec![Senders::new("near", EACH, NEWRENO).away(NEAR_MS), Senders::new("far", EACH, NEWRENO).away(far_ms.into())];
    let mut dumbbell = Dumbbell::new(asks.as_str(), description, senders);
    // Windows of the far group grow by one segment in each of its round trips.
    (dumbbell.duration_s, dumbbell.warmup_s) = (70, 20);
    let title = format!("Round trips of {NEAR_MS} and {far_ms} ms");
    Draft { id: format!("rtt-{far_ms}"), section: "6.2", title, asks, toml: dumbbell.toml() }
}
