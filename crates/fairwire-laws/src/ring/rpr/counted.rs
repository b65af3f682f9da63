//! Counters that a meter reads, one for each ingress or for each number of links to go.

use crate::ring::ByteCounts;

/// Places that are passed over together where none of them has changed.
const TOGETHER: usize = 8;

/// The bytes that count, place by place. A driver that counts nothing in some place has none there.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    eligible: &'a [u64],
    /// Empty where they do not count, or where there are none.
    reclaimable: &'a [u64],
}

impl<'a> Counted<'a> {
    /// Bytes that are eligible, and those that are reclaimable if they count as well.
    #[inline]
    pub fn of(bytes: &'a ByteCounts, reclaimable: bool) -> Self {
        Self { eligible: &bytes.eligible, reclaimable: if reclaimable { &bytes.reclaimable } else { &[] } }
    }

    /// So many in this place.
    #[inline]
    pub fn at(self, place: usize) -> u64 {
        let of = |counts: &[u64]| counts.get(place).copied().unwrap_or(0);
        of(self.eligible) + of(self.reclaimable)
    }

    /// Tells of each place whose count is another than `before`: which place, the count, and the one before.
    #[inline(always)]
    pub fn each_change(self, before: &mut [u64], mut tell: impl FnMut(usize, u64, &mut u64)) {
        for (group, before) in before.chunks_mut(TOGETHER).enumerate() {
            let first = group * TOGETHER;
            if self.is_unchanged(first, before) {
                continue;
            }
            for (place, before) in (first..).zip(before) {
                let now = self.at(place);
                if now != *before {
                    tell(place, now, before);
                }
            }
        }
    }

    /// Whether a whole group of places from `first` counts what it did before.
    #[inline(always)]
    fn is_unchanged(self, first: usize, before: &[u64]) -> bool {
        let group = |counts: &'a [u64]| counts.get(first..)?.first_chunk::<TOGETHER>();
        let (Ok(before), Some(eligible)) = (<&[u64; TOGETHER]>::try_from(before), group(self.eligible)) else {
            return false;
        };
        let reclaimable = group(self.reclaimable).unwrap_or(&[0; TOGETHER]);
        (0..TOGETHER).fold(0, |differ, at| differ | ((eligible[at] + reclaimable[at]) ^ before[at])) == 0
    }
}
