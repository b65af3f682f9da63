//! One run in numbers.

use crate::explicit_rates::{ExplicitRateSummary, ExplicitRates};
use crate::link_summary::{LinkSummary, link_summaries};
use crate::measures::{
    Change, ChangeSummary, EventSummary, FairWindow, Fate, JainWindows, LimitedBy, Reference, ResponseSummary,
    TransferSummary, WaitedSummary, WindowedRate, bytes_left, change_summaries, fair_window, jain_windows,
    mean_reference, only_in_last_window, oscillation_range, settling_time, time_to_fair, transfer_summary,
};
use crate::plan::{FlowKind, FlowOutline, Outline, Plan};
use crate::record::{Counts, FlowCounts, Record};
use fairwire_alloc::{Allocation, Limit, jain_index};
use fairwire_core::{Instant, Span};
use serde::Serialize;

/// The tolerances for which the time to fair is told.
const TOLERANCES: [f64; 2] = [0.05, 0.01];

/// What a summary is made of.
#[derive(Clone, Copy, Debug)]
pub struct SummaryInput<'a> {
    /// What was run.
    pub plan: &'a Plan,
    /// What the run left behind.
    pub record: &'a Record,
    /// The fair rates, one a flow in the order of the plan.
    pub allocation: &'a Allocation,
    /// The law that ran.
    pub law: &'a str,
    /// The experiment.
    pub seed: u64,
    /// The replication.
    pub run: u64,
    /// How long the run took on this machine, in seconds.
    pub wall_s: f64,
}

/// One run in numbers; as JSON one element of `"runs"` in the answer of `fairwire run`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunSummary {
    /// The law that ran.
    pub law: String,
    /// The experiment.
    pub seed: u64,
    /// The replication.
    pub run: u64,
    /// The criterion behind the fair rates.
    pub criterion: String,
    /// Flows in the order they were declared.
    pub flows: Vec<FlowSummary>,
    /// Time to fair at 5 % and at 1 %.
    pub time_to_fair: Vec<TimeToFair>,
    /// When the rates became steady, fair or not.
    pub settling: Settling,
    /// The event from which the two times above count: the last start or stop of a flow.
    pub event_ns: u64,
    /// Largest over the flows of: range of the windowed rate after the warm-up over the capacity of its route.
    pub oscillation: f64,
    /// Jain's index of the flows' ratios.
    pub jain: f64,
    /// Part of the busiest link's capacity that was used after the warm-up.
    pub utilisation: f64,
    /// The busiest link, for example `r0:4`; none where nothing was sent.
    pub busiest_link: Option<String>,
    /// The links of a network that carried anything; empty for a ring.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkSummary>,
    /// How many links of a network carried nothing.
    #[serde(skip)]
    pub idle_links: usize,
    /// Jain's index over stretches of a run of a network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jain_windows: Option<JainWindows>,
    /// What each event cost a protected ring; empty without events. The fair rates
    /// and times above are those of the intact ring, as if nothing had happened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub protection: Vec<EventSummary>,
    /// What each change of a demand, a weight or a capacity led to, and where switches tell rates each start and stop of a flow
    /// and each change of its terms; empty without any. The fair rates and times above are those of the beginning, as if nothing
    /// had changed and all flows were on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeSummary>,
    /// How fast allowed rates followed the changes, and what telling them took; none where switches tell nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explicit_rates: Option<ExplicitRates>,
    /// Packets sent over one link each, data and control.
    pub packet_hops: u64,
    /// Of these, control frames.
    pub control_hops: u64,
    /// Broken invariants, in words.
    pub violations: Vec<String>,
    /// How long the run took on this machine, in seconds.
    pub wall_s: f64,
}

impl RunSummary {
    /// Whether any flow has a fair rate to be measured by: where none asks for anything, nothing can be fair or unfair.
    pub fn has_fair_rates(&self) -> bool {
        self.flows.iter().any(|flow| Reference::from(flow).exists())
    }
}

