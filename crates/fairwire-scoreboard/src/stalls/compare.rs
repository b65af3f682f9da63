//! The same seeds with and without stalls, as many as it takes.

use super::moves::{Moves, Verdict};
use super::{Stalls, shares, stall_plan, stalls};
use crate::board::short_hash;
use crate::{Board, Case, ScoreError};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::WakeUps;
use fairwire_sweep::{Key, Record, Records, side_by_side};
use serde::{Deserialize, Serialize};

/// Seeds that each comparison takes, and by which it grows.
pub const LEAST_STALL_SEEDS: u64 = 8;
/// No comparison takes more, if nothing else is said.
pub const MOST_STALL_SEEDS: u64 = 64;

/// What each flow got in one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StallRun {
    /// What was run by what: case, law with its parameters, how it was called, build.
    key: String,
    /// The seed.
    seed: u64,
    /// Parts of a link.
    shares: Vec<f64>,
}

impl Record for StallRun {
    const NAME: &'static str = "stalls";

    fn key(&self) -> Key {
        Key::of_words(&self.key)
    }

    fn run(&self) -> u64 {
        self.seed
    }
}

/// What being called late did to one law on one case.
#[derive(Clone, Debug, Serialize)]
pub struct StallScore {
    /// The case.
    pub case: String,
    /// The law.
    pub law: String,
    /// How it was called late.
    pub stalls: &'static str,
    /// How far a share may move, as a part of the link.
    pub within: f64,
    /// How far the mean share moved of the flow that moved most.
    pub moved: f64,
    /// Two standard errors of that.
    pub error: f64,
    /// Seeds that ran in time and late.
    pub seeds: u32,
    /// Whether the shares of all flows are within what is allowed, by three standard errors.
    pub verdict: Verdict,
}

impl Board {
    /// Runs every law on every case, such as [`stall_cases`](super::stall_cases), called in time and late, on all cores, with
    /// so many seeds at most. `watch` is told how far a pair of law and case is, by its position among all, law by law; when
    /// it answers `false` what is running is given up, and what is finished is returned.
    ///
    /// # Errors
    /// The first run that fails.
    pub fn stalls(
        &self,
        runs: &Records<StallRun>,
        most_seeds: u64,
        watch: &(dyn Fn(usize, f64) -> bool + Sync),
    ) -> Result<Vec<StallScore>, ScoreError> {
        let jobs: Vec<(&RingLawChoice, &Case)> =
            self.laws.iter().flat_map(|law| self.cases.iter().map(move |case| (law, case))).collect();
        let compare = |(position, (law, case)): (usize, &(&RingLawChoice, &Case))| {
            let comparison = Comparison { case, law, build: &self.build, runs };
            comparison.make(most_seeds, &|fraction| watch(position, fraction))
        };
        Ok(side_by_side(jobs.iter().enumerate(), compare)?.into_iter().flatten().collect())
    }
}

/// One law on one case.
struct Comparison<'a> {
    case: &'a Case,
    law: &'a RingLawChoice,
    build: &'a str,
    runs: &'a Records<StallRun>,
}

impl Comparison<'_> {
    /// Adds seeds until it is sure for each way of being late whether shares stay within what is allowed, or there are enough.
    fn make(&self, most: u64, watch: &(dyn Fn(f64) -> bool + Sync)) -> Result<Vec<StallScore>, ScoreError> {
        let ways = stalls(true);
        let mut moves: [Moves; 3] = Default::default();
        let is_open = |way: &Stalls, moves: &Moves| moves.verdict(way.within) == Verdict::Open;
        let mut seeds = 0;
        while seeds < most {
            let open = [0, 1, 2].map(|way| is_open(&ways[way], &moves[way]));
            if open == [false; 3] {
                break;
            }
            let until = most.min(seeds + LEAST_STALL_SEEDS);
            for seed in seeds + 1..=until {
                let so_far = (seed - 1) as f64 / most as f64;
                let Some(usual) = self.run(None, seed, so_far, watch)? else { return Ok(Vec::new()) };
                for way in (0..3).filter(|way| open[*way]) {
                    let Some(late) = self.run(Some(&ways[way]), seed, so_far, watch)? else { return Ok(Vec::new()) };
                    moves[way].add(&usual, &late);
                }
            }
            seeds = until;
        }
        watch(1.0);
        Ok(ways.iter().zip(&moves).map(|(way, moves)| self.score(way, moves)).collect())
    }

    /// What each flow gets; none if `watch` stopped it.
    fn run(
        &self,
        way: Option<&Stalls>,
        seed: u64,
        so_far: f64,
        watch: &(dyn Fn(f64) -> bool + Sync),
    ) -> Result<Option<Vec<f64>>, ScoreError> {
        let late: Option<WakeUps> = way.map(|way| way.wake_ups);
        let Some(plan) = stall_plan(self.case, self.law, seed, late) else { return Ok(None) };
        let (law, hash) = (self.law.about().name, short_hash(self.law));
        let (case, called) = (&self.case.id, way.map_or("in time", |way| way.name));
        let key = format!("{case} {} {law} {hash} {called} {}", short_hash(&self.case.scenario), self.build);
        if let Some(known) = self.known(&key, seed)? {
            return Ok(Some(known));
        }
        let Some(shares) = shares(self.case, self.law, &plan, &|| watch(so_far))? else { return Ok(None) };
        self.runs.keep(&StallRun { key, seed, shares: shares.clone() })?;
        Ok(Some(shares))
    }

    fn known(&self, key: &str, seed: u64) -> Result<Option<Vec<f64>>, ScoreError> {
        let (key, run) = (Key::of_words(key), seed..seed + 1);
        if !self.runs.knows(key, run.clone()) {
            return Ok(None);
        }
        Ok(self.runs.all(key, run)?.pop().map(|known| known.shares))
    }

    fn score(&self, way: &Stalls, moves: &Moves) -> StallScore {
        let (moved, error) = moves.largest();
        StallScore {
            case: self.case.id.clone(),
            law: self.law.about().name.to_owned(),
            stalls: way.name,
            within: way.within,
            moved,
            error: 2.0 * error,
            seeds: moves.runs(),
            verdict: moves.verdict(way.within),
        }
    }
}
