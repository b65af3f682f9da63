//! What held a flow back: a link, its own window, its application, losses, or that nothing was acknowledged.

use crate::plan::{FlowKind, FlowOutline};
use crate::record::FlowCounts;
use fairwire_laws::transport::Waited;
use serde::Serialize;

/// A link counts as full from this part of its capacity on.
const FULL: f64 = 0.9;
/// A flow has its fair rate from this part of it on.
const HAS_FAIR_RATE: f64 = 0.95;
/// Datagrams lose nothing to speak of up to this part.
const FEW_LOST: f64 = 0.01;

/// What held a flow back.
///
/// Of connections it is what their senders waited for most of the time that they were busy after the warm-up: an empty
/// application, a full window of the receiver, their own window before any loss or mark, or their own window or pace after
/// one and the repair of losses. In the last case a link of the flow's way that was full held it, or if none was, the losses
/// did; but where all segments arrived as they were sent and timers ran out all the same, it was the way of the
/// acknowledgements, some of which were lost or late. A window of the receiver held nothing where the flow has its fair part of
/// a full link. Where segments arrived, none was lost, and nothing was acknowledged in all the measured time, it is the way of
/// the acknowledgements, whatever the sender waited for.
///
/// Of datagrams, which wait for nothing, it is the application where nearly all arrived, and else as above. On a ring laws
/// hold them back where they enter, so that all can arrive of those that were let in: it is the law where a flow has less
/// than its fair rate, asks for more, and no link of its way was full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitedBy {
    /// A link of its way was full.
    Link,
    /// The window of its receiver, or its own before any loss or mark.
    Window,
    /// There was nothing more to send.
    Application,
    /// The way back: what arrived was not acknowledged, or not in time.
    Acknowledgements,
    /// Losses or marks, although no link of its way was full.
    Loss,
    /// The law of the ring, although no link of its way was full.
    Law,
}

/// How long the senders of a flow waited for what after the warm-up, in seconds, the micro-flows added up; beside the names of
/// the same clocks in Linux's `tcp_info`, where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WaitedSummary {
    /// With something sent and not acknowledged, or between two connections (`tcpi_busy_time`, without the latter).
    pub busy_s: f64,
    /// For the application (part of `tcpi_busy_time`).
    pub application_s: f64,
    /// For the receiver's window (`tcpi_rwnd_limited`).
    pub receiver_window_s: f64,
    /// For the congestion window, before any loss or mark.
    pub opening_window_s: f64,
    /// For the congestion window, or the pace, after one.
    pub congestion_window_s: f64,
    /// For the repair of losses.
    pub recovery_s: f64,
}

impl WaitedSummary {
    /// None of senders that were never busy, and of those that nobody watched.
    pub(crate) fn of(waited: &Waited) -> Option<Self> {
        let busy_s = waited.busy().as_secs_f64();
        (busy_s > 0.0).then(|| Self {
            busy_s,
            application_s: waited.application.as_secs_f64(),
            receiver_window_s: waited.receiver.as_secs_f64(),
            opening_window_s: waited.opening.as_secs_f64(),
            congestion_window_s: waited.congestion.as_secs_f64(),
            recovery_s: waited.recovery.as_secs_f64(),
        })
    }
}

/// What a flow's fate is judged by.
pub(crate) struct Fate<'a> {
    pub plan: &'a FlowOutline,
    pub counts: &'a FlowCounts<'a>,
    /// Mean rate over fair rate.
    pub ratio: Option<f64>,
    /// Whether the fair rate is all that it asks for.
    pub is_satisfied: bool,
    /// Whether a law holds it back where it enters.
    pub is_on_ring: bool,
    /// Packets dropped or lost on the way over packets sent.
    pub loss: f64,
    /// Whether the measured time is long enough for something to be sent and acknowledged.
    pub has_time_for_answers: bool,
    /// The most used link of its way, and how far.
    pub fullest: Option<(usize, f64)>,
}

impl Fate<'_> {
    /// What held the flow back, and the link if it was one. None of flows that sent nothing, of those whose rate switches
    /// tell, and of connections that nobody watched.
    pub(crate) fn limited_by(&self) -> Option<(LimitedBy, Option<usize>)> {
        if self.counts.entered == 0 || self.counts.rate.is_some() {
            return None;
        }
        let full = self.fullest.filter(|(_, used)| *used >= FULL).map(|(link, _)| link);
        let by_network = match full {
            Some(link) => (LimitedBy::Link, Some(link)),
            None => (LimitedBy::Loss, None),
        };
        if self.plan.kind == FlowKind::Datagrams {
            let application = (LimitedBy::Application, None);
            return Some(match full {
                _ if self.loss > FEW_LOST => by_network,
                Some(_) if !self.is_satisfied => by_network,
                None if self.is_on_ring && !self.is_satisfied && !self.has_fair_rate() => (LimitedBy::Law, None),
                _ => application,
            });
        }
        let waited = self.counts.connections.map(|done| done.waited).filter(|waited| waited.busy().as_nanos() > 0)?;
        let own_window = waited.receiver + waited.opening;
        let network = waited.congestion + waited.recovery;
        Some(match own_window.max(network).max(waited.application) {
            most if most == waited.application => (LimitedBy::Application, None),
            _ if self.is_unanswered() => (LimitedBy::Acknowledgements, None),
            most if most == network && full.is_none() && self.is_answered_in_part() => {
                (LimitedBy::Acknowledgements, None)
            }
            most if most == network => by_network,
            _ if full.is_some() && self.has_fair_rate() => by_network,
            _ => (LimitedBy::Window, None),
        })
    }

    /// Whether segments arrived, none was lost, and yet none was acknowledged in the measured time.
    fn is_unanswered(&self) -> bool {
        self.all_arrive() && self.counts.measured_bytes == 0 && self.has_time_for_answers
    }

    /// Whether all segments arrived as they were sent, and senders waited in vain for acknowledgements of some.
    fn is_answered_in_part(&self) -> bool {
        let counts = self.counts;
        let astray = counts.astray.map_or(0, |astray| astray.lost + astray.discarded + astray.reordered);
        let ran_out = counts.connections.is_some_and(|done| done.timeouts > 0);
        self.all_arrive() && astray == 0 && counts.marked.unwrap_or(0) == 0 && ran_out
    }

    fn all_arrive(&self) -> bool {
        self.counts.delivered > 0 && self.counts.dropped == 0 && self.counts.refused == 0
    }

    fn has_fair_rate(&self) -> bool {
        self.ratio.is_some_and(|ratio| ratio >= HAS_FAIR_RATE)
    }
}

impl LimitedBy {
    /// As answers tell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Window => "window",
            Self::Application => "application",
            Self::Acknowledgements => "acknowledgements",
            Self::Loss => "loss",
            Self::Law => "law",
        }
    }

    /// The same of a flow, in words.
    pub fn in_words(self, link: Option<&str>) -> String {
        match self {
            Self::Link => format!("link {}", link.unwrap_or("?")),
            Self::Window => "its own window".to_owned(),
            Self::Application => "its application".to_owned(),
            Self::Acknowledgements => "the way of its acknowledgements".to_owned(),
            Self::Loss => "losses".to_owned(),
            Self::Law => "the law".to_owned(),
        }
    }
}
