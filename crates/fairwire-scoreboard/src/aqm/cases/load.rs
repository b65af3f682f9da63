//! From one connection to fifty, and back: RFC 7928 §8.2.2 to §8.2.5.

use super::Draft;
use super::dumbbell::{Dumbbell, NEWRENO, Senders};

/// Connections of the steady cases.
pub const CONNECTIONS: [u32; 4] = [1, 5, 20, 50];

pub fn drafts() -> Vec<Draft> {
    let steady = CONNECTIONS.map(|count| {
        let section = match count {
            0..=5 => "8.2.2",
            6..=20 => "8.2.3",
            _ => "8.2.4",
        };
        let (title, asks) = match count {
            1 => (
                "One connection alone".to_owned(),
                "What does one connection alone fill, and at what delay?".to_owned(),
            ),
            count => (
                format!("{count} connections"),
                format!("What do {count} connections do to the queue, and to each other?"),
            ),
        };
        let senders = vec![Senders::new("tcp", count as usize, NEWRENO)];
        let description = format!("After RFC 7928, section {section}; the RFC sets the load by the loss it makes");
        let toml = Dumbbell::new(asks.as_str(), description, senders).toml();
        Draft { id: format!("load-{count}"), section, title, asks, toml }
    });
    steady.into_iter().chain([waves()]).collect()
}

/// One connection stays; nine more and then forty more come and go.
fn waves() -> Draft {
    let asks = "How is it while load comes and goes? 1, 10, 50, 10, 1 connections, ten seconds each".to_owned();
    let senders = vec![
        Senders::new("stays", 1, NEWRENO),
        Senders::new("wave", 9, NEWRENO).between(10, 40),
        Senders::new("crest", 40, NEWRENO).between(20, 30),
    ];
    let mut dumbbell =
        Dumbbell::new(asks.as_str(), "After RFC 7928, section 8.2.5: from mild to heavy congestion and back", senders);
    (dumbbell.duration_s, dumbbell.warmup_s) = (50, 2);
    let title = "Load that comes and goes".to_owned();
    Draft { id: "load-waves".to_owned(), section: "8.2.5", title, asks, toml: dumbbell.toml() }
}
