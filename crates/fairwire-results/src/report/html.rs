//! What pages are built from. Text is made safe by the template library, not here.

use maud::{Markup, PreEscaped, html};
use std::fmt;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("charts.js");

/// A page around `body` in the style of all reports; it needs nothing else.
pub fn document(title: &str, body: &Markup) -> String {
    let page = html! {
        (maud::DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · fairwire" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main { (body) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// What a scenario says about itself: lines run on, an empty line begins a new paragraph.
pub(super) fn lead(text: &str) -> Markup {
    let mut paragraphs = vec![Vec::new()];
    for line in text.lines().map(str::trim) {
        match (line, paragraphs.last_mut()) {
            ("", _) => paragraphs.push(Vec::new()),
            (line, Some(paragraph)) => paragraph.push(line),
            (_, None) => {}
        }
    }
    html! {
        @for lines in paragraphs.iter().filter(|lines| !lines.is_empty()) {
            p.lead { (lines.join(" ")) }
        }
    }
}

/// What may be wider than the page: it scrolls by itself, by the keyboard as well, and has a shade at the edge behind
/// which it goes on. Readers who do not see it are told its `name`.
pub fn scrolling(name: &str, inside: Markup) -> Markup {
    html! { div.scroll tabindex="0" role="group" aria-label=(name) { (inside) } }
}

/// A place in a picture, to a tenth of a user unit.
pub struct Tenth(pub f64);

impl fmt::Display for Tenth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}", self.0)
    }
}

/// A part of a whole of 100, for widths and places in bars.
pub(super) struct Percent(pub f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}%", self.0)
    }
}

/// A piece of a bar from one part of its track to another, in parts of 100; nothing where it has no length.
pub(super) fn piece(class: &str, from: f64, to: f64) -> Markup {
    html! {
        @if to > from {
            rect class=(class) x=(Percent(from)) y="15%" width=(Percent(to - from)) height="70%" {}
        }
    }
}

/// The track of a bar with what is in it.
pub(super) fn track(inside: Markup) -> Markup {
    html! { svg.track aria-hidden="true" { (inside) } }
}

#[cfg(test)]
mod tests {
    use super::{document, lead};
    use maud::html;

    #[test]
    fn lines_run_on_and_paragraphs_do_not() {
        assert_eq!(
            lead("one\n  two & three\n\n\nfour\n").into_string(),
            r#"<p class="lead">one two &amp; three</p><p class="lead">four</p>"#
        );
        assert_eq!(lead("").into_string(), "");
    }

    #[test]
    fn nothing_breaks_out() {
        let page = document("</title><b>&", &html! { p title=("\"<'") { ("<i>Größe 5 µs") } });
        assert!(page.contains("<title>&lt;/title&gt;&lt;b&gt;&amp; · fairwire</title>"), "{page}");
        assert!(page.contains("<p title=\"&quot;&lt;'\">&lt;i&gt;Größe 5 µs</p>"), "{page}");
    }
}
