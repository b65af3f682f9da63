//! Where names stand in a drawn network: beside what they name, over nothing else.

use super::layout::Point;
use crate::report::html::Tenth;
use maud::{Markup, html};

/// Width of a letter, of one in bold, and height of a line, as parts of the size of the type.
const LETTER: f64 = 0.6;
const BOLD_LETTER: f64 = 0.68;
const LINE: f64 = 1.15;

/// What the style sheet writes in bold.
const BOLD: [&str; 3] = ["ll", "ll brim", "sn"];

/// A box: left, top, right, bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area(pub f64, pub f64, pub f64, pub f64);

impl Area {
    /// Around a circle.
    pub fn around((x, y): Point, radius: f64) -> Self {
        Self(x - radius, y - radius, x + radius, y + radius)
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.0 < other.2 && other.0 < self.2 && self.1 < other.3 && other.1 < self.3
    }

    /// Whether a straight line comes so near that its width covers a part, clipped side by
    /// side (Liang and Barsky).
    fn is_crossed(&self, Line { from, to, width }: &Line) -> bool {
        let near = width / 2.0;
        let Self(left, top, right, bottom) = Self(self.0 - near, self.1 - near, self.2 + near, self.3 + near);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
        for (step, room) in [(-dx, from.0 - left), (dx, right - from.0), (-dy, from.1 - top), (dy, bottom - from.1)] {
            if step == 0.0 {
                if room < 0.0 {
                    return false;
                }
            } else if step < 0.0 {
                enters = enters.max(room / step);
            } else {
                leaves = leaves.min(room / step);
            }
        }
        enters < leaves
    }

    pub fn joined(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.min(other.1), self.2.max(other.2), self.3.max(other.3))
    }
}

/// A drawn link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    pub from: Point,
    pub to: Point,
    pub width: f64,
}

/// Text to be placed.
pub(super) struct Words<'a> {
    pub text: &'a str,
    /// Class of the style sheet.
    pub class: &'static str,
    /// Size of the type.
    pub size: f64,
}

/// A place where text may stand: the point, and which part of the text is there.
pub(super) type LabelSpot = (Point, Anchor);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Names that have found their place.
pub(super) struct Labels {
    /// What is in the way: nodes, and names placed before.
    pub taken: Vec<Area>,
    /// What should not be written over: links.
    lines: Vec<Line>,
    drawn: Vec<Markup>,
}

impl Labels {
    /// No names yet, among nodes and links.
    pub fn among(nodes: Vec<Area>, links: Vec<Line>) -> Self {
        Self { taken: nodes, lines: links, drawn: Vec::new() }
    }

    /// Places a name at the best of `places`, the earlier the better; it is written whatever is there.
    pub fn place(&mut self, words: &Words<'_>, places: &[LabelSpot]) {
        let cost = |place: &&LabelSpot| {
            let area = area(words, **place);
            let covered = self.taken.iter().filter(|other| area.overlaps(other)).count();
            3 * covered + self.lines.iter().filter(|line| area.is_crossed(line)).count()
        };
        if let Some(&best) = places.iter().min_by_key(cost) {
            self.write(words, best);
        }
    }

    /// Places a name at the first of `places` where it covers nothing, or nowhere.
    pub fn place_if_free(&mut self, words: &Words<'_>, places: &[LabelSpot]) -> bool {
        let is_free = |place: &&LabelSpot| {
            let area = area(words, **place);
            !self.taken.iter().any(|other| area.overlaps(other)) && !self.lines.iter().any(|line| area.is_crossed(line))
        };
        let free = places.iter().find(is_free).copied();
        free.inspect(|&place| self.write(words, place)).is_some()
    }

    /// The names, to be drawn over everything else.
    pub fn svg(&self) -> Markup {
        html! { @for name in &self.drawn { (name) } }
    }

    fn write(&mut self, words: &Words<'_>, place: LabelSpot) {
        self.taken.push(area(words, place));
        let ((x, y), anchor) = place;
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let size = words.size;
        self.drawn.push(html! {
            text
                class=(words.class)
                x=(Tenth(x))
                y=(Tenth(y))
                style={ "text-anchor:" (anchor) ";dominant-baseline:central;font-size:" (size) "px" }
                { (words.text) }
        });
    }
}

fn area(words: &Words<'_>, ((x, y), anchor): LabelSpot) -> Area {
    let letter = if BOLD.contains(&words.class) { BOLD_LETTER } else { LETTER };
    let width = words.text.chars().count() as f64 * words.size * letter;
    let height = words.size * LINE;
    let left = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2.0,
        Anchor::End => x - width,
    };
    Area(left, y - height / 2.0, left + width, y + height / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_know_what_is_in_them() {
        let area = Area(0.0, 0.0, 10.0, 4.0);
        assert!(area.overlaps(&Area(9.0, 3.0, 20.0, 20.0)) && !area.overlaps(&Area(10.5, 0.0, 20.0, 4.0)));
        let line = |from: Point, to: Point| Line { from, to, width: 0.0 };
        assert!(
            area.is_crossed(&line((-5.0, -5.0), (15.0, 12.0))) && !area.is_crossed(&line((-5.0, 5.0), (15.0, 5.0)))
        );
        assert!(area.is_crossed(&line((5.0, -5.0), (5.0, 12.0))) && !area.is_crossed(&line((5.0, 6.0), (5.0, 12.0))));
        assert!(area.is_crossed(&Line { width: 3.0, ..line((-5.0, 5.0), (15.0, 5.0)) }), "it is broad enough");
    }

    #[test]
    fn a_name_goes_where_there_is_room() {
        let mut labels = Labels::among(vec![Area(-50.0, 5.0, 50.0, 20.0)], Vec::new());
        let words = Words { text: "name", class: "hn", size: 10.0 };
        let places = [((0.0, 12.0), Anchor::Middle), ((0.0, -12.0), Anchor::Middle)];
        assert!(labels.place_if_free(&words, &places));
        assert!(labels.svg().into_string().contains(r#"y="-12.0""#));
        assert!(!labels.place_if_free(&words, &places), "both are taken now");
        labels.place(&words, &places);
        assert_eq!(labels.taken.len(), 3);
    }
}
