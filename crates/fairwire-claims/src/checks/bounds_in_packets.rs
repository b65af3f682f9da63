//! Lemmas 1 to 3 among packets: their worst case on a ring under DVSR.
//!
//! One station sends alone until it has settled; then N − 1 others, nearer to the end, begin at
//! once; later they stop at once. The lemmas know neither packets nor queues nor distance, so
//! no verdict hangs on this. It tells how far the simulator strays, as a multiple of the fluid bound.

use super::Trouble;
use super::convergence::settling;
use crate::runs::{self, Run, law};
use fairwire_analysis::bounds::throttling_bound_bits;
use fairwire_core::{Ringlet, Span};
use fairwire_plan::Detail;
use fairwire_scenario::Scenario;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::LazyLock;

/// N.
const SENDERS: [usize; 3] = [2, 4, 8];
/// The DVSR paper's links.
const LINK_MBPS: f64 = 622.0;
const STATIONS: usize = 10;
/// Where all flows end; the N stations before it send.
const HUB: usize = STATIONS - 1;
/// Also the length of a row, so that rows tell what left a station when.
const SPAN: Span = Span::from_micros(130);
/// A lap: as long as 101 packets of 1 kB.
const LAP_ROWS: usize = STATIONS;
const LAP_MS: f64 = 1.3;
/// Each phase lasts 200 laps.
const PHASE_ROWS: usize = 200 * LAP_ROWS;
/// What left a station this late in a phase may arrive in the next one.
const MEASURED_ROWS: usize = PHASE_ROWS - LAP_ROWS;
/// Room for what comes before anybody is told, so that nothing is lost.
const BUFFER: &str = "4 MB";

/// How far it strays with N senders until rates have settled, as multiples of (1 − 1/N)·C·T.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strayed {
    /// By what the first station sent onto the ring beyond its fair share once others had begun.
    pub let_through: f64,
    /// By what of that had come out at the end.
    pub served_beyond: f64,
    /// By what had come out of a late station, below its fair share.
    pub late_behind: f64,
    /// The largest difference in service between two stations, as a multiple of twice the bound.
    pub pairwise: f64,
    /// By what the first station sent less than C once the others had stopped.
    pub held_back: f64,
    /// By what had come out of it then.
    pub served_behind: f64,
    /// When the last flow's throughput had settled, in laps after the others began, and after they stopped.
    pub settled_laps: [f64; 2],
}

static STRAYED: LazyLock<Result<Vec<Strayed>, Trouble>> =
    LazyLock::new(|| SENDERS.into_iter().map(strayed_among).collect());

/// One of these for each of 2, 4 and 8 senders, in words: `a, b and c`.
pub(super) fn told(value: fn(&Strayed) -> f64) -> Result<String, Trouble> {
    let values: Vec<String> =
        STRAYED.as_ref().map_err(Clone::clone)?.iter().map(|strayed| format!("{:.2}", value(strayed))).collect();
    let (last, others) = values.split_last().ok_or("no senders")?;
    Ok(format!("{} and {last}", others.join(", ")))
}

/// What was simulated.
pub(super) const SETTING: &str = "Packet by packet (DVSR, 622 Mb/s, laps of 1.3 ms, no loss; N = 2, 4 and 8; one \
                                  station alone, N - 1 begin at once and later stop at once; until rates have settled)";

fn strayed_among(senders: usize) -> Result<Strayed, Trouble> {
    let run = run(senders)?;
    if run.record.flows.iter().any(|flow| flow.dropped > 0) {
        return Err("queues of the ring were too short".into());
    }
    let capacity_bps = LINK_MBPS * 1e6;
    let bytes_a_row = capacity_bps * SPAN.as_secs_f64() / 8.0;
    let bound = throttling_bound_bits(capacity_bps, LAP_MS * 1e-3, senders) / 8.0;
    let beyond = |rows: &[f64], share: f64| beyond(rows, share * bytes_a_row, bound);
    let share = 1.0 / senders as f64;
    let flows = 0..senders;

    let settled = |flows: std::ops::Range<usize>, phase| -> Option<usize> {
        let mut rows = flows.map(|flow| settled_row(&served(&run, senders, flow, phase)));
        rows.try_fold(0, |latest, row| Some(latest.max(row?)))
    };
    let (all, alone) = (settled(flows.clone(), 1), settled(0..1, 2));
    let (Some(all), Some(alone)) = (all, alone) else { return Err(format!("{senders} senders did not settle")) };

    let services: Vec<Vec<f64>> = flows.map(|flow| beyond(&served(&run, senders, flow, 1)[..all], share)).collect();
    let apart = (0..all).map(|row| {
        let now = services.iter().map(|service| service[row]);
        now.clone().fold(f64::MIN, f64::max) - now.fold(f64::MAX, f64::min)
    });
    Ok(Strayed {
        let_through: most(&beyond(&sent(&run, senders, 1)?[..all], share)),
        served_beyond: most(&services[0]),
        late_behind: services[1..].iter().map(|service| least(service)).fold(0.0, f64::max),
        pairwise: apart.fold(0.0, f64::max) / 2.0,
        held_back: least(&beyond(&sent(&run, senders, 2)?[..alone], 1.0)),
        served_behind: least(&beyond(&served(&run, senders, 0, 2)[..alone], 1.0)),
        settled_laps: [all, alone].map(|row| row as f64 / LAP_ROWS as f64),
    })
}

