//! `fairwire-bench real`: the same scenarios simulated and with real packets, and how far apart what comes out is.

mod case;
mod come_and_go;
mod command;
mod disturbance;
mod gateways;
mod idle;
mod judge;
mod kernel;
mod options;
mod protection;
mod rings;
mod runs;
mod scaled;
mod table;
mod tcp;

pub use options::Args;

use crate::block;
use crate::laws::{queue_laws, ring_laws};
use crate::scores::unkept;
use case::{Case, Part};
use command::Fairwire;
use fairwire_terminal::{CliError, Interrupt, Outcome, output, text};
use judge::Row;
use runs::Runs;
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::Instant;

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    /// Whether each row holds; none of what was not judged.
    holds: bool,
    /// What was run, a row each.
    rows: &'a [Row],
    /// Round trips over idle links.
    round_trips: &'a [idle::RoundTrip],
}

/// Runs what was asked for, simulated and real, and shows it.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    if let Some(asked) = args.ping() {
        return idle::ping(asked);
    }
    check_names(args)?;
    args.parts().into_iter().try_for_each(|part| block::look_for(args.page.as_deref(), &command(part)))?;
    let fairwire = Fairwire::find(args.priority)?;
    let runs = Runs::open(&args.out, args.fresh, fairwire.build()?).map_err(unkept)?;
    let interrupt = Interrupt::listen()?;
    let started = Instant::now();
    let (mut rows, mut round_trips, mut pages, mut made) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for part in args.parts() {
        let shown = if part == Part::Idle {
            round_trips = idle::measure(&fairwire, &interrupt)?;
            idle::show(&round_trips)
        } else {
            let cases = asked(part, args)?;
            let (found, new) = runs.fill(&fairwire, &cases, args.again, &interrupt)?;
            made += new;
            let own: Vec<Row> =
                cases.iter().zip(&found).filter_map(|(case, seen)| Row::of(case, seen.as_ref()?)).collect();
            let shown = table::show(part, &own);
            rows.extend(own);
            shown
        };
        if interrupt.is_raised() {
            break;
        }
        pages.push((part, shown));
    }
    if args.json {
        let holds = rows.iter().all(|row| row.holds != Some(false)) && round_trips.iter().all(|trip| trip.holds);
        output::print_json(&Answer { holds, rows: &rows, round_trips: &round_trips })?;
    } else {
        output::print(&pages.iter().map(|(_, shown)| format!("{shown}\n")).collect::<String>())?;
    }
    let took = text::time(started.elapsed().as_nanos() as f64);
    output::note(&format!("{} made in {took}, the others were there", text::count(made, "run")));
    if interrupt.is_raised() {
        output::note("interrupted: the same command goes on from here");
        return Ok(Outcome::Interrupted);
    }
    if let Some(page) = &args.page {
        for (part, shown) in &pages {
            block::rewrite(page, &command(*part), &args.asked(), shown)?;
        }
    }
    Ok(Outcome::Fine)
}

/// What the part of a page is called after.
fn command(part: Part) -> String {
    format!("fairwire-bench real --part {}", part.name())
}

/// Whether there are laws and cases of the names that were asked for.
fn check_names(args: &Args) -> Result<(), CliError> {
    for law in args.law.iter().map(std::slice::from_ref) {
        if queue_laws(law).is_err() {
            ring_laws(law)?;
        }
    }
    let mut names = Vec::new();
    for part in args.parts() {
        names.extend(cases(part)?.into_iter().map(|case| case.name));
    }
    names.dedup();
    match args.case.iter().find(|asked| !names.iter().any(|name| name.starts_with(asked.as_str()))) {
        None => Ok(()),
        Some(asked) => {
            let known = names.iter().map(String::as_str).collect::<BTreeSet<_>>();
            let help = format!("they are called {}", known.into_iter().collect::<Vec<_>>().join(", "));
            Err(CliError::bad_input(format!("no case begins with `{asked}`"), help))
        }
    }
}

/// All cases of a part.
fn cases(part: Part) -> Result<Vec<Case>, CliError> {
    match part {
        Part::Rings => rings::cases(),
        Part::Tcp => tcp::cases(),
        Part::Gateways => gateways::cases(),
        Part::Protection => protection::cases(),
        Part::Kernel => kernel::cases(),
        Part::ComeAndGo => come_and_go::cases(),
        Part::Disturbed => disturbance::cases(),
        Part::Idle => Ok(Vec::new()),
    }
}

/// The cases of a part that were asked for.
fn asked(part: Part, args: &Args) -> Result<Vec<Case>, CliError> {
    let is_asked = |case: &Case| {
        (args.law.is_empty() || args.law.contains(&case.law))
            && (args.case.is_empty() || args.case.iter().any(|name| case.name.starts_with(name.as_str())))
            && (!args.quick || case.is_quick)
    };
    let all = cases(part)?;
    let all = match part {
        Part::Disturbed if args.quick => disturbance::quick(all),
        Part::ComeAndGo if args.quick => come_and_go::quick(all),
        _ => all,
    };
    Ok(all.into_iter().filter(is_asked).collect())
}
