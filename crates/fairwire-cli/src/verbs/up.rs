//! `fairwire up FILE`, and `exec`, `status` and `down`: a ring or network that is held open for programs of others.

use crate::real::{Held, RealOptions, Status, ask, refusal};
use crate::runs::{self, RunOptions};
use crate::source::Source;
use fairwire_core::Span;
use fairwire_laws::ring::OutsideLaw;
use fairwire_net::{Own, Stage, become_program_in};
use fairwire_plan::PlanError;
use fairwire_runs::view_of;
use fairwire_terminal::{CliError, Interrupt, Outcome, TextTable, output};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// It is down after this, if nobody takes it down.
const LONGEST: Span = Span::from_millis(24 * 3_600_000);

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scenario; `-` reads it from stdin
    file: PathBuf,

    /// Another law than the scenario's own
    #[arg(long, value_name = "NAME")]
    law: Option<String>,

    /// Send the scenario's own traffic, too
    #[arg(long)]
    traffic: bool,

    /// Under which name others find it
    #[arg(long, value_name = "NAME", default_value = "ring")]
    name: String,

    /// Go before all other programs: root without a user namespace, or CAP_SYS_NICE
    #[arg(long)]
    priority: bool,
}

/// Holds it until `down`, Ctrl-C, or a day later.
pub fn run(args: &Args, outside: &[OutsideLaw]) -> Result<Outcome, CliError> {
    let taken = || {
        CliError::bad_input(
            format!("something is up already under the name {}", args.name),
            "take it down, or choose another `--name`",
        )
    };
    #[cfg(target_os = "linux")]
    let listener = crate::real::listen(&args.name).map_err(|_| taken())?;
    let real = RealOptions::for_up(args.priority);
    let Some(home) = real.enter()? else { return Err(taken()) };
    let source = Source::read(&args.file)?;
    let options = RunOptions::plain(args.file.clone());
    let scenario = source.scenario()?.with_duration(LONGEST)?;
    let law = match (&args.law, scenario.own_law()) {
        (Some(name), _) => runs::law(&scenario, name, outside)?,
        (None, Some(own)) => own,
        (None, None) => return Err(CliError::bad_input("the scenario names no law", "use `--law`")),
    };
    let batch = options.batch(scenario.under(&law), vec![law]);
    let unfit = |error: PlanError| CliError::bad_input(error.to_string(), "hold another scenario");
    let job = batch.jobs()[0];
    let mut carried = batch.carried_open(job).map_err(unfit)?;
    let stage = Stage::set(&home, &carried).map_err(|error| refusal(&error))?;
    let stations = stage.entrances();
    let interrupt = Interrupt::listen()?;
    let down = AtomicBool::new(false);
    let tell = |view| {
        let status = Status {
            scenario: batch.scenario().title(),
            law: batch.laws[0].about().name,
            pid: std::process::id(),
            stations: &stations,
            view,
        };
        serde_json::to_string(&status).unwrap_or_default()
    };
    let status = Mutex::new(tell(None));
    let mut table = TextTable::new(&["station", "address"]);
    stations.iter().for_each(|entrance| table.row([entrance.station.to_string(), entrance.address.clone()]));
    output::print(&format!(
        "{}\nup as {}, until `fairwire down` or Ctrl-C\n\n{table}\n",
        batch.scenario().title(),
        args.name
    ))?;
    let own = if args.traffic { Own::Scenario } else { Own::None };
    let stop = || down.load(Ordering::Acquire) || interrupt.is_raised();
    let mut look = |carried: &mut _| {
        let now = tell(Some(view_of(carried)));
        if let Ok(mut status) = status.lock() {
            *status = now;
        }
    };
    std::thread::scope(|scope| {
        #[cfg(not(target_os = "linux"))]
        let _ = (scope, &status, &down);
        #[cfg(target_os = "linux")]
        scope.spawn(|| crate::real::answer(&listener, &status, &down));
        let held = stage.hold(&mut carried, &real.of_run(), own, &stop, &mut look);
        match held {
            // Those who listen never end by themselves.
            Ok(()) => std::process::exit(0),
            Err(error) => {
                let code = refusal(&error).tell();
                std::process::exit(if code == std::process::ExitCode::SUCCESS { 0 } else { 3 })
            }
        }
    })
}

/// Which ring or network.
#[derive(Debug, clap::Args)]
pub struct Which {
    /// The name that it was given
    #[arg(long, value_name = "NAME", default_value = "ring")]
    name: String,
}

/// Options of `exec`.
#[derive(Debug, clap::Args)]
pub struct ExecArgs {
    #[command(flatten)]
    which: Which,

    /// The station or node, by its number in the scenario, or by its address
    station: String,

    /// What to run there
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Becomes the command inside a station.
pub fn exec(args: &ExecArgs) -> Result<Outcome, CliError> {
    let told = ask(&args.which.name, crate::real::STATUS)?;
    let held: Held = serde_json::from_str(&told)
        .map_err(|error| CliError::bad_input(format!("what is up answers strangely: {error}"), "take it down"))?;
    let is_it = |entrance: &&fairwire_net::Entrance| {
        entrance.station.to_string() == args.station || entrance.address == args.station
    };
    let Some(entrance) = held.stations.iter().find(is_it) else {
        let all: Vec<String> = held.stations.iter().map(|entrance| entrance.station.to_string()).collect();
        let help = format!("stations with traffic are {}", all.join(", "));
        return Err(CliError::bad_input(format!("there is no station {}", args.station), help));
    };
    let mut command = Command::new(&args.command[0]);
    command.args(&args.command[1..]);
    Err(refusal(&become_program_in(held.pid, entrance.descriptor, &mut command)))
}

/// Tells what it looks like, as JSON.
pub fn status(which: &Which) -> Result<Outcome, CliError> {
    let told = ask(&which.name, crate::real::STATUS)?;
    output::print(&told)?;
    Ok(Outcome::Fine)
}

/// Takes it down.
pub fn down(which: &Which) -> Result<Outcome, CliError> {
    ask(&which.name, crate::real::DOWN)?;
    Ok(Outcome::Fine)
}
