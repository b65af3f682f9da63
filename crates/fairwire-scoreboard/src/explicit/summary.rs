//! What runs come to over networks.

use super::case::Kind;
use super::contest::Run;
use super::measure::Response;
use crate::bootstrap::{estimate_of_groups, p95};
use crate::{Estimate, estimate, mean, median};
use serde::Serialize;

/// All runs, entrant by entrant.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Random networks.
    pub networks: usize,
    /// Over the random networks, an entry an entrant.
    pub entrants: Vec<EntrantSummary>,
    /// On the network of the paper, an entry a case and entrant.
    pub paper: Vec<EntrantSummary>,
}

/// One entrant. Intervals are over networks: those of one network are drawn together.
#[derive(Clone, Debug, Serialize)]
pub struct EntrantSummary {
    /// The entrant.
    pub entrant: String,
    /// The case, if it is one.
    pub case: Option<String>,
    /// Changes that were answered, or not.
    pub changes: usize,
    /// Part of the changes after which all rates were within 1 % for good before the next change.
    pub within_1: Option<Estimate>,
    /// Loops until then; infinite where that never came.
    pub loops_p50: Option<Estimate>,
    /// The same, 95th percentile.
    pub loops_p95: Option<Estimate>,
    /// Milliseconds until then.
    pub ms_p50: Option<Estimate>,
    /// The same, 95th percentile.
    pub ms_p95: Option<Estimate>,
    /// Part of the changes that ended with rates fair to 1e-6, in networks that lose no packets.
    pub exact: Option<Estimate>,
    /// The same in networks that lose packets.
    pub exact_lossy: Option<Estimate>,
    /// The largest relative error of a rate at the end of a change: the median.
    pub error_p50: Option<Estimate>,
    /// Where bandwidth does not fall.
    pub steady: Price,
    /// Where it falls.
    pub falling: Price,
    /// Control packets over all packets: the mean over networks.
    pub control: Option<Estimate>,
    /// The same of the packets of all networks together.
    pub control_in_all: Option<f64>,
    /// The same of the network with the largest part.
    pub control_max: Option<f64>,
    /// Networks in which it is more than 6 %.
    pub control_above_6: usize,
}

/// What rates cost in queues and losses.
#[derive(Clone, Debug, Serialize)]
pub struct Price {
    /// Networks.
    pub networks: usize,
    /// Packets of the longest queue beyond the number of its flows: the 95th percentile over networks.
    pub queue_p95: Option<Estimate>,
    /// The most of all networks.
    pub queue_max: Option<f64>,
    /// Data packets lost in queues over data packets sent, in all networks together.
    pub lost: Option<f64>,
    /// Networks in which a data packet was lost in a queue.
    pub lossy_networks: usize,
}

/// Rates that are fair to this part are exact.
const EXACT: f64 = 1e-6;
/// Control packets are to be no larger a part of all packets.
const MOST_CONTROL: f64 = 0.06;

impl Summary {
    /// Sums up runs.
    pub fn of(runs: &[Run]) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for run in runs {
            if !names.contains(&run.entrant.as_str()) {
                names.push(&run.entrant);
            }
        }
        let is_paper = |run: &&Run| run.kind == Kind::Paper;
        let random: Vec<&Run> = runs.iter().filter(|run| !is_paper(run)).collect();
        let own = |name: &str| random.iter().copied().filter(|run| run.entrant == name).collect::<Vec<_>>();
        let entrants: Vec<_> = names.iter().map(|name| EntrantSummary::of(name, None, &own(name))).collect();
        let paper = runs.iter().filter(is_paper).map(|run| EntrantSummary::of(&run.entrant, Some(&run.case), &[run]));
        Self {
            networks: names.iter().map(|name| own(name).len()).max().unwrap_or(0),
            entrants: if random.is_empty() { Vec::new() } else { entrants },
            paper: paper.collect(),
        }
    }
}

