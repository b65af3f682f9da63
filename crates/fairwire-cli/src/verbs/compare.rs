//! `fairwire compare FILE`: several laws on one scenario, side by side.

use crate::real::RealOptions;
use crate::runs::{self, ChangeTable, How, LawRuns, RunOptions};
use crate::source::Source;
use fairwire_laws::ring::OutsideLaw;
use fairwire_runs::once_each;
use fairwire_scenario::{LawChoice, Scenario};
use fairwire_terminal::{CliError, Outcome, TextTable, output, stand_below, text, width};
use std::fmt;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub options: RunOptions,

    #[command(flatten)]
    real: RealOptions,

    /// A law to compare: of the ring, of the queues of a network, or of switches that tell rates; give several with
    /// commas or one by one. Without any: those of the scenario's sweep over
    /// `ring.law.name`, `network.queue.name` or `network.rate.name`, or all there are
    #[arg(long = "law", visible_alias = "laws", value_name = "NAME", value_delimiter = ',')]
    laws: Vec<String>,
}

/// Simulates every law. The scenario's promises are about its own law, and are
/// held against runs of that one alone.
pub fn run(args: &Args, outside: &[OutsideLaw]) -> Result<Outcome, CliError> {
    let options = &args.options;
    let home = args.real.enter()?;
    let source = Source::read(&options.file)?;
    let scenario = options.scenario(&source)?;
    tell_what_stands_still(&scenario);
    let laws = laws(&scenario, &args.laws, outside)?;
    let how = How::of(home.as_ref(), &args.real, None);
    runs::answer(options, &source, &options.batch(scenario, laws), &how, show)
}

/// What the file sweeps over and the answer does not.
fn tell_what_stands_still(scenario: &Scenario) {
    let stands = |key: &&str| !Scenario::LAW_KEYS.contains(key);
    let keys: Vec<&str> = scenario.sweep().iter().map(|axis| axis.key.as_str()).filter(stands).collect();
    if !keys.is_empty() {
        let keys = keys.join("`, `");
        output::note(&format!(
            "the file has a [sweep] over `{keys}`; `compare` takes the scenario as it stands there, `sweep` all of its points"
        ));
    }
}

fn laws(scenario: &Scenario, asked: &[String], outside: &[OutsideLaw]) -> Result<Vec<LawChoice>, CliError> {
    let names: Vec<&str> = match scenario.swept_laws() {
        _ if !asked.is_empty() => asked.iter().map(String::as_str).collect(),
        Some(swept) => swept.iter().map(String::as_str).collect(),
        None => all_names(scenario, outside),
    };
    let laws = names.into_iter().map(|name| runs::law(scenario, name, outside)).collect::<Result<Vec<_>, _>>()?;
    Ok(once_each(laws))
}

/// Every law that the scenario could be run under.
fn all_names(scenario: &Scenario, outside: &[OutsideLaw]) -> Vec<&'static str> {
    let outside = if scenario.is_ring() { outside } else { &[] };
    let all = scenario.all_laws().iter().copied().chain(outside.iter().map(OutsideLaw::about));
    all.map(|about| about.name).collect()
}

/// Tables with a column a law. On a terminal as many laws stand side by side as fit, and the others below them.
fn show(laws: &[LawRuns<'_>]) -> String {
    let Some(width) = width() else { return Tables::of(laws).to_string() };
    let parts = parts(laws, &|laws| Tables::of(laws).natural_width() <= width);
    let mut shown: Vec<String> = parts.iter().map(|part| Tables::of(part).to_string()).collect();
    let below: Vec<&str> = parts.iter().skip(1).flat_map(|part| part.iter()).map(|law| law.law).collect();
    if let Some(first) = shown.first_mut().filter(|_| !below.is_empty()) {
        first.push_str(&stand_below(&below, width));
    }
    shown.join("\n")
}

/// All of `laws` in one part, or in parts with as many as fit in each; one alone stands by itself in any case.
fn parts<'a, T>(laws: &'a [T], fits: &dyn Fn(&[T]) -> bool) -> Vec<&'a [T]> {
    let most = (2..=laws.len()).rev().find(|&most| laws.chunks(most).all(fits));
    laws.chunks(most.unwrap_or(1)).collect()
}

/// Flow by flow, where switches tell rates change by change, and the runs as a whole.
struct Tables {
    flows: TextTable,
    changes: Option<ChangeTable>,
    measures: TextTable,
}

impl Tables {
    fn of(laws: &[LawRuns<'_>]) -> Self {
        Self { flows: flow_table(laws), changes: ChangeTable::of(laws), measures: measure_table(laws) }
    }

    fn natural_width(&self) -> usize {
        let changes = self.changes.iter().map(|changes| &changes.table);
        [&self.flows, &self.measures].into_iter().chain(changes).map(TextTable::natural_width).max().unwrap_or(0)
    }
}

impl fmt::Display for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.flows.fmt(f)?;
        self.changes.iter().try_for_each(|changes| changes.fmt(f))?;
        write!(f, "\n{}", self.measures)
    }
}

fn flow_table(laws: &[LawRuns<'_>]) -> TextTable {
    let mut header = vec!["flow".to_owned(), ">fair rate".to_owned()];
    for law in laws {
        header.extend([format!(">{}", law.law), "+>ratio".to_owned()]);
        header.extend((!law.simulated.is_empty()).then(|| "+>simulated".to_owned()));
    }
    let mut table = TextTable::new(&header);
    let flows = laws.first().map_or(&[][..], |law| law.flows());
    for (index, flow) in flows.iter().enumerate() {
        let mut row = vec![flow.id.clone(), text::rate(flow.fair_rate_bps)];
        for law in laws {
            row.push(text::or_dash(law.flow_mean(index, |flow| Some(flow.rate_bps)), text::rate));
            row.push(text::or_dash(law.flow_mean(index, |flow| flow.ratio), text::ratio));
            if !law.simulated.is_empty() {
                row.push(text::or_dash(law.simulated_rate(index), text::rate));
            }
        }
        table.row(row);
    }
    table
}

fn measure_table(laws: &[LawRuns<'_>]) -> TextTable {
    let mut header = vec!["measure".to_owned()];
    header.extend(laws.iter().map(|law| format!(">{}", law.law)));
    let mut table = TextTable::new(&header);
    let columns: Vec<_> = laws.iter().map(runs::measures).collect();
    for (row, (label, _)) in columns.first().into_iter().flatten().enumerate() {
        let texts = columns.iter().map(|column| column.get(row).map_or(String::new(), |(_, text)| text.clone()));
        table.row(std::iter::once(label.clone()).chain(texts));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn laws_that_are_too_wide_together_are_shown_in_parts() {
        let laws = ["dvsr", "fifo", "darwin"];
        let within = |width: usize| parts(&laws, &move |laws| laws.join(" ").len() <= width);
        assert_eq!(within(16), [&laws[..]]);
        assert_eq!(within(15), [&laws[..2], &laws[2..]]);
        assert_eq!(within(8), [&laws[..1], &laws[1..2], &laws[2..]]);
        assert_eq!(within(3).concat(), laws, "nothing is left out");
    }
}
