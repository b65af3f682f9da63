//! Tables of text as HTML.

use super::html::escape;
use std::fmt::Write;

/// A table that scrolls by itself where it is wider than the page. A header that begins with `>` puts its
/// column to the right, as numbers stand, and a line of it may end at each `\n`; the first column names the rows. Of a number with an interval, in
/// brackets or after ±, the interval steps back.
pub fn html_table(header: &[impl AsRef<str>], rows: &[Vec<String>]) -> String {
    let is_number = |column: usize| header.get(column).is_some_and(|name| name.as_ref().starts_with('>'));
    let class = |column: usize| if is_number(column) { r#" class="n""# } else { "" };
    let mut html = r#"<div class="scroll"><table><thead><tr>"#.to_owned();
    for (column, name) in header.iter().enumerate() {
        let _ = write!(
            html,
            "<th{}>{}</th>",
            class(column),
            escape(name.as_ref().trim_start_matches('>')).replace('\n', "<wbr>")
        );
    }
    html.push_str("</tr></thead><tbody>\n");
    for row in rows {
        html.push_str("<tr>");
        for (column, text) in row.iter().enumerate() {
            let tag = if column == 0 { "th" } else { "td" };
            let inside = if is_number(column) { number(text) } else { escape(text) };
            let _ = write!(html, "<{tag}{}>{inside}</{tag}>", class(column));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    html
}

fn number(text: &str) -> String {
    match text.find(" (").or_else(|| text.find(" ±")) {
        Some(at) => format!(r#"{} <span class="iv">{}</span>"#, escape(&text[..at]), escape(&text[at + 1..])),
        None => escape(text),
    }
}

#[cfg(test)]
mod tests {
    use super::html_table;

    #[test]
    fn numbers_stand_right_and_intervals_step_back() {
        let html = html_table(&["law", ">rate"], &[vec!["a<b".to_owned(), "1.5 ± 0.1".to_owned()]]);
        assert!(html.contains(r#"<th>law</th><th class="n">rate</th>"#));
        assert!(html.contains(r#"<th>a&lt;b</th><td class="n">1.5 <span class="iv">± 0.1</span></td>"#));
    }
}
