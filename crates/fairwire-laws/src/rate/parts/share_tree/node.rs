//! A node of the share tree: a few flows, or a few nodes below, in order.

/// Entries for which a node has room. At rest the last place is free.
pub(super) const WIDTH: usize = 16;
/// A node with fewer entries is filled up from its neighbour, or joins it.
pub(super) const LEAST: usize = WIDTH / 4;

/// A flow or, above the leaves, all flows below a child.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// Limit by weight of the flow, or of the first flow below.
    pub(super) level: f64,
    /// The flow, or the first flow below. It decides between equal levels.
    pub(super) flow: u32,
    /// The node; 0 in a leaf.
    pub(super) child: u32,
    /// Limit of the flow, or the sum over the flows below.
    pub(super) limit: f64,
    /// Weight of the flow, or the sum over the flows below.
    pub(super) weight: f64,
}

impl Entry {
    pub(super) fn of_flow(flow: u32, limit: f64, weight: f64) -> Self {
        Self { level: limit / weight, flow, child: 0, limit, weight }
    }

    /// Whether the entry comes before the other one, or at the same place.
    #[inline]
    pub(super) fn up_to(&self, other: &Self) -> bool {
        (self.level < other.level) | ((self.level == other.level) & (self.flow <= other.flow))
    }
}

/// What stands in places that are free: behind every flow, and nothing in sums.
const FREE: Entry = Entry { level: f64::INFINITY, flow: u32::MAX, child: 0, limit: 0.0, weight: 0.0 };

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    len: u32,
    entries: [Entry; WIDTH],
}

impl Default for Node {
    fn default() -> Self {
        Self { len: 0, entries: [FREE; WIDTH] }
    }
}

impl Node {
    pub(super) fn of(entries: &[Entry]) -> Self {
        let mut node = Self { len: entries.len() as u32, ..Self::default() };
        node.entries[..entries.len()].copy_from_slice(entries);
        node
    }

    #[inline]
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries[..self.len()]
    }

    #[inline]
    pub(super) fn entry_mut(&mut self, at: usize) -> &mut Entry {
        &mut self.entries[at]
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        // The bound is always kept. With it the compiler checks no index.
        (self.len as usize).min(WIDTH)
    }

    /// How many entries come before this one or are at its place.
    #[inline]
    pub(super) fn up_to(&self, entry: &Entry) -> usize {
        self.entries.iter().map(|other| usize::from(other.up_to(entry))).sum()
    }

    /// The node below an entry; 0 in a leaf, and where there is no such entry.
    #[inline]
    pub(super) fn child(&self, at: usize) -> u32 {
        self.entries().get(at).map_or(0, |entry| entry.child)
    }

    #[inline]
    pub(super) fn insert(&mut self, at: usize, entry: Entry) {
        let len = self.len();
        self.entries.copy_within(at..len, at + 1);
        self.entries[at] = entry;
        self.len += 1;
    }

    #[inline]
    pub(super) fn remove(&mut self, at: usize) {
        let len = self.len();
        self.entries.copy_within(at + 1..len, at);
        self.len -= 1;
        self.entries[self.len()] = FREE;
    }

    /// For each place the weights from there on, if `after` come after all.
    #[inline]
    pub(super) fn weights_from(&self, after: f64) -> [f64; WIDTH + 1] {
        let mut from = [after; WIDTH + 1];
        for (at, entry) in self.entries.iter().enumerate().rev() {
            from[at] = from[at + 1] + entry.weight;
        }
        from
    }

    /// The node as its parent knows it. Sums are taken anew, so that no error of rounding stays.
    #[inline]
    pub(super) fn summary(&self, child: u32) -> Entry {
        let (mut limit, mut weight) = (0.0, 0.0);
        for entry in &self.entries {
            limit += entry.limit;
            weight += entry.weight;
        }
        let Entry { level, flow, .. } = self.entries[0];
        Entry { level, flow, child, limit, weight }
    }
}
