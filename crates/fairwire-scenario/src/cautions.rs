//! What to think of a scenario's fair rates beside what a run of it measures.

use crate::LawChoice;
use crate::event::Event;
use crate::flow::Flow;
use crate::network::link::NetworkLink;
use crate::scenario::Scenario;
use fairwire_alloc::text;
use fairwire_core::{BitRate, Span};
use fairwire_laws::ring::{RingLawChoice, Weighing};

impl Scenario {
    /// What readers of runs under these laws should know before they trust the numbers, a sentence each.
    pub fn cautions(&self, laws: &[LawChoice]) -> Vec<String> {
        let all = [
            self.own_queues(laws),
            self.untold(laws),
            self.unweighed(laws),
            self.odd_weights(laws),
            self.unkept(laws),
            self.part_time(),
            self.changing(),
            self.eventful(),
        ];
        all.into_iter().flatten().collect()
    }

    /// What the laws in the answer mean where they rule no queue that anything waits in.
    fn own_queues(&self, laws: &[LawChoice]) -> Option<String> {
        let laws: Vec<&str> = laws.iter().map(|law| law.about().name).collect();
        self.law_rules_nothing().then(|| {
            format!("every link that a flow takes has a `queue` of its own, so nothing runs under {}", laws.join(", "))
        })
    }

    /// What rate laws in the answer mean where no flow listens to them.
    fn untold(&self, laws: &[LawChoice]) -> Option<String> {
        let names: Vec<&str> =
            laws.iter().filter(|law| matches!(law, LawChoice::Rate(_))).map(|law| law.about().name).collect();
        (!names.is_empty() && !self.tells_rates()).then(|| {
            format!(
                "no flow is told a rate, so nothing changes under {}: give flows `traffic = {{ kind = \"explicit-rate\" }}`",
                names.join(", ")
            )
        })
    }

    /// Which laws take no notice of weights that stations have.
    fn unweighed(&self, laws: &[LawChoice]) -> Option<String> {
        let weights = &self.ring()?.weights;
        let differ = weights.iter().any(|weight| weight != &weights[0]);
        let names = names_of(laws, |law| law.needs().weighing == Weighing::Alike).filter(|_| differ)?;
        Some(format!("stations have different weights, which do not count under {names}"))
    }

    /// Which weights 802.17 has no place for: neither they nor what they are in units of the least.
    fn odd_weights(&self, laws: &[LawChoice]) -> Option<String> {
        let weights = &self.ring()?.weights;
        let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
        let fit = |unit: f64| {
            weights.iter().all(|weight| (1.0..=255.0).contains(&(weight / unit)) && (weight / unit).fract() == 0.0)
        };
        let odd = !fit(1.0) && !fit(least);
        let names = names_of(laws, |law| law.needs().weighing == Weighing::Bytes).filter(|_| odd)?;
        Some(format!(
            "802.17 stations have whole weights from 1 to 255; those of this ring count in proportion under {names}"
        ))
    }

    /// Which laws do not keep what stations are promised.
    fn unkept(&self, laws: &[LawChoice]) -> Option<String> {
        let promised = self.ring()?.min_rates.iter().any(|minimum| minimum.rate > BitRate::ZERO);
        let names = names_of(laws, |law| !law.needs().keeps_minima).filter(|_| promised)?;
        Some(format!("`min-rates` are promised to stations, but not kept under {names}"))
    }

    /// What to think of fair rates where flows are active for part of the measured time.
    fn part_time(&self) -> Option<String> {
        let run = self.run();
        // A hundredth of the run changes no mean that anybody would read.
        let late = run.warmup + Span::from_nanos(run.duration.as_nanos() / 100);
        let part_time = |flow: &&Flow| {
            // Where switches tell rates, what is fair follows starts and stops.
            let comes_or_goes = flow.start > late || flow.stop.is_some_and(|stop| stop < run.duration);
            flow.active.is_some() || (comes_or_goes && !self.tells_rates())
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
        let links = self.network().filter(|_| !self.tells_rates()).into_iter().flat_map(|network| &network.links);
        let changes = |link: &&NetworkLink| link.changes.iter().any(|change| change.at < self.run().duration);
        let names: Vec<&str> = links.filter(changes).map(|link| link.name.as_str()).collect();
        (!names.is_empty()).then(|| {
            format!(
                "the capacity of {} changes; fair rates are those of the capacity at the start, so ratios say little",
                names.join(", ")
            )
        })
    }

    /// The same where events change what is fair.
    fn eventful(&self) -> Option<String> {
        let run = self.run();
        let counts = |event: &&Event| !event.kind.is_failure() && event.at < run.duration;
        let events = self.events().iter().filter(counts).count();
        (events > 0 && !self.tells_rates()).then(|| {
            let verb = if events == 1 { "changes" } else { "change" };
            let what = text::count(events, "event");
            format!("{what} {verb} what is fair; fair rates are those of the start, so ratios say little")
        })
    }
}

/// The ring laws that are such, in words; none if no law is.
fn names_of(laws: &[LawChoice], are_such: impl Fn(&RingLawChoice) -> bool) -> Option<String> {
    let name = |law: &LawChoice| match law {
        LawChoice::Ring(ring_law) if are_such(ring_law) => Some(law.about().name),
        _ => None,
    };
    let names: Vec<&str> = laws.iter().filter_map(name).collect();
    (!names.is_empty()).then(|| names.join(", "))
}
