//! How far mean shares move from one kind of run to another.

use serde::Serialize;

/// What is surely so is so by this many standard errors: many flows are looked at, time and again.
const SURE: f64 = 3.0;

/// Whether shares stay within what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No flow's mean share moves more, surely.
    Within,
    /// That of some flow moves more, surely.
    Beyond,
    /// More seeds would have to tell.
    Open,
}

/// By flow: mean and spread of the differences between two runs of a seed.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    runs: u32,
    flows: Vec<Spread>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    mean: f64,
    /// The sum of squared distances from the mean.
    squares: f64,
}

impl Moves {
    /// What each flow got of its link in a run that was as `usual` and in the other.
    pub fn add(&mut self, usual: &[f64], other: &[f64]) {
        self.runs += 1;
        self.flows.resize(usual.len(), Spread::default());
        for (flow, (usual, other)) in self.flows.iter_mut().zip(usual.iter().zip(other)) {
            let off = other - usual - flow.mean;
            flow.mean += off / f64::from(self.runs);
            flow.squares += off * (other - usual - flow.mean);
        }
    }

    /// Pairs of runs.
    pub const fn runs(&self) -> u32 {
        self.runs
    }

    /// How far the mean share of the flow moved that moved most, and the standard error of that.
    pub fn largest(&self) -> (f64, f64) {
        let moves = self.flows.iter().map(|flow| (flow.mean.abs(), self.error(flow)));
        moves.max_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((0.0, 0.0))
    }

    /// Whether all flows' shares stay `within` a part of their link. Two pairs of runs tell nothing yet.
    pub fn verdict(&self, within: f64) -> Verdict {
        let off = |flow: &Spread, errors: f64| flow.mean.abs() + errors * self.error(flow);
        match &self.flows[..] {
            _ if self.runs < 3 => Verdict::Open,
            flows if flows.iter().any(|flow| off(flow, -SURE) > within) => Verdict::Beyond,
            flows if flows.iter().all(|flow| off(flow, SURE) <= within) => Verdict::Within,
            _ => Verdict::Open,
        }
    }

    fn error(&self, flow: &Spread) -> f64 {
        let runs = f64::from(self.runs);
        (flow.squares / (runs - 1.0).max(1.0) / runs.max(1.0)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(of_flow: &[f64]) -> Moves {
        let mut moves = Moves::default();
        of_flow.iter().for_each(|by| moves.add(&[0.5, 0.25], &[0.5 + by, 0.25]));
        moves
    }

    #[test]
    fn means_have_errors() {
        let moves = moves(&[0.02, -0.04, 0.14]);
        let (mean, error) = moves.largest();
        let deviations = [0.02f64, -0.08, 0.10].map(|off| off * off).iter().sum::<f64>();
        assert!((mean - 0.04).abs() < 1e-12 && (error - (deviations / 2.0 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(moves.runs(), 3);
        assert_eq!(Moves::default().largest(), (0.0, 0.0));
    }

    /// Differences of 2, 4 and 6 points: 4 in the mean, their standard deviation 2, the error of their mean 2/√3.
    #[test]
    fn verdicts_wait_until_it_is_sure() {
        let moves = moves(&[0.02, 0.04, 0.06]);
        let error = 0.02 / 3f64.sqrt();
        assert_eq!(moves.verdict(0.04 + 3.01 * error), Verdict::Within);
        assert_eq!(moves.verdict(0.04 + 2.99 * error), Verdict::Open);
        assert_eq!(moves.verdict(0.04 - 2.99 * error), Verdict::Open);
        assert_eq!(moves.verdict(0.04 - 3.01 * error), Verdict::Beyond);
    }

    /// Pairs differ by what makes them differ and not by their seeds.
    #[test]
    fn what_seeds_have_in_common_is_no_move() {
        let mut moves = Moves::default();
        [0.1, 0.9, 0.4].iter().for_each(|share| moves.add(&[*share], &[*share]));
        assert_eq!(moves.verdict(0.0), Verdict::Within);
        assert_eq!(Moves::default().verdict(1.0), Verdict::Open);
    }
}
