//! What a page may ask, and what it is answered.

use fairwire_alloc::AllocError;
use fairwire_laws::LawAbout;
use fairwire_plan::Detail;
use fairwire_results::{AllocationPage, Promise, TableFormat, render_allocation};
use fairwire_runs::{Batch, Cautions, Folder, Promises, Reference, in_words, once_each, plan_of, worst};
use fairwire_scenario::{Diagnostic, Diagnostics, LawChoice, Scenario};
use serde::{Deserialize, Serialize};

/// What the scenario is called in findings.
const NAME: &str = "scenario";

/// What is asked of a scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Question {
    /// What is wrong with it, and which laws it could run under.
    Check {
        /// The scenario.
        text: String,
    },
    /// The page of its fair rates.
    Allocate {
        /// The scenario.
        text: String,
    },
    /// The report of its runs, a run a law.
    Compare {
        /// The scenario.
        text: String,
        /// Names of laws; none for its own.
        laws: Vec<String>,
    },
}

/// What is answered. Where something is wrong with the scenario there is no page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// What is wrong with the scenario, or probably not meant.
    pub findings: Vec<Finding>,
    /// The scenario's title.
    pub title: String,
    /// Laws that it could run under.
    pub laws: Vec<Law>,
    /// What to know before trusting the numbers.
    pub warnings: Vec<String>,
    /// The page.
    pub page: Option<String>,
}

/// Something about the scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether nothing can be done with the scenario before it is mended.
    pub is_error: bool,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What it is.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// A law.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Law {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Whether it is the one that the scenario names.
    pub is_own: bool,
}

/// What is outside of a module.
pub trait Outside {
    /// So much of the work is done, from 0 to 1.
    fn progress(&self, fraction: f64);
    /// The time since any moment, in seconds.
    fn now_s(&self) -> f64;
}

impl Finding {
    fn new(diagnostic: &Diagnostic, is_error: bool) -> Self {
        let Diagnostic { message, help, line, column, .. } = diagnostic.clone();
        Self { is_error, line, column, message, help }
    }

    /// Something that stands in no line of its own.
    fn whole(message: String, help: &str) -> Self {
        Self { is_error: true, line: 1, column: 1, message, help: help.to_owned() }
    }
}

impl Answer {
    fn refused(mut self, findings: impl IntoIterator<Item = Finding>) -> Self {
        self.findings.extend(findings);
        self
    }
}

/// Answers a question written as JSON, in JSON.
pub fn answer_json(question: &str, outside: &dyn Outside) -> String {
    let answer = match serde_json::from_str(question) {
        Ok(question) => answer(&question, outside),
        Err(error) => {
            Answer::default().refused([Finding::whole(format!("no question: {error}"), "ask as the page does")])
        }
    };
    serde_json::to_string(&answer).unwrap_or_default()
}

/// Answers a question.
pub fn answer(question: &Question, outside: &dyn Outside) -> Answer {
    let (Question::Check { text } | Question::Allocate { text } | Question::Compare { text, .. }) = question;
    let scenario = match Scenario::parse(NAME, text) {
        Ok(scenario) => scenario,
        Err(errors) => return Answer::default().refused(of_errors(&errors)),
    };
    let own = scenario.own_law().map(|law| law.about().name);
    let law =
        |about: &&'static LawAbout| Law { name: about.name, summary: about.summary, is_own: own == Some(about.name) };
    let known = Answer {
        findings: scenario.warnings().iter().map(|warning| Finding::new(warning, false)).collect(),
        title: scenario.title().to_owned(),
        laws: scenario.all_laws().iter().map(law).collect(),
        ..Answer::default()
    };
    match question {
        Question::Check { .. } => known,
        Question::Allocate { .. } => allocate(known, text, &scenario),
        Question::Compare { laws, .. } => compare(known, text, scenario, laws, outside),
    }
}

fn of_errors(errors: &Diagnostics) -> Vec<Finding> {
    errors.items.iter().map(|error| Finding::new(error, true)).collect()
}

