//! What to know before trusting the numbers.

use crate::batch::Batch;
use crate::reference::{Reference, can_follow};
use fairwire_alloc::{Uniqueness, text};
use fairwire_plan::{RingPlan, StationQueues};
use fairwire_results::measures::LimitedBy;
use fairwire_results::{FlowSummary, Plan, RunSummary};
use fairwire_scenario::{Arrivals, Flow, Scenario, Traffic, Way};
use std::collections::{BTreeMap, BTreeSet};

/// What to know before trusting the numbers, a sentence each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cautions {
    /// What the reader of the scenario found in it.
    pub scenario: Vec<String>,
    /// What to think of the fair rates, the promises and the runs.
    pub runs: Vec<String>,
    /// That invariants of the simulator broke.
    pub violations: Option<String>,
}

/// Adds to `all` what it does not say yet.
pub fn add_new(all: &mut Vec<String>, more: Vec<String>) {
    for caution in more {
        if !all.contains(&caution) {
            all.push(caution);
        }
    }
}

impl Cautions {
    /// Those of finished runs of `batch`, held against `reference`.
    pub fn of<'a>(
        batch: &Batch,
        reference: &Reference,
        runs: impl IntoIterator<Item = &'a RunSummary> + Clone,
    ) -> Self {
        let scenario = batch.scenario();
        let mut about_runs = scenario.cautions(&batch.laws);
        let found = [
            unjudged(batch),
            several_fair(reference),
            not_followed(scenario),
            nothing_arrived(batch, runs.clone()),
            lost_transit(batch, runs.clone()),
            unanswered(scenario, runs.clone()),
            in_step(scenario, runs.clone()),
            shared_queue(scenario, runs.clone()),
            lost_control(runs.clone()),
            alike(runs.clone()),
        ];
        about_runs.extend(found.into_iter().flatten());
        Self {
            scenario: scenario.warnings().iter().map(|warning| warning.message.clone()).collect(),
            runs: about_runs,
            violations: violations(runs),
        }
    }

    /// What to think of a single run; what to think of all runs of its scenario is left out.
    pub fn of_run(batch: &Batch, run: &RunSummary) -> Vec<String> {
        let scenario = batch.scenario();
        let found = [
            nothing_arrived(batch, [run]),
            lost_transit(batch, [run]),
            unanswered(scenario, [run]),
            in_step(scenario, [run]),
            shared_queue(scenario, [run]),
            lost_control([run]),
        ];
        found.into_iter().flatten().collect()
    }

    /// All of them, in the order above.
    pub fn all(&self) -> Vec<String> {
        self.scenario.iter().chain(&self.runs).chain(&self.violations).cloned().collect()
    }
}

/// What to think of promises that are held against nothing.
fn unjudged(batch: &Batch) -> Option<String> {
    let scenario = batch.scenario();
    let own = scenario.own_law().map_or("none", |law| law.about().name);
    (batch.judged().is_none() && !scenario.expectations().is_empty())
        .then(|| format!("the scenario's promises are about its own law ({own}), which did not run: none was checked"))
}

/// What a ratio means where more than one set of rates is fair, or may be.
fn several_fair(reference: &Reference) -> Option<String> {
    let told = match reference.allocation.unique {
        Uniqueness::Yes => return None,
        Uniqueness::No => "other rates are fair, too: a rate within what is fair for its flow has ratio 1",
        Uniqueness::NotDecided => {
            "it is not decided whether other rates are fair, too: any rate that is not known to be unfair for its flow has ratio 1"
        }
    };
    Some(told.to_owned())
}

/// Where so much changes for so many flows that fair rates after each change are not told.
fn not_followed(scenario: &Scenario) -> Option<String> {
    let changes = scenario.changes().len();
    (!can_follow(scenario, changes)).then(|| {
        let flows = text::count(scenario.flows().len(), "flow");
        format!(
            "{flows} and {changes} changes are too many to tell what is fair after each; fair rates beside mean rates are \
             those of all flows at once"
        )
    })
}

/// What to think of a run that is too short for its ways.
fn nothing_arrived<'a>(batch: &Batch, runs: impl IntoIterator<Item = &'a RunSummary>) -> Option<String> {
    let duration = batch.scenario().run().duration;
    // Where nobody offers anything, nothing is what should arrive.
    let is_silent = |run: &RunSummary| {
        run.flows.iter().all(|flow| flow.delivered == 0) && run.flows.iter().any(|flow| flow.offered > 0)
    };
    runs.into_iter()
        .any(is_silent)
        .then(|| format!("no packet arrived in {duration}: where the way takes that long, raise `duration`"))
}

