//! `fairwire run FILE`.

use crate::real::RealOptions;
use crate::runs::{self, CaptureOptions, How, LawRuns, RunOptions};
use crate::source::Source;
use fairwire_laws::ring::OutsideLaw;
use fairwire_results::measures::Interval;
use fairwire_terminal::{CliError, Outcome, TextTable, output, text};

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub options: RunOptions,

    #[command(flatten)]
    real: RealOptions,

    #[command(flatten)]
    capture: CaptureOptions,

    /// Another law than the scenario's own, with its default parameters: of the ring, of the queues of a network, or of switches that tell rates
    #[arg(long, value_name = "NAME")]
    law: Option<String>,
}

/// Simulates, and exits with 1 if a promise of the scenario is broken.
pub fn run(args: &Args, outside: &[OutsideLaw]) -> Result<Outcome, CliError> {
    let options = &args.options;
    let home = args.real.enter()?;
    let source = Source::read(&options.file)?;
    let scenario = options.scenario(&source)?;
    if !scenario.sweep().is_empty() {
        output::note("the file has a [sweep]; `run` takes the scenario as it stands, `sweep` all of its points");
    }
    let law = match (&args.law, scenario.own_law()) {
        (Some(name), _) => runs::law(&scenario, name, outside)?,
        (None, Some(own)) => own,
        (None, None) => {
            return Err(CliError::bad_input("the scenario names no law", "add `law` to [ring], or use `--law`"));
        }
    };
    // Under another law its promises are about that one.
    let batch = options.batch(scenario.under(&law), vec![law]);
    let capture = args.capture.of(&batch, !options.no_folder)?;
    let how = How::of(home.as_ref(), &args.real, capture.as_ref());
    runs::answer(options, &source, &batch, &how, |laws| laws.iter().map(show).collect())
}

/// Flow by flow, what only networks have, and the run as a whole.
pub fn show(law: &LawRuns<'_>) -> String {
    let mut measures = TextTable::new(&["measure", law.law]);
    for (label, text) in runs::measures(law) {
        measures.row([label, text]);
    }
    format!("{}{}{}\n{measures}", flow_table(law), runs::network_tables(law), runs::rate_tables(law))
}

fn flow_table(law: &LawRuns<'_>) -> TextTable {
    let several = law.runs.len() > 1;
    let mut header = vec!["flow", ">rate"];
    header.extend(several.then_some("+>± 95 %"));
    header.extend((!law.simulated.is_empty()).then_some(">simulated"));
    header.extend([">fair rate", "+>ratio"]);
    header.extend(several.then_some(">lowest run"));
    header.extend(several.then_some("+>highest run"));
    header.extend([">loss", ">delay p50", "+>p95", "+>p99"]);
    // Who waits for nothing is held by what the rates and losses show.
    let any_waits = law.flows().iter().any(|flow| flow.waited.is_some());
    header.extend(any_waits.then_some("held back by"));
    let mut table = TextTable::new(&header);
    for (index, flow) in law.flows().iter().enumerate() {
        let rates = law.of_flow(index, |flow| Some(flow.rate_bps));
        let delay = |measure: fn(&fairwire_results::FlowSummary) -> Option<u64>| {
            text::or_dash(law.flow_mean(index, |flow| measure(flow).map(|ns| ns as f64)), text::time)
        };
        let mean = |measure: fn(&fairwire_results::FlowSummary) -> f64| {
            law.flow_mean(index, |flow| Some(measure(flow))).unwrap_or(0.0)
        };
        let mut row = vec![flow.id.clone(), text::rate(mean(|flow| flow.rate_bps))];
        if several {
            row.push(text::or_dash(Interval::of(&rates).half_width, text::rough_rate));
        }
        if !law.simulated.is_empty() {
            row.push(text::or_dash(law.simulated_rate(index), text::rate));
        }
        row.push(text::rate(flow.fair_rate_bps));
        row.push(text::or_dash(law.flow_mean(index, |flow| flow.ratio), text::ratio));
        if several {
            row.push(text::rate(rates.iter().copied().fold(f64::INFINITY, f64::min)));
            row.push(text::rate(rates.iter().copied().fold(0.0, f64::max)));
        }
        row.push(text::percent(mean(|flow| flow.loss)));
        row.extend([delay(|flow| flow.delay_p50_ns), delay(|flow| flow.delay_p95_ns), delay(|flow| flow.delay_p99_ns)]);
        if any_waits {
            let held = flow.limited_by.map(|held| held.in_words(flow.limited_by_link.as_deref()));
            row.push(held.unwrap_or_else(|| "–".to_owned()));
        }
        table.row(row);
    }
    table
}
