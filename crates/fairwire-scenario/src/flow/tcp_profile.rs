//! `profile`: how TCP is set where a scenario says nothing.

use crate::reading::diagnostic::Reported;
use crate::reading::table::Field;
use fairwire_core::{Bytes, Span};
use fairwire_laws::transport::{ControlChoice, LossParams, cubic};

/// A set of usual settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Profile {
    /// As hosts of today are set.
    #[default]
    Deployed,
    /// As the papers' simulations with ns-2 were.
    Ns2,
}

/// Their names, the usual one first.
pub(crate) const PROFILES: &[(&str, Profile)] = &[("deployed", Profile::Deployed), ("ns-2", Profile::Ns2)];

/// What settings are where a scenario says nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usual {
    pub control: ControlChoice,
    pub segment: Bytes,
    pub ack: Bytes,
    pub receive_window: u32,
    pub initial_window: u32,
    pub min_timeout: Span,
    pub granularity: Span,
    pub delayed_ack: Span,
}

/// The largest window that window scaling can tell, 1 GiB (RFC 7323 §2.3), in segments of 1500 bytes.
const LARGEST_WINDOW: u32 = (1 << 30) / 1_500;

impl Profile {
    /// Reads the name of one.
    pub(crate) fn read(field: &Field<'_>) -> Result<Self, Reported> {
        field.word(PROFILES)
    }
}

impl Usual {
    /// Those of a profile.
    pub(crate) fn of(profile: Profile) -> Self {
        match profile {
            Profile::Deployed => Self {
                control: ControlChoice::cubic(cubic::Params::default()),
                segment: Bytes::new(1_500),
                // Headers of IP and TCP with time stamps.
                ack: Bytes::new(52),
                // As with auto-tuning: the application reads at once, and the window does not bind.
                receive_window: LARGEST_WINDOW,
                // RFC 6928.
                initial_window: 10,
                min_timeout: Span::from_millis(200),
                granularity: Span::from_millis(1),
                delayed_ack: Span::from_millis(40),
            },
            Profile::Ns2 => Self {
                control: ControlChoice::reno(LossParams::default()),
                segment: Bytes::new(1_000),
                ack: Bytes::new(40),
                receive_window: 64,
                initial_window: 2,
                min_timeout: Span::from_millis(200),
                granularity: Span::from_millis(10),
                delayed_ack: Span::ZERO,
            },
        }
    }
}
