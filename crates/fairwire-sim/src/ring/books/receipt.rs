//! What one flow's egress receives.

use crate::delays::Delays;
use fairwire_plan::DelaySummary;

/// What one flow's egress received.
#[derive(Debug, Default)]
pub struct Receipt {
    pub delivered: u64,
    bytes: u64,
    /// Of these, what came before the warm-up ended.
    unmeasured_bytes: u64,
    /// Of these, what belongs to rows before the current one.
    earlier_bytes: u64,
    /// When the current row began.
    row_begin: u64,
    /// Bytes in each row before it.
    rows: Vec<u32>,
    delays: Delays,
}

impl Receipt {
    /// A packet that was made at `born` brings `bytes` at `now`; counted in the measured part of a run after `warmup`, and
    /// in rows of `window` ns.
    #[inline(always)]
    pub fn take(&mut self, now: u64, born: u64, bytes: u32, warmup: u64, window: u64) {
        self.delivered += 1;
        if now.wrapping_sub(self.row_begin) >= window {
            self.begin_another_row(now, bytes, window);
        }
        self.bytes += u64::from(bytes);
        if now >= warmup {
            self.delays.record(now - born);
        } else {
            self.unmeasured_bytes += u64::from(bytes);
        }
    }

    /// Where a later row begins, or an earlier one gets more: a packet that came over the other ringlet,
    /// which is looked at after this one.
    #[cold]
    fn begin_another_row(&mut self, now: u64, bytes: u32, window: u64) {
        if now < self.row_begin {
            self.rows[(now / window) as usize] += bytes;
            self.earlier_bytes += u64::from(bytes);
            return;
        }
        while now - self.row_begin >= window {
            self.rows.push(self.row_bytes());
            self.earlier_bytes = self.bytes;
            self.row_begin += window;
        }
    }

    fn row_bytes(&self) -> u32 {
        u32::try_from(self.bytes - self.earlier_bytes).unwrap_or(u32::MAX)
    }

    /// Bytes delivered over the whole run.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes delivered since the warm-up ended.
    pub fn measured_bytes(&self) -> u64 {
        self.bytes - self.unmeasured_bytes
    }

    /// Deliveries in each row of a run of `duration` ns.
    pub fn rows(&self, duration: u64, window: u64) -> Vec<u32> {
        let mut rows = self.rows.clone();
        rows.push(self.row_bytes());
        rows.resize(duration.div_ceil(window) as usize, 0);
        rows
    }

    pub fn delay_summary(&self) -> DelaySummary {
        self.delays.summary()
    }
}