/// Where segments arrive and no acknowledgement finds its way back.
fn unanswered<'a>(scenario: &Scenario, runs: impl IntoIterator<Item = &'a RunSummary>) -> Option<String> {
    let is_unanswered = |flow: &&FlowSummary| flow.limited_by == Some(LimitedBy::Acknowledgements);
    let names: BTreeSet<&str> =
        runs.into_iter().flat_map(|run| &run.flows).filter(is_unanswered).map(|flow| flow.id.as_str()).collect();
    let mut flows = scenario.flows().iter().filter(|flow| names.contains(flow.name.as_str()));
    let first = flows.next()?;
    let others = match flows.count() {
        0 => String::new(),
        more => format!(" (and of {})", text::count(more, "other flow")),
    };
    let arrived = format!("segments of {}{others} arrived, and no acknowledgement came back", first.name);
    let Way::Ring { .. } = first.way else {
        return Some(format!("{arrived}: something else fills the links of the way back"));
    };
    let is_single = scenario.ring().is_some_and(|ring| ring.station_queues == StationQueues::Single);
    let is_beside =
        |flow: &&Flow| flow.from == first.to && flow.class == first.class && (is_single || flow.to == first.from);
    let beside: Vec<&str> = scenario.flows().iter().filter(is_beside).map(|flow| flow.name.as_str()).collect();
    let filled = if beside.is_empty() { "what else it sends".to_owned() } else { beside.join(", ") };
    let (queue, mend) = match is_single {
        true => (format!("station {}", first.to.index), "`station-queues = \"per-destination\"`"),
        false => (format!("station {} toward {}", first.to.index, first.from.index), "another `to`"),
    };
    Some(format!(
        "{arrived}: they wait in the queue of {queue}, which {filled} fills; {mend}, another `class` or a lower `demand` for \
         that leaves them room"
    ))
}

/// Part of the packets of a flow that are dropped where nothing of it gets through.
const ALL: f64 = 0.9999;

/// Where equal packets at even intervals meet at a full queue, and it may always be the same flow whose packets are dropped.
fn in_step<'a>(scenario: &Scenario, runs: impl IntoIterator<Item = &'a RunSummary>) -> Option<String> {
    let is_even = |flow: &Flow| match &flow.traffic {
        Traffic::Datagrams(datagrams) => {
            let has_jitter =
                matches!(datagrams.arrivals, Arrivals::Cbr { interval_jitter, .. } if interval_jitter.fraction() > 0.0);
            let is_even = matches!(datagrams.arrivals, Arrivals::Cbr { .. } | Arrivals::Greedy);
            is_even && !has_jitter && datagrams.size_jitter.fraction() == 0.0
        }
        _ => false,
    };
    let even = scenario.flows().iter().filter(|flow| is_even(flow)).count();
    let datagrams = scenario.flows().iter().filter(|flow| matches!(flow.traffic, Traffic::Datagrams(_))).count();
    if even < 2 || even < datagrams {
        return None;
    }
    let is_starved = |flow: &&FlowSummary| flow.fair_rate_bps > 0.0 && flow.dropped > 0 && flow.loss >= ALL;
    let starved: BTreeSet<&str> =
        runs.into_iter().flat_map(|run| &run.flows).filter(is_starved).map(|flow| flow.id.as_str()).collect();
    let first = starved.first()?;
    let others = match starved.len() - 1 {
        0 => String::new(),
        more => format!(" (and of {})", text::count(more, "other flow")),
    };
    Some(format!(
        "all packets of {first}{others} were dropped, and all sources send packets of one size at even intervals: these may meet \
         in step again and again; `size-jitter = \"5 %\"` in `traffic` tells whether it is that"
    ))
}

/// From so far below its fair rate to so far above it one flow has what another one in the same queue is due.
const AT_EACH_OTHERS_COST: std::ops::RangeInclusive<f64> = 0.9..=1.1;

