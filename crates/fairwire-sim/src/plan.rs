//! What to simulate: a ring with everything resolved and checked.
//!
//! A plan comes from a validated scenario, so its numbers are in range; what a
//! plan built by hand could get wrong, [`RingPlan::validate`] finds.

use crate::control::ControlPlan;
use crate::offer::Offer;
use crate::ring::MOST_STATIONS;
use fairwire_core::{BitRate, Bytes, Instant, Ringlet, ServiceClass, Span, StationId, Weight};
use fairwire_laws::protection::{self, ProtectionMode};
use fairwire_laws::ring::Datapath;

/// Micro-flows of one ring or network at most.
pub(crate) const MOST_MICRO_FLOWS: u64 = 1 << 24;

/// Stations that a topology frame can cross before its time to live is over.
pub const MOST_STEERING: usize = 255;
/// Stations of a ring that is folded into one ringlet on which each stands twice.
pub const MOST_WRAPPING: usize = 127;

/// One run of one ring.
#[derive(Clone, Debug, PartialEq)]
pub struct RingPlan {
    /// The experiment.
    pub seed: u64,
    /// The replication.
    pub run: u64,
    /// Simulated time.
    pub duration: Span,
    /// Means, losses and delays are measured from here on.
    pub warmup: Span,
    /// Length of one row of every time series; at least 1 µs.
    pub window: Span,
    /// Links of each ringlet, by the station that the link leaves.
    pub links: [Vec<LinkPlan>; 2],
    /// Stations, in the order of ringlet 0.
    pub stations: Vec<StationPlan>,
    /// The queue in front of every link.
    pub transit: TransitPlan,
    /// How a station keeps what it has to send.
    pub station_queues: StationQueues,
    /// Room of each station queue in bytes; more is refused.
    pub station_buffer: Bytes,
    /// Flows in the order they were declared; their numbers are [`fairwire_core::FlowId`]s.
    pub flows: Vec<FlowPlan>,
    /// Topology discovery and protection at every station, if there are any.
    pub protection: Option<ProtectionPlan>,
    /// What happens to control messages on their way, and how late laws are called.
    pub control: ControlPlan,
    /// How to walk through time; never changes what comes out.
    pub engine: EnginePath,
    /// What to keep beside the summary.
    pub detail: Detail,
    /// Whether stations audit themselves at every control frame, timeout and row's
    /// end. The books are balanced at the end of the run in any case.
    pub check: bool,
}

/// Protection, and what there is to protect from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProtectionPlan {
    /// Timers of every station, and whether sources steer or stations wrap.
    pub params: protection::Params,
    /// What happens to spans and stations, in any order.
    pub events: Vec<RingEvent>,
}

/// Something happens to a span or a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingEvent {
    /// When.
    pub at: Instant,
    /// What.
    pub change: RingChange,
}

/// What happens to a span or a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingChange {
    /// Both links between this station and the next on ringlet 0 are cut.
    Cut(StationId),
    /// They are mended.
    Restore(StationId),
    /// The station falls silent: all four links that touch it are dead.
    StationDown(StationId),
    /// It comes back.
    StationUp(StationId),
}

impl RingChange {
    /// Whether it is a failure, not a mend.
    pub const fn breaks(self) -> bool {
        matches!(self, Self::Cut(_) | Self::StationDown(_))
    }
}

/// One directed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkPlan {
    /// Bits per second, above zero.
    pub capacity: BitRate,
    /// Propagation time.
    pub delay: Span,
}

/// One station.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StationPlan {
    /// Its weight as an ingress.
    pub weight: Weight,
    /// What it is promised on every link that its flows cross, if its law keeps promises.
    pub minimum: BitRate,
}

/// The queues in front of a link, and who goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransitPlan {
    /// How transit traffic and the station's own get to the link.
    pub datapath: Datapath,
    /// Room in bytes of the only transit queue, or of the secondary one, the
    /// packet in transmission not counted.
    pub buffer: Bytes,
    /// Room in bytes of the primary queue where there are two.
    pub primary_buffer: Bytes,
    /// What happens when a merged queue is full; other transit queues lose nothing
    /// unless a link is slower than the one before it.
    pub overflow: Overflow,
    /// Whether all but class A0 is shaped to what class A0 leaves of the link, own
    /// and transit traffic together (the downstream shaper of 802.17).
    pub shaped: bool,
}

impl TransitPlan {
    /// One queue of `buffer` bytes for transit traffic and the station's own.
    pub fn merged(buffer: Bytes, overflow: Overflow) -> Self {
        Self { datapath: Datapath::Merged, buffer, primary_buffer: buffer, overflow, shaped: true }
    }

    /// Whether transit goes before the station, now or when its queue is full, so that none of it need be lost.
    pub fn spares_transit(&self) -> bool {
        matches!(self.datapath, Datapath::TransitFirst | Datapath::DualQueue)
    }
}

