//! Who is next to a router, and where they listen.

use crate::error::{EnforceError, RouterName};
use crate::options::Options;
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

/// Who is next to a router, and where they listen.
pub(super) struct Peers<'a> {
    /// What was asked for.
    pub options: &'a Options,
    /// The router.
    pub here: RouterName,
    /// Those next to it, by their names.
    pub neighbours: BTreeSet<String>,
    /// Who talks with them, in words.
    pub who: String,
}

impl Peers<'_> {
    /// An error if peers are named who are none, or who could not be heard.
    pub fn check(&self) -> Result<(), EnforceError> {
        if let Some((name, _)) = self.options.peers.iter().find(|(name, _)| !self.neighbours.contains(name)) {
            return Err(EnforceError::NoNeighbour(self.here.next(name), self.here.clone()));
        }
        for (name, at) in &self.options.peers {
            let first = self.listens(name)?;
            if first != *at {
                return Err(EnforceError::PeerTwice(self.here.next(name), first, *at));
            }
        }
        let listen = self.options.listen;
        let is_apart = |(_, at): &&(String, SocketAddr)| at.is_ipv4() != listen.is_ipv4();
        match self.options.peers.iter().find(is_apart) {
            Some((name, at)) => Err(EnforceError::Protocols(self.here.next(name), *at, listen)),
            None => Ok(()),
        }
    }

    /// Where a neighbour listens.
    pub fn listens(&self, name: &str) -> Result<SocketAddr, EnforceError> {
        let peer = self.options.peers.iter().find(|(peer, _)| peer == name);
        let none = || EnforceError::NoPeer(self.here.next(name), self.who.clone());
        peer.map(|(_, address)| *address).ok_or_else(none)
    }
}

/// Whether who is said to send from `at` has sent from `address`.
pub(super) fn is_from(at: SocketAddr, address: IpAddr) -> bool {
    at.ip().to_canonical() == address.to_canonical()
}
