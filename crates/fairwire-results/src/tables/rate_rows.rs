//! From a run in which switches tell rates to the rows of its own tables.

use super::chunk::{Cells, Chunk};
use super::rows::signed;
use crate::explicit_rates::{ExplicitRateSummary, PortSummary};
use crate::measures::ChangeSummary;
use crate::summary::RunSummary;
use fairwire_plan::RateRecord;

/// What flows did that are told their rates, a row each.
pub(super) fn explicit_rates(key: &[Cells; 3], run: &RunSummary) -> Chunk {
    let told = run.flows.iter().filter_map(|flow| Some((flow.id.as_str(), flow.explicit_rate?)));
    let told: Vec<(&str, ExplicitRateSummary)> = told.collect();
    let count = |get: fn(&ExplicitRateSummary) -> u64| {
        Cells::Integers(told.iter().map(|(_, rate)| signed(get(rate))).collect())
    };
    let own = [
        Cells::Texts(told.iter().map(|(flow, _)| (*flow).into()).collect()),
        Cells::Reals(told.iter().map(|(_, rate)| rate.allowed_rate_bps).collect()),
        Cells::MaybeIntegers(told.iter().map(|(_, rate)| rate.response_max_ns.map(signed)).collect()),
        count(|rate| rate.control_sent),
        count(|rate| rate.control_returned),
        count(|rate| rate.control_lost),
        count(|rate| rate.control_refused),
        count(|rate| rate.control_noticed),
        count(|rate| rate.control_bytes),
        Cells::Reals(told.iter().map(|(_, rate)| rate.control_share).collect()),
        count(|rate| rate.arrived_while_on),
    ];
    Chunk { rows: told.len(), cells: key.iter().cloned().chain(own).collect() }
}

/// Each change of a flow's allowed rates.
pub(super) fn allowed_rates(key: &[Cells; 3], flow: &str, rate: &RateRecord) -> Chunk {
    let own = [
        Cells::SameText(flow.into()),
        Cells::Integers(rate.allowed.iter().map(|allowed| allowed.micro_flow.into()).collect()),
        Cells::Integers(rate.allowed.iter().map(|allowed| signed(allowed.t.as_nanos())).collect()),
        Cells::Reals(rate.allowed.iter().map(|allowed| allowed.rate_bps).collect()),
    ];
    Chunk { rows: rate.allowed.len(), cells: key.iter().cloned().chain(own).collect() }
}

/// What one change led to, a row a flow that is on and told its rate.
pub(super) fn responses(key: &[Cells; 3], run: &RunSummary, number: usize, change: &ChangeSummary) -> Chunk {
    let Some(allowed) = &change.allowed else { return Chunk { rows: 0, cells: Vec::new() } };
    let on: Vec<(usize, u64)> =
        allowed.response_ns.iter().enumerate().filter_map(|(flow, ns)| Some((flow, (*ns)?))).collect();
    let real = |get: &dyn Fn(usize) -> f64| Cells::Reals(on.iter().map(|(flow, _)| get(*flow)).collect());
    let held = |flow: usize| allowed.held_by.get(flow).and_then(Option::as_deref).map(Into::into);
    let own = [
        Cells::SameInteger(number as i64),
        Cells::SameInteger(signed(change.at_ns)),
        Cells::SameText(change.events.join(", ").as_str().into()),
        Cells::Texts(on.iter().map(|(flow, _)| run.flows[*flow].id.as_str().into()).collect()),
        real(&|flow| change.fair_rates_bps[flow]),
        real(&|flow| allowed.rates_bps[flow].unwrap_or_default()),
        Cells::Integers(on.iter().map(|(_, ns)| signed(*ns)).collect()),
        Cells::MaybeTexts(on.iter().map(|(flow, _)| held(*flow)).collect()),
    ];
    Chunk { rows: on.len(), cells: key.iter().cloned().chain(own).collect() }
}

/// What ports did, a row each.
pub(super) fn ports(key: &[Cells; 3], run: &RunSummary) -> Chunk {
    let ports: Vec<(&str, &PortSummary)> =
        run.links.iter().filter_map(|link| Some((link.id.as_str(), link.port.as_ref()?))).collect();
    let count =
        |get: fn(&PortSummary) -> u64| Cells::Integers(ports.iter().map(|(_, port)| signed(get(port))).collect());
    let own = [
        Cells::Texts(ports.iter().map(|(link, _)| (*link).into()).collect()),
        Cells::Texts(ports.iter().map(|(_, port)| port.law.into()).collect()),
        count(|port| port.deepest_packets.into()),
        count(|port| port.dropped_too_long),
        count(|port| port.dropped_above_allowed),
        count(|port| port.control),
        count(|port| port.refused),
        count(|port| port.flows as u64),
    ];
    Chunk { rows: ports.len(), cells: key.iter().cloned().chain(own).collect() }
}
