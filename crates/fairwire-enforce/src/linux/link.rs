//! One ringlet at work: its governor, its device, and what it has counted.

use super::counters::Counters;
use super::shaper::Shaper;
use crate::counted::{ClassCount, ClassCounts};
use crate::error::EnforceError;
use crate::governor::{Governor, Neighbour, Wanted};
use crate::plan::{RingletPlan, StationPlan};
use crate::status::{LimitStatus, RingletStatus};
use fairwire_core::Instant;
use fairwire_exchange::GovernedQueue;
use nix::net::if_::if_nametoindex;
use std::collections::VecDeque;
use std::net::UdpSocket;

/// Messages that wait for their turn; a law that is told late needs the last ones only.
const MOST_WAITING: usize = 16;

/// What ringlets share.
pub struct Tools<'a> {
    pub counters: &'a mut Counters,
    pub shaper: &'a mut Shaper,
    pub socket: &'a UdpSocket,
}

/// One ringlet at work.
pub struct Link<'a> {
    station: &'a StationPlan,
    pub plan: &'a RingletPlan,
    /// The number of its device, if it has one.
    device: Option<u32>,
    governor: Governor<'a>,
    /// Messages that have come and were not told yet.
    waiting: VecDeque<Vec<u8>>,
    /// No message is told before.
    quiet_until: Instant,
    heard: u64,
    sent: u64,
    /// Counters at the status before, and when that was.
    before: (Instant, ClassCounts),
}

impl<'a> Link<'a> {
    /// At rest.
    pub fn new(station: &'a StationPlan, plan: &'a RingletPlan) -> Result<Self, EnforceError> {
        Ok(Self {
            station,
            plan,
            device: plan.queue.as_ref().map(|queue| index(&queue.device)).transpose()?,
            governor: Governor::new(station.law.as_ref(), plan, station.options.lease),
            waiting: VecDeque::new(),
            quiet_until: Instant::ZERO,
            heard: 0,
            sent: 0,
            before: (Instant::ZERO, ClassCounts::new()),
        })
    }

    /// What classes have counted. They stay, and count upwards, as long as nobody else touches the queue.
    fn counts(&self, tools: &mut Tools<'_>) -> Result<ClassCounts, EnforceError> {
        let (Some(device), Some(queue)) = (self.device, &self.plan.queue) else { return Ok(ClassCounts::new()) };
        let doing = |error| EnforceError::System("reading counters of classes", error);
        let counts = tools.counters.of_device(device).map_err(doing)?;
        let counted = |class: u16| self.before.1.get(&class).map_or(0, |before| before.sent_bytes);
        let is_whole =
            queue.classes().all(|class| counts.get(&class).is_some_and(|count| count.sent_bytes >= counted(class)));
        if is_whole { Ok(counts) } else { Err(EnforceError::Changed(queue.device.clone())) }
    }

    /// The law begins.
    pub fn start(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<(), EnforceError> {
        let counts = self.counts(tools)?;
        let wanted = self.governor.start(now, &counts);
        self.before = (now, counts);
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
        if let Some(queue) = &self.plan.queue {
            let limits: String = wanted.limits.iter().map(|(place, rate)| queue.limit(*place, *rate)).collect();
            if !limits.is_empty() {
                let changed = tools.shaper.change(&limits);
                // Whoever has taken the queue away is the reason of what `tc` refuses.
                changed.or_else(|error| self.counts(tools).and(Err(error)))?;
            }
        }
        for (to, message) in wanted.messages {
            let to = match to {
                Neighbour::Upstream => self.plan.upstream,
                Neighbour::Downstream => self.plan.downstream,
            };
            let datagram = self.station.envelope.seal(self.plan.site.ringlet, &message);
            // One that does not go is lost on its way, which laws heal.
            if to.is_some_and(|to| tools.socket.send_to(&datagram, to).is_ok()) {
                self.sent += 1;
            }
        }
        Ok(())
    }

    /// What it looks like since it was asked last.
    pub fn status(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<RingletStatus, EnforceError> {
        let counts = self.counts(tools)?;
        let (then, before) = std::mem::replace(&mut self.before, (now, counts));
        let seconds = now.since(then).as_secs_f64().max(1e-9);
        let of = |counts: &ClassCounts, class: u16| counts.get(&class).copied().unwrap_or_default();
        let (_, counts) = &self.before;
        let rate = |class: u16| -> f64 {
            let sent = |counts: &ClassCounts| of(counts, class).sent_bytes;
            sent(counts).saturating_sub(sent(&before)) as f64 * 8.0 / seconds
        };
        let limit = |(place, (flow, limit)): (usize, (&fairwire_laws::ring::SiteFlow, &fairwire_core::BitRate))| {
            let class = GovernedQueue::class_of_egress(place);
            let ClassCount { waiting_bytes, dropped, .. } = of(counts, class);
            LimitStatus {
                egress: flow.egress.0,
                limit_bps: limit.as_bps(),
                rate_bps: rate(class),
                waiting_bytes: waiting_bytes.into(),
                dropped: dropped.wrapping_sub(of(&before, class).dropped).into(),
            }
        };
        let site = &self.plan.site;
        Ok(RingletStatus {
            link: format!("r{}:{}", site.ringlet.index(), site.station),
            device: self.plan.queue.as_ref().map(|queue| queue.device.clone()),
            capacity_bps: site.capacity().as_bps(),
            leased: self.governor.is_leased(),
            messages_heard: self.heard,
            messages_sent: self.sent,
            transit_bps: rate(GovernedQueue::TRANSIT),
            transit_waiting_bytes: of(counts, GovernedQueue::TRANSIT).waiting_bytes.into(),
            rest_bps: rate(GovernedQueue::REST),
            limits: site.flows.iter().zip(self.governor.limits()).enumerate().map(limit).collect(),
        })
    }
}

/// The number of a device.
pub fn index(device: &str) -> Result<u32, EnforceError> {
    if_nametoindex(device).map_err(|error| EnforceError::Device(device.to_owned(), error.into()))
}
