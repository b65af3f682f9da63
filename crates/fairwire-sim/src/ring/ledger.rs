//! What is counted for each flow while packets move.

use super::packet::{Arrival, Packet};
use crate::delays::Delays;
use crate::plan::{FlowPlan, RingPlan};
use crate::record::DelaySummary;
use fairwire_core::{FlowId, PacketMeta, ServiceClass, StationId};

/// Books of all flows.
#[derive(Debug)]
pub struct Ledger {
    warmup: u64,
    window: u64,
    places: Vec<Place>,
    tallies: Vec<Tally>,
    receipts: Vec<Receipt>,
}

/// What a station must know of a flow.
#[derive(Clone, Copy, Debug)]
struct Place {
    ingress: StationId,
    /// Which of its station's (ingress, egress) pairs on its ringlet it belongs to.
    pair: u16,
    class: ServiceClass,
}

/// One flow's packets on the ring.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub entered: u64,
    pub dropped: u64,
    pub lost: u64,
    pub measured_entered: u64,
    pub measured_dropped: u64,
}

/// What one flow's egress received.
#[derive(Debug)]
pub struct Receipt {
    pub delivered: u64,
    pub measured_bytes: u64,
    row_end: u64,
    row_bytes: u32,
    rows: Vec<u32>,
    delays: Delays,
}

impl Ledger {
    /// Empty books for the flows of `plan`, whose pairs are numbered by `pair`.
    pub fn new(plan: &RingPlan, pair: impl Fn(&FlowPlan) -> u16) -> Self {
        let window = plan.window.as_nanos();
        let place = |flow: &FlowPlan| Place { ingress: flow.from, pair: pair(flow), class: flow.class };
        let receipt = |_: &FlowPlan| Receipt {
            delivered: 0,
            measured_bytes: 0,
            row_end: window,
            row_bytes: 0,
            rows: Vec::new(),
            delays: Delays::default(),
        };
        Self {
            warmup: plan.warmup.as_nanos(),
            window,
            places: plan.flows.iter().map(place).collect(),
            tallies: vec![Tally::default(); plan.flows.len()],
            receipts: plan.flows.iter().map(receipt).collect(),
        }
    }

    /// The books of each flow.
    pub fn flows(&self) -> impl Iterator<Item = (&Tally, &Receipt)> {
        self.tallies.iter().zip(&self.receipts)
    }

    /// A law's view of `packet`.
    #[inline]
    pub fn meta(&self, packet: &Packet) -> PacketMeta {
        let place = &self.places[packet.flow as usize];
        PacketMeta {
            flow: FlowId(packet.flow),
            ingress: place.ingress,
            egress: StationId(packet.egress()),
            size_bytes: packet.size.into(),
            class: place.class,
            fairness_eligible: !place.class.is_primary() && !packet.is_committed(),
        }
    }

    /// The class of `flow`.
    #[inline]
    pub fn class(&self, flow: u32) -> ServiceClass {
        self.places[flow as usize].class
    }

    /// The pair that `flow` belongs to.
    #[inline]
    pub fn pair(&self, flow: u32) -> usize {
        self.places[flow as usize].pair.into()
    }

    /// Packets of `flow` enter the ring, in order of time.
    pub fn enter_all(&mut self, flow: u32, packets: &[Arrival]) {
        let tally = &mut self.tallies[flow as usize];
        let unmeasured = packets.partition_point(|arrival| arrival.at < self.warmup);
        tally.entered += packets.len() as u64;
        tally.measured_entered += (packets.len() - unmeasured) as u64;
    }

    #[inline]
    pub fn enter(&mut self, now: u64, packet: &Packet) {
        let tally = &mut self.tallies[packet.flow as usize];
        tally.entered += 1;
        tally.measured_entered += u64::from(now >= self.warmup);
    }

    #[inline]
    pub fn drop(&mut self, now: u64, packet: &Packet) {
        let tally = &mut self.tallies[packet.flow as usize];
        tally.dropped += 1;
        tally.measured_dropped += u64::from(now >= self.warmup);
    }

    /// The wire was cut while `packet` was on it.
    #[cold]
    pub fn lose(&mut self, packet: &Packet) {
        self.tallies[packet.flow as usize].lost += 1;
    }

    #[inline(always)]
    pub fn deliver(&mut self, now: u64, packet: &Packet) {
        let receipt = &mut self.receipts[packet.flow as usize];
        receipt.delivered += 1;
        if now >= receipt.row_end {
            receipt.close_rows(now, self.window);
        }
        if now + self.window < receipt.row_end {
            receipt.add_to_row((now / self.window) as usize, packet.size);
        } else {
            receipt.row_bytes += u32::from(packet.size);
        }
        if now >= self.warmup {
            receipt.measured_bytes += u64::from(packet.size);
            receipt.delays.record(now - packet.born);
        }
    }
}

impl Receipt {
    #[cold]
    fn close_rows(&mut self, now: u64, window: u64) {
        while now >= self.row_end {
            self.rows.push(self.row_bytes);
            self.row_bytes = 0;
            self.row_end += window;
        }
    }

    /// A packet that came over the other ringlet, which is looked at after this one.
    #[cold]
    fn add_to_row(&mut self, row: usize, size: u16) {
        self.rows[row] += u32::from(size);
    }

    /// Deliveries in each row of a run of `duration` ns.
    pub fn rows(&self, duration: u64, window: u64) -> Vec<u32> {
        let mut rows = self.rows.clone();
        rows.push(self.row_bytes);
        rows.resize(duration.div_ceil(window) as usize, 0);
        rows
    }

    pub fn delay_summary(&self) -> DelaySummary {
        self.delays.summary()
    }
}
