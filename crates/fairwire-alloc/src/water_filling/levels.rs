//! Links in the order of the level at which they fill up at the earliest.

/// A heap of (level, link), lowest first, four children a node: half as deep
/// as a binary one, and siblings share a cache line. Equal levels come in the
/// order of their links.
#[derive(Debug, Clone, Default)]
pub(crate) struct Levels {
    /// Level as the bits of a float that is zero or more (these are in the
    /// order of the floats), then the link.
    entries: Vec<(u64, u32)>,
}

const CHILDREN: usize = 4;

impl Levels {
    /// Takes over all links at once.
    pub fn reset(&mut self, levels: impl Iterator<Item = (f64, u32)>) {
        self.entries.clear();
        self.entries.extend(levels.map(|(level, link)| (level.to_bits(), link)));
        for at in (0..self.entries.len().div_ceil(CHILDREN)).rev() {
            self.sink(at);
        }
    }

    /// The lowest level and its link.
    #[inline]
    pub fn lowest(&self) -> Option<(f64, u32)> {
        self.entries.first().map(|&(level, link)| (f64::from_bits(level), link))
    }

    /// Corrects the level of the lowest.
    #[inline]
    pub fn raise_lowest(&mut self, level: f64) {
        self.entries[0].0 = level.to_bits();
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
            let Some(children) = entries.get(first..entries.len().min(first + CHILDREN)) else { break };
            let mut least = (
                0,
                match children.first() {
                    Some(child) => *child,
                    None => break,
                },
            );
            for (position, child) in children.iter().enumerate().skip(1) {
                if *child < least.1 {
                    least = (position, *child);
                }
            }
            if moving <= least.1 {
                break;
            }
            entries[at] = least.1;
            at = first + least.0;
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