/// Where flows between the same two stations of a ring wait in one queue, which knows neither laws nor weights.
fn shared_queue<'a>(scenario: &Scenario, runs: impl IntoIterator<Item = &'a RunSummary>) -> Option<String> {
    let ring = scenario.ring()?;
    let mut queues: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (number, flow) in scenario.flows().iter().enumerate() {
        let Way::Ring { ringlet } = flow.way else { continue };
        let to = (ring.station_queues == StationQueues::PerDestination).then_some(flow.to.index);
        queues.entry((flow.from.index, to, ringlet, flow.class)).or_default().push(number);
    }
    queues.retain(|_, flows| flows.len() > 1);
    let is_uneven = |flows: &[usize], run: &RunSummary| {
        let ratios = || flows.iter().filter_map(|&flow| run.flows.get(flow)?.ratio);
        ratios().any(|ratio| ratio < *AT_EACH_OTHERS_COST.start())
            && ratios().any(|ratio| ratio > *AT_EACH_OTHERS_COST.end())
    };
    let runs: Vec<&RunSummary> = runs.into_iter().collect();
    let (&(from, to, ..), flows) = queues.iter().find(|(_, flows)| runs.iter().any(|run| is_uneven(flows, run)))?;
    let first = &scenario.flows()[flows[0]].name;
    let others = text::count(flows.len() - 1, "other flow");
    let (toward, mend) = match to {
        Some(to) => (format!(" toward {to}"), "another `to` or `class`"),
        None => (String::new(), "`station-queues = \"per-destination\"` or another `class`"),
    };
    Some(format!(
        "{first} and {others} wait in one queue, that of station {from}{toward}: they share what it gets by what they offer, \
         whatever laws and weights say; {mend} takes them apart"
    ))
}

/// Where more control packets than this are lost, it is not the law alone that is seen.
const CONTROL_LOST: f64 = 0.1;

/// Where sources are told little, as what should tell them is lost on its way.
fn lost_control<'a>(runs: impl IntoIterator<Item = &'a RunSummary>) -> Option<String> {
    let lost = |run: &RunSummary| {
        let rates = || run.flows.iter().filter_map(|flow| flow.explicit_rate.as_ref());
        let (lost, sent) =
            rates().fold((0, 0), |(lost, sent), rate| (lost + rate.control_lost, sent + rate.control_sent));
        lost as f64 / sent.max(1) as f64
    };
    let (worst, law) = runs.into_iter().map(|run| (lost(run), &run.law)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (worst > CONTROL_LOST).then(|| {
        format!(
            "{} of the control packets under {law} were lost: sources were not told rates, and ports may count what is not so; \
             `initial = \"ask\"` in `traffic` fills no queue, and a larger `limit` has room for them",
            text::percent(worst)
        )
    })
}

/// Where each law's runs are one run again and again.
fn alike<'a>(runs: impl IntoIterator<Item = &'a RunSummary>) -> Option<String> {
    let mut by_law: BTreeMap<&str, Vec<&RunSummary>> = BTreeMap::new();
    runs.into_iter().for_each(|run| by_law.entry(&run.law).or_default().push(run));
    let is_same = |one: &RunSummary, other: &RunSummary| {
        (one.packet_hops, one.control_hops) == (other.packet_hops, other.control_hops) && one.flows == other.flows
    };
    let is_alike = |runs: &Vec<&RunSummary>| runs.len() > 1 && runs.iter().all(|run| is_same(run, runs[0]));
    let names: Vec<&str> = by_law.iter().filter(|(_, runs)| is_alike(runs)).map(|(law, _)| *law).collect();
    (!names.is_empty()).then(|| do_not_differ(&format!("under {}", names.join(", "))))
}

/// That runs are one run again and again: those of `which`, such as `under dvsr`.
pub fn do_not_differ(which: &str) -> String {
    format!(
        "the runs {which} do not differ: nothing in the scenario is random; `start-jitter` or `size-jitter` makes it so"
    )
}

/// Where stations wait for transit, and some of it was lost all the same.
fn lost_transit<'a>(batch: &Batch, runs: impl IntoIterator<Item = &'a RunSummary>) -> Option<String> {
    let keeps_all = |ring: &RingPlan| ring.transit.spares_transit() && ring.protection.is_none();
    let waits = |law: &usize| matches!(batch.plan_under(*law), Plan::Ring(ring) if keeps_all(&ring));
    let waiting: Vec<&str> = (0..batch.laws.len()).filter(waits).map(|law| batch.laws[law].about().name).collect();
    let under_these = runs.into_iter().filter(|run| waiting.contains(&run.law.as_str()));
    let lost: u64 = under_these.flat_map(|run| &run.flows).map(|flow| flow.dropped).sum();
    let packets = text::count(lost as usize, "packet");
    (lost > 0).then(|| {
        format!(
            "{packets} in transit found no room: a ring loses none where no link is slower than the one before it, \
             queues have room for some packets, and transit is held to what class A0 leaves"
        )
    })
}

/// What to think of numbers of a simulator that broke its own rules.
fn violations<'a>(runs: impl IntoIterator<Item = &'a RunSummary>) -> Option<String> {
    let broken: usize = runs.into_iter().map(|run| run.violations.len()).sum();
    let invariants = text::count(broken, "invariant");
    (broken > 0).then(|| format!("{invariants} of the simulator broken: do not trust these numbers"))
}
