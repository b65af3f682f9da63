//! One random failure of a ring under load: spans that are cut, or a station that is lost.

use super::experiment::{Experiment, Load};
use fairwire_alloc::Criterion;
use fairwire_core::{RandomStream, Span, Streams};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::{FlowRecord, Phase, RunRecord};
use fairwire_results::measures::{EventSummary, event_summaries};
use fairwire_runs::fair_rates;
use fairwire_scenario::Scenario;
use fairwire_sim::simulate_watched;
use fairwire_terminal::CliError;
use rand::RngExt;
use serde::Serialize;
use std::fmt::Write;

/// Every draw of the experiment follows from this and the number of the cut.
const SEED: u64 = 64;

/// A scenario with one cut, or several in one instant.
pub struct Cut {
    number: u64,
    experiment: Experiment,
    /// The scenario as a file.
    pub toml: String,
    scenario: Scenario,
    /// The last part of the run, when all is to be well again.
    end: Span,
}

/// What a cut did under a law.
#[derive(Debug, Serialize)]
pub struct CutEffect {
    /// The law that ran.
    pub law: String,
    /// The ring, and what was done to it.
    #[serde(flatten)]
    pub experiment: Experiment,
    /// The cut's number.
    pub cut: u64,
    /// The event in numbers; cuts in one instant are one.
    #[serde(flatten)]
    pub event: EventSummary,
    /// Packets that were on dead wires, and those that an edge could not wrap.
    pub lost: u64,
    /// What all flows together deliver in the last 100 ms (on rings of up to 64 stations), over what they did before
    /// the cut.
    pub throughput: f64,
    /// Packets dropped by full queues.
    pub dropped: u64,
    /// Broken invariants.
    pub violations: Vec<String>,
}

impl Cut {
    /// Every station sends without end, and spans are cut, or a station that is not the hub goes down.
    pub fn number(number: u64, experiment: &Experiment) -> Result<Self, CliError> {
        let stations = experiment.stations;
        let mut draw: RandomStream = Streams::new(SEED, number).component("cuts");
        let at = experiment.scaled(Span::from_micros(draw.random_range(100_000..110_000)));
        let first = draw.random_range(0..stations);
        let hub = draw.random_range(0..stations);
        let mut flows = Vec::new();
        for from in (0..stations).filter(|from| experiment.load == Load::Mesh || *from != hub) {
            let to = match experiment.load {
                Load::Mesh => (from + draw.random_range(1..stations)) % stations,
                Load::Hub => hub,
            };
            flows.push((from, to));
        }
        let mut spans = vec![first];
        spans.extend((experiment.cuts_at_once == 2).then(|| second_span(&mut draw, first, stations, &flows)));
        let between: Vec<[u16; 2]> = spans.iter().map(|span| [*span, (span + 1) % stations]).collect();
        let names: Vec<String> = between.iter().map(|[west, east]| format!("{west} and {east}")).collect();
        let down = if experiment.load == Load::Hub && first == hub { (first + 1) % stations } else { first };
        let (title, failures) = if experiment.station_down {
            (format!("Failure {number}: station {down}"), vec![format!("kind = \"station-down\"\nstation = {down}")])
        } else {
            let cut = |between: &[u16; 2]| format!("kind = \"cut\"\nbetween = {between:?}");
            let title = format!("Cut {number}: the span between {}", names.join(", and that between "));
            (title, between.iter().map(cut).collect())
        };
        let mut toml = format!("schema = 1\ntitle = \"{title}\"\n\n{}", experiment.ring_toml(number));
        for (from, to) in flows {
            let traffic = r#"{ kind = "greedy", packet = "1 kB", size-jitter = "5 %" }"#;
            let _ = write!(toml, "\n[[flow]]\nname = \"{from}-{to}\"\nfrom = {from}\nto = {to}\ntraffic = {traffic}\n");
        }
        for failure in failures {
            let _ = write!(toml, "\n[[event]]\nat = \"{at}\"\n{failure}\n");
        }
        let scenario = Scenario::parse("cut.toml", &toml)
            .map_err(|errors| CliError::bad_input(errors.to_string(), "report it: the experiment made this file"))?;
        Ok(Self { number, experiment: *experiment, toml, scenario, end: experiment.scaled(Span::from_millis(100)) })
    }

    /// Runs it under `law`, audited; none if `watch` says stop.
    pub fn measure(
        &self,
        law: &RingLawChoice,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<CutEffect>, CliError> {
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
        let references = phases.iter().map(|phase| fair_rates(&scenario.after(phase), Criterion::Rias));
        let references = references.collect::<Result<Vec<_>, _>>()?;
        let events = event_summaries(&plan, &record, &phases, &references);
        // Cuts in one instant share what comes of them together.
        let names: Vec<&str> = events.iter().map(|event| event.event.as_str()).collect();
        let event = events.first().map(|event| EventSummary { event: names.join(" + "), ..event.clone() });
        let found = |event| CutEffect {
            law: law.about().name.to_owned(),
            experiment: self.experiment,
            cut: self.number,
            event,
            lost: record.flows.iter().map(|flow| flow.lost).sum(),
            throughput: throughput(&record, &phases, self.end),
            dropped: record.flows.iter().map(|flow| flow.dropped).sum(),
            violations: record.violations.clone(),
        };
        Ok(event.map(found))
    }
}

/// A span that leaves at least one flow a way when both are cut.
fn second_span(draw: &mut RandomStream, first: u16, stations: u16, flows: &[(u16, u16)]) -> u16 {
    loop {
        let second = draw.random_range(0..stations);
        let after_first = |station: u16| (station + stations - first - 1) % stations;
        let is_before_second = |station: u16| after_first(station) <= after_first(second);
        let keeps_a_way = |&(from, to): &(u16, u16)| is_before_second(from) == is_before_second(to);
        if second != first && flows.iter().any(keeps_a_way) {
            return second;
        }
    }
}

/// What is delivered in the last `end` of the run, over what was from the warm-up's end to the first event.
fn throughput(record: &RunRecord, phases: &[Phase], end: Span) -> f64 {
    let window = record.window.as_nanos().max(1);
    let rows = record.duration.as_nanos() / window;
    let cut = phases.first().map_or(rows, |phase| phase.acts_at.as_nanos() / window);
    let per_row = |rows: std::ops::Range<u64>| {
        let count = rows.end.saturating_sub(rows.start).max(1) as f64;
        let own = |flow: &FlowRecord| flow.delivered_bytes[rows.start as usize..rows.end as usize].to_vec();
        record.flows.iter().flat_map(own).map(u64::from).sum::<u64>() as f64 / count
    };
    let last = end.as_nanos() / window;
    per_row(rows.saturating_sub(last)..rows) / per_row(record.warmup.as_nanos() / window..cut).max(1.0)
}
