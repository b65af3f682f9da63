//! A link that changes under ten connections: RFC 7928 §8.2.6.

use super::Draft;
use super::dumbbell::{Dumbbell, NEWRENO, Senders};

const DURATION_MS: u32 = 50_000;
const CONNECTIONS: usize = 10;
/// Capacities in turn, in Mb/s.
const CAPACITIES: [u32; 2] = [2, 10];

pub fn drafts() -> Vec<Draft> {
    vec![
        draft(
            "drop",
            "A link that falls to a fifth for good",
            "How does a queue behave when its link falls to a fifth for good?",
            "After RFC 7928, section 8.2.6: one sudden change",
            vec![20_000],
        ),
        draft(
            "slow",
            "A link that changes every ten seconds",
            "How does a queue follow a link that falls to a fifth and comes back, every ten seconds?",
            "After RFC 7928, section 8.2.6, slow changes; the RFC goes between 100 and 10 Mb/s",
            (1..DURATION_MS / 10_000).map(|change| change * 10_000).collect(),
        ),
        draft(
            "fast",
            "A link that changes ten times a second",
            "How does a queue follow a link that changes between 10 and 2 Mb/s ten times a second?",
            "After RFC 7928, section 8.2.6, changes within a round trip",
            (1..DURATION_MS / 100).map(|change| change * 100).collect(),
        ),
    ]
}

fn draft(id: &str, title: &str, asks: &str, description: &str, at_ms: Vec<u32>) -> Draft {
    let changes = at_ms.iter().zip(CAPACITIES.iter().cycle());
    let changes = changes.map(|(at, mbps)| format!("    {{ at = \"{at} ms\", capacity = \"{mbps} Mb/s\" }},\n"));
    let mut dumbbell = Dumbbell::new(asks, description, vec![Senders::new("tcp", CONNECTIONS, NEWRENO)]);
    (dumbbell.duration_s, dumbbell.warmup_s) = (DURATION_MS / 1_000, 10);
    dumbbell.changes = format!("[\n{}]", changes.collect::<String>());
    let (title, asks) = (title.to_owned(), asks.to_owned());
    Draft { id: format!("capacity-{id}"), section: "8.2.6", title, asks, toml: dumbbell.toml() }
}
