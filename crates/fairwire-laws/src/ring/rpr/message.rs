//! What stations of a packet ring say to each other about rates and delays.

use super::FairnessFrame;
use crate::format::MessageFormat;
use crate::frame::{ControlFrame, FORMAT, FrameType, peek_type};
use crate::{MessageError, PackedMessage, WireMessage};
use fairwire_core::Ringlet;

/// A fairness frame, or a control frame that measures delays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Tells a rate.
    Fairness(FairnessFrame),
    /// Asks for, answers or makes visible a delay. Rare, so that a message is no larger than a pointer for its sake.
    Control(Box<ControlFrame>),
}

impl Message {
    /// The ringlet that the frame was first sent on.
    pub const fn ringlet(&self) -> Ringlet {
        match self {
            Self::Fairness(frame) => frame.ringlet(),
            Self::Control(frame) => frame.header().base.ringlet,
        }
    }
}

impl WireMessage for Message {
    const FORMATS: &'static [&'static MessageFormat] = &[&FORMAT];

    fn parse(bytes: Vec<u8>) -> Result<Self, MessageError> {
        match peek_type(&bytes) {
            Some(FrameType::Control) => ControlFrame::parse(bytes).map(|frame| Self::Control(Box::new(frame))),
            _ => FairnessFrame::parse(bytes).map(Self::Fairness),
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Fairness(frame) => frame.into_bytes(),
            Self::Control(frame) => frame.into_bytes(),
        }
    }

    #[inline]
    fn wire_bytes(&self) -> usize {
        match self {
            Self::Fairness(frame) => frame.wire_bytes(),
            Self::Control(frame) => frame.wire_bytes(),
        }
    }

    #[inline(always)]
    fn pack(self) -> PackedMessage {
        match self {
            Self::Fairness(frame) => frame.pack(),
            Self::Control(frame) => PackedMessage::Bytes(frame.into_bytes().into_boxed_slice()),
        }
    }

    #[inline(always)]
    fn unpack(packed: PackedMessage) -> Result<Self, MessageError> {
        match packed {
            PackedMessage::Words { .. } => FairnessFrame::unpack(packed).map(Self::Fairness),
            PackedMessage::Bytes(bytes) => Self::parse(bytes.into_vec()),
        }
    }
}
