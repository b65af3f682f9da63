//! Links in the order of the level at which they fill up at the earliest.

/// A heap of (level, link), lowest first, four children a node: half as deep
/// as a binary one, and siblings share a cache line. Equal levels come in the
/// order of their links.
#[derive(Debug, Clone, Default)]
pub(crate) struct Levels {
    entries: Vec<Entry>,
}

/// The level as the bits of a float that is zero or more (these are in the
/// order of the floats), then the link: one number, so that the lesser of two
/// is found without a branch that nobody could foresee.
type Entry = u128;

const LINK_BITS: u32 = u32::BITS;
const CHILDREN: usize = 4;

fn entry(level: f64, link: u32) -> Entry {
    Entry::from(level.to_bits()) << LINK_BITS | Entry::from(link)
}

impl Levels {
    /// Takes over all links at once.
    pub fn reset(&mut self, levels: impl Iterator<Item = (f64, u32)>) {
        self.entries.clear();
        self.entries.extend(levels.map(|(level, link)| entry(level, link)));
        for at in (0..self.entries.len().div_ceil(CHILDREN)).rev() {
            self.sink(at);
        }
    }

    /// The lowest level and its link.
    #[inline]
    pub fn lowest(&self) -> Option<(f64, u32)> {
        self.entries.first().map(|&entry| (f64::from_bits((entry >> LINK_BITS) as u64), entry as u32))
    }

    /// Corrects the level of the lowest.
    #[inline]
    pub fn raise_lowest(&mut self, level: f64) {
        self.entries[0] = entry(level, self.entries[0] as u32);
        self.sink(0);
    }

    /// Takes the lowest out.
    pub fn remove_lowest(&mut self) {
        let last = self.entries.pop();
        if let (Some(last), Some(first)) = (last, self.entries.first_mut()) {
            *first = last;
            self.sink(0);
        }
    }

    #[inline]
    fn sink(&mut self, mut at: usize) {
        let entries = &mut self.entries[..];
        let Some(&moving) = entries.get(at) else { return };
        loop {
            let first = CHILDREN * at + 1;
            let least = match entries.get(first..first + CHILDREN) {
                Some(&[a, b, c, d]) => {
                    let ab = if b < a { (b, first + 1) } else { (a, first) };
                    let cd = if d < c { (d, first + 3) } else { (c, first + 2) };
                    if cd.0 < ab.0 { cd } else { ab }
                }
                _ => match entries.get(first..).and_then(|last| last.iter().copied().zip(first..).min()) {
                    Some(least) => least,
                    None => break,
                },
            };
            if moving <= least.0 {
                break;
            }
            entries[at] = least.0;
            at = least.1;
        }
        entries[at] = moving;
    }
}

#[cfg(test)]
mod tests {
    use super::Levels;

    #[test]
    fn comes_up_in_order_whatever_is_raised() {
        let mut levels = Levels::default();
        levels.reset([(5.0, 0), (0.0, 1), (3.0, 2), (3.0, 3), (f64::INFINITY, 4), (1e-300, 5), (4.0, 6)].into_iter());
        let mut seen = Vec::new();
        while let Some((level, link)) = levels.lowest() {
            if link == 1 && level == 0.0 {
                levels.raise_lowest(3.5);
                continue;
            }
            seen.push(link);
            levels.remove_lowest();
        }
        assert_eq!(seen, [5, 2, 3, 1, 6, 0, 4]);
    }
}
