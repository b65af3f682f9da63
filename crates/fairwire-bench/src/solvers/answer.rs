//! Medians, ratios and agreement over all rounds.

use super::ours::Measured;
use super::rows::{Peer, Row, Target};
use crate::child::median;
use serde::Serialize;

/// The answer as JSON.
#[derive(Debug, Serialize)]
pub struct Answer {
    pub rounds: u32,
    pub cpus: Option<usize>,
    pub rows: Vec<RowAnswer>,
}

/// One row: medians over the rounds.
#[derive(Debug, Serialize)]
pub struct RowAnswer {
    pub id: &'static str,
    pub what: &'static str,
    /// Processor time of one solve or change, index included.
    pub ms: f64,
    pub ms_by_round: Vec<f64>,
    /// How many solves or changes there were in all.
    pub runs: usize,
    pub target: String,
    /// The target in milliseconds in this run; none if there is none, or nothing to compare with.
    pub target_ms: Option<f64>,
    pub met: Option<bool>,
    /// Largest resident set of our process, and what of it is the problem itself.
    pub peak_bytes: Option<u64>,
    pub problem_bytes: usize,
    /// By how much the fullest link is over its capacity, as a part of it.
    pub overload: Option<f64>,
    pub note: Option<String>,
    pub peers: Vec<PeerAnswer>,
}

/// A peer on the same problem.
#[derive(Debug, Serialize)]
pub struct PeerAnswer {
    pub peer: Peer,
    /// Processor time of one solve, what it needs beforehand included.
    pub ms: f64,
    /// The same without that, where it is told apart.
    pub bare_ms: Option<f64>,
    /// Its time over ours: median over the rounds in which it took part, and range.
    pub ratio: f64,
    pub ratio_low: f64,
    pub ratio_high: f64,
    pub ratio_wanted: Option<f64>,
    pub peak_bytes: u64,
    /// Whether it came as near to its answer as it was asked to; if not, its rates prove nothing.
    pub is_exact: bool,
    /// The largest difference of a rate from ours, as a part of the largest capacity.
    pub difference: f64,
    pub difference_allowed: f64,
}

/// What was measured of a row, round by round.
#[derive(Debug, Default)]
pub struct Samples {
    pub ours: Vec<Measured>,
    pub peers: Vec<PeerRound>,
}

/// A peer in one round.
#[derive(Clone, Copy, Debug)]
pub struct PeerRound {
    pub peer: Peer,
    pub ms: f64,
    pub bare_ms: Option<f64>,
    pub ours_ms: f64,
    pub peak_bytes: u64,
    pub is_exact: bool,
    pub difference: f64,
}

/// Loads may be over capacity by this part of it.
pub const FEASIBLE: f64 = 1e-12;

impl Samples {
    /// Whether a peer took too long in an earlier round to be asked again.
    pub fn has_slow(&self, peer: Peer) -> bool {
        self.peers.iter().any(|round| round.peer == peer && round.ms > 2e3)
    }

    /// Everything about a row but whether it met a target that depends on another row.
    pub fn summed_up(&self, row: &'static Row) -> RowAnswer {
        let ms_by_round: Vec<f64> = self.ours.iter().map(|measured| measured.ms).collect();
        let last = self.ours.last().cloned().unwrap_or_default();
        RowAnswer {
            id: row.id,
            what: row.what,
            ms: median(ms_by_round.iter().copied()),
            ms_by_round,
            runs: self.ours.iter().map(|measured| measured.runs).sum(),
            target: row.target.to_string(),
            target_ms: None,
            met: None,
            peak_bytes: self.ours.iter().filter_map(|measured| measured.peak_bytes).max(),
            problem_bytes: last.problem_bytes,
            overload: last.overload,
            note: last.note,
            peers: row.peers.iter().filter_map(|&(peer, wanted)| self.beside(peer, wanted)).collect(),
        }
    }

