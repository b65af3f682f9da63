//! `fairwire compare FILE`: several laws on one scenario, side by side.

use crate::real::RealOptions;
use crate::runs::{self, How, LawRuns, RunOptions};
use crate::source::Source;
use fairwire_laws::ring::OutsideLaw;
use fairwire_scenario::{LawChoice, Scenario};
use fairwire_terminal::{CliError, Outcome, TextTable, output, table, text};

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub options: RunOptions,

    #[command(flatten)]
    real: RealOptions,

    /// A law to compare: of the ring, of the queues of a network, or of switches that tell rates; give several with
    /// commas or one by one. Without any: those of the scenario's sweep over
    /// `ring.law.name` or `network.queue.name`, or all there are
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
    let mut laws = Vec::new();
    for name in names {
        let law = runs::law(scenario, name, outside)?;
        if !laws.contains(&law) {
            laws.push(law);
        }
    }
    Ok(laws)
}

/// Every law that the scenario could be run under.
fn all_names(scenario: &Scenario, outside: &[OutsideLaw]) -> Vec<&'static str> {
    let outside = if scenario.is_ring() { outside } else { &[] };
    let all = scenario.all_laws().iter().copied().chain(outside.iter().map(OutsideLaw::about));
    all.map(|about| about.name).collect()
}

/// Tables with a column a law: flow by flow, where switches tell rates change by change, and the runs as a whole. On a terminal as many laws stand side by side as
/// fit, and the others below them.
fn show(laws: &[LawRuns<'_>]) -> String {
    side_by_side(laws, table::width(), &|laws| {
        format!("{}{}\n{}", flow_table(laws), runs::change_table(laws), measure_table(laws))
    })
}

/// What `show` makes of all of `laws`, or of parts of them, one below the other, that are no wider than `width`.
fn side_by_side<T>(laws: &[T], width: Option<usize>, show: &dyn Fn(&[T]) -> String) -> String {
    let fits = |text: &str| width.is_none_or(|width| text.lines().all(|line| line.chars().count() <= width));
    let whole = show(laws);
    if fits(&whole) {
        return whole;
    }
    let most = (1..laws.len()).rev().find(|&most| laws.chunks(most).all(|part| fits(&show(part))));
    laws.chunks(most.unwrap_or(1)).map(show).collect::<Vec<_>>().join("\n")
}

fn flow_table(laws: &[LawRuns<'_>]) -> TextTable {
    let mut header = vec!["flow".to_owned(), ">fair rate".to_owned()];
    for law in laws {
        header.extend([format!(">{}", law.law), ">ratio".to_owned()]);
        header.extend((!law.simulated.is_empty()).then(|| ">simulated".to_owned()));
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
    use super::*;

    #[test]
    fn what_is_too_wide_is_shown_in_parts() {
        let show = |laws: &[&str]| format!("{}\n", laws.join(" "));
        let shown = |width| side_by_side(&["dvsr", "fifo", "darwin"], width, &show);
        assert_eq!(shown(None), "dvsr fifo darwin\n");
        assert_eq!(shown(Some(16)), "dvsr fifo darwin\n");
        assert_eq!(shown(Some(15)), "dvsr fifo\n\ndarwin\n");
        assert_eq!(shown(Some(8)), "dvsr\n\nfifo\n\ndarwin\n");
        assert_eq!(shown(Some(3)), "dvsr\n\nfifo\n\ndarwin\n", "nothing is left out");
    }
}
