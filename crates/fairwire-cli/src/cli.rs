//! The command line: one variant a verb.

use crate::deferred::Deferred;
use crate::verbs::{
    allocate, analyse, bench, compare, completions, dissector, doctor, enforce, export, import, laws, man, replay,
    reproduce, run, scenario, sweep, up,
};
use clap::{Parser, Subcommand};
use fairwire_laws::ring::OutsideLaw;
use fairwire_terminal::{CliError, EXIT_CODES, Loudness, Outcome};

/// Where help lists options of all verbs: after those of a verb itself.
const AFTER_OWN: usize = 100;

/// Who gets how much bandwidth, and why?
#[derive(Debug, Parser)]
#[command(name = "fairwire", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,

    /// Say nothing but the answer, warnings and errors
    #[arg(short, long, global = true, display_order = AFTER_OWN)]
    quiet: bool,

    /// Tell on stderr also what is being done
    #[arg(short, long, global = true, display_order = AFTER_OWN, conflicts_with = "quiet")]
    verbose: bool,

    /// Fit tables into so many characters a line [default: as wide as the terminal; no limit in files and pipes]
    #[arg(long, value_name = "N", global = true, display_order = AFTER_OWN, value_parser = clap::value_parser!(u16).range(20..))]
    pub width: Option<u16>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Compute the fair rates of a scenario, and what holds each flow
    #[command(alias = "compute")]
    Allocate(Deferred<allocate::Args>),
    /// Simulate a scenario packet by packet and compare it with what is fair
    #[command(alias = "simulate")]
    Run(Deferred<run::Args>),
    /// Simulate a scenario under several laws, side by side
    Compare(Deferred<compare::Args>),
    /// Run all points of a sweep, each as often as it takes, and go on where it ended
    Sweep(Deferred<sweep::Args>),
    /// Bring the packets of a run with `--real` again: the same tables, or what another law does to them
    Replay(Deferred<replay::Args>),
    /// Hold a ring or network of real stations open, for programs of yours
    Up(Deferred<up::Args>),
    /// Run a program inside a station of what is up
    Exec(Deferred<up::ExecArgs>),
    /// Tell what is up and what it looks like, as JSON
    Status(Deferred<up::Which>),
    /// Take down what is up
    Down(Deferred<up::Which>),
    /// Govern the links of a Linux router: a law moves limits of the kernel's own queues
    Enforce(Deferred<enforce::Args>),
    /// Tell what real runs need and what of it this system lacks
    Doctor(Deferred<doctor::Args>),
    /// Write a dissector for Wireshark to stdout, in Lua: it reads control messages in captures
    Dissector(Deferred<dissector::Args>),
    /// Tell from theory which flows the fairness modes of RPR never bring to rest, and what that costs
    #[command(alias = "analyze")]
    Analyse(Deferred<analyse::Args>),
    /// Check what the papers claim
    Reproduce(Deferred<reproduce::Args>),
    /// List the control laws, or the parameters of one
    Laws(Deferred<laws::Args>),
    /// Check, format or start scenario files
    #[command(subcommand)]
    Scenario(scenario::Verb),
    /// Turn networks of others into scenarios: CSV, GraphML, node-link JSON, LibreQoS
    #[command(subcommand)]
    Import(import::Verb),
    /// Write fair rates as limits for the shapers of others: CSV, LibreQoS
    Export(Deferred<export::Args>),
    /// Start fairwire-bench: speed next to ns-2, and what all laws make of many rings, gateways and cuts
    Bench(Deferred<bench::Args>),
    /// Write completions for a shell to stdout
    Completions(Deferred<completions::Args>),
    /// Write manual pages, one for each verb
    Man(Deferred<man::Args>),
}

impl Cli {
    /// How much is said on stderr.
    pub const fn loudness(&self) -> Loudness {
        match (self.quiet, self.verbose) {
            (true, _) => Loudness::Quiet,
            (false, true) => Loudness::Verbose,
            (false, false) => Loudness::Usual,
        }
    }

    /// Whether a program reads the answer.
    pub fn answers_in_json(&self) -> bool {
        match &self.verb {
            Verb::Allocate(args) => args.json,
            Verb::Run(args) => args.options.json,
            Verb::Compare(args) => args.options.json,
            Verb::Sweep(args) => args.json,
            Verb::Analyse(args) => args.json,
            Verb::Reproduce(args) => args.json,
            Verb::Laws(args) => args.json,
            Verb::Replay(args) => args.json,
            Verb::Enforce(args) => args.json,
            Verb::Scenario(scenario::Verb::Check(args)) => args.json,
            _ => false,
        }
    }

    /// Does what was asked; `outside` are the laws that are not in the list.
    ///
    /// # Errors
    /// What kept it from being done.
    pub fn run(self, outside: &[OutsideLaw]) -> Result<Outcome, CliError> {
        match self.verb {
            Verb::Allocate(args) => allocate::run(&args),
            Verb::Run(args) => run::run(&args, outside),
            Verb::Compare(args) => compare::run(&args, outside),
            Verb::Sweep(args) => sweep::run(&args),
            Verb::Replay(args) => replay::run(&args, outside),
            Verb::Up(args) => up::run(&args, outside),
            Verb::Exec(args) => up::exec(&args),
            Verb::Status(which) => up::status(&which),
            Verb::Down(which) => up::down(&which),
            Verb::Enforce(args) => enforce::run(&args, outside),
            Verb::Dissector(args) => dissector::run(&args),
            Verb::Doctor(args) => doctor::run(&args),
            Verb::Analyse(args) => analyse::run(&args),
            Verb::Reproduce(args) => reproduce::run(&args),
            Verb::Laws(args) => laws::run(&args, outside),
            Verb::Scenario(verb) => scenario::run(&verb),
            Verb::Import(verb) => import::run(&verb),
            Verb::Export(args) => export::run(&args),
            Verb::Bench(args) => bench::run(&args),
            Verb::Completions(args) => completions::run(&args),
            Verb::Man(args) => man::run(&args),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
    #[test]
    fn help_tells_of_options_of_a_verb_before_those_of_all() {
        for (verb, own) in
            [(vec!["laws"], "--json"), (vec!["scenario", "check"], "--json"), (vec!["import", "csv"], "--map")]
        {
            let asked = ["fairwire"].into_iter().chain(verb).chain(["--help"]);
            let help = Cli::try_parse_from(asked).unwrap_err().to_string();
            let of_all = ["--quiet", "--verbose", "--width"].map(|option| help.find(option).unwrap());
            assert!(of_all.iter().all(|at| help.find(own).unwrap() < *at), "{help}");
        }
    }
}
