//! Propositions 2 and 3 over sweeps of demands: who is said to swing, and who does.

use super::{AGGRESSIVE, CONSERVATIVE, LINK, allowed};
use crate::checks::rates_seen::standard_deviation;
use crate::checks::{Claim, Finding, Trouble, allocation::certified};
use crate::runs;
use crate::swept::{Swept, SweptPoint};
use crate::tandem::unit_tandem;
use crate::tolerance::{round, rounded};
use fairwire_alloc::Criterion;
use fairwire_analysis::oscillation::{LinkAnalysis, links};
use fairwire_plan::Detail;
use fairwire_sweep::side_by_side;
use serde_json::{Value, json};

/// Where conservative mode sees congestion, as a part of the link.
const LOW_THRESHOLD: f64 = 0.8;
/// A rate swings if its standard deviation is above this part of the link.
const SWINGS: f64 = 0.01;
/// Points of a grid that are closer than this to where a verdict turns are left out, in parts of the link.
const MARGIN: f64 = 0.05;

/// A point of a sweep: what theory says and what was seen.
struct Verdict {
    demands: Vec<f64>,
    predicted: bool,
    /// What is predicted if only the station at the congested link is heard.
    predicted_by_the_last: bool,
    seen: f64,
}

impl Verdict {
    fn agrees(&self) -> bool {
        self.predicted == (self.seen > SWINGS)
    }

    fn shown(&self) -> Value {
        json!({ "demands": rounded(&self.demands), "predicted": self.predicted, "deviation": round(self.seen) })
    }
}

/// Everybody sends to the station after the last sender.
fn lot(demands: &[f64]) -> Result<Vec<LinkAnalysis>, Trouble> {
    let pairs: Vec<(usize, usize)> = (1..=demands.len()).map(|from| (from, demands.len() + 1)).collect();
    let mut problem = unit_tandem(&pairs);
    problem.flows.iter_mut().zip(demands).for_each(|(flow, demand)| flow.demand_bps = *demand);
    let (_, fair) = certified(&problem, Criterion::Rias)?;
    links(&problem, &fair, LOW_THRESHOLD).map_err(|error| error.to_string())
}

/// Flows of the two sweeps, from the farthest on.
const TWO: [&str; 2] = ["up", "down"];
const FOUR: [&str; 4] = ["from-1", "from-2", "from-3", "from-4"];

/// Runs every point of both sweeps under a law that `clear` finds far enough from where a verdict turns.
fn over_the_grid(
    law: &str,
    predicts: fn(&LinkAnalysis) -> bool,
    clear: fn(&LinkAnalysis) -> bool,
) -> Result<(Vec<Verdict>, usize), Trouble> {
    let verdict = |point: &SweptPoint<'_>, flows: &[&str]| -> Result<Option<Verdict>, Trouble> {
        let demand = |flow: &&str| Ok(point.number(&format!("flow.{flow}.traffic.rate"))? / (LINK * 1e6));
        let demands = flows.iter().map(demand).collect::<Result<Vec<f64>, Trouble>>()?;
        let judged = lot(&demands)?;
        if !judged.iter().all(clear) {
            return Ok(None);
        }
        let scenario = point.scenario()?;
        let law = scenario.law().ok_or("the sweep is not of a ring")?;
        let run = runs::run(&scenario, law, 0, Detail::Full)?;
        let controller = |(station, demand): (usize, &f64)| {
            let used = allowed(&run, station).into_iter().map(|bps| (bps / run.capacity()).min(*demand));
            standard_deviation(&used.collect::<Vec<f64>>())
        };
        let seen = (1..).zip(&demands).map(controller).fold(0.0, f64::max);
        let predicted_by_the_last = judged.iter().any(last_sender_is_smaller);
        Ok(Some(Verdict { predicted: judged.iter().any(predicts), demands, predicted_by_the_last, seen }))
    };
    let (two, four) = (Swept::of(&runs::two_flow_demands()?, &[])?, Swept::of(&runs::parking_lot_demands()?, &[])?);
    let under = [("ring.law.name", law)];
    let (two, four) = (two.points(&under)?, four.points(&under)?);
    let all = two.iter().map(|point| (point, &TWO[..])).chain(four.iter().map(|point| (point, &FOUR[..])));
    let verdicts = side_by_side(all, |(point, flows)| verdict(point, flows))?;
    let points = verdicts.len();
    let kept: Vec<Verdict> = verdicts.into_iter().flatten().collect();
    let left_out = points - kept.len();
    Ok((kept, left_out))
}

