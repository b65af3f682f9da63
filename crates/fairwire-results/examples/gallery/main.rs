//! Simulates some rings and writes their result folders, to look at the reports:
//! `cargo run --release --example gallery -- FOLDER`.

mod scenes;

use fairwire_alloc::{Criterion, solve};
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::RingPlan;
use fairwire_results::{
    Plan, Record, ReportInput, RunFolder, RunOutcome, SummaryInput, TableFormat, render, scenario_hash, summarise,
    write,
};
use fairwire_sim::simulate;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder to write to")?;
    for scene in scenes::all() {
        let folder = Path::new(&folder).join(scene.name);
        draw(&folder, &scene)?;
    }
    Ok(())
}

fn draw(folder: &Path, scene: &scenes::Scene) -> Result<(), Box<dyn Error>> {
    let plan = &scene.plan;
    let problem = scenes::problem(plan);
    let whole = Plan::from(plan.clone());
    let allocation = solve(&problem, Criterion::Rias)?;
    let mut runs = Vec::new();
    let began = Instant::now();
    for law in scene.laws {
        for run in 0..scene.replications {
            let plan = RingPlan { run, ..plan.clone() };
            let began = Instant::now();
            let record = Record::from(simulate(&plan, &RingLawChoice::by_name(law)?)?);
            let plan = Plan::from(plan);
            let wall_s = began.elapsed().as_secs_f64();
            let input = SummaryInput {
                plan: &plan,
                record: &record,
                allocation: &allocation,
                law,
                seed: plan.seed(),
                run,
                wall_s,
            };
            runs.push(RunOutcome { law: (*law).to_owned(), summary: summarise(&input), record });
        }
    }
    let scenario = serde_json::json!({ "title": scene.title });
    let scenario_text = format!("schema = 1\ntitle  = \"{}\"\n", scene.title);
    let drawing = Instant::now();
    let report = render(&ReportInput {
        title: scene.title,
        description: scene.description,
        scenario_text: &scenario_text,
        scenario_sha256: &scenario_hash(&scenario),
        plan: &whole,
        allocation: &allocation,
        problem: &problem,
        runs: &runs,
        promises: &[],
    });
    let drawn_s = drawing.elapsed().as_secs_f64();
    let writing = Instant::now();
    write(
        folder,
        &RunFolder {
            title: scene.title,
            scenario: &scenario,
            scenario_text: &scenario_text,
            plan: &whole,
            runs: &runs,
            format: TableFormat::Parquet,
            report: Some(&report),
            versions: &[],
            warnings: &[],
            wall_s: began.elapsed().as_secs_f64(),
            ended: std::time::UNIX_EPOCH,
            driver: None,
            real: &[],
            files: &[],
            replace: true,
        },
    )?;
    println!(
        "{}: report of {} kB drawn in {drawn_s:.2} s, folder written in {:.2} s",
        folder.display(),
        report.len() / 1000,
        writing.elapsed().as_secs_f64()
    );
    Ok(())
}
