//! Draws reports of made-up runs into a folder, to look at them:
//! `cargo run --example gallery -- FOLDER`.

mod fluid;
mod scenes;

use fairwire_alloc::{Criterion, solve};
use fairwire_results::{
    ReportInput, RunFolder, RunOutcome, SummaryInput, TableFormat, render, scenario_hash, summarise, write,
};
use fairwire_sim::RingPlan;
use fluid::Fluid;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder to write to")?;
    let scenes = [
        ("parking-lot", "Spatial reuse in the parallel parking lot", scenes::parallel_parking_lot()),
        ("both-ways", "Both ringlets, one small flow, one late", scenes::both_ways()),
        ("crowded", "Sixty-four stations", scenes::crowded()),
    ];
    for (name, title, plan) in scenes {
        draw(&Path::new(&folder).join(name), title, &plan)?;
    }
    Ok(())
}

fn draw(folder: &Path, title: &str, plan: &RingPlan) -> Result<(), Box<dyn std::error::Error>> {
    let problem = scenes::problem(plan);
    let allocation = solve(&problem, Criterion::Rias)?;
    let fair: Vec<_> = allocation.flows.iter().map(|flow| flow.rate_bps).collect();
    let shared: Vec<_> = (0..plan.flows.len()).map(|at| fair[at] * [0.5, 1.4, 0.97][at % 3]).collect();
    let shown: Vec<_> = plan.links[0].iter().enumerate().map(|(at, _)| [1.0, 0.25, 0.5][at % 3]).collect();
    let good =
        Fluid { targets_bps: &fair, tau_s: 1.2e-3, swing_s: 6e-3, loss: 0.0, standing_queue: false, shown: &shown };
    let bad = Fluid { targets_bps: &shared, tau_s: 4e-3, swing_s: 9e-3, loss: 0.031, standing_queue: true, shown: &[] };
    let runs = [("dvsr", good), ("fifo", bad)].map(|(law, fluid)| {
        let record = fluid::record(plan, &fluid);
        let input =
            SummaryInput { plan, record: &record, allocation: &allocation, law, seed: plan.seed, run: 0, wall_s: 1.23 };
        RunOutcome { law: law.to_owned(), summary: summarise(&input), record }
    });
    let scenario = serde_json::json!({"title": title});
    let scenario_text = format!("schema = 1\ntitle  = \"{title}\"\n");
    let report = render(&ReportInput {
        title,
        description: "A fluid that swings towards its rates, for looking at the report.",
        scenario_text: &scenario_text,
        scenario_sha256: &scenario_hash(&scenario),
        plan,
        allocation: &allocation,
        problem: &problem,
        runs: &runs,
    });
    println!("{}: report of {} kB", folder.display(), report.len() / 1000);
    write(
        folder,
        &RunFolder {
            title,
            scenario: &scenario,
            scenario_text: &scenario_text,
            plan,
            runs: &runs,
            format: TableFormat::Parquet,
            report: Some(&report),
            versions: &[],
            warnings: &[],
            wall_s: 2.46,
            replace: true,
        },
    )?;
    Ok(())
}
