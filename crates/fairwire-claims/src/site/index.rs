//! The first page: every paper, what it is, and how many of its claims come out.

use super::{Shown, bar, class, counts, file_of, menu};
use crate::row::{Row, Verdict};
use fairwire_results::document;
use maud::{Markup, html};

pub(super) fn page(shown: &[Shown<'_>]) -> String {
    let rows = || shown.iter().flat_map(|one| one.rows.iter().copied());
    let body = html! {
        (menu("Papers", shown, None))
        header {
            h1 { "What the papers claim, and what comes out" }
            p.lead {
                (fairwire_alloc::text::count(rows().count(), "claim")) " of "
                (fairwire_alloc::text::count(shown.len(), "paper")) ", each measured anew by " code { "fairwire reproduce" }
                ". The papers' figures are drawn again: lines and bars are what was measured here, circles and dashed lines \
                 are numbers that the paper prints."
            }
            (bar(&counts(rows())))
            (verdicts())
        }
        @for one in shown { (card(one)) }
        (differing(shown))
        p.note { "fairwire " (env!("CARGO_PKG_VERSION")) "." }
    };
    document("What the papers claim", &body)
}

/// What each verdict means.
fn verdicts() -> Markup {
    let meanings = [
        ("reproduced", "It comes out as printed, within the claim's tolerance."),
        (
            "under a reading",
            "Not as printed, but under another understanding of the paper for which something else than the number speaks.",
        ),
        ("differs", "It does not come out. The claim tells what did, and why, as far as we know."),
        ("not run", "It was left out of this call, or takes real packets: fairwire reproduce --real."),
    ];
    html! {
        details {
            summary { "What the verdicts mean" }
            dl.plain { @for (verdict, meaning) in meanings { div { dt { (verdict) } dd { (meaning) } } } }
        }
    }
}

fn card(one: &Shown<'_>) -> Markup {
    let drawn: Vec<&Row> = one.rows.iter().copied().filter(|row| row.has_figures()).collect();
    html! {
        section id=(one.paper.name) {
            h2 { a href=(file_of(one.paper)) { (one.paper.title) } }
            p.dim { (one.paper.authors) }
            p.lead { (one.paper.about) }
            (bar(&one.counts()))
            @if one.left_out > 0 { p.note { (one.left_out) " more were left out of this call." } }
            @if !drawn.is_empty() {
                h3 { "Drawn again" }
                ul."index wide" {
                    @for row in drawn {
                        li class=(class(row.verdict)) {
                            a href={ (file_of(one.paper)) "#" (row.id) } title=(row.title) { (row.place) ": " (row.title) }
                        }
                    }
                }
            }
        }
    }
}

/// All claims that do not come out, in one place.
fn differing(shown: &[Shown<'_>]) -> Markup {
    let of = |one: &Shown<'_>| -> Vec<(String, String)> {
        let rows = one.rows.iter().filter(|row| row.verdict == Verdict::Differs);
        rows.map(|row| (format!("{}#{}", file_of(one.paper), row.id), row.title.clone())).collect()
    };
    let all: Vec<(String, String)> = shown.iter().flat_map(of).collect();
    html! {
        @if !all.is_empty() {
            section #differing {
                h2 { "What does not come out" }
                p.note { "Each tells what came out in its place, and why, as far as we know." }
                ul { @for (link, title) in all { li { a href=(link) { (title) } } } }
            }
        }
    }
}
