//! How far apart simulated and real runs are, and whether that is close enough.

use super::case::{Case, Limit, Part};
use super::come_and_go::ChangeRow;
use super::command::{How, RunMeasured};
use super::gateways::marks;
use super::runs::CaseOutcome;
use serde::Serialize;

/// A case as it came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What it is about.
    pub part: Part,
    /// The scenario, and what was changed in it.
    pub case: String,
    /// The law.
    pub law: String,
    /// The flows.
    pub flows: Vec<FlowRow>,
    /// The largest distance between a flow's real and its simulated rate, over the capacity of a link: to the mean of the
    /// simulated seeds, or where those have not come to rest to the nearest of them. None where nothing was simulated.
    pub apart: Option<f64>,
    /// The same of those real runs alone that say of themselves that they were undisturbed, where each run is held to its limit.
    pub apart_undisturbed: Option<f64>,
    /// Simulated runs that it is held to.
    pub seeds: usize,
    /// Whether the simulated seeds agree among themselves.
    pub rests: bool,
    /// The largest distance between a flow's real rate and its fair one, over the fair one; of rings less what a packet makes.
    pub off_fair: f64,
    /// Jain's index of rates over fair rates, simulated.
    pub jain_simulated: Option<f64>,
    /// The same with real packets.
    pub jain_real: Option<f64>,
    /// Packets marked in real runs.
    pub marked: u64,
    /// What changes of demands led to.
    pub changes: Vec<ChangeRow>,
    /// Whether it is close enough; none where nothing is asked, or nothing can be said.
    pub holds: Option<bool>,
    /// What each real run says of itself.
    pub real: Vec<How>,
}

/// A flow, as the mean of its runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowRow {
    /// Its name.
    pub id: String,
    /// What is fair.
    pub fair_bps: f64,
    /// Simulated; none where nothing was.
    pub simulated_bps: Option<f64>,
    /// The slowest and the fastest simulated seed.
    pub range_bps: Option<(f64, f64)>,
    /// Real.
    pub real_bps: f64,
}

impl FlowRow {
    /// How far real is from simulated, in bit/s: from the mean, or from the range.
    fn apart(&self, of_means: bool) -> Option<f64> {
        match (self.simulated_bps?, self.range_bps?) {
            (mean, _) if of_means => Some((self.real_bps - mean).abs()),
            (_, (low, high)) => Some((low - self.real_bps).max(self.real_bps - high).max(0.0)),
        }
    }

    /// Whether the means of a gateway's flow are near each other.
    fn is_near(&self) -> bool {
        let (part, least) = Limit::FLOW;
        self.simulated_bps.is_none_or(|simulated| (self.real_bps - simulated).abs() <= (part * simulated).max(least))
    }
}

