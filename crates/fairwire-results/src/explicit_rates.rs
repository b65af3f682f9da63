//! Runs in which switches tell flows their rates: ports, flows and whole runs in numbers.

use crate::link_summary::LinkSummary;
use crate::measures::AllowedRates;
use crate::summary::FlowSummary;
use fairwire_core::Instant;
use fairwire_laws::rate::Refusal;
use fairwire_plan::{PortRecord, RateRecord};
use serde::Serialize;

/// What a port under a rate law did. Counts cover the whole run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PortSummary {
    /// The law.
    pub law: &'static str,
    /// Most packets that the queue held when one arrived, the one in transmission included.
    pub deepest_packets: u32,
    /// Data packets that the law dropped as the queue was too long.
    pub dropped_too_long: u64,
    /// Data packets that it dropped as their flow sent more than it may.
    pub dropped_above_allowed: u64,
    /// Control packets that it rewrote.
    pub control: u64,
    /// Control packets that it refused.
    pub refused: u64,
    /// Of these, how many for which reason; reasons that did not occur are left out.
    pub refused_by: Vec<RefusedPackets>,
    /// For how many flows it kept state at the end.
    pub flows: usize,
}

/// Control packets that a port refused for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedPackets {
    /// `length`, `checksum`, `field`, `direction`, `unknown-flow` or `stale`.
    pub reason: &'static str,
    /// How many.
    pub packets: u64,
}

impl From<&PortRecord> for PortSummary {
    fn from(port: &PortRecord) -> Self {
        let kinds = Refusal::ALL
            .iter()
            .map(|refusal| RefusedPackets { reason: refusal.name(), packets: port.refused[refusal.index()] });
        Self {
            law: port.law,
            deepest_packets: port.deepest_packets,
            dropped_too_long: port.dropped[0],
            dropped_above_allowed: port.dropped[1],
            control: port.control,
            refused: port.refused.iter().sum(),
            refused_by: kinds.filter(|kind| kind.packets > 0).collect(),
            flows: port.flows,
        }
    }
}

/// A flow whose rate switches tell. Counts cover the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExplicitRateSummary {
    /// Its allowed rate right before the end of the run, in bit/s; zero if it is off then.
    pub allowed_rate_bps: f64,
    /// The longest response to any change; none if nothing changed while it was on.
    pub response_max_ns: Option<u64>,
    /// Control packets that its sources sent.
    pub control_sent: u64,
    /// Of these, come back to the source and heeded.
    pub control_returned: u64,
    /// Of these, dropped by full queues or lost on lossy links.
    pub control_lost: u64,
    /// Of these, refused by ports, the destination or the source.
    pub control_refused: u64,
    /// Control packets that ports sent to its sources by themselves.
    pub control_noticed: u64,
    /// Bytes of control packets that its sources sent.
    pub control_bytes: u64,
    /// Part of its packets that were control packets, those of ports included; zero if there were none.
    pub control_share: f64,
    /// Data packets that arrived while it was on ([wmfqc] §5.2: successful cells).
    pub arrived_while_on: u64,
}

impl ExplicitRateSummary {
    /// That of a flow that sent so many data packets in a run up to `end`, before anybody looks at changes.
    pub(crate) fn new(rate: &RateRecord, data: u64, end: Instant) -> Self {
        Self {
            allowed_rate_bps: AllowedRates::of(rate).before(end),
            response_max_ns: None,
            control_sent: rate.control_sent,
            control_returned: rate.control_returned,
            control_lost: rate.control_lost,
            control_refused: rate.control_refused,
            control_noticed: rate.control_noticed,
            control_bytes: rate.control_bytes,
            control_share: share(rate.control_sent + rate.control_noticed, data),
            arrived_while_on: rate.arrived_while_on,
        }
    }
}

/// Control packets over all packets; zero where there are none.
fn share(control: u64, data: u64) -> f64 {
    let all = control + data;
    if all == 0 { 0.0 } else { control as f64 / all as f64 }
}

/// A run in which switches tell flows their rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExplicitRates {
    /// The longest response of any flow to any change; none without changes.
    pub response_max_ns: Option<u64>,
    /// The mean of each change's longest response, over the changes that changed any allowed rate; none if there are none.
    pub response_mean_ns: Option<f64>,
    /// Part of the packets of these flows that were control packets.
    pub control_share: f64,
    /// Most packets at any port, the one in transmission included.
    pub deepest_queue_packets: u32,
    /// Control packets that ports refused.
    pub refused: u64,
    /// Data packets that ports dropped.
    pub dropped: u64,
}

impl ExplicitRates {
    /// That of a run, before anybody looks at changes; none if switches tell nobody.
    pub(crate) fn of(flows: &[FlowSummary], links: &[LinkSummary]) -> Option<Self> {
        let told = || flows.iter().filter_map(|flow| Some((flow.explicit_rate?, flow.offered)));
        let ports = || links.iter().filter_map(|link| link.port.as_ref());
        told().next()?;
        Some(Self {
            response_max_ns: None,
            response_mean_ns: None,
            control_share: share(
                told().map(|(rate, _)| rate.control_sent + rate.control_noticed).sum(),
                told().map(|(_, data)| data).sum(),
            ),
            deepest_queue_packets: ports().map(|port| port.deepest_packets).max().unwrap_or(0),
            refused: ports().map(|port| port.refused).sum(),
            dropped: ports().map(|port| port.dropped_too_long + port.dropped_above_allowed).sum(),
        })
    }
}
