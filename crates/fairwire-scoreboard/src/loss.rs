//! How laws bear it that control frames get lost.
//!
//! Random rings of ten times the capacity and demands, so that a lap holds a thousand packets: on rings of a hundred the noise
//! of single packets hides what a lost frame does. One flow begins when all others are settled. The time until all
//! rates are fair is measured from there: with no frame lost, with one lost on each ringlet at that instant, and with some part of all
//! frames lost on every link from the beginning of the run. By itself a lost frame is looked at where it is lost half way from there to
//! the end, when all flows are settled.

use crate::board::short_hash;
use crate::measure::{laps_to_fair_after, longest_unfair_laps};
use crate::tables::{Table, laps};
use crate::{Board, Case, RandomRing, Rates, ScoreError, Store};
use fairwire_core::{Bytes, Instant, Ringlet, Span};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::{Arrivals, ControlPlan, LostFrame, RingPlan};
use fairwire_results::measures::percentile;
use fairwire_sim::simulate_watched;
use fairwire_sweep::{Key, Record, Records, side_by_side};
use serde::{Deserialize, Serialize};

/// Packets of a lap, in units of those on the rings of the sample.
const TIMES: u64 = 10;
/// The last flow begins after so many laps.
const SETTLED_LAPS: u64 = 100;
/// The run ends so many laps later.
const JUDGED_LAPS: u64 = 150;
/// Parts of all frames that are lost.
const LOST: [f64; 2] = [0.01, 0.1];
/// What is fair enough, as a part of the fair rate.
const WITHIN: f64 = 0.05;

/// What one law did on one ring: laps from the begin of the last flow until all flows are within 5 % for good; none if never.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LossScore {
    /// What was run by what: ring, law with its parameters, build.
    key: String,
    /// The ring.
    pub case: String,
    /// The law.
    pub law: String,
    /// No frame is lost.
    pub none: Option<f64>,
    /// One is lost on each ringlet when the last flow begins.
    pub one: Option<f64>,
    /// One is lost on each ringlet when all are settled: laps from there on.
    pub one_settled: Option<f64>,
    /// One in a hundred is lost.
    pub percent_1: Option<f64>,
    /// Of these laps, once all flows have been within 5 %: the longest time in which some flow was not; none if they never are.
    pub longest_at_percent_1: Option<f64>,
    /// One in ten is lost.
    pub percent_10: Option<f64>,
}

impl Record for LossScore {
    const NAME: &'static str = "losses";

    fn key(&self) -> Key {
        Key::of_words(&self.key)
    }
}

/// The largest number of rings that [`Board::losses`] is meant for.
pub const LOSS_RINGS: u64 = 12;

impl Board {
    /// Runs every law on the random rings `0..rings` with lost frames, on all cores. `watch` is told how far a run is, by its
    /// position among all rings and laws; when it answers `false` what is running is given up, and what is finished is
    /// returned. What `kept` holds is not run again.
    ///
    /// # Errors
    /// The first run that fails.
    pub fn losses(
        &self,
        rings: u64,
        store: &Store,
        kept: &Records<LossScore>,
        watch: &(dyn Fn(usize, f64) -> bool + Sync),
    ) -> Result<Vec<LossScore>, ScoreError> {
        let jobs: Vec<(u64, usize)> =
            (0..rings).flat_map(|ring| (0..self.laws.len()).map(move |law| (ring, law))).collect();
        let rings = side_by_side(0..rings, |number| {
            let case = Case::named(&format!("ring-{number}"))?;
            Ok::<_, ScoreError>((RandomRing::new(number)?, self.rates(&case, store)?))
        })?;
        let scores = side_by_side(jobs.into_iter().enumerate(), |(position, (ring, law))| {
            let (ring, rates) = &rings[ring as usize];
            let law = &self.laws[law];
            let case = format!("ring-{}", ring.number);
            let key = format!("{case} {} {} {}", law.about().name, short_hash(law), self.build);
            kept.get_or_make(Key::of_words(&key), || {
                score(key.clone(), ring, rates, law, &mut |fraction| watch(position, fraction))
            })
        })?;
        Ok(scores.into_iter().flatten().collect())
    }
}

