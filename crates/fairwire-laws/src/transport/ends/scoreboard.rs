//! What a sender knows from the receiver's blocks, and what follows (RFC 6675).

use super::SackBlocks;
use super::runs::Runs;

/// So many segments that arrived after one tell that it is lost (DupThresh, RFC 6675 §2).
pub(super) const DUP_THRESH: u32 = 3;

/// Which segments from the first unacknowledged one on have arrived, are lost, were sent again.
///
/// Of segments of one size the rule of RFC 6675 §4 says: lost is what has not arrived and lies
/// below the third-highest segment that has. So one number tells all that are lost.
#[derive(Clone, Debug, Default)]
pub(super) struct Scoreboard {
    /// SND.UNA: first segment not acknowledged.
    snd_una: u32,
    /// What has arrived beyond.
    arrived: Runs,
    /// What has not arrived and lies below is lost.
    lost_below: u32,
    /// What had not arrived below was sent again (HighRxt + 1).
    resent_below: u32,
    /// How many of these have not arrived yet.
    resent: u32,
}

impl Scoreboard {
    /// Forgets all beyond `snd_una`: after a timeout the receiver may have given it up (RFC 2018 §8).
    pub(super) fn clear(&mut self, snd_una: u32) {
        self.arrived.clear();
        self.snd_una = snd_una;
        self.lost_below = snd_una;
        self.start_recovery();
    }

    /// Nothing counts as sent again.
    pub(super) fn start_recovery(&mut self) {
        self.resent_below = self.snd_una;
        self.resent = 0;
    }

    /// All below `next` is acknowledged.
    #[inline]
    pub(super) fn advance(&mut self, next: u32) {
        if self.arrived.is_empty() && self.resent == 0 {
            self.snd_una = next;
            return;
        }
        let passed = next - self.snd_una;
        let had_arrived = self.arrived.remove_below(next);
        self.resent = if next >= self.resent_below { 0 } else { self.resent - (passed - had_arrived) };
        self.snd_una = next;
    }

    /// Takes the receiver's blocks in, of segments below `sent`; how many segments were not known to have arrived.
    #[inline]
    pub(super) fn update(&mut self, blocks: &SackBlocks, sent: u32) -> u32 {
        let mut new = 0;
        for (first, beyond) in blocks.iter() {
            let (first, beyond) = (first.max(self.snd_una), beyond.min(sent));
            let resent = self.arrived.insert(first, beyond.min(self.resent_below));
            self.resent -= resent;
            new += resent + self.arrived.insert(first.max(self.resent_below), beyond);
        }
        if new > 0 {
            self.find_lost();
        }
        new
    }

    fn find_lost(&mut self) {
        let mut missing = DUP_THRESH;
        for (first, beyond) in self.arrived.rev() {
            let length = beyond - first;
            if length >= missing {
                self.lost_below = self.lost_below.max(beyond - missing);
                return;
            }
            missing -= length;
        }
    }

    /// Whether the first segment that is not acknowledged is lost.
    pub(super) fn first_is_lost(&self) -> bool {
        self.snd_una < self.lost_below
    }

    /// pipe: how many segments below `sent` are in the network (RFC 6675 §4 SetPipe).
    #[inline]
    pub(super) fn pipe(&self, sent: u32) -> u32 {
        let (from, arrived) =
            if self.first_is_lost() { (self.lost_below, DUP_THRESH) } else { (self.snd_una, self.arrived.count()) };
        sent - from - arrived + self.resent
    }

    /// The first segment from `from` on that has not arrived.
    pub(super) fn first_absent(&self, from: u32) -> u32 {
        self.arrived.first_absent(from)
    }

    /// How many segments from the first unacknowledged one to just before `number` have arrived.
    pub(super) fn arrived_below(&self, number: u32) -> u32 {
        self.arrived.count_below(number)
    }

    /// What has not arrived and lies below is lost.
    pub(super) fn lost_below(&self) -> u32 {
        self.lost_below
    }

