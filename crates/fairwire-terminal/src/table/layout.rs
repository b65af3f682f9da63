//! Which columns of a table stand side by side on a narrow terminal, and how wide each is.
//!
//! Words are broken into lines first. What still finds no place stands below, in a part of its own that begins with the
//! columns that name the rows. Nothing is left out.

/// Characters between two columns: what stands after a cell, and the place of a line between columns.
pub const GAP: usize = PADDING + 1;
/// Characters after each cell.
pub const PADDING: usize = 2;

/// A column with sentences is not made narrower than this.
const LEGIBLE: usize = 24;

/// What the layout has to know of a column, in characters.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its widest cell.
    natural: usize,
    /// As narrow as it may be where there is a choice.
    least: usize,
    /// Whether it means nothing without the column before it.
    follows: bool,
}

impl Column {
    /// A column whose widest cell has `natural` characters, and whose longest piece that is better not broken `piece`.
    pub fn new(natural: usize, piece: usize, may_fold: bool, follows: bool) -> Self {
        let least = if may_fold { natural.min(piece.max(LEGIBLE)) } else { natural.min(piece) };
        Self { natural, least, follows }
    }
}

/// Columns side by side with the width of each.
pub type Part = Vec<(usize, usize)>;

/// The width of the table as it is.
pub fn natural_width(columns: &[Column]) -> usize {
    span(columns.iter().map(|column| column.natural))
}

/// The parts of the table that fit into `width`; the first `names` columns are in each.
pub fn parts(columns: &[Column], names: usize, width: usize) -> Vec<Part> {
    let columns = &bounded(columns, names, width)[..];
    let fits = |part: &[usize]| span(part.iter().map(|&index| columns[index].least)) <= width;
    let named: Vec<usize> = (0..names).collect();
    let mut parts = vec![named.clone()];
    for group in groups(columns, names) {
        let together = [&named[..], &group].concat();
        let pieces: Vec<&[usize]> = if fits(&together) { vec![&group] } else { group.chunks(1).collect() };
        for piece in pieces {
            let last = parts.last_mut().filter(|part| part.len() == names || fits(&[&part[..], piece].concat()));
            match last {
                Some(part) => part.extend(piece),
                None => parts.push([&named[..], piece].concat()),
            }
        }
    }
    parts.iter().map(|part| shared(columns, part, width)).collect()
}

/// The same columns, none of which asks for so much that no other finds a place beside the names.
fn bounded(columns: &[Column], names: usize, width: usize) -> Vec<Column> {
    let of_name = (width / 2 / names.max(1)).saturating_sub(GAP).max(1);
    let mut bounded = columns.to_vec();
    bounded[..names].iter_mut().for_each(|column| column.least = column.least.min(of_name));
    let taken: usize = bounded[..names].iter().map(|column| column.least + GAP).sum();
    bounded[names..].iter_mut().for_each(|column| column.least = column.least.min(width.saturating_sub(taken).max(1)));
    bounded
}

/// The columns behind the names, those together that belong together.
fn groups(columns: &[Column], names: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, column) in columns.iter().enumerate().skip(names) {
        match groups.last_mut().filter(|_| column.follows) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

/// Shares the width out: each column has its least and nobody more than the widest cell, else all have the same.
fn shared(columns: &[Column], part: &[usize], width: usize) -> Part {
    let at = |level: usize| part.iter().map(move |&index| level.clamp(columns[index].least, columns[index].natural));
    let level = (1..=width).rev().find(|&level| span(at(level)) <= width).unwrap_or(1);
    part.iter().copied().zip(at(level)).collect()
}

fn span(widths: impl Iterator<Item = usize>) -> usize {
    widths.map(|width| width + GAP).sum::<usize>().saturating_sub(GAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(width: usize) -> Column {
        Column::new(width, width, false, false)
    }

    #[test]
    fn what_fits_stays_and_sentences_are_broken_before_anything_stands_below() {
        let columns = [number(6), number(10), Column::new(100, 9, true, false)];
        assert_eq!(natural_width(&columns), 122);
        assert_eq!(parts(&columns, 1, 122), [vec![(0, 6), (1, 10), (2, 100)]]);
        assert_eq!(parts(&columns, 1, 60), [vec![(0, 6), (1, 10), (2, 38)]]);
        assert_eq!(parts(&columns, 1, 43), [vec![(0, 6), (1, 10)], vec![(0, 6), (2, 34)]]);
    }

    #[test]
    fn what_belongs_together_goes_together_while_it_fits() {
        let follower = Column::new(10, 10, false, true);
        let columns = [number(6), number(10), follower, number(10), follower];
        assert_eq!(parts(&columns, 1, 45), [vec![(0, 6), (1, 10), (2, 10)], vec![(0, 6), (3, 10), (4, 10)]]);
        assert_eq!(parts(&columns, 1, 20).len(), 4, "no two fit beside the name");
    }

    #[test]
    fn no_part_is_wider_than_asked_and_no_column_is_lost() {
        for names in 1..3 {
            for width in 20..200 {
                let columns = [number(70), number(40), number(5), Column::new(300, 60, true, false), number(33)];
                let parts = parts(&columns, names, width);
                for part in &parts {
                    assert!(span(part.iter().map(|(_, width)| *width)) <= width, "{width}: {part:?}");
                    assert!(part.iter().all(|(_, width)| *width > 0), "{width}: {part:?}");
                }
                let shown: Vec<usize> =
                    parts.iter().flatten().map(|(index, _)| *index).filter(|index| *index >= names).collect();
                assert_eq!(shown, (names..columns.len()).collect::<Vec<_>>());
            }
        }
    }
}
