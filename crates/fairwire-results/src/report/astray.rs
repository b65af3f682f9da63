//! Packets that cuts and steering cost each flow.

use super::flow_tables::folded;
use super::html::escape;
use super::view::View;
use crate::summary::FlowSummary;
use fairwire_alloc::text;
use std::fmt::Write;

/// A table of the flows that suffered under any law, in the first run of each; nothing where none did.
pub(super) fn table(view: &View<'_>) -> String {
    let of = |flow: usize| view.laws.iter().filter_map(move |law| Some((law.law, law.first.summary.flows.get(flow)?)));
    let hit: Vec<_> =
        (0..view.scene.plan.flows.len()).filter(|&flow| of(flow).any(|(_, flow)| suffered(flow))).collect();
    if hit.is_empty() {
        return String::new();
    }
    let mut html = r#"<div class="scroll"><table><thead><tr><th>flow</th><th>law</th><th class="n">packets lost on cut links</th><th class="n">delivered after later ones</th><th class="n">discarded to keep order</th></tr></thead><tbody>"#.to_owned();
    for &flow in &hit {
        for (at, (law, summary)) in of(flow).enumerate() {
            html.push_str(&row(summary, law, at == 0));
        }
    }
    html.push_str("</tbody></table></div>");
    folded(html, hit.len() * view.laws.len(), &format!("What it cost {} in packets", text::count(hit.len(), "flow")))
}

fn astray(flow: &FlowSummary) -> [Option<u64>; 3] {
    [flow.lost, flow.reordered, flow.discarded]
}

fn suffered(flow: &FlowSummary) -> bool {
    astray(flow).into_iter().flatten().any(|packets| packets > 0)
}

fn row(flow: &FlowSummary, law: &str, first: bool) -> String {
    let (class, name) = if first { (r#" class="first""#, escape(&flow.id)) } else { ("", String::new()) };
    let mut row = format!("<tr{class}><th>{name}</th><td>{}</td>", escape(law));
    for packets in astray(flow) {
        let _ = write!(row, r#"<td class="n">{}</td>"#, packets.map_or("–".to_owned(), text::grouped));
    }
    row + "</tr>"
}
