//! Rates that are promised to stations.

use fairwire_core::BitRate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Promised rates by station number, as `{ 3 = "50 Mb/s" }`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct MinimumRates(BTreeMap<StationNumber, BitRate>);

/// A station's number as a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
struct StationNumber(u16);

impl TryFrom<String> for StationNumber {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map(Self).map_err(|_| format!("`{text}` is not the number of a station"))
    }
}

impl From<StationNumber> for String {
    fn from(number: StationNumber) -> Self {
        number.0.to_string()
    }
}

impl MinimumRates {
    /// What is promised to this station.
    pub fn of(&self, station: u16) -> BitRate {
        self.0.get(&StationNumber(station)).copied().unwrap_or_default()
    }
}

impl FromIterator<(u16, BitRate)> for MinimumRates {
    fn from_iter<I: IntoIterator<Item = (u16, BitRate)>>(rates: I) -> Self {
        Self(rates.into_iter().map(|(station, rate)| (StationNumber(station), rate)).collect())
    }
}
