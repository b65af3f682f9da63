//! How a router is governed.

use fairwire_core::{BitRate, Span};
use fairwire_exchange::IpNet;
use std::net::SocketAddr;

/// How a router is governed.
#[derive(Clone, Debug)]
pub struct Options {
    /// The network device of each link: its name as `allocate` tells it, such as `r0:3` or `hop-2`, and
    /// the device.
    pub devices: Vec<(String, String)>,
    /// The addresses behind stations or nodes: its number or name, prefix.
    pub addresses: Vec<(String, IpNet)>,
    /// The addresses of flows of a network that share their ends with others: flow, prefix. A ring has none.
    pub flows: Vec<(String, IpNet)>,
    /// Where neighbours listen to messages: number or name, address.
    pub peers: Vec<(String, SocketAddr)>,
    /// Where this router listens.
    pub listen: SocketAddr,
    /// What packets of no flow have at least on each link; a twentieth of it where it is none.
    pub rest: Option<BitRate>,
    /// On a ring, from one call of a law for a message to the next it takes so long at least; in a network, from one control
    /// packet of a flow to the next.
    pub tick: Span,
    /// So long after the last message limits of the law hold.
    pub lease: Span,
    /// From one status to the next.
    pub every: Span,
    /// Whether a queue that is there already is replaced.
    pub replace: bool,
}
