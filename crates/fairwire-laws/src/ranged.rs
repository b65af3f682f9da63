//! Parameters that cannot be out of range.

/// A value that a parameter cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is {least} to {most}, not {got}")]
pub struct OutOfRange {
    pub(crate) what: &'static str,
    pub(crate) least: String,
    pub(crate) most: String,
    pub(crate) got: String,
}

/// A number between two bounds, which are told where one is out of range, and in the schema.
macro_rules! ranged_number {
    ($(#[$doc:meta])* $name:ident($type:ty = $text:literal) $what:literal $least:literal ..= $most:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = $text, into = $text)]
        pub struct $name($type);

        impl $name {
            /// `value`, brought into range.
            pub const fn clamped(value: $type) -> Self {
                // Written so that not-a-number gives the least.
                if value > $most { Self($most) } else if value >= $least { Self(value) } else { Self($least) }
            }
        }

        impl TryFrom<$type> for $name {
            type Error = $crate::ranged::OutOfRange;
            fn try_from(value: $type) -> Result<Self, $crate::ranged::OutOfRange> {
                if ($least..=$most).contains(&value) {
                    return Ok(Self(value));
                }
                let [least, most, got] = [$least, $most, value].map(|value| value.to_string());
                Err($crate::ranged::OutOfRange { what: $what, least, most, got })
            }
        }

        impl From<$name> for $type {
            fn from(number: $name) -> Self {
                number.0
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut schema = <$type as schemars::JsonSchema>::json_schema(generator);
                schema.insert("minimum".to_owned(), $least.into());
                schema.insert("maximum".to_owned(), $most.into());
                schema
            }
        }
    };
}

pub(crate) use ranged_number;
