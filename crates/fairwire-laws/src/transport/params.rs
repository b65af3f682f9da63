//! Parameters of the controls that have no more than these.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What may be set of Tahoe, Reno, NewReno and SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LossParams {
    /// Whether the first two duplicate acknowledgements send a new segment each (RFC 3042).
    pub limited_transmit: bool,
}

impl Default for LossParams {
    fn default() -> Self {
        Self { limited_transmit: true }
    }
}
