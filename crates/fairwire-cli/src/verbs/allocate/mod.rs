//! `fairwire allocate FILE`: the fair rates, what holds each flow, and what would change it.

mod answer;
mod page;
mod show;
mod what_if;
mod worth;

use crate::runs::criterion;
use crate::settings::{self, Setting};
use crate::source::Source;
use crate::unheeded;
use answer::Answer;
use fairwire_alloc::{Criterion, Sensitivity, sensitivities};
use fairwire_runs::Promises;
use fairwire_scenario::answer::Answer as FairAnswer;
use fairwire_scenario::{FairAllocation, Scenario};
use fairwire_terminal::{CliError, Countdown, Outcome, output, patiently, text};
use page::Target;
use std::path::PathBuf;
use std::time::Instant;
use what_if::Worked;
use worth::WorthAnswer;

/// JSON about more flows than this is not indented.
const MOST_INDENTED: usize = 1000;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scenario; `-` reads it from stdin
    file: PathBuf,

    /// What fair means: rias, rias-iterative, max-min, weighted-max-min,
    /// general-weighted, ingress-egress, proportional or inverse-hop
    /// [default: what `[fair]` of the file says, or the criterion of its kind]
    #[arg(long, value_name = "NAME", value_parser = criterion)]
    criterion: Option<Criterion>,

    /// Another value under a key of the file, such as 'flow.bulk.weight=2'; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = settings::parse)]
    set: Vec<Setting>,

    /// Tell also who would gain and lose: "link NAME +10%", "link NAME lost",
    /// "flow NAME weight 2", "flow NAME from A to B", "flow NAME removed", …;
    /// `;` joins changes; may be given several times, a question each
    #[arg(long, value_name = "CHANGE")]
    what_if: Vec<String>,

    /// Tell also what a little more or less capacity of each full link is worth
    #[arg(long)]
    sensitivities: bool,

    /// Write a page with a picture of it all to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Solves, has the answer checked by code that shares nothing with the solver, and prints both.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    let source = Source::read(&args.file)?;
    let scenario = source.scenario_as_set(&args.set)?;
    let scenario = scenario.to_be_shared();
    let criterion = args.criterion.unwrap_or_else(|| scenario.criterion());
    if !scenario.sweep().is_empty() {
        output::note("the file has a [sweep]; `allocate` takes the scenario as it stands");
    }
    unheeded::tell(&scenario, criterion);
    let target = args.html.as_deref().map(Target::new).transpose()?;
    let Solved { worked, fair: FairAllocation { allocation, check }, worth } = Solved::of(args, &scenario, criterion)?;

    for worked in worked.iter().filter(|worked| worked.criterion != criterion) {
        let (asked, said) = (worked.criterion, worked.proposal.said().join("; "));
        output::note(&format!("what if {said}: before and after are compared under {asked}, which heeds it"));
    }
    let offered = scenario.offered_problem();
    let promises = Promises::new(&scenario).map_err(|error| CliError::unsolved(&scenario, error))?;
    let answer = Answer {
        fair: FairAnswer::of_scenario(&scenario, &offered, &allocation, check),
        expect: promises.judge_fair_rates(),
        what_if: worked.iter().map(|worked| worked.answer(&offered)).collect(),
        sensitivities: worth
            .as_ref()
            .map(|worth| worth.iter().map(|worth| WorthAnswer::new(&offered, worth)).collect()),
    };
    let parts = page::Parts {
        scenario: &scenario,
        source: &source,
        problem: &offered,
        allocation: &allocation,
        answer: &answer,
        worked: &worked,
        worth: worth.as_deref(),
    };
    // A full disk does not take the answer away.
    let written = target.map_or(Ok(()), |target| target.write(&parts));
    if args.json && answer.fair.flows.len() > MOST_INDENTED {
        output::print_json_line(&answer)?;
    } else if args.json {
        output::print_json(&answer)?;
    } else {
        output::print_page(&show::show(&offered, &answer, &scenario.fair_words(criterion)))?;
    }
    written.map_err(|error| CliError::Answered(Box::new(error)))?;
    // The iteration is asked for to be looked at, fair or not.
    let as_asked = criterion == Criterion::RiasIterative
        || answer.fair.check.fair && answer.what_if.iter().all(|what_if| what_if.check.fair);
    Ok(Outcome::fine_if(as_asked && answer.expect.iter().all(|promise| promise.ok)))
}

/// What takes time.
struct Solved {
    worked: Vec<Worked>,
    fair: FairAllocation,
    worth: Option<Vec<Sensitivity>>,
}

impl Solved {
    fn of(args: &Args, scenario: &Scenario, criterion: Criterion) -> Result<Self, CliError> {
        // One question takes nobody knows how long; of many some are answered, and the rest takes as long.
        if args.what_if.len() < 2 {
            return patiently("working out who gets how much", || Self::each(args, scenario, criterion, &|| ()));
        }
        let progress = Countdown::new("question");
        let all = args.what_if.len() as u64 + 1;
        Self::each(args, scenario, criterion, &|| progress.count(1, all))
    }

    /// `answered` is told after each question.
    fn each(args: &Args, scenario: &Scenario, criterion: Criterion, answered: &dyn Fn()) -> Result<Self, CliError> {
        let started = Instant::now();
        let tell = |what: &str| {
            answered();
            let at = || text::time(started.elapsed().as_nanos() as f64);
            output::detail(|| format!("after {}: {what}", at()));
        };
        let read = |text: &String| {
            let worked = Worked::read(scenario, args.criterion, text)?;
            tell(&format!("what if {text}, under {}", worked.criterion));
            Ok::<_, CliError>(worked)
        };
        let worked = args.what_if.iter().map(read).collect::<Result<_, _>>()?;
        let unsolved = |error| CliError::unsolved(scenario, error);
        let fair = scenario.checked_allocation(criterion).map_err(unsolved)?;
        tell(&format!("fair rates under {criterion}, solved and checked"));
        let worth = || sensitivities(&scenario.problem(), &scenario.terms(), criterion);
        let worth = args.sensitivities.then(worth).transpose().map_err(unsolved)?;
        Ok(Self { worked, fair, worth })
    }
}
