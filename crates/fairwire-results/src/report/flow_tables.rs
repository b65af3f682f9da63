//! The numbers behind the pictures.

use super::html::escape;
use super::law_runs::LawRuns;
use super::link_table;
use super::numbers::{percent, rate, significant, time};
use super::view::View;
use fairwire_alloc::text;
use std::fmt::Write;

/// Tables longer than this are folded away.
const MOST_OPEN: usize = 24;

/// The section: one table of runs, one of flows.
pub(super) fn section(view: &View<'_>) -> String {
    format!(
        r#"<section id="numbers"><h2>Numbers</h2>{}{}{}</section>"#,
        law_table(view),
        link_table::table(view),
        flow_table(view)
    )
}

fn law_table(view: &View<'_>) -> String {
    let replicated = view.laws.iter().any(|law| law.runs.len() > 1);
    let means = if replicated { " Means over all runs of a law; times are the longest." } else { "" };
    let mut html = format!(
        r#"<p class="note">W is the window over which rates are averaged where fair and settled are decided.{means}</p><div class="scroll"><table><thead><tr><th>law</th><th class="n">runs</th><th class="n">fair within 5 %</th><th class="n">fair within 1 %</th><th class="n">settled</th><th class="n">oscillation</th><th class="n">Jain’s index</th><th class="n">busiest link</th><th class="n">packets lost</th><th class="n">packet hops</th><th class="n">wall time</th></tr></thead><tbody>"#
    );
    for law in &view.laws {
        let fair = |at: usize| {
            let entry = law.first.summary.time_to_fair.get(at);
            entry.map_or(String::new(), |entry| time_cell(law.time_to_fair_ns(entry.within), entry.window_ns))
        };
        let settling = law.first.summary.settling;
        let settled: Option<Vec<_>> = law.runs.iter().map(|run| run.summary.settling.ns).collect();
        let settled = settled.and_then(|times| times.into_iter().max());
        let busiest = law.first.summary.busiest_link.as_deref().unwrap_or("none");
        let _ = write!(
            html,
            r#"<tr><th>{}</th><td class="n">{}</td>{}{}{}<td class="n">{}</td><td class="n">{}</td><td class="n">{} <span class="dim">{}</span></td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td></tr>"#,
            escape(law.law),
            law.runs.len(),
            fair(0),
            fair(1),
            time_cell(settled, settling.window_ns),
            percent(law.mean_of_runs(|run| run.summary.oscillation)),
            significant(law.mean_of_runs(|run| run.summary.jain), 4),
            percent(law.mean_of_runs(|run| run.summary.utilisation)),
            escape(busiest),
            percent(law.loss()),
            text::grouped(law.mean_of_runs(|run| run.summary.packet_hops as f64).round() as u64),
            time(law.mean_of_runs(|run| run.summary.wall_s) * 1e9),
        );
    }
    html.push_str("</tbody></table></div>");
    html
}

/// A time with its window, or "never".
fn time_cell(ns: Option<u64>, window_ns: u64) -> String {
    let text = ns.map_or("never".to_owned(), |ns| time(ns as f64));
    format!(r#"<td class="n">{text} <span class="dim">W {}</span></td>"#, time(window_ns as f64))
}

fn flow_table(view: &View<'_>) -> String {
    let mut html = r#"<p class="note">Lost: of the packets sent, those dropped on the way. Refused: of the packets that sources offered, those that their sender had no room for.</p><div class="scroll"><table><thead><tr><th>flow</th><th>law</th><th class="n">rate</th><th class="n">fair rate</th><th class="n">ratio</th><th class="n">lost</th><th class="n">refused</th><th class="n">delay p50</th><th class="n">p95</th><th class="n">p99</th></tr></thead><tbody>"#.to_owned();
    for flow in 0..view.scene.plan.flows.len() {
        for (at, law) in view.laws.iter().enumerate() {
            html.push_str(&flow_row(view, flow, law, at == 0));
        }
    }
    html.push_str("</tbody></table></div>");
    let flows = view.scene.plan.flows.len();
    let title = if flows == 1 { "The one flow".to_owned() } else { format!("All {flows} flows") };
    folded(html, flows * view.laws.len(), &title)
}

/// A table of so many rows, folded away under `title` if it is long.
pub(super) fn folded(table: String, rows: usize, title: &str) -> String {
    if rows > MOST_OPEN { format!("<details><summary>{title}</summary>{table}</details>") } else { table }
}

fn flow_row(view: &View<'_>, flow: usize, law: &LawRuns<'_>, first: bool) -> String {
    let measured = law.flow(flow);
    let name = if first { escape(&view.scene.plan.flows[flow].name) } else { String::new() };
    let class = if first { r#" class="first""# } else { "" };
    let Some(numbers) = law.first.summary.flows.get(flow) else { return String::new() };
    let delay = |ns: Option<u64>| ns.map_or("–".to_owned(), |ns| time(ns as f64));
    let refused = if numbers.offered == 0 { 0.0 } else { numbers.refused as f64 / numbers.offered as f64 };
    format!(
        r#"<tr{class}><th>{name}</th><td>{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td><td class="n">{}</td></tr>"#,
        escape(law.law),
        rate(measured.rate_bps),
        rate(view.scene.references[flow].rate_bps),
        measured.ratio.map_or("–".to_owned(), percent),
        percent(measured.loss),
        percent(refused),
        delay(numbers.delay_p50_ns),
        delay(numbers.delay_p95_ns),
        delay(numbers.delay_p99_ns),
    )
}
