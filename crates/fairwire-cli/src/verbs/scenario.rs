//! `fairwire scenario check | fmt | new | schema`: looking after scenario files.

use crate::deferred::Deferred;
use crate::new_file;
use crate::source::{Source, check_points};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use fairwire_scenario::{
    Diagnostic, Diagnostics, MOST_FINDINGS, Scenario, TEMPLATES, format, json_schema, nearest, template,
};
use fairwire_terminal::{CliError, Outcome, Severity, output, tell_finding, write_whole};
use serde::Serialize;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What to do with scenario files.
#[derive(Debug, clap::Subcommand)]
pub enum Verb {
    /// Say whether files are good scenarios, and what to write instead where not
    Check(Deferred<CheckArgs>),
    /// Bring files into one spacing and order of keys; comments stay
    Fmt(Deferred<FmtArgs>),
    /// Write a commented scenario to start from
    New(Deferred<NewArgs>),
    /// Print the JSON schema of scenario files, for editors
    Schema,
}

/// Options of `scenario check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// The scenarios; `-` reads one from stdin
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Options of `scenario fmt`.
#[derive(Debug, clap::Args)]
pub struct FmtArgs {
    /// The scenarios; `-` formats stdin to stdout
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Change nothing; list the files that are not formatted and exit with 1 if there are any
    #[arg(long, conflicts_with = "stdout")]
    check: bool,

    /// Print the formatted text instead of writing the file
    #[arg(long)]
    stdout: bool,
}

/// The templates; of another word that is usual for one, that one is proposed.
#[derive(Clone, Copy, Debug)]
struct Kinds;

impl Kinds {
    fn known() -> PossibleValuesParser {
        PossibleValuesParser::new(
            TEMPLATES.iter().map(|template| PossibleValue::new(template.name).help(template.summary)),
        )
    }
}

