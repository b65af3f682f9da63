//! Senders that come and go on a ring: when rates are fair again, real and simulated.

use super::case::{Case, Limit, Part};
use super::command::{ChangeSeen, RunMeasured};
use fairwire_terminal::CliError;
use serde::Serialize;

/// Each of four wants nine tenths of the link that all of them share.
const RING: &str = r#"
schema = 1
title = "Four that come and go"
run = { duration = "7 s", warmup = "0.5 s" }

[ring]
stations = 8
capacity = "100 Mb/s"
span-delay = "0.5 ms"
law = { name = "LAW" }
station-queues = "per-destination"

[[flow]]
name = "from"
from = [0, 1, 2, 3]
to = 4
start-jitter = "10 ms"
traffic = { kind = "cbr", rate = "90 Mb/s", packet = "1 kB", size-jitter = "5 %" }
"#;

/// Who falls silent and who comes back, a second after the other.
const CHANGES: [(u32, &str); 6] =
    [(0, "0 b/s"), (0, "90 Mb/s"), (3, "0 b/s"), (1, "0 b/s"), (3, "90 Mb/s"), (1, "90 Mb/s")];
/// Laws that are fair, and one that swings.
const LAWS: [&str; 3] = ["dvsr-plus", "dvsr", "rpr-aggressive"];
/// Real runs of each.
const RUNS: u64 = 5;
/// Simulated seeds that show when rates may be fair again, and so many where a real run lies outside of them.
const SEEDS: u64 = 20;
const MANY_SEEDS: u64 = 100;

/// What one change led to. Times are from the change until all rates are fair again for good; none where they are not before the
/// next change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangeRow {
    /// What changed.
    pub event: String,
    /// Over how long rates are averaged.
    pub window_ns: u64,
    /// Of each real run.
    pub real_ns: Vec<Option<u64>>,
    /// Of the simulated runs of the same seeds.
    pub simulated_ns: Vec<Option<u64>>,
    /// The soonest and the latest of all simulated seeds.
    pub range_ns: (Option<u64>, Option<u64>),
    /// How far outside of that the farthest real run lies; none if it is never fair where all seeds are, or is where none is.
    pub outside_ns: Option<u64>,
}

impl ChangeRow {
    /// Whether all real runs are fair again when simulated ones are, give or take a window.
    pub fn is_near(&self) -> bool {
        self.outside_ns.is_some_and(|outside| outside <= self.window_ns)
    }

    /// The changes of real runs beside those of simulated ones.
    pub fn all(simulated: &[RunMeasured], real: &[RunMeasured]) -> Vec<Self> {
        let first = real.first().map_or(&[][..], |first| &first.changes);
        first.iter().enumerate().map(|(number, change)| Self::of(number, change, simulated, real)).collect()
    }

    fn of(number: usize, change: &ChangeSeen, simulated: &[RunMeasured], real: &[RunMeasured]) -> Self {
        let times = |runs: &[RunMeasured]| -> Vec<Option<u64>> {
            runs.iter().map(|run| run.changes.get(number).and_then(|change| change.fair_again_ns)).collect()
        };
        let (mut simulated_ns, real_ns) = (times(simulated), times(real));
        // Never is later than any time.
        let order = |time: &Option<u64>| (time.is_none(), *time);
        let end = |time: Option<&Option<u64>>| time.copied().flatten();
        let soonest = end(simulated_ns.iter().min_by_key(|time| order(time)));
        let latest = end(simulated_ns.iter().max_by_key(|time| order(time)));
        let outside = |real: &Option<u64>| match (real, soonest, latest) {
            (Some(real), Some(soonest), Some(latest)) => {
                Some(soonest.saturating_sub(*real).max(real.saturating_sub(latest)))
            }
            (Some(real), Some(soonest), None) => Some(soonest.saturating_sub(*real)),
            (None, _, None) => Some(0),
            (None, _, Some(_)) | (Some(_), None, _) => None,
        };
        let outside: Option<Vec<u64>> = real_ns.iter().map(outside).collect();
        simulated_ns.truncate(real.len());
        Self {
            event: change.events.join(", "),
            window_ns: change.window_ns,
            range_ns: (soonest, latest),
            outside_ns: outside.and_then(|all| all.into_iter().max()),
            simulated_ns,
            real_ns,
        }
    }
}

