//! Runs of the paper's network: on the printed schedule, and with other starting phases.

use super::Trouble;
use super::table::{FLOWS, ResponseTable};
use crate::kept::RecordCache;
use crate::runs::{checked_network, wmfqc_equal, wmfqc_lan, wmfqc_wan};
use fairwire_core::{Instant, Span};
use fairwire_laws::rate::{Packets, RateLawChoice, wmfqc};
use fairwire_plan::{AllowedRate, Detail, NetworkFlowRecord, NetworkPlan, NetworkRecord};
use fairwire_scenario::Scenario;
use fairwire_sweep::side_by_side;
use std::sync::Arc;

/// Starting phases that intervals are over.
pub const DRAWS: u64 = 100;
/// Bits of a cell.
pub const CELL_BITS: f64 = 424.0;
/// In a draw each connection starts later by up to this.
const LATEST: Span = Span::from_micros(500);
/// L1 to L5.
pub const TRUNKS: usize = 5;

/// One of the files, all of which have the same network and connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// WAN without minimums and weights.
    Equal,
    /// WAN with minimums, which are weights as well.
    Wan,
    /// The same in the LAN.
    Lan,
}

/// What the ports do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Max-Min.
    MaxMin,
    /// WMFQC with unlimited queues.
    Wmfqc,
    /// WMFQC with these thresholds, in cells.
    Controlled { q_t: u32, q_d: u32 },
}

/// One test of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    pub setting: Setting,
    pub scheme: Scheme,
}

/// What is kept of a run.
#[derive(Clone, Debug)]
pub struct RunMeasured {
    /// When the connections came on and went off.
    pub events: Vec<Instant>,
    /// From when on allowed rates answer an event: a connection that goes off has sent its last cell up to a cell
    /// time before.
    answers_from: Vec<Instant>,
    /// The end of the run.
    pub end: Instant,
    /// Of each connection its allowed rates.
    pub allowed: Vec<Vec<AllowedRate>>,
    /// Mean end-to-end delay of each connection's data, in µs.
    pub delay_us: Vec<f64>,
    /// Data cells that arrived while their connection was on.
    pub successful: u64,
    /// Data cells that were dropped.
    pub lost: u64,
    /// Most cells at each of L1 to L5 with the one that arrived and the one in transmission.
    pub deepest: [u32; TRUNKS],
    /// Cells waiting for L1 to L5 at the end of the last row before each event.
    pub standing: Vec<[u32; TRUNKS]>,
    /// Longest time that a cell waited for L1, in µs.
    pub longest_wait_us: f64,
}

impl Setting {
    /// Its file.
    pub fn scenario(self) -> Result<Scenario, Trouble> {
        match self {
            Self::Equal => wmfqc_equal(),
            Self::Wan => wmfqc_wan(),
            Self::Lan => wmfqc_lan(),
        }
    }

    /// Its plan; the network is the same in all three.
    pub fn plan(self, scheme: Scheme) -> Result<NetworkPlan, Trouble> {
        let scenario = self.scenario()?;
        scenario.with_rate_law(scheme.law()?).network_plan(0).ok_or_else(|| "the scenario is not a network".to_owned())
    }
}

impl Scheme {
    fn law(self) -> Result<RateLawChoice, Trouble> {
        let wmfqc = |params| RateLawChoice::wmfqc(params);
        Ok(match self {
            Self::MaxMin => RateLawChoice::by_name("max-min-marking").map_err(|error| error.to_string())?,
            Self::Wmfqc => wmfqc(wmfqc::Params { queue_control: false, ..wmfqc::Params::default() }),
            Self::Controlled { q_t, q_d } => {
                wmfqc(wmfqc::Params { q_t: Packets(q_t), q_d: Packets(q_d), ..wmfqc::Params::default() })
            }
        })
    }
}

/// The tests of a figure: unlimited queues first, then each pair of thresholds that the file's sweep has.
pub fn tests(setting: Setting) -> Result<Vec<Test>, Trouble> {
    let points = setting.scenario()?.expand_sweep().map_err(|errors| errors.to_string())?;
    let thresholds = points.iter().map(|(_, point)| match point.rate_law() {
        Some(RateLawChoice::wmfqc(params)) => Ok(Scheme::Controlled { q_t: params.q_t.0, q_d: params.q_d.0 }),
        other => Err(format!("the sweep has {other:?} in place of thresholds")),
    });
    let schemes = [Ok(Scheme::Wmfqc)].into_iter().chain(thresholds);
    schemes.map(|scheme| Ok(Test::new(setting, scheme?))).collect()
}

impl Test {
    /// As the paper calls it: LQC67% for Q_T = 67 % of Q_D in the LAN, WQCX for unlimited queues in the WAN.
    pub fn name(self) -> String {
        let network = if self.setting == Setting::Lan { "LQC" } else { "WQC" };
        match self.scheme {
            Scheme::Controlled { .. } => format!("{network}{}%", self.ratio_percent()),
            Scheme::MaxMin | Scheme::Wmfqc => format!("{network}X"),
        }
    }

    /// Q_T/Q_D in whole per cent; 100 without thresholds.
    pub fn ratio_percent(self) -> u32 {
        match self.scheme {
            Scheme::Controlled { q_t, q_d } => (100.0 * f64::from(q_t) / f64::from(q_d)).round() as u32,
            Scheme::MaxMin | Scheme::Wmfqc => 100,
        }
    }

