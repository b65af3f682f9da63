//! One ringlet at work: its governor, its device, and what it has counted.

use super::device::Device;
use super::run::Tools;
use crate::counts::ClassCounts;
use crate::envelope::RingHead;
use crate::error::EnforceError;
use crate::governor::ring::{Governor, Neighbour, Wanted};
use crate::plan::{RingletPlan, StationPlan};
use crate::status::{LimitStatus, RingletStatus};
use fairwire_core::Instant;
use fairwire_exchange::GovernedQueue;
use std::collections::VecDeque;

/// Messages that wait for their turn; a law that is told late needs the last ones only.
const MOST_WAITING: usize = 16;

/// One ringlet at work.
pub struct Ringlet<'a> {
    station: &'a StationPlan,
    pub plan: &'a RingletPlan,
    /// None where no flow crosses the link.
    device: Option<Device<'a>>,
    governor: Governor<'a>,
    /// Messages that have come and were not told yet.
    waiting: VecDeque<Vec<u8>>,
    /// No message is told before.
    quiet_until: Instant,
    heard: u64,
    sent: u64,
}

impl<'a> Ringlet<'a> {
    /// At rest.
    pub fn new(station: &'a StationPlan, plan: &'a RingletPlan) -> Result<Self, EnforceError> {
        Ok(Self {
            station,
            plan,
            device: plan.queue.as_ref().map(Device::new).transpose()?,
            governor: Governor::new(station.law.as_ref(), plan, station.options.lease),
            waiting: VecDeque::new(),
            quiet_until: Instant::ZERO,
            heard: 0,
            sent: 0,
        })
    }

    fn counts(&self, tools: &mut Tools<'_>) -> Result<ClassCounts, EnforceError> {
        self.device.as_ref().map_or_else(|| Ok(ClassCounts::new()), |device| device.counts(tools))
    }

    /// The law begins.
    pub fn start(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<(), EnforceError> {
        let counts = self.counts(tools)?;
        let wanted = self.governor.start(now, &counts);
        if let Some(device) = &mut self.device {
            device.start(now, counts);
        }
        self.carry_out(wanted, tools)
    }

    /// A message has come for this ringlet.
    pub fn take(&mut self, message: Vec<u8>) {
        self.heard += 1;
        self.waiting.push_back(message);
        if self.waiting.len() > MOST_WAITING {
            self.waiting.pop_front();
        }
    }

    /// When there is something to do.
    pub fn due_at(&self) -> Option<Instant> {
        let message = (!self.waiting.is_empty()).then_some(self.quiet_until);
        [self.governor.poll_timeout(), message].into_iter().flatten().min()
    }

    /// Does what is due.
    pub fn advance(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<(), EnforceError> {
        if self.governor.poll_timeout().is_some_and(|due| due <= now) {
            let counts = self.counts(tools)?;
            let wanted = self.governor.handle_timeout(now, &counts);
            self.carry_out(wanted, tools)?;
        }
        if self.quiet_until <= now && !self.waiting.is_empty() {
            self.quiet_until = now + self.station.options.tick;
            let counts = self.counts(tools)?;
            for message in std::mem::take(&mut self.waiting) {
                let wanted = self.governor.on_message(now, message, &counts);
                self.carry_out(wanted, tools)?;
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, wanted: Wanted, tools: &mut Tools<'_>) -> Result<(), EnforceError> {
        if let Some(device) = &self.device {
            device.limit(&wanted.limits, tools)?;
        }
        for (to, message) in wanted.messages {
            let to = match to {
                Neighbour::Upstream => self.plan.upstream,
                Neighbour::Downstream => self.plan.downstream,
            };
            let head = RingHead { ringlet: self.plan.site.ringlet, from: self.station.station };
            let datagram = self.station.envelope.seal(&head, &message);
            // One that does not go is lost on its way, which laws heal.
            if to.is_some_and(|to| tools.socket.send_to(&datagram, to).is_ok()) {
                self.sent += 1;
            }
        }
        Ok(())
    }

    /// What it looks like since it was asked last.
    pub fn status(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<RingletStatus, EnforceError> {
        let since = self.device.as_mut().map(|device| device.since(now, tools)).transpose()?.unwrap_or_default();
        let limit = |(place, (flow, limit)): (usize, (&fairwire_laws::ring::SiteFlow, &fairwire_core::BitRate))| {
            let class = GovernedQueue::class_of(place);
            LimitStatus {
                egress: flow.egress.0,
                limit_bps: limit.as_bps(),
                rate_bps: since.rate_bps(class),
                waiting_bytes: since.waiting_bytes(class),
                dropped: since.dropped(class),
            }
        };
        let site = &self.plan.site;
        Ok(RingletStatus {
            link: site.ringlet.link_name(site.station),
            device: self.plan.queue.as_ref().map(|queue| queue.device.clone()),
            capacity_bps: site.capacity().as_bps(),
            leased: self.governor.is_leased(),
            messages_heard: self.heard,
            messages_sent: self.sent,
            transit_bps: since.rate_bps(GovernedQueue::TRANSIT),
            transit_waiting_bytes: since.waiting_bytes(GovernedQueue::TRANSIT),
            rest_bps: since.rate_bps(GovernedQueue::REST),
            limits: site.flows.iter().zip(self.governor.limits()).enumerate().map(limit).collect(),
        })
    }
}
