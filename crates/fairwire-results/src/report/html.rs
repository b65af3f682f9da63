//! Text that is safe inside HTML and SVG.

/// `text` with the five characters that mean something to HTML written as entities.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// What a scenario says about itself: lines run on, an empty line begins a new paragraph.
pub(super) fn lead(text: &str) -> String {
    let mut paragraphs = vec![Vec::new()];
    for line in text.lines().map(str::trim) {
        match (line, paragraphs.last_mut()) {
            ("", _) => paragraphs.push(Vec::new()),
            (line, Some(paragraph)) => paragraph.push(line),
            (_, None) => {}
        }
    }
    let paragraphs = paragraphs.iter().filter(|lines| !lines.is_empty());
    paragraphs.map(|lines| format!(r#"<p class="lead">{}</p>"#, escape(&lines.join(" ")))).collect()
}

#[cfg(test)]
mod tests {
    use super::{escape, lead};

    #[test]
    fn lines_run_on_and_paragraphs_do_not() {
        assert_eq!(
            lead("one\n  two & three\n\n\nfour\n"),
            r#"<p class="lead">one two &amp; three</p><p class="lead">four</p>"#
        );
        assert_eq!(lead(""), "");
    }

    #[test]
    fn nothing_breaks_out() {
        assert_eq!(escape(r#"</title><b a="x">&'"#), "&lt;/title&gt;&lt;b a=&quot;x&quot;&gt;&amp;&#39;");
        assert_eq!(escape("Größe 5 µs"), "Größe 5 µs");
    }
}
