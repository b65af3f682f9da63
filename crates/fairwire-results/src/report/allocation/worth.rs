//! What capacity is worth, link by link.

use crate::report::html::{piece, track};
use crate::report::numbers::significant;
use crate::report::scene::Scene;
use crate::report::table::{head, named, table};
use fairwire_alloc::Sensitivity;
use maud::{Markup, html};

/// The table names at most so many flows a link.
const MOST_NAMED: usize = 5;

/// The section.
pub(super) fn section(scene: &Scene<'_>, sensitivities: &[Sensitivity]) -> Markup {
    let most = sensitivities.iter().map(|worth| worth.total_up.abs()).fold(1e-9, f64::max);
    let header = html! {
        (head(&["link", ">for 1 Mb/s more"]))
        th.room {}
        (head(&[">for 1 Mb/s less", "who, for 1 Mb/s more"]))
    };
    let rows = html! { @for worth in sensitivities { (row(scene, worth, most)) } };
    html! {
        section #worth {
            h2 { "What capacity is worth" }
            p.note {
                "Mb/s that all flows together gain for 1 Mb/s more on a full link, and lose for 1 Mb/s less. The two \
                 differ where several things hold a flow at once. Links with room are worth nothing either way."
            }
            @if sensitivities.is_empty() {
                p.note { "No link is full." }
            } @else {
                (table("What capacity is worth", Some("whatif"), header, rows))
            }
        }
    }
}

fn row(scene: &Scene<'_>, worth: &Sensitivity, most: f64) -> Markup {
    html! {
        tr {
            th { @if let Some(link) = scene.problem.links.get(worth.link) { (named(&link.id)) } }
            td.n { (signed(worth.total_up)) }
            td.room { (track(piece("plus", 0.0, (worth.total_up / most * 100.0).clamp(0.0, 100.0)))) }
            td.n { (signed(-worth.total_down)) }
            td { (who(scene, &worth.up)) }
        }
    }
}

fn who(scene: &Scene<'_>, gains: &[(usize, f64)]) -> String {
    let mut gains = gains.to_vec();
    gains.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    let name = |flow: usize| scene.plan.flows.get(flow).map_or_else(String::new, |flow| flow.name.clone());
    let mut named: Vec<String> =
        gains.iter().take(MOST_NAMED).map(|&(flow, gain)| format!("{} {}", name(flow), signed(gain))).collect();
    if gains.len() > MOST_NAMED {
        named.push(format!("{} more", gains.len() - MOST_NAMED));
    }
    if named.is_empty() { "nobody".to_owned() } else { named.join(", ") }
}

fn signed(value: f64) -> String {
    let text = significant(value.abs(), 3);
    match value {
        _ if text == "0" => text,
        value if value < 0.0 => format!("−{text}"),
        _ => format!("+{text}"),
    }
}
