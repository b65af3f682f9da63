//! One claim: its verdict, the paper's figures drawn again, numbers beside each other, and the explanation.

use super::{beside, class, words};
use crate::reading::Reading;
use crate::row::Row;
use maud::{Markup, html};
use serde_json::Value;

pub(super) fn section(row: &Row) -> Markup {
    let tolerance = words::tolerance(&row.tolerance);
    html! {
        section id=(row.id) {
            h2 { (row.title) }
            ul.verdicts {
                li class=(class(row.verdict)) {
                    span.vl { (row.place) }
                    span.vm { (row.verdict.name()) }
                    span.vs { code { (row.id) } }
                }
            }
            (figures_and_note(row))
            (beside::tables(row, &row.measured, false))
            @for reading in &row.readings { (tried(row, reading)) }
            @if !tolerance.is_empty() { p.note { "Tolerance: " (tolerance) "." } }
        }
    }
}

/// Figures in pairs, and what a reader should know: beside a figure that stands alone, else beneath.
fn figures_and_note(row: &Row) -> Markup {
    let figures: Vec<_> = row.figures.iter().filter(|figure| !figure.is_empty()).collect();
    let note = html! { @if !row.note.is_empty() { p.told { (words::sentence(&row.note)) } } };
    let is_beside = figures.len() % 2 == 1;
    html! {
        @if !figures.is_empty() {
            div."pair claim" {
                @for figure in &figures { (figure.draw()) }
                @if is_beside { (note) }
            }
        }
        @if !figures.is_empty() && !has_number(&row.expected) {
            p.note { "The paper prints no number for this figure: all that is drawn was measured here." }
        }
        @if !is_beside { (note) }
    }
}

/// Whether any number stands in what a paper tells.
fn has_number(told: &Value) -> bool {
    match told {
        Value::Number(_) => true,
        Value::Array(items) => items.iter().any(has_number),
        Value::Object(fields) => fields.values().any(has_number),
        _ => false,
    }
}

/// A reading, why it is one, and what came out under it.
fn tried(row: &Row, reading: &Reading) -> Markup {
    let outcome = if reading.holds { "comes out" } else { "does not come out" };
    html! {
        h3 { "Under the reading: " (words::in_code(&reading.name)) }
        p.told {
            (words::sentence(&reading.why)) " This is " (reading.ground.words()) ". It " (outcome) "."
            @if !reading.breaks.is_empty() { " What else does not any more: " (reading.breaks.join(", ")) "." }
        }
        (beside::tables(row, &reading.measured, true))
    }
}
