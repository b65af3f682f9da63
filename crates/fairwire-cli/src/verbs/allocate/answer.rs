//! The answer of `fairwire allocate`, as JSON and for tables.

use super::worth::WorthAnswer;
use fairwire_runs::Verdict;
use fairwire_scenario::answer::{self, WhatIfAnswer};
use serde::Serialize;

/// The answer as JSON; names are never changed, only added.
#[derive(Debug, Serialize)]
pub struct Answer<'a> {
    #[serde(flatten)]
    pub fair: answer::Answer<'a>,
    /// The scenario's promises about fair rates.
    pub expect: Vec<Verdict>,
    /// An answer to each `--what-if`, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<WhatIfAnswer<'a>>,
    /// What each full link is worth, if `--sensitivities` asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitivities: Option<Vec<WorthAnswer<'a>>>,
}
