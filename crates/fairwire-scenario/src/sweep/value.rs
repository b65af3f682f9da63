//! What the values of an axis are, as numbers and as text.

use crate::reading::document::{Node, Value};
use fairwire_core::{BitRate, Bytes, Span};

/// The unit of an axis: what all of its values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisUnit {
    /// Words, tables, or values of several kinds.
    Text,
    /// Whole numbers.
    Whole,
    /// Numbers.
    Number,
    /// Times, in ns.
    Time,
    /// Bit rates, in bit/s.
    Rate,
    /// Sizes, in bytes.
    Size,
    /// Numbers of packets.
    Packets,
    /// Parts of a whole, written as percentages.
    Fraction,
}

impl AxisUnit {
    /// What all values have in common.
    pub(crate) fn of<'a>(values: impl IntoIterator<Item = &'a Node>) -> Self {
        let mut units = values.into_iter().map(Self::of_one);
        let Some(first) = units.next() else { return Self::Text };
        units.fold(first, |all, unit| match (all, unit) {
            (all, unit) if all == unit => all,
            (Self::Whole | Self::Number, Self::Whole | Self::Number) => Self::Number,
            _ => Self::Text,
        })
    }

    fn of_one(node: &Node) -> Self {
        match &node.value {
            Value::Integer(_) => Self::Whole,
            Value::Float(_) => Self::Number,
            Value::Text(text) => Self::of_text(text),
            _ => Self::Text,
        }
    }

    fn of_text(text: &str) -> Self {
        let quantities = [Self::Time, Self::Rate, Self::Size, Self::Packets, Self::Fraction];
        quantities.into_iter().find(|unit| unit.read(text).is_some()).unwrap_or(Self::Text)
    }

    /// A value as a number in the base unit: ns, bit/s, bytes, packets, a part of one. None if it is none.
    pub fn read(self, label: &str) -> Option<f64> {
        let before = |end: &str| label.trim().strip_suffix(end)?.trim().replace('_', "").parse::<f64>().ok();
        match self {
            Self::Text => None,
            Self::Whole | Self::Number => label.replace('_', "").parse().ok(),
            Self::Time => label.parse::<Span>().ok().map(|span| span.as_nanos() as f64),
            Self::Rate => label.parse::<BitRate>().ok().map(BitRate::as_bps_f64),
            Self::Size => label.parse::<Bytes>().ok().map(|bytes| bytes.get() as f64),
            Self::Packets => before("packets").or_else(|| before("packet")),
            Self::Fraction => before("%").map(|percent| percent / 100.0),
        }
    }

    /// A number in the base unit as the value of a key.
    pub(crate) fn write(self, number: f64) -> Value {
        let whole = number.round().max(0.0) as u64;
        match self {
            Self::Text | Self::Number => Value::Float(number),
            Self::Whole => Value::Integer(number.round() as i64),
            Self::Time => Value::Text(Span::from_nanos(whole).to_text()),
            Self::Rate => Value::Text(BitRate::from_bps(whole).to_text()),
            Self::Size => Value::Text(Bytes::new(whole).to_text()),
            Self::Packets => Value::Text(format!("{whole} packets")),
            // A percentage of few digits stays one of few digits.
            Self::Fraction => Value::Text(format!("{} %", (number * 1e12).round() / 1e10)),
        }
    }

    /// What columns of this unit end with: `_ns`, `_bps`, `_bytes`, `_packets`; nothing for plain numbers and text.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Text | Self::Whole | Self::Number | Self::Fraction => "",
            Self::Time => "_ns",
            Self::Rate => "_bps",
            Self::Size => "_bytes",
            Self::Packets => "_packets",
        }
    }

    /// The unit as columns of all tables name it: `ns`, `bit/s`, `bytes`, `packets`, `1`; nothing for text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "",
            Self::Whole | Self::Number | Self::Fraction => "1",
            Self::Time => "ns",
            Self::Rate => "bit/s",
            Self::Size => "bytes",
            Self::Packets => "packets",
        }
    }

    /// Whether its values can be laid out along a scale.
    pub fn is_number(self) -> bool {
        self != Self::Text
    }

    /// The unit whose columns end so, and the name without the end.
    pub(crate) fn of_column(name: &str) -> (Option<Self>, &str) {
        let known = [Self::Time, Self::Rate, Self::Size, Self::Packets];
        let found = known.into_iter().find_map(|unit| Some((unit, name.strip_suffix(unit.suffix())?)));
        found.map_or((None, name), |(unit, key)| (Some(unit), key))
    }
}

/// What a value is called in tables: text without its quotes.
pub(crate) fn label(value: &Node) -> String {
    match &value.value {
        Value::Text(text) => text.clone(),
        _ => value.to_inline_toml(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Node {
        Node { value: Value::Text(text.to_owned()), span: 0..0 }
    }

    #[test]
    fn the_unit_is_what_all_values_have_in_common() {
        let whole = Node { value: Value::Integer(2), span: 0..0 };
        let real = Node { value: Value::Float(0.5), span: 0..0 };
        assert_eq!(AxisUnit::of([&text("1 ms"), &text("2 s")]), AxisUnit::Time);
        assert_eq!(AxisUnit::of([&text("1 ms"), &text("2 Mb/s")]), AxisUnit::Text);
        assert_eq!(AxisUnit::of([&text("5 %")]), AxisUnit::Fraction);
        assert_eq!(AxisUnit::of([&text("1 packet"), &text("8 packets")]), AxisUnit::Packets);
        assert_eq!(AxisUnit::of([&whole, &real]), AxisUnit::Number);
        assert_eq!(AxisUnit::of([&whole, &text("dvsr")]), AxisUnit::Text);
        assert_eq!(AxisUnit::of([]), AxisUnit::Text);
    }

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for (unit, number) in [
            (AxisUnit::Time, 50_000.0),
            (AxisUnit::Rate, 622e6),
            (AxisUnit::Size, 200_000.0),
            (AxisUnit::Packets, 64.0),
            (AxisUnit::Fraction, 0.07),
            (AxisUnit::Whole, 7.0),
            (AxisUnit::Number, 0.1),
        ] {
            let node = Node { value: unit.write(number), span: 0..0 };
            assert_eq!(unit.read(&label(&node)), Some(number), "{unit:?}");
        }
    }
}
