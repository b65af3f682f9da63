//! Lists of small integers that grow and shrink, in one allocation.

use crate::incidence::Lists;

/// A list a row; rows that outgrow their place move to the end.
#[derive(Debug, Clone, Default)]
pub(super) struct Pool {
    items: Vec<u32>,
    rows: Vec<Extent>,
    /// Items in places that nobody uses any more.
    wasted: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    start: u32,
    len: u32,
    room: u32,
}

impl Pool {
    /// Adds an empty row.
    pub fn add_row(&mut self) {
        self.rows.push(Extent::default());
    }

    /// Replaces a row.
    pub fn set(&mut self, row: usize, items: impl Iterator<Item = u32>) {
        self.clear(row);
        items.for_each(|item| self.push(row, item));
    }

    /// Empties a row.
    pub fn clear(&mut self, row: usize) {
        self.rows[row].len = 0;
    }

    /// Appends to a row.
    pub fn push(&mut self, row: usize, item: u32) {
        let place = self.rows[row];
        if place.len == place.room {
            self.move_to_end(row);
        }
        let place = &mut self.rows[row];
        self.items[(place.start + place.len) as usize] = item;
        place.len += 1;
    }

    /// Takes an item out of a row; the last one takes its place.
    pub fn remove(&mut self, row: usize, item: u32) {
        let place = self.rows[row];
        let range = place.start as usize..(place.start + place.len) as usize;
        if let Some(at) = self.items[range.clone()].iter().position(|&other| other == item) {
            self.items[range.start + at] = self.items[range.end - 1];
            self.rows[row].len -= 1;
        }
    }

    fn move_to_end(&mut self, row: usize) {
        if self.wasted > 1024 && 2 * self.wasted > self.items.len() {
            self.compact();
        }
        let place = self.rows[row];
        let start = self.items.len();
        let room = (2 * place.room).max(4);
        self.items.extend_from_within(place.start as usize..(place.start + place.len) as usize);
        self.items.resize(start + room as usize, 0);
        self.wasted += place.room as usize;
        self.rows[row] = Extent { start: start as u32, len: place.len, room };
    }

    fn compact(&mut self) {
        let mut items = Vec::with_capacity(self.items.len() - self.wasted);
        for place in &mut self.rows {
            let start = items.len() as u32;
            items.extend_from_slice(&self.items[place.start as usize..(place.start + place.room) as usize]);
            place.start = start;
        }
        self.items = items;
        self.wasted = 0;
    }
}

impl Lists for &Pool {
    #[inline]
    fn list(&self, row: usize) -> &[u32] {
        let place = self.rows[row];
        &self.items[place.start as usize..(place.start + place.len) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::Pool;
    use crate::incidence::Lists;

    #[test]
    fn rows_keep_their_items_while_others_grow_and_shrink() {
        let mut pool = Pool::default();
        let mut expected: Vec<Vec<u32>> = vec![Vec::new(); 7];
        (0..7).for_each(|_| pool.add_row());
        for step in 0..20_000u32 {
            let row = (step * 31 % 7) as usize;
            if step % 5 == 4 && !expected[row].is_empty() {
                let item = expected[row][step as usize % expected[row].len()];
                expected[row].retain(|&other| other != item);
                pool.remove(row, item);
            } else {
                expected[row].push(step);
                pool.push(row, step);
            }
            if step % 997 == 0 {
                pool.clear(row);
                expected[row].clear();
            }
        }
        for (row, expected) in expected.iter().enumerate() {
            let mut items = (&pool).list(row).to_vec();
            items.sort_unstable();
            assert_eq!(&items, expected);
        }
    }
}
