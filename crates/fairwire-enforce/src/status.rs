//! What it looks like.

use serde::Serialize;

/// A station at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Since it began, in seconds.
    pub time_s: f64,
    /// The station.
    pub station: u16,
    /// The law.
    pub law: &'static str,
    /// One a ringlet that carries flows.
    pub ringlets: Vec<RingletStatus>,
    /// Datagrams that were no messages of a neighbour on this ring, since it began.
    pub strays: u64,
    /// Of these, messages of another ring or law.
    pub other_ring: u64,
}

/// One ringlet. Rates are means since the status before, in bit/s, of packets with their Ethernet header.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RingletStatus {
    /// The link, as `allocate` tells it.
    pub link: String,
    /// The network device; none where no flow crosses the link.
    pub device: Option<String>,
    /// What the link carries.
    pub capacity_bps: u64,
    /// Whether limits are the law's. If not, no neighbour was heard for the time of the lease, and they are fair rates of the
    /// scenario.
    pub leased: bool,
    /// Messages that came, since it began.
    pub messages_heard: u64,
    /// Messages that were sent, since it began.
    pub messages_sent: u64,
    /// What other stations send over the link.
    pub transit_bps: f64,
    /// What waits of it, in bytes.
    pub transit_waiting_bytes: u64,
    /// What belongs to no flow.
    pub rest_bps: f64,
    /// One an egress, the nearest first.
    pub limits: Vec<LimitStatus>,
}

/// What the station adds for one egress.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LimitStatus {
    /// Where it leaves the ring.
    pub egress: u16,
    /// What it may be at most, in bit/s.
    pub limit_bps: u64,
    /// What it is, in bit/s.
    pub rate_bps: f64,
    /// What waits, in bytes.
    pub waiting_bytes: u64,
    /// Packets dropped since the status before.
    pub dropped: u64,
}

/// A node of a network at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeStatus {
    /// Since it began, in seconds.
    pub time_s: f64,
    /// The node.
    pub node: String,
    /// The law of the first flow.
    pub law: &'static str,
    /// The links that leave it and that flows cross; none where flows end only.
    pub links: Vec<LinkStatus>,
    /// Control packets that came, since it began.
    pub messages_heard: u64,
    /// Control packets that were sent, since it began.
    pub messages_sent: u64,
    /// Control packets that were late, came twice, or were refused by a law, since it began.
    pub refused: u64,
    /// Datagrams that were no messages of a neighbour, since it began.
    pub strays: u64,
    /// Of these, messages of another network, law or lease.
    pub other_network: u64,
}

/// A link that leaves a node. Rates are means since the status before, in bit/s, of packets with their Ethernet header.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkStatus {
    /// The link, as `allocate` tells it.
    pub link: String,
    /// The network device.
    pub device: String,
    /// What the link carries.
    pub capacity_bps: u64,
    /// What belongs to no flow.
    pub rest_bps: f64,
    /// Control packets.
    pub control_bps: f64,
    /// The flows that cross it, in the order of the scenario.
    pub flows: Vec<FlowStatus>,
}

/// A flow at a link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowStatus {
    /// Its name.
    pub flow: String,
    /// What it may be at most, in bit/s; none where it has come over another link.
    pub limit_bps: Option<u64>,
    /// Whether the limit is the law's. If not, no control packet has come back for the time of the lease, and it is the fair
    /// rate of the scenario. None where it has come over another link.
    pub leased: Option<bool>,
    /// What it is, in bit/s.
    pub rate_bps: f64,
    /// What waits, in bytes.
    pub waiting_bytes: u64,
    /// Packets dropped since the status before.
    pub dropped: u64,
}
