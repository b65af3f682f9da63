//! Control messages in frames of their own.
//!
//! | bytes | what stands there |
//! | --- | --- |
//! | 0–5, 6–11 | where the link ends and where it begins: `02:00:00:00` and the number of the station or node |
//! | 12–13 | ethertype 0x88B5 (local experiments, IEEE 802) |
//! | 14 | version of this header, 1 |
//! | 15 | format of the message, as [`fairwire_laws::format::MessageFormat::code`] numbers them; 0 for one that nobody has described |
//! | 16–17 | bytes of the message, which are all that the link carried |
//! | 18–21 | flow that it belongs to, by its place in the scenario; all ones for none |
//! | 22–29 | capacity of the link in bit/s |
//! | 30… | the message as it went over the link |
//!
//! Numbers stand with the high byte first. So a control message appears 30 bytes larger than it was.

use super::links::CaptureLink;
use fairwire_core::StationId;
use fairwire_laws::frame::Address;

/// Ethertype of captured control messages.
pub const MESSAGE_ETHERTYPE: u16 = 0x88B5;
/// Bytes in front of a message.
pub const MESSAGE_HEADER_BYTES: usize = 30;
const VERSION: u8 = 1;
const NO_FLOW: u32 = u32::MAX;

/// The frame of a message that `link` carried.
pub fn frame(link: &CaptureLink, code: u8, flow: Option<usize>, message: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(MESSAGE_HEADER_BYTES + message.len());
    let [from, to] = link.ends.map(|end| Address::of(StationId(end as u16)));
    frame.extend(to.0);
    frame.extend(from.0);
    frame.extend(MESSAGE_ETHERTYPE.to_be_bytes());
    frame.extend([VERSION, code]);
    frame.extend((message.len() as u16).to_be_bytes());
    frame.extend(flow.map_or(NO_FLOW, |flow| flow as u32).to_be_bytes());
    frame.extend(link.capacity.as_bps().to_be_bytes());
    frame.extend(message);
    frame
}
