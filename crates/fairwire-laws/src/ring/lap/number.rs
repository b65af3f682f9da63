//! Which frame circulates, and on which lap.

/// One byte of a frame that circulates: its generation in the upper four bits, its lap in the lower four.
///
/// The station that puts the frame on the ring counts the lap up each time that it sends the frame, and the generation when
/// it makes a new one. Both counts begin again at 0 after 15, so that of two numbers that is the newer one that is less than
/// half of the way around ahead. Frames that are older than seven laps are not expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Number(u8);

const COUNTS: u8 = 16;

impl Number {
    /// As the byte says.
    pub const fn of_byte(byte: u8) -> Self {
        Self(byte)
    }

    /// The byte.
    pub const fn byte(self) -> u8 {
        self.0
    }

    /// Which frame it is: one that replaces a lost one counts one up.
    pub const fn generation(self) -> u8 {
        self.0 / COUNTS
    }

    const fn lap(self) -> u8 {
        self.0 % COUNTS
    }

    /// The same frame on its next lap.
    pub const fn next_lap(self) -> Self {
        Self(self.generation() * COUNTS + (self.lap() + 1) % COUNTS)
    }

    /// The frame that replaces this one, on its first lap.
    pub const fn next_generation(self) -> Self {
        Self((self.generation() + 1) % COUNTS * COUNTS)
    }

    /// Whether it is of a later frame, or of a later lap of the same one.
    pub const fn is_newer_than(self, other: Self) -> bool {
        let ahead = (self.generation() + COUNTS - other.generation()) % COUNTS;
        let laps_ahead = (self.lap() + COUNTS - other.lap()) % COUNTS;
        let by = if ahead == 0 { laps_ahead } else { ahead };
        0 < by && by < COUNTS / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_and_generations_count_up_and_begin_again() {
        let mut number = Number::default();
        for _ in 0..40 {
            let next = number.next_lap();
            assert!(next.is_newer_than(number) && !number.is_newer_than(next) && !number.is_newer_than(number));
            let replaced = number.next_generation();
            assert!(replaced.is_newer_than(number) && replaced.is_newer_than(next) && !next.is_newer_than(replaced));
            assert_eq!(next.generation(), number.generation());
            number = if next.lap() == 0 { replaced } else { next };
        }
    }

    #[test]
    fn both_counts_have_four_bits_and_half_of_the_way_around_is_ahead() {
        let next = |byte| (Number::of_byte(byte).next_lap().byte(), Number::of_byte(byte).next_generation().byte());
        assert_eq!([0x00, 0x3e, 0x3f, 0xf5].map(next), [(0x01, 0x10), (0x3f, 0x40), (0x30, 0x40), (0xf6, 0x00)]);
        let is_ahead = |byte| Number::of_byte(byte).is_newer_than(Number::of_byte(0x3c));
        assert_eq!([0x3d, 0x33, 0x34, 0x40, 0xac, 0xbc].map(is_ahead), [true, true, false, true, true, false]);
    }

    #[test]
    fn no_two_numbers_are_newer_than_each_other() {
        for (one, other) in (0..=255).flat_map(|one| (0..=255).map(move |other| (one, other))) {
            let (one, other) = (Number::of_byte(one), Number::of_byte(other));
            assert!(!(one.is_newer_than(other) && other.is_newer_than(one)), "{one:?} and {other:?}");
        }
    }
}