/// The page of fair rates.
fn allocate(known: Answer, text: &str, scenario: &Scenario) -> Answer {
    let scenario = scenario.to_be_shared();
    let fair = match scenario.checked_allocation(scenario.criterion()) {
        Ok(fair) => fair,
        Err(error) => return known.refused(unsolved(&scenario, &error)),
    };
    let problem = scenario.offered_problem();
    let satisfied = (0..problem.flows.len()).map(|flow| scenario.why_satisfied(flow));
    let satisfied: Vec<(String, String)> =
        satisfied.map(|satisfied| (satisfied.kind().to_owned(), satisfied.why())).collect();
    let page = render_allocation(&AllocationPage {
        title: scenario.title(),
        description: scenario.description().unwrap_or_default(),
        scenario_text: text,
        plan: &plan_of(&scenario, 0),
        problem: &problem,
        allocation: &fair.allocation,
        satisfied: &satisfied,
        violation: fair.check.why.as_deref(),
        proposals: &[],
        sensitivities: None,
    });
    Answer { page: Some(page), ..known }
}

/// The report of a run a law, as `fairwire compare` writes it into its folder.
fn compare(known: Answer, text: &str, scenario: Scenario, laws: &[String], outside: &dyn Outside) -> Answer {
    let chosen: Result<Vec<_>, _> = laws.iter().map(|name| scenario.law_called(name)).collect();
    let chosen = match chosen {
        Ok(chosen) if chosen.is_empty() => scenario.own_law().into_iter().collect(),
        Ok(chosen) => once_each(chosen),
        Err(error) => return known.refused([Finding::whole(error.to_string(), &error.help())]),
    };
    if chosen.is_empty() {
        return known.refused([Finding::whole("no law is chosen".to_owned(), "choose one or several")]);
    }
    let batch = batch(scenario, chosen);
    let scenario = batch.scenario();
    let solved = Reference::solve(scenario, scenario.criterion(), true)
        .and_then(|reference| Ok((reference, Promises::new(scenario)?)));
    let (reference, promises) = match solved {
        Ok(solved) => solved,
        Err(error) => return known.refused(unsolved(scenario, &error)),
    };
    let (jobs, mut runs, mut verdicts) = (batch.jobs(), Vec::new(), Vec::new());
    for (done, job) in jobs.iter().enumerate() {
        let whole = |fraction: f64| (done as f64 + fraction) / jobs.len() as f64;
        let watch = &mut |fraction| {
            outside.progress(whole(fraction));
            true
        };
        match batch.simulate_one_by(*job, &reference, &|| outside.now_s(), watch) {
            Ok(Some(run)) => {
                verdicts.push(promises.judge_own(&batch, &run));
                runs.push(run.outcome);
            }
            Ok(None) => {}
            Err(error) => return known.refused([Finding::whole(error.to_string(), "change the scenario")]),
        }
    }
    let warnings = Cautions::of(&batch, &reference, runs.iter().map(|run| &run.summary)).all();
    let promises: Vec<Promise> = in_words(&worst(verdicts), reference.criterion());
    let folder = Folder {
        batch: &batch,
        text,
        reference: &reference,
        runs: &runs,
        promises: &promises,
        format: TableFormat::Csv,
        warnings: &warnings,
        wall_s: 0.0,
        ended: std::time::UNIX_EPOCH,
        driver: None,
        real: &[],
        files: &[],
    };
    match folder.report() {
        Ok(page) => Answer { page: Some(page), warnings, ..known },
        Err(error) => known.refused([Finding::whole(error.to_string(), "report it")]),
    }
}

fn batch(scenario: Scenario, laws: Vec<LawChoice>) -> Batch {
    Batch {
        runs: 0..scenario.replications(),
        seeded: vec![scenario],
        laws,
        engine: None,
        detail: Detail::Full,
        check: false,
    }
}

/// Why there are no fair rates, in the file where that can be told.
fn unsolved(scenario: &Scenario, error: &AllocError) -> Vec<Finding> {
    let placed = scenario.place(error).map(|errors| of_errors(&errors));
    placed.unwrap_or_else(|| vec![Finding::whole(error.to_string(), "try another criterion, as in [fair]")])
}

#[cfg(test)]
mod tests;