/// One flow in numbers. Rates, losses and delays are those after the warm-up,
/// packet counts those of the whole run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowSummary {
    /// The flow's name.
    pub id: String,
    /// Mean rate delivered.
    pub rate_bps: f64,
    /// The reference rate.
    pub fair_rate_bps: f64,
    /// Smallest fair rate.
    pub fair_rate_low_bps: f64,
    /// Largest fair rate.
    pub fair_rate_high_bps: f64,
    /// Rate over fair rate, 1 inside the interval of fair rates; none where the fair rate is 0. A flow that is on and off by
    /// chance, and is to have all it asks for, is compared with what it offered.
    pub ratio: Option<f64>,
    /// Mean rate that its sources offered, of a flow of datagrams that is on and off by chance; none of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered_bps: Option<f64>,
    /// Packets dropped or lost on the way over packets sent; 0 where none was sent.
    pub loss: f64,
    /// Median of the delay from source to egress; none where nothing was delivered.
    pub delay_p50_ns: Option<u64>,
    /// 95th percentile of the delay.
    pub delay_p95_ns: Option<u64>,
    /// 99th percentile of the delay.
    pub delay_p99_ns: Option<u64>,
    /// Mean delay.
    pub delay_mean_ns: Option<f64>,
    /// Largest delay.
    pub delay_max_ns: Option<u64>,
    /// Range of the windowed rate after the warm-up, as bytes left the narrowest link, over the capacity of the route: at most 1
    /// but for the packets that a window cuts.
    pub oscillation: f64,
    /// Packets that the source made; in a network those it sent.
    pub offered: u64,
    /// Of these, refused by a full station queue.
    pub refused: u64,
    /// Of these, let onto the ring or into the network.
    pub entered: u64,
    /// Of these, dropped on the ring; in a network, dropped by queues and lost on links.
    pub dropped: u64,
    /// Of these, delivered.
    pub delivered: u64,
    /// Packets sent again; none on a ring without TCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retransmitted: Option<u64>,
    /// Retransmission timeouts; none on a ring without TCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<u64>,
    /// What held it back; none of a flow that sent nothing, of one whose rate switches tell, and of real connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<LimitedBy>,
    /// The link that did; none where it was something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by_link: Option<String>,
    /// How long its senders waited for what; none of datagrams, and of real connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited: Option<WaitedSummary>,
    /// Packets that queues marked; none on a ring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marked: Option<u64>,
    /// Packets lost on links that were cut; only on a ring that protects itself. They are not among
    /// `dropped`, nor in `loss`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<u64>,
    /// Packets discarded to keep a strict order while the topology was unsettled; only on a ring that protects itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discarded: Option<u64>,
    /// Packets delivered after one that was made later; only on a ring that protects itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reordered: Option<u64>,
    /// Times of the flow's transfers; none of a flow that makes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfers: Option<TransferSummary>,
    /// Its allowed rate and control packets; none of a flow whose rate no switch tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explicit_rate: Option<ExplicitRateSummary>,
}

/// When all flows were within a tolerance of their fair rates, for good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimeToFair {
    /// The tolerance: 0.05 is 5 %.
    pub within: f64,
    /// Length W of the window over which rates are averaged.
    pub window_ns: u64,
    /// From the event on; none if never.
    pub ns: Option<u64>,
    /// Whether less than another window of the run was left then, so that the time says nothing of what stays.
    pub only_in_last_window: bool,
    /// From the event to the end of the run.
    #[serde(skip)]
    pub judged_ns: u64,
}

impl TimeToFair {
    /// Whether the run ends before one window is over, so that it cannot tell.
    pub fn is_too_short(&self) -> bool {
        self.judged_ns < self.window_ns
    }
}

impl RunSummary {
    /// How long the run can be judged, in ns, if that is less than the window that settling goes by.
    pub fn cannot_tell_settling(&self) -> Option<u64> {
        let judged = self.time_to_fair.first().map(|told| told.judged_ns);
        judged.filter(|&judged_ns| judged_ns < self.settling.window_ns)
    }
}

