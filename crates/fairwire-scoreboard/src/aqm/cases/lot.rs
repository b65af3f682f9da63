//! Parking lots: one flow that crosses every bottleneck, nine others at each.
//!
//! [vrr-gateway] §III-E goes to ten bottlenecks; RFC 7928 has one only (its §10 speaks
//! of two).

use super::Draft;
use super::dumbbell::{BOTTLENECK, CAPACITY_MBPS, NEWRENO, USUAL_RTT_MS, access, head};
use std::fmt::Write;

/// Bottlenecks on the way.
pub const LENGTHS: [u32; 5] = [2, 4, 8, 16, 32];
/// Micro-flows that cross each bottleneck beside the long one.
const CROSS: u32 = 9;
/// Propagation of the whole chain, whatever its length; every flow, long or not, has the
/// usual round trip, so that the bottlenecks are all that differs.
const CHAIN_MS: f64 = 20.0;

/// What goes the whole way, and what crosses it.
struct Kind {
    id: &'static str,
    words: &'static str,
    /// The same for a heading, before and after the number of bottlenecks.
    title: [&'static str; 2],
    long: String,
    cross: String,
}

pub fn drafts() -> Vec<Draft> {
    let stream = |kbps: u32| format!("kind = \"cbr\", rate = \"{kbps} kb/s\", interval-jitter = \"10 %\"");
    let share_kbps = CAPACITY_MBPS * 1_000 / (CROSS + 1);
    let newreno = || NEWRENO.to_owned();
    let kinds = [
        Kind {
            id: "tcp",
            words: "a connection crosses others",
            title: ["A connection over", ""],
            long: newreno(),
            cross: newreno(),
        },
        Kind {
            id: "udp",
            words: "a stream at its share crosses streams at twice theirs",
            title: ["A stream over", ", crossed by streams"],
            long: stream(share_kbps),
            cross: stream(2 * share_kbps),
        },
        Kind {
            id: "tcp-udp",
            words: "a connection crosses streams at twice their share",
            title: ["A connection over", ", crossed by streams"],
            long: newreno(),
            cross: stream(2 * share_kbps),
        },
    ];
    kinds.iter().flat_map(|kind| LENGTHS.map(|length| draft(kind, length))).collect()
}

fn draft(kind: &Kind, length: u32) -> Draft {
    let asks = format!("What is left after {length} bottlenecks where {}?", kind.words);
    let title = format!("{} {length} bottlenecks{}", kind.title[0], kind.title[1]);
    Draft { id: format!("lot-{}-{length}", kind.id), section: "–", title, toml: toml(kind, length, &asks), asks }
}

fn toml(kind: &Kind, length: u32, asks: &str) -> String {
    let routers: Vec<String> = (0..=length).map(|router| format!("r{router}")).collect();
    let senders: Vec<String> = (1..=length).map(|number| format!("s{number}")).collect();
    let nodes: Vec<&str> = routers.iter().chain(&senders).map(String::as_str).chain(["far"]).collect();
    let description = "After the paper vrr-gateway, section III-E; all flows have a round trip of 50 ms";
    let mut toml = head(asks, description, 40, 10, &nodes);
    let hop_ms = CHAIN_MS / f64::from(length);
    for hop in 1..=length {
        let _ = write!(
            toml,
            "\n[[network.link]]\nname = \"{BOTTLENECK}-{hop}\"\nfrom = \"r{}\"\nto = \"r{hop}\"\n\
             capacity = \"{CAPACITY_MBPS} Mb/s\"\ndelay = \"{hop_ms} ms\"\nduplex = true\n",
            hop - 1
        );
    }
    let one_way_ms = USUAL_RTT_MS / 2.0;
    toml.push_str(&access("far", "r0", one_way_ms - CHAIN_MS));
    for hop in 1..=length {
        toml.push_str(&access(&format!("s{hop}"), &format!("r{}", hop - 1), one_way_ms - hop_ms));
    }
    let _ = write!(
        toml,
        "\n[[flow]]\nname = \"long\"\nfrom = \"far\"\nto = \"r{length}\"\nstart-jitter = \"1 s\"\ntraffic = {{ {} }}\n",
        kind.long
    );
    for hop in 1..=length {
        let _ = write!(
            toml,
            "\n[[flow]]\nname = \"cross-{hop}\"\nfrom = \"s{hop}\"\nto = \"r{hop}\"\nmicro-flows = {CROSS}\n\
             start-jitter = \"1 s\"\ntraffic = {{ {} }}\n",
            kind.cross
        );
    }
    toml
}
