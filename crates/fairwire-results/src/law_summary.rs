//! The replications of one law as one: means, and how sure they are.

use crate::measures::Interval;
use crate::summary::RunSummary;
use serde::Serialize;

/// What the runs of one law have in common; as JSON one element of `"summary"`
/// in the answer of `fairwire run` with several replications.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LawSummary {
    /// The law.
    pub law: String,
    /// How many runs there are.
    pub runs: usize,
    /// Flows in the order they were declared.
    pub flows: Vec<FlowInterval>,
    /// Jain's index of the flows' ratios.
    pub jain: Interval,
    /// Part of the busiest link's capacity that was used.
    pub utilisation: Interval,
    /// The links of a network that carried anything in every run; empty for a ring.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkInterval>,
}

/// One flow over all runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowInterval {
    /// Its name.
    pub id: String,
    /// Mean rate delivered after the warm-up.
    pub rate_bps: Interval,
    /// Rate over fair rate; none where there is no fair rate.
    pub ratio: Option<Interval>,
    /// Mean time of its transfers; none where it finished none in some run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer_mean_s: Option<Interval>,
}

/// One link over all runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkInterval {
    /// Its name.
    pub id: String,
    /// Part of its capacity that was used.
    pub utilisation: Interval,
    /// Packets waiting on average over time.
    pub mean_queue_packets: Interval,
    /// Mean time in the queue; none where nothing left it in some run.
    pub waiting_mean_ns: Option<Interval>,
}

/// A summary a law, in the order in which laws first appear.
pub fn law_summaries(runs: &[&RunSummary]) -> Vec<LawSummary> {
    let mut laws: Vec<(&str, Vec<&RunSummary>)> = Vec::new();
    for &run in runs {
        match laws.iter_mut().find(|(law, _)| *law == run.law) {
            Some((_, known)) => known.push(run),
            None => laws.push((&run.law, vec![run])),
        }
    }
    laws.into_iter().map(|(law, runs)| LawSummary::of(law, &runs)).collect()
}

impl LawSummary {
    fn of(law: &str, runs: &[&RunSummary]) -> Self {
        let first = runs[0];
        let flow = |(number, flow): (usize, &crate::FlowSummary)| {
            let of = |get: &dyn Fn(&crate::FlowSummary) -> Option<f64>| over(runs, |run| get(run.flows.get(number)?));
            FlowInterval {
                id: flow.id.clone(),
                rate_bps: of(&|flow| Some(flow.rate_bps)).unwrap_or_else(|| Interval::of(&[])),
                ratio: of(&|flow| flow.ratio),
                transfer_mean_s: of(&|flow| flow.transfers?.mean_s),
            }
        };
        let link = |link: &crate::LinkSummary| {
            let of = |get: &dyn Fn(&crate::LinkSummary) -> Option<f64>| {
                over(runs, |run| get(run.links.iter().find(|known| known.id == link.id)?))
            };
            Some(LinkInterval {
                id: link.id.clone(),
                utilisation: of(&|link| Some(link.utilisation))?,
                mean_queue_packets: of(&|link| Some(link.mean_queue_packets))?,
                waiting_mean_ns: of(&|link| link.waiting_mean_ns),
            })
        };
        let all = |get: fn(&RunSummary) -> f64| Interval::of(&runs.iter().map(|run| get(run)).collect::<Vec<_>>());
        Self {
            law: law.to_owned(),
            runs: runs.len(),
            flows: first.flows.iter().enumerate().map(flow).collect(),
            jain: all(|run| run.jain),
            utilisation: all(|run| run.utilisation),
            links: first.links.iter().filter_map(link).collect(),
        }
    }
}

/// The interval of a value that every run has.
fn over(runs: &[&RunSummary], get: impl Fn(&RunSummary) -> Option<f64>) -> Option<Interval> {
    runs.iter().map(|run| get(run)).collect::<Option<Vec<f64>>>().map(|values| Interval::of(&values))
}
