//! Charts over time: the whole run beside the stretch around convergence.

use super::chart::{Band, LineChart, Marker, Reference, Series};
use super::html::escape;
use super::tints::Tint;
use super::view::View;
use fairwire_core::Span;
use std::fmt::Write;
use std::ops::Range;

/// What one row of charts shows: one law, one quantity.
pub(super) struct Row<'a> {
    /// The law's name, and the quantity where there are several.
    pub heading: &'a str,
    /// From [`legend`], where it differs from row to row.
    pub legend: String,
    /// What is shown, for the whole run and for the stretch around convergence.
    pub titles: [String; 2],
    pub most: f64,
    pub unit: &'a str,
    pub markers: Vec<(f64, String)>,
    pub references: Vec<(f64, String, Option<Tint>)>,
    pub bands: Vec<(Range<f64>, Option<Tint>)>,
}

impl Row<'_> {
    /// Draws the row; `series` gives the lines for a stretch of time, which is
    /// the close one where it is told `true`.
    pub fn draw(&self, view: &View<'_>, series: impl Fn(&Range<f64>, bool) -> Vec<Series>) -> String {
        let whole = 0.0..view.duration_s();
        let mut row = format!(r#"<div class="row"><h3>{}</h3>{}<div class="pair">"#, escape(self.heading), self.legend);
        row.push_str(&self.chart(&self.titles[0], &whole, series(&whole, false)).draw());
        if let Some(zoom) = &view.zoom {
            row.push_str(&self.chart(&self.titles[1], zoom, series(zoom, true)).draw());
        }
        row.push_str("</div></div>");
        row
    }

    fn chart<'c>(&'c self, title: &'c str, time_s: &Range<f64>, series: Vec<Series>) -> LineChart<'c> {
        LineChart {
            title,
            time_s: time_s.clone(),
            most: self.most,
            unit: self.unit,
            series,
            references: self
                .references
                .iter()
                .map(|(value, name, tint)| Reference { value: *value, name: name.clone(), tint: *tint })
                .collect(),
            bands: self.bands.iter().map(|(values, tint)| Band { values: values.clone(), tint: *tint }).collect(),
            markers: self.markers.iter().map(|(time_s, name)| Marker { time_s: *time_s, name: name.clone() }).collect(),
        }
    }
}

/// The points from `start` on, led by the value that held there.
pub(super) fn held_from(points: &[(f64, f64)], start: f64) -> Vec<(f64, f64)> {
    let first = points.partition_point(|(time, _)| *time < start);
    let held = first.checked_sub(1).map(|before| (start, points[before].1));
    held.into_iter().chain(points[first..].iter().copied()).collect()
}

/// Which tint stands for what; the grey ones are told as a number.
pub(super) fn legend(entries: &[(String, Tint)], others: &str) -> String {
    let mut html = r#"<ul class="legend">"#.to_owned();
    for (name, tint) in entries.iter().filter(|(_, tint)| !tint.is_muted()) {
        let _ = write!(html, r#"<li>{}{}</li>"#, swatch(*tint), escape(name));
    }
    let muted = entries.iter().filter(|(_, tint)| tint.is_muted()).count();
    if muted > 0 {
        let _ = write!(html, r#"<li>{}{muted} other {others}</li>"#, swatch(Tint::Muted));
    }
    html.push_str("</ul>");
    html
}

/// A short piece of line in the tint.
pub(super) fn swatch(tint: Tint) -> String {
    format!(
        r#"<svg class="sw" viewBox="0 0 22 8" aria-hidden="true"><path class="line {}" d="M1 4H21"/></svg>"#,
        tint.class()
    )
}

/// Whole rows of `row` length that come closest to `wanted`, at least one.
pub(super) fn rows_in(wanted: Span, row: Span) -> usize {
    let rows = (wanted.as_nanos() + row.as_nanos() / 2).checked_div(row.as_nanos()).unwrap_or(1);
    usize::try_from(rows).unwrap_or(usize::MAX).max(1)
}
