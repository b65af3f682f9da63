//! `[run]`: how long, from when on to measure, and which random numbers.

use crate::reading::diagnostic::Reported;
use crate::reading::table::{Field, Table};
use fairwire_core::Span;
use fairwire_plan::EnginePath;
use serde::Serialize;

/// How a scenario is run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Run {
    /// Simulated time.
    pub duration: Span,
    /// Means, losses and delays are measured from here on.
    pub warmup: Span,
    /// The experiment, from 0 to 2^63 - 1: which family of random numbers.
    pub seed: u64,
    /// Runs with independent random numbers.
    pub replications: u64,
    /// Length of one row of the time series.
    pub window: Span,
    /// How the simulator walks through time.
    #[serde(serialize_with = "engine_name")]
    pub engine: EnginePath,
    /// Whether the file left the window to us.
    #[serde(skip)]
    pub(crate) default_window: bool,
}

pub(crate) const KEYS: &[&str] = &["duration", "warmup", "seed", "replications", "window", "engine"];

/// The simulated time of a scenario that does not say.
pub(crate) const DEFAULT_DURATION: Span = Span::from_millis(1_000);
/// The shortest row of a time series, and so the shortest run.
pub(crate) const SHORTEST_WINDOW: Span = Span::from_micros(1);
/// Rows that a window left to us gives, about.
const USUAL_ROWS: u64 = 5_000;
/// More rows than this would fill memory rather than inform.
const MOST_ROWS: u64 = 10_000_000;
/// So would more numbers in the rows of all flows and links: a number takes up to 20 bytes while a run is made and reported.
const MOST_NUMBERS: u64 = 200_000_000;
/// The largest whole number that TOML writes.
pub(crate) const LARGEST_SEED: u64 = i64::MAX as u64;

/// So many replications are a run of weeks; each keeps its tables.
pub(crate) const MOST_REPLICATIONS: u64 = 1_000_000;

pub(crate) const ENGINES: &[(&str, EnginePath)] =
    &[("auto", EnginePath::Auto), ("windows", EnginePath::Windows), ("events", EnginePath::Events)];

fn engine_name<S: serde::Serializer>(engine: &EnginePath, serializer: S) -> Result<S::Ok, S::Error> {
    let name = ENGINES.iter().find(|(_, path)| path == engine).map_or("auto", |(name, _)| name);
    serializer.serialize_str(name)
}

impl Run {
    /// Reads `[run]`, if there is one. A window that is not given waits for
    /// [`Run::choose_window`].
    pub(crate) fn read(field: Option<Field<'_>>) -> Result<Self, Reported> {
        let Some(field) = field else { return Ok(Self::default()) };
        let run = field.table("[run]", KEYS, "{ duration = \"5 s\" }")?;
        let duration = run.field("duration").map_or(Ok(DEFAULT_DURATION), |field| at_least_shortest(&field, "5 s"));
        let warmup = run.field("warmup").map_or(Ok(Span::ZERO), |field| field.quantity());
        let seed = run.field("seed").map_or(Ok(1), |field| field.integer(0..=LARGEST_SEED, "1"));
        let replications = run.field("replications").map_or(Ok(1), |field| field.integer(1..=MOST_REPLICATIONS, "1"));
        let window = run.field("window").map(|field| at_least_shortest(&field, "10 ms")).transpose();
        let engine = run.field("engine").map_or(Ok(EnginePath::Auto), |field| field.word(ENGINES));
        let (duration, warmup, window) = (duration?, warmup?, window?);
        let in_time = check_warmup(&run, warmup, duration);
        let within = window.map_or(Ok(()), |window| check_window(&run, window, duration));
        in_time.and(within)?;
        Ok(Self {
            duration,
            warmup,
            seed: seed?,
            replications: replications?,
            window: window.unwrap_or_default(),
            engine: engine?,
            default_window: window.is_none(),
        })
    }

    /// Fills in a window that the file left open: the larger of one lap of the
    /// ring, a five-thousandth of the run and what so many rows need, rounded up to 1, 2 or 5 times a
    /// power of ten, but not above the longest row.
    pub(crate) fn choose_window(&mut self, lap: Span, rows: Rows) {
        if self.default_window {
            let usual = Span::from_nanos(self.duration.as_nanos() / USUAL_ROWS);
            let wanted = lap.max(usual).max(SHORTEST_WINDOW).max(rows.shortest(self.duration));
            self.window = round_up(wanted).min(rows.longest).min(self.duration);
        }
    }

    /// Whether its tables would have more rows than there may be.
    pub(crate) fn has_too_many_rows(&self, rows: Rows) -> bool {
        self.duration.as_nanos() / self.window.as_nanos().max(1) > rows.most()
    }

