//! Control frames: a header, a type, a payload.

use super::checksum::{fcs, hec};
use super::{Address, BaseControl, ExtendedControl, FrameType, HEADER_BYTES, Header, MAX_TTL};
use crate::{MessageError, WireMessage};
use fairwire_core::Ringlet;

const VERSION: u8 = 0;
const PAYLOAD_AT: usize = HEADER_BYTES + 2;
const FCS_BYTES: usize = 4;
const MAX_BYTES: usize = 1616;

/// Bytes of a control frame beside its payload.
pub const CONTROL_OVERHEAD_BYTES: usize = PAYLOAD_AT + FCS_BYTES;

/// What a control frame speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlType {
    /// Attributes of a station (ATD).
    Attributes = 1,
    /// Topology and protection (TP).
    Topology = 2,
    /// Checksum of the topology (TC).
    TopologyChecksum = 3,
    /// Asks for the time of a loop (LRTT).
    LoopRoundTripRequest = 4,
    /// Answers it.
    LoopRoundTripResponse = 5,
    /// Difference of delays between classes (FDD).
    FairnessDifferentialDelay = 6,
}

impl ControlType {
    const ALL: [Self; 6] = [
        Self::Attributes,
        Self::Topology,
        Self::TopologyChecksum,
        Self::LoopRoundTripRequest,
        Self::LoopRoundTripResponse,
        Self::FairnessDifferentialDelay,
    ];
}

/// A control frame: its bytes, known to be in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlFrame {
    header: Header,
    kind: ControlType,
    bytes: Vec<u8>,
}

impl ControlFrame {
    /// A frame that starts on `ringlet` at `source`. One to everybody goes all
    /// the way around; `ttl` 1 reaches the next station only.
    pub fn new(
        kind: ControlType,
        ringlet: Ringlet,
        source: Address,
        destination: Address,
        ttl: u8,
        payload: &[u8],
    ) -> Self {
        let base = BaseControl::control(FrameType::Control, ringlet);
        let header = Header { ttl, base, destination, source, ttl_base: ttl, extended: ExtendedControl::default() };
        let mut bytes = Vec::with_capacity(CONTROL_OVERHEAD_BYTES + payload.len());
        bytes.extend(header.bytes());
        bytes.extend([kind as u8, VERSION]);
        bytes.extend(payload);
        let fcs = fcs(&bytes[HEADER_BYTES..]);
        bytes.extend(fcs);
        Self { header, kind, bytes }
    }

    /// A frame to everybody.
    pub fn broadcast(kind: ControlType, ringlet: Ringlet, source: Address, payload: &[u8]) -> Self {
        Self::new(kind, ringlet, source, Address::BROADCAST, MAX_TTL, payload)
    }

    /// Its header.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// What it speaks of.
    pub const fn kind(&self) -> ControlType {
        self.kind
    }

    /// What it says.
    pub fn payload(&self) -> &[u8] {
        &self.bytes[PAYLOAD_AT..self.bytes.len() - FCS_BYTES]
    }

    /// The frame as the next station receives it, unless its hops are used up.
    pub fn forwarded(mut self) -> Option<Self> {
        self.header.ttl -= 1;
        if self.header.ttl == 0 {
            return None;
        }
        self.bytes[0] = self.header.ttl;
        let hec = hec(&self.bytes[..HEADER_BYTES - 2]);
        self.bytes[HEADER_BYTES - 2..HEADER_BYTES].copy_from_slice(&hec);
        Some(self)
    }
}

impl WireMessage for ControlFrame {
    fn parse(bytes: Vec<u8>) -> Result<Self, MessageError> {
        let header = Header::parse(&bytes)?;
        if header.base.frame_type != FrameType::Control {
            return Err(MessageError::Field { field: "ft", value: header.base.frame_type as u64 });
        }
        if !(CONTROL_OVERHEAD_BYTES..=MAX_BYTES).contains(&bytes.len()) {
            let expected = bytes.len().clamp(CONTROL_OVERHEAD_BYTES, MAX_BYTES);
            return Err(MessageError::Length { got: bytes.len(), expected });
        }
        let fcs_at = bytes.len() - FCS_BYTES;
        if bytes[fcs_at..] != fcs(&bytes[HEADER_BYTES..fcs_at]) {
            return Err(MessageError::Checksum { field: "fcs" });
        }
        let [number, version] = [bytes[HEADER_BYTES], bytes[HEADER_BYTES + 1]];
        let kind = ControlType::ALL.into_iter().find(|kind| *kind as u8 == number);
        let kind = kind.ok_or(MessageError::Field { field: "controlType", value: number.into() })?;
        if version != VERSION {
            return Err(MessageError::Field { field: "controlVersion", value: version.into() });
        }
        Ok(Self { header, kind, bytes })
    }

    fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn wire_bytes(&self) -> usize {
        self.bytes.len()
    }
}
