//! Explicit rates: every claim of [wmfqc].
//!
//! Runs are those of `scenarios/papers/wmfqc-*.toml`. What the paper leaves open is set there and in
//! [`runs`]; the notes of the claims say what hangs on it.

mod central;
pub mod controlled;
pub mod cost;
pub mod fair;
pub mod guard;
pub mod losses;
mod one_link;
pub mod other_laws;
pub mod parameters;
pub mod queues;
mod random_networks;
pub mod responses;
pub mod rules;
mod runs;
mod spread;
pub mod steady;
mod table;
pub mod theorems;

use super::{Claim, Finding, Trouble, expected_number};
use crate::catalogue::number;
use crate::reading::Reading;
use toml::{Table, Value};

/// A list of the catalogue.
fn list<'a>(table: &'a Table, key: &str) -> Result<&'a Vec<Value>, Trouble> {
    table.get(key).and_then(Value::as_array).ok_or_else(|| format!("the catalogue gives no list `{key}`"))
}

/// A list of numbers of the catalogue.
fn numbers(table: &Table, key: &str) -> Result<Vec<f64>, Trouble> {
    let all: Option<Vec<f64>> = list(table, key)?.iter().map(number).collect();
    all.ok_or_else(|| format!("`{key}` of the catalogue holds something that is no number"))
}

/// A margin of the claim.
fn margin(claim: &Claim, key: &str) -> Result<f64, Trouble> {
    claim.tolerance.get(key).and_then(number).ok_or_else(|| format!("the catalogue gives no margin `{key}`"))
}

/// The claim's list of numbers under `key`.
fn expected_numbers(claim: &Claim, key: &str) -> Result<Vec<f64>, Trouble> {
    numbers(&claim.expected, key)
}

/// The medians over draws of starting phases in place of the printed schedule.
fn medians_of_draws() -> Reading {
    let why = "with queue control a cell that goes one place earlier moves single figures by a lot, and the paper prints starts in whole \
               milliseconds; what it says of thresholds, it says in general";
    Reading::argued("medians over 100 draws, each connection up to 0.5 ms later", why)
}
