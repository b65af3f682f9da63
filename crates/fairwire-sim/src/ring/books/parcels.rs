//! What packets of TCP, and those that were brought from outside, carry, kept apart so that packets stay small.

use fairwire_laws::transport::{Ack, Segment};

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
        if parcel.is_some() {
            self.free.push(number);
        }
        parcel
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.kept.len() - self.free.len()
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
}
