//! Names beside what they name, without one over the other.

/// A rectangle in user units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// Width of a character and height of a line of labels.
const CHARACTER: f64 = 6.7;
pub const LINE: f64 = 12.5;

impl Box {
    /// Around these points.
    pub fn around(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let empty =
            Self { left: f64::INFINITY, top: f64::INFINITY, right: f64::NEG_INFINITY, bottom: f64::NEG_INFINITY };
        points.into_iter().fold(empty, |known, (x, y)| Self {
            left: known.left.min(x),
            top: known.top.min(y),
            right: known.right.max(x),
            bottom: known.bottom.max(y),
        })
    }

    /// Where text of that length stands with this middle.
    fn of_text(text: &str, middle: (f64, f64)) -> Self {
        let half = text.chars().count() as f64 * CHARACTER / 2.0;
        Self {
            left: middle.0 - half,
            top: middle.1 - LINE / 2.0,
            right: middle.0 + half,
            bottom: middle.1 + LINE / 2.0,
        }
    }

    fn overlap(&self, other: &Self) -> f64 {
        let wide = (self.right.min(other.right) - self.left.max(other.left)).max(0.0);
        let high = (self.bottom.min(other.bottom) - self.top.max(other.top)).max(0.0);
        wide * high
    }

    fn area(&self) -> f64 {
        (self.right - self.left) * (self.bottom - self.top)
    }

    fn middle(&self) -> (f64, f64) {
        ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
    }
}

/// Where a label stands.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Middle of the text.
    pub at: (f64, f64),
    /// A line from the thing to its name, where the name is not beside it.
    pub leader: Option<[(f64, f64); 2]>,
}

/// Directions in which a name may stand, the best first.
const DIRECTIONS: [(f64, f64); 12] = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, -1.0),
    (0.0, 1.0),
    (0.75, -0.7),
    (0.75, 0.7),
    (-0.75, -0.7),
    (-0.75, 0.7),
    (0.4, -1.0),
    (0.4, 1.0),
    (-0.4, -1.0),
    (-0.4, 1.0),
];
const DISTANCES: [f64; 8] = [3.0, 10.0, 20.0, 32.0, 46.0, 62.0, 82.0, 105.0];

/// A place for each name beside its thing, inside `frame`: one name after the other takes
/// the place that covers least and is nearest. The most crowded thing is named first.
pub fn place(things: &[(Box, &str)], frame: &Box) -> Vec<Placed> {
    let crowd = |index: usize| {
        let (x, y) = things[index].0.middle();
        let others = things.iter().map(|other| other.0.middle());
        others.map(|(ox, oy)| 1.0 / (20.0 + (x - ox).hypot(y - oy))).sum::<f64>()
    };
    let mut order: Vec<usize> = (0..things.len()).collect();
    order.sort_by(|a, b| crowd(*b).total_cmp(&crowd(*a)));
    let mut taken: Vec<Box> = Vec::new();
    let mut placed = vec![Placed { at: (0.0, 0.0), leader: None }; things.len()];
    for index in order {
        let (thing, text) = &things[index];
        let best = candidates(thing, text)
            .min_by(|a, b| cost(a, frame, &taken, things).total_cmp(&cost(b, frame, &taken, things)));
        if let Some(best) = best {
            taken.push(best.covers);
            let leader =
                (best.distance > 12.0).then(|| [nearest(thing, best.at), nearest(&best.covers, thing.middle())]);
            placed[index] = Placed { at: best.at, leader };
        }
    }
    placed
}

struct Candidate {
    at: (f64, f64),
    covers: Box,
    distance: f64,
}

fn candidates<'a>(thing: &'a Box, text: &'a str) -> impl Iterator<Item = Candidate> + 'a {
    let half = text.chars().count() as f64 * CHARACTER / 2.0;
    DISTANCES.into_iter().flat_map(move |distance| {
        DIRECTIONS.into_iter().map(move |(x, y)| {
            let reach = |towards: f64, low: f64, high: f64, own: f64| {
                let side = if towards > 0.0 { high } else { low };
                let middle = (low + high) / 2.0;
                middle + towards.abs() * (side - middle) + towards * (own + distance)
            };
            let at = (reach(x, thing.left, thing.right, half), reach(y, thing.top, thing.bottom, LINE / 2.0));
            Candidate { at, covers: Box::of_text(text, at), distance }
        })
    })
}

