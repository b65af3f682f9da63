//! A station of a ring at work.

use super::ringlet::Ringlet;
use super::run::{AtWork, Router, Tools, enforce};
use crate::envelope::Stray;
use crate::error::EnforceError;
use crate::plan::StationPlan;
use crate::status::Status;
use fairwire_core::Instant;
use std::net::IpAddr;

/// A station at work: a part for each ringlet that carries flows.
pub struct Station<'a> {
    plan: &'a StationPlan,
    ringlets: Vec<Ringlet<'a>>,
}

impl StationPlan {
    /// Governs the station until `stop` says so, and tells from time to time what it looks like; when `tell` answers `false` it
    /// stops, too. Then all queues are taken away. Should the process be killed, all that is limited has its safe rate.
    ///
    /// # Errors
    /// [`EnforceError`]. Queues that were made are taken away.
    pub fn enforce(&self, stop: &dyn Fn() -> bool, tell: &mut dyn FnMut(&Status) -> bool) -> Result<(), EnforceError> {
        enforce(self, stop, tell)
    }
}

impl AtWork for StationPlan {
    type Router<'a> = Station<'a>;
    type Status = Status;
}

impl<'a> Router<'a> for Station<'a> {
    type Plan = StationPlan;

    fn new(plan: &'a StationPlan) -> Result<Self, EnforceError> {
        let ringlets = plan.ringlets.iter().map(|ringlet| Ringlet::new(plan, ringlet)).collect::<Result<_, _>>()?;
        Ok(Self { plan, ringlets })
    }

    fn start(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<(), EnforceError> {
        self.ringlets.iter_mut().try_for_each(|ringlet| ringlet.start(now, tools))
    }

    fn take(&mut self, datagram: &[u8], from: IpAddr) -> Result<(), Stray> {
        let (head, message) = self.plan.envelope.open(datagram)?;
        if !self.plan.is_neighbour(head.from, from) {
            return Err(Stray::Foreign);
        }
        let mut ringlets = self.ringlets.iter_mut();
        if let Some(ringlet) = ringlets.find(|ringlet| ringlet.plan.site.ringlet == head.ringlet) {
            ringlet.take(message.to_vec());
        }
        Ok(())
    }

    fn due_at(&self) -> Option<Instant> {
        self.ringlets.iter().filter_map(Ringlet::due_at).min()
    }

    fn advance(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<(), EnforceError> {
        self.ringlets.iter_mut().try_for_each(|ringlet| ringlet.advance(now, tools))
    }

    fn status(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<Status, EnforceError> {
        let ringlets = self.ringlets.iter_mut().map(|ringlet| ringlet.status(now, tools)).collect::<Result<_, _>>()?;
        let (time_s, law) = (now.as_secs_f64(), self.plan.law.about().name);
        let (station, strays, other_ring) = (self.plan.station.0, tools.strays.all, tools.strays.others);
        Ok(Status { time_s, station, law, ringlets, strays, other_ring })
    }
}