impl TypedValueParser for Kinds {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        Self::known().parse_ref(command, argument, value).map_err(|mut error| {
            let meant = nearest(&value.to_string_lossy(), TEMPLATES.iter().map(|template| template.name));
            if let Some(meant) = meant {
                error.insert(ContextKind::SuggestedValue, ContextValue::String(meant.to_owned()));
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let known: Vec<PossibleValue> = Self::known().possible_values()?.collect();
        Some(Box::new(known.into_iter()))
    }
}

/// Options of `scenario new`.
#[derive(Debug, clap::Args)]
pub struct NewArgs {
    /// What to start from
    #[arg(value_parser = Kinds)]
    kind: String,

    /// The scenario's title, in place of the template's own
    #[arg(long, default_value = "", hide_default_value = true)]
    title: String,

    /// Write a new file instead of to stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Does what was asked.
pub fn run(verb: &Verb) -> Result<Outcome, CliError> {
    match verb {
        Verb::Check(args) => check(args),
        Verb::Fmt(args) => fmt(args),
        Verb::New(args) => new(args),
        Verb::Schema => output::print_json(&json_schema()).map(|()| Outcome::Fine),
    }
}

/// The answer of `scenario check` as JSON.
#[derive(Debug, Serialize)]
struct CheckAnswer {
    files: Vec<CheckedFile>,
}

#[derive(Debug, Serialize)]
struct CheckedFile {
    file: String,
    ok: bool,
    errors: Vec<Finding>,
    warnings: Vec<Finding>,
}

#[derive(Debug, Serialize)]
struct Finding {
    line: usize,
    column: usize,
    message: String,
    help: String,
}

fn check(args: &CheckArgs) -> Result<Outcome, CliError> {
    let mut answer = CheckAnswer { files: Vec::new() };
    let (mut wrong, mut unread) = (Vec::new(), Vec::new());
    for path in &args.files {
        let source = match Source::read(path) {
            Ok(source) => source,
            Err(error) if args.files.len() == 1 => return Err(error),
            Err(error) => {
                answer.files.push(CheckedFile::unread(path, &error));
                unread.push(error);
                continue;
            }
        };
        let (errors, warnings) = examine(&source);
        if !args.json {
            warnings.iter().for_each(|warning| tell_finding(Severity::Warning, &source.name(), &source.text, warning));
        }
        answer.files.push(CheckedFile {
            file: source.name(),
            ok: errors.is_none(),
            errors: errors.iter().flat_map(|errors| &errors.items).map(Finding::from).collect(),
            warnings: warnings.iter().map(Finding::from).collect(),
        });
        wrong.extend(errors);
    }
    if args.json {
        output::print_json(&answer)?;
    } else {
        let lines = answer.files.iter().map(|file| match file.errors.len() {
            _ if file.is_unread() => format!("{}: cannot be read\n", file.file),
            0 => format!("{}: good\n", file.file),
            MOST_FINDINGS.. => format!("{}: {MOST_FINDINGS} mistakes or more\n", file.file),
            count => format!("{}: {}\n", file.file, fairwire_terminal::text::count(count, "mistake")),
        });
        output::print(&lines.collect::<String>())?;
    }
    let last = if wrong.is_empty() { unread.pop() } else { Some(CliError::Scenario(wrong)) };
    for error in unread {
        error.tell();
    }
    last.map_or(Ok(Outcome::Fine), |error| Err(CliError::Answered(Box::new(error))))
}

impl CheckedFile {
    /// One that cannot be read: the mistake is in no line of it.
    fn unread(path: &Path, error: &CliError) -> Self {
        let (message, help) = match error {
            CliError::BadInput { message, help } | CliError::Missing { message, help } => {
                (message.clone(), help.clone())
            }
            _ => Default::default(),
        };
        let errors = vec![Finding { line: 0, column: 0, message, help }];
        Self { file: path.display().to_string(), ok: false, errors, warnings: Vec::new() }
    }

    fn is_unread(&self) -> bool {
        self.errors.first().is_some_and(|error| error.line == 0)
    }
}

/// The mistakes and the warnings in a file, its sweep included.
fn examine(source: &Source) -> (Option<Diagnostics>, Vec<Diagnostic>) {
    match Scenario::parse(&source.name(), &source.text) {
        Ok(scenario) => {
            let wrong = check_points(&scenario).err().or_else(|| scenario.unkept_minimums());
            (wrong, scenario.warnings().to_vec())
        }
        Err(diagnostics) => (Some(diagnostics), Vec::new()),
    }
}

impl From<&Diagnostic> for Finding {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            line: diagnostic.line,
            column: diagnostic.column,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
        }
    }
}

fn fmt(args: &FmtArgs) -> Result<Outcome, CliError> {
    // All files are read before the first is written: a mistake changes nothing.
    let mut formatted = Vec::new();
    for path in &args.files {
        let source = Source::read(path)?;
        let text = format(&source.text).map_err(|mut diagnostics| {
            diagnostics.file_name = source.name();
            diagnostics
        })?;
        formatted.push((source, text));
    }
    let mut outcome = Outcome::Fine;
    for (source, text) in formatted {
        let is_same = source.text == text;
        if args.check {
            if !is_same {
                output::print(&format!("{}\n", source.name()))?;
                outcome = Outcome::Failed;
            }
        } else if args.stdout || source.path == Path::new("-") {
            output::print(&text)?;
        } else if !is_same {
            replace(&source.path, &text).map_err(|error| {
                CliError::file("write", &source.path, &error, "the file is as it was; `--stdout` prints instead")
            })?;
            output::note(&format!("formatted {}", source.name()));
        }
    }
    Ok(outcome)
}

/// Replaces a file's text in one step, so that it is never half-written.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    write_whole(path, |partial| {
        fs::write(partial, text)?;
        fs::set_permissions(partial, fs::metadata(path)?.permissions())
    })
}

fn new(args: &NewArgs) -> Result<Outcome, CliError> {
    let text = template(&args.kind, &args.title).map_err(|error| {
        CliError::bad_input(error.to_string(), "`fairwire scenario new --help` tells what each shows")
    })?;
    let Some(path) = &args.output else {
        output::print(&text)?;
        return Ok(Outcome::Fine);
    };
    new_file::write(path, &text)?;
    output::note(&format!("wrote {}; `fairwire run {}` simulates it", path.display(), path.display()));
    Ok(Outcome::Fine)
}
