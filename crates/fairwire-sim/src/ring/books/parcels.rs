//! What packets of TCP, and those that were brought from outside, carry, kept apart so that packets stay small.

use fairwire_laws::transport::{Ack, Segment};
use std::collections::BTreeMap;

/// What one such packet carries.
#[derive(Clone, Copy, Debug)]
pub struct Parcel {
    /// Which of all micro-flows of TCP on the ring; 0 for a packet that belongs to none.
    pub micro_flow: u32,
    /// Which of its connections.
    pub place: u16,
    pub generation: u16,
    pub content: Content,
}

#[derive(Clone, Copy, Debug)]
pub enum Content {
    Segment(Segment),
    Ack(Ack),
    /// Of a packet that was brought from outside: its handle.
    Brought(u32),
}

/// Parcels that are under way, by their numbers.
#[derive(Debug, Default)]
pub struct Parcels {
    kept: Vec<Option<Parcel>>,
    free: Vec<u32>,
    /// Those that were taken since somebody last looked, where links are captured: what they saw must still be told.
    remembered: Option<BTreeMap<u32, Parcel>>,
}

impl Parcel {
    /// That of a packet that was brought from outside.
    pub fn brought(handle: u32) -> Self {
        Self { micro_flow: 0, place: 0, generation: 0, content: Content::Brought(handle) }
    }
}

impl Parcels {
    /// Keeps `parcel`: its number, and whether there was none of this number before.
    pub fn keep(&mut self, parcel: Parcel) -> (u32, bool) {
        match self.free.pop() {
            Some(number) => {
                self.kept[number as usize] = Some(parcel);
                (number, false)
            }
            None => {
                self.kept.push(Some(parcel));
                (self.kept.len() as u32 - 1, true)
            }
        }
    }

    /// Takes out the parcel of this number, which is free from now on.
    pub fn take(&mut self, number: u32) -> Option<Parcel> {
        let parcel = self.kept.get_mut(number as usize)?.take();
        if let Some(parcel) = parcel {
            match &mut self.remembered {
                None => self.free.push(number),
                Some(remembered) => {
                    remembered.insert(number, parcel);
                }
            }
        }
        parcel
    }

    /// From now on parcels that were taken are remembered until [`Parcels::forget`].
    pub fn remember(&mut self) {
        self.remembered = Some(BTreeMap::new());
    }

    /// The parcel of this number, if there is one, or was since the last [`Parcels::forget`].
    pub fn recall(&self, number: u32) -> Option<Parcel> {
        let kept = self.kept.get(number as usize).copied().flatten();
        kept.or_else(|| self.remembered.as_ref()?.get(&number).copied())
    }

    /// Numbers of parcels that were remembered are free.
    pub fn forget(&mut self) {
        if let Some(remembered) = &mut self.remembered {
            self.free.extend(std::mem::take(remembered).into_keys());
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.kept.len() - self.free.len() - self.remembered.as_ref().map_or(0, BTreeMap::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::Instant;

    fn parcel(number: u32) -> Parcel {
        let segment = Segment {
            number,
            size_bytes: 1_000,
            retransmitted: false,
            ecn_capable: false,
            window_reduced: false,
            sent_at: Instant::ZERO,
        };
        Parcel { micro_flow: 0, place: 0, generation: 0, content: Content::Segment(segment) }
    }

    #[test]
    fn a_number_is_given_again_only_when_its_parcel_was_taken() {
        let mut parcels = Parcels::default();
        assert_eq!([1, 2, 3].map(|number| parcels.keep(parcel(number))), [(0, true), (1, true), (2, true)]);
        let taken = parcels.take(1);
        assert!(matches!(taken, Some(Parcel { content: Content::Segment(Segment { number: 2, .. }), .. })));
        assert!(parcels.take(1).is_none() && parcels.take(7).is_none());
        assert_eq!((parcels.count(), parcels.keep(parcel(4)), parcels.keep(parcel(5))), (2, (1, false), (3, true)));
    }

    #[test]
    fn those_that_are_remembered_keep_their_numbers_until_they_are_forgotten() {
        let mut parcels = Parcels::default();
        parcels.remember();
        assert_eq!(parcels.keep(parcel(1)), (0, true));
        assert!(parcels.take(0).is_some() && parcels.take(0).is_none());
        assert_eq!((parcels.count(), parcels.keep(parcel(2))), (0, (1, true)), "number 0 is still the first's");
        let number = |found: Option<Parcel>| match found?.content {
            Content::Segment(segment) => Some(segment.number),
            _ => None,
        };
        assert_eq!([0, 1, 2].map(|place| number(parcels.recall(place))), [Some(1), Some(2), None]);
        parcels.forget();
        assert_eq!((number(parcels.recall(0)), parcels.keep(parcel(3))), (None, (0, false)));
    }
}
