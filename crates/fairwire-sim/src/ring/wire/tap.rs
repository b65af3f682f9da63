//! What was put on a wire, kept for those who look at it.

use super::frame::Frame;
use super::packet::Packet;
use fairwire_laws::PackedMessage;

/// What was put on a wire.
#[derive(Clone, Debug)]
pub enum Sent {
    Packet(Packet),
    Message(PackedMessage),
    Protection(Vec<u8>),
}

impl Sent {
    /// The same as a control frame.
    pub fn frame(frame: &Frame) -> Self {
        match frame {
            Frame::Law(message) | Frame::Advice(message) | Frame::Addressed { message, .. } => {
                Self::Message(message.clone())
            }
            Frame::Protection(bytes) => Self::Protection(bytes.clone()),
        }
    }
}

/// All that a link began to send since somebody last looked, and when.
#[derive(Debug, Default)]
pub struct Tap(Vec<(u64, Sent)>);

impl Tap {
    pub fn see(&mut self, sent_at: u64, sent: Sent) {
        self.0.push((sent_at, sent));
    }

    pub fn take(&mut self) -> Vec<(u64, Sent)> {
        std::mem::take(&mut self.0)
    }
}
