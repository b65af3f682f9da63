//! The page of one paper: what it is, a list of its claims, and each of them.

use super::{Shown, bar, claim, class, menu, word};
use fairwire_results::document;
use maud::{Markup, html};

pub(super) fn page(one: &Shown<'_>, all: &[Shown<'_>]) -> String {
    let body = html! {
        (menu("Papers", all, Some(one.paper)))
        header {
            h1 { (one.paper.title) }
            p.dim { (one.paper.authors) }
            p.lead { (one.paper.about) }
            (bar(&one.counts()))
            @if one.left_out > 0 { p.note { (one.left_out) " more claims were left out of this call." } }
            (contents(one))
        }
        @for row in &one.rows { (claim::section(row)) }
        (menu("More papers", all, Some(one.paper)))
        p.note { "fairwire " (env!("CARGO_PKG_VERSION")) "." }
    };
    document(&one.paper.title, &body)
}

/// Every claim as a link to its section, in the colour of its verdict; nothing where there is little to find.
fn contents(one: &Shown<'_>) -> Markup {
    const FEW: usize = 4;
    html! {
        @if one.rows.len() > FEW {
            details open {
                summary { "All claims" }
                ul."index wide" {
                    @for row in &one.rows {
                        li class=(class(row.verdict)) {
                            a href={ "#" (row.id) } title={ (row.title) ": " (word(row.verdict)) } {
                                (row.place) ": " (row.title)
                            }
                        }
                    }
                }
            }
        }
    }
}
