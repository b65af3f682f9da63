//! The page around the parts.

use super::html::{document, lead};
use super::input::ReportInput;
use super::verdict::{Mark, verdict};
use super::view::View;
use super::{
    bars, changes, control, explicit_rates, flow_tables, promises, protection, provenance, queues, throughput,
    topology, transfers, why, windows,
};
use maud::{Markup, html};

/// The report as one HTML page that needs nothing else.
pub fn render(input: &ReportInput<'_>) -> String {
    let view = View::new(input);
    let body = html! {
        (header(&view))
        (topology::section(&view.scene, &view.laws))
        (bars::section(&view))
        (promises::section(input.promises))
        (throughput::section(&view))
        (changes::section(&view))
        (explicit_rates::section(&view))
        (protection::section(&view))
        (queues::section(&view))
        (windows::section(&view))
        (transfers::section(&view))
        (control::section(&view))
        (flow_tables::section(&view))
        (why::section(&view.scene))
        (provenance::section(&view))
    };
    document(input.title, &body)
}

/// Title, description, and one sentence a law.
fn header(view: &View<'_>) -> Markup {
    html! {
        header {
            h1 { (view.input.title) }
            (lead(view.input.description))
            ul.verdicts {
                @for law in &view.laws {
                    @let verdict = verdict(view, law);
                    @let (class, word) = match verdict.mark {
                        Mark::Fair => ("yes", "fair"),
                        Mark::OnAverage => ("part", "on average"),
                        Mark::Unfair => ("no", "not fair"),
                        Mark::Unknown => ("open", "open"),
                    };
                    li class=(class) {
                        span.vl { (law.law) }
                        span.vm { (word) }
                        span.vs { (verdict.sentence) }
                    }
                }
            }
        }
    }
}