    fn beside(&self, peer: Peer, ratio_wanted: Option<f64>) -> Option<PeerAnswer> {
        let rounds: Vec<&PeerRound> = self.peers.iter().filter(|round| round.peer == peer).collect();
        let ratios: Vec<f64> = rounds.iter().map(|round| round.ms / round.ours_ms).collect();
        Some(PeerAnswer {
            peer,
            ms: median(rounds.iter().map(|round| round.ms)),
            bare_ms: Some(median(rounds.iter().filter_map(|round| round.bare_ms))).filter(|ms| ms.is_finite()),
            ratio: median(ratios.iter().copied()),
            ratio_low: ratios.iter().copied().reduce(f64::min)?,
            ratio_high: ratios.iter().copied().fold(0.0, f64::max),
            ratio_wanted,
            peak_bytes: rounds.iter().map(|round| round.peak_bytes).max()?,
            is_exact: rounds.iter().all(|round| round.is_exact),
            difference: rounds.iter().map(|round| round.difference).fold(0.0, f64::max),
            difference_allowed: peer.agreement(),
        })
    }
}

impl Answer {
    /// Fills in the targets, some of which are other rows or peers of this run.
    pub fn judge(&mut self) {
        let limits: Vec<Option<f64>> = self.rows.iter().map(|row| self.target_ms(row)).collect();
        for (row, limit) in self.rows.iter_mut().zip(limits) {
            row.target_ms = limit;
            row.met = limit.map(|limit| row.ms <= limit);
        }
    }

    fn target_ms(&self, answer: &RowAnswer) -> Option<f64> {
        match Row::named(answer.id)?.target {
            Target::Ms(ms) => Some(ms),
            Target::Of(other, times) => Some(times * self.rows.iter().find(|row| row.id == other)?.ms),
            Target::Faster(peer, times) => Some(answer.peers.iter().find(|beside| beside.peer == peer)?.ms / times),
            Target::Open => None,
        }
    }

    /// What is wrong with the rates, in words; speed is never wrong.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for row in &self.rows {
            if let Some(overload) = row.overload.filter(|&overload| overload > FEASIBLE) {
                complaints.push(format!("{}: a link is over its capacity by {overload:.1e} of it", row.id));
            }
            // Not `>`: what is no number does not agree.
            let agrees = |peer: &&PeerAnswer| !peer.is_exact || peer.difference <= peer.difference_allowed;
            for peer in row.peers.iter().filter(|peer| !agrees(peer)) {
                let (name, off) = (peer.peer.name(), peer.difference);
                complaints.push(format!("{}: {name} differs by {off:.1e} of the largest capacity", row.id));
            }
        }
        complaints
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::ROWS;
    use super::*;

    fn answer(rows: &[(&str, f64)], difference: f64) -> Answer {
        let row = |&(id, ms): &(&str, f64)| {
            let row = ROWS.iter().find(|row| row.id == id).expect("a row");
            let ours = vec![Measured { ms, overload: Some(0.0), ..Measured::default() }];
            let peers = row.peers.iter().map(|&(peer, _)| PeerRound {
                peer,
                ms: 20.0 * ms,
                bare_ms: None,
                ours_ms: ms,
                peak_bytes: 1,
                is_exact: true,
                difference,
            });
            Samples { ours, peers: peers.collect() }.summed_up(row)
        };
        let mut answer = Answer { rounds: 1, cpus: None, rows: rows.iter().map(row).collect() };
        answer.judge();
        answer
    }

    #[test]
    fn targets_are_times_other_rows_or_peers() {
        let of = |rows: &[(&str, f64)]| answer(rows, 0.0).rows.into_iter().map(|row| row.met).collect::<Vec<_>>();
        assert_eq!(of(&[("random-1e5", 6.0), ("random-1e5-mixed", 7.0)]), [Some(true), Some(true)]);
        assert_eq!(of(&[("random-1e5", 6.4), ("random-1e5-mixed", 9.0)]), [Some(false), Some(false)]);
        assert_eq!(of(&[("random-1e5-mixed", 9.0), ("proportional-1e4", 1.0)]), [None, Some(true)]);
    }

    #[test]
    fn rates_that_differ_are_told() {
        assert!(answer(&[("random-1e5", 6.0)], 1e-10).complaints().is_empty());
        assert_eq!(answer(&[("random-1e5", 6.0)], 1e-8).complaints().len(), 1);
        assert_eq!(answer(&[("random-1e5", 6.0)], f64::INFINITY).complaints().len(), 1);
    }
}
