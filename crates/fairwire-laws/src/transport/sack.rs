//! SACK: the receiver tells which runs arrived beyond the first missing segment. The
//! sender knows from it which segments are lost and how many are in the network, and
//! keeps as many there as its window allows, missing ones first.

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
        name: "sack",
        summary: "The receiver tells what arrived, so exactly what is missing is sent again",
        source: "RFC 2018, RFC 6675",
    };
    const RECOVERY: Recovery = Recovery::Scoreboard;

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