    pub const fn new(setting: Setting, scheme: Scheme) -> Self {
        Self { setting, scheme }
    }

    /// On the printed schedule.
    pub fn printed(self) -> Result<Arc<RunMeasured>, Trouble> {
        self.seen(0)
    }

    /// Once for each draw of starting phases.
    pub fn drawn(self) -> Result<Vec<Arc<RunMeasured>>, Trouble> {
        side_by_side(1..=DRAWS, |draw| self.seen(draw))
    }

    /// Draw 0 is the printed schedule.
    fn seen(self, draw: u64) -> Result<Arc<RunMeasured>, Trouble> {
        static SEEN: RecordCache<(Test, u64), RunMeasured> = RecordCache::new();
        SEEN.run((self, draw), |(test, draw)| {
            let mut plan = test.setting.plan(test.scheme)?;
            plan.detail = Detail::Full;
            if *draw > 0 {
                plan.run = *draw;
                plan.flows.iter_mut().for_each(|flow| flow.start_jitter = LATEST);
            }
            Ok(RunMeasured::of(&plan, checked_network(&plan)?))
        })
    }
}

impl RunMeasured {
    fn of(plan: &NetworkPlan, record: NetworkRecord) -> Self {
        let allowed: Vec<Vec<AllowedRate>> = record.flows.iter().map(allowed).collect();
        let starts = allowed.iter().map(|rates| rates.first().map_or(Instant::NEVER, |first| first.t));
        let events: Vec<Instant> = starts.chain(plan.flows.iter().map(|flow| flow.stop)).collect();
        let place = |trunk: usize| plan.links.iter().position(|link| link.name == format!("L{}", trunk + 1));
        let trunks = || (0..TRUNKS).filter_map(place).map(|place| &record.links[place]);
        let last_cell = |(flow, event): (usize, &Instant)| {
            let cell_s = CELL_BITS / last_before(&allowed[flow], *event);
            Instant::from_nanos(event.as_nanos().saturating_sub((cell_s * 1e9).ceil() as u64))
        };
        let answers_from =
            events[..FLOWS].iter().copied().chain(events[FLOWS..].iter().enumerate().map(last_cell)).collect();
        let row = record.window.as_nanos();
        // The row in which an event lies is cut by it.
        let before = |event: &Instant| {
            let row = (event.as_nanos() / row).saturating_sub(1) as usize;
            array(trunks().map(|link| link.waiting_packets.get(row).copied().unwrap_or(0)))
        };
        Self {
            standing: events.iter().skip(1).map(before).collect(),
            end: Instant::ZERO + plan.duration,
            events,
            answers_from,
            allowed,
            delay_us: record.flows.iter().map(|flow| flow.delay.mean_ns / 1e3).collect(),
            successful: record
                .flows
                .iter()
                .filter_map(|flow| flow.rate.as_ref())
                .map(|rate| rate.arrived_while_on)
                .sum(),
            lost: record.flows.iter().map(|flow| flow.dropped + flow.lost).sum(),
            longest_wait_us: trunks().next().map_or(0.0, |link| link.waiting.max_ns as f64 / 1e3),
            // One that arrives has not been counted yet.
            deepest: array(trunks().map(|link| link.port.as_ref().map_or(0, |port| port.deepest_packets + 1))),
        }
    }

    /// How long each connection took to answer each event.
    pub fn responses(&self) -> ResponseTable {
        ResponseTable::of(&self.events, &self.answers_from, self.end, &self.allowed)
    }

    /// What each connection is allowed just before `at`, in bit/s.
    pub fn allowed_before(&self, at: Instant) -> Vec<f64> {
        self.allowed.iter().map(|rates| last_before(rates, at)).collect()
    }

    /// When each event's time is over.
    pub fn ends(&self) -> impl Iterator<Item = Instant> {
        self.answers_from.iter().skip(1).copied().chain([self.end])
    }
}

/// What a flow is allowed just before `at`, in bit/s.
pub fn allowed_before(flow: &NetworkFlowRecord, at: Instant) -> f64 {
    last_before(flow.rate.as_ref().map_or(&[][..], |rate| &rate.allowed), at)
}

fn last_before(rates: &[AllowedRate], at: Instant) -> f64 {
    rates.iter().take_while(|allowed| allowed.t < at).last().map_or(0.0, |allowed| allowed.rate_bps)
}

/// Allowed rates in cell/ms over ms, as steps, while the flow is on.
pub fn steps(rates: &[AllowedRate]) -> Vec<(f64, f64)> {
    let (mut points, mut before) = (Vec::new(), None);
    for rate in rates {
        let (ms, cells) = (rate.t.as_nanos() as f64 / 1e6, rate.rate_bps / CELL_BITS / 1e3);
        points.extend(before.map(|before| (ms, before)));
        if rate.rate_bps > 0.0 {
            points.push((ms, cells));
        }
        before = Some(cells).filter(|cells| *cells > 0.0);
    }
    points
}

fn allowed(flow: &NetworkFlowRecord) -> Vec<AllowedRate> {
    flow.rate.as_ref().map_or(Vec::new(), |rate| rate.allowed.clone())
}

fn array(values: impl Iterator<Item = u32>) -> [u32; TRUNKS] {
    let mut all = [0; TRUNKS];
    all.iter_mut().zip(values).for_each(|(place, value)| *place = value);
    all
}

/// Who is on after each event: connections come in order, and leave in the same order.
pub fn is_on(event: usize, flow: usize) -> bool {
    flow <= event && flow + FLOWS > event
}
