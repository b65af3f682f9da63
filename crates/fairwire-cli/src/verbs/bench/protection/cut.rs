//! One random cut of a ring of 64 under load.

use crate::error::CliError;
use crate::runs::solve_references;
use fairwire_alloc::Criterion;
use fairwire_core::{RandomStream, Span, Streams};
use fairwire_laws::ring::RingLawChoice;
use fairwire_results::measures::{EventSummary, event_summaries};
use fairwire_scenario::Scenario;
use fairwire_sim::{FlowRecord, Phase, RunRecord, simulate_watched};
use rand::RngExt;
use serde::Serialize;
use std::fmt::Write;

const STATIONS: u16 = 64;
/// Every draw of the experiment follows from this and the number of the cut.
const SEED: u64 = 64;

/// Where stations send to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Load {
    /// Each to another one at random
    #[default]
    Mesh,
    /// All to one, the same for all
    Hub,
}

/// How the ring avoids the dead span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// Sources send on the other ringlet
    #[default]
    Steer,
    /// The stations beside the span loop traffic to the other ringlet
    Wrap,
}

impl Mode {
    /// As a scenario has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steer => "steer",
            Self::Wrap => "wrap",
        }
    }
}

/// A scenario with one cut.
pub struct Cut {
    number: u64,
    /// The scenario as a file.
    pub toml: String,
    scenario: Scenario,
}

/// What a cut did under a law.
#[derive(Debug, Serialize)]
pub struct Found {
    /// The law that ran.
    pub law: String,
    /// The cut's number.
    pub cut: u64,
    /// The event in numbers.
    #[serde(flatten)]
    pub event: EventSummary,
    /// Packets that were on dead wires, and those that an edge could not wrap.
    pub lost: u64,
    /// What all flows together deliver in the last 100 ms, over what they did before the cut.
    pub throughput: f64,
    /// Packets dropped by full queues.
    pub dropped: u64,
    /// Broken invariants.
    pub violations: Vec<String>,
}

impl Cut {
    /// Every station sends without end; one span is cut.
    pub fn number(number: u64, load: Load, mode: Mode) -> Result<Self, CliError> {
        let mut draw: RandomStream = Streams::new(SEED, number).component("cuts");
        let at_us: u64 = draw.random_range(100_000..110_000);
        let span: u16 = draw.random_range(0..STATIONS);
        let next = (span + 1) % STATIONS;
        let mode = mode.name();
        let mut toml = format!(
            r#"schema = 1
title = "Cut {number}: the span between {span} and {next}"

[run]
duration = "350 ms"
warmup = "50 ms"
seed = {number}
window = "0.2 ms"

[ring]
stations = {STATIONS}
capacity = "622 Mb/s"
span-delay = "0.1 ms"
law = {{ name = "dvsr-plus" }}
transit = {{ buffer = "200 kB" }}
protection = {{ mode = "{mode}" }}
"#
        );
        let hub = draw.random_range(0..STATIONS);
        for from in (0..STATIONS).filter(|from| load == Load::Mesh || *from != hub) {
            let to = match load {
                Load::Mesh => (from + draw.random_range(1..STATIONS)) % STATIONS,
                Load::Hub => hub,
            };
            let traffic = r#"{ kind = "greedy", packet = "1 kB", size-jitter = "5 %" }"#;
            let _ = write!(toml, "\n[[flow]]\nname = \"{from}-{to}\"\nfrom = {from}\nto = {to}\ntraffic = {traffic}\n");
        }
        let _ = write!(toml, "\n[[event]]\nat = \"{at_us} us\"\nkind = \"cut\"\nbetween = [{span}, {next}]\n");
        let scenario = Scenario::parse("cut.toml", &toml)
            .map_err(|errors| CliError::bad_input(errors.to_string(), "report it: the experiment made this file"))?;
        Ok(Self { number, toml, scenario })
    }

    /// Runs it under `law`, audited; none if `watch` says stop.
    pub fn measure(&self, law: &RingLawChoice, watch: &mut dyn FnMut(f64) -> bool) -> Result<Option<Found>, CliError> {
        let bad = |message: String| CliError::bad_input(message, "leave the law out, and report it");
        let scenario = self.scenario.with_law(law.clone());
        let mut plan = scenario.ring_plan(0).ok_or_else(|| bad("not a ring".to_owned()))?;
        plan.check = true;
        let mut was_cut = !watch(0.0);
        if was_cut {
            return Ok(None);
        }
        let record = simulate_watched(&plan, law, &mut |fraction| {
            was_cut = !watch(fraction);
            !was_cut
        })
        .map_err(|error| bad(error.to_string()))?;
        if was_cut {
            return Ok(None);
        }
        let phases = plan.phases();
        let references = phases.iter().map(|phase| solve_references(&scenario.after(phase), Criterion::Rias));
        let references = references.collect::<Result<Vec<_>, _>>()?;
        let events = event_summaries(&plan, &record, &phases, &references);
        let found = |event| Found {
            law: law.about().name.to_owned(),
            cut: self.number,
            event,
            lost: record.flows.iter().map(|flow| flow.lost).sum(),
            throughput: throughput(&record, &phases),
            dropped: record.flows.iter().map(|flow| flow.dropped).sum(),
            violations: record.violations.clone(),
        };
        Ok(events.into_iter().next().map(found))
    }
}

/// What is delivered in the last 100 ms, over what was from the warm-up's end to the first event.
fn throughput(record: &RunRecord, phases: &[Phase]) -> f64 {
    let window = record.window.as_nanos().max(1);
    let rows = record.duration.as_nanos() / window;
    let cut = phases.first().map_or(rows, |phase| phase.acts_at.as_nanos() / window);
    let per_row = |rows: std::ops::Range<u64>| {
        let count = rows.end.saturating_sub(rows.start).max(1) as f64;
        let own = |flow: &FlowRecord| flow.delivered_bytes[rows.start as usize..rows.end as usize].to_vec();
        record.flows.iter().flat_map(own).map(u64::from).sum::<u64>() as f64 / count
    };
    let last = Span::from_millis(100).as_nanos() / window;
    per_row(rows.saturating_sub(last)..rows) / per_row(record.warmup.as_nanos() / window..cut).max(1.0)
}
