//! The page of the board: one picture, the tables, and how to read them.

use super::contest::Run;
use super::picture::drawn;
use super::summary::Summary;
use super::tables::tables;
use crate::page::section;
use fairwire_alloc::text;
use fairwire_results::{document, scrolling};
use maud::html;

const HOW_TO_READ: &str = "A change is the start of a run or a step of it. Its time ends when all flows that are on are allowed their fair rates within 1 %, for good; in loops, a loop being the longest round trip and the time between two control packets of the slowest flow. Exact is a change that ended with all rates fair to 1e-6. Queues are in packets beyond the number of flows that take the link, the longest of a network; lost is what queues and laws dropped of the data packets sent. All of these stand first for the networks whose bandwidth never falls and then, from falling on, for those where it does; in networks is in how many of them a packet was lost. Exact, lossy is the same as exact in networks whose links lose packets. A p95 is of what stands before it. Control is the part of all packets that control packets are, those that sources sent and those that ports sent by themselves: the mean over networks, of the packets of all networks together, of the network with the largest part, and in how many networks it is more than 6 %. In brackets 95 % bootstrap intervals over networks.";

/// The board as one HTML page that needs nothing else.
pub fn page(summary: &Summary, runs: &[Run]) -> String {
    let body = html! {
        header {
            h1 { "Which law tells sources their rates soonest, and at what price?" }
            p.lead {
                "Every rate law, packet by packet, on the network of the paper"
                @if summary.networks > 0 { " and on " (text::count(summary.networks, "random network")) }
                ", against general-weighted fair rates."
            }
        }
        @if let Some(picture) = drawn(runs) {
            section { (scrolling("Scoreboard of rate laws", picture)) }
        }
        @for table in tables(summary) { (section(&table)) }
        section {
            h2 { "How to read it" }
            p.note { (HOW_TO_READ) }
            p.note { "fairwire " (env!("CARGO_PKG_VERSION")) ". Made by " code { "fairwire-bench rates" } "." }
        }
    };
    document("Explicit rates", &body)
}
