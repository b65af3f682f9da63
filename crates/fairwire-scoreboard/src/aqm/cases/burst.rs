//! Short transfers, pages and streams beside bulk: RFC 7928 §7.2 and §9.1.

use super::Draft;
use super::dumbbell::{Dumbbell, NEWRENO, Senders};

/// Bulk connections beside.
const BULK: usize = 5;
/// A call: 64 kb/s and headers in packets of 200 bytes.
const VOICE: &str = "kind = \"cbr\", rate = \"80 kb/s\", packet = \"200 B\", interval-jitter = \"10 %\"";
/// A film: bursts at 3 Mb/s, 1 Mb/s on average.
const VIDEO: &str = "kind = \"pareto-on-off\", peak = \"3 Mb/s\", mean-on = \"200 ms\", mean-off = \"400 ms\"";
/// A reader: pages of ten objects of 10 kB on average, five seconds between them.
const WEB: &str = "kind = \"web\", profile = \"ns-2\", control = \"newreno\", initial-window = \"10 packets\", mean-think-time = \"5 s\", \
                   mean-objects = 10, mean-gap = \"50 ms\", size = { kind = \"pareto\", mean = \"10 kB\" }";

pub fn drafts() -> Vec<Draft> {
    let bulk = || Senders::new("bulk", BULK, NEWRENO);
    let short = |segments: u32| {
        format!(
            "kind = \"transfers\", profile = \"ns-2\", control = \"newreno\", initial-window = \"{segments} packets\", size = \"10 kB\", \
             mean-interval = \"400 ms\""
        )
    };
    vec![
        draft(
            "short-3",
            "7.2",
            "Short transfers with an initial window of 3",
            "How long do transfers of ten packets take beside bulk, with an initial window of 3?",
            vec![bulk(), Senders::new("short", 5, &short(3))],
        ),
        draft(
            "short-10",
            "7.2",
            "Short transfers in one burst",
            "How long do transfers of ten packets take beside bulk that come in one burst?",
            vec![bulk(), Senders::new("short", 5, &short(10))],
        ),
        draft(
            "web",
            "7.2",
            "Web pages beside bulk",
            "How long do objects of web pages take beside bulk?",
            vec![bulk(), Senders::new("web", 10, WEB)],
        ),
        draft(
            "voice",
            "7.2",
            "Calls beside bulk",
            "What do calls suffer beside bulk?",
            vec![bulk(), Senders::new("voice", 2, VOICE)],
        ),
        draft(
            "video",
            "7.2",
            "A film beside bulk",
            "What does a film in bursts suffer beside bulk, and what does it do to it?",
            vec![bulk(), Senders::new("video", 1, VIDEO)],
        ),
        draft(
            "all",
            "9.1",
            "Bulk, pages, a film and a call",
            "What does everybody get of a link at home: bulk, pages, a film and a call?",
            vec![
                bulk(),
                Senders::new("web", 10, WEB),
                Senders::new("video", 1, VIDEO),
                Senders::new("voice", 1, VOICE),
            ],
        ),
    ]
}

fn draft(id: &str, section: &'static str, title: &str, asks: &str, senders: Vec<Senders>) -> Draft {
    let description = format!("After RFC 7928, section {section}; five bulk connections instead of one");
    let mut dumbbell = Dumbbell::new(asks, description, senders);
    dumbbell.duration_s = 60;
    let (title, asks) = (title.to_owned(), asks.to_owned());
    Draft { id: format!("burst-{id}"), section, title, asks, toml: dumbbell.toml() }
}