/// A ring under each law.
pub fn cases() -> Result<Vec<Case>, CliError> {
    let mut ring = RING.to_owned();
    for (number, (station, demand)) in CHANGES.iter().enumerate() {
        let (at, flow) = (number + 1, format!("from-{station}"));
        let event =
            format!("\n[[event]]\nat = \"{at} s\"\nkind = \"demand\"\nflow = \"{flow}\"\ndemand = \"{demand}\"\n");
        ring.push_str(&event);
    }
    let case = |law: &str| Case {
        part: Part::ComeAndGo,
        name: "four that come and go".to_owned(),
        law: law.to_owned(),
        tcp: None,
        toml: ring.replace("LAW", law),
        link_bps: 100e6,
        simulated: SEEDS,
        simulated_most: MANY_SEEDS,
        real: RUNS,
        most: RUNS,
        bears: "disturbed",
        at_once: 1,
        disturbance: None,
        limit: Limit::FairAgain,
        fair_within: None,
        packet_bps: 0.0,
        is_quick: law == "dvsr-plus",
    };
    Ok(LAWS.into_iter().map(case).collect())
}

/// A first look: one run.
pub fn quick(cases: Vec<Case>) -> Vec<Case> {
    cases.into_iter().map(|case| Case { real: 1, most: 1, ..case }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(times: &[Option<u64>]) -> RunMeasured {
        let change = |time: &Option<u64>| ChangeSeen {
            events: vec!["a change".to_owned()],
            window_ns: 20,
            fair_again_ns: *time,
        };
        RunMeasured { flows: Vec::new(), jain: None, real: None, changes: times.iter().map(change).collect() }
    }

    /// What runs of each kind say of one change.
    fn row(simulated: &[Option<u64>], real: &[Option<u64>]) -> ChangeRow {
        let runs = |times: &[Option<u64>]| times.iter().map(|time| seen(&[*time])).collect::<Vec<_>>();
        ChangeRow::all(&runs(simulated), &runs(real)).remove(0)
    }

    #[test]
    fn each_run_is_held_to_the_range_of_its_seeds_from_both_sides() {
        let seeds = [Some(100), Some(200)];
        let near = row(&seeds, &[Some(80), Some(150), Some(220)]);
        assert_eq!((near.outside_ns, near.is_near()), (Some(20), true));
        for far in [79, 221] {
            let far = row(&seeds, &[Some(150), Some(far)]);
            assert_eq!((far.outside_ns, far.is_near()), (Some(21), false));
        }
    }

    #[test]
    fn who_is_never_fair_again_is_near_where_a_seed_is_not_either() {
        let swings = row(&[Some(100), None], &[None, Some(500)]);
        assert_eq!((swings.range_ns, swings.outside_ns), ((Some(100), None), Some(0)));
        assert!(!row(&[Some(100), None], &[Some(79)]).is_near());
        assert_eq!(row(&[Some(100), Some(200)], &[None, Some(100)]).outside_ns, None);
        assert_eq!(row(&[None, None], &[Some(100)]).outside_ns, None);
        assert!(row(&[None, None], &[None]).is_near());
    }

    #[test]
    fn changes_are_told_one_by_one_beside_simulated_runs_of_the_same_seeds() {
        let simulated = [seen(&[Some(1), Some(2)]), seen(&[Some(3), Some(4)])];
        let rows = ChangeRow::all(&simulated, &[seen(&[Some(5), None])]);
        let times: Vec<_> = rows.iter().map(|row| (row.simulated_ns.clone(), row.real_ns.clone())).collect();
        assert_eq!(times, [(vec![Some(1)], vec![Some(5)]), (vec![Some(2)], vec![None])]);
        assert_eq!(rows[1].range_ns, (Some(2), Some(4)));
    }
}
