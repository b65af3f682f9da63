//! From a run to the rows of the tables.

use super::chunk::{Cells, Chunk};
use super::rate_rows;
use crate::link_summary::LinkSummary;
use crate::measures::bytes_left;
use crate::plan::{Outline, Plan};
use crate::record::{Counts, Record};
use crate::report::RunOutcome;
use crate::summary::{FlowSummary, RunSummary};
use fairwire_core::Span;
use fairwire_plan::{NetworkLinkRecord, NetworkRecord, QueueSample, RunRecord, Transfer, WindowSample};
use std::sync::Arc;

/// Samples of one chunk; a run may show millions.
const SAMPLES_A_CHUNK: usize = 1 << 16;

/// Hands the rows of one run for `table`, one of [`crate::columns`], to `take`, piece by piece.
///
/// # Errors
/// The first that `take` answers with.
pub fn each_chunk<E>(
    table: &str,
    plan: &Plan,
    run: &RunOutcome,
    mut take: impl FnMut(Chunk) -> Result<(), E>,
) -> Result<(), E> {
    let key = key(&run.summary);
    let (outline, counts) = (plan.outline(), run.record.counts(plan));
    match table {
        "flows" => {
            let left = bytes_left(plan, &outline, &counts);
            outline.flows.iter().zip(&counts.flows).enumerate().try_for_each(|(number, (flow, measured))| {
                let delivered = measured.delivered_bytes;
                let left = left.as_ref().map_or(delivered, |left| &left[number]);
                let rates = [delivered, left].map(|bytes| Cells::Reals(rates(&counts, bytes)));
                take(series(&key, &flow.name, counts.window, delivered.len(), rates))
            })
        }
        "links" => counts.links.iter().try_for_each(|link| {
            let rates = Cells::Reals(rates(&counts, link.sent_bytes));
            take(series(&key, &outline.links[link.link].name, counts.window, link.sent_bytes.len(), [rates]))
        }),
        "queues" => match &run.record {
            Record::Ring(record) => record.links.iter().try_for_each(|link| take(ring_queue(&key, record, link))),
            Record::Network(record) => used_links(&outline, record)
                .try_for_each(|(name, link)| take(network_queue(&key, name, record.window, link))),
        },
        "laws" => match &run.record {
            Record::Ring(record) => {
                record.laws.chunks(SAMPLES_A_CHUNK).try_for_each(|samples| take(ring_laws(&key, samples)))
            }
            Record::Network(record) => used_links(&outline, record).try_for_each(|(name, link)| {
                link.law.chunks(SAMPLES_A_CHUNK).try_for_each(|samples| take(queue_laws(&key, name, samples)))
            }),
        },
        "summary" => take(summary(&key, plan, &outline, &run.summary.flows)),
        "runs" => take(one_run(&key, &run.summary)),
        "link_summary" => take(link_summary(&key, &run.summary.links)),
        "transfers" => outline
            .flows
            .iter()
            .zip(&counts.flows)
            .filter_map(|(flow, measured)| Some((flow, measured.connections?)))
            .try_for_each(|(flow, done)| take(transfers(&key, &flow.name, done.transfers))),
        "windows" => outline
            .flows
            .iter()
            .zip(&counts.flows)
            .filter_map(|(flow, measured)| Some((flow, measured.connections?)))
            .try_for_each(|(flow, done)| {
                done.windows.chunks(SAMPLES_A_CHUNK).try_for_each(|samples| take(windows(&key, &flow.name, samples)))
            }),
        "explicit_rates" => take(rate_rows::explicit_rates(&key, &run.summary)),
        "allowed_rates" => outline
            .flows
            .iter()
            .zip(&counts.flows)
            .filter_map(|(flow, measured)| Some((flow, measured.rate?)))
            .try_for_each(|(flow, rate)| take(rate_rows::allowed_rates(&key, &flow.name, rate))),
        "responses" => {
            let changes = run.summary.changes.iter().enumerate().filter(|(_, change)| change.allowed.is_some());
            changes
                .into_iter()
                .try_for_each(|(number, change)| take(rate_rows::responses(&key, &run.summary, number, change)))
        }
        "ports" => take(rate_rows::ports(&key, &run.summary)),
        _ => Ok(()),
    }
}

