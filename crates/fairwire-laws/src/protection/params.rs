//! Timers and modes.

use super::ProtectionMode;
use fairwire_core::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a scenario may set. Defaults and ranges are those of the standard's MIB
/// unless the field says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// How traffic avoids a span that is out of use.
    pub mode: ProtectionMode,
    /// A span on which nothing was heard for so long is dead; from "2 ms" to "50 ms".
    pub keepalive_timeout: Span,
    /// How often the station says that it lives. Ours; below the timeout.
    pub keepalive_interval: Span,
    /// How long a failure must last before it counts; up to "500 ms".
    pub hold_off: Span,
    /// Whether a span that has recovered is used again by itself.
    pub revertive: bool,
    /// How long it must be well before that; up to "1440 s".
    pub wait_to_restore: Span,
    /// Between topology frames after a change; from "1 ms" to "20 ms".
    pub fast_timer: Span,
    /// Between topology frames when all is quiet; from "50 ms" to "10 s".
    pub slow_timer: Span,
    /// Between attribute frames; from "50 ms" to "10 s".
    pub attribute_timer: Span,
    /// How long the topology must stand before strict order is kept again; up to
    /// "100 ms". Ours; above a lap of the ring, or frames may overtake each other.
    pub stability: Span,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            mode: ProtectionMode::Steer,
            keepalive_timeout: Span::from_millis(3),
            keepalive_interval: Span::from_millis(1),
            hold_off: Span::ZERO,
            revertive: true,
            wait_to_restore: Span::from_millis(10_000),
            fast_timer: Span::from_millis(10),
            slow_timer: Span::from_millis(1_000),
            attribute_timer: Span::from_millis(1_000),
            stability: Span::from_millis(10),
        }
    }
}

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` goes from {least} to {most}, not {given}")]
pub struct OutOfRange {
    /// Its name in a scenario.
    pub key: &'static str,
    /// The least it may be.
    pub least: Span,
    /// The most it may be.
    pub most: Span,
    /// What it is.
    pub given: Span,
}

impl Params {
    /// Finds the first parameter outside its range.
    ///
    /// # Errors
    /// [`OutOfRange`] with its name and range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        let ms = Span::from_millis;
        let us = Span::from_micros;
        let ranges = [
            ("keepalive-timeout", self.keepalive_timeout, ms(2), ms(50)),
            ("keepalive-interval", self.keepalive_interval, us(1), self.keepalive_timeout - us(1)),
            ("hold-off", self.hold_off, ms(0), ms(500)),
            ("wait-to-restore", self.wait_to_restore, ms(0), ms(1_440_000)),
            ("fast-timer", self.fast_timer, ms(1), ms(20)),
            ("slow-timer", self.slow_timer, ms(50), ms(10_000)),
            ("attribute-timer", self.attribute_timer, ms(50), ms(10_000)),
            ("stability", self.stability, ms(0), ms(100)),
        ];
        let out = ranges.into_iter().find(|(_, given, least, most)| given < least || given > most);
        out.map_or(Ok(()), |(key, given, least, most)| Err(OutOfRange { key, least, most, given }))
    }

    /// A station not heard of for so long is forgotten: three topology frames lost, and some way to go. Ours.
    pub(super) fn lifetime(&self) -> Span {
        self.slow_timer * 3 + self.slow_timer
    }
}
