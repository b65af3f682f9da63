//! Kinds of parameters that the laws of a packet ring have in common.
//!
//! A value out of range cannot be made, so no law need fear one.

use crate::ranged::{OutOfRange, ranged_number};
use fairwire_core::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How often something is done, or how long something takes: a microsecond to ten seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Span", into = "Span")]
pub struct Interval(Span);

impl Interval {
    const LEAST: Span = Span::from_micros(1);
    const MOST: Span = Span::from_millis(10_000);

    /// `span`, brought into range.
    pub const fn clamped(span: Span) -> Self {
        let ns = span.as_nanos();
        if ns < Self::LEAST.as_nanos() {
            Self(Self::LEAST)
        } else if ns > Self::MOST.as_nanos() {
            Self(Self::MOST)
        } else {
            Self(span)
        }
    }

    /// `us` microseconds, brought into range.
    pub const fn micros(us: u64) -> Self {
        Self::clamped(Span::from_micros(us))
    }

    /// The time.
    pub const fn span(self) -> Span {
        self.0
    }
}

impl TryFrom<Span> for Interval {
    type Error = OutOfRange;
    fn try_from(span: Span) -> Result<Self, OutOfRange> {
        if (Self::LEAST..=Self::MOST).contains(&span) {
            return Ok(Self(span));
        }
        let [least, most, got] = [Self::LEAST, Self::MOST, span].map(Span::to_text);
        Err(OutOfRange { what: "an interval", least, most, got })
    }
}

impl From<Interval> for Span {
    fn from(interval: Interval) -> Self {
        interval.0
    }
}

impl JsonSchema for Interval {
    fn schema_name() -> Cow<'static, str> {
        Span::schema_name()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Span::json_schema(generator)
    }
}

ranged_number! {
    /// One part in so many: what is new weighs 1/coefficient, what is missing grows
    /// by 1/coefficient.
    Coefficient(u32 = "u32") "a coefficient" 1..=65_536
}

ranged_number! {
    /// A part of something, above none and up to all of it.
    Fraction(f64 = "f64") "a fraction" 0.001..=1.0
}

impl Coefficient {
    /// The number.
    pub const fn get(self) -> f64 {
        self.0 as f64
    }

    /// The number, to count with.
    pub const fn count(self) -> u32 {
        self.0
    }
}

impl Fraction {
    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// In what unit a fairness frame tells a rate in its sixteen bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// Bytes in an aging interval over a power of two, as the standard does: 10 kb/s
    /// at 622 Mb/s and 100 us.
    #[default]
    Standard,
    /// The fastest link of the ring in 65534 equal steps, the finest there can be.
    FullScale,
}

/// When a station takes upstream stations for contributing to what is congested
/// downstream of it, and passes the advertisement on to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Contributes {
    /// When it forwarded fairness-eligible traffic bound beyond the head in the
    /// last aging interval.
    Forwards,
    /// When its filtered forward rate is above the advertised rate.
    ForwardRate,
    /// When its filtered forward rate of traffic bound beyond the head is above
    /// what it may add itself for there.
    ForwardRateBeyond,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, from_value, json, to_value};

    fn said<T: serde::de::DeserializeOwned + std::fmt::Debug>(value: Value) -> String {
        from_value::<T>(value).unwrap_err().to_string()
    }

    #[test]
    fn values_out_of_range_are_refused_with_the_range() {
        assert_eq!(said::<Interval>(json!("0 s")), "an interval is 1 us to 10 s, not 0 ns");
        assert_eq!(said::<Interval>(json!("11 s")), "an interval is 1 us to 10 s, not 11 s");
        assert_eq!(said::<Coefficient>(json!(0)), "a coefficient is 1 to 65536, not 0");
        assert_eq!(said::<Fraction>(json!(1.5)), "a fraction is 0.001 to 1, not 1.5");
        assert_eq!(said::<Fraction>(json!(0)), "a fraction is 0.001 to 1, not 0");
        assert!(from_value::<Interval>(json!("5")).is_err() && from_value::<Coefficient>(json!(-1)).is_err());
    }

    #[test]
    fn values_in_range_survive() {
        assert_eq!(to_value(from_value::<Interval>(json!("0.1 ms")).unwrap()).unwrap(), json!("100 us"));
        assert_eq!(to_value(from_value::<Coefficient>(json!(64)).unwrap()).unwrap(), json!(64));
        assert_eq!(to_value(from_value::<Fraction>(json!(0.25)).unwrap()).unwrap(), json!(0.25));
    }

    #[test]
    fn clamping_takes_anything() {
        assert_eq!(Interval::clamped(Span::ZERO).span(), Span::from_micros(1));
        assert_eq!(Interval::clamped(Span::from_nanos(u64::MAX)).span(), Span::from_millis(10_000));
        assert_eq!(Coefficient::clamped(0).count(), 1);
        assert_eq!(Fraction::clamped(f64::NAN).get(), 0.001);
        assert_eq!(Fraction::clamped(7.0).get(), 1.0);
    }

    #[test]
    fn the_schema_tells_the_range() {
        let schema = schemars::schema_for!(Coefficient).to_value();
        assert_eq!((&schema["minimum"], &schema["maximum"]), (&json!(1), &json!(65_536)));
    }
}
