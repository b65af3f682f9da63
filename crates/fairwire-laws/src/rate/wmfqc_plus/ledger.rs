//! What one flow may still be using of a port: what it was granted and has not given back.

use fairwire_core::{Instant, Span};
use smallvec::SmallVec;

/// So many different grants are told apart; of more the last two become one, as much as the larger.
const MOST: usize = 16;

/// The grants of one flow at one port.
///
/// Control packets come in the order in which they left, with data between them. Once one has passed that confirms a grant,
/// all data that were sent under earlier ones have passed, too. Until then the flow may be using the largest of
/// them.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// What the source uses by its own word, and no more than it was granted.
    used_bps: f64,
    /// The grant that was confirmed last.
    confirmed_bps: f64,
    /// Grants that are not confirmed, in the order of their numbers: most often one, which is kept here.
    open: SmallVec<[Grant; 1]>,
}

/// The same rate, granted by answers in a row.
#[derive(Clone, Copy, Debug)]
struct Grant {
    first: u32,
    last: u32,
    bps: f64,
    /// When the last of them passed.
    at: Instant,
}

impl Ledger {
    /// The most that the flow may be using, in bit/s.
    pub fn held_bps(&self) -> f64 {
        self.open.iter().map(|grant| grant.bps).fold(self.used_bps, f64::max)
    }

    /// The answer with this number grants so much.
    pub fn grant(&mut self, now: Instant, number: u32, bps: f64) {
        let full = self.open.len() >= MOST;
        match self.open.last_mut() {
            Some(last) if last.bps == bps || full => {
                (last.last, last.at) = (number, now);
                last.bps = last.bps.max(bps);
            }
            _ => self.open.push(Grant { first: number, last: number, bps, at: now }),
        }
    }

    /// The source says that it applied the answer with this number, and what it uses.
    pub fn confirm(&mut self, applied: u32, used_bps: f64) {
        let mut over = self.open.partition_point(|grant| grant.last < applied);
        if let Some(grant) = self.open.get_mut(over)
            && grant.first <= applied
        {
            self.confirmed_bps = grant.bps;
            grant.first = applied + 1;
            over += usize::from(grant.last == applied);
        }
        self.drop_first(over);
        self.used_bps = used_bps.min(self.confirmed_bps);
    }

    /// Who has not confirmed a grant for so long never will: the later ones hold, and nothing above them passes.
    pub fn forget(&mut self, now: Instant, confirm_within: Span) {
        if self.open.len() > 1 && now.since(self.open[0].at) > confirm_within {
            let over = self.open.partition_point(|grant| now.since(grant.at) > confirm_within);
            let over = over.min(self.open.len() - 1);
            self.drop_first(over);
            self.confirmed_bps = self.open[0].bps;
            self.used_bps = self.used_bps.min(self.confirmed_bps);
        }
    }

    /// So many of the open grants, the oldest, are open no longer: most often all.
    #[inline]
    fn drop_first(&mut self, many: usize) {
        match many {
            0 => {}
            many if many == self.open.len() => self.open.clear(),
            many => drop(self.open.drain(..many)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Instant {
        Instant::ZERO + Span::from_micros(us)
    }

    #[test]
    fn a_flow_holds_the_largest_grant_that_it_has_not_given_back() {
        let mut ledger = Ledger::default();
        // What it was never granted it does not hold.
        ledger.confirm(0, 9.0);
        assert_eq!(ledger.held_bps(), 0.0);
        for (number, bps) in [(1, 5.0), (2, 5.0), (3, 8.0), (4, 3.0), (5, 3.0), (6, 4.0)] {
            ledger.grant(us(u64::from(number)), number, bps);
        }
        assert_eq!(ledger.held_bps(), 8.0);
        // It uses less than it was granted; the others may still come.
        ledger.confirm(2, 4.5);
        assert_eq!((ledger.held_bps(), ledger.used_bps), (8.0, 4.5));
        // The answers 3 and 4 were lost.
        ledger.confirm(5, 9.0);
        assert_eq!((ledger.held_bps(), ledger.used_bps), (4.0, 3.0));
        ledger.confirm(6, 4.0);
        assert_eq!((ledger.held_bps(), ledger.open.len()), (4.0, 0));
        // It uses less by itself, and more again, up to the last grant.
        ledger.confirm(6, 1.0);
        assert_eq!(ledger.held_bps(), 1.0);
        ledger.confirm(6, 7.0);
        assert_eq!(ledger.held_bps(), 4.0);
    }

    #[test]
    fn who_confirms_nothing_is_not_waited_for() {
        let mut ledger = Ledger::default();
        for number in 1..100 {
            ledger.grant(us(u64::from(number)), number, 100.0 - f64::from(number));
        }
        assert_eq!((ledger.open.len(), ledger.held_bps()), (MOST, 99.0));
        let mut ledger = Ledger::default();
        ledger.grant(us(0), 1, 8.0);
        ledger.grant(us(10), 2, 3.0);
        ledger.forget(us(20), Span::from_micros(20));
        assert_eq!(ledger.held_bps(), 8.0);
        ledger.forget(us(21), Span::from_micros(20));
        assert_eq!(ledger.held_bps(), 3.0);
        // The last grant is never forgotten.
        ledger.forget(us(1000), Span::from_micros(20));
        ledger.confirm(0, 9.0);
        assert_eq!(ledger.held_bps(), 3.0);
    }
}
