//! NewReno: Reno whose recovery ends only when all is acknowledged that had been sent when it began.
//! In between each acknowledgement of a part tells of one segment more that is lost.

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
        name: "newreno",
        summary: "Reno that stays in recovery until all is acknowledged that was sent before it",
        source: "RFC 6582",
    };
    const RECOVERY: Recovery = Recovery::UntilAllAcked;

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