fn run(senders: usize) -> Result<Arc<Run>, Trouble> {
    let phase = SPAN * PHASE_ROWS as u64;
    let mut text = format!(
        "schema = 1\n[run]\nduration = \"{}\"\nwindow = \"{SPAN}\"\n[ring]\nstations = {STATIONS}\n\
         capacity = \"{LINK_MBPS} Mb/s\"\nspan-delay = \"{SPAN}\"\nlaw = {{ name = \"dvsr\" }}\n\
         transit = {{ buffer = \"{BUFFER}\" }}\n",
        phase * 3
    );
    for from in HUB - senders..HUB {
        let _ = write!(
            text,
            "[[flow]]\nname = \"from-{from}\"\nfrom = {from}\nto = {HUB}\nringlet = 0\n\
             traffic = {{ kind = \"greedy\", packet = \"1 kB\", size-jitter = \"5 %\" }}\n"
        );
        if from > HUB - senders {
            let _ = write!(text, "start = \"{phase}\"\nstop = \"{}\"\n", phase * 2);
        }
    }
    let scenario = Scenario::parse("made-up ring", &text).map_err(|errors| errors.to_string())?;
    runs::run(&scenario, &law("dvsr", "")?, 0, Detail::Full)
}

/// Bytes of a flow in each row of a phase, as they come out at the end, by when they would have left
/// their station had they waited nowhere.
fn served(run: &Run, senders: usize, flow: usize, phase: usize) -> Vec<f64> {
    let begin = phase * PHASE_ROWS + (senders - flow);
    let rows = &run.record.flows[flow].delivered_bytes[begin..begin + MEASURED_ROWS];
    rows.iter().map(|&bytes| f64::from(bytes)).collect()
}

/// Bytes of the first flow in each row of a phase, as it sends them; its link carries nothing else, since DVSR's
/// frame goes the other way.
fn sent(run: &Run, senders: usize, phase: usize) -> Result<Vec<f64>, Trouble> {
    let first = HUB - senders;
    let own = |link: &&fairwire_plan::LinkRecord| link.ringlet == Ringlet::Zero && usize::from(link.station.0) == first;
    let link = run.record.links.iter().find(own).ok_or("the link carried nothing")?;
    let begin = phase * PHASE_ROWS;
    Ok(link.sent_bytes[begin..begin + MEASURED_ROWS].iter().map(|&bytes| f64::from(bytes)).collect())
}

/// The row from which throughput in windows of T stays as close to its mean as in the steady state.
fn settled_row(rows: &[f64]) -> Option<usize> {
    let row_ms = SPAN.as_secs_f64() * 1e3;
    let windows = rows.windows(LAP_ROWS).enumerate();
    let signal: Vec<(f64, f64)> =
        windows.map(|(row, bytes)| ((row + LAP_ROWS) as f64 * row_ms, bytes.iter().sum())).collect();
    let at_ms = settling(&signal, LAP_MS).at_ms;
    at_ms.is_finite().then(|| (at_ms / row_ms).round() as usize)
}

/// By how much the sum of rows exceeds `fair` bytes a row, over the bound, after each row.
fn beyond(rows: &[f64], fair: f64, bound: f64) -> Vec<f64> {
    let mut sum = 0.0;
    let after = |&bytes: &f64| {
        sum += bytes - fair;
        sum / bound
    };
    rows.iter().map(after).collect()
}

/// The largest excess; none is 0.
fn most(excess: &[f64]) -> f64 {
    excess.iter().copied().fold(0.0, f64::max)
}

/// The largest lack; none is 0.
fn least(excess: &[f64]) -> f64 {
    -excess.iter().copied().fold(0.0, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_settles_has_no_row() {
        let still = [10.0; MEASURED_ROWS];
        assert_eq!(settled_row(&still), Some(LAP_ROWS));
        let growing: Vec<f64> = (0..MEASURED_ROWS).map(|row| row as f64).collect();
        assert!(settled_row(&growing).is_none_or(|row| row > MEASURED_ROWS / 4), "{:?}", settled_row(&growing));
    }

    #[test]
    fn nobody_is_told_before_a_message_has_come_and_all_settle() {
        let found = STRAYED.as_ref().expect("rings run");
        for (strayed, senders) in found.iter().zip(SENDERS) {
            // A message from the last link takes N − 1 spans; until then the first sends C.
            let blind = (senders - 1) as f64 / STATIONS as f64;
            assert!(strayed.let_through > blind && strayed.held_back > blind, "{senders}: {strayed:?}");
            // What has been let through cannot come out before it was let through.
            assert!(strayed.served_beyond < strayed.let_through, "{senders}: {strayed:?}");
            assert!(strayed.settled_laps.iter().all(|&laps| laps < 200.0), "{senders}: {strayed:?}");
        }
    }

    #[test]
    fn excess_is_what_exceeds_the_fair_rate_in_all() {
        let excess = beyond(&[30.0, 10.0, 0.0, 0.0], 10.0, 10.0);
        assert_eq!(excess, [2.0, 2.0, 1.0, 0.0]);
        assert_eq!((most(&excess), least(&excess)), (2.0, 0.0));
        assert_eq!(least(&beyond(&[5.0, 20.0], 10.0, 5.0)), 1.0);
    }
}
