//! What ring is cut, and how.

use fairwire_core::Span;

/// Rings of up to so many stations have times of their own; larger ones have them in proportion.
const USUAL_STATIONS: u64 = 64;
const SPAN_DELAY: Span = Span::from_micros(100);

/// One ring, and what is done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Experiment {
    /// Stations of the ring.
    pub stations: u16,
    /// Where stations send to.
    pub load: Load,
    /// How the ring avoids the dead span.
    pub mode: Mode,
    /// Spans that are cut in the same instant.
    pub cuts_at_once: u16,
    /// Whether a station fails in place of a span.
    pub station_down: bool,
    /// What happens in front of a full queue.
    pub overflow: Overflow,
}

/// Where stations send to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Load {
    /// Each to another one at random
    #[default]
    Mesh,
    /// All to one, the same for all
    Hub,
}

/// How the ring avoids the dead span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Sources send on the other ringlet
    #[default]
    Steer,
    /// The stations beside the span loop traffic to the other ringlet
    Wrap,
}

/// What happens in front of a full queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
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

    /// How long a packet takes round the ring.
    pub fn lap(&self) -> Span {
        SPAN_DELAY * u64::from(self.stations)
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
