//! What to think of a scenario's fair rates beside what a run of it measures.

use crate::flow::Flow;
use crate::network::link::NetworkLink;
use crate::scenario::Scenario;
use fairwire_alloc::text;
use fairwire_core::Span;

impl Scenario {
    /// What readers of runs under laws of these names should know before they trust the numbers, a sentence each.
    pub fn cautions(&self, laws: &[&str]) -> Vec<String> {
        [self.own_queues(laws), self.part_time(), self.changing()].into_iter().flatten().collect()
    }

    /// What the laws in the answer mean where they rule no queue that anything waits in.
    fn own_queues(&self, laws: &[&str]) -> Option<String> {
        self.law_rules_nothing().then(|| {
            format!("every link that a flow takes has a `queue` of its own, so nothing runs under {}", laws.join(", "))
        })
    }

    /// What to think of fair rates where flows are active for part of the measured time.
    fn part_time(&self) -> Option<String> {
        let run = self.run();
        // A hundredth of the run changes no mean that anybody would read.
        let late = run.warmup + Span::from_nanos(run.duration.as_nanos() / 100);
        let part_time = |flow: &&Flow| {
            flow.start > late || flow.stop.is_some_and(|stop| stop < run.duration) || flow.active.is_some()
        };
        let names: Vec<&str> = self.flows().iter().filter(part_time).map(|flow| flow.name.as_str()).collect();
        let (first, more) = (names.first()?, names.len() - 1);
        let who = if more > 0 {
            format!("{first} and {} send", text::count(more, "other flow"))
        } else {
            format!("{first} sends")
        };
        Some(format!(
            "{who} for part of the measured time; fair rates are those of all flows at once, so ratios say little"
        ))
    }

    /// The same where links change.
    fn changing(&self) -> Option<String> {
        let links = self.network().into_iter().flat_map(|network| &network.links);
        let changes = |link: &&NetworkLink| link.changes.iter().any(|change| change.at < self.run().duration);
        let names: Vec<&str> = links.filter(changes).map(|link| link.name.as_str()).collect();
        (!names.is_empty()).then(|| {
            format!(
                "the capacity of {} changes; fair rates are those of the capacity at the start, so ratios say little",
                names.join(", ")
            )
        })
    }
}
