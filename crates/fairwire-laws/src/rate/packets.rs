//! Numbers of packets, as scenarios write them: `"50 packets"`.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::fmt;

/// A number of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Packets(pub u32);

impl fmt::Display for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, if self.0 == 1 { "packet" } else { "packets" })
    }
}

impl Serialize for Packets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Packets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let number = text.trim().strip_suffix("packets").or_else(|| text.trim().strip_suffix("packet"));
        let number = number.and_then(|number| number.trim().replace('_', "").parse().ok());
        let wrong =
            || de::Error::custom(format!("`{text}` is not a number of packets; write one such as \"50 packets\""));
        number.map(Self).ok_or_else(wrong)
    }
}

impl JsonSchema for Packets {
    fn schema_name() -> Cow<'static, str> {
        "Packets".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "a number of packets, such as \"50 packets\"",
            "pattern": "^ *[0-9][0-9_]* *packets? *$",
        })
    }
}
