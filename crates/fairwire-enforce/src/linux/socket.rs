//! Where messages come and go. They leave in a class of their own, ahead of all other packets.

use crate::error::EnforceError;
use fairwire_exchange::GovernedQueue;
use nix::sys::socket::{setsockopt, sockopt};
use std::io;
use std::net::{SocketAddr, UdpSocket};

/// A socket that never waits.
pub fn listen(address: SocketAddr) -> Result<UdpSocket, EnforceError> {
    let socket = UdpSocket::bind(address).map_err(|error| EnforceError::Listen(address, error))?;
    let doing = |error: io::Error| EnforceError::System("giving messages their class", error);
    socket.set_nonblocking(true).map_err(doing)?;
    let priority = GovernedQueue::CONTROL_PRIORITY as i32;
    setsockopt(&socket, sockopt::Priority, &priority).map_err(|error| doing(error.into()))?;
    Ok(socket)
}