impl EntrantSummary {
    fn of(entrant: &str, case: Option<&str>, runs: &[&Run]) -> Self {
        let over = |is: &dyn Fn(&Run) -> bool, value: fn(&Response) -> f64, statistic: fn(&mut [f64]) -> f64| {
            let values =
                runs.iter().filter(|run| is(run)).map(|run| run.measured.responses.iter().map(value).collect());
            let values: Vec<Vec<f64>> = values.collect();
            estimate_of_groups(&values.iter().map(Vec::as_slice).collect::<Vec<_>>(), statistic)
        };
        let all = |_: &Run| true;
        let is_exact = |response: &Response| f64::from(u8::from(response.error <= EXACT));
        let loops = |response: &Response| response.loops.unwrap_or(f64::INFINITY);
        let ms = |response: &Response| response.ms.unwrap_or(f64::INFINITY);
        let controls: Vec<f64> = runs.iter().map(|run| run.measured.control).collect();
        Self {
            entrant: entrant.to_owned(),
            case: case.map(str::to_owned),
            changes: runs.iter().map(|run| run.measured.responses.len()).sum(),
            within_1: over(&all, |response| f64::from(u8::from(response.ms.is_some())), mean),
            loops_p50: over(&all, loops, median),
            loops_p95: over(&all, loops, p95),
            ms_p50: over(&all, ms, median),
            ms_p95: over(&all, ms, p95),
            exact: over(&|run| !run.lossy, is_exact, mean),
            exact_lossy: over(&|run| run.lossy, is_exact, mean),
            error_p50: over(&all, |response| response.error, median),
            steady: Price::of(runs, false),
            falling: Price::of(runs, true),
            control: estimate(&controls, mean),
            control_in_all: control_in_all(runs),
            control_max: controls.iter().copied().max_by(f64::total_cmp),
            control_above_6: controls.iter().filter(|control| **control > MOST_CONTROL).count(),
        }
    }
}

/// Control packets over all packets, of all runs together; none if nothing was sent.
fn control_in_all(runs: &[&Run]) -> Option<f64> {
    let all = |run: &&Run| run.measured.sent as f64 / (1.0 - run.measured.control);
    let packets: f64 = runs.iter().map(all).sum();
    let control: f64 = runs.iter().map(|run| all(run) * run.measured.control).sum();
    (packets > 0.0).then(|| control / packets)
}

impl Price {
    fn of(runs: &[&Run], falls: bool) -> Self {
        let own: Vec<&&Run> = runs.iter().filter(|run| run.falls == falls).collect();
        let queues: Vec<f64> = own.iter().map(|run| run.measured.queue_beyond_flows).collect();
        let total = |count: fn(&Run) -> u64| own.iter().map(|run| count(run)).sum::<u64>() as f64;
        let sent = total(|run| run.measured.sent);
        Self {
            networks: own.len(),
            queue_p95: estimate(&queues, p95),
            queue_max: queues.iter().copied().max_by(f64::total_cmp),
            lost: (sent > 0.0).then(|| total(|run| run.measured.dropped) / sent),
            lossy_networks: own.iter().filter(|run| run.measured.dropped > 0).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::measure::Measured;

    fn run(data: u64, control: u64) -> Run {
        Run {
            key: String::new(),
            case: "network-0".to_owned(),
            kind: Kind::Chain,
            falls: false,
            lossy: false,
            flows: 2,
            entrant: "none".to_owned(),
            measured: Measured {
                responses: Vec::new(),
                queue_beyond_flows: 0.0,
                sent: data,
                dropped: 0,
                control: control as f64 / (data + control) as f64,
            },
        }
    }

    #[test]
    fn control_counts_by_networks_and_by_packets() {
        let runs = [run(980, 20), run(90, 10), run(9_100, 900)];
        let summary = &Summary::of(&runs).entrants[0];
        let near = |got: Option<f64>, wanted: f64| assert!((got.unwrap() - wanted).abs() < 1e-12, "{got:?}, {wanted}");
        near(summary.control.map(|control| control.value), 0.07);
        near(summary.control_in_all, 930.0 / 11_100.0);
        near(summary.control_max, 0.1);
        assert_eq!(summary.control_above_6, 2);
        assert_eq!(control_in_all(&[&run(0, 0)]), None);
    }
}
