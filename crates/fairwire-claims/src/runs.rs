//! Runs of shipped scenarios, for the checks.

use crate::kept::RecordCache;
use fairwire_core::{Instant, Span};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::{Detail, NetworkPlan, NetworkRecord, RingPlan, RunRecord, Traffic};
use fairwire_scenario::Scenario;
use fairwire_sim::{simulate, simulate_network};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A check that cannot run; the words say why.
pub type Trouble = String;

macro_rules! shipped {
    ($name:ident, $file:literal) => {
        shipped!($name, "papers", $file);
    };
    ($name:ident, $folder:literal, $file:literal) => {
        pub fn $name() -> Result<Scenario, Trouble> {
            read($file, include_str!(concat!("../../../scenarios/", $folder, "/", $file, ".toml")))
        }
    };
}

shipped!(parking_lot, "parking-lot");
shipped!(parking_lot_pareto, "parking-lot-pareto");
shipped!(parallel_parking_lot, "parallel-parking-lot");
shipped!(upstream_parallel, "upstream-parallel");
shipped!(two_exit, "two-exit");
shipped!(two_flow_am, "two-flow-am");
shipped!(two_flow_demands, "two-flow-demands");
shipped!(two_flow_loss, "two-flow-loss");
shipped!(parking_lot_demands, "parking-lot-demands");
shipped!(convergence, "convergence");
shipped!(convergence_long_ring, "convergence-long-ring");
shipped!(tcp_isolation, "tcp-isolation");
shipped!(tcp_each, "tcp-each");
shipped!(tcp_among_greedy, "tcp-among-greedy");
shipped!(ecm_tcp, "ecm-tcp");
shipped!(ecm_unequal, "ecm-unequal");
shipped!(ecm_joining, "ecm-joining");
shipped!(ecm_two_domains, "ecm-two-domains");
shipped!(ecm_classes, "ecm-classes");
shipped!(ecm_weights, "ecm-weights");
shipped!(ecm_twenty_stations, "ecm-twenty-stations");
shipped!(wmfqc_equal, "wmfqc-equal");
shipped!(wmfqc_wan, "wmfqc-wan");
shipped!(wmfqc_lan, "wmfqc-lan");
shipped!(wmfqc_guard, "wmfqc-guard");
shipped!(wmfqc_stretched, "wmfqc-stretched");
shipped!(vrr_one_udp, "gateways", "vrr-one-udp");

fn read(name: &str, text: &str) -> Result<Scenario, Trouble> {
    Scenario::parse(name, text).map_err(|errors| errors.to_string())
}

/// A law by its name, with parameters as TOML text (`suballocation = "equal"`).
pub fn law(name: &str, parameters: &str) -> Result<RingLawChoice, Trouble> {
    of_toml(&format!("name = \"{name}\"\n{parameters}"))
}

/// A law, or its parameters, from TOML text. The reader of JSON is the one that scenarios have for laws: no second one is compiled.
pub fn of_toml<T: DeserializeOwned>(text: &str) -> Result<T, Trouble> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    serde_json::to_value(table).and_then(serde_json::from_value).map_err(|error| error.to_string())
}

/// What the flows of datagrams offer, to be changed.
pub fn datagrams(plan: &mut RingPlan) -> impl Iterator<Item = &mut Traffic> {
    plan.flows.iter_mut().filter_map(|flow| flow.offer.datagrams_mut())
}

/// One run and its plan.
pub struct Run {
    /// What was run.
    pub plan: RingPlan,
    /// What was counted.
    pub record: RunRecord,
}

/// Replication `run` of `scenario` under `law`.
pub fn run(scenario: &Scenario, law: &RingLawChoice, run: u64, detail: Detail) -> Result<Arc<Run>, Trouble> {
    let mut plan = scenario.with_law(law.clone()).ring_plan(run).ok_or("the scenario is not a ring")?;
    plan.detail = detail;
    run_plan(plan, law)
}

/// A plan as it is. Of a run that was made before the summary is taken from there; all its rows would take too much memory.
pub fn run_plan(plan: RingPlan, law: &RingLawChoice) -> Result<Arc<Run>, Trouble> {
    static RUNS: RecordCache<(RingPlan, RingLawChoice), Run> = RecordCache::new();
    match plan.detail {
        Detail::Summary => RUNS.run((plan, law.clone()), |(plan, law)| simulated(plan.clone(), law)),
        Detail::Full => simulated(plan, law).map(Arc::new),
    }
}

fn simulated(plan: RingPlan, law: &RingLawChoice) -> Result<Run, Trouble> {
    let record = simulate(&plan, law).map_err(|error| error.to_string())?;
    match record.violations.first() {
        None => Ok(Run { plan, record }),
        Some(violation) => Err(format!("an invariant broke: {violation}")),
    }
}

/// The record of a network's plan, in which all adds up.
pub fn checked_network(plan: &NetworkPlan) -> Result<NetworkRecord, Trouble> {
    let record = simulate_network(plan).map_err(|error| error.to_string())?;
    match record.violations.first() {
        None => Ok(record),
        Some(violation) => Err(format!("an invariant broke: {violation}")),
    }
}

impl Run {
    /// Every flow's mean rate after the warm-up, as a fraction of the first link's capacity.
    pub fn shares(&self) -> Vec<f64> {
        let seconds = (self.plan.duration - self.plan.warmup).as_secs_f64();
        let room = self.capacity() * seconds / 8.0;
        self.record.flows.iter().map(|flow| flow.measured_bytes as f64 / room).collect()
    }

    /// Capacity in bit/s; the papers' rings have links of one capacity.
    pub fn capacity(&self) -> f64 {
        self.plan.links[0][0].capacity.as_bps_f64()
    }

    /// Flow `flow`'s mean share of capacity in [from, to).
    pub fn share_between(&self, flow: usize, from: Instant, to: Instant) -> f64 {
        let row = self.record.window.as_nanos();
        let rows = (from.as_nanos() / row) as usize..(to.as_nanos() / row) as usize;
        let bytes: u64 =
            self.record.flows[flow].delivered_bytes[rows.clone()].iter().map(|&bytes| u64::from(bytes)).sum();
        let seconds = Span::from_nanos(row).as_secs_f64() * rows.len() as f64;
        bytes as f64 * 8.0 / seconds / self.capacity()
    }
}
