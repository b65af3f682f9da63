//! What the weights of stations mean to a law.

/// Whether a law shares by the weights of stations, and which of them it has a place for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighing {
    /// All stations count alike, whatever their weights.
    Alike,
    /// Weights are whole numbers from 1 to 255, as in 802.17.
    Bytes,
    /// Any weights, in proportion.
    Any,
}
