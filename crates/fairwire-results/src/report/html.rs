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

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn nothing_breaks_out() {
        assert_eq!(escape(r#"</title><b a="x">&'"#), "&lt;/title&gt;&lt;b a=&quot;x&quot;&gt;&amp;&#39;");
        assert_eq!(escape("Größe 5 µs"), "Größe 5 µs");
    }
}