    /// Checks that tables can count what passes in a row of the window, and that there are not too many.
    pub(crate) fn check_rows_fit(&self, root: &Table<'_>, rows: Rows) -> Result<(), Reported> {
        let place =
            |key: &str| root.field("run").and_then(|run| run.node.get(key)).map(|entry| entry.node.span.clone());
        let (duration, window, longest) = (self.duration, self.window, rows.longest);
        if window > longest {
            let message = format!("a window of {window} is longer than the {longest} whose bytes fit into 32 bits");
            let span = place("window").unwrap_or_default();
            return Err(root.report.error(
                span,
                message,
                "too long",
                format!("write a window of at most \"{longest}\""),
            ));
        }
        if !self.has_too_many_rows(rows) {
            return Ok(());
        }
        let most = rows.in_words();
        let shortest = rows.shortest(duration);
        if let Some(span) = place("window").filter(|_| shortest <= longest) {
            let cut = duration.as_nanos() / window.as_nanos();
            let message = format!("windows of {window} cut {duration} into {cut} rows, and there may be {most}");
            return Err(root.report.error(
                span,
                message,
                "too short",
                format!("write a window of at least \"{shortest}\""),
            ));
        }
        let message = format!(
            "a run of {duration} makes more than {} rows of {longest}, the longest at this speed, and there may be {most}",
            rows.most()
        );
        let help = format!("write at most \"{}\"", Span::from_nanos(longest.as_nanos().saturating_mul(rows.most())));
        Err(root.report.error(place("duration").unwrap_or_default(), message, "too long", help))
    }
}

/// What bounds the rows of tables over time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// The longest whose bytes fit into 32 bits.
    pub longest: Span,
    /// Numbers that all flows and links together have in each.
    pub numbers: u64,
}

impl Rows {
    /// So many at most.
    pub(crate) fn most(self) -> u64 {
        MOST_ROWS.min(MOST_NUMBERS / self.numbers.max(1)).max(1)
    }

    /// The shortest window that makes no more than that.
    pub(crate) fn shortest(self, duration: Span) -> Span {
        Span::from_nanos(duration.as_nanos() / (self.most() + 1) + 1)
    }

    /// How many there may be, and why.
    fn in_words(self) -> String {
        let (most, numbers) = (self.most(), self.numbers);
        if most == MOST_ROWS {
            return format!("{most}");
        }
        format!("{most}: each has {numbers} numbers of flows and links, and {MOST_NUMBERS} are the most that is kept")
    }
}

impl Default for Run {
    fn default() -> Self {
        Self {
            duration: DEFAULT_DURATION,
            warmup: Span::ZERO,
            seed: 1,
            replications: 1,
            window: Span::ZERO,
            engine: EnginePath::Auto,
            default_window: true,
        }
    }
}

fn at_least_shortest(field: &Field<'_>, usual: &str) -> Result<Span, Reported> {
    let span = field.quantity::<Span>()?;
    if span < SHORTEST_WINDOW {
        let message = format!("`{}` of [run] is at least {SHORTEST_WINDOW}, not {span}", field.name);
        return Err(field.error(
            message,
            "too short",
            format!("write a longer time, such as `{} = \"{usual}\"`", field.name),
        ));
    }
    Ok(span)
}

fn check_warmup(run: &Table<'_>, warmup: Span, duration: Span) -> Result<(), Reported> {
    let Some(field) = run.field("warmup").filter(|_| warmup >= duration) else { return Ok(()) };
    let message = format!("the warm-up of {warmup} leaves nothing of the {duration} that the run lasts");
    Err(field.error(message, "too long", format!("write a warm-up below \"{duration}\", or a longer `duration`")))
}

fn check_window(run: &Table<'_>, window: Span, duration: Span) -> Result<(), Reported> {
    let Some(field) = run.field("window").filter(|_| window > duration) else { return Ok(()) };
    let message = format!("a window of {window} is longer than the {duration} that the run lasts");
    Err(field.error(message, "too long", format!("write a window of at most \"{duration}\"")))
}

/// The next 1, 2 or 5 times a power of ten nanoseconds.
fn round_up(span: Span) -> Span {
    let nanos = span.as_nanos();
    let mut power: u64 = 1;
    loop {
        for digit in [1, 2, 5] {
            match power.checked_mul(digit) {
                Some(round) if round < nanos => {}
                Some(round) => return Span::from_nanos(round),
                None => return span,
            }
        }
        let Some(next) = power.checked_mul(10) else { return span };
        power = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_round_and_never_shorter_than_asked() {
        assert_eq!(round_up(Span::from_micros(1_000)), Span::from_millis(1));
        assert_eq!(round_up(Span::from_micros(1_001)), Span::from_millis(2));
        assert_eq!(round_up(Span::from_micros(6_400)), Span::from_millis(10));
        assert_eq!(round_up(Span::from_nanos(u64::MAX)), Span::from_nanos(u64::MAX));
    }
}
