//! What a real run is told, and what it answers.

use crate::capture::CaptureWriter;
use crate::fidelity::Fidelity;
use crate::frame::Foreign;
use crate::journal::ArrivalsJournalWriter;
use crate::pauses::Pause;
use fairwire_core::{Instant, Span};
use fairwire_laws::ring::RingLawChoice;
use fairwire_laws::transport::KernelControl;
use fairwire_plan::{NetworkPlan, PlanError, RingPlan, Transfer};
use fairwire_sim::{BringError, BroughtPacket, Captured, Delivery, NetworkSimulation, RingSimulation, Steps};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

/// A simulation to which all packets are brought.
pub enum Carried {
    /// Of a ring.
    Ring(Box<RingSimulation>),
    /// Of a network.
    Network(Box<NetworkSimulation>),
}

/// Does the same with either.
macro_rules! either {
    ($carried:expr, $name:ident => $does:expr) => {
        match $carried {
            Carried::Ring($name) => $does,
            Carried::Network($name) => $does,
        }
    };
}

impl Carried {
    /// What is carried, if it is a ring.
    pub fn ring_plan(&self) -> Option<&RingPlan> {
        match self {
            Self::Ring(ring) => Some(ring.plan()),
            Self::Network(_) => None,
        }
    }

    /// What is carried, if it is a network.
    pub fn network_plan(&self) -> Option<&NetworkPlan> {
        match self {
            Self::Ring(_) => None,
            Self::Network(network) => Some(network.plan()),
        }
    }

    /// The same at its beginning, but that on a ring no law holds anybody back: what laws make of the little that a check of
    /// the links sends is not the links' doing. Laws that tell what stations want by their last packets need laps to forget.
    ///
    /// # Errors
    /// None for what is carried already.
    pub fn without_control(&self) -> Result<Self, PlanError> {
        let fifo = RingLawChoice::fifo(Default::default());
        match self {
            Self::Ring(ring) => {
                RingSimulation::carried(ring.plan().clone(), &fifo).map(|ring| Self::Ring(Box::new(ring)))
            }
            Self::Network(network) => {
                NetworkSimulation::carried(network.plan().clone()).map(|network| Self::Network(Box::new(network)))
            }
        }
    }

    /// How many flows there are.
    pub fn flows(&self) -> usize {
        either!(self, carried => carried.plan().flows.len())
    }

    /// The largest packet that can be brought, in bytes: as the ring's law knows it, or what flows of a network make.
    pub fn largest_packet(&self) -> u64 {
        match self {
            Self::Ring(ring) => ring.largest_packet(),
            Self::Network(network) => {
                let largest = network.plan().flows.iter().map(|flow| flow.offer.largest_packet().get()).max();
                largest.unwrap_or(0).max(128)
            }
        }
    }
}

impl Steps for Carried {
    fn now(&self) -> Instant {
        either!(self, carried => carried.now())
    }
    fn end(&self) -> Instant {
        either!(self, carried => carried.end())
    }
    fn advance(&mut self, until: Instant) {
        either!(self, carried => carried.advance(until));
    }
    fn inject(&mut self, flow: usize, packet: BroughtPacket) -> Result<(), BringError> {
        either!(self, carried => carried.inject(flow, packet))
    }
    fn deliveries(&mut self) -> Vec<Delivery> {
        either!(self, carried => carried.deliveries())
    }
    fn outstanding(&self) -> usize {
        either!(self, carried => carried.outstanding())
    }
    fn captured(&mut self) -> Vec<Captured> {
        either!(self, carried => carried.captured())
    }
}

/// How a real run is done.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How often the engine looks what came, at most; none for what fits rings or networks.
    pub tick: Option<Span>,
    /// In place of what the scenario's connections use.
    pub tcp: Option<KernelControl>,
    /// Whether the engine is to go before all others (SCHED_FIFO).
    pub priority: bool,
    /// Whether to check the links first.
    pub check_links: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { tick: None, tcp: None, priority: false, check_links: true }
    }
}

/// What is written while packets are carried.
#[derive(Default)]
pub struct Written {
    /// Arrivals.
    pub journal: Option<ArrivalsJournalWriter<Box<dyn Write>>>,
    /// What links send, of those that were captured.
    pub capture: Option<CaptureWriter<'static>>,
}

/// What connections of one flow did, which nobody but the kernel knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TcpCounts {
    /// Segments sent again.
    pub retransmitted: u64,
    /// Connections that began.
    pub begun: u64,
    /// Of these, those that could not be made or broke.
    pub failed: u64,
    /// Those with an end that came to it.
    #[serde(with = "crate::closing::transfers")]
    pub transfers: Vec<Transfer>,
    /// Those with an end that did not.
    pub unfinished: u64,
}

/// What a real run showed beside the record.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Whether it is to be believed.
    pub fidelity: Fidelity,
    /// By flow.
    pub tcp: Vec<TcpCounts>,
    /// What of the scenario could not be carried over, a sentence each.
    pub cautions: Vec<String>,
    /// How long connections stood still when something happened to the ring.
    pub pauses: Vec<Pause>,
    /// Whether somebody stopped it before its end.
    pub stopped: bool,
}

