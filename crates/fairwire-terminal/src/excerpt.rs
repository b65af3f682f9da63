//! A text whose long lines are cut, for messages that show a place in it.

use miette::{MietteError, MietteSpanContents, NamedSource, SourceCode, SourceSpan, SpanContents};
use std::ops::Range;

/// Lines of more characters than this are cut to so many, a few of them before the place.
const LONGEST: usize = 200;
const KEPT: usize = 100;
const BEFORE: usize = 40;

/// A text of which every line is short enough to be shown.
pub struct Excerpt {
    pub text: String,
    /// Where the place is now.
    pub span: Range<usize>,
}

impl Excerpt {
    /// Cuts the long lines of a text around a place in it; none where no line is long.
    pub fn around(text: &str, place: &Range<usize>) -> Option<Self> {
        if text.lines().all(|line| line.len() <= LONGEST) {
            return None;
        }
        let mut cut = Self { text: String::new(), span: 0..0 };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let plain = line.trim_end_matches(['\n', '\r']);
            let is_here = (at..=at + plain.len()).contains(&place.start);
            let kept = if is_here { part(plain, place.start - at) } else { part(plain, 0) };
            let mark = |is_cut: bool| if is_cut { "…" } else { "" };
            cut.text.push_str(mark(kept.start > 0));
            let begins = cut.text.len();
            cut.text.push_str(&plain[kept.clone()]);
            let place_in = |place: usize| begins + place.saturating_sub(at).clamp(kept.start, kept.end) - kept.start;
            if at <= place.start {
                cut.span.start = place_in(place.start);
            }
            if at <= place.end {
                cut.span.end = place_in(place.end);
            }
            cut.text.push_str(mark(kept.end < plain.len()));
            cut.text.push_str(&line[plain.len()..]);
            at += line.len();
        }
        Some(cut)
    }
}

/// The part of a line that is kept.
fn part(line: &str, place: usize) -> Range<usize> {
    if line.chars().nth(LONGEST).is_none() {
        return 0..line.len();
    }
    let place = line.floor_char_boundary(place);
    let start = line[..place].char_indices().rev().take(BEFORE).last().map_or(place, |(at, _)| at);
    let end = line[start..].char_indices().nth(KEPT).map_or(line.len(), |(at, _)| start + at);
    start..end
}

/// A source whose place has the column that it has in the whole line.
pub struct Placed {
    pub source: NamedSource<String>,
    /// From 0.
    pub column: usize,
}

impl SourceCode for Placed {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let found = self.source.read_span(span, before, after)?;
        // Without lines around it what is read begins at the place itself.
        let column = if before == 0 && after == 0 { self.column } else { found.column() };
        let (data, line, lines) = (found.data(), found.line(), found.line_count());
        let name = self.source.name().to_owned();
        Ok(Box::new(MietteSpanContents::new_named(name, data, *found.span(), line, column, lines)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_stay_as_they_are() {
        assert!(Excerpt::around("a = 1\nb = 2\n", &(0..1)).is_none());
    }

    /// A line that was cut is told by the column of the whole; lines around it begin where they are read.
    #[test]
    fn a_place_alone_has_the_column_of_the_whole_line() {
        let source = NamedSource::new("f.toml", "a = 1\nb = 2\n".to_owned());
        let placed = Placed { source, column: 4_711 };
        let column = |before, after| placed.read_span(&(10..11).into(), before, after).unwrap().column();
        assert_eq!(column(0, 0), 4_711);
        assert_eq!(
            [column(1, 0), column(0, 1), column(1, 1)],
            [(1, 0), (0, 1), (1, 1)]
                .map(|(before, after)| { placed.source.read_span(&(10..11).into(), before, after).unwrap().column() })
        );
    }

    #[test]
    fn a_long_line_is_cut_around_its_place() {
        let text = format!("é = 1\n{}here{}\nend\n{}\n", "ä".repeat(50_000), "ö".repeat(50_000), "z".repeat(300));
        let at = text.find("here").unwrap();
        let cut = Excerpt::around(&text, &(at..at + 4)).unwrap();
        assert_eq!(&cut.text[cut.span.clone()], "here");
        let lines: Vec<&str> = cut.text.lines().collect();
        assert_eq!((lines[0], lines[2]), ("é = 1", "end"));
        assert_eq!(lines[1], format!("…{}here{}…", "ä".repeat(40), "ö".repeat(56)));
        assert_eq!(lines[3], format!("{}…", "z".repeat(100)));
        let behind = Excerpt::around(&text, &(text.len()..text.len())).unwrap();
        assert!(behind.span.end <= behind.text.len());
        let all = Excerpt::around(&text, &(0..text.len())).unwrap();
        assert_eq!(all.span.start, 0);
        assert!(all.text.is_char_boundary(all.span.end));
    }
}
