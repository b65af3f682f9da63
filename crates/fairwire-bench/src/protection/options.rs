//! The options that make experiments: every combination of them is one.

use super::experiment::{Experiment, Load, Mode, Overflow};
use clap::ValueEnum;
use fairwire_terminal::text;

/// The fewest on which two cuts leave stations that can send to each other, and the most that wrap.
const STATIONS: std::ops::RangeInclusive<i64> = 4..=127;
const USUAL_STATIONS: u16 = 64;

/// Options of the experiments.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Stations of the ring, 4 to 127; rings of several sizes with commas between
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [USUAL_STATIONS],
        value_parser = clap::value_parser!(u16).range(STATIONS))]
    stations: Vec<u16>,

    /// Where stations send to; both with a comma between
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Load::Mesh])]
    load: Vec<Load>,

    /// How the ring avoids the dead span; both with a comma between
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Mode::Steer])]
    mode: Vec<Mode>,

    /// Spans that are cut in the same instant, 1 or 2: two leave a ring in two parts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=2))]
    cuts_at_once: u16,

    /// A station fails in place of a span, with all that it sends and receives
    #[arg(long, conflicts_with = "cuts_at_once")]
    station_down: bool,

    /// What happens in front of a full queue
    #[arg(long, value_enum, default_value_t)]
    overflow: Overflow,
}

impl Options {
    /// Every combination, by stations, then load, then mode. What is named twice counts once.
    pub fn experiments(&self) -> Vec<Experiment> {
        let mut all = Vec::new();
        for &stations in &self.stations {
            for &load in &self.load {
                for &mode in &self.mode {
                    let Self { cuts_at_once, station_down, overflow, .. } = *self;
                    let experiment = Experiment { stations, load, mode, cuts_at_once, station_down, overflow };
                    if !all.contains(&experiment) {
                        all.push(experiment);
                    }
                }
            }
        }
        all
    }

    /// What is not as usual, as it is typed.
    pub fn asked(&self) -> String {
        let stations: Vec<String> = self.stations.iter().map(u16::to_string).collect();
        let given = |option: &str, values: String, usual: &str| {
            if values == usual { String::new() } else { format!(" --{option} {values}") }
        };
        [
            given("stations", stations.join(","), &USUAL_STATIONS.to_string()),
            given("load", names(&self.load), "mesh"),
            given("mode", names(&self.mode), "steer"),
            given("cuts-at-once", self.cuts_at_once.to_string(), "1"),
            if self.station_down { " --station-down".to_owned() } else { String::new() },
            given("overflow", names(&[self.overflow]), "drop"),
        ]
        .concat()
    }

    /// What the numbers are about.
    pub fn about(&self) -> String {
        let experiments = self.experiments();
        let sizes: Vec<String> = distinct(&experiments, |one| one.stations).iter().map(u16::to_string).collect();
        let laps = distinct(&experiments, |one| text::time(one.lap().as_nanos() as f64));
        let ring = match &sizes[..] {
            [size] => format!("A ring of {size} stations"),
            sizes => format!("Rings of {} stations", listed(sizes, "and")),
        };
        let loads = distinct(&experiments, |one| match one.load {
            Load::Mesh => "to another one at random",
            Load::Hub => "to one, the same for all",
        });
        let fails = match (self.station_down, self.cuts_at_once) {
            (true, _) => "one station fails",
            (false, 1) => "one span is cut",
            (false, _) => "two spans are cut in the same instant",
        };
        let modes = distinct(&experiments, |one| match one.mode {
            Mode::Steer => "sources steer",
            Mode::Wrap => "stations wrap",
        });
        let hold = if self.overflow == Overflow::Hold { ", which hold packets back" } else { "" };
        format!(
            "{ring}{hold}, 622 Mb/s, {} a lap; each sends without end {}; {fails}, and {}.\n\
             Outage: the longest silence of any flow that still has a way, at most. Fair again: within 5 %, for good, after the\n\
             last station found the topology settled; ring times beside the measuring window. Cut off: flows without a way, on\n\
             average. Lost: packets on cut wires and at edges, on average; dropped: packets that found a queue full, over all cuts.\n\
             Kept: what all flows together deliver in the end, over what they did before the cut. Books wrong: cuts after which\n\
             the count of packets does not add up.",
            listed(&laps, "and"),
            listed(&loads, "or"),
            listed(&modes, "or"),
        )
    }
}

/// The values that there are, in the order in which they first come.
fn distinct<T: PartialEq>(experiments: &[Experiment], value: impl Fn(&Experiment) -> T) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    for value in experiments.iter().map(value) {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// `8, 16 and 64`.
fn listed<S: AsRef<str>>(values: &[S], last: &str) -> String {
    let values: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
    match values.split_last() {
        Some((end, before)) if !before.is_empty() => format!("{} {last} {end}", before.join(", ")),
        _ => values.concat(),
    }
}

/// Values as they are typed, with commas between.
pub fn names<T: ValueEnum>(values: &[T]) -> String {
    let names: Vec<String> =
        values.iter().filter_map(|value| Some(value.to_possible_value()?.get_name().to_owned())).collect();
    names.join(",")
}
