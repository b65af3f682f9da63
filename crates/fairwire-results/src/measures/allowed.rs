//! The rates that switches allow, against the fair ones after each change.

use super::changes::{Change, ChangeSummary};
use super::reference::Reference;
use crate::plan::Outline;
use fairwire_core::{Instant, Span};
use fairwire_plan::{NetworkRecord, RateRecord};
use serde::Serialize;
use std::cmp::Reverse;

/// The tolerances for which the time to fair of allowed rates is told.
const TOLERANCES: [f64; 2] = [0.05, 0.01];
/// Rates that differ by a smaller part are the same: sums of rates are rounded.
const ROUNDING: f64 = 1e-9;

/// The allowed rate AR of one flow over time, all of its micro-flows together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AllowedRates {
    /// From when on it is what, in bit/s, in order of time.
    steps: Vec<(Instant, f64)>,
}

impl AllowedRates {
    /// What a run wrote down of a flow.
    pub fn of(record: &RateRecord) -> Self {
        let micro_flows = record.allowed.iter().map(|allowed| allowed.micro_flow as usize + 1).max().unwrap_or(0);
        let (mut rates, mut sum, mut on) = (vec![0.0; micro_flows], 0.0, 0_u32);
        let mut steps: Vec<(Instant, f64)> = Vec::with_capacity(record.allowed.len());
        for allowed in &record.allowed {
            let old = std::mem::replace(&mut rates[allowed.micro_flow as usize], allowed.rate_bps);
            on = on + u32::from(allowed.rate_bps > 0.0) - u32::from(old > 0.0);
            // Of one source, and of none, the sum is exact.
            sum = match on {
                0 => 0.0,
                _ if micro_flows == 1 => allowed.rate_bps,
                _ => sum + allowed.rate_bps - old,
            };
            match steps.last_mut().filter(|(at, _)| *at == allowed.t) {
                Some((_, rate)) => *rate = sum,
                None => steps.push((allowed.t, sum)),
            }
        }
        steps.dedup_by(|new, old| is_same(new.1, old.1));
        Self { steps }
    }

    /// Each change: from when on it is what, in bit/s, in order of time. Before the first it is zero.
    pub fn steps(&self) -> &[(Instant, f64)] {
        &self.steps
    }

    /// The rate right before `until`, in bit/s.
    pub fn before(&self, until: Instant) -> f64 {
        self.last_before(until).map_or(0.0, |(_, rate)| rate)
    }

    /// From `from` to the last change before `until`; zero if it does not change in that time ([wmfqc] §5.2, Tables 2, 3
    /// and 8 to 11).
    pub fn response(&self, from: Instant, until: Instant) -> Span {
        self.last_before(until).map_or(Span::ZERO, |(at, _)| at.since(from))
    }

    /// From `from` to the time from which on it stays within `within` of what is fair, up to `until`; none if it is not so in
    /// the end, or if nothing is fair.
    pub fn time_to_fair(&self, reference: &Reference, within: f64, from: Instant, until: Instant) -> Option<Span> {
        let is_fair = |rate: f64| reference.error(rate).is_some_and(|error| error <= within + ROUNDING);
        let first = self.steps.partition_point(|(at, _)| *at <= from);
        let end = self.steps.partition_point(|(at, _)| *at < until);
        let first_rate = first.checked_sub(1).map_or(0.0, |last| self.steps[last].1);
        let later = &self.steps[first..end.max(first)];
        let rates = std::iter::once((from, first_rate)).chain(later.iter().copied());
        let fair_since = rates.fold(None, |since: Option<Instant>, (at, rate)| match is_fair(rate) {
            true => since.or(Some(at)),
            false => None,
        });
        fair_since.map(|since| since.since(from))
    }

    fn last_before(&self, until: Instant) -> Option<(Instant, f64)> {
        let end = self.steps.partition_point(|(at, _)| *at < until);
        end.checked_sub(1).map(|last| self.steps[last])
    }
}

fn is_same(new: f64, old: f64) -> bool {
    (new - old).abs() <= ROUNDING * new.abs().max(old.abs())
}