impl Row {
    /// What came of a case.
    pub fn of(case: &Case, found: &CaseOutcome) -> Option<Self> {
        let first = found.real.first()?;
        // There is no simulation of another TCP than the scenario's.
        let simulated: &[RunMeasured] = if case.tcp.is_some() { &[] } else { &found.simulated };
        let flow = |index: usize| {
            let rates = |runs: &[RunMeasured]| {
                runs.iter().filter_map(|run| Some(run.flows.get(index)?.rate_bps)).collect::<Vec<_>>()
            };
            let (own, twin) = (rates(&found.real), rates(simulated));
            let low_high =
                || (twin.iter().copied().fold(f64::INFINITY, f64::min), twin.iter().copied().fold(0.0, f64::max));
            FlowRow {
                id: first.flows[index].id.clone(),
                fair_bps: first.flows[index].fair_rate_bps,
                simulated_bps: (!twin.is_empty()).then(|| mean(&twin)),
                range_bps: (!twin.is_empty()).then(low_high),
                real_bps: mean(&own),
            }
        };
        let flows: Vec<FlowRow> = (0..first.flows.len()).map(flow).collect();
        let spread =
            |flow: &FlowRow| flow.range_bps.is_none_or(|(low, high)| high - low <= Limit::REST * case.link_bps);
        let rests = flows.iter().all(spread);
        let most = |values: &mut dyn Iterator<Item = Option<f64>>| values.flatten().reduce(f64::max);
        let of_means = rests || matches!(case.limit, Limit::MeanOfLink(_));
        let of_each = |verdict: &str| {
            most(&mut found.real.iter().filter(|run| !run.is_worse_than(verdict)).map(|run| {
                let own = flows.iter().zip(&run.flows);
                most(&mut own.map(|(flow, seen)| FlowRow { real_bps: seen.rate_bps, ..flow.clone() }.apart(rests)))
            }))
        };
        let (apart, apart_undisturbed) = match case.limit {
            Limit::EachRun(_) => (of_each("disturbed"), of_each("undisturbed")),
            _ => (most(&mut flows.iter().map(|flow| flow.apart(of_means))), None),
        };
        let [apart, apart_undisturbed] = [apart, apart_undisturbed].map(|apart| apart.map(|bps| bps / case.link_bps));
        let off = |flow: &FlowRow| ((flow.real_bps - flow.fair_bps).abs() - case.packet_bps).max(0.0) / flow.fair_bps;
        let off_fair = flows.iter().map(off).fold(0.0, f64::max);
        let jain = |runs: &[RunMeasured]| {
            let all: Vec<f64> = runs.iter().filter_map(|run| run.jain).collect();
            (!all.is_empty()).then(|| mean(&all))
        };
        let real: Vec<How> = found.real.iter().filter_map(|seen| seen.real.clone()).collect();
        let marked = found.real.iter().flat_map(|run| &run.flows).map(|flow| flow.marked).sum();
        let mut row = Self {
            part: case.part,
            case: case.name.clone(),
            law: case.law.clone(),
            flows,
            apart,
            apart_undisturbed,
            seeds: simulated.len(),
            rests,
            off_fair,
            jain_simulated: jain(simulated),
            jain_real: jain(&found.real),
            marked,
            changes: ChangeRow::all(simulated, &found.real),
            holds: None,
            real,
        };
        let is_asked = matches!(case.limit, Limit::EachRun(_)) || !row.real.iter().any(How::is_invalid);
        row.holds = if is_asked { row.judged(case) } else { None };
        Some(row)
    }

    fn judged(&self, case: &Case) -> Option<bool> {
        let near = match case.limit {
            Limit::OfLink(limit) | Limit::MeanOfLink(limit) => self.apart? <= limit,
            // Runs that are all invalid show nothing, good or bad.
            Limit::EachRun(limit) => self.apart? <= limit,
            Limit::OfFair(limit) => self.off_fair <= limit,
            Limit::FirstOfLink(limit) => {
                let first = self.flows.first()?;
                (first.real_bps - first.simulated_bps?).abs() <= limit * case.link_bps
            }
            Limit::Gateway => {
                let jain = (self.jain_real? - self.jain_simulated?).abs() <= Limit::JAIN;
                jain && self.flows.iter().all(FlowRow::is_near) && (self.marked > 0) == marks(case)
            }
            Limit::FairAgain => self.changes.iter().all(ChangeRow::is_near),
            Limit::Shown => return None,
        };
        Some(near && case.fair_within.is_none_or(|limit| self.off_fair <= limit))
    }

    /// The flow of which real and simulated are farthest apart in proportion to what is allowed.
    pub fn farthest(&self) -> Option<&FlowRow> {
        let off = |flow: &&FlowRow| {
            let simulated = flow.simulated_bps.unwrap_or(flow.real_bps);
            (flow.real_bps - simulated).abs() / (Limit::FLOW.0 * simulated).max(Limit::FLOW.1)
        };
        self.flows.iter().max_by(|one, other| off(one).total_cmp(&off(other)))
    }

