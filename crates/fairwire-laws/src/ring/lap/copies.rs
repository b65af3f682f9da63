//! How often a station sends each frame.
//!
//! Once, as long as no frame gets lost. Each time that a frame was replaced, every station sends frames once more than
//! before; after many laps without a loss, once less. A station that gets a frame again drops it, so that copies cost
//! nothing but their bytes. With a hundred links that lose one frame in a hundred, two frames in three would not come
//! around; sent twice, only one in a hundred does not.

use super::Number;

/// More often frames are never sent.
const MOST: u8 = 4;
/// After so many laps without a loss one copy less is sent.
const CALM_LAPS: u16 = 256;

#[derive(Clone, Debug)]
pub(super) struct Copies {
    most: u8,
    count: u8,
    laps_to_fewer: u16,
    /// The generation of the frame that came by last.
    generation: Option<u8>,
}

impl Copies {
    pub const fn as_needed() -> Self {
        Self { most: MOST, count: 1, laps_to_fewer: 0, generation: None }
    }

    pub const fn never() -> Self {
        Self { most: 1, ..Self::as_needed() }
    }

    /// How often a frame that leaves now is sent.
    pub const fn of_a_frame(&self) -> u8 {
        self.count
    }

    /// The station that puts frames on the ring has given one up. The next one replaces it.
    pub fn frame_was_lost(&mut self) {
        self.generation = None;
        self.one_more();
    }

    fn one_more(&mut self) {
        self.count = (self.count + 1).min(self.most);
        self.laps_to_fewer = CALM_LAPS;
    }

    /// A frame comes by that has not been here. One of another generation replaces one that was lost.
    #[inline]
    pub fn frame_came(&mut self, number: Number) {
        let before = self.generation.replace(number.generation());
        if before.is_some_and(|before| before != number.generation()) {
            self.one_more();
        } else if self.count > 1 {
            self.laps_to_fewer -= 1;
            if self.laps_to_fewer == 0 {
                (self.count, self.laps_to_fewer) = (self.count - 1, CALM_LAPS);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_loss_adds_a_copy_and_calm_takes_one_away() {
        let mut copies = Copies::as_needed();
        let mut number = Number::default();
        let mut lap = |copies: &mut Copies, lost: bool| {
            number = if lost { number.next_generation() } else { number.next_lap() };
            copies.frame_came(number);
            copies.of_a_frame()
        };
        assert!((0..600).all(|_| lap(&mut copies, false) == 1));
        let grown: Vec<u8> = (0..5).map(|_| lap(&mut copies, true)).collect();
        assert_eq!(grown, [2, 3, 4, 4, 4]);
        let calm: Vec<u8> = (0..1_024).map(|_| lap(&mut copies, false)).collect();
        let laps_of = |count| calm.iter().filter(|copies| **copies == count).count();
        assert_eq!([4, 3, 2, 1].map(laps_of), [255, 256, 256, 257]);
    }

    #[test]
    fn the_one_who_gives_frames_up_counts_a_loss_once() {
        let mut copies = Copies::as_needed();
        let first = Number::default();
        copies.frame_came(first);
        copies.frame_was_lost();
        assert_eq!(copies.of_a_frame(), 2);
        copies.frame_came(first.next_generation());
        assert_eq!(copies.of_a_frame(), 2);
    }

    #[test]
    fn on_an_open_ring_frames_go_once() {
        let mut copies = Copies::never();
        copies.frame_was_lost();
        assert_eq!(copies.of_a_frame(), 1);
    }
}
