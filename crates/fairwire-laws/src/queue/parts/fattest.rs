//! Which lane holds most, for laws that make room by dropping from it.

use super::longest::Longest;

/// Lanes by the bytes they hold, in steps: found in constant time, to within a step.
#[derive(Clone, Debug, Default)]
pub struct Fattest {
    lanes: Longest,
}

impl Fattest {
    const STEP_BYTES: u64 = 256;

    /// Tells what a lane holds.
    #[inline]
    pub fn set(&mut self, lane: u32, bytes: u64) {
        let steps = bytes.div_ceil(Self::STEP_BYTES);
        self.lanes.set(lane, u32::try_from(steps).unwrap_or(u32::MAX));
    }

    /// The lane that holds most.
    #[inline]
    pub fn lane(&self) -> Option<u32> {
        self.lanes.longest()
    }
}