/// The links of a network that anything came to, with their names.
fn used_links<'a>(
    outline: &'a Outline,
    record: &'a NetworkRecord,
) -> impl Iterator<Item = (&'a str, &'a NetworkLinkRecord)> {
    let links = outline.links.iter().zip(&record.links);
    links.filter(|(_, link)| link.arrived > 0).map(|(planned, link)| (planned.name.as_str(), link))
}

fn key(summary: &RunSummary) -> [Cells; 3] {
    let unsigned = |value: u64| Cells::SameInteger(value.cast_signed());
    [Cells::SameText(summary.law.as_str().into()), unsigned(summary.seed), unsigned(summary.run)]
}

/// A named series with one row a window: name, time, values.
fn series<const N: usize>(key: &[Cells; 3], name: &str, window: Span, rows: usize, values: [Cells; N]) -> Chunk {
    let times = (0..rows as u64).map(|row| nanos(window * row)).collect();
    let own = [Cells::SameText(name.into()), Cells::Integers(times)];
    Chunk { rows, cells: key.iter().cloned().chain(own).chain(values).collect() }
}

fn maybe_counts(rows: &[u32]) -> Cells {
    Cells::MaybeIntegers(rows.iter().map(|&count| Some(count.into())).collect())
}

fn nothing(rows: usize) -> Cells {
    Cells::MaybeIntegers(vec![None; rows])
}

fn ring_queue(key: &[Cells; 3], record: &RunRecord, link: &fairwire_plan::LinkRecord) -> Chunk {
    let rows = link.waiting_bytes.len().min(link.deepest_bytes.len());
    let bytes = [maybe_counts(&link.waiting_bytes[..rows]), maybe_counts(&link.deepest_bytes[..rows])];
    let [waiting, deepest] = bytes;
    let values = [waiting, deepest, nothing(rows), nothing(rows)];
    series(key, &link.ringlet.link_name(link.station), record.window, rows, values)
}

fn network_queue(key: &[Cells; 3], name: &str, window: Span, link: &NetworkLinkRecord) -> Chunk {
    let rows = link.waiting_packets.len().min(link.dropped_in_row.len());
    let (waiting, dropped) = (maybe_counts(&link.waiting_packets[..rows]), maybe_counts(&link.dropped_in_row[..rows]));
    series(key, name, window, rows, [nothing(rows), nothing(rows), waiting, dropped])
}

/// Gives each text once, however often it is asked for.
#[derive(Default)]
struct Names(Vec<Arc<str>>);

