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

    /// Drops what the source makes while the flow is silent.
    #[inline]
    fn pass_over_silence(&mut self) {
        let next_at = self.source.next_at();
        if next_at != u64::MAX && !self.periods.is_active(next_at) {
            self.pass_over_to(self.periods.next_active(next_at));
        }
    }

    #[cold]
    fn pass_over_to(&mut self, resumes_at: u64) {
        if resumes_at == u64::MAX {
            self.source.end();
        }
        while self.source.next_at() < resumes_at && resumes_at != u64::MAX {
            self.source.take();
        }
        // The first packet after one silent period may lie in the next.
        self.pass_over_silence();
    }
}