/// What happens to a packet that finds the queue full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// It is dropped, wherever it comes from.
    Drop,
    /// Stations hold their packets back while three of the largest and a control
    /// frame would not fit, so that transit traffic from a link no faster than
    /// this one always does (the buffer must be that large at least).
    Hold,
}

/// How a station keeps what it has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StationQueues {
    /// A queue for each egress: a throttled one blocks no other.
    PerDestination,
    /// One queue: its head blocks all behind it.
    Single,
}

/// One flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowPlan {
    /// Its id in every table.
    pub name: String,
    /// The ringlet it takes.
    pub ringlet: Ringlet,
    /// Where it enters.
    pub from: StationId,
    /// Where it leaves; not where it enters.
    pub to: StationId,
    /// Its weight among the flows of its ingress.
    pub weight: Weight,
    /// Its service class, where the station tells classes apart.
    pub class: ServiceClass,
    /// What classes A0 and A1 have reserved and class B has committed.
    pub guaranteed: BitRate,
    /// Whether its packets must arrive in the order in which they were sent, whatever
    /// protection does: while a station finds the topology unsettled it holds its own
    /// back and discards those that come by.
    pub strict_order: bool,
    /// Whether a station at a dead span may put its packets on the other ringlet, where
    /// stations wrap (`we` in 802.17). If not they are lost there, and held by their
    /// source as soon as that knows.
    pub wrap_eligible: bool,
    /// How many micro-flows (streams, connections) it is made of, each offering
    /// [`FlowPlan::offer`] for itself; at least 1.
    pub micro_flows: u32,
    /// What it offers. Acknowledgements of TCP go back over the same spans, on the other
    /// ringlet, as a flow of their own from `to` to `from` of the same class.
    pub offer: Offer,
    /// When it begins to offer.
    pub start: Instant,
    /// Each micro-flow begins later by a uniform time up to this.
    pub start_jitter: Span,
    /// When it stops.
    pub stop: Instant,
}

/// How the engine walks through time. Both ways give the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnginePath {
    /// Windows where the shortest link holds at least a packet, else events.
    #[default]
    Auto,
    /// Each station once per lookahead window.
    Windows,
    /// One pending event a station, the earliest first.
    Events,
}

/// What a run keeps beside its summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Rates of the flows over time: what the summary needs.
    Summary,
    /// Also links, queues and what the laws show.
    Full,
}

/// A plan that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A ring needs two stations, and packets have 14 bits for their egress.
    #[error("a ring has from 2 to {MOST_STATIONS} stations, not {0}")]
    Stations(usize),
    /// Every station has one link on each ringlet.
    #[error("ringlet {ringlet} has {links} links for {stations} stations")]
    Links {
        /// 0 or 1.
        ringlet: usize,
        /// Links given.
        links: usize,
        /// Stations given.
        stations: usize,
    },
    /// A number is out of its range.
    #[error("{0}")]
    Range(String),
    /// The law limits all that a station adds, and the plan's stations let it join
    /// the transit queue flow by flow.
    #[error("law {0} needs stations that wait for their turn: two transit queues, or one that goes first")]
    Datapath(&'static str),
}

impl RingPlan {
    /// What class A0 has reserved on every link of `ringlet`.
    pub fn reserved(&self, ringlet: Ringlet) -> BitRate {
        let own = |flow: &&FlowPlan| flow.ringlet == ringlet && flow.class == ServiceClass::A0;
        BitRate::from_bps(self.flows.iter().filter(own).map(|flow| flow.guaranteed.as_bps()).sum())
    }

    /// Whether sources look for the ringlet that reaches their destinations; if there is protection and
    /// they do not, stations wrap.
    pub fn steers(&self) -> bool {
        self.protection.as_ref().is_some_and(|protection| protection.params.mode == ProtectionMode::Steer)
    }

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
        let fastest = self.links.iter().flatten().map(|link| link.capacity).max().unwrap_or_default();
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
            let slowest = self.links[ringlet.index()].iter().map(|link| link.capacity).min().unwrap_or_default();
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
        let micro_flows: u64 = self.flows.iter().map(|flow| u64::from(flow.micro_flows)).sum();
        if micro_flows > MOST_MICRO_FLOWS {
            return Err(PlanError::Range(format!(
                "{micro_flows} micro-flows; at most {MOST_MICRO_FLOWS} can be simulated"
            )));
        }
        Ok(())
    }
}

impl ProtectionPlan {
    /// What class A0 has reserved fits wherever it goes.
    fn check_reservations(&self, plan: &RingPlan) -> Result<(), PlanError> {
        for phase in plan.phases() {
            let reserved = phase.reserved(plan);
            for ringlet in Ringlet::BOTH {
                let reserved = reserved[ringlet.index()].iter().copied().max().unwrap_or_default();
                let slowest = plan.links[ringlet.index()].iter().map(|link| link.capacity).min().unwrap_or_default();
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
        if self.micro_flows == 0 {
            return range("it needs at least one micro-flow");
        }
        self.offer.problem().map_or(Ok(()), |problem| range(&problem))
    }
}
