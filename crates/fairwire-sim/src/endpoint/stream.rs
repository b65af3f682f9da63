//! A micro-flow of datagrams.

use super::periods::Periods;
use super::source::Source;
use crate::brought::{BroughtLine, Due};
use std::sync::Arc;

/// A source that is silent at times, and packets that somebody else made.
#[derive(Clone, Debug)]
pub struct Stream {
    source: Source,
    /// None if it is never silent.
    periods: Option<Arc<Periods>>,
    brought: Option<Box<BroughtLine>>,
}

/// The next packet of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The source made it.
    Made { size_bytes: u16 },
    /// It was brought under this handle.
    Brought { size_bytes: u16, handle: u32 },
}

impl Stream {
    pub fn new(source: Source, periods: Arc<Periods>) -> Self {
        let periods = (!periods.are_always()).then_some(periods);
        let mut stream = Self { source, periods, brought: None };
        stream.pass_over_silence();
        stream
    }

    /// One that makes nothing by itself.
    pub fn silent() -> Self {
        Self { source: Source::silent(), periods: None, brought: None }
    }

    /// It will soon be asked: what the next packet needs is fetched into the cache.
    #[inline]
    pub fn look_ahead(&self) {
        self.source.look_ahead();
    }

    /// When the next packet arises, `u64::MAX` if never.
    #[inline]
    pub fn next_at(&self) -> u64 {
        let made_at = self.source.next_at();
        self.brought.as_ref().map_or(made_at, |brought| made_at.min(brought.next_at()))
    }

    /// Whether its source has stopped.
    #[inline]
    pub fn makes_no_more(&self) -> bool {
        self.source.next_at() == u64::MAX
    }

    /// Takes the next packet: at one instant what the source makes goes first.
    #[inline]
    pub fn take(&mut self) -> Next {
        if let Some(brought) = &mut self.brought
            && let Some(Due { size_bytes, handle }) = brought.take_before(self.source.next_at())
        {
            return Next::Brought { size_bytes, handle };
        }
        let size_bytes = self.source.take();
        self.pass_over_silence();
        Next::Made { size_bytes }
    }

    /// A packet is to be sent at `at`, whether the flow is active then or not.
    pub fn bring(&mut self, at: u64, due: Due) {
        self.brought.get_or_insert_default().bring(at, due);
    }

    /// Drops what the source makes while the flow is silent.
    #[inline]
    fn pass_over_silence(&mut self) {
        let next_at = self.source.next_at();
        if let Some(periods) = &self.periods
            && next_at != u64::MAX
            && !periods.is_active(next_at)
        {
            let resumes_at = periods.next_active(next_at);
            self.pass_over_to(resumes_at);
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
