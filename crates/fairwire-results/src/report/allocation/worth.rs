//! What capacity is worth, link by link.

use crate::report::html::escape;
use crate::report::numbers::significant;
use crate::report::scene::Scene;
use fairwire_alloc::Sensitivity;
use std::fmt::Write;

/// The table names at most so many flows a link.
const MOST_NAMED: usize = 5;

/// The section.
pub(super) fn section(scene: &Scene<'_>, sensitivities: &[Sensitivity]) -> String {
    let mut html = r#"<section id="worth"><h2>What capacity is worth</h2><p class="note">Mb/s that all flows together gain for 1 Mb/s more on a full link, and lose for 1 Mb/s less. The two differ where several things hold a flow at once. Links with room are worth nothing either way.</p>"#.to_owned();
    if sensitivities.is_empty() {
        return html + r#"<p class="note">No link is full.</p></section>"#;
    }
    let most = sensitivities.iter().map(|worth| worth.total_up.abs()).fold(1e-9, f64::max);
    html.push_str(r#"<div class="scroll"><table class="whatif"><thead><tr><th>link</th><th class="n">for 1 Mb/s more</th><th class="room"></th><th class="n">for 1 Mb/s less</th><th>who, for 1 Mb/s more</th></tr></thead><tbody>"#);
    for worth in sensitivities {
        let width = (worth.total_up / most * 100.0).clamp(0.0, 100.0);
        let _ = write!(
            html,
            r#"<tr><th>{}</th><td class="n">{}</td><td class="room"><svg class="track" aria-hidden="true"><rect class="plus" x="0" y="15%" width="{width:.2}%" height="70%"/></svg></td><td class="n">{}</td><td>{}</td></tr>"#,
            scene.problem.links.get(worth.link).map_or_else(String::new, |link| escape(&link.id)),
            signed(worth.total_up),
            signed(-worth.total_down),
            who(scene, &worth.up)
        );
    }
    html + "</tbody></table></div></section>"
}

fn who(scene: &Scene<'_>, gains: &[(usize, f64)]) -> String {
    let mut gains = gains.to_vec();
    gains.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    let name = |flow: usize| scene.plan.flows.get(flow).map_or_else(String::new, |flow| escape(&flow.name));
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
