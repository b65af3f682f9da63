//! The station as a law in Python reads it when it is called.

use fairwire_core::{Bytes, Instant};
use fairwire_laws::ring::{self, AddQueueView, LinkTraffic, Sending};
use pyo3::prelude::*;

/// The station at the time of one call.
#[pyclass(frozen, module = "fairwire._native")]
pub struct StationView {
    now: Instant,
    waiting: Bytes,
    busy_since: Option<Instant>,
    primary: Bytes,
    secondary: Bytes,
    secondary_deepest: Bytes,
    sending: Option<Sending>,
    traffic: LinkTraffic,
    adds: Vec<AddQueueView>,
}

/// What waits at the station for one egress.
#[pyclass(frozen, get_all, module = "fairwire._native")]
pub struct AddQueue {
    /// Packets that wait now; None for a source that never runs out.
    packets: Option<u32>,
    /// Bytes that wait now; None for a source that never runs out.
    waiting_bytes: Option<u64>,
    /// Bytes that its sources have offered since the run began.
    offered_bytes: u64,
    /// Packets have waited at all times since then, in ns; None if none wait, or if nobody knows.
    waits_since_ns: Option<u64>,
}

/// Bytes by what their service class is promised.
#[pyclass(frozen, get_all, module = "fairwire._native")]
pub struct ClassBytes {
    /// Subject to fairness: class C, and class B beyond its committed rate.
    eligible: u64,
    /// Promised, and others may use it while it is idle.
    reclaimable: u64,
}

/// The same for each of several.
#[pyclass(frozen, get_all, module = "fairwire._native")]
pub struct ByteCounts {
    /// Subject to fairness.
    eligible: Vec<u64>,
    /// Promised, and others may use it while it is idle.
    reclaimable: Vec<u64>,
}

impl StationView {
    /// What `view` shows at `now`.
    pub fn new(now: Instant, view: &ring::StationView<'_>) -> Self {
        Self {
            now,
            waiting: view.link.waiting,
            busy_since: view.link.busy_since,
            primary: view.transit.primary,
            secondary: view.transit.secondary,
            secondary_deepest: view.transit.secondary_deepest,
            sending: view.link.sending,
            traffic: view.traffic.clone(),
            adds: view.adds.to_vec(),
        }
    }
}

#[pymethods]
impl StationView {
    /// The time of the call, ns.
    #[getter]
    fn now_ns(&self) -> u64 {
        self.now.as_nanos()
    }

    /// Bytes that wait for the outgoing link, the packet in transmission not counted.
    #[getter]
    fn waiting_bytes(&self) -> u64 {
        self.waiting.get()
    }

    /// The link has had something to send at all times since then, in ns; None if it has nothing now.
    #[getter]
    fn busy_since_ns(&self) -> Option<u64> {
        self.busy_since.map(Instant::as_nanos)
    }

    /// Bytes in the primary transit queue (PTQ).
    #[getter]
    fn primary_bytes(&self) -> u64 {
        self.primary.get()
    }

    /// Bytes in the secondary transit queue (STQ).
    #[getter]
    fn secondary_bytes(&self) -> u64 {
        self.secondary.get()
    }

    /// The most that waited there since the law was last called.
    #[getter]
    fn secondary_deepest_bytes(&self) -> u64 {
        self.secondary_deepest.get()
    }

    /// The ingress of the packet that the link is sending, if it sends one.
    #[getter]
    fn sending_ingress(&self) -> Option<u16> {
        self.sending.map(|sending| sending.packet.ingress.0)
    }

    /// Bytes of that packet that have not left yet; the counters hold all of it.
    #[getter]
    fn sending_left_bytes(&self) -> u64 {
        self.sending.map_or(0, |sending| sending.left_bytes)
    }

    /// The station's add queues, in the order of `site.flows`.
    #[getter]
    fn adds(&self) -> Vec<AddQueue> {
        let add = |add: &AddQueueView| AddQueue {
            packets: (add.packets != u32::MAX).then_some(add.packets),
            waiting_bytes: (add.bytes != u64::MAX).then_some(add.bytes),
            offered_bytes: add.offered_bytes,
            waits_since_ns: add.waits_since.map(Instant::as_nanos),
        };
        self.adds.iter().map(add).collect()
    }

    /// Fairness-eligible bytes that have reached the link's scheduler, dropped or not, by ingress.
    #[getter]
    fn arrived_by_ingress(&self) -> Vec<u64> {
        self.traffic.arrived_by_ingress.clone()
    }

    /// Reclaimable bytes that have reached the link's scheduler.
    #[getter]
    fn arrived_reclaimable(&self) -> u64 {
        self.traffic.arrived_reclaimable
    }

    /// Bytes that the link began to send.
    #[getter]
    fn sent(&self) -> ClassBytes {
        class_bytes(self.traffic.sent)
    }

    /// Of these, the station's own.
    #[getter]
    fn added(&self) -> ClassBytes {
        class_bytes(self.traffic.added)
    }

    /// Of these, transit traffic.
    #[getter]
    fn forwarded(&self) -> ClassBytes {
        class_bytes(self.traffic.forwarded)
    }

    /// Bytes that the link began to send, by ingress.
    #[getter]
    fn sent_by_ingress(&self) -> ByteCounts {
        byte_counts(&self.traffic.sent_by_ingress)
    }

    /// Transit traffic that the link began to send, by the number of links that it still crosses, this one included.
    #[getter]
    fn forwarded_by_hops(&self) -> ByteCounts {
        byte_counts(&self.traffic.forwarded_by_hops)
    }
}

fn class_bytes(counts: ring::ClassBytes) -> ClassBytes {
    ClassBytes { eligible: counts.eligible, reclaimable: counts.reclaimable }
}

fn byte_counts(counts: &ring::ByteCounts) -> ByteCounts {
    ByteCounts { eligible: counts.eligible.clone(), reclaimable: counts.reclaimable.clone() }
}