    /// Segments from `first` to just before `beyond` that are not known to have arrived.
    pub(super) fn absent_in(&self, first: u32, beyond: u32) -> impl Iterator<Item = u32> + '_ {
        let next = move |from: u32| Some(self.first_absent(from)).filter(|number| *number < beyond);
        std::iter::successors(next(first), move |number| next(number + 1))
    }

    /// Whether `number` is not known to have arrived.
    pub(super) fn is_absent(&self, number: u32) -> bool {
        self.first_absent(number) == number
    }

    /// The next lost segment that was not sent again (NextSeg (1), RFC 6675 §4).
    #[inline]
    pub(super) fn next_lost(&self) -> Option<u32> {
        self.next_below(self.lost_below)
    }

    /// The next segment that was not sent again and lies below some that arrived (NextSeg (3), RFC 6675 §4).
    pub(super) fn next_suspect(&self) -> Option<u32> {
        self.next_below(self.arrived.rev().next()?.0)
    }

    fn next_below(&self, limit: u32) -> Option<u32> {
        let from = self.resent_below.max(self.snd_una);
        (from < limit).then(|| self.first_absent(from)).filter(|number| *number < limit)
    }

    /// `number`, told by one of the above or the first unacknowledged, is sent again.
    pub(super) fn on_resent(&mut self, number: u32) {
        self.resent_below = number + 1;
        self.resent += 1;
    }

    /// The highest segment below `sent` that has not arrived.
    pub(super) fn highest_absent(&self, sent: u32) -> Option<u32> {
        let absent = match self.arrived.rev().next() {
            Some((first, beyond)) if beyond == sent => first.checked_sub(1)?,
            _ => sent.checked_sub(1)?,
        };
        (absent >= self.snd_una).then_some(absent)
    }
}

#[cfg(test)]
mod tests {
    use super::{DUP_THRESH, Scoreboard};
    use crate::transport::SackBlocks;
    use proptest::prelude::*;

    /// RFC 6675 §4 word by word: one flag a segment, nothing counted in advance.
    #[derive(Default)]
    struct Literal {
        snd_una: u32,
        sent: u32,
        arrived: Vec<bool>,
        /// HighRxt + 1.
        resent_below: u32,
    }

    impl Literal {
        fn arrived(&self, number: u32) -> bool {
            self.arrived.get(number as usize).copied().unwrap_or(false)
        }

        fn is_lost(&self, number: u32) -> bool {
            let beyond = (number + 1..self.sent).filter(|other| self.arrived(*other)).count();
            !self.arrived(number) && beyond >= DUP_THRESH as usize
        }

        /// SetPipe().
        fn pipe(&self) -> u32 {
            let missing = (self.snd_una..self.sent).filter(|number| !self.arrived(*number));
            missing.map(|number| u32::from(!self.is_lost(number)) + u32::from(number < self.resent_below)).sum()
        }

        /// NextSeg() (1) and (3).
        fn next(&self, lost: bool) -> Option<u32> {
            let highest = (0..self.sent).rev().find(|number| self.arrived(*number))?;
            (self.snd_una.max(self.resent_below)..highest)
                .find(|number| !self.arrived(*number) && (!lost || self.is_lost(*number)))
        }
    }

    proptest! {
        #[test]
        fn as_the_standard_says(steps in prop::collection::vec((0_u8..10, 0_u32..12, 1_u32..5), 1..120)) {
            let (mut board, mut literal) = (Scoreboard::default(), Literal::default());
            for (kind, place, length) in steps {
                match kind {
                    0 => {
                        literal.snd_una = (literal.snd_una + place).min(literal.sent);
                        while literal.arrived(literal.snd_una) {
                            literal.snd_una += 1;
                        }
                        board.advance(literal.snd_una);
                        literal.resent_below = literal.resent_below.max(literal.snd_una);
                    }
                    1..=3 => {
                        literal.sent += length;
                        literal.arrived.resize(literal.sent as usize, false);
                    }
                    4 | 5 => {
                        let next = if kind == 4 { board.next_lost() } else { board.next_suspect() };
                        if let Some(number) = next {
                            board.on_resent(number);
                            literal.resent_below = number + 1;
                        }
                    }
                    6 if place == 0 => {
                        board.start_recovery();
                        literal.resent_below = literal.snd_una;
                    }
                    // Never the first missing one: it would be acknowledged.
                    _ => {
                        let first = literal.snd_una + 1 + place;
                        let run = (first, (first + length).min(literal.sent));
                        let new = (run.0..run.1).filter(|number| !literal.arrived(*number)).count();
                        (run.0..run.1).for_each(|number| literal.arrived[number as usize] = true);
                        prop_assert_eq!(board.update(&SackBlocks::new([run]), literal.sent) as usize, new);
                    }
                }
                prop_assert_eq!(board.pipe(literal.sent), literal.pipe());
                prop_assert_eq!(board.next_lost(), literal.next(true));
                prop_assert_eq!(board.next_suspect(), literal.next(false));
                prop_assert_eq!(board.first_is_lost(), literal.is_lost(literal.snd_una));
                let highest = (literal.snd_una..literal.sent).rev().find(|number| !literal.arrived(*number));
                prop_assert_eq!(board.highest_absent(literal.sent), highest);
            }
        }
    }
}