/// None if `watch` stopped it.
fn score(
    key: String,
    ring: &RandomRing,
    rates: &Rates,
    law: &RingLawChoice,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Option<LossScore>, ScoreError> {
    let case = format!("ring-{}", ring.number);
    let (plan, rates) = (enlarged(ring, law), rates.times(TIMES as f64));
    let begins_at = Instant::ZERO + plan.lap() * SETTLED_LAPS;
    let settled_at = begins_at + plan.lap() * (JUDGED_LAPS / 2);
    let name = law.about().name;
    let one = |at| {
        let lost = |ringlet| LostFrame { at, ringlet, from: fairwire_core::StationId(0) };
        ControlPlan { lost: Ringlet::BOTH.map(lost).to_vec(), ..ControlPlan::default() }
    };
    let part = |loss| ControlPlan { loss, ..ControlPlan::default() };
    let controls = [ControlPlan::default(), one(begins_at), one(settled_at), part(LOST[0]), part(LOST[1])];
    let mut records = Vec::with_capacity(controls.len());
    let runs = controls.len() as f64;
    for (number, control) in controls.into_iter().enumerate() {
        let plan = RingPlan { control, ..plan.clone() };
        let mut was_cut = false;
        let record = simulate_watched(&plan, law, &mut |fraction| {
            was_cut = !watch((number as f64 + fraction) / runs);
            !was_cut
        });
        let record = record.map_err(|source| ScoreError::Plan { case: case.clone(), law: name, source })?;
        if was_cut {
            return Ok(None);
        }
        if let Some(violation) = record.violations.first() {
            return Err(ScoreError::Invariant { case, law: name, violation: violation.clone() });
        }
        records.push(record);
    }
    let laps = |run: usize, event| laps_to_fair_after(&plan, &records[run], &rates, WITHIN, event);
    Ok(Some(LossScore {
        key,
        case,
        law: name.to_owned(),
        none: laps(0, begins_at),
        one: laps(1, begins_at),
        one_settled: laps(2, settled_at),
        percent_1: laps(3, begins_at),
        longest_at_percent_1: longest_unfair_laps(&plan, &records[3], &rates, WITHIN, begins_at),
        percent_10: laps(4, begins_at),
    }))
}

/// The ring with ten times the capacity and demands. The first of the flows with most hops begins late.
fn enlarged(ring: &RandomRing, law: &RingLawChoice) -> RingPlan {
    let scenario = ring.scenario.with_law(law.clone());
    let mut plan = scenario.ring_plan(0).unwrap_or_else(|| unreachable!("a random ring is a ring"));
    let lap = plan.lap();
    let times = |rate: fairwire_core::BitRate| fairwire_core::BitRate::from_bps(rate.as_bps() * TIMES);
    for link in plan.links.iter_mut().flatten() {
        link.capacity = times(link.capacity);
    }
    plan.transit.buffer = Bytes::new(plan.transit.buffer.get() * TIMES);
    plan.station_buffer = Bytes::new(plan.station_buffer.get() * TIMES);
    for flow in &mut plan.flows {
        if let Some(traffic) = flow.offer.datagrams_mut()
            && let Arrivals::Cbr { rate, .. } = &mut traffic.arrivals
        {
            *rate = times(*rate);
        }
    }
    let stations = plan.stations.len();
    let late =
        plan.flows.iter_mut().rev().max_by_key(|flow| flow.ringlet.hops(flow.from.index(), flow.to.index(), stations));
    late.into_iter().for_each(|flow| flow.start = Instant::ZERO + lap * SETTLED_LAPS);
    plan.warmup = Span::ZERO;
    plan.duration = lap * (SETTLED_LAPS + JUDGED_LAPS);
    plan
}

/// The table: median over the rings, in brackets the 90th percentile, and how many never are.
pub fn loss_table(scores: &[LossScore]) -> Table {
    let mut laws: Vec<&str> = Vec::new();
    for score in scores {
        if !laws.contains(&score.law.as_str()) {
            laws.push(&score.law);
        }
    }
    let columns: [fn(&LossScore) -> Option<f64>; 6] = [
        |score| score.none,
        |score| score.one,
        |score| score.one_settled,
        |score| score.percent_1,
        |score| score.longest_at_percent_1,
        |score| score.percent_10,
    ];
    let row = |law: &&str| {
        let own = || scores.iter().filter(|score| score.law == **law);
        let cells = columns.iter().map(|column| cell(own().map(column).collect()));
        std::iter::once((*law).to_owned()).chain(cells).collect()
    };
    let rings = laws.first().map_or(0, |first| scores.iter().filter(|score| score.law == **first).count());
    Table {
        title: format!(
            "{rings} random rings of 1000 packets a lap: laps until fair within 5 % after a flow begins, by control frames lost"
        ),
        header: ["law", ">none", ">one", ">one, settled", ">1 %", ">longest at 1 %", ">10 %"]
            .map(str::to_owned)
            .to_vec(),
        rows: laws.iter().map(row).collect(),
    }
}

fn cell(times: Vec<Option<f64>>) -> String {
    let mut sorted: Vec<f64> = times.iter().map(|time| time.unwrap_or(f64::INFINITY)).collect();
    sorted.sort_by(f64::total_cmp);
    let [middle, most] = [0.5, 0.9].map(|part| percentile(&sorted, part).unwrap_or(f64::INFINITY));
    match times.iter().filter(|time| time.is_none()).count() {
        0 => format!("{} ({})", laps(middle), laps(most)),
        never if never == times.len() => "never".to_owned(),
        never if middle.is_infinite() => format!("never on {never}"),
        never => format!("{} ({}), never on {never}", laps(middle), laps(most)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_tell_median_and_worst_and_who_never_is_fair() {
        assert_eq!(cell((1..=10).map(|laps| Some(f64::from(laps))).collect()), "5.0 (9.0)");
        assert_eq!(cell(vec![Some(2.0), Some(1.0), None]), "2.0 (never), never on 1");
        assert_eq!(cell(vec![Some(2.0), None, None]), "never on 2");
        assert_eq!(cell(vec![None, None]), "never");
    }
}
