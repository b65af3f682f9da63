//! What is being simulated, for those who asked to be told with `--verbose`.

use fairwire_plan::{EnginePath, NetworkEngine};
use fairwire_results::{Plan, RunSummary};
use fairwire_runs::Batch;
use fairwire_terminal::text;

/// All runs to do: laws, seeds and numbers of runs as they were resolved, the way through time, the processors.
pub fn of_batch(batch: &Batch) -> String {
    let laws: Vec<&str> = batch.laws.iter().map(|law| law.about().name).collect();
    let seeds: Vec<String> = batch.seeded.iter().map(|scenario| scenario.run().seed.to_string()).collect();
    let runs = match batch.runs.end - batch.runs.start {
        1 => format!("run {}", batch.runs.start),
        _ => format!("runs {} to {}", batch.runs.start, batch.runs.end - 1),
    };
    let threads = rayon::current_num_threads().min(batch.len());
    format!(
        "{} of {}: law {}, seed {}, {runs}; engine {}, on {}",
        text::count(batch.len(), "run"),
        batch.scenario().run().duration,
        laws.join(", "),
        seeds.join(", "),
        engine(&batch.plan()),
        text::count(threads, "thread")
    )
}

fn engine(plan: &Plan) -> &'static str {
    match plan {
        Plan::Ring(plan) => match plan.engine {
            EnginePath::Auto => "auto",
            EnginePath::Windows => "windows",
            EnginePath::Events => "events",
        },
        Plan::Network(plan) => match plan.engine {
            NetworkEngine::Ahead => "auto",
            NetworkEngine::Events => "events",
        },
    }
}

/// One run that has ended, and what it took.
pub fn of_run(run: &RunSummary) -> String {
    let RunSummary { law, seed, run, packet_hops, wall_s, .. } = run;
    let (hops, took) = (text::grouped(*packet_hops), text::time(wall_s * 1e9));
    format!("{law}, seed {seed}, run {run}: {hops} packet-hops in {took}")
}
