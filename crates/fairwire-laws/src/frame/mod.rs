//! The pieces that the control frames of a packet ring have in common.
//!
//! | frame | bytes |
//! | --- | --- |
//! | fairness, idle | ttl 1, baseControl 1, source 6, payload 4, FCS 4: 16 in all |
//! | control | ttl 1, baseControl 1, destination 6, source 6, ttlBase 1, extendedControl 1, HEC 2, controlType 1, controlVersion 1, payload, FCS 4 |
//!
//! The fields and their widths are those that public descriptions of IEEE 802.17 give.
//! They leave a few things open, where this is **our reading**, fit for our
//! stations to understand each other and not a promise to understand others:
//!
//! - the order of the bits in `baseControl` and `extendedControl`, and the sense of the
//!   parity bit (odd, over ttl and baseControl);
//! - the numbers of the service classes;
//! - that controlType stands before controlVersion;
//! - both checksums: HEC is CRC-16 with the polynomial x¹⁶+x¹²+x⁵+1, started with ones
//!   and inverted, over everything before it; FCS is the CRC-32 of Ethernet over
//!   everything that no HEC covers, first byte of the CRC in front.
//!
//! Station numbers become locally administered addresses ([`Address`]).

mod address;
mod base_control;
pub(crate) mod checksum;
mod control;
mod format;
mod header;
mod idle;

pub use address::Address;
pub use base_control::{BaseControl, FrameType, ServiceClass};
pub use checksum::{fcs, hec};
pub use control::{CONTROL_OVERHEAD_BYTES, ControlFrame, ControlType};
pub use format::FORMAT;
pub use header::{ExtendedControl, HEADER_BYTES, Header, MAX_TTL, peek_type};
pub use idle::{IDLE_BYTES, IdleFrame};