impl Names {
    fn get(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.iter().find(|known| ***known == *name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        self.0.push(Arc::clone(&new));
        new
    }
}

fn ring_laws(key: &[Cells; 3], samples: &[fairwire_plan::LawSample]) -> Chunk {
    let (mut names, mut links) = (Names::default(), std::collections::BTreeMap::new());
    let mut link = |sample: &fairwire_plan::LawSample| {
        let name = || Arc::<str>::from(sample.ringlet.link_name(sample.station));
        Arc::clone(links.entry((sample.ringlet, sample.station)).or_insert_with(name))
    };
    let own = [
        Cells::MaybeIntegers(samples.iter().map(|sample| Some(sample.ringlet.index() as i64)).collect()),
        Cells::MaybeIntegers(samples.iter().map(|sample| Some(sample.station.0.into())).collect()),
        Cells::Texts(samples.iter().map(|sample| names.get(sample.name)).collect()),
        Cells::Integers(samples.iter().map(|sample| sample.about.0.into()).collect()),
        Cells::Integers(samples.iter().map(|sample| signed(sample.t.as_nanos())).collect()),
        Cells::Reals(samples.iter().map(|sample| sample.value).collect()),
        Cells::Texts(samples.iter().map(&mut link).collect()),
    ];
    Chunk { rows: samples.len(), cells: key.iter().cloned().chain(own).collect() }
}

fn queue_laws(key: &[Cells; 3], link: &str, samples: &[QueueSample]) -> Chunk {
    let mut names = Names::default();
    let own = [
        nothing(samples.len()),
        nothing(samples.len()),
        Cells::Texts(samples.iter().map(|sample| names.get(sample.name)).collect()),
        Cells::Integers(samples.iter().map(|sample| sample.index.into()).collect()),
        Cells::Integers(samples.iter().map(|sample| signed(sample.t.as_nanos())).collect()),
        Cells::Reals(samples.iter().map(|sample| sample.value).collect()),
        Cells::SameText(link.into()),
    ];
    Chunk { rows: samples.len(), cells: key.iter().cloned().chain(own).collect() }
}

fn transfers(key: &[Cells; 3], flow: &str, transfers: &[Transfer]) -> Chunk {
    let count = |get: fn(&Transfer) -> u64| Cells::Integers(transfers.iter().map(|one| signed(get(one))).collect());
    let own = [
        Cells::SameText(flow.into()),
        count(|transfer| transfer.start.as_nanos()),
        count(|transfer| transfer.end.as_nanos()),
        count(|transfer| transfer.bytes),
        count(|transfer| transfer.sent.into()),
        count(|transfer| transfer.retransmitted.into()),
    ];
    Chunk { rows: transfers.len(), cells: key.iter().cloned().chain(own).collect() }
}

fn windows(key: &[Cells; 3], flow: &str, samples: &[WindowSample]) -> Chunk {
    let mut names = Names::default();
    let real = |get: fn(&WindowSample) -> f64| Cells::Reals(samples.iter().map(get).collect());
    let srtt = |sample: &WindowSample| Some(sample.srtt).filter(|srtt| *srtt > Span::ZERO).map(nanos);
    let states = Cells::Texts(samples.iter().map(|sample| names.get(sample.state)).collect());
    let numbers = || {
        [
            real(|sample| sample.cwnd),
            real(|sample| sample.ssthresh),
            Cells::MaybeIntegers(samples.iter().map(srtt).collect()),
        ]
    };
    let own = [
        Cells::SameText(flow.into()),
        Cells::Integers(samples.iter().map(|sample| sample.micro_flow.into()).collect()),
        Cells::Integers(samples.iter().map(|sample| signed(sample.t.as_nanos())).collect()),
    ];
    // Under their names, and once more under their former ones.
    let cells = own.into_iter().chain(numbers()).chain([states]).chain(numbers());
    Chunk { rows: samples.len(), cells: key.iter().cloned().chain(cells).collect() }
}

fn link_summary(key: &[Cells; 3], links: &[LinkSummary]) -> Chunk {
    let real = |get: fn(&LinkSummary) -> f64| Cells::Reals(links.iter().map(get).collect());
    let count = |get: fn(&LinkSummary) -> u64| Cells::Integers(links.iter().map(|link| signed(get(link))).collect());
    let maybe = |get: fn(&LinkSummary) -> Option<u64>| {
        Cells::MaybeIntegers(links.iter().map(|link| get(link).map(signed)).collect())
    };
    let own = [
        Cells::Texts(links.iter().map(|link| link.id.as_str().into()).collect()),
        real(|link| link.utilisation),
        real(|link| link.mean_queue_packets),
        real(|link| link.mean_queue_bytes),
        count(|link| link.deepest_queue_packets.into()),
        Cells::MaybeReals(links.iter().map(|link| link.waiting_mean_ns).collect()),
        maybe(|link| link.waiting_p50_ns),
        maybe(|link| link.waiting_p95_ns),
        maybe(|link| link.waiting_p99_ns),
        count(|link| link.arrived),
        count(|link| link.dropped_full),
        count(|link| link.dropped_early),
        count(|link| link.dropped_unfair),
        count(|link| link.marked),
        count(|link| link.lost),
    ];
    Chunk { rows: links.len(), cells: key.iter().cloned().chain(own).collect() }
}

fn summary(key: &[Cells; 3], plan: &Plan, outline: &Outline, flows: &[FlowSummary]) -> Chunk {
    let real = |get: fn(&FlowSummary) -> f64| Cells::Reals(flows.iter().map(get).collect());
    let count = |get: fn(&FlowSummary) -> u64| Cells::Integers(flows.iter().map(|flow| signed(get(flow))).collect());
    let maybe = |get: fn(&FlowSummary) -> Option<u64>| {
        Cells::MaybeIntegers(flows.iter().map(|flow| get(flow).map(signed)).collect())
    };
    let ringlets = match plan {
        Plan::Ring(ring) => {
            Cells::MaybeIntegers(ring.flows.iter().map(|flow| Some(flow.ringlet.index() as i64)).collect())
        }
        Plan::Network(_) => nothing(flows.len()),
    };
    let own = [
        Cells::Texts(flows.iter().map(|flow| flow.id.as_str().into()).collect()),
        ringlets,
        Cells::Integers(outline.flows.iter().map(|flow| flow.from as i64).collect()),
        Cells::Integers(outline.flows.iter().map(|flow| flow.to as i64).collect()),
        real(|flow| flow.rate_bps),
        real(|flow| flow.fair_rate_bps),
        real(|flow| flow.fair_rate_low_bps),
        real(|flow| flow.fair_rate_high_bps),
        Cells::MaybeReals(flows.iter().map(|flow| flow.ratio).collect()),
        real(|flow| flow.loss),
        Cells::MaybeReals(flows.iter().map(|flow| flow.delay_mean_ns).collect()),
        maybe(|flow| flow.delay_p50_ns),
        maybe(|flow| flow.delay_p95_ns),
        maybe(|flow| flow.delay_p99_ns),
        maybe(|flow| flow.delay_max_ns),
        real(|flow| flow.oscillation),
        count(|flow| flow.offered),
        count(|flow| flow.refused),
        count(|flow| flow.entered),
        count(|flow| flow.dropped),
        count(|flow| flow.delivered),
        maybe(|flow| flow.retransmitted),
        maybe(|flow| flow.marked),
        maybe(|flow| flow.timeouts),
        maybe(|flow| flow.lost),
        maybe(|flow| flow.discarded),
        maybe(|flow| flow.reordered),
        Cells::MaybeReals(flows.iter().map(|flow| flow.offered_bps).collect()),
    ];
    Chunk { rows: flows.len(), cells: key.iter().cloned().chain(own).collect() }
}

fn one_run(key: &[Cells; 3], run: &RunSummary) -> Chunk {
    let number = |value: u64| Cells::SameInteger(signed(value));
    let maybe = |value: Option<u64>| Cells::MaybeIntegers(vec![value.map(signed)]);
    let real = |value: f64| Cells::Reals(vec![value]);
    let mut cells: Vec<_> = key.to_vec();
    cells.extend([Cells::SameText(run.criterion.as_str().into()), number(run.event_ns)]);
    for fair in &run.time_to_fair {
        cells.extend([number(fair.window_ns), maybe(fair.ns)]);
    }
    cells.extend([
        number(run.settling.window_ns),
        maybe(run.settling.ns),
        real(run.oscillation),
        real(run.jain),
        real(run.utilisation),
        Cells::MaybeTexts(vec![run.busiest_link.as_deref().map(Into::into)]),
        number(run.packet_hops),
        number(run.control_hops),
        maybe(run.jain_windows.as_ref().map(|windows| windows.window_ns)),
        Cells::MaybeReals(vec![run.jain_windows.as_ref().map(|windows| windows.mean)]),
    ]);
    Chunk { rows: 1, cells }
}

/// Bit/s of every row; the last one may be shorter.
fn rates(counts: &Counts<'_>, row_bytes: &[u32]) -> Vec<f64> {
    let rate = |(row, &bytes): (usize, &u32)| {
        let lasts_ns = (counts.duration - counts.window * row as u64).as_nanos().min(counts.window.as_nanos());
        if lasts_ns == 0 { 0.0 } else { f64::from(bytes) * 8e9 / lasts_ns as f64 }
    };
    row_bytes.iter().enumerate().map(rate).collect()
}

fn nanos(span: Span) -> i64 {
    signed(span.as_nanos())
}

pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
