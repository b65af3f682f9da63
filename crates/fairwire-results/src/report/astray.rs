//! Packets that cuts and steering cost each flow.

use super::table::{folded, head, names, numbers, table};
use super::view::View;
use crate::summary::FlowSummary;
use fairwire_alloc::text;
use maud::{Markup, html};

/// A table of the flows that suffered under any law, in the first run of each; nothing where none did.
pub(super) fn table_of_flows(view: &View<'_>) -> Markup {
    let of = |flow: usize| view.laws.iter().filter_map(move |law| Some((law.law, law.first.summary.flows.get(flow)?)));
    let hit: Vec<_> =
        (0..view.scene.plan.flows.len()).filter(|&flow| of(flow).any(|(_, flow)| suffered(flow))).collect();
    if hit.is_empty() {
        return Markup::default();
    }
    let header =
        head(&["flow", "law", ">packets lost on cut links", ">delivered after later ones", ">discarded to keep order"]);
    let rows = html! {
        @for &flow in &hit {
            @for (at, (law, summary)) in of(flow).enumerate() { (row(summary, law, (at == 0).then(|| of(flow).count()))) }
        }
    };
    let title = format!("What it cost {} in packets", text::count(hit.len(), "flow"));
    folded(table(&title, None, header, rows), hit.len() * view.laws.len(), &title)
}

fn astray(flow: &FlowSummary) -> [Option<u64>; 3] {
    [flow.lost, flow.reordered, flow.discarded]
}

fn suffered(flow: &FlowSummary) -> bool {
    astray(flow).into_iter().flatten().any(|packets| packets > 0)
}

/// A row; the first of a flow names it for so many.
fn row(flow: &FlowSummary, law: &str, named_for: Option<usize>) -> Markup {
    html! {
        tr class=[named_for.map(|_| "first")] {
            @if let Some(rows) = named_for { (names(rows, &flow.id)) }
            td { (law) }
            (numbers(astray(flow).map(|packets| packets.map_or("–".to_owned(), text::grouped))))
        }
    }
}
