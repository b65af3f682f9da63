//! Tables of response times, as the paper prints them.

use super::runs::is_on;
use super::{Claim, Trouble, list};
use crate::catalogue::number;
use crate::tolerance::round;
use fairwire_core::Instant;
use fairwire_plan::AllowedRate;
use fairwire_results::{Curve, Figure};
use serde_json::{Value, json};

/// VC1 to VC6.
pub const FLOWS: usize = 6;
/// The events at which a connection comes on; as many follow at which one goes off.
pub const ON: std::ops::Range<usize> = 0..FLOWS;
/// Those at which one goes off and another is left.
pub const OFF: std::ops::Range<usize> = FLOWS..2 * FLOWS - 1;

/// Response times in µs, a row an event; none where a connection is off.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseTable(pub Vec<[Option<f64>; FLOWS]>);

impl ResponseTable {
    /// From each event to the last change of each connection's allowed rate before the next event; 0 if it does not
    /// move.
    ///
    /// Changes from `answers_from` on count for an event, which may be a little before it.
    pub fn of(events: &[Instant], answers_from: &[Instant], end: Instant, allowed: &[Vec<AllowedRate>]) -> Self {
        let next = answers_from.iter().skip(1).copied().chain([end]);
        let row = |(event, (from, until)): (usize, (&Instant, Instant))| {
            std::array::from_fn(|flow| {
                is_on(event, flow).then(|| {
                    let mut within = allowed[flow].iter().filter(|rate| rate.t >= *from && rate.t < until);
                    within.next_back().map_or(0.0, |rate| rate.t.since(events[event]).as_nanos() as f64 / 1e3)
                })
            })
        };
        Self(answers_from.iter().zip(next).enumerate().map(row).collect())
    }

    /// What the claim prints.
    pub fn printed(claim: &Claim) -> Result<Self, Trouble> {
        Self::read(claim, "response_us")
    }

    fn read(claim: &Claim, key: &str) -> Result<Self, Trouble> {
        let row = |row: &toml::Value| {
            let row = row.as_array()?;
            Some(std::array::from_fn(|flow| number(row.get(flow)?).filter(|us| !us.is_nan())))
        };
        let rows: Option<Vec<_>> = list(&claim.expected, key)?.iter().map(row).collect();
        rows.map(Self).ok_or_else(|| format!("a row of `{key}` is no list"))
    }

    /// The slowest connection's answer to each event; none where nobody is left.
    pub fn slowest(&self) -> Vec<Option<f64>> {
        self.0.iter().map(|row| row.iter().flatten().copied().reduce(f64::max)).collect()
    }

    /// The mean of [`Self::slowest`] over events that somebody answers.
    pub fn average(&self) -> f64 {
        let slowest: Vec<f64> = self.slowest().into_iter().flatten().filter(|us| *us > 0.0).collect();
        slowest.iter().sum::<f64>() / slowest.len() as f64
    }

    /// Largest distance to `other` in rows `rows`, in µs; infinite where one has an entry and the other has none.
    pub fn farthest_us(&self, other: &Self, rows: std::ops::Range<usize>) -> f64 {
        self.farthest(other, rows, |found, printed| (found - printed).abs())
    }

    /// The same as a part of `other`'s entry.
    pub fn farthest_part(&self, other: &Self, rows: std::ops::Range<usize>) -> f64 {
        self.farthest(other, rows, |found, printed| if found == printed { 0.0 } else { (found / printed - 1.0).abs() })
    }

    fn farthest(&self, other: &Self, rows: std::ops::Range<usize>, distance: impl Fn(f64, f64) -> f64) -> f64 {
        let pairs = rows.flat_map(|row| (0..FLOWS).map(move |flow| (row, flow)));
        let apart = pairs.map(|(row, flow)| match (self.0.get(row), other.0.get(row)) {
            (Some(ours), Some(theirs)) => match (ours[flow], theirs[flow]) {
                (Some(found), Some(printed)) => distance(found, printed),
                (None, None) => 0.0,
                _ => f64::INFINITY,
            },
            _ => f64::INFINITY,
        });
        apart.fold(0.0, f64::max)
    }

    /// The slowest answer to each event, with the paper's beside.
    pub fn figure(&self, title: &str, printed: &Self) -> Figure {
        Figure {
            title: title.to_owned(),
            x: "event: 1 to 6 VC1 to VC6 on, 7 to 11 VC1 to VC5 off".to_owned(),
            y: "slowest answer, µs".to_owned(),
            curves: vec![self.curve("fairwire")],
            printed: vec![printed.curve("the paper")],
            ..Figure::default()
        }
    }

    /// The slowest answer to each event.
    pub fn curve(&self, name: &str) -> Curve {
        let slowest = self.slowest().into_iter().enumerate();
        let points = slowest.filter_map(|(event, us)| Some(((event + 1) as f64, us?))).collect();
        Curve { name: name.to_owned(), points }
    }

    /// For people and for JSON: a list an event, with `null` where a connection is off.
    pub fn json(&self) -> Value {
        let row = |row: &[Option<f64>; FLOWS]| row.iter().map(|us| us.map(round)).collect::<Vec<_>>();
        json!(self.0.iter().map(row).collect::<Vec<_>>())
    }
}
