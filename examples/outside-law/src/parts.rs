//! The message of the law: what one station may send on each of the links from the sender on.

use fairwire_laws::{MessageError, WireMessage};

/// Rates in bit/s: of the sender's link, of the next one downstream, and so on; eight bytes each.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts(pub Vec<u64>);

impl WireMessage for Parts {
    fn parse(bytes: Vec<u8>) -> Result<Self, MessageError> {
        let (rates, rest) = bytes.as_chunks::<8>();
        if rest.is_empty() {
            Ok(Self(rates.iter().copied().map(u64::from_be_bytes).collect()))
        } else {
            Err(MessageError::Length { got: bytes.len(), expected: 8 * rates.len() })
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        self.0.into_iter().flat_map(u64::to_be_bytes).collect()
    }

    fn wire_bytes(&self) -> usize {
        8 * self.0.len()
    }
}