/// When all rates were within 5 % of their final means, for good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Settling {
    /// Length of the window over which rates are averaged; that of time to fair at 5 %.
    pub window_ns: u64,
    /// From the event on; none if never.
    pub ns: Option<u64>,
    /// Whether less than another window of the run was left then, so that the time says nothing of what stays.
    pub only_in_last_window: bool,
}

/// Sums up one run, but for the events of a protected ring, which [`crate::measures::event_summaries`] tells, and for changes on
/// the way, which [`RunSummary::follow_changes`] adds. The definitions are those of [`crate::measures`].
pub fn summarise(input: &SummaryInput<'_>) -> RunSummary {
    let SummaryInput { plan, record, allocation, .. } = *input;
    let outline = plan.outline();
    let counts = record.counts(plan);
    let followed = Followed::all(plan, &outline, &counts, allocation);
    let windows = TOLERANCES.map(|within| (within, window_of(&outline, &followed, within)));
    let coarse = windows[0].1;
    let event = outline.last_event();
    let judged: Vec<_> = followed.iter().filter(|flow| flow.plan.is_active_after(event)).collect();
    let judged_rates: Vec<_> = judged.iter().map(|flow| (&flow.series, flow.reference)).collect();
    let judged_series: Vec<_> = judged.iter().map(|flow| &flow.series).collect();

    let settled = settling_time(&judged_series, coarse.rows, event);
    let is_last = |time: Option<Span>, window: FairWindow| {
        time.is_some_and(|time| only_in_last_window(time, window, event, outline.duration))
    };

    let used = used_links(&outline, &counts);
    let flows: Vec<_> = followed.iter().map(|flow| flow.summary(&outline, coarse, &used)).collect();
    let (utilisation, busiest_link) = busiest_link(&outline, &counts).unzip();
    let network = record.network();
    let links = network.map(|record| link_summaries(&outline, record)).unwrap_or_default();
    let idle_links = network.map_or(0, |record| record.links.len() - links.len());
    RunSummary {
        law: input.law.to_owned(),
        seed: input.seed,
        run: input.run,
        criterion: allocation.criterion.to_string(),
        time_to_fair: windows
            .iter()
            .map(|&(within, window)| {
                let time = time_to_fair(&judged_rates, within, window.rows, event);
                TimeToFair {
                    within,
                    window_ns: window.length.as_nanos(),
                    ns: time.map(|span| span.as_nanos()),
                    only_in_last_window: is_last(time, window),
                    judged_ns: (Instant::ZERO + outline.duration).since(event).as_nanos(),
                }
            })
            .collect(),
        settling: Settling {
            window_ns: coarse.length.as_nanos(),
            ns: settled.map(|span| span.as_nanos()),
            only_in_last_window: is_last(settled, coarse),
        },
        event_ns: event.as_nanos(),
        oscillation: flows.iter().map(|flow| flow.oscillation).fold(0.0, f64::max),
        jain: jain_of(&flows),
        utilisation: utilisation.unwrap_or(0.0),
        busiest_link,
        explicit_rates: ExplicitRates::of(&flows, &links),
        links,
        idle_links,
        jain_windows: network.and_then(|_| jain_windows(&outline, &counts)),
        protection: Vec::new(),
        changes: Vec::new(),
        packet_hops: counts.packet_hops,
        control_hops: counts.control_hops,
        violations: counts.violations.to_vec(),
        wall_s: input.wall_s,
        flows,
    }
}

impl RunSummary {
    /// Whether fair rates are those of the start and others hold later: events change what is fair, and no switch tells rates,
    /// which makes them what is fair over the whole run.
    pub fn fair_rates_are_of_the_start(&self) -> bool {
        self.explicit_rates.is_none() && self.changes.iter().any(|change| change.at_ns > 0)
    }

