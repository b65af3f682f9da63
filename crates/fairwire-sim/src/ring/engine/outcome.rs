//! What a run comes to: the record of all that stations, links and flows counted.

use super::Ring;
use crate::ring::audit;
use crate::ring::books::{Receipt, Tally};
use crate::ring::station::Side;
use crate::ring::whole::Whole;
use fairwire_core::{Instant, Ringlet, Sample, Span, StationId};
use fairwire_laws::transport::Waited;
use fairwire_plan::{Detail, FlowRecord, LawSample, LinkRecord, RunRecord};

impl Ring {
    /// The record of a run that reached so far, in ns.
    pub fn into_record(mut self, plan: &Whole<'_>, reached: u64) -> RunRecord {
        let window = plan.window.as_nanos();
        let rows = reached.div_ceil(window) as usize;
        self.stations.iter_mut().for_each(|station| station.finish(reached, rows));
        let violations = audit::violations(&self, plan);
        let flows = self.flow_records(plan, reached, window);
        let guards = self.stations.iter().filter_map(|station| station.guard.as_ref());
        let topology = guards.flat_map(|guard| guard.changes.iter().copied()).collect();
        let keep_rows = plan.detail == Detail::Full;
        let (mut links, mut laws) = (Vec::new(), Vec::new());
        let (mut packet_hops, mut control_hops) = (0, 0);
        for ringlet in Ringlet::BOTH {
            for station in &mut self.stations {
                let id = station.id();
                let side = &mut station.sides[ringlet.index()];
                packet_hops += side.mac.link.hops();
                control_hops += side.mac.link.control_hops();
                if side.mac.link.hops() > 0 {
                    links.push(link_record(ringlet, id, side, keep_rows));
                }
            }
        }
        for ringlet in Ringlet::BOTH {
            for station in &mut self.stations {
                let id = station.id();
                let samples = station.sides[ringlet.index()].probe.take_samples();
                laws.extend(samples.into_iter().map(|(t, sample)| law_sample(ringlet, id, t, sample)));
            }
        }
        RunRecord {
            duration: Span::from_nanos(reached),
            warmup: plan.warmup,
            window: plan.window,
            flows,
            links,
            laws,
            topology,
            packet_hops,
            control_hops,
            violations,
        }
    }

    /// Packets of each flow that came up, and how many of these found no room at their station.
    pub fn made(&self) -> Vec<(u64, u64)> {
        let mut made = vec![(0, 0); self.ledger.flows().count()];
        let macs = self.stations.iter().flat_map(|station| &station.sides).map(|side| &side.mac);
        for (flow, offered, refused) in macs.flat_map(|mac| mac.add_queues()).flat_map(|queue| queue.counts()) {
            let made = &mut made[flow as usize];
            *made = (made.0 + offered, made.1 + refused);
        }
        made
    }

    /// Of the flows that were declared.
    fn flow_records(&mut self, plan: &Whole<'_>, reached: u64, window: u64) -> Vec<FlowRecord> {
        let made = self.made();
        let record = |flow: usize, tally: &Tally, receipt: &Receipt, (offered, refused): (u64, u64)| FlowRecord {
            offered,
            refused,
            entered: tally.entered,
            dropped: tally.dropped,
            lost: tally.lost,
            discarded: tally.discarded,
            delivered: receipt.delivered,
            reordered: self.ledger.overtaken(flow),
            measured_entered: tally.measured_entered(),
            measured_dropped: tally.measured_dropped(),
            measured_bytes: receipt.measured_bytes(),
            delay: receipt.delay_summary(),
            delivered_bytes: receipt.rows(reached, window),
            retransmitted: 0,
            timeouts: 0,
            waited: Waited::default(),
            transfers: Vec::new(),
            unfinished: 0,
            windows: Vec::new(),
        };
        let declared = self.ledger.flows().zip(made).enumerate().take(plan.declared());
        let mut records: Vec<_> =
            declared.map(|(flow, ((tally, receipt), made))| record(flow, tally, receipt, made)).collect();
        self.hosts.tell(&mut records, reached);
        records
    }
}

fn link_record(ringlet: Ringlet, station: StationId, side: &mut Side, keep_rows: bool) -> LinkRecord {
    let mut series = std::mem::take(&mut side.series);
    if !keep_rows {
        series = Default::default();
    }
    LinkRecord {
        ringlet,
        station,
        measured_bytes: side.mac.link.measured_bytes(),
        sent_bytes: series.sent_bytes,
        control_bytes: side.mac.link.control_bytes(),
        dropped: side.mac.dropped(),
        deepest: side.mac.shown_queue().deepest(),
        primary_deepest: side.mac.split.as_ref().map(|_| side.mac.queue.deepest()),
        waiting_bytes: series.waiting_bytes,
        deepest_bytes: series.deepest_bytes,
    }
}

fn law_sample(ringlet: Ringlet, station: StationId, t: Instant, sample: Sample) -> LawSample {
    let about = StationId(sample.index as u16);
    LawSample { t, ringlet, station, name: sample.name, about, value: sample.value }
}
