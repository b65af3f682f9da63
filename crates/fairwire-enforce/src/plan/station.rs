//! What is governed at a station of a ring.

use super::peers::{Peers, is_from};
use super::{RouterPlan, lines_of};
use crate::envelope::{Envelope, RingHead};
use crate::error::{EnforceError, RouterName};
use crate::options::Options;
use fairwire_core::{BitRate, Bytes, Ringlet, ServiceClass, StationId};
use fairwire_exchange::{Governed, GovernedQueue, TcOptions, governed_queues};
use fairwire_laws::ring::{Counters, RingLawChoice, RingLawFactory, RingSite, Sends};
use fairwire_plan::RingPlan;
use fairwire_scenario::{Scenario, Way};
use std::net::{IpAddr, SocketAddr};

/// A packet of Ethernet.
const LARGEST_PACKET: Bytes = Bytes::new(1_514);

/// What is governed at a station.
pub struct StationPlan {
    /// What was asked for.
    pub(crate) options: Options,
    /// The station.
    pub(crate) station: StationId,
    /// The law.
    pub(crate) law: Box<dyn RingLawFactory>,
    /// A part for each ringlet that carries flows.
    pub(crate) ringlets: Vec<RingletPlan>,
    /// What a message says of its ring.
    pub(crate) envelope: Envelope<RingHead>,
}

/// One ringlet at the station.
pub(crate) struct RingletPlan {
    /// Where the law stands.
    pub site: RingSite,
    /// The queue in front of the link; none where no flow crosses it, as at the end of a chain. The law is there for others.
    pub queue: Option<GovernedQueue>,
    /// What each egress has while the law is not heard: the fair rates of the scenario.
    pub safe: Vec<BitRate>,
    /// Where messages go that are for the station upstream, and for the one downstream.
    pub upstream: Option<SocketAddr>,
    pub downstream: Option<SocketAddr>,
}

impl StationPlan {
    /// What `law` governs at `station` of the ring in `scenario`. `fair_bps` are the rates of its flows in bit/s, one each,
    /// in their order: what they have while stations do not hear from each other.
    ///
    /// # Errors
    /// [`EnforceError`], before anything is touched.
    pub fn new(
        scenario: &Scenario,
        law: &RingLawChoice,
        fair_bps: &[f64],
        station: StationId,
        options: Options,
    ) -> Result<Self, EnforceError> {
        let plan = scenario.ring_plan(0).ok_or(EnforceError::NoRing)?;
        let stations = plan.stations.len();
        if station.index() >= stations {
            return Err(EnforceError::Station { station: station.0, stations });
        }
        if let Some(flow) = plan.flows.iter().find(|flow| flow.class != ServiceClass::C) {
            return Err(EnforceError::Class(flow.name.clone(), flow.class));
        }
        let factory = law.factory();
        check_needs(factory.as_ref())?;
        let carries = |ringlet: &Ringlet| (0..stations).any(|station| !site(&plan, *ringlet, station).flows.is_empty());
        let ringlets: Vec<Ringlet> = Ringlet::BOTH.into_iter().filter(carries).collect();
        if ringlets.is_empty() {
            return Err(EnforceError::NoFlows);
        }
        let sites: Vec<RingSite> = ringlets.iter().map(|ringlet| site(&plan, *ringlet, station.index())).collect();
        let governed: Vec<Governed> = sites
            .iter()
            .map(|site| Governed {
                ringlet: site.ringlet,
                egresses: site.flows.iter().map(|flow| flow.egress).collect(),
            })
            .collect();
        let tc = TcOptions {
            node: station.to_string(),
            devices: options.devices.clone(),
            addresses: options.addresses.clone(),
            rest: options.rest,
            ..TcOptions::default()
        };
        let mut queues = governed_queues(scenario, &governed, &tc)?;
        let around = Around { station: station.index(), stations, sends: factory.needs().sends };
        let peers = around.peers(&options, law.about().name)?;
        let parts = sites.into_iter().map(|site| {
            let place = queues.iter().position(|(ringlet, _)| *ringlet == site.ringlet);
            let queue = place.map(|place| queues.remove(place).1);
            let safe = safe_rates(scenario, fair_bps, &site);
            let (upstream, downstream) = around.addresses(&peers, site.ringlet)?;
            Ok(RingletPlan { site, queue, safe, upstream, downstream })
        });
        let ringlets = parts.collect::<Result<_, EnforceError>>()?;
        let envelope = Envelope::of_ring(&plan, law, options.lease);
        Ok(Self { options, station, law: factory, ringlets, envelope })
    }

    /// The lines for `tc -batch` that make the queues.
    pub fn lines(&self) -> String {
        lines_of(self)
    }

    /// Whether a message that says it is from `station`, and came from `address`, is a neighbour's.
    pub(crate) fn is_neighbour(&self, station: StationId, address: IpAddr) -> bool {
        let name = station.to_string();
        self.options.peers.iter().any(|(peer, at)| *peer == name && is_from(*at, address))
    }
}

impl RouterPlan for StationPlan {
    fn options(&self) -> &Options {
        &self.options
    }

