//! The second byte of every frame.

use fairwire_core::Ringlet;

/// What kind of frame it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameType {
    /// Fills the wire.
    Idle = 0,
    /// Topology, protection, attributes, delays.
    Control = 1,
    /// Rates.
    Fairness = 2,
    /// Data.
    Data = 3,
}

/// How it is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceClass {
    /// No guarantee.
    C = 0,
    /// A committed rate with bounded delay, and excess.
    B = 1,
    /// A rate with little jitter that others may reclaim.
    A1 = 2,
    /// A rate with little jitter, reserved around the ring.
    A0 = 3,
}

/// Ringlet, fairness, type and class of a frame.
///
/// | bit, highest first | field |
/// | --- | --- |
/// | 0 | ri: the ringlet it was first sent on |
/// | 1 | fe: fairness eligible |
/// | 2–3 | ft: frame type |
/// | 4–5 | sc: service class |
/// | 6 | we: may be wrapped |
/// | 7 | p: makes ttl and this byte odd, in frames without a HEC; else zero |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaseControl {
    /// The ringlet the frame was first sent on.
    pub ringlet: Ringlet,
    /// Whether the frame counts towards a fair rate.
    pub fairness_eligible: bool,
    /// What kind of frame it is.
    pub frame_type: FrameType,
    /// How it is served.
    pub class: ServiceClass,
    /// Whether an edge of the ring may loop it to the other ringlet.
    pub wrap_eligible: bool,
}

impl BaseControl {
    /// A control, fairness or idle frame: class A0, never wrapped.
    pub const fn control(frame_type: FrameType, ringlet: Ringlet) -> Self {
        Self { ringlet, fairness_eligible: false, frame_type, class: ServiceClass::A0, wrap_eligible: false }
    }

    /// The byte, its parity bit zero.
    pub const fn bits(self) -> u8 {
        (self.ringlet.index() as u8) << 7
            | (self.fairness_eligible as u8) << 6
            | (self.frame_type as u8) << 4
            | (self.class as u8) << 2
            | (self.wrap_eligible as u8) << 1
    }

    /// The byte of a frame without a HEC, with the parity bit that goes with `ttl`.
    pub const fn bits_with_parity(self, ttl: u8) -> u8 {
        let bits = self.bits();
        bits | (bits ^ ttl).count_ones().is_multiple_of(2) as u8
    }

    /// What the byte says, whatever its parity bit.
    pub const fn from_bits(byte: u8) -> Self {
        Self {
            ringlet: if byte >> 7 == 0 { Ringlet::Zero } else { Ringlet::One },
            fairness_eligible: byte >> 6 & 1 == 1,
            frame_type: match byte >> 4 & 3 {
                0 => FrameType::Idle,
                1 => FrameType::Control,
                2 => FrameType::Fairness,
                _ => FrameType::Data,
            },
            class: match byte >> 2 & 3 {
                0 => ServiceClass::C,
                1 => ServiceClass::B,
                2 => ServiceClass::A1,
                _ => ServiceClass::A0,
            },
            wrap_eligible: byte >> 1 & 1 == 1,
        }
    }
}
