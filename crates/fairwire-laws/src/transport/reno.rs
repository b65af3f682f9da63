//! Reno: three duplicates halve the window instead of closing it, and what leaves the
//! network is replaced by new data until the missing segment is acknowledged.
//!
//! The first acknowledgement of new data ends the recovery, also one that covers only
//! a part of what was sent: several losses in one window need several recoveries, or
//! a timeout.

use super::window::Window;
use super::{Acked, Congestion, CongestionControl, LossParams, Recovery, StartWindow, Timeout};
use crate::LawAbout;

/// What may be set.
pub type Params = LossParams;

/// The window of one sender.
#[derive(Clone, Debug)]
pub struct Law {
    window: Window,
}

impl CongestionControl for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "reno",
        summary: "Half the window after a loss, new data for every duplicate until the next acknowledgement",
        source: "RFC 5681; [vrr-gateway] §III",
    };
    const RECOVERY: Recovery = Recovery::UntilNextAck;

    fn limited_transmit(params: &Params) -> bool {
        params.limited_transmit
    }

    fn new(_params: &Params, start: &StartWindow) -> Self {
        Self { window: Window::new(start) }
    }

    #[inline]
    fn window(&self) -> f64 {
        self.window.congestion
    }

    #[inline]
    fn threshold(&self) -> f64 {
        self.window.threshold
    }

    #[inline]
    fn on_ack(&mut self, acked: &Acked) {
        self.window.grow(acked);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.window.halve(congestion);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.window.restart(timeout);
    }
}
