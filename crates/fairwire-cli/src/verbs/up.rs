//! `fairwire up FILE`, and `exec`, `status` and `down`: a ring or network that is held open for programs of others.

use crate::real::{Held, RealOptions, Status, ask, refusal, take_down};
use crate::runs::{self, RunOptions};
use crate::source::Source;
use fairwire_core::Span;
use fairwire_laws::ring::OutsideLaw;
use fairwire_net::{Frames, Guest, NetError, Own, Stage, Warden, become_program_in};
use fairwire_plan::PlanError;
use fairwire_runs::view_of;
use fairwire_terminal::{CliError, Interrupt, Outcome, TextTable, output};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// It is down after this, if nobody takes it down.
const LONGEST: Span = Span::from_millis(24 * 3_600_000);

/// Holds the name of what is up, unless told: for the command behind `--` that runs meanwhile.
const NAME: &str = "FAIRWIRE_NAME";

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
    #[arg(long, value_name = "NAME", env = NAME, hide_env_values = true, default_value = "ring")]
    name: String,

    /// Go before all other programs: root without a user namespace, or CAP_SYS_NICE
    #[arg(long)]
    priority: bool,

    /// An existing network namespace as a station: N=NAME, where the name is that of `ip netns`, a process in it, or a path
    #[arg(long = "station", value_name = "N=NAME", value_parser = Guest::parse)]
    stations: Vec<Guest>,

    /// End as soon as standard input does: for a parent that waits for its command
    #[arg(long, hide = true)]
    until_input_ends: bool,

    /// Hold it as long as this command runs, which finds the stations by `fairwire exec`
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Holds it until `down`, Ctrl-C, or a day later.
pub fn run(args: &Args, outside: &[OutsideLaw]) -> Result<Outcome, CliError> {
    if !args.command.is_empty() {
        if args.file.as_os_str() == "-" {
            return Err(CliError::bad_input("with a command the scenario cannot come from stdin", "name its file"));
        }
        return while_it_runs(args);
    }
    let taken = || {
        CliError::bad_input(
            format!("something is up already under the name {}", args.name),
            "take it down, or choose another `--name`",
        )
    };
    let mut warden = Warden::begin().map_err(|error| refusal(&error))?;
    #[cfg(target_os = "linux")]
    let listener = crate::real::listen(&args.name).map_err(|_| taken())?;
    let real = RealOptions::for_up(args.priority, args.stations.clone());
    let Some(home) = real.enter()? else { return Err(taken()) };
    let source = Source::read(&args.file)?;
    let options = RunOptions::plain(args.file.clone());
    let scenario = source.scenario()?.without_window().with_duration(LONGEST)?;
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
    warden.look_after(&stage).map_err(|error| refusal(&error))?;
    let stations = stage.entrances();
    let interrupt = Interrupt::listen()?;
    let down = AtomicBool::new(false);
    let tell = |view, frames: &Frames| {
        let status = Status {
            scenario: batch.scenario().title(),
            law: batch.laws[0].about().name,
            pid: std::process::id(),
            stations: &stations,
            frames,
            view,
        };
        serde_json::to_string(&status).unwrap_or_default()
    };
    let status = Mutex::new(tell(None, &Frames::default()));
    let mut table = TextTable::new(&["station", "address"]);
    stations.iter().for_each(|entrance| table.row([entrance.station.to_string(), entrance.address.clone()]));
    output::print(&format!(
        "{}\nup as {}, until `fairwire down` or Ctrl-C\n\n{table}\n",
        batch.scenario().title(),
        args.name
    ))?;
    let own = if args.traffic { Own::Scenario } else { Own::None };
    let stop = || down.load(Ordering::Acquire) || interrupt.is_raised();
    let mut look = |carried: &mut _, frames: &Frames| {
        let now = tell(Some(view_of(carried)), frames);
        if let Ok(mut status) = status.lock() {
            *status = now;
        }
    };
    std::thread::scope(|scope| {
        #[cfg(not(target_os = "linux"))]
        let _ = (scope, &status, &down);
        #[cfg(target_os = "linux")]
        scope.spawn(|| crate::real::answer(&listener, &status, &down));
        if args.until_input_ends {
            scope.spawn(|| {
                let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
                down.store(true, Ordering::Release);
            });
        }
        let held = stage.hold(&mut carried, &real.of_run(), own, &stop, &mut look);
        warden.end();
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

/// Has another process hold it, and runs the command meanwhile, outside of all stations; its exit code is the answer.
fn while_it_runs(args: &Args) -> Result<Outcome, CliError> {
    let cannot = |error: std::io::Error| CliError::Missing {
        message: format!("the ring or network cannot be held by another process: {error}"),
        help: "hold it with `fairwire up` in another terminal".to_owned(),
    };
    // Ctrl-C is for the command; both end then.
    let _interrupt = Interrupt::listen()?;
    let mut holder = Command::new(std::env::current_exe().map_err(cannot)?);
    // As it was called, without the command and with the watch.
    let own = std::env::args_os().skip(1).take_while(|argument| argument != "--");
    holder.args(own).arg("--until-input-ends");
    let mut holder = holder.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().map_err(cannot)?;
    let is_up = || ask(&args.name, crate::real::STATUS).is_ok_and(|told| told.contains("\"view\":{"));
    while !is_up() {
        if let Some(status) = holder.try_wait().map_err(cannot)? {
            // It has told why.
            std::process::exit(status.code().unwrap_or(3));
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let ran = Command::new(&args.command[0]).args(&args.command[1..]).env(NAME, &args.name).status();
    drop(holder.stdin.take());
    let _ = holder.wait();
    match ran {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => {
            let program = args.command[0].to_string_lossy().into_owned();
            Err(refusal(&NetError::Program(program, error)))
        }
    }
}

/// Which ring or network.
#[derive(Debug, clap::Args)]
pub struct Which {
    /// The name that it was given
    #[arg(long, value_name = "NAME", env = NAME, hide_env_values = true, default_value = "ring")]
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

/// Takes it down; it is gone when this is over.
pub fn down(which: &Which) -> Result<Outcome, CliError> {
    take_down(&which.name)?;
    Ok(Outcome::Fine)
}
