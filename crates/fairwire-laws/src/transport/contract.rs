//! What a law of congestion control is told, and what it decides.
//!
//! A law decides how many segments may be on their way: its congestion window, cwnd. What all laws
//! have in common is done by the [`super::Sender`]: the timer, the count of duplicate
//! acknowledgements, what is sent again, the receiver's window, the answer to marks once a window.
//!
//! | call | when |
//! | --- | --- |
//! | [`CongestionControl::on_ack`] | segments were acknowledged and nothing is being recovered |
//! | [`CongestionControl::on_congestion`] | a loss was seen by duplicates, or a mark was echoed; once a window |
//! | [`CongestionControl::on_timeout`] | the retransmission timer expired |
//! | [`CongestionControl::on_recovered`] | all is acknowledged that had been sent when a loss was seen, or when the timer expired |
//! | [`CongestionControl::on_lost`], then [`CongestionControl::on_delivered`] | anything is told lost, or arrived, before the calls above; only of laws that follow deliveries |
//! | [`CongestionControl::cwnd`], [`CongestionControl::pacing`] | whenever something may be sent |

use crate::LawAbout;
use fairwire_core::{Instant, Span};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// A law of congestion control: the window of one sender. Windows are in segments.
pub trait CongestionControl: Sized + Clone + Debug + 'static {
    /// What a scenario may set, documented field by field with range and default.
    type Params: Copy + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema;

    /// Name, idea and source.
    const ABOUT: LawAbout;

    /// What the sender does about a segment that duplicates tell it is lost.
    const RECOVERY: Recovery;

    /// The same in kernels of Linux, for runs with real packets: with whatever they have of their own beside it. None where they
    /// do not have it.
    const KERNEL: Option<KernelControl> = None;

    /// How the receiver tells of marks.
    const MARK_ECHO: MarkEcho = MarkEcho::UntilAnswered;

    /// What is wrong with the parameters, in words that name the key as a scenario
    /// writes it and say what to write; none if nothing is.
    fn problem(params: &Self::Params) -> Option<String> {
        let _ = params;
        None
    }

    /// Whether the law is told of every delivery, with a sample of the delivery rate, and what is sent again and lost again is
    /// found by what was sent after it (RFC 8985). It then has to recover by [`Recovery::Scoreboard`].
    fn follows_delivery(params: &Self::Params) -> bool {
        let _ = params;
        false
    }

    /// Whether the first two duplicates send a new segment each (RFC 3042).
    fn limited_transmit(params: &Self::Params) -> bool;

    /// The law before anything was sent.
    fn new(params: &Self::Params, start: &StartWindow) -> Self;

    /// cwnd: the congestion window; at least 1.
    fn cwnd(&self) -> f64;

    /// ssthresh: the slow-start threshold, below which cwnd doubles every round trip.
    fn ssthresh(&self) -> f64;

    /// Segments were acknowledged, and nothing is being recovered.
    fn on_ack(&mut self, acked: &Acked);

    /// Duplicates told of a loss, or a mark was echoed. Called once a window at most.
    /// Afterwards the window is the one that the sender recovers with.
    fn on_congestion(&mut self, congestion: &Congestion);

    /// The retransmission timer expired.
    fn on_timeout(&mut self, timeout: &Timeout);

    /// What was lost is repaired.
    fn on_recovered(&mut self) {}

    /// A segment is told to be lost by what arrived after it; only of laws that follow deliveries.
    fn on_lost(&mut self, lost: &LostSegment) {
        let _ = lost;
    }

    /// Segments arrived that were not known to have arrived.
    fn on_delivered(&mut self, delivered: &Delivered) {
        let _ = delivered;
    }

    /// The rate at which segments leave, in segments per second; none if each leaves as soon as the window allows it.
    #[inline]
    fn pacing(&self) -> Option<f64> {
        None
    }

    /// Whether the window is still opening for the first time or after a timeout.
    #[inline]
    fn is_opening(&self) -> bool {
        self.cwnd() < self.ssthresh()
    }

    /// What the law is doing, where it has states of its own.
    fn state(&self) -> Option<&'static str> {
        None
    }
}

/// What kernels of Linux have of congestion control. They repair losses by what the receiver tells arrived, whatever the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelControl {
    /// NewReno's additive increase.
    Reno,
    /// CUBIC.
    Cubic,
    /// BBR.
    Bbr,
}

