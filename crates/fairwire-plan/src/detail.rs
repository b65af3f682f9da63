//! How much a run keeps.

/// What a run keeps beside its summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Rates of the flows over time: what the summary needs.
    Summary,
    /// Also links, queues and what the laws show.
    Full,
}
