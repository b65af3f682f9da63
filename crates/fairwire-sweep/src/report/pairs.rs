//! Laws beside the first one, on the same random numbers: their differences as charts and as a table.

use super::curves::{Drawing, MOST_AXES, chart, legend};
use super::tables::{MOST_ROWS, left_out};
use super::{along, half_text, in_lines, plain, value_text};
use crate::pairs::{Pair, law_axis};
use crate::plan::Plan;
use crate::result::Answer;
use fairwire_results::html_table;
use maud::{Markup, html};

pub fn section(plan: &Plan, answer: &Answer, measures: &[String]) -> Markup {
    let Some(first) = answer.pairs.first() else { return html! {} };
    let axes = along(plan);
    // A measure in which no law ever differs is no chart.
    let differ: Vec<&String> = measures
        .iter()
        .filter(|measure| of(answer, measure).any(|pair| pair.difference.is_some_and(|difference| difference != 0.0)))
        .collect();
    html! {
        section {
            h2 { "Beside " (first.base) }
            p.note {
                "Differences run by run: both laws met the same random numbers, and what both owe to these cancels. Where an interval \
                 reaches over zero chance alone may have made the difference."
            }
            @for along in axes.iter().take(MOST_AXES) {
                h3 { "Less " (first.base) ", along " (along.name) }
                (legend(plan, along, answer.pairs.iter().map(|pair| pair.point)))
                .pair { @for measure in &differ { (chart(plan, along, &drawing(answer, measure))) } }
            }
            (all(plan, answer, measures))
        }
    }
}

fn of<'a>(answer: &'a Answer, measure: &'a str) -> impl Iterator<Item = &'a Pair> {
    answer.pairs.iter().filter(move |pair| pair.measure == measure)
}

fn drawing<'a>(answer: &'a Answer, measure: &'a str) -> Drawing<'a> {
    let dot = |pair: &Pair| {
        let difference = pair.difference?;
        Some((pair.point, (difference, pair.half_width.map(|half| (difference - half, difference + half)))))
    };
    let unit = of(answer, measure).next().map_or("1", |pair| pair.unit);
    let title = format!("difference in {}", plain(measure));
    Drawing { title, unit, dots: of(answer, measure).filter_map(dot).collect(), of_differences: true }
}

/// Every difference, measure by measure.
fn all(plan: &Plan, answer: &Answer, measures: &[String]) -> Markup {
    let law = law_axis(plan);
    let others = || plan.sweep.axes().iter().enumerate().filter(|(at, _)| Some(*at) != law);
    let mut header = vec!["measure".to_owned()];
    header.extend(others().map(|(_, axis)| in_lines(&axis.key)));
    let base = answer.pairs.first().map_or("", |pair| pair.base);
    header.extend(["law", &format!(">less {base}"), "differs", ">± if independent", ">runs"].map(str::to_owned));
    let row = |pair: &Pair| {
        let words = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| value_text(pair.unit, value));
        let halves = |half: Option<f64>| half.map_or_else(|| "–".to_owned(), |half| half_text(pair.unit, half));
        let (difference, differs) = match (pair.difference, pair.half_width) {
            (Some(difference), Some(half)) => {
                let differs = if difference.abs() > half { "yes" } else { "no" };
                (format!("{} ± {}", words(pair.difference), halves(pair.half_width)), differs)
            }
            _ => (words(pair.difference), "–"),
        };
        let chosen = plan.sweep.choices(pair.point);
        let mut row = vec![plain(&pair.measure).to_owned()];
        row.extend(others().map(|(at, axis)| axis.values[chosen[at]].clone()));
        let independent = halves(pair.unpaired_half_width);
        row.extend([pair.law.to_owned(), difference, differs.to_owned(), independent, pair.n.to_string()]);
        row
    };
    let sorted = measures.iter().flat_map(|measure| of(answer, measure));
    let rows: Vec<Vec<String>> = sorted.take(MOST_ROWS).map(row).collect();
    html! {
        h3 { "All differences" }
        (html_table("All differences", &header, &rows))
        (left_out(answer.pairs.len(), "pair"))
    }
}
