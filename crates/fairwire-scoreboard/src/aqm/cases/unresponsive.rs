//! A stream that does not listen beside nine connections: RFC 7928 §5.3.

use super::Draft;
use super::dumbbell::{CAPACITY_MBPS, Dumbbell, NEWRENO, Senders};

/// What the stream sends, in per cent of a tenth of the link.
pub const PERCENT_OF_SHARE: [u32; 6] = [10, 50, 100, 150, 200, 1000];
const CONNECTIONS: usize = 9;

pub fn drafts() -> Vec<Draft> {
    PERCENT_OF_SHARE.map(draft).into()
}

fn draft(percent: u32) -> Draft {
    let (title, asks) = match percent {
        1000 => (
            "A stream as fast as the link".to_owned(),
            "What is left for nine connections when a stream sends as much as the link carries?".to_owned(),
        ),
        percent => (
            format!("A stream at {percent} % of its share"),
            format!("What does a stream take from nine connections that sends {percent} % of its share?"),
        ),
    };
    let kbps = CAPACITY_MBPS * percent;
    let stream = format!("kind = \"cbr\", rate = \"{kbps} kb/s\", interval-jitter = \"10 %\"");
    let senders = vec![Senders::new("tcp", CONNECTIONS, NEWRENO), Senders::new("stream", 1, &stream)];
    let toml =
        Dumbbell::new(asks.as_str(), "After RFC 7928, section 5.3: datagrams that keep their rate", senders).toml();
    Draft { id: format!("unresponsive-{percent}"), section: "5.3", title, asks, toml }
}
