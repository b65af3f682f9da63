//! What arrives of each flow in each row of time.
//!
//! Sixteen flows that follow each other have their rows side by side, a line of the processor's cache for each row. So
//! while a row goes on, ten thousand flows change forty kilobytes.

use prefetch_index::prefetch_index;

/// Bytes that arrived, by row and flow.
#[derive(Debug)]
pub struct Rows {
    flows: usize,
    window: u64,
    /// The row that was used last, and when it begins and ends.
    row: usize,
    begin: u64,
    end: u64,
    blocks: Vec<Vec<Line>>,
}

/// One row of the flows of a block.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Line([u32; ABREAST]);

/// Flows of a block.
const ABREAST: usize = 16;

impl Rows {
    /// No row of `window` ns yet.
    pub fn new(flows: usize, window: u64) -> Self {
        Self { flows, window, row: 0, begin: 0, end: window, blocks: vec![Vec::new(); flows.div_ceil(ABREAST)] }
    }

    /// So many bytes of a flow arrive at `now`, whenever others did.
    #[inline(always)]
    pub fn add(&mut self, flow: usize, now: u64, bytes: u64) {
        if !(self.begin..self.end).contains(&now) {
            self.go_to_row(now);
        }
        let lines = &mut self.blocks[flow / ABREAST];
        if self.row >= lines.len() {
            lengthen(lines, self.row + 1);
        }
        let sum = &mut lines[self.row].0[flow % ABREAST];
        *sum = sum.saturating_add(bytes as u32);
    }

    /// Bytes of a flow will soon arrive: the row that was used last is fetched into the cache.
    #[inline]
    pub fn look_ahead(&self, flow: usize) {
        if let Some(lines) = self.blocks.get(flow / ABREAST) {
            prefetch_index(lines, self.row);
        }
    }

    #[inline(never)]
    fn go_to_row(&mut self, now: u64) {
        let row = now / self.window;
        (self.row, self.begin) = (row as usize, row * self.window);
        self.end = self.begin.saturating_add(self.window);
    }

    /// The rows of a run of `reached` ns, by flow.
    pub fn take(&mut self, reached: u64) -> Vec<Vec<u32>> {
        let rows = reached.div_ceil(self.window) as usize;
        let mut by_flow = Vec::with_capacity(self.flows);
        for (block, lines) in std::mem::take(&mut self.blocks).into_iter().enumerate() {
            let abreast = ABREAST.min(self.flows - block * ABREAST);
            let first = by_flow.len();
            by_flow.resize_with(first + abreast, || Vec::with_capacity(rows));
            for line in lines.iter().take(rows) {
                by_flow[first..].iter_mut().zip(line.0).for_each(|(flow, bytes)| flow.push(bytes));
            }
            by_flow[first..].iter_mut().for_each(|flow| flow.resize(rows, 0));
        }
        by_flow
    }
}

#[cold]
fn lengthen(lines: &mut Vec<Line>, rows: usize) {
    lines.resize(rows, Line::default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_kept_apart_in_any_order_of_time() {
        let mut rows = Rows::new(18, 10);
        for (flow, now, bytes) in
            [(0, 25, 7), (17, 9, 1), (17, 10, 2), (0, 20, 1), (17, 9, 4), (3, 39, u64::from(u32::MAX))]
        {
            rows.add(flow, now, bytes);
        }
        rows.add(3, 30, 5);
        let by_flow = rows.take(31);
        assert_eq!(by_flow.len(), 18);
        assert_eq!((&by_flow[0], &by_flow[3]), (&vec![0, 0, 8, 0], &vec![0, 0, 0, u32::MAX]));
        assert_eq!((&by_flow[16], &by_flow[17]), (&vec![0; 4], &vec![5, 2, 0, 0]));
    }
}
