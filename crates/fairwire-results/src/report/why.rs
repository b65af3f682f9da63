//! Why each flow's fair rate is what it is.

use super::html::escape;
use super::numbers::{rate, significant};
use super::over_time::swatch;
use super::scene::Scene;
use super::throughput::fair_text;
use fairwire_alloc::{Limit, Sharer, Uniqueness};
use std::fmt::Write;

/// More flows than this are left to the other answers.
const MOST_FOLDED: usize = 1000;

/// The section: a row a flow; folded away where there are many.
pub(super) fn section(scene: &Scene<'_>) -> String {
    let unique = match scene.allocation.unique {
        Uniqueness::Yes => "These are the only fair rates.",
        Uniqueness::No => "Several sets of rates are fair; every flow’s interval is told.",
        Uniqueness::NotDecided => "These rates are fair; whether others are too was not decided.",
    };
    let mut table = r#"<div class="scroll"><table class="why"><thead><tr><th>flow</th><th class="n">fair rate</th><th>held by</th><th>why</th></tr></thead><tbody>"#.to_owned();
    let flows = scene.plan.flows.len();
    for flow in 0..flows.min(MOST_FOLDED) {
        table.push_str(&row(scene, flow));
    }
    table.push_str("</tbody></table></div>");
    if flows > 24 {
        let which = if flows > MOST_FOLDED { format!("The first {MOST_FOLDED} of") } else { "All".to_owned() };
        table = format!("<details><summary>{which} {flows} flows</summary>{table}</details>");
    }
    format!(
        r#"<section id="why"><h2>Why these rates are fair</h2><p class="note">Reference: {}. {unique}</p>{table}</section>"#,
        scene.criterion
    )
}

fn row(scene: &Scene<'_>, flow: usize) -> String {
    let plan = &scene.plan.flows[flow];
    let (held_by, why) = match &scene.allocation.flows[flow].limited_by {
        Limit::Demand => match scene.satisfied.get(flow) {
            Some((kind, why)) => (format!("its {}", escape(kind)), escape(why)),
            None => ("its demand".to_owned(), "It gets all that it asks for.".to_owned()),
        },
        Limit::Link { link, why, sharers } => {
            let id = scene.problem.links.get(*link).map_or("?", |link| &link.id);
            (format!("link {}", escape(id)), escape(why) + &sharer_list(sharers))
        }
    };
    format!(
        r#"<tr><th>{}{}</th><td class="n">{}</td><td>{held_by}</td><td>{why}</td></tr>"#,
        swatch(scene.tints[flow]),
        escape(&plan.name),
        fair_text(scene, flow),
    )
}

fn sharer_list(sharers: &[Sharer]) -> String {
    if sharers.is_empty() {
        return String::new();
    }
    let mut html = r#"<details class="sharers"><summary>who shares it</summary><ul>"#.to_owned();
    for sharer in sharers {
        let weight =
            if sharer.weight == 1.0 { String::new() } else { format!(", weight {}", significant(sharer.weight, 4)) };
        let _ = write!(html, "<li>{}: {}{weight}</li>", escape(&sharer.name), rate(sharer.rate_bps));
    }
    html.push_str("</ul></details>");
    html
}
