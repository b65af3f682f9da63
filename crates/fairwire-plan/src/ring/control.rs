//! What a plan says of control: messages of laws that get lost, and laws that are called late.

use super::plan::RingPlan;
use crate::PlanError;
use fairwire_core::{Instant, Ringlet, Span, StationId};

/// What happens to the laws' messages on their way, and how late laws are called. By default no message is lost and
/// every law is called in time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ControlPlan {
    /// The probability with which a law's message is lost on each link that it takes; from 0 to below 1. Each link draws
    /// from a random stream of its own. Protection's frames are never lost.
    pub loss: f64,
    /// Single messages that are lost.
    pub lost: Vec<LostFrame>,
    /// How late laws are called; in time if there is nothing.
    pub wake_ups: Option<WakeUps>,
}

/// The first message of a law that a link begins to send at or after some time is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostFrame {
    /// The time.
    pub at: Instant,
    /// The ringlet that the link belongs to. Most messages travel against the traffic that their law controls, so that
    /// they take the other ringlet.
    pub ringlet: Ringlet,
    /// The station that the link leaves.
    pub from: StationId,
}

/// How late laws are called.
///
/// Messages that wake a law and timeouts that it has asked for wait for the process that runs the law. Packets, limiters
/// and links do not wait. The law is told the time of the late call. A message that counts only when its law looks the next time
/// wakes nobody: the law finds it when it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WakeUps {
    /// Each call is late by a uniform time up to this. Messages on one link keep their order.
    pub late: Span,
    /// How long the process stands still, each time that it does.
    pub stall: Span,
    /// From the begin of a stall to the begin of the next. The first one begins at a uniform time before this is over.
    pub every: Span,
    /// Whether all stations are run by one process and stand still together. If not, each has a process of its own.
    pub together: bool,
    /// Each law begins at a uniform time up to this, so that timers of stations are not in step.
    pub begin: Span,
}

impl ControlPlan {
    /// Whether every message arrives and every law is called in time.
    pub fn is_untroubled(&self) -> bool {
        self.loss == 0.0 && self.lost.is_empty() && self.wake_ups.is_none()
    }

    /// Finds what a plan built by hand may get wrong.
    pub(crate) fn validate(&self, plan: &RingPlan) -> Result<(), PlanError> {
        let range = |what: &str| Err(PlanError::Range(what.to_owned()));
        if !(0.0..1.0).contains(&self.loss) {
            return range("the loss of control messages goes from 0 to below 1");
        }
        if self.lost.iter().any(|lost| lost.from.index() >= plan.stations.len()) {
            return range("a control message is lost on a link that is not on the ring");
        }
        if let Some(wake_ups) = &self.wake_ups
            && wake_ups.stall > Span::ZERO
            && wake_ups.stall >= wake_ups.every
        {
            return range("laws stand still for less than the time from one stall to the next");
        }
        Ok(())
    }
}
