//! Where a law stands, as Python reads it.

use super::arguments::whole;
use crate::run::setting;
use fairwire_laws::ring::RingSite;
use pyo3::prelude::*;

/// Everything a law may know of the ring before the run.
#[pyclass(frozen, module = "fairwire._native")]
pub struct Site(RingSite);

/// All traffic from the law's station to one egress.
#[pyclass(frozen, get_all, module = "fairwire._native")]
pub struct SiteFlow {
    /// Where it leaves the ring.
    egress: usize,
    /// How many links it crosses; the first is the station's own outgoing link.
    hops: usize,
    /// Its weight among the flows of the same station.
    weight: f64,
}

impl Site {
    /// The site as it is now.
    pub fn new(site: &RingSite) -> Self {
        Self(site.clone())
    }
}

#[pymethods]
impl Site {
    /// The law's own station.
    #[getter]
    fn station(&self) -> usize {
        self.0.station.index()
    }

    /// The same as people number it; another one where an open ring is folded into one ringlet.
    #[getter]
    fn home(&self) -> usize {
        self.0.home.index()
    }

    /// The ringlet whose traffic the law controls: 0 or 1.
    #[getter]
    fn ringlet(&self) -> usize {
        self.0.ringlet.index()
    }

    /// The number of stations on the ring.
    #[getter]
    fn stations(&self) -> usize {
        self.0.stations()
    }

    /// Capacity of the outgoing link, bit/s.
    #[getter]
    fn capacity_bps(&self) -> u64 {
        self.0.capacity().as_bps()
    }

    /// What of the outgoing link is not reserved for class A0, bit/s.
    #[getter]
    fn unreserved_bps(&self) -> u64 {
        self.0.unreserved().as_bps()
    }

    /// Capacity of each link, by the station that the link leaves, bit/s.
    #[getter]
    fn capacities_bps(&self) -> Vec<u64> {
        self.0.capacities.iter().map(|capacity| capacity.as_bps()).collect()
    }

    /// Propagation time of each link, by the station that the link leaves, ns.
    #[getter]
    fn delays_ns(&self) -> Vec<u64> {
        self.0.delays.iter().map(|delay| delay.as_nanos()).collect()
    }

    /// Propagation time once around the ring, ns.
    #[getter]
    fn ring_time_ns(&self) -> u64 {
        self.0.ring_time.as_nanos()
    }

    /// The station's own weight as an ingress.
    #[getter]
    fn weight(&self) -> f64 {
        self.0.weight().get()
    }

    /// Weight of each station as an ingress.
    #[getter]
    fn weights(&self) -> Vec<f64> {
        self.0.weights.iter().map(|weight| weight.get()).collect()
    }

    /// What the station is promised on every link that its flows cross, bit/s.
    #[getter]
    fn minimum_bps(&self) -> u64 {
        self.0.minimum.as_bps()
    }

    /// Rate reserved for class A0 on every link, bit/s.
    #[getter]
    fn reserved_bps(&self) -> u64 {
        self.0.reserved.as_bps()
    }

    /// What the law can limit: one for each egress, nearest first.
    #[getter]
    fn flows(&self) -> Vec<SiteFlow> {
        let flow = |flow: &fairwire_laws::ring::SiteFlow| SiteFlow {
            egress: flow.egress.index(),
            hops: flow.hops,
            weight: flow.weight.get(),
        };
        self.0.flows.iter().map(flow).collect()
    }

    /// Whether the station's packets, past their limiters, may wait for the link.
    #[getter]
    fn waits(&self) -> bool {
        self.0.waits
    }

    /// Room of the secondary transit queue in bytes, if there is one.
    #[getter]
    fn secondary_buffer_bytes(&self) -> Option<u64> {
        self.0.secondary_buffer.map(|bytes| bytes.get())
    }

    /// The largest packet that any station sends, in bytes.
    #[getter]
    fn max_packet_bytes(&self) -> u64 {
        self.0.max_packet.get()
    }

    /// Whether a message that circulates is put on the ring here.
    #[getter]
    fn first(&self) -> bool {
        self.0.first
    }

    /// The station `hops` links downstream, which is also the number of the link leaving it.
    fn downstream(&self, hops: &Bound<'_, PyAny>) -> PyResult<usize> {
        let none = || setting(format!("hops: {hops}; a number of links from 0 on, below 2^64"));
        let hops = whole("hops", hops, u64::MAX, none)?;
        Ok(self.0.downstream((hops % self.0.stations() as u64) as usize))
    }
}
