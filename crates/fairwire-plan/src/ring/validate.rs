//! Finds what a plan built by hand may get wrong.

use super::plan::{FlowPlan, RingPlan, StationQueues};
use super::protection::{MOST_STEERING, MOST_WRAPPING, ProtectionPlan, RingChange, RingEvent};
use crate::error::PlanError;
use crate::limits::{MOST_MICRO_FLOWS, MOST_STATIONS};
use crate::offer::DemandChange;
use fairwire_core::{BitRate, Bytes, Instant, Ringlet, ServiceClass, Span};
use fairwire_laws::protection::ProtectionMode;
use fairwire_laws::ring::Datapath;

impl RingPlan {
    /// Finds what a plan built by hand may get wrong.
    ///
    /// # Errors
    /// The first [`PlanError`] found.
    pub fn validate(&self) -> Result<(), PlanError> {
        let stations = self.stations.len();
        if !(2..=MOST_STATIONS).contains(&stations) {
            return Err(PlanError::Stations(stations));
        }
        for (ringlet, links) in self.links.iter().enumerate() {
            if links.len() != stations {
                return Err(PlanError::Links { ringlet, links: links.len(), stations });
            }
            if links.iter().any(|link| link.capacity == BitRate::ZERO) {
                return Err(PlanError::Range(format!("a link of ringlet {ringlet} has no capacity")));
            }
        }
        if self.window < Span::from_micros(1) {
            return Err(PlanError::Range(format!("the window is {}, below 1 us", self.window)));
        }
        self.check_capacity_changes()?;
        let fastest = Ringlet::BOTH.iter().flat_map(|ringlet| self.capacities(*ringlet)).max().unwrap_or_default();
        if Bytes::new(u32::MAX.into()) / fastest < self.window {
            let window = self.window;
            return Err(PlanError::Range(format!(
                "a row of {window} at {fastest} exceeds 32 bits; shorten the window"
            )));
        }
        if self.warmup > self.duration {
            return Err(PlanError::Range("the warm-up outlasts the run".to_owned()));
        }
        if let Some(flow) = self.flows.iter().find(|flow| flow.class != ServiceClass::C)
            && self.transit.datapath == Datapath::Merged
        {
            let (name, class) = (&flow.name, flow.class);
            return Err(PlanError::Range(format!(
                "flow {name} is of class {class:?}, and stations that share one queue with transit tell no classes apart"
            )));
        }
        for ringlet in Ringlet::BOTH {
            let slowest = self.capacities(ringlet).min().unwrap_or_default();
            let reserved = self.reserved(ringlet);
            if reserved >= slowest {
                return Err(PlanError::Range(format!(
                    "class A0 reserves {reserved} of links of {slowest} on ringlet {}",
                    ringlet.index()
                )));
            }
        }
        self.protection.as_ref().map_or(Ok(()), |protection| protection.validate(self))?;
        self.control.validate(self)?;
        self.flows.iter().try_for_each(|flow| flow.validate(stations))?;
        if let Some(change) = self.weight_changes.iter().find(|change| change.station.index() >= stations) {
            return Err(PlanError::Range(format!(
                "the weight of station {} is to change, and there is none",
                change.station
            )));
        }
        self.demand_changes.iter().try_for_each(|change| self.check_change(change))?;
        let micro_flows: u64 = self.flows.iter().map(|flow| u64::from(flow.micro_flows)).sum();
        if micro_flows > MOST_MICRO_FLOWS {
            return Err(PlanError::Range(format!(
                "{micro_flows} micro-flows; at most {MOST_MICRO_FLOWS} can be simulated"
            )));
        }
        Ok(())
    }
}

impl RingPlan {
    /// Whether a flow can change what it offers.
    ///
    /// # Errors
    /// [`PlanError::Range`] if it is not there, or has no rate.
    pub fn check_change(&self, change: &DemandChange) -> Result<(), PlanError> {
        let flow = self.flows.get(change.flow);
        change.check(flow.map(|flow| (flow.name.as_str(), &flow.offer)), false)
    }
}

