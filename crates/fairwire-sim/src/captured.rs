//! What links send, for those who want to look at it packet by packet.

use fairwire_core::Instant;

/// Something that a link which is captured has begun to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The link, by its place among those that were asked for.
    pub link: usize,
    /// When its first bit left.
    pub at: Instant,
    /// Its size on the wire.
    pub size_bytes: u32,
    /// What it is.
    pub content: CapturedContent,
}

/// What a link sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CapturedContent {
    /// A packet of a flow.
    Packet(CapturedPacket),
    /// What a law said to the next one: its bytes.
    Message(Vec<u8>),
    /// What protection said to the next one: its bytes.
    Protection(Vec<u8>),
    /// A control packet of a flow whose rate switches tell.
    RateMessage {
        /// The flow, by its place in the plan.
        flow: usize,
        /// Which of its micro-flows.
        micro_flow: u32,
        /// Its bytes when it was sent.
        bytes: Vec<u8>,
    },
}

/// A packet of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedPacket {
    /// The flow, by its place in the plan.
    pub flow: usize,
    /// Whether it goes back from the flow's destination to its source, as acknowledgements do.
    pub back: bool,
    /// Of a packet that was brought from outside the number that its bringer knows it by.
    pub brought: Option<u64>,
    /// Which micro-flow of all that there are; on rings only those of TCP have numbers.
    pub micro_flow: u32,
    /// Which of its connections.
    pub connection: u16,
    /// Of a segment of TCP its number, and of an acknowledgement the first segment that is missing.
    pub segment: Option<u32>,
    /// Whether it may be marked instead of dropped.
    pub ecn_capable: bool,
    /// Whether it is marked.
    pub marked: bool,
}

/// In order of time, at one instant of links.
pub fn in_order(captured: &mut [Captured]) {
    captured.sort_by_key(|captured| (captured.at, captured.link));
}
