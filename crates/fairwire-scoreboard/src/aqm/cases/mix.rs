//! Ten connections of one transport or several: RFC 7928 §5.1, §5.2, §4.4, §4.5 and §9.2.

use super::Draft;
use super::dumbbell::{Dumbbell, NEWRENO, Senders};

/// The section on marks.
const ECN: &str = "4.5";
/// Connections that share the bottleneck.
const CONNECTIONS: usize = 10;

fn tcp(control: &str, rest: &str) -> String {
    // As these cases have been since the first board.
    let control = match control {
        "cubic" => "{ name = \"cubic\", rack = false }".to_owned(),
        other => format!("\"{other}\""),
    };
    format!("kind = \"tcp\", profile = \"ns-2\", control = {control}, receive-window = \"2000 packets\"{rest}")
}

pub fn drafts() -> Vec<Draft> {
    let mut drafts: Vec<Draft> = [("reno", "5.1.1"), ("newreno", "5.1.1"), ("sack", "5.1.1"), ("cubic", "5.2")]
        .map(|(control, section)| {
            let asks = format!("Do ten {} connections get the same?", name(control));
            let title = format!("Ten {} connections", name(control));
            draft(control, section, &title, asks, vec![Senders::new("tcp", CONNECTIONS, &tcp(control, ""))])
        })
        .into();
    let four = [("reno", 2), ("newreno", 3), ("sack", 2), ("cubic", 3)];
    let ecn = ", ecn = true";
    drafts.extend([
        draft(
            "all",
            "5.2",
            "Reno, NewReno, SACK and CUBIC together",
            "Does it matter which TCP one has? Reno, NewReno, SACK and CUBIC together".to_owned(),
            four.map(|(control, count)| Senders::new(control, count, &tcp(control, ""))).into(),
        ),
        draft(
            "windows",
            "5.1.2",
            "Initial windows of 3 and 10 segments",
            "Does a larger initial window last? Five connections start with 3 segments, five with 10".to_owned(),
            vec![
                Senders::new("three", 5, &tcp("newreno", ", initial-window = \"3 packets\"")),
                Senders::new("ten", 5, &tcp("newreno", ", initial-window = \"10 packets\"")),
            ],
        ),
        draft(
            "sizes",
            "4.4",
            "Segments of 500 B and 1500 B",
            "Do small packets cost bandwidth? Five connections send 500 B segments, five 1500 B".to_owned(),
            vec![
                Senders::new("small", 5, &tcp("sack", ", segment = \"500 B\"")),
                Senders::new("large", 5, &tcp("sack", ", segment = \"1500 B\"")),
            ],
        ),
        draft(
            "ecn",
            ECN,
            "Ten NewReno connections with ECN",
            "What do marks instead of losses give ten NewReno connections?".to_owned(),
            vec![Senders::new("ecn", CONNECTIONS, &tcp("newreno", ecn))],
        ),
        draft(
            "cubic-ecn",
            ECN,
            "Ten CUBIC connections with ECN",
            "What do marks instead of losses give ten CUBIC connections?".to_owned(),
            vec![Senders::new("ecn", CONNECTIONS, &tcp("cubic", ecn))],
        ),
        draft(
            "half-ecn",
            ECN,
            "Five connections with ECN, five without",
            "Do connections with ECN and without it share equally?".to_owned(),
            vec![
                Senders::new("ecn", CONNECTIONS / 2, &tcp("newreno", ecn)),
                Senders::new("plain", CONNECTIONS / 2, NEWRENO),
            ],
        ),
        draft(
            "two-way",
            "9.2",
            "Data in both directions",
            "What do acknowledgements among data the other way cost?".to_owned(),
            vec![Senders::new("forth", 5, NEWRENO), Senders::new("back", 5, NEWRENO).back()],
        ),
    ]);
    drafts
}

fn draft(id: &str, section: &'static str, title: &str, asks: String, senders: Vec<Senders>) -> Draft {
    let marks = if section == ECN { "; run laws that can mark with ecn = true" } else { "" };
    let description =
        format!("After RFC 7928, section {section}: bulk transfers over one bottleneck, all 50 ms away{marks}");
    let toml = Dumbbell::new(asks.as_str(), description, senders).toml();
    Draft { id: format!("mix-{id}"), section, title: title.to_owned(), asks, toml }
}

/// How people write it.
fn name(control: &str) -> &str {
    match control {
        "reno" => "Reno",
        "newreno" => "NewReno",
        "sack" => "SACK",
        "cubic" => "CUBIC",
        other => other,
    }
}
