//! Tahoe: three duplicates resend the segment at once, but every loss starts slowly
//! again from one segment, and all that follows it is sent again.

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
        name: "tahoe",
        summary: "Slow start again after every loss",
        source: "Jacobson, Congestion Avoidance and Control (1988); RFC 5681 §3.1",
    };
    const RECOVERY: Recovery = Recovery::SlowStart;

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
        // A mark loses nothing, so there is nothing to start again from.
        self.window.halve(congestion);
        if !congestion.marked {
            self.window.congestion = 1.0;
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.window.restart(timeout);
    }
}