impl KernelControl {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Reno, Self::Cubic, Self::Bbr];

    /// The kernel's name for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reno => "reno",
            Self::Cubic => "cubic",
            Self::Bbr => "bbr",
        }
    }
}

/// How a receiver tells of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkEcho {
    /// In every acknowledgement until the sender says that it has answered (RFC 3168 §6.1.3).
    UntilAnswered,
    /// Each acknowledgement tells whether the segments that it acknowledges were marked (RFC 8257 §3.2).
    EachSegment,
}

/// What a sender does about a segment of which three duplicate acknowledgements, or the
/// receiver's blocks, tell that it is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// It starts slowly again from that segment on.
    SlowStart,
    /// It sends the segment again, and a new one for each duplicate from then on, until the
    /// next acknowledgement of anything (RFC 5681 §3.2).
    UntilNextAck,
    /// The same until all is acknowledged that had been sent by then; each
    /// acknowledgement of a part tells of the next segment lost (RFC 6582).
    UntilAllAcked,
    /// It keeps account of what the receiver's blocks tell, and sends while fewer segments
    /// than the window are in the network (RFC 6675).
    Scoreboard,
}

/// With which windows a sender starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartWindow {
    /// cwnd, at least 1.
    pub cwnd: f64,
    /// ssthresh.
    pub ssthresh: f64,
    /// rwnd, the window of the receiver: no larger cwnd is ever used.
    pub rwnd: f64,
}

/// Segments were acknowledged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acked {
    /// When the acknowledgement came.
    pub now: Instant,
    /// How many segments it acknowledges that were not before; at least 1.
    pub segments: u32,
    /// SRTT, the smoothed round-trip time; zero before the first sample.
    pub srtt: Span,
}

/// The network is congested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Congestion {
    /// When the acknowledgement that told it came.
    pub now: Instant,
    /// FlightSize (RFC 5681): segments sent and not acknowledged, without those of limited transmit.
    pub flight_size: f64,
    /// Whether a mark told it and nothing was lost.
    pub marked: bool,
}

/// The retransmission timer expired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeout {
    /// FlightSize: segments sent and not acknowledged.
    pub flight_size: f64,
    /// Whether the same segment has timed out before (ssthresh stays, RFC 5681 §3.1).
    pub again: bool,
}

/// Segments arrived, as one acknowledgement tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivered {
    /// When the acknowledgement came.
    pub now: Instant,
    /// How many it tells of that were not known to have arrived; at least 1.
    pub segments: u32,
    /// How many it tells are lost that were not known to be.
    pub newly_lost: u32,
    /// Whether it echoes a mark.
    pub marked: bool,
    /// SND.UNA: the first segment not acknowledged.
    pub snd_una: u32,
    /// SND.NXT: the next segment in order to send.
    pub snd_nxt: u32,
    /// How many segments are in the network now (pipe, RFC 6675).
    pub in_flight: u32,
    /// All that was delivered so far.
    pub total: u64,
    /// Whether the window kept something from being sent within the last round trip.
    pub is_cwnd_limited: bool,
    /// What it tells of the delivery rate.
    pub sample: RateSample,
}

/// The delivery rate between the sending of a segment and its acknowledgement, taken of the segment sent last among those newly
/// delivered (draft-ietf-ccwg-bbr §4.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Segments per second; none where the acknowledgement came too soon to tell.
    pub rate: Option<f64>,
    /// Segments delivered meanwhile.
    pub delivered: u32,
    /// Segments lost meanwhile.
    pub lost: u32,
    /// All that had been delivered when it was sent.
    pub prior_delivered: u64,
    /// Segments in flight right after it was sent.
    pub tx_in_flight: u32,
    /// Whether there was too little to send.
    pub is_app_limited: bool,
    /// Its round-trip time; none of a segment sent again.
    pub rtt: Option<Span>,
}

/// A segment is told to be lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LostSegment {
    /// When the acknowledgement came that tells it.
    pub now: Instant,
    /// All that was delivered so far.
    pub total: u64,
    /// Segments in flight right after it was sent.
    pub tx_in_flight: u32,
    /// Segments lost since it was sent, it included.
    pub lost: u32,
    /// Whether there was too little to send.
    pub is_app_limited: bool,
}
