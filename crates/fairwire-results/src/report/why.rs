//! Why each flow's fair rate is what it is.

use super::numbers::{rate, significant};
use super::over_time::swatch;
use super::scene::Scene;
use super::table::{folded, head, named, table};
use super::throughput::fair_text;
use fairwire_alloc::{Limit, Sharer, Uniqueness};
use maud::{Markup, html};

/// More flows than this are left to the other answers.
const MOST_FOLDED: usize = 1000;

/// The section: a row a flow; folded away where there are many.
pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let unique = match scene.allocation.unique {
        Uniqueness::Yes => "These are the only fair rates.",
        Uniqueness::No => "Several sets of rates are fair; every flow’s interval is told.",
        Uniqueness::NotDecided => "These rates are fair; whether others are too was not decided.",
    };
    let flows = scene.plan.flows.len();
    let rows = html! { @for flow in 0..flows.min(MOST_FOLDED) { (row(scene, flow)) } };
    let rows = table("Fair rates and why", Some("why"), head(&["flow", ">fair rate", "held by", "why"]), rows);
    let which = if flows > MOST_FOLDED { format!("The first {MOST_FOLDED} of") } else { "All".to_owned() };
    html! {
        section #why {
            h2 { "Why these rates are fair" }
            p.note { "Reference: " (scene.criterion) ". " (unique) }
            (folded(rows, flows, &format!("{which} {flows} flows")))
        }
    }
}

fn row(scene: &Scene<'_>, flow: usize) -> Markup {
    let plan = &scene.plan.flows[flow];
    let (held_by, why, sharers) = match &scene.allocation.flows[flow].limited_by {
        Limit::Demand => match scene.satisfied.get(flow) {
            Some((kind, why)) => (format!("its {kind}"), why.as_str(), &[][..]),
            None => ("its demand".to_owned(), "It gets all that it asks for.", &[][..]),
        },
        Limit::Link { link, why, sharers } => {
            let id = scene.problem.links.get(*link).map_or("?", |link| &link.id);
            (format!("link {id}"), why.as_str(), &sharers[..])
        }
    };
    html! {
        tr {
            th { (swatch(scene.tints[flow])) (named(&plan.name)) }
            td.n { (fair_text(scene, flow)) }
            td { (named(&held_by)) }
            td { (why) (sharer_list(sharers)) }
        }
    }
}

fn sharer_list(sharers: &[Sharer]) -> Markup {
    html! {
        @if !sharers.is_empty() {
            details.sharers {
                summary { "who shares it" }
                ul {
                    @for sharer in sharers {
                        li {
                            (sharer.name) ": " (rate(sharer.rate_bps))
                            @if sharer.weight != 1.0 { ", weight " (significant(sharer.weight, 4)) }
                        }
                    }
                }
            }
        }
    }
}
