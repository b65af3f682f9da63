//! What is left of flows and ports under a rate law.

use fairwire_core::Instant;

/// What one flow under a rate law did beside sending data. Counts cover the whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RateRecord {
    /// Control packets that its sources sent.
    pub control_sent: u64,
    /// Of these, come back to the source and heeded.
    pub control_returned: u64,
    /// Of these, dropped by full queues or lost on lossy links.
    pub control_lost: u64,
    /// Of these, refused by ports, the destination or the source.
    pub control_refused: u64,
    /// Control packets that ports sent to its sources by themselves.
    pub control_noticed: u64,
    /// Bytes of control packets that its sources sent.
    pub control_bytes: u64,
    /// Data packets that arrived while the flow was on ([wmfqc] §5.2: successful cells).
    pub arrived_while_on: u64,
    /// When its sources came on, in order of time.
    pub began: Vec<Instant>,
    /// Each change of a source's allowed rate, in order of time; the first one is what it begins with.
    pub allowed: Vec<AllowedRate>,
}

/// From some time on a source is allowed another rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AllowedRate {
    /// From when on.
    pub t: Instant,
    /// Which micro-flow of its flow.
    pub micro_flow: u32,
    /// AR in bit/s; zero while the flow is off.
    pub rate_bps: f64,
}

/// What a port under a rate law did. Counts cover the whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortRecord {
    /// The law.
    pub law: &'static str,
    /// Most packets that the queue held when one arrived, the one in transmission included.
    pub deepest_packets: u32,
    /// Data packets that the law dropped as the queue was too long, and as their flow sent more than it may.
    pub dropped: [u64; 2],
    /// Control packets that the law rewrote.
    pub control: u64,
    /// Control packets that it refused, by kind: [`fairwire_laws::rate::Refusal::ALL`].
    pub refused: [u64; fairwire_laws::rate::Refusal::ALL.len()],
    /// For how many flows it keeps state at the end.
    pub flows: usize,
}
