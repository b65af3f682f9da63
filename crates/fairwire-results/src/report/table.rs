//! Tables of text as HTML.

use super::html::scrolling;
use maud::{Markup, html};

/// The table `name`, which scrolls by itself where it is wider than the page. A header that begins with `>` puts its
/// column to the right, as numbers stand, and a line of it may end at each `\n`; the first column names the rows. Of a number with an interval, in
/// brackets or after ±, the interval steps back, and below the number where the table would be too wide.
pub fn html_table(name: &str, header: &[impl AsRef<str>], rows: &[Vec<String>]) -> Markup {
    let is_number = |column: usize| header.get(column).is_some_and(|name| name.as_ref().starts_with('>'));
    let class = |column: usize| is_number(column).then_some("n");
    let class_of = |column: usize, text: &str| match is_number(column) {
        true if interval_at(text).is_some() => Some("n two"),
        true => Some("n"),
        false => None,
    };
    html! {
        (table(name, None, html! {
            @for (column, name) in header.iter().enumerate() {
                th class=[class(column)] { (broken(name.as_ref().trim_start_matches('>'), "\n")) }
            }
        }, html! {
            @for row in rows {
                tr {
                    @for (column, text) in row.iter().enumerate() {
                        @let inside = html! { @if is_number(column) { (number(text)) } @else { (named(text)) } };
                        @if column == 0 {
                            th class=[class_of(column, text)] { (inside) }
                        } @else {
                            td class=[class_of(column, text)] { (inside) }
                        }
                    }
                }
            }
        }))
    }
}

/// The table `name` with cells of any kind, which scrolls by itself.
pub fn table(name: &str, class: Option<&str>, header: Markup, rows: Markup) -> Markup {
    let table = html! {
        table class=[class] {
            thead { tr { (header) } }
            tbody { (rows) }
        }
    };
    scrolling(name, table)
}

/// The head of a table: as of [`html_table`], each a name.
pub(super) fn head(names: &[&str]) -> Markup {
    html! {
        @for name in names {
            th class=[name.starts_with('>').then_some("n")] { (name.trim_start_matches('>')) }
        }
    }
}

/// That so many more are left out: what one is called, and what one or several do.
pub(super) fn beyond_shown(count: usize, what: &str, [does, doing]: [&str; 2]) -> Markup {
    html! {
        @match count {
            0 => {},
            1 => { p.note { "1 more " (what) " " (does) } },
            _ => { p.note { (count) " more " (what) "s " (doing) } },
        }
    }
}

/// The name of so many rows, in the first of them.
pub(super) fn names(rows: usize, name: &str) -> Markup {
    html! { th scope="rowgroup" rowspan=[(rows > 1).then_some(rows)] { (named(name)) } }
}

/// Cells of numbers.
pub(super) fn numbers(cells: impl IntoIterator<Item = String>) -> Markup {
    html! { @for cell in cells { td.n { (cell) } } }
}

/// A cell with a number, and beside it, or below where there is little room, what steps back.
pub(super) fn aside(number: &str, beside: &str) -> Markup {
    html! { td."n two" { span { (number) } " " span.dim { (beside) } } }
}

/// A table of so many rows, folded away under `title` if it is long.
pub(super) fn folded(table: Markup, rows: usize, title: &str) -> Markup {
    /// Tables longer than this are folded away.
    const MOST_OPEN: usize = 24;
    html! {
        @if rows > MOST_OPEN {
            details { summary { (title) } (table) }
        } @else {
            (table)
        }
    }
}

/// Text that may go on in a new line wherever `end` stands.
pub fn broken(text: &str, end: &str) -> Markup {
    html! {
        @for (at, part) in text.split(end).enumerate() {
            @if at > 0 { @if end != "\n" { (end) } wbr; }
            (part)
        }
    }
}

/// A name as it is; in lines where it is longer than names usually are, on narrow screens where it is not short.
pub(super) fn named(name: &str) -> Markup {
    named_by_parts(name, "\n")
}

/// The same, of a name whose parts end with `end`: a new line begins with a part where there is room.
pub(super) fn named_by_parts(name: &str, end: &str) -> Markup {
    const SHORT: usize = 16;
    const USUAL: usize = 28;
    let parts = broken(name, end);
    html! {
        @match name.chars().count() {
            0..=SHORT => { (parts) },
            ..=USUAL => { span.mid { (parts) } },
            _ => { span.long { (parts) } },
        }
    }
}

fn number(text: &str) -> Markup {
    html! {
        @match interval_at(text) {
            Some(at) => { span { (&text[..at]) } " " span.iv { (&text[at + 1..]) } },
            None => { (text) },
        }
    }
}

/// Where in the text of a number its interval begins.
fn interval_at(text: &str) -> Option<usize> {
    text.find(" (").or_else(|| text.find(" ±"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_right_and_intervals_step_back() {
        let html =
            html_table("Rates", &["law", ">rate"], &[vec!["a<b".to_owned(), "1.5 ± 0.1".to_owned()]]).into_string();
        assert!(html.contains(r#"<th>law</th><th class="n">rate</th>"#));
        assert!(
            html.contains(r#"<th>a&lt;b</th><td class="n two"><span>1.5</span> <span class="iv">± 0.1</span></td>"#),
            "{html}"
        );
        assert!(html.contains(r#"tabindex="0" role="group" aria-label="Rates""#), "{html}");
    }

    #[test]
    fn one_left_out_is_told_as_one() {
        let told = |count| beyond_shown(count, "link", ["is busy.", "are busy."]).into_string();
        assert_eq!(told(0), "");
        assert_eq!(told(1), r#"<p class="note">1 more link is busy.</p>"#);
        assert_eq!(told(2), r#"<p class="note">2 more links are busy.</p>"#);
    }

    #[test]
    fn long_names_break_where_they_may() {
        assert_eq!(broken("a_b", "_").into_string(), "a_<wbr>b");
        assert_eq!(broken("a\nb", "\n").into_string(), "a<wbr>b");
    }
}