fn cost(candidate: &Candidate, frame: &Box, taken: &[Box], things: &[(Box, &str)]) -> f64 {
    let outside = candidate.covers.area() - candidate.covers.overlap(frame);
    let names: f64 = taken.iter().map(|other| candidate.covers.overlap(other)).sum();
    let under: f64 = things.iter().map(|(thing, _)| candidate.covers.overlap(&widened(thing))).sum();
    outside * 50.0 + names * 12.0 + under.min(300.0) * 1.5 + candidate.distance
}

/// A point has an area that a name must not cover.
fn widened(thing: &Box) -> Box {
    Box { left: thing.left - 2.0, top: thing.top - 2.0, right: thing.right + 2.0, bottom: thing.bottom + 2.0 }
}

/// The point of a rectangle nearest to another point.
fn nearest(within: &Box, to: (f64, f64)) -> (f64, f64) {
    (to.0.clamp(within.left, within.right), to.1.clamp(within.top, within.bottom))
}

/// Moves heights apart until each is a line below the one before, as little as needed,
/// between `top` and `bottom`. Answers in the order asked.
pub fn spread(heights: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|a, b| heights[*a].total_cmp(&heights[*b]));
    // Neighbours that touch form a block around the mean of what they want.
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let start = |block: &[usize]| {
        let length = LINE * (block.len() - 1) as f64;
        let wanted = block.iter().map(|index| heights[*index]).sum::<f64>() / block.len() as f64;
        (wanted - length / 2.0).min(bottom - length).max(top)
    };
    for index in order {
        blocks.push(vec![index]);
        while let [.., before, last] = &blocks[..]
            && start(before) + LINE * before.len() as f64 > start(last)
        {
            let last = blocks.pop().unwrap_or_default();
            if let Some(before) = blocks.last_mut() {
                before.extend(last);
            }
        }
    }
    let mut placed = heights.to_vec();
    for block in &blocks {
        let top = start(block);
        block.iter().enumerate().for_each(|(line, index)| placed[*index] = top + LINE * line as f64);
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_one_height_stand_one_below_the_other() {
        let spread = spread(&[50.0, 50.0, 10.0], 0.0, 100.0);
        assert_eq!(spread[2], 10.0);
        assert_eq!((spread[0] + spread[1]) / 2.0, 50.0);
        assert_eq!((spread[1] - spread[0]).abs(), LINE);
        let low = super::spread(&[99.0, 99.5, 100.0], 0.0, 100.0);
        assert_eq!(low, [100.0 - 2.0 * LINE, 100.0 - LINE, 100.0]);
    }

    #[test]
    fn a_dozen_names_around_one_point_do_not_cover_each_other() {
        let frame = Box { left: 0.0, top: 0.0, right: 480.0, bottom: 280.0 };
        let point = |shift: f64| Box { left: 240.0 + shift, top: 140.0, right: 242.0 + shift, bottom: 142.0 };
        let names =
            ["droptail", "red", "fred", "vrr", "codel", "pie", "fq-codel", "drr", "sfq", "choke", "cake", "blue"];
        let things: Vec<_> = names.iter().enumerate().map(|(index, name)| (point(index as f64), *name)).collect();
        let placed = place(&things, &frame);
        let boxes: Vec<Box> = placed.iter().zip(names).map(|(placed, name)| Box::of_text(name, placed.at)).collect();
        for (index, one) in boxes.iter().enumerate() {
            assert!(one.overlap(&frame) > one.area() - 1e-6, "{} is outside", names[index]);
            for (other, other_name) in boxes[..index].iter().zip(names) {
                assert!(one.overlap(other) < 1.0, "{} covers {other_name}", names[index]);
            }
        }
    }
}