    /// Adds what the `changes` of the run led to.
    pub fn follow_changes(&mut self, plan: &Plan, record: &Record, changes: &[Change]) {
        self.changes = change_summaries(plan, record, changes);
        if self.explicit_rates.is_some() && !changes.is_empty() {
            self.hold_against_means(&plan.outline(), changes);
        }
        if let (Some(rates), Some(response)) = (&mut self.explicit_rates, ResponseSummary::of(&self.changes)) {
            rates.response_max_ns = Some(response.max_ns);
            rates.response_mean_ns = response.mean_ns;
        }
        for (number, flow) in self.flows.iter_mut().enumerate() {
            if let Some(rate) = &mut flow.explicit_rate {
                rate.response_max_ns = ResponseSummary::of_flow(&self.changes, number);
            }
        }
    }

    /// Flows come and go: holds mean rates against the mean of what was fair in the measured time.
    fn hold_against_means(&mut self, outline: &Outline, changes: &[Change]) {
        let measured = [outline.warmup, outline.duration].map(|span| Instant::ZERO + span);
        for (number, flow) in self.flows.iter_mut().enumerate() {
            let fair = mean_reference(changes, number, measured);
            (flow.fair_rate_bps, flow.fair_rate_low_bps, flow.fair_rate_high_bps) =
                (fair.rate_bps, fair.low_bps, fair.high_bps);
            if flow.offered_bps.is_none() {
                flow.ratio = fair.ratio(flow.rate_bps);
            }
        }
        self.jain = jain_of(&self.flows);
    }
}

/// Jain's index of the ratios; no number where nobody has anything.
fn jain_of(flows: &[FlowSummary]) -> f64 {
    let ratios: Vec<f64> = flows.iter().filter_map(|flow| flow.ratio).collect();
    if ratios.iter().any(|ratio| *ratio > 0.0) { jain_index(&ratios) } else { f64::NAN }
}

/// A flow's plan, record and reference side by side.
struct Followed<'a> {
    plan: &'a FlowOutline,
    counts: FlowCounts<'a>,
    reference: Reference,
    /// Whether the fair rate is all that the flow was expected to ask for.
    is_satisfied: bool,
    is_on_ring: bool,
    series: WindowedRate,
    /// The same bytes when they left the narrowest link of their way, where that is another time.
    left: Option<WindowedRate>,
}

impl<'a> Followed<'a> {
    fn all(whole: &Plan, outline: &'a Outline, counts: &Counts<'a>, allocation: &Allocation) -> Vec<Self> {
        let left = bytes_left(whole, outline, counts);
        let over_time = |bytes: &[u32]| WindowedRate::new(bytes, counts.window, counts.duration);
        let pairs = outline.flows.iter().zip(&counts.flows).zip(&allocation.flows);
        pairs
            .enumerate()
            .map(|(index, ((plan, flow), fair))| Self {
                plan,
                counts: *flow,
                reference: Reference::from(fair),
                is_satisfied: fair.limited_by == Limit::Demand,
                is_on_ring: matches!(whole, Plan::Ring(_)),
                series: over_time(flow.delivered_bytes),
                left: left.as_ref().map(|left| over_time(&left[index])),
            })
            .collect()
    }

