//! What is counted for each flow while packets move.
//!
//! Parts of a network may be ahead of others, so what is counted here comes in no
//! order of time, and every entry has its own.

use crate::delays::Delays;
use fairwire_plan::DelaySummary;

/// Books of all flows.
#[derive(Debug)]
pub struct Ledger {
    warmup: u64,
    window: u64,
    pub flows: Vec<Account>,
}

/// One flow's data packets.
#[derive(Debug, Default)]
pub struct Account {
    pub sent: u64,
    pub retransmitted: u64,
    pub dropped: u64,
    pub lost: u64,
    pub marked: u64,
    pub arrived: u64,
    pub measured_sent: u64,
    pub measured_dropped: u64,
    pub measured_bytes: u64,
    /// Over the whole run.
    pub bytes: u64,
    delays: Delays,
    /// The row that `row_start` and `row_end` bound.
    row: usize,
    row_start: u64,
    row_end: u64,
    rows: Vec<u32>,
}

/// Whose packet it is, for those that count: data packets of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(u32);

impl Owner {
    /// Of acknowledgements nobody keeps account.
    pub const NOBODY: Self = Self(u32::MAX);

    pub fn flow(flow: u32) -> Self {
        Self(flow)
    }

    pub fn number(self) -> usize {
        self.0 as usize
    }
}

impl Ledger {
    pub fn new(flows: usize, warmup: u64, window: u64) -> Self {
        Self { warmup, window, flows: (0..flows).map(|_| Account::default()).collect() }
    }

    #[inline(always)]
    fn account(&mut self, owner: Owner) -> Option<&mut Account> {
        self.flows.get_mut(owner.0 as usize)
    }

    #[inline]
    pub fn send(&mut self, owner: Owner, now: u64, retransmitted: bool) {
        let measured = now >= self.warmup;
        if let Some(account) = self.account(owner) {
            account.sent += 1;
            account.retransmitted += u64::from(retransmitted);
            account.measured_sent += u64::from(measured);
        }
    }

    #[cold]
    pub fn drop(&mut self, owner: Owner, now: u64) {
        let measured = now >= self.warmup;
        if let Some(account) = self.account(owner) {
            account.dropped += 1;
            account.measured_dropped += u64::from(measured);
        }
    }

    #[cold]
    pub fn lose(&mut self, owner: Owner, now: u64) {
        let measured = now >= self.warmup;
        if let Some(account) = self.account(owner) {
            account.lost += 1;
            account.measured_dropped += u64::from(measured);
        }
    }

    #[cold]
    pub fn mark(&mut self, owner: Owner) {
        if let Some(account) = self.account(owner) {
            account.marked += 1;
        }
    }

    /// A packet arrived, which brings so many bytes that were not there before.
    #[inline]
    pub fn arrive(&mut self, owner: Owner, now: u64, born: u64, new_bytes: u64) {
        let (warmup, window) = (self.warmup, self.window);
        if let Some(account) = self.account(owner) {
            account.arrived += 1;
            account.bytes += new_bytes;
            if now >= warmup {
                account.delays.record(now - born);
                account.measured_bytes += new_bytes;
            }
            account.add_to_row(now, window, new_bytes);
        }
    }
}

impl Account {
    #[inline(always)]
    fn add_to_row(&mut self, now: u64, window: u64, bytes: u64) {
        if !(self.row_start..self.row_end).contains(&now) {
            self.go_to_row(now, window);
        }
        self.rows[self.row] = self.rows[self.row].saturating_add(bytes as u32);
    }

    #[cold]
    fn go_to_row(&mut self, now: u64, window: u64) {
        self.row = (now / window) as usize;
        self.row_start = self.row as u64 * window;
        self.row_end = self.row_start.saturating_add(window);
        if self.row >= self.rows.len() {
            self.rows.resize(self.row + 1, 0);
        }
    }

    /// Deliveries in each row of a run of `reached` ns.
    pub fn take_rows(&mut self, reached: u64, window: u64) -> Vec<u32> {
        let mut rows = std::mem::take(&mut self.rows);
        rows.resize(reached.div_ceil(window) as usize, 0);
        rows
    }

    pub fn delay_summary(&self) -> DelaySummary {
        self.delays.summary()
    }
}
