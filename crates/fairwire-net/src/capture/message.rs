//! Control messages in frames of their own.
//!
//! | bytes | what stands there |
//! | --- | --- |
//! | 0–5, 6–11 | where the link ends and where it begins: `02:00:00:00` and the number of the station or node |
//! | 12–13 | ethertype 0x88B5 (local experiments, IEEE 802) |
//! | 14 | version of this header: 1, or 2 where rates are in the ring's own unit |
//! | 15 | format of the message, as [`fairwire_laws::format::MessageFormat::code`] numbers them; 0 for one that nobody has described |
//! | 16–17 | bytes of the message, which are all that the link carried |
//! | 18–21 | flow that it belongs to, by its place in the scenario; all ones for none |
//! | 22–29 | capacity of the link in bit/s |
//! | 30–37, 38–45 | only in version 2: that unit in bit/s, and the weight of the station that the link goes to, as IEEE doubles |
//! | 30… or 46… | the message as it went over the link |
//!
//! Numbers stand with the high byte first. So a control message appears 30 or 46 bytes larger than it was.

use super::links::CaptureLink;
use super::units::RateUnit;
use fairwire_core::StationId;
use fairwire_laws::frame::Address;

/// Ethertype of captured control messages.
pub const MESSAGE_ETHERTYPE: u16 = 0x88B5;
/// Bytes in front of a message.
pub const MESSAGE_HEADER_BYTES: usize = 30;
/// So many more where a unit is told.
pub const MESSAGE_UNIT_BYTES: usize = 16;
const VERSION: u8 = 1;
const VERSION_WITH_UNIT: u8 = 2;
const NO_FLOW: u32 = u32::MAX;

/// The frame of a message that `link` carried, with the unit of its rates if they have one.
pub fn frame(link: &CaptureLink, code: u8, flow: Option<usize>, unit: Option<RateUnit>, message: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(MESSAGE_HEADER_BYTES + MESSAGE_UNIT_BYTES + message.len());
    let [from, to] = link.ends.map(|end| Address::of(StationId(end as u16)));
    frame.extend(to.0);
    frame.extend(from.0);
    frame.extend(MESSAGE_ETHERTYPE.to_be_bytes());
    frame.extend([if unit.is_some() { VERSION_WITH_UNIT } else { VERSION }, code]);
    frame.extend((message.len() as u16).to_be_bytes());
    frame.extend(flow.map_or(NO_FLOW, |flow| flow as u32).to_be_bytes());
    frame.extend(link.capacity.as_bps().to_be_bytes());
    if let Some(RateUnit { step_bps, weight }) = unit {
        frame.extend(step_bps.to_be_bytes());
        frame.extend(weight.to_be_bytes());
    }
    frame.extend(message);
    frame
}
