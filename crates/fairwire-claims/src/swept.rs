//! Sweeps of shipped scenarios, planned and run as `fairwire sweep` plans and runs them: what a claim measures is what the command
//! writes into `runs.parquet` and `points.parquet`.

use crate::kept::RecordCache;
use crate::runs::Trouble;
use fairwire_scenario::Scenario;
use fairwire_sweep::{Estimate, Job, Key, Plan, Rule, RunLine, Task, estimate, side_by_side};
use std::sync::Arc;

/// A key and its value as `--set` takes it, or as a point has it.
pub type Setting<'a> = (&'a str, &'a str);

/// A sweep whose points are run when somebody asks for them.
pub struct Swept {
    plan: Plan,
}

/// One point of it.
#[derive(Clone, Copy)]
pub struct SweptPoint<'a> {
    plan: &'a Plan,
    at: usize,
}

impl Swept {
    /// The sweep of a scenario with these settings, as `fairwire sweep FILE --set KEY=VALUE` plans it.
    pub fn of(scenario: &Scenario, settings: &[Setting<'_>]) -> Result<Self, Trouble> {
        let whole = scenario.sweep_points().map_err(|errors| errors.to_string())?;
        let (name, text) = whole.file();
        let settings: Vec<(String, String)> =
            settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let set = Scenario::parse_with(name, text, &settings).and_then(|scenario| scenario.sweep_points());
        let plan = Plan::new(set.map_err(|errors| errors.to_string())?).map_err(|error| error.to_string())?;
        match plan.rule {
            Rule::Replications => Ok(Self { plan }),
            Rule::Until { .. } => Err("a claim is measured over a number of runs that is known before".to_owned()),
        }
    }

    /// The points at which these keys have these values, in order.
    pub fn points(&self, set: &[Setting<'_>]) -> Result<Vec<SweptPoint<'_>>, Trouble> {
        let all = (0..self.plan.points.len()).map(|at| SweptPoint { plan: &self.plan, at });
        let chosen: Vec<SweptPoint<'_>> = all.filter(|point| set.iter().all(|wanted| point.has(*wanted))).collect();
        if chosen.is_empty() { Err(format!("no point of the sweep has {set:?}")) } else { Ok(chosen) }
    }

    /// The first of them.
    pub fn point(&self, set: &[Setting<'_>]) -> Result<SweptPoint<'_>, Trouble> {
        Ok(self.points(set)?[0])
    }
}

impl SweptPoint<'_> {
    /// Whether a key has this value.
    fn has(&self, (key, value): Setting<'_>) -> bool {
        self.plan.sweep.labels(self.at).iter().any(|(swept, label)| swept == key && label == value)
    }

    /// What a swept key is set to, in its base unit (ns, bit/s, bytes, packets).
    pub fn number(&self, key: &str) -> Result<f64, Trouble> {
        let (sweep, at) = (&self.plan.sweep, self.at);
        let mut chosen = sweep.axes().iter().zip(sweep.choices(at));
        let found = chosen.find(|(axis, _)| axis.key == key);
        let number = found.and_then(|(axis, choice)| axis.unit.read(&axis.values[choice]));
        number.ok_or_else(|| format!("`{key}` is not swept over numbers"))
    }

    /// The scenario there.
    pub fn scenario(&self) -> Result<Scenario, Trouble> {
        self.plan.scenario(self.at).map_err(|error| error.to_string())
    }

    /// What a measure came to over all runs there: a row of `points.parquet`.
    pub fn estimate(&self, measure: &str) -> Result<Estimate, Trouble> {
        let columns = &self.plan.columns(self.at).columns;
        let place = columns.iter().position(|column| column.name == measure);
        let place = place.ok_or_else(|| format!("the sweep does not measure `{measure}`"))?;
        let runs = 0..self.plan.points[self.at].replications;
        let lines = side_by_side(runs, |run| self.line(run))?;
        let values: Vec<Option<f64>> = lines.iter().map(|line| line.values[place]).collect();
        Ok(estimate(columns[place].kind, &values))
    }

    /// The mean of a measure over all runs there.
    pub fn mean(&self, measure: &str) -> Result<f64, Trouble> {
        self.estimate(measure)?.mean.ok_or_else(|| format!("`{measure}` has no value"))
    }

    /// What one run came to: a row of `runs.parquet`.
    fn line(&self, run: u64) -> Result<Arc<RunLine>, Trouble> {
        static RUNS: RecordCache<(Key, u64), RunLine> = RecordCache::new();
        RUNS.run((self.plan.points[self.at].key, run), |_| {
            let task = Task::of(self.plan, &[Job { point: self.at, runs: run..run + 1 }]);
            let line = task.work().map_err(|error| error.to_string())?.lines.pop().ok_or("the run left nothing")?;
            if line.broken == 0 { Ok(line) } else { Err("a run broke an invariant".to_owned()) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs;

    #[test]
    fn a_point_is_what_the_command_runs_there() {
        let short = [("run.duration", "60 ms"), ("run.warmup", "20 ms"), ("sweep.ring.law.lp-coef", "[16, 64]")];
        let swept = Swept::of(&runs::two_flow_loss().unwrap(), &short).unwrap();
        let both = swept.points(&[("ring.law.name", "rpr-aggressive"), ("flow.down.traffic.rate", "75 Mb/s")]).unwrap();
        assert_eq!(both.len(), 2);
        assert_eq!(both[0].number("flow.down.traffic.rate").unwrap(), 75e6);
        let scenario = both[0].scenario().unwrap();
        let law = scenario.law().unwrap();
        let run = runs::run(&scenario, law, 0, fairwire_plan::Detail::Summary).unwrap();
        let ratio = run.shares()[0] * 622.0 / 547.0;
        assert!((both[0].mean("flow.up.ratio").unwrap() - ratio).abs() < 1e-9);
        assert!(both[0].mean("flow.up.rate").is_err() && swept.point(&[("ring.law.name", "fifo")]).is_err());
    }
}
