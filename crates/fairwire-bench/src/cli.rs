//! The command line: one variant a kind of measurement.

use crate::{aqm, fairness, liars, protection, rates, real, solvers, speed, validate};
use clap::{Parser, Subcommand};
use fairwire_terminal::{CliError, EXIT_CODES, Outcome, fit};

/// Measure speed next to ns-2, or what all laws make of many rings, gateways and cuts
#[derive(Debug, Parser)]
#[command(name = "fairwire-bench", version, max_term_width = 100, after_help = EXIT_CODES)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    what: Option<What>,

    #[command(flatten)]
    speed: speed::Args,
}

/// What can be measured; without a word it is speed.
#[derive(Debug, Subcommand)]
enum What {
    /// CPU time and memory of the packet simulator
    Speed(speed::Args),
    /// Every law over random rings, parking lots and the papers' scenarios: the scoreboard
    Fairness(fairness::Args),
    /// Every queue law over gateways after RFC 7928 and long parking lots
    Aqm(aqm::Args),
    /// Sources that do not do as their port tells them, under every rate law: what they gain, and others lose
    Liars(liars::Args),
    /// Every rate law over random networks whose flows and links change, and the network of its paper
    Rates(rates::Args),
    /// The same rings and gateways simulated and with real packets, side by side
    Real(real::Args),
    /// Random cuts of a loaded ring with protection: outage, and time to fair again
    Protection(protection::Args),
    /// Fair rates on large problems, next to SimGrid, HiGHS and Clarabel
    Solvers(solvers::Args),
    /// The same gateways here and in ns-2, side by side
    Validate(validate::Args),
}

impl Cli {
    /// Whether what is printed goes into a page, too.
    fn writes_a_page(&self) -> bool {
        match &self.what {
            Some(What::Fairness(fairness)) => fairness.page.is_some(),
            Some(What::Aqm(aqm)) => aqm.page.is_some(),
            Some(What::Protection(protection)) => protection.page.is_some(),
            Some(What::Validate(validate)) => validate.page.is_some(),
            Some(What::Rates(rates)) => rates.page.is_some(),
            Some(What::Real(real)) => real.page.is_some(),
            Some(What::Solvers(solvers)) => solvers.page.is_some(),
            Some(What::Speed(speed)) => speed.page.is_some(),
            None => self.speed.page.is_some(),
            Some(What::Liars(_)) => false,
        }
    }

    /// Whether a program reads the answer.
    pub fn answers_in_json(&self) -> bool {
        match &self.what {
            None => self.speed.json,
            Some(What::Speed(speed)) => speed.json,
            Some(What::Fairness(fairness)) => fairness.json,
            Some(What::Aqm(aqm)) => aqm.json,
            Some(What::Liars(liars)) => liars.json,
            Some(What::Rates(rates)) => rates.json,
            Some(What::Real(real)) => real.json,
            Some(What::Protection(protection)) => protection.json,
            Some(What::Solvers(solvers)) => solvers.json,
            Some(What::Validate(validate)) => validate.json,
        }
    }

    /// Measures what was asked for.
    ///
    /// # Errors
    /// What kept it from being measured.
    pub fn run(self) -> Result<Outcome, CliError> {
        // Pages are as wide as their tables.
        if !self.writes_a_page() {
            fit(None);
        }
        match &self.what {
            None => speed::run(&self.speed),
            Some(What::Speed(speed)) => speed::run(speed),
            Some(What::Fairness(fairness)) => fairness::run(fairness),
            Some(What::Aqm(aqm)) => aqm::run(aqm),
            Some(What::Liars(liars)) => liars::run(liars),
            Some(What::Rates(rates)) => rates::run(rates),
            Some(What::Real(real)) => real::run(real),
            Some(What::Protection(protection)) => protection::run(protection),
            Some(What::Solvers(solvers)) => solvers::run(solvers),
            Some(What::Validate(validate)) => validate::run(validate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