/// Proposition 2 with k = j alone: only the station at the congested link announces what it adds.
fn last_sender_is_smaller(link: &LinkAnalysis) -> bool {
    let told = link.aggressive.flows.iter().filter(|flow| flow.party.links_before == 0);
    let told = told.map(|flow| flow.party.entitled_bps()).fold(f64::INFINITY, f64::min);
    let upstream = link.aggressive.flows.iter().filter(|flow| flow.party.links_before > 0);
    link.aggressive.congested && upstream.into_iter().any(|flow| told < flow.party.entitled_bps() - 1e-9)
}

fn agreement(found: (Vec<Verdict>, usize), note: &str) -> Finding {
    let (verdicts, left_out) = found;
    let wrong: Vec<&Verdict> = verdicts.iter().filter(|verdict| !verdict.agrees()).collect();
    let missed = wrong.iter().filter(|verdict| verdict.predicted).count();
    let measured = json!({
        "points": verdicts.len(), "too_near_to_equality": left_out, "agree": verdicts.len() - wrong.len(),
        "predicted_but_at_rest": missed, "swings_unpredicted": wrong.len() - missed,
        "where_they_differ": wrong.iter().take(5).map(|verdict| verdict.shown()).collect::<Vec<_>>(),
    });
    let holds = wrong.is_empty()
        && verdicts.iter().any(|verdict| verdict.predicted)
        && verdicts.iter().any(|verdict| !verdict.predicted);
    Finding::new(measured, holds, note)
}

/// Proposition 2 against rpr-aggressive.
pub fn proposition_two(_claim: &Claim) -> Result<Finding, Trouble> {
    let clear = |link: &LinkAnalysis| {
        let excess = link.demand_bps - link.capacity_bps;
        // The flow that is thrown back farthest decides.
        let margins =
            link.aggressive.flows.iter().filter_map(|flow| Some(flow.party.entitled_bps() - flow.smallest?.rate_bps));
        let decisive = margins.fold(f64::NEG_INFINITY, f64::max);
        excess <= -MARGIN || decisive <= -MARGIN || (excess >= MARGIN && decisive >= MARGIN)
    };
    let found = over_the_grid(AGGRESSIVE.0, |link| link.aggressive.oscillates(), clear)?;
    let by_the_last = found.0.iter().filter(|verdict| verdict.predicted_by_the_last == (verdict.seen > SWINGS)).count();
    let note = format!(
        "{GRID_NOTE}. The proposition takes the smallest sender of all between the flow and the congested link; but who is not \
         congested announces nothing. If only the sender at the congested link is taken, {by_the_last} points agree"
    );
    let mut finding = agreement(found, &note);
    finding.measured["agree_if_only_the_congested_station_is_heard"] = json!(by_the_last);
    Ok(finding)
}

const GRID_NOTE: &str = "all points of the sweeps of two-flow-demands.toml and parking-lot-demands.toml that are far enough from \
    equality, 1.5 s each, packets of 500 B; a flow swings if what its controller allows, or its demand if that is less, has a standard \
    deviation above 1 % of the link after 1 s";

/// Proposition 3, corrected, against rpr-conservative.
pub fn proposition_three(claim: &Claim) -> Result<Finding, Trouble> {
    let clear = |link: &LinkAnalysis| {
        let verdict = &link.conservative;
        let excess = link.load_bps - verdict.low_threshold_bps;
        let entitled = verdict.ingresses.iter().map(|party| party.party.entitled_bps());
        let smaller = verdict.share_bps - entitled.fold(f64::INFINITY, f64::min);
        let cleared = verdict.low_threshold_bps - verdict.throttled_load_bps;
        let least = excess.min(smaller).min(cleared);
        // One condition that clearly fails is enough.
        least <= -MARGIN || least >= MARGIN
    };
    let found = over_the_grid(CONSERVATIVE.0, |link| link.conservative.oscillates(), clear)?;
    let printed_claims = claim.expected.contains_key("condition_2_corrected");
    let note = format!("{GRID_NOTE}; sign corrected");
    let mut finding = agreement(found, &note);
    finding.holds &= printed_claims;
    Ok(finding)
}
