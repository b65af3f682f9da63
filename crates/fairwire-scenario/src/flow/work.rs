//! What TCP connections have to send: data without end, transfers, or web pages.

use crate::reading::diagnostic::Reported;
use crate::reading::document::Value;
use crate::reading::table::{Field, Table};
use fairwire_core::{BitRate, Bytes, Span};
use fairwire_plan as plan;
use serde::{Serialize, Serializer};

/// What connections have to send.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Work {
    /// Data without end over one connection.
    Tcp,
    /// Transfers at the times of a Poisson process, each over a new connection.
    Transfers {
        /// How many in all; none for no end.
        #[serde(skip_serializing_if = "Option::is_none")]
        count: Option<u64>,
        /// Mean time between the starts of two.
        mean_interval: Span,
        /// Size of each.
        size: TransferSize,
    },
    /// Pages read one after the other, each object of a page fetched over a new connection.
    Web {
        /// How many in all; none for no end.
        #[serde(skip_serializing_if = "Option::is_none")]
        pages: Option<u64>,
        /// Mean time from a page's last object to the next page.
        mean_think_time: Span,
        /// Mean number of objects of a page.
        mean_objects: f64,
        /// Mean time between two objects of a page.
        mean_gap: Span,
        /// Size of each object.
        size: TransferSize,
    },
}

/// How large a transfer is on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TransferSize {
    /// Always the same.
    Fixed(Bytes),
    /// Exponential with this mean.
    Exponential(Bytes),
    /// Pareto.
    Pareto {
        /// The mean.
        mean: Bytes,
        /// The shape, above 1.
        shape: f64,
    },
}

/// The keys of each kind beside those of all TCP traffic.
pub(crate) const TRANSFERS_KEYS: &[&str] = &["count", "mean-interval", "size"];
pub(crate) const WEB_KEYS: &[&str] = &["pages", "mean-think-time", "mean-objects", "mean-gap", "size"];
pub(crate) const SIZE_KEYS: &[&str] = &["kind", "mean", "shape"];
pub(crate) const DISTRIBUTIONS: &[(&str, Distribution)] =
    &[("exponential", Distribution::Exponential), ("pareto", Distribution::Pareto)];
/// The shape that web objects have been measured to have.
pub(crate) const DEFAULT_SIZE_SHAPE: f64 = 1.2;
pub(crate) const MOST_TRANSFERS: u64 = 1_000_000_000;
pub(crate) const MOST_OBJECTS: f64 = 1e6;

#[derive(Clone, Copy)]
pub(crate) enum Distribution {
    Exponential,
    Pareto,
}

impl Work {
    /// Transfers as their table says.
    pub(crate) fn read_transfers(table: &Table<'_>) -> Result<Self, Reported> {
        let count = table.field("count").map(|field| field.integer(1..=MOST_TRANSFERS, "100")).transpose();
        let mean_interval = table.need("mean-interval", "\"100 ms\"").and_then(|field| field.positive());
        let size = table.need("size", "\"20 kB\"").and_then(|field| TransferSize::read(&field));
        Ok(Self::Transfers { count: count?, mean_interval: mean_interval?, size: size? })
    }

    /// Pages as their table says.
    pub(crate) fn read_web(table: &Table<'_>) -> Result<Self, Reported> {
        let pages = table.field("pages").map(|field| field.integer(1..=MOST_TRANSFERS, "100")).transpose();
        let mean_think_time = table.need("mean-think-time", "\"1 s\"").and_then(|field| field.quantity());
        let mean_objects = table.field("mean-objects").map_or(Ok(1.0), |field| read_objects(&field));
        let mean_gap = table.field("mean-gap").map_or(Ok(Span::ZERO), |field| field.quantity());
        let size = table.need("size", "\"20 kB\"").and_then(|field| TransferSize::read(&field));
        Ok(Self::Web {
            pages: pages?,
            mean_think_time: mean_think_time?,
            mean_objects: mean_objects?,
            mean_gap: mean_gap?,
            size: size?,
        })
    }

    /// Mean rate of what is asked for; none for data without end, and for pages that
    /// nothing but their transfer keeps apart.
    pub fn mean_rate(&self) -> Option<BitRate> {
        self.plan().mean_rate_bps().map(|bps| BitRate::from_bps_f64(bps.clamp(1.0, 1e15)))
    }

    /// The same for a simulator.
    pub(crate) fn plan(&self) -> plan::Work {
        match *self {
            Self::Tcp => plan::Work::Unlimited,
            Self::Transfers { count, mean_interval, size } => {
                plan::Work::Transfers { count, mean_interval, size: size.plan() }
            }
            Self::Web { pages, mean_think_time, mean_objects, mean_gap, size } => {
                plan::Work::Web { pages, mean_think_time, mean_objects, mean_gap, size: size.plan() }
            }
        }
    }
}

impl TransferSize {
    /// The mean.
    pub fn mean(&self) -> Bytes {
        match *self {
            Self::Fixed(mean) | Self::Exponential(mean) | Self::Pareto { mean, .. } => mean,
        }
    }

    /// A size, or a table with its distribution.
    fn read(field: &Field<'_>) -> Result<Self, Reported> {
        if !matches!(field.node.value, Value::Table(_)) {
            return field.positive().map(Self::Fixed);
        }
        let example = "{ kind = \"exponential\", mean = \"20 kB\" }";
        let table = field.table("`size`", SIZE_KEYS, example)?;
        let distribution = table.need("kind", "\"exponential\"").and_then(|field| field.word(DISTRIBUTIONS));
        let mean = table.need("mean", "\"20 kB\"").and_then(|field| field.positive());
        match (distribution?, table.field("shape")) {
            (Distribution::Exponential, Some(shape)) => {
                let message = "an exponential distribution has no `shape`";
                let span = table.key_span("shape");
                Err(shape.report.error(span, message, "nothing to set", "remove it, or write kind = \"pareto\""))
            }
            (Distribution::Exponential, None) => Ok(Self::Exponential(mean?)),
            (Distribution::Pareto, shape) => {
                let shape = shape.map_or(Ok(DEFAULT_SIZE_SHAPE), |field| crate::flow::traffic::read_shape(&field));
                Ok(Self::Pareto { mean: mean?, shape: shape? })
            }
        }
    }

    fn plan(&self) -> plan::TransferSize {
        match *self {
            Self::Fixed(size) => plan::TransferSize::Fixed(size),
            Self::Exponential(mean) => plan::TransferSize::Exponential(mean),
            Self::Pareto { mean, shape } => plan::TransferSize::Pareto { mean, shape },
        }
    }
}

fn read_objects(field: &Field<'_>) -> Result<f64, Reported> {
    let number = match field.node.value {
        Value::Integer(number) => number as f64,
        Value::Float(number) => number,
        _ => return Err(field.wrong_type("a number", "5")),
    };
    if !(1.0..=MOST_OBJECTS).contains(&number) {
        let message = format!("{} goes from 1 to {MOST_OBJECTS}, not {number}", field.called());
        return Err(field.error(message, "out of range", "write how many objects a page has on average, such as 5"));
    }
    Ok(number)
}

/// As a file writes it.
impl Serialize for TransferSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            kind: &'static str,
            mean: Bytes,
            #[serde(skip_serializing_if = "Option::is_none")]
            shape: Option<f64>,
        }
        match *self {
            Self::Fixed(size) => size.serialize(serializer),
            Self::Exponential(mean) => Written { kind: "exponential", mean, shape: None }.serialize(serializer),
            Self::Pareto { mean, shape } => Written { kind: "pareto", mean, shape: Some(shape) }.serialize(serializer),
        }
    }
}