/// What allowed rates did after one change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AllowedSummary {
    /// From the change to the last change of the flow's allowed rate before the next one, 0 if there is none, one a flow in their
    /// order; none of a flow that is off, or that is not told its rate.
    pub response_ns: Vec<Option<u64>>,
    /// The largest of them; none where no flow is on.
    pub response_max_ns: Option<u64>,
    /// The flow that it belongs to; none where no allowed rate changed.
    pub slowest: Option<String>,
    /// When all of them were within a tolerance of what is fair for good, at 5 % and at 1 %.
    pub time_to_fair: Vec<AllowedTime>,
    /// Each flow's allowed rate right before the next change, in bit/s; none of a flow that is off, or that is not told its rate.
    pub rates_bps: Vec<Option<f64>>,
    /// The largest distance of these from what is fair, as a part of it; none where nothing is fair.
    pub error: Option<f64>,
    /// The link that holds each flow under the criterion: it is full, and nobody may have more of it than this flow. None of a
    /// flow that is off, or that has all it may have.
    pub held_by: Vec<Option<String>>,
}

/// When all allowed rates were within a tolerance of their fair rates, for good.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AllowedTime {
    /// The tolerance: 0.05 is 5 %.
    pub within: f64,
    /// From the change on; none if not before the next change.
    pub ns: Option<u64>,
}

/// The allowed rates of all flows that are told theirs.
pub(super) struct AllowedByFlow<'a> {
    record: &'a NetworkRecord,
    rates: Vec<Option<AllowedRates>>,
}

impl<'a> AllowedByFlow<'a> {
    /// Those of a run; none if switches tell nobody.
    pub fn of(record: &'a NetworkRecord) -> Option<Self> {
        let rates: Vec<_> = record.flows.iter().map(|flow| flow.rate.as_ref().map(AllowedRates::of)).collect();
        rates.iter().any(Option::is_some).then_some(Self { record, rates })
    }

    /// What they did after a change and up to `until`.
    pub fn after(&self, outline: &Outline, change: &Change, until: Instant) -> AllowedSummary {
        let from = self.begin(change);
        let flows = self.rates.iter().zip(&change.on);
        let on: Vec<Option<&AllowedRates>> = flows.map(|(rates, on)| rates.as_ref().filter(|_| *on)).collect();
        let response = |rates: &AllowedRates| rates.response(from, until).as_nanos();
        let response_ns: Vec<Option<u64>> = on.iter().map(|rates| rates.map(response)).collect();
        let slowest = response_ns.iter().enumerate().max_by_key(|(flow, ns)| (**ns, Reverse(*flow)));
        let slowest = slowest.filter(|(_, ns)| ns.is_some_and(|ns| ns > 0));
        let judged = on.iter().zip(&change.references).filter(|(_, reference)| reference.exists());
        let judged: Vec<_> = judged.filter_map(|(rates, reference)| Some(((*rates)?, reference))).collect();
        let errors = judged.iter().filter_map(|(rates, reference)| reference.error(rates.before(until)));
        let time = |within: f64| AllowedTime { within, ns: time_to_fair(&judged, within, from, until) };
        AllowedSummary {
            response_max_ns: response_ns.iter().copied().max().flatten(),
            slowest: slowest.map(|(flow, _)| outline.flows[flow].name.clone()),
            time_to_fair: TOLERANCES.map(time).to_vec(),
            rates_bps: on.iter().map(|rates| rates.map(|rates| rates.before(until))).collect(),
            error: errors.reduce(f64::max),
            held_by: change.held_by.iter().map(|link| link.map(|link| outline.links[link].name.clone())).collect(),
            response_ns,
        }
    }

    /// When it began: of flows that start a little later by chance, when the last of them did.
    fn begin(&self, change: &Change) -> Instant {
        let late = |&(flow, latest): &(usize, Instant)| {
            let began = &self.record.flows.get(flow)?.rate.as_ref()?.began;
            began.iter().copied().filter(|began| (change.at..=latest).contains(began)).max()
        };
        change.starts.iter().filter_map(late).max().unwrap_or(change.at)
    }
}

/// The longest time of any flow; none if one is not fair in the end, or if nothing is fair.
fn time_to_fair(judged: &[(&AllowedRates, &Reference)], within: f64, from: Instant, until: Instant) -> Option<u64> {
    let time = |(rates, reference): &(&AllowedRates, &Reference)| rates.time_to_fair(reference, within, from, until);
    let times: Option<Vec<Span>> = judged.iter().map(time).collect();
    times?.into_iter().max().map(Span::as_nanos)
}