/// One thing that real runs need, and whether it is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What.
    pub what: &'static str,
    /// What for.
    pub needed_for: &'static str,
    /// Whether it is there.
    pub ok: bool,
    /// What was found.
    pub found: String,
    /// How to mend it, if it is not there.
    pub mend: Option<String>,
}

/// Whose traffic a ring or network that is held open carries beside that of programs in its stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// Nobody's.
    None,
    /// The scenario's.
    Scenario,
}

/// An existing network namespace, of a container or another program's, that is to be a station.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guest {
    /// The station or node, as the scenario numbers it.
    pub station: u32,
    /// What the user calls the namespace.
    pub name: String,
    /// Where it is: in `/run/netns` for a name, in `/proc` for a process.
    pub path: PathBuf,
}

impl Guest {
    /// `N=NAME`, where the namespace is named as `ip netns` does, by a process that is in it, or by a path.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (station, name) = text.split_once('=').ok_or("write N=NAME: a station and a network namespace")?;
        let station = station.trim().parse().map_err(|_| format!("`{station}` is no number of a station"))?;
        let name = name.trim().to_owned();
        let path = match &name {
            name if name.is_empty() => return Err("the namespace has no name".to_owned()),
            name if name.contains('/') => PathBuf::from(name),
            name if name.bytes().all(|byte| byte.is_ascii_digit()) => PathBuf::from(format!("/proc/{name}/ns/net")),
            name => PathBuf::from(format!("/run/netns/{name}")),
        };
        Ok(Self { station, name, path })
    }
}

/// Frames that came up from stations of a ring or network that is held open, so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Frames {
    /// All that came.
    pub came: u64,
    /// Of these, carried.
    pub carried: u64,
    /// Of these, refused by an access line, as more came than its station's link carries.
    pub line_refused: u64,
    /// Of these, not carried, by kind.
    pub foreign: BTreeMap<Foreign, u64>,
    /// Frames that arrived and that a station's kernel did not take.
    pub not_taken: u64,
}

/// How programs get into a station.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrance {
    /// The station or node, as the scenario numbers it.
    pub station: u32,
    /// Its IPv4 address.
    pub address: String,
    /// Its network namespace, as the holding process has it open.
    pub descriptor: i32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_core::{BitRate, Bytes, Weight};
    use fairwire_laws::queue::{Limit, QueueLawChoice};
    use fairwire_plan::{Arrivals, Detail, NetworkEngine, NetworkFlowPlan, NetworkLinkPlan, Offer, Traffic};

    /// What flows of a network make, but never less than 128 bytes.
    #[test]
    fn the_largest_packet_of_a_network_is_that_of_its_flows() {
        let link = NetworkLinkPlan {
            name: "only".to_owned(),
            from: 0,
            to: 1,
            capacity: BitRate::from_mbps(10),
            delay: Span::ZERO,
            reordering: Span::ZERO,
            random_loss: 0.0,
            queue: QueueLawChoice::by_name("droptail").expect("it is in the list"),
            rate: None,
            limit: Limit::Packets(100),
            mean_packet: Bytes::new(1_000),
            changes: Vec::new(),
        };
        let flow = |packet_bytes: u16| NetworkFlowPlan {
            name: packet_bytes.to_string(),
            route: vec![0],
            reverse_route: Vec::new(),
            weight: Weight::ONE,
            micro_flows: 1,
            offer: Offer::Datagrams(Traffic {
                arrivals: Arrivals::Cbr { rate: BitRate::from_mbps(1), jitter: 0.0 },
                packet_bytes,
                size_jitter: 0.0,
            }),
            start: Instant::ZERO,
            start_jitter: Span::ZERO,
            stop: Instant::NEVER,
            high_priority: false,
            activity: None,
        };
        let largest = |sizes: &[u16]| {
            let plan = NetworkPlan {
                seed: 1,
                run: 0,
                duration: Span::from_millis(10),
                warmup: Span::ZERO,
                window: Span::from_millis(1),
                nodes: 2,
                links: vec![link.clone()],
                flows: sizes.iter().map(|size| flow(*size)).collect(),
                demand_changes: Vec::new(),
                flow_changes: Vec::new(),
                engine: NetworkEngine::Ahead,
                detail: Detail::Summary,
                check: false,
            };
            Carried::Network(Box::new(NetworkSimulation::carried(plan).expect("a plan"))).largest_packet()
        };
        assert_eq!(largest(&[500, 1_500, 100]), 1_500);
        assert_eq!(largest(&[100]), 128);
    }

    #[test]
    fn guests_are_named_by_name_process_or_path() {
        let path = |text: &str| Guest::parse(text).map(|guest| (guest.station, guest.path.display().to_string()));
        assert_eq!(path("3=web"), Ok((3, "/run/netns/web".to_owned())));
        assert_eq!(path("0=4711"), Ok((0, "/proc/4711/ns/net".to_owned())));
        assert_eq!(path("1=/tmp/ns"), Ok((1, "/tmp/ns".to_owned())));
        for wrong in ["web", "x=web", "3=", "-1=web"] {
            assert!(path(wrong).is_err(), "{wrong}");
        }
    }
}
