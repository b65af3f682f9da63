//! What all control packets of rate laws have in common on the wire.

/// Makes a type a control packet. It has the fields `backward` and `last`; `$read` finds it in bytes, `$write` puts it
/// into an empty buffer, `$length` is how many bytes it takes, and `$format` how they are
/// laid out.
macro_rules! control_packet {
    ($message:ty, format: $format:expr, read: $read:path, write: $write:path, length: $length:expr) => {
        impl crate::WireMessage for $message {
            const FORMATS: &'static [&'static crate::format::MessageFormat] = &[&$format];

            fn parse(bytes: Vec<u8>) -> Result<Self, crate::MessageError> {
                $read(&bytes)
            }

            fn into_bytes(self) -> Vec<u8> {
                let mut bytes = Vec::with_capacity(self.wire_bytes());
                $write(&self, &mut bytes);
                bytes
            }

            fn wire_bytes(&self) -> usize {
                let length: fn(&Self) -> usize = $length;
                length(self)
            }
        }

        impl crate::rate::RateMessage for $message {
            fn is_backward(&self) -> bool {
                self.backward
            }

            fn set_backward(&mut self) {
                self.backward = true;
            }

            fn read(bytes: &[u8]) -> Result<Self, crate::rate::Refusal> {
                Ok($read(bytes)?)
            }

            fn write(&self, bytes: &mut Vec<u8>) {
                bytes.clear();
                $write(self, bytes);
            }
        }
    };
}

pub(super) use control_packet;
