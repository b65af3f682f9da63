//! What is being simulated, for those who asked to be told with `--verbose`.

use fairwire_plan::{EnginePath, NetworkEngine};
use fairwire_results::{Plan, RunSummary};
use fairwire_runs::{Batch, Reference};
use fairwire_scenario::LawChoice;
use fairwire_sim::engine_path;
use fairwire_terminal::text;
use serde_json::Value;
use std::time::Duration;

/// What is fair, solved before anything runs.
pub fn of_reference(reference: &Reference, took: Duration) -> String {
    let later = match reference.changes.len() + reference.after_events.len() {
        0 => String::new(),
        changes => format!(" and after {}", text::count(changes, "change")),
    };
    format!("fair rates under {}{later} in {}", reference.criterion(), text::time(took.as_nanos() as f64))
}

/// All runs to do: seeds and numbers of runs as they were resolved, the way through time, the processors; and a line
/// for each law with all of its parameters.
pub fn of_batch(batch: &Batch) -> String {
    let laws: Vec<&str> = batch.laws.iter().map(|law| law.about().name).collect();
    let seeds: Vec<String> = batch.seeded.iter().map(|scenario| scenario.run().seed.to_string()).collect();
    let runs = match batch.runs.end - batch.runs.start {
        1 => format!("run {}", batch.runs.start),
        _ => format!("runs {} to {}", batch.runs.start, batch.runs.end - 1),
    };
    let threads = rayon::current_num_threads().min(batch.len());
    let mut told = format!(
        "{} of {}: law {}, seed {}, {runs}; engine {}, on {}",
        text::count(batch.len(), "run"),
        batch.scenario().run().duration,
        laws.join(", "),
        seeds.join(", "),
        engine(&batch.plan()),
        text::count(threads, "thread")
    );
    for law in &batch.laws {
        told.push_str(&format!("\nlaw {}", with_parameters(law)));
    }
    told
}

/// The way that is taken, not the word that leaves it open.
fn engine(plan: &Plan) -> String {
    match plan {
        Plan::Ring(plan) => {
            let taken = if engine_path(plan) == EnginePath::Events { "events" } else { "windows" };
            let chosen = if plan.engine == EnginePath::Auto { " (auto)" } else { "" };
            format!("{taken}{chosen}")
        }
        Plan::Network(plan) => match plan.engine {
            NetworkEngine::Ahead => "ahead of events where queues are plain FIFOs".to_owned(),
            NetworkEngine::Events => "events".to_owned(),
        },
    }
}

/// `dvsr: period = "100 us", …`, as a scenario would write it.
fn with_parameters(law: &LawChoice) -> String {
    let written = match law {
        LawChoice::Ring(law) => serde_json::to_value(law),
        LawChoice::Queue(law) => serde_json::to_value(law),
        LawChoice::Rate(law) => serde_json::to_value(law),
    };
    let written = written.unwrap_or_default();
    let named =
        |(key, value): (&String, &Value)| (key != "name" && !value.is_null()).then(|| format!("{key} = {value}"));
    let parameters: Vec<String> = written.as_object().into_iter().flatten().filter_map(named).collect();
    let name = law.about().name;
    if parameters.is_empty() { format!("{name}: nothing to set") } else { format!("{name}: {}", parameters.join(", ")) }
}

/// One run that has ended, and what it took.
pub fn of_run(run: &RunSummary) -> String {
    let RunSummary { law, seed, run, packet_hops, wall_s, .. } = run;
    let (hops, took) = (text::grouped(*packet_hops), text::time(wall_s * 1e9));
    format!("{law}, seed {seed}, run {run}: {hops} packet-hops in {took}")
}
