//! All stations of a plan, on which runs take place.

use super::home::Home;
use super::station::Station;
use crate::error::NetError;
use crate::layout::Layout;
use crate::options::Carried;

/// Stations or hosts in namespaces of their own; gone when this is dropped, or with the process.
#[derive(Debug)]
pub struct Stage {
    pub(super) home: Home,
    pub(super) layout: Layout,
    pub(super) stations: Vec<Station>,
    pub(super) largest: usize,
}

impl Stage {
    /// Makes the stations of what `carried` simulates. Every law of the same scenario can run on them.
    ///
    /// # Errors
    /// [`NetError`] with what the system lacks, or what is too much for it.
    pub fn set(home: &Home, carried: &Carried) -> Result<Self, NetError> {
        let layout = match carried {
            Carried::Ring(ring) => Layout::of_ring(ring.plan())?,
            Carried::Network(network) => Layout::of_network(network.plan())?,
        };
        let largest = carried.largest_packet();
        let ecn = layout.flows.iter().filter_map(|flow| flow.tcp.as_ref()).any(|tcp| tcp.settings.ecn);
        let stations = 0..layout.stations.len() as u16;
        let stations = stations.map(|number| Station::make(number, &layout, largest, ecn)).collect::<Result<_, _>>()?;
        home.go()?;
        let home = home.again()?;
        Ok(Self { home, layout, stations, largest: largest as usize })
    }

    /// Frames that were sent by kernels and found a TAP full, so far.
    pub(super) fn lost(&self) -> Result<u64, NetError> {
        let lost = self.stations.iter().map(Station::lost).sum::<Result<u64, _>>();
        self.home.go()?;
        lost
    }
}
