//! All stations of a plan, on which runs take place.

use super::home::Home;
use super::station::{Counted, Station};
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
        if let Some((guest, _)) = home.guests.iter().find(|(guest, _)| !layout.stations.contains(&guest.station)) {
            let all: Vec<String> = layout.stations.iter().map(ToString::to_string).collect();
            return Err(NetError::NoStation(guest.station, guest.name.clone(), all.join(", ")));
        }
        let make = |number: u16| {
            let station = layout.stations[usize::from(number)];
            let guest = home.guests.iter().find(|(guest, _)| guest.station == station);
            Station::make(number, &layout, largest, ecn, guest)
        };
        let stations = (0..layout.stations.len() as u16).map(make).collect::<Result<_, _>>()?;
        home.go()?;
        let home = home.again()?;
        Ok(Self { home, layout, stations, largest: largest as usize })
    }

    /// What all stations' kernels have counted so far.
    pub(super) fn counted(&self) -> Result<Counted, NetError> {
        let mut all = self.stations.iter().map(Station::counted);
        let counted = all.try_fold(Counted::default(), |sum, counted| Ok(sum.and(counted?)));
        self.home.go()?;
        counted
    }
}
