//! Tahoe, Reno, NewReno and SACK: one law of the congestion window, RFC 5681's, and beside it what the four differ in.
//!
//! | | after a loss that duplicates tell | until |
//! | --- | --- | --- |
//! | Tahoe | slow start again from one segment, and all from the lost segment on is sent again | – |
//! | Reno | half the window; a new segment for each that leaves the network | the next acknowledgement of anything: several losses in one window need several recoveries, or a timeout |
//! | NewReno | the same | all is acknowledged that had been sent; each acknowledgement of a part tells of one more lost segment |
//! | SACK | half the window; the receiver's blocks tell which segments are lost and how many are in the network | the same |

use super::window::Window;
use super::{Acked, Congestion, CongestionControl, KernelControl, Recovery, StartWindow, Timeout};
use crate::LawAbout;
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

/// What one of the four is.
struct Variety {
    about: LawAbout,
    recovery: Recovery,
    kernel: Option<KernelControl>,
    /// cwnd after a loss that duplicates tell.
    after_loss: AfterLoss,
}

/// The congestion window after a loss that duplicates tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterLoss {
    /// One segment: slow start again.
    One,
    /// The slow-start threshold, which is half of what is in flight.
    Half,
}

const TAHOE: usize = 0;
const RENO: usize = 1;
const NEWRENO: usize = 2;
const SACK: usize = 3;

const VARIETIES: [Variety; 4] = [
    Variety {
        about: LawAbout {
            name: "tahoe",
            summary: "Slow start again after every loss",
            source: "Jacobson, Congestion Avoidance and Control (1988); RFC 5681 §3.1",
        },
        recovery: Recovery::SlowStart,
        kernel: None,
        after_loss: AfterLoss::One,
    },
    Variety {
        about: LawAbout {
            name: "reno",
            summary: "Half the window after a loss, new data for every duplicate until the next acknowledgement",
            source: "RFC 5681; [vrr-gateway] §III",
        },
        recovery: Recovery::UntilNextAck,
        kernel: Some(KernelControl::Reno),
        after_loss: AfterLoss::Half,
    },
    Variety {
        about: LawAbout {
            name: "newreno",
            summary: "Reno that stays in recovery until all is acknowledged that was sent before it",
            source: "RFC 6582",
        },
        recovery: Recovery::UntilAllAcked,
        kernel: Some(KernelControl::Reno),
        after_loss: AfterLoss::Half,
    },
    Variety {
        about: LawAbout {
            name: "sack",
            summary: "The receiver tells what arrived, so exactly what is missing is sent again",
            source: "RFC 2018, RFC 6675",
        },
        recovery: Recovery::Scoreboard,
        kernel: Some(KernelControl::Reno),
        after_loss: AfterLoss::Half,
    },
];

/// The window of one sender.
#[derive(Clone, Debug)]
pub struct Law<const VARIETY: usize> {
    window: Window,
}

/// Slow start again after every loss.
pub type Tahoe = Law<TAHOE>;
/// Half the window after a loss, until the next acknowledgement.
pub type Reno = Law<RENO>;
/// Half the window after a loss, until all is acknowledged.
pub type NewReno = Law<NEWRENO>;
/// The same by the receiver's blocks.
pub type Sack = Law<SACK>;

impl<const VARIETY: usize> CongestionControl for Law<VARIETY> {
    type Params = LossParams;

    const ABOUT: LawAbout = VARIETIES[VARIETY].about;
    const RECOVERY: Recovery = VARIETIES[VARIETY].recovery;
    const KERNEL: Option<KernelControl> = VARIETIES[VARIETY].kernel;

    fn limited_transmit(params: &LossParams) -> bool {
        params.limited_transmit
    }

    fn new(_params: &LossParams, start: &StartWindow) -> Self {
        Self { window: Window::new(start) }
    }

    #[inline]
    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    #[inline]
    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    #[inline]
    fn on_ack(&mut self, acked: &Acked) {
        self.window.grow(acked);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.window.halve(congestion);
        // A mark loses nothing, so there is nothing to start again from.
        if VARIETIES[VARIETY].after_loss == AfterLoss::One && !congestion.marked {
            self.window.cwnd = 1.0;
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.window.restart(timeout);
    }
}