    /// The worst that its runs say of themselves.
    pub fn verdict(&self) -> &str {
        let has = |verdict: &str| self.real.iter().any(|how| how.verdict == verdict);
        ["invalid", "disturbed"].into_iter().find(|verdict| has(verdict)).unwrap_or("undisturbed")
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::super::command::FlowMeasured;
    use super::*;

    fn seen(rates: &[f64], verdict: Option<&str>) -> RunMeasured {
        let flow = |(number, rate): (usize, &f64)| FlowMeasured {
            id: format!("flow-{number}"),
            rate_bps: rate * 1e6,
            fair_rate_bps: 25e6,
            marked: 0,
        };
        let how = |verdict: &str| How {
            verdict: verdict.to_owned(),
            why: Vec::new(),
            lateness_p99_ns: 0,
            stood_still_ns: 0,
            cpu: 0.0,
            repeated: 0,
        };
        RunMeasured {
            flows: rates.iter().enumerate().map(flow).collect(),
            jain: Some(0.9),
            real: verdict.map(how),
            changes: Vec::new(),
        }
    }

    fn row(limit: Limit, simulated: &[&[f64]], real: &[f64], verdict: &str) -> Row {
        let case = Case {
            part: Part::Rings,
            name: "lot".to_owned(),
            law: "fifo".to_owned(),
            tcp: None,
            toml: String::new(),
            link_bps: 100e6,
            simulated: 2,
            simulated_most: 2,
            real: 1,
            most: 1,
            bears: "disturbed",
            at_once: 1,
            disturbance: None,
            limit,
            fair_within: None,
            packet_bps: 0.0,
            is_quick: false,
        };
        let simulated = simulated.iter().map(|rates| seen(rates, None)).collect();
        Row::of(&case, &CaseOutcome { simulated, real: vec![seen(real, Some(verdict))] }).expect("a real run")
    }

    fn near(value: Option<f64>, wanted: f64) -> bool {
        value.is_some_and(|value| (value - wanted).abs() < 1e-9)
    }

    #[test]
    fn a_law_at_rest_is_held_to_its_mean_from_both_sides() {
        let at_rest: &[&[f64]] = &[&[24.9, 25.1], &[25.1, 24.9]];
        let close = row(Limit::OfLink(0.01), at_rest, &[25.9, 24.1], "undisturbed");
        assert!(close.rests && near(close.apart, 0.009) && close.holds == Some(true), "{close:?}");
        let far = row(Limit::OfLink(0.01), at_rest, &[26.1, 25.0], "disturbed");
        assert!(near(far.apart, 0.011) && far.holds == Some(false), "{far:?}");
    }

    #[test]
    fn a_law_that_never_rests_is_held_to_the_range_of_its_seeds() {
        let swings: &[&[f64]] = &[&[20.0, 30.0], &[28.0, 22.0]];
        let inside = row(Limit::OfLink(0.01), swings, &[27.9, 22.1], "undisturbed");
        assert!(!inside.rests && near(inside.apart, 0.0) && inside.holds == Some(true), "{inside:?}");
        let outside = row(Limit::OfLink(0.01), swings, &[30.0, 20.0], "undisturbed");
        assert!(near(outside.apart, 0.02) && outside.holds == Some(false), "{outside:?}");
    }

    #[test]
    fn of_a_lottery_the_means_are_compared() {
        let swings: &[&[f64]] = &[&[20.0, 30.0], &[28.0, 22.0]];
        let row = row(Limit::MeanOfLink(0.02), swings, &[27.0, 23.0], "undisturbed");
        assert!(!row.rests && near(row.apart, 0.03) && row.holds == Some(false), "{row:?}");
    }

    #[test]
    fn each_disturbed_run_is_near_or_says_that_it_is_invalid() {
        let at_rest: &[&[f64]] = &[&[25.0], &[25.0]];
        let row = |real, verdict| row(Limit::EachRun(0.01), at_rest, &[real], verdict);
        assert_eq!(row(25.9, "disturbed").holds, Some(true));
        assert_eq!(row(26.1, "disturbed").holds, Some(false));
        let invalid = row(99.0, "invalid");
        assert_eq!((invalid.holds, invalid.apart), (None, None));
    }

    #[test]
    fn undisturbed_runs_are_told_by_themselves() {
        let row = |verdict| row(Limit::EachRun(0.01), &[&[25.0], &[25.0]], &[25.9], verdict);
        assert!(near(row("undisturbed").apart_undisturbed, 0.009));
        assert_eq!(row("disturbed").apart_undisturbed, None);
    }

    #[test]
    fn of_an_invalid_run_nothing_is_said() {
        let row = row(Limit::OfLink(0.01), &[&[25.0]], &[25.0], "invalid");
        assert_eq!((row.holds, row.verdict()), (None, "invalid"));
    }

    #[test]
    fn a_flow_of_a_gateway_may_be_15_percent_off_or_300_kilobits() {
        let row = |real| row(Limit::Gateway, &[&[10.0, 1.0]], real, "undisturbed").holds;
        assert_eq!(row(&[11.4, 1.29]), Some(true));
        assert_eq!(row(&[11.6, 1.0]), Some(false));
        assert_eq!(row(&[10.0, 1.31]), Some(false));
        assert_eq!(row(&[10.0, 0.69]), Some(false));
    }

    #[test]
    fn what_is_asked_of_fair_shares_is_asked_of_every_flow() {
        let row = |real| row(Limit::OfFair(0.02), &[&[25.0, 25.0]], real, "undisturbed").holds;
        assert_eq!((row(&[25.4, 24.6]), row(&[25.6, 25.0])), (Some(true), Some(false)));
    }
}
