//! What is counted at one queue and its link.

use crate::delays::Delays;
use fairwire_laws::queue::DropReason;
use fairwire_plan::DelaySummary;

/// Counts, means and series of one link.
#[derive(Debug)]
pub struct Books {
    warmup: u64,
    pub arrived: u64,
    pub dropped: [u64; 3],
    pub marked: u64,
    pub lost: u64,
    /// Packets whose transmission began.
    pub sent: u64,
    pub measured_bytes: u64,
    pub deepest_packets: u32,
    pub deepest_bytes: u64,
    /// When the last packet arrived.
    pub last_arrival: u64,
    /// Waiting packets and bytes over time since the warm-up, in ns.
    packets_ns: u128,
    bytes_ns: u128,
    waiting: Delays,
    rows: Option<Box<Rows>>,
    pub violations: Vec<String>,
}

/// What is kept for each row.
#[derive(Debug)]
pub struct Rows {
    window: u64,
    row_end: u64,
    sent_bytes: u32,
    dropped_or_marked: u32,
    pub series: Series,
}

/// Finished rows.
#[derive(Debug, Default)]
pub struct Series {
    pub sent_bytes: Vec<u32>,
    pub waiting_packets: Vec<u32>,
    pub dropped_in_row: Vec<u32>,
}

/// How much waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depth {
    pub packets: u32,
    pub bytes: u64,
}

impl Books {
    /// Books of a link, with rows of `window` ns if they are wanted.
    pub fn new(warmup: u64, window: Option<u64>) -> Self {
        let rows = |window| {
            Box::new(Rows { window, row_end: window, sent_bytes: 0, dropped_or_marked: 0, series: Series::default() })
        };
        Self {
            warmup,
            arrived: 0,
            dropped: [0; 3],
            marked: 0,
            lost: 0,
            sent: 0,
            measured_bytes: 0,
            deepest_packets: 0,
            deepest_bytes: 0,
            last_arrival: 0,
            packets_ns: 0,
            bytes_ns: 0,
            waiting: Delays::default(),
            rows: window.map(rows),
            violations: Vec::new(),
        }
    }

    /// Something happens at `now`, until when `waiting` packets waited: ends the rows before.
    #[inline(always)]
    pub fn reach(&mut self, now: u64, waiting: u32) {
        if let Some(rows) = &mut self.rows
            && now >= rows.row_end
        {
            rows.close_until(now, waiting);
        }
    }

    /// A packet is there; so much waits with it.
    #[inline(always)]
    pub fn deepen(&mut self, depth: Depth) {
        self.deepest_packets = self.deepest_packets.max(depth.packets);
        self.deepest_bytes = self.deepest_bytes.max(depth.bytes);
    }

    /// A packet that came at `since` begins to be sent.
    #[inline(always)]
    pub fn depart(&mut self, since: u64, now: u64, size_bytes: u32) {
        self.sent += 1;
        if let Some(rows) = &mut self.rows {
            rows.sent_bytes += size_bytes;
        }
        if now >= self.warmup {
            self.measured_bytes += u64::from(size_bytes);
            self.waiting.record(now - since);
            self.waited(since, now, size_bytes);
        }
    }

    /// A packet has waited, whatever became of it.
    #[inline(always)]
    pub fn waited(&mut self, since: u64, until: u64, size_bytes: u32) {
        let time = until.saturating_sub(since.max(self.warmup));
        self.packets_ns += u128::from(time);
        self.bytes_ns += u128::from(time) * u128::from(size_bytes);
    }

    pub fn drop(&mut self, reason: DropReason) {
        self.dropped[match reason {
            DropReason::Full => 0,
            DropReason::Early => 1,
            DropReason::Unfair => 2,
        }] += 1;
        if let Some(rows) = &mut self.rows {
            rows.dropped_or_marked += 1;
        }
    }

    pub fn mark(&mut self) {
        self.marked += 1;
        if let Some(rows) = &mut self.rows {
            rows.dropped_or_marked += 1;
        }
    }

    pub fn all_dropped(&self) -> u64 {
        self.dropped.iter().sum()
    }

    /// Means of packets and bytes that waited, until `reached`.
    pub fn means(&self, reached: u64) -> (f64, f64) {
        let time = reached.saturating_sub(self.warmup) as f64;
        if time > 0.0 { (self.packets_ns as f64 / time, self.bytes_ns as f64 / time) } else { (0.0, 0.0) }
    }

    pub fn waiting(&self) -> DelaySummary {
        self.waiting.summary()
    }

    /// The rows of a run of `reached` ns.
    pub fn take_series(&mut self, reached: u64, waiting: u32) -> Series {
        let Some(mut rows) = self.rows.take() else { return Series::default() };
        rows.close_until(reached, waiting);
        if reached > rows.row_end - rows.window {
            rows.close(waiting);
        }
        rows.series
    }
}

impl Rows {
    #[cold]
    fn close_until(&mut self, now: u64, waiting: u32) {
        while now >= self.row_end {
            self.close(waiting);
        }
    }

    fn close(&mut self, waiting: u32) {
        self.series.sent_bytes.push(std::mem::take(&mut self.sent_bytes));
        self.series.waiting_packets.push(waiting);
        self.series.dropped_in_row.push(std::mem::take(&mut self.dropped_or_marked));
        self.row_end += self.window;
    }
}