impl ProtectionPlan {
    /// What class A0 has reserved fits wherever it goes.
    fn check_reservations(&self, plan: &RingPlan) -> Result<(), PlanError> {
        for phase in plan.phases() {
            let reserved = phase.reserved(plan);
            for ringlet in Ringlet::BOTH {
                let reserved = reserved[ringlet.index()].iter().copied().max().unwrap_or_default();
                let slowest = plan.capacities(ringlet).min().unwrap_or_default();
                if reserved >= slowest {
                    return Err(PlanError::Range(format!(
                        "after the event at {} class A0 reserves {reserved} of links of {slowest} on ringlet {}",
                        phase.at.since(Instant::ZERO),
                        ringlet.index()
                    )));
                }
            }
        }
        Ok(())
    }

    fn validate(&self, plan: &RingPlan) -> Result<(), PlanError> {
        let range = |what: String| Err(PlanError::Range(what));
        if let Err(error) = self.params.validate() {
            return range(error.to_string());
        }
        let (verb, most) = match self.params.mode {
            ProtectionMode::Steer => ("reaches", MOST_STEERING),
            ProtectionMode::Wrap => ("wraps", MOST_WRAPPING),
        };
        if plan.stations.len() > most {
            return range(format!("protection {verb} over {most} stations at most"));
        }
        if plan.station_queues == StationQueues::Single {
            return range("protection needs a station queue for each destination".to_owned());
        }
        for (index, flow) in plan.flows.iter().enumerate() {
            let parted =
                |other: &&FlowPlan| (other.from, other.to) == (flow.from, flow.to) && other.ringlet != flow.ringlet;
            if let Some(other) = plan.flows[..index].iter().find(parted) {
                return range(format!(
                    "with protection flows {} and {} have to take the same ringlet",
                    other.name, flow.name
                ));
            }
        }
        for (index, flow) in plan.flows.iter().enumerate() {
            let shares = |other: &&FlowPlan| (other.from, other.to, other.class) == (flow.from, flow.to, flow.class);
            let alike = |other: &&FlowPlan| {
                (other.strict_order, other.wrap_eligible) == (flow.strict_order, flow.wrap_eligible)
            };
            if let Some(other) = plan.flows[..index].iter().filter(shares).find(|other| !alike(other)) {
                return range(format!(
                    "with protection flows {} and {} share a station queue: either both are in strict order or none, \
                     and either both may be wrapped or none",
                    other.name, flow.name
                ));
            }
        }
        let station = |event: &RingEvent| match event.change {
            RingChange::Cut(station)
            | RingChange::Restore(station)
            | RingChange::StationDown(station)
            | RingChange::StationUp(station) => station,
        };
        match self.events.iter().map(station).find(|station| station.index() >= plan.stations.len()) {
            Some(station) => range(format!("an event at station {station}, which is not on the ring")),
            None => self.check_reservations(plan),
        }
    }
}

impl FlowPlan {
    fn validate(&self, stations: usize) -> Result<(), PlanError> {
        let guaranteed = self.guaranteed > BitRate::ZERO;
        let range = |what: &str| Err(PlanError::Range(format!("flow {}: {what}", self.name)));
        if self.from.index() >= stations || self.to.index() >= stations || self.from == self.to {
            return range("it needs two different stations of the ring");
        }
        if self.class.is_primary() && !guaranteed {
            return range("classes A0 and A1 send no more than they have reserved, and it has reserved nothing");
        }
        if self.class == ServiceClass::C && guaranteed {
            return range("class C is guaranteed nothing");
        }
        if self.class.is_primary() && self.offer.tcp().is_some() {
            return range("classes A0 and A1 are for datagrams: nothing is reserved for acknowledgements");
        }
        if self.offer.rate().is_some() {
            return range("on a ring no switch tells a flow its rate");
        }
        if self.micro_flows == 0 {
            return range("it needs at least one micro-flow");
        }
        self.offer.problem().map_or(Ok(()), |problem| range(&problem))
    }
}
