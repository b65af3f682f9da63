//! What ring is cut, and how: the options that make the experiment.

use fairwire_core::Span;
use fairwire_terminal::text;

/// Rings of up to so many stations have times of their own; larger ones have them in proportion.
const USUAL_STATIONS: u64 = 64;
/// The fewest on which two cuts leave stations that can send to each other, and the most that wrap.
const STATIONS: std::ops::RangeInclusive<i64> = 4..=127;
const SPAN_DELAY: Span = Span::from_micros(100);

/// Options of the experiment.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Experiment {
    /// Stations of the ring, 4 to 127
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(STATIONS))]
    pub stations: u16,

    /// Where stations send to
    #[arg(long, value_enum, default_value_t)]
    pub load: Load,

    /// How the ring avoids the dead span
    #[arg(long, value_enum, default_value_t)]
    pub mode: Mode,

    /// Spans that are cut in the same instant, 1 or 2: two leave a ring in two parts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=2))]
    pub cuts_at_once: u16,

    /// A station fails in place of a span, with all that it sends and receives
    #[arg(long, conflicts_with = "cuts_at_once")]
    pub station_down: bool,

    /// What happens in front of a full queue
    #[arg(long, value_enum, default_value_t)]
    pub overflow: Overflow,
}

/// Where stations send to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Load {
    /// Each to another one at random
    #[default]
    Mesh,
    /// All to one, the same for all
    Hub,
}

/// How the ring avoids the dead span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// Sources send on the other ringlet
    #[default]
    Steer,
    /// The stations beside the span loop traffic to the other ringlet
    Wrap,
}

/// What happens in front of a full queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Overflow {
    /// Packets are dropped
    #[default]
    Drop,
    /// Stations hold their packets back
    Hold,
}

impl Experiment {
    /// `time` on a ring of up to 64 stations; in proportion on a larger one, whose laps are longer.
    pub fn scaled(&self, time: Span) -> Span {
        Span::from_nanos(time.as_nanos() * u64::from(self.stations).max(USUAL_STATIONS) / USUAL_STATIONS)
    }

    /// What the numbers are about.
    pub fn about(&self) -> String {
        let Self { stations, load, mode, cuts_at_once, station_down, overflow } = self;
        let lap = text::time((SPAN_DELAY * u64::from(*stations)).as_nanos() as f64);
        let to = match load {
            Load::Mesh => "to another one at random",
            Load::Hub => "to one, the same for all",
        };
        let fails = match (station_down, cuts_at_once) {
            (true, _) => "one station fails",
            (false, 1) => "one span is cut",
            (false, _) => "two spans are cut in the same instant",
        };
        let avoid = match mode {
            Mode::Steer => "sources steer",
            Mode::Wrap => "stations wrap",
        };
        let hold = if *overflow == Overflow::Hold { ", which hold packets back" } else { "" };
        format!(
            "A ring of {stations} stations{hold}, 622 Mb/s, {lap} a lap; each sends without end {to}; {fails}, and {avoid}.\n\
             Outage: the longest silence of any flow that still has a way, at most. Fair again: within 5 %, for good, after the\n\
             last station found the topology settled; ring times beside the measuring window. Cut off: flows without a way, on\n\
             average. Lost: packets on cut wires and at edges, on average; dropped: packets that found a queue full, over all cuts.\n\
             Kept: what all flows together deliver in the end, over what they did before the cut. Books wrong: cuts after which\n\
             the count of packets does not add up."
        )
    }

    /// The tables `[run]` and `[ring]` of a scenario.
    pub fn ring_toml(&self, number: u64) -> String {
        let Self { stations, .. } = self;
        let ms = |ms: u64| self.scaled(Span::from_millis(ms));
        let mode = match self.mode {
            Mode::Steer => "steer",
            Mode::Wrap => "wrap",
        };
        // What is on its way has to arrive before the topology counts as settled.
        let stability = match ms(10) {
            usual if usual == Span::from_millis(10) => String::new(),
            longer => format!(", stability = \"{longer}\""),
        };
        let overflow = match self.overflow {
            Overflow::Drop => "",
            Overflow::Hold => ", overflow = \"hold\"",
        };
        format!(
            r#"[run]
duration = "{}"
warmup = "{}"
seed = {number}
window = "0.2 ms"

[ring]
stations = {stations}
capacity = "622 Mb/s"
span-delay = "{SPAN_DELAY}"
law = {{ name = "dvsr-plus" }}
transit = {{ buffer = "200 kB"{overflow} }}
protection = {{ mode = "{mode}"{stability} }}
"#,
            ms(350),
            ms(50),
        )
    }
}
