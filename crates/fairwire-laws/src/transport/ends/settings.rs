//! What both ends of a connection are set to.

use fairwire_core::{Bytes, Span};

/// Settings of both ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpSettings {
    /// Size of a full data segment on the wire, headers included.
    pub segment: Bytes,
    /// Size of an acknowledgement on the wire.
    pub ack: Bytes,
    /// rwnd: window that the receiver offers, in segments; at least 1.
    pub receive_window: u32,
    /// cwnd at the start, in segments; at least 1.
    pub initial_window: u32,
    /// ssthresh at the start, in segments; none for the receive window.
    pub initial_threshold: Option<u32>,
    /// Smallest RTO (RFC 6298 says 1 s; the papers' ns-2 scenarios 0.2 s).
    pub min_timeout: Span,
    /// Tick in which the retransmission timer measures and waits; above zero.
    pub granularity: Span,
    /// Longest time an acknowledgement is held back while every other segment gets
    /// one (RFC 5681 §4.2); none acknowledges every segment at once.
    pub delayed_ack: Option<Span>,
    /// Whether queues may mark instead of drop (RFC 3168).
    pub ecn: bool,
}