/// How fast allowed rates followed all changes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ResponseSummary {
    /// The longest response of any flow to any change.
    pub max_ns: u64,
    /// The mean of each change's longest response, over the changes after which any allowed rate changed ([wmfqc] §5.3, the
    /// average of Tables 2, 3 and 8 to 11); none if there are none.
    pub mean_ns: Option<f64>,
    /// How many changes these are.
    pub changes: usize,
}

impl ResponseSummary {
    /// That of a run; none without allowed rates.
    pub fn of(changes: &[ChangeSummary]) -> Option<Self> {
        let allowed: Vec<&AllowedSummary> = changes.iter().filter_map(|change| change.allowed.as_ref()).collect();
        let longest: Vec<u64> =
            allowed.iter().filter_map(|allowed| allowed.response_max_ns).filter(|ns| *ns > 0).collect();
        let mean = longest.iter().map(|ns| *ns as f64).sum::<f64>() / longest.len() as f64;
        (!allowed.is_empty()).then(|| Self {
            max_ns: longest.iter().copied().max().unwrap_or(0),
            mean_ns: Some(mean).filter(|mean| mean.is_finite()),
            changes: longest.len(),
        })
    }

    /// The longest response of the flow at this place to any change; none of a flow that is not told its rate.
    pub fn of_flow(changes: &[ChangeSummary], flow: usize) -> Option<u64> {
        let allowed = changes.iter().filter_map(|change| change.allowed.as_ref());
        allowed.filter_map(|allowed| allowed.response_ns.get(flow).copied().flatten()).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_plan::AllowedRate;

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    fn ms(ms: u64) -> Span {
        Span::from_millis(ms)
    }

    fn rates(allowed: &[(u64, u32, f64)]) -> AllowedRates {
        let allowed = allowed.iter().map(|&(t, micro_flow, rate_bps)| AllowedRate { t: at(t), micro_flow, rate_bps });
        AllowedRates::of(&RateRecord { allowed: allowed.collect(), ..RateRecord::default() })
    }

    #[test]
    fn a_response_is_the_last_change_before_the_next_event() {
        let rates = rates(&[(0, 0, 10.0), (13, 0, 4.0), (17, 0, 5.0), (20, 0, 3.0)]);
        assert_eq!(rates.response(at(10), at(20)), ms(7), "a change at the next event is its own");
        assert_eq!(rates.response(at(20), at(30)), Span::ZERO);
        assert_eq!(rates.response(at(30), at(40)), Span::ZERO, "nothing changes any more");
        assert_eq!((rates.before(at(20)), rates.before(at(21)), rates.before(at(0))), (5.0, 3.0, 0.0));
    }

    #[test]
    fn rates_of_micro_flows_add_up_and_rounding_is_no_change() {
        let rates = rates(&[(0, 0, 10.0), (0, 1, 20.0), (5, 1, 20.0 + 1e-12), (6, 0, 0.0), (7, 1, 0.0)]);
        assert_eq!(rates.steps().iter().map(|(t, _)| *t).collect::<Vec<_>>(), [at(0), at(6), at(7)]);
        assert_eq!(rates.before(at(6)), 30.0);
        assert_eq!(rates.before(at(8)), 0.0);
    }

    #[test]
    fn fair_for_good_counts_from_the_last_time_it_was_not() {
        let rates = rates(&[(0, 0, 10.0), (12, 0, 5.0), (14, 0, 8.0), (16, 0, 5.04)]);
        let five = Reference::exactly(5.0);
        assert_eq!(rates.time_to_fair(&five, 0.01, at(10), at(20)), Some(ms(6)));
        assert_eq!(rates.time_to_fair(&five, 0.001, at(10), at(20)), None);
        assert_eq!(rates.time_to_fair(&five, 0.01, at(10), at(14)), Some(ms(2)), "until then only");
        assert_eq!(rates.time_to_fair(&five, 0.01, at(16), at(20)), Some(Span::ZERO), "it was so from the start");
        assert_eq!(rates.time_to_fair(&Reference::exactly(0.0), 0.01, at(10), at(20)), None);
    }
}