    fn queues(&self) -> Vec<&GovernedQueue> {
        self.ringlets.iter().filter_map(|ringlet| ringlet.queue.as_ref()).collect()
    }

    fn safe_lines(&self) -> String {
        let of = |ringlet: &RingletPlan| -> String {
            let limits = |queue: &GovernedQueue| {
                ringlet.safe.iter().enumerate().map(|(place, rate)| queue.limit(place, *rate)).collect()
            };
            ringlet.queue.as_ref().map_or_else(String::new, limits)
        };
        self.ringlets.iter().map(of).collect()
    }
}

/// Where the law stands: on a router packets are as large as Ethernet lets them be, and may wait beside transit traffic.
fn site(plan: &RingPlan, ringlet: Ringlet, station: usize) -> RingSite {
    let site = fairwire_sim::ring_site(plan, ringlet, StationId(station as u16));
    RingSite { max_packet: site.max_packet.max(LARGEST_PACKET), waits: true, ..site }
}

/// An error if the law reads or limits what this driver has not.
fn check_needs(law: &dyn RingLawFactory) -> Result<(), EnforceError> {
    let name = law.about().name;
    let Counters {
        arrived_by_ingress,
        arrived_reclaimable: _,
        sent: _,
        added_and_forwarded,
        sent_by_ingress,
        forwarded_by_hops,
        sending,
        secondary_deepest,
    } = law.counters();
    let unseen = [
        (arrived_by_ingress, "how many bytes of each station arrive"),
        (added_and_forwarded, "how much of each service class was added and forwarded"),
        (sent_by_ingress, "how many bytes of each station were sent"),
        (forwarded_by_hops, "how far what was forwarded still goes"),
        (sending, "which packet the link is sending"),
        (secondary_deepest, "how much waited at most in the secondary transit queue"),
    ];
    if let Some((_, what)) = unseen.into_iter().find(|(is_read, _)| *is_read) {
        return Err(EnforceError::Unseen { law: name, what });
    }
    if law.needs().limits_together { Err(EnforceError::Together(name)) } else { Ok(()) }
}

/// What the flows to each egress have together by `fair_bps`. An egress that no declared flow has (acknowledgements go there)
/// has what the weight of the station is worth of the link.
fn safe_rates(scenario: &Scenario, fair_bps: &[f64], site: &RingSite) -> Vec<BitRate> {
    let all_weights: f64 = site.weights.iter().map(|weight| weight.get()).sum();
    let by_weight = site.capacity().scaled(site.weight().get() / all_weights);
    let goes_there = |flow: &fairwire_scenario::Flow, egress: StationId| {
        let on = |way: &Way| matches!(way, Way::Ring { ringlet } if *ringlet == site.ringlet);
        flow.from.index == site.station.index() && flow.to.index == egress.index() && on(&flow.way)
    };
    let of = |egress: StationId| {
        let flows = scenario.flows().iter().zip(fair_bps).filter(|(flow, _)| goes_there(flow, egress));
        let rates: Vec<f64> = flows.map(|(_, bps)| *bps).collect();
        if rates.is_empty() {
            by_weight
        } else {
            BitRate::from_bps(rates.iter().sum::<f64>() as u64).min(site.capacity())
        }
    };
    site.flows.iter().map(|flow| of(flow.egress)).collect()
}

/// Who is next to the station, and whom the law sends to.
struct Around {
    station: usize,
    stations: usize,
    sends: Sends,
}

impl Around {
    /// The next station in the direction of a ringlet.
    fn next(&self, ringlet: Ringlet) -> String {
        let step = if ringlet == Ringlet::Zero { 1 } else { self.stations - 1 };
        ((self.station + step) % self.stations).to_string()
    }

    /// Both neighbours, where the law talks with them.
    fn peers<'a>(&self, options: &'a Options, law: &str) -> Result<Peers<'a>, EnforceError> {
        let neighbours = Ringlet::BOTH.map(|ringlet| self.next(ringlet));
        let here = RouterName::station(self.station);
        let who = format!("{law} talks with both neighbours");
        let peers = Peers { options, here, neighbours: neighbours.iter().cloned().collect(), who };
        peers.check()?;
        // Where messages go to one neighbour, they come from the other.
        if self.sends != Sends::Nothing {
            neighbours.iter().try_for_each(|station| peers.listens(station).map(drop))?;
        }
        Ok(peers)
    }

    /// Where the stations upstream and downstream on a ringlet listen, if the law sends to them.
    fn addresses(
        &self,
        peers: &Peers<'_>,
        ringlet: Ringlet,
    ) -> Result<(Option<SocketAddr>, Option<SocketAddr>), EnforceError> {
        let upstream = || peers.listens(&self.next(ringlet.opposite())).map(Some);
        let downstream = || peers.listens(&self.next(ringlet)).map(Some);
        Ok(match self.sends {
            Sends::Nothing => (None, None),
            Sends::Upstream => (upstream()?, None),
            Sends::BothWays => (upstream()?, downstream()?),
        })
    }
}
