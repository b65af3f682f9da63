//! When a conservative station leaves the congested state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What row 4 of Tables II and III compares the local fair rate L with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExitTest {
    /// As printed, `L >= R - beta`, with beta taken for so many bytes in an aging
    /// interval: 5.1 Mb/s for 64 bytes and 100 us.
    BytesPerInterval,
    /// As 802.17 was corrected (maintenance request 0072): `L/W >= R - R/ramp-up`.
    Corrected,
}

/// An exit test with its coefficients.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    /// Which test.
    pub test: ExitTest,
    /// β, subtracted from R where bytes are.
    pub beta: f64,
    /// What part of R is subtracted by the corrected test: one in so many.
    pub ramp_up: f64,
}

impl Exit {
    /// Whether L has come close enough to the whole.
    pub fn passes(&self, rate_bps: f64, weight: f64, unreserved_bps: f64, aging_seconds: f64) -> bool {
        match self.test {
            ExitTest::BytesPerInterval => rate_bps >= unreserved_bps - self.beta * 8.0 / aging_seconds,
            ExitTest::Corrected => rate_bps / weight >= unreserved_bps - unreserved_bps / self.ramp_up,
        }
    }

    /// The largest L: R as printed; where L/W is what counts, that much for each unit
    /// of weight, or a station of a weight above one could never leave.
    pub fn largest(&self, weight: f64, unreserved_bps: f64) -> f64 {
        match self.test {
            ExitTest::BytesPerInterval => unreserved_bps,
            ExitTest::Corrected => weight * unreserved_bps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: Exit = Exit { test: ExitTest::BytesPerInterval, beta: 64.0, ramp_up: 64.0 };
    const CORRECTED: Exit = Exit { test: ExitTest::Corrected, ..PRINTED };

    /// 64 bytes in 100 µs are 5.12 Mb/s; a 64th of 622 Mb/s is 9.72 Mb/s.
    #[test]
    fn the_two_tests_have_their_slack() {
        let passes = |exit: Exit, below: f64| exit.passes(622e6 - below, 1.0, 622e6, 1e-4);
        assert!(passes(PRINTED, 5.12e6) && !passes(PRINTED, 5.13e6));
        assert!(passes(CORRECTED, 9.71e6) && !passes(CORRECTED, 9.72e6));
    }

    #[test]
    fn weights_count_in_the_corrected_one_and_every_station_can_leave() {
        assert!(!CORRECTED.passes(620e6, 2.0, 622e6, 1e-4) && PRINTED.passes(620e6, 2.0, 622e6, 1e-4));
        for exit in [PRINTED, CORRECTED] {
            assert!(exit.passes(exit.largest(2.0, 622e6), 2.0, 622e6, 1e-4));
        }
    }
}
