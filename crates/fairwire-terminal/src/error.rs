//! How a call ends: with an outcome, or with an error dressed for people.

use crate::excerpt::{Excerpt, Placed};
use crate::harmless::harmless;
use crate::output;
use fairwire_alloc::AllocError;
use fairwire_results::ResultsError;
use fairwire_scenario::{Diagnostic, Diagnostics, Scenario, SettingError};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, Severity};
use serde::Serialize;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use textwrap::{WordSeparator, WordSplitter};

/// How a call that could be answered ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything is as it should be.
    Fine,
    /// An expectation, an invariant or a check failed.
    Failed,
    /// The user stopped it; what was finished has been kept.
    Interrupted,
}

impl Outcome {
    /// [`Outcome::Fine`] if all is well.
    pub fn fine_if(well: bool) -> Self {
        if well { Self::Fine } else { Self::Failed }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Fine => 0,
            Outcome::Failed => 1,
            Outcome::Interrupted => 130,
        })
    }
}

/// Why a call could not be answered.
#[derive(Debug)]
pub enum CliError {
    /// Scenario files with mistakes.
    Scenario(Vec<Diagnostics>),
    /// Anything else that the user can mend.
    BadInput {
        /// What is wrong.
        message: String,
        /// What to do instead.
        help: String,
    },
    /// The environment lacks something.
    Missing {
        /// What is missing.
        message: String,
        /// What to install.
        help: String,
    },
    /// Another program cannot be started in place of this one.
    Program {
        /// Which, and why.
        message: String,
        /// What to do instead.
        help: String,
        /// What shells exit with then: 127 if it is not there, else 126.
        code: u8,
    },
    /// Standard output cannot be written.
    Output(io::Error),
    /// What went wrong after the answer was given, or what the answer tells already: only people are told.
    Answered(Box<CliError>),
}

impl CliError {
    /// A mistake that the user can mend, with the mend.
    pub fn bad_input(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::BadInput { message: message.into(), help: help.into() }
    }

    /// A file that cannot be read or written; a full disk is no mistake of whoever named it.
    pub fn file(doing: &str, path: &Path, error: &io::Error, help: &str) -> Self {
        let message = format!("cannot {doing} {}: {error}", path.display());
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Missing { message, help: "make room there, or name another place".to_owned() }
            }
            _ => Self::bad_input(message, help),
        }
    }

    /// Why a scenario has no fair rates: what is to blame in its file, where that can be told.
    pub fn unsolved(scenario: &Scenario, error: AllocError) -> Self {
        scenario.place(&error).map_or_else(|| error.into(), Self::from)
    }

    /// Tells people on stderr, and the exit code to programs.
    pub fn tell(self) -> ExitCode {
        match self {
            // Whoever read our output has had enough; that is no failure of ours.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Output(error) => {
                tell_words(Severity::Error, &format!("cannot write to standard output: {error}"), "");
                ExitCode::from(3)
            }
            Self::Scenario(files) => {
                for file in &files {
                    file.items.iter().for_each(|item| tell_finding(Severity::Error, &file.file_name, &file.text, item));
                }
                ExitCode::from(2)
            }
            Self::BadInput { message, help } => {
                tell_words(Severity::Error, &message, &help);
                ExitCode::from(2)
            }
            Self::Missing { message, help } => {
                tell_words(Severity::Error, &message, &help);
                ExitCode::from(3)
            }
            Self::Program { message, help, code } => {
                tell_words(Severity::Error, &message, &help);
                ExitCode::from(code)
            }
            Self::Answered(error) => error.tell(),
        }
    }

    /// Tells programs on stdout, too: `{ "errors": [ … ] }`, with the findings that people see.
    fn tell_in_json(self) -> ExitCode {
        let errors = match &self {
            Self::Answered(_) | Self::Output(_) => return self.tell(),
            Self::Scenario(files) => files.iter().flat_map(JsonError::of_file).collect(),
            Self::BadInput { message, help }
            | Self::Missing { message, help }
            | Self::Program { message, help, .. } => {
                vec![JsonError { file: None, line: None, column: None, message, help }]
            }
        };
        // Whoever has closed stdout still has stderr.
        let _ = output::print_json(&JsonErrors { errors });
        self.tell()
    }
}

