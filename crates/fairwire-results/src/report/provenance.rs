//! How it was run: enough to do it again.

use super::numbers::time;
use super::view::View;
use maud::{Markup, html};

/// The section.
pub(super) fn section(view: &View<'_>) -> Markup {
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
    html! {
        section #how {
            h2 { "How it was run" }
            dl {
                @for (name, value) in &facts {
                    div { dt { (name) } dd { (value) } }
                }
            }
            @for (law, violation) in violations(view) {
                p.bad { (law) ": " (violation) }
            }
            @if !view.input.scenario_text.is_empty() {
                details { summary { "The scenario" } pre tabindex="0" role="group" aria-label="The scenario" { (view.input.scenario_text) } }
            }
        }
    }
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
