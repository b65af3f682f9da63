//! How it was run: enough to do it again.

use super::html::escape;
use super::numbers::time;
use super::view::View;
use std::fmt::Write;

/// The section.
pub(super) fn section(view: &View<'_>) -> String {
    let plan = &view.scene.plan;
    let span = |span: fairwire_core::Span| time(span.as_nanos() as f64);
    let mut facts = vec![
        ("seed", seeds(view)),
        ("simulated time", span(plan.duration)),
        ("warm-up", span(plan.warmup)),
        ("row of the tables", span(plan.window)),
        ("fairwire", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    if !view.input.scenario_sha256.is_empty() {
        facts.push(("scenario SHA-256", view.input.scenario_sha256.to_owned()));
    }
    let mut html = r#"<section id="how"><h2>How it was run</h2><dl>"#.to_owned();
    for (name, value) in facts {
        let _ = write!(html, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value));
    }
    html.push_str("</dl>");
    for (law, violation) in violations(view) {
        let _ = write!(html, r#"<p class="bad">{}: {}</p>"#, escape(law), escape(violation));
    }
    if !view.input.scenario_text.is_empty() {
        let _ = write!(
            html,
            "<details><summary>The scenario</summary><pre>{}</pre></details>",
            escape(view.input.scenario_text)
        );
    }
    html.push_str("</section>");
    html
}

fn seeds(view: &View<'_>) -> String {
    let mut seeds: Vec<_> = view.input.runs.iter().map(|run| run.summary.seed).collect();
    seeds.dedup();
    let runs = view.laws.iter().map(|law| law.runs.len()).max().unwrap_or(0);
    let seeds = seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    if runs > 1 { format!("{seeds}, {runs} runs a law") } else { seeds }
}

/// The first broken invariants of each law.
fn violations<'v>(view: &'v View<'_>) -> impl Iterator<Item = (&'v str, &'v str)> {
    view.laws.iter().flat_map(|law| {
        let all = law.runs.iter().flat_map(|run| &run.summary.violations);
        all.take(10).map(|violation| (law.law, violation.as_str()))
    })
}
