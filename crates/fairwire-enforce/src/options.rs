//! How a station is governed.

use fairwire_core::{BitRate, Span};
use fairwire_exchange::IpNet;
use std::net::SocketAddr;

/// How a station is governed.
#[derive(Clone, Debug)]
pub struct Options {
    /// The station.
    pub station: u16,
    /// The network device of each link: its name as `allocate` tells it, such as `r0:3`, and the device.
    pub devices: Vec<(String, String)>,
    /// The addresses behind stations: station, prefix.
    pub addresses: Vec<(String, IpNet)>,
    /// Where neighbours listen to messages: station, address.
    pub peers: Vec<(u16, SocketAddr)>,
    /// Where this station listens.
    pub listen: SocketAddr,
    /// What packets of no flow have at least on each link; a twentieth of it where it is none.
    pub rest: Option<BitRate>,
    /// From one call of a law for a message to the next it takes so long at least.
    pub tick: Span,
    /// So long after the last message limits of the law hold.
    pub lease: Span,
    /// From one status to the next.
    pub every: Span,
    /// Whether a queue that is there already is replaced.
    pub replace: bool,
}
