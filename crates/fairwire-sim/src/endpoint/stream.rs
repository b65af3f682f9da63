//! A micro-flow of datagrams.

use super::periods::Periods;
use super::source::Source;
use std::rc::Rc;

/// A source that is silent at times.
#[derive(Clone, Debug)]
pub struct Stream {
    source: Source,
    periods: Rc<Periods>,
}

impl Stream {
    pub fn new(source: Source, periods: Rc<Periods>) -> Self {
        let mut stream = Self { source, periods };
        stream.pass_over_silence();
        stream
    }

    /// When the next packet arises, `u64::MAX` if never.
    #[inline]
    pub fn next_at(&self) -> u64 {
        self.source.next_at()
    }

    /// Takes the next packet: its size.
    #[inline]
    pub fn take(&mut self) -> u16 {
        let size = self.source.take();
        self.pass_over_silence();
        size
    }

    #[inline]
    fn pass_over_silence(&mut self) {
        while self.source.next_at() != u64::MAX && !self.periods.is_active(self.source.next_at()) {
            self.source.take();
        }
    }
}
