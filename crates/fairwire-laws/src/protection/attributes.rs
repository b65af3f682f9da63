//! The attribute discovery frame (ATD): what a station is.
//!
//! The payload is a row of attributes, each with a type in two bytes, a length in
//! two bytes and a value:
//!
//! | type | value |
//! | --- | --- |
//! | 1 | weights on ringlet 0 and 1, one byte each, from 1 |
//! | 2 | settings, one byte: 1 if the station wraps, 0 if it only steers |
//!
//! Attributes of other types are passed over. That there are such attributes is
//! public; their numbers and shapes are our reading.

use crate::MessageError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const WEIGHTS: u16 = 1;
const SETTINGS: u16 = 2;
const HEAD_BYTES: usize = 4;

/// How traffic avoids a span that is out of use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProtectionMode {
    /// Every source takes the ringlet that still reaches the destination.
    #[default]
    Steer,
    /// The two stations at the span loop its traffic to the other ringlet, if
    /// every station on the ring wraps; otherwise all steer.
    Wrap,
}

/// What a station is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Its weight on each ringlet, from 1.
    pub weights: [u8; 2],
    /// How it avoids a span that is out of use.
    pub mode: ProtectionMode,
}

impl Default for Attributes {
    fn default() -> Self {
        Self { weights: [1, 1], mode: ProtectionMode::Steer }
    }
}

impl Attributes {
    /// The payload of its frame.
    pub fn payload(&self) -> Vec<u8> {
        let [zero, one] = self.weights;
        let head = |kind: u16, length: u16| [kind.to_be_bytes(), length.to_be_bytes()].concat();
        [head(WEIGHTS, 2), vec![zero, one], head(SETTINGS, 1), vec![(self.mode == ProtectionMode::Wrap).into()]]
            .concat()
    }

    /// Reads the payload of a frame; what is not told is as by default.
    ///
    /// # Errors
    /// [`MessageError`] if an attribute is cut off or has no meaning.
    pub fn parse(mut payload: &[u8]) -> Result<Self, MessageError> {
        let mut attributes = Self::default();
        while let Some((&[k0, k1, l0, l1], rest)) = payload.split_first_chunk::<HEAD_BYTES>() {
            let (kind, length) = (u16::from_be_bytes([k0, k1]), usize::from(u16::from_be_bytes([l0, l1])));
            let Some((value, rest)) = rest.split_at_checked(length) else {
                return Err(MessageError::Length { got: rest.len(), expected: length });
            };
            attributes.read(kind, value)?;
            payload = rest;
        }
        if payload.is_empty() {
            Ok(attributes)
        } else {
            Err(MessageError::Length { got: payload.len(), expected: HEAD_BYTES })
        }
    }

    fn read(&mut self, kind: u16, value: &[u8]) -> Result<(), MessageError> {
        match (kind, value) {
            (WEIGHTS, &[zero, one]) if zero > 0 && one > 0 => self.weights = [zero, one],
            (WEIGHTS, &[_, _]) => return Err(MessageError::Field { field: "weight", value: 0 }),
            (WEIGHTS, _) => return Err(MessageError::Length { got: value.len(), expected: 2 }),
            (SETTINGS, [0]) => self.mode = ProtectionMode::Steer,
            (SETTINGS, [1]) => self.mode = ProtectionMode::Wrap,
            (SETTINGS, &[other]) => return Err(MessageError::Field { field: "settings", value: other.into() }),
            (SETTINGS, _) => return Err(MessageError::Length { got: value.len(), expected: 1 }),
            _ => {}
        }
        Ok(())
    }
}