impl From<Diagnostics> for CliError {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::Scenario(vec![diagnostics])
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<SettingError> for CliError {
    fn from(error: SettingError) -> Self {
        Self::bad_input(error.to_string(), "change the option, or the scenario")
    }
}

impl From<AllocError> for CliError {
    fn from(error: AllocError) -> Self {
        Self::bad_input(error.to_string(), "try another criterion; `max-min` answers every scenario")
    }
}

impl From<ResultsError> for CliError {
    fn from(error: ResultsError) -> Self {
        Self::bad_input(error.to_string(), "name another place with `--out DIR`, or keep no folder with `--no-folder`")
    }
}

/// What `--json` answers where there is no other answer.
#[derive(Serialize)]
struct JsonErrors<'a> {
    errors: Vec<JsonError<'a>>,
}

/// One finding; without a place where it is in no file.
#[derive(Serialize)]
struct JsonError<'a> {
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    message: &'a str,
    help: &'a str,
}

impl<'a> JsonError<'a> {
    fn of_file(file: &'a Diagnostics) -> impl Iterator<Item = Self> {
        file.items.iter().map(|item| Self {
            file: Some(&file.file_name),
            line: Some(item.line),
            column: Some(item.column),
            message: &item.message,
            help: &item.help,
        })
    }
}

/// How a program ends whose arguments cannot be understood, or ask for help, which is an answer of its own.
pub fn conclude_unread(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    if error.use_stderr() && asks_for_json(arguments) {
        refuse_in_json(&error.to_string());
    }
    match error.print().and_then(|()| io::stdout().flush()) {
        Ok(()) => u8::try_from(error.exit_code()).unwrap_or(u8::MAX).into(),
        Err(error) => CliError::Output(error).tell(),
    }
}

/// Whether `--json` stands among a program's arguments; behind `--` they are those of another one.
fn asks_for_json(arguments: &[OsString]) -> bool {
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

/// Tells programs on stdout of arguments that cannot be understood; `told` is what people read of it.
fn refuse_in_json(told: &str) {
    let (message, help) = told.split_once("\n\n").unwrap_or((told, ""));
    let message = message.trim_start_matches("error: ").trim();
    let error = JsonError { file: None, line: None, column: None, message, help: help.trim() };
    // Whoever has closed stdout still has stderr.
    let _ = output::print_json(&JsonErrors { errors: vec![error] });
}

/// How a program ends that was asked for JSON: an error is an answer, too.
pub fn conclude_in_json(outcome: Result<Outcome, CliError>) -> ExitCode {
    outcome.map_or_else(CliError::tell_in_json, Into::into)
}

/// How a program ends: tells people what went wrong, if anything did.
pub fn conclude(outcome: Result<Outcome, CliError>) -> ExitCode {
    outcome.map_or_else(CliError::tell, Into::into)
}

/// Shows something that is allowed but probably not meant.
pub fn warn(message: &str, help: &str) {
    tell_words(Severity::Warning, message, help);
}

/// Shows a finding in a scenario file at its place.
pub fn tell_finding(severity: Severity, file_name: &str, text: &str, finding: &Diagnostic) {
    let cut = Excerpt::around(text, &finding.span);
    let (shown, span) = cut.as_ref().map_or((text, &finding.span), |cut| (&cut.text, &cut.span));
    let label = LabeledSpan::at(span.clone(), harmless(&finding.label));
    let diagnostic = MietteDiagnostic::new(harmless(&finding.message))
        .with_severity(severity)
        .with_help(harmless(&finding.help))
        .with_label(label);
    let source = NamedSource::new(harmless(file_name), harmless(shown).into_owned());
    let report = Report::new(diagnostic);
    show(&match cut {
        Some(_) => report.with_source_code(Placed { source, column: finding.column - 1 }),
        None => report.with_source_code(source),
    });
}

fn tell_words(severity: Severity, message: &str, help: &str) {
    let mut diagnostic = MietteDiagnostic::new(harmless(message)).with_severity(severity);
    if !help.is_empty() {
        diagnostic = diagnostic.with_help(harmless(help));
    }
    show(&Report::new(diagnostic));
}

/// Width of messages: lines that are longer are broken.
const WIDTH: usize = 100;

fn show(report: &Report) {
    let colour = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut text = String::new();
    // Names such as `rpr-2004-conservative` stay whole, so that they can be copied.
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(WIDTH)
        .with_links(false)
        .with_word_separator(WordSeparator::AsciiSpace)
        .with_word_splitter(WordSplitter::NoHyphenation);
    if handler.render_report(&mut text, report.as_ref()).is_err() {
        text = format!("{report}\n");
    }
    // Nothing is left to try if stderr is closed.
    let _ = io::stderr().write_all(text.as_bytes());
}
