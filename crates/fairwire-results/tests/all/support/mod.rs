//! A small simulated scenario for the tests of this crate.

#[path = "../../../examples/gallery/scenes.rs"]
#[allow(dead_code, reason = "each test uses its part")]
mod scenes;

use fairwire_alloc::{Allocation, Criterion, Problem, solve};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::RingPlan;
use fairwire_results::{Plan, Record, RunOutcome, SummaryInput, summarise};
use fairwire_sim::simulate;

pub use scenes::{Scene, all as all_scenes};

#[allow(dead_code, reason = "each test uses its part")]
/// A scene with its fair rates and its runs.
pub struct Played {
    pub ring: RingPlan,
    pub plan: Plan,
    pub problem: Problem,
    pub allocation: Allocation,
    pub runs: Vec<RunOutcome>,
}

/// Simulates the scene called `name` for `duration_ms`.
pub fn play(name: &str, duration_ms: u64) -> Played {
    let scene = all_scenes().into_iter().find(|scene| scene.name == name).expect("a known scene");
    let plan = RingPlan { duration: fairwire_core::Span::from_millis(duration_ms), ..scene.plan.clone() };
    let problem = scenes::problem(&plan);
    let allocation = solve(&problem, Criterion::Rias).expect("solvable");
    let runs = runs_of(&scene, &plan, &allocation);
    Played { plan: plan.clone().into(), ring: plan, problem, allocation, runs }
}

fn runs_of(scene: &Scene, plan: &RingPlan, allocation: &Allocation) -> Vec<RunOutcome> {
    let one = |law: &'static str, run: u64| {
        let plan = RingPlan { run, ..plan.clone() };
        let record = simulate(&plan, &RingLawChoice::by_name(law).expect("a known law")).expect("runnable");
        let (plan, record) = (Plan::from(plan), Record::from(record));
        let seed = plan.seed();
        let input = SummaryInput { plan: &plan, record: &record, allocation, law, seed, run, wall_s: 0.25 };
        RunOutcome { law: law.to_owned(), summary: summarise(&input), record }
    };
    scene.laws.iter().flat_map(|law| (0..scene.replications).map(move |run| one(law, run))).collect()
}