    fn summary(&self, outline: &Outline, window: FairWindow, used: &[f64]) -> FlowSummary {
        let counts = self.counts;
        let measured_s = outline.measured_s();
        let rate_bps = if measured_s > 0.0 { counts.measured_bytes as f64 * 8.0 / measured_s } else { 0.0 };
        let delay = Some(counts.delay).filter(|delay| delay.count > 0);
        let transfers = counts.connections.filter(|_| self.plan.kind == FlowKind::Transfers);
        let offered_bps = self.offered_bps(measured_s);
        let due = match offered_bps {
            Some(offered_bps) if self.is_satisfied => self.reference.as_offered(offered_bps),
            _ => self.reference,
        };
        // Packets that entered before the warm-up ended may be dropped after it.
        let loss = part(counts.measured_dropped, counts.measured_entered).min(1.0);
        let ratio = due.ratio(rate_bps);
        let fullest = self.plan.route.iter().map(|&link| (link, used[link])).max_by(|a, b| a.1.total_cmp(&b.1));
        let &Self { is_satisfied, is_on_ring, .. } = self;
        let has_time_for_answers = outline.duration > outline.warmup + outline.base_time * 2;
        let fate = Fate {
            plan: self.plan,
            counts: &self.counts,
            ratio,
            is_satisfied,
            is_on_ring,
            loss,
            has_time_for_answers,
            fullest,
        };
        let (limited_by, link) = fate.limited_by().unzip();
        FlowSummary {
            id: self.plan.name.clone(),
            rate_bps,
            fair_rate_bps: self.reference.rate_bps,
            fair_rate_low_bps: self.reference.low_bps,
            fair_rate_high_bps: self.reference.high_bps,
            ratio,
            offered_bps,
            loss,
            delay_p50_ns: delay.map(|delay| delay.p50_ns),
            delay_p95_ns: delay.map(|delay| delay.p95_ns),
            delay_p99_ns: delay.map(|delay| delay.p99_ns),
            delay_mean_ns: delay.map(|delay| delay.mean_ns),
            delay_max_ns: delay.map(|delay| delay.max_ns),
            oscillation: self.oscillation(outline, window),
            offered: counts.offered,
            refused: counts.refused,
            entered: counts.entered,
            dropped: counts.dropped,
            delivered: counts.delivered,
            retransmitted: counts.connections.map(|done| done.retransmitted),
            timeouts: counts.connections.map(|done| done.timeouts),
            limited_by,
            limited_by_link: link.flatten().map(|link| outline.links[link].name.clone()),
            waited: counts.connections.and_then(|done| WaitedSummary::of(&done.waited)),
            marked: counts.marked,
            lost: counts.astray.map(|astray| astray.lost),
            discarded: counts.astray.map(|astray| astray.discarded),
            reordered: counts.astray.map(|astray| astray.reordered),
            explicit_rate: counts
                .rate
                .map(|rate| ExplicitRateSummary::new(rate, counts.entered, Instant::ZERO + outline.duration)),
            transfers: transfers.map(|done| transfer_summary(&done, Instant::ZERO + outline.warmup)),
        }
    }

    /// What a flow that is on and off offered after the warm-up: what entered then, and of what its station's queue refused as
    /// large a part as over the whole run.
    fn offered_bps(&self, measured_s: f64) -> Option<f64> {
        let counts = self.counts;
        if !self.plan.is_on_and_off || self.plan.kind != FlowKind::Datagrams || measured_s <= 0.0 {
            return None;
        }
        let refused = if counts.entered > 0 { counts.offered as f64 / counts.entered as f64 } else { 1.0 };
        let bits = f64::from(self.plan.packet_bytes) * 8.0;
        Some(counts.measured_entered as f64 * refused * bits / measured_s)
    }

    /// Only while the flow offers traffic: silence before and after is no swing. Nor is it one that bytes wait at the
    /// receiver for a lost one and then count at once.
    fn oscillation(&self, outline: &Outline, window: FairWindow) -> f64 {
        let from = self.plan.start.max(Instant::ZERO + outline.warmup);
        let series = self.left.as_ref().unwrap_or(&self.series);
        let range_bps = oscillation_range(series, window.rows, from, self.plan.stop);
        if self.plan.capacity_bps > 0.0 { range_bps / self.plan.capacity_bps } else { 0.0 }
    }
}

fn window_of(outline: &Outline, flows: &[Followed<'_>], within: f64) -> FairWindow {
    let references = flows.iter().map(|flow| (flow.reference, flow.plan.packet_bytes));
    fair_window(references, within, outline.base_time, outline.window)
}

/// The used part of every link's capacity.
fn used_links(outline: &Outline, counts: &Counts<'_>) -> Vec<f64> {
    let mut used = vec![0.0; outline.links.len()];
    counts.links.iter().for_each(|link| used[link.link] = counts.used(outline, link).unwrap_or(0.0));
    used
}

/// The used part of the busiest link's capacity, and the link.
fn busiest_link(outline: &Outline, counts: &Counts<'_>) -> Option<(f64, String)> {
    let used = counts.links.iter().filter_map(|link| Some((counts.used(outline, link)?, link.link)));
    used.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(used, link)| (used, outline.links[link].name.clone()))
}

fn part(some: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { some as f64 / all as f64 }
}
