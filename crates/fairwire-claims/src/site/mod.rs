//! Claims and what came out as pages to read: an index of the papers, and a page a paper.

mod beside;
mod claim;
mod index;
mod lists;
mod names;
mod paper;
mod words;

use crate::catalogue::{Paper, papers};
use crate::row::{Row, Verdict};
use maud::{Markup, html};

/// A page of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its file's name.
    pub name: String,
    /// The whole page; it needs nothing else.
    pub html: String,
}

const INDEX: &str = "index.html";

/// The rows as a small site. Every paper of which a row was `asked` for has a page.
pub fn site(rows: &[Row], asked: impl Fn(&Row) -> bool) -> Vec<Page> {
    let shown: Vec<Shown<'_>> = papers().iter().filter_map(|paper| Shown::of(paper, rows, &asked)).collect();
    let index = Page { name: INDEX.to_owned(), html: index::page(&shown) };
    let of_papers = shown.iter().map(|one| Page { name: file_of(one.paper), html: paper::page(one, &shown) });
    std::iter::once(index).chain(of_papers).collect()
}

/// The names that pages of a site may have, whatever was asked for.
pub fn page_names() -> Vec<String> {
    std::iter::once(INDEX.to_owned()).chain(papers().iter().map(file_of)).collect()
}

/// A paper, and its rows.
struct Shown<'a> {
    paper: &'a Paper,
    /// Those that were asked for.
    rows: Vec<&'a Row>,
    /// How many were not.
    left_out: usize,
}

impl<'a> Shown<'a> {
    fn of(paper: &'a Paper, rows: &'a [Row], asked: &impl Fn(&Row) -> bool) -> Option<Self> {
        let of_paper = rows.iter().filter(|row| row.paper == paper.name);
        let (rows, left_out): (Vec<&Row>, Vec<&Row>) = of_paper.partition(|row| asked(row));
        (!rows.is_empty()).then_some(Self { paper, rows, left_out: left_out.len() })
    }

    /// How many rows have each verdict; none of those that no row has.
    fn counts(&self) -> Vec<(Verdict, usize)> {
        counts(self.rows.iter().copied())
    }
}

fn counts<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Vec<(Verdict, usize)> {
    let of = |verdict| rows.clone().filter(|row| row.verdict == verdict).count();
    Verdict::ALL.into_iter().map(|verdict| (verdict, of(verdict))).filter(|(_, count)| *count > 0).collect()
}

fn file_of(paper: &Paper) -> String {
    format!("{}.html", paper.name)
}

/// Links to all pages under a name of their own; the one that is open is no link.
fn menu(name: &str, shown: &[Shown<'_>], open: Option<&Paper>) -> Markup {
    html! {
        nav.menu aria-label=(name) {
            @if open.is_some() { a href=(INDEX) { "All papers" } } @else { b aria-current="page" { "All papers" } }
            @for one in shown {
                @if open.is_some_and(|paper| paper.name == one.paper.name) {
                    b aria-current="page" { (one.paper.name) }
                } @else {
                    a href=(file_of(one.paper)) { (one.paper.name) }
                }
            }
        }
    }
}

/// The counts as one bar, told in words beneath it.
fn bar(counts: &[(Verdict, usize)]) -> Markup {
    let all = counts.iter().map(|(_, count)| count).sum::<usize>().max(1) as f64;
    let before = |at: usize| counts[..at].iter().map(|(_, count)| count).sum::<usize>() as f64 / all * 100.0;
    let percent = |part: f64| format!("{part:.2}%");
    html! {
        svg.track aria-hidden="true" {
            @for (at, (verdict, count)) in counts.iter().enumerate() {
                rect
                    class={ "share " (class(*verdict)) }
                    x=(percent(before(at)))
                    y="15%"
                    width=(percent(*count as f64 / all * 100.0))
                    height="70%"
                    {}
            }
        }
        ul.legend {
            @for (verdict, count) in counts {
                li { i class={ "k share " (class(*verdict)) } {} (count) " " (word(*verdict)) @if *count == 1 && *verdict == Verdict::Differs { "s" } }
            }
        }
    }
}

/// What so many claims are.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "reproduced",
        Verdict::Reading => "under a reading",
        Verdict::Differs => "differ",
        Verdict::NotRun => "not run",
        Verdict::NotApplicable => "not applicable",
    }
}

/// The class of a verdict in the style sheet.
fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "yes",
        Verdict::Reading => "part",
        Verdict::Differs => "no",
        Verdict::NotRun | Verdict::NotApplicable => "open",
    }
}

#[cfg(test)]
mod tests;
