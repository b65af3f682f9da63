//! Points given one by one: a table from outside the file, a column a key.

use super::value::AxisUnit;
use crate::reading::document::{Node, Value};

/// A value of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A word, or a quantity with its unit.
    Text(String),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// Yes or no.
    Truth(bool),
}

/// A table of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointTable {
    /// What messages call it: the name of its file.
    pub name: String,
    /// Keys and their values, each of one length. A key may end with a unit, as columns of our own tables do: the numbers under
    /// `ring.span-delay_ns` are nanoseconds.
    pub columns: Vec<(String, Vec<Cell>)>,
}

impl Cell {
    /// What a cell of a CSV file holds: a number or truth if it reads as one, else text.
    pub fn of_text(text: &str) -> Self {
        let text = text.trim();
        if let Ok(whole) = text.parse() {
            return Self::Whole(whole);
        }
        match text {
            "true" => Self::Truth(true),
            "false" => Self::Truth(false),
            // Words such as `inf` are no numbers here.
            _ => match text.parse::<f64>().ok().filter(|number| number.is_finite()) {
                Some(number) => Self::Number(number),
                None => Self::Text(text.to_owned()),
            },
        }
    }

    fn value(&self, unit: Option<AxisUnit>) -> Value {
        // What no quantity can be stays as it stands, and is told like any other value that is wrong.
        let quantity = |unit: AxisUnit, number: f64| match number >= 0.0 && number.is_finite() {
            true => unit.write(number),
            false => Value::Text(format!("{number} {}", unit.name())),
        };
        match (self, unit) {
            (Self::Whole(number), Some(unit)) => quantity(unit, *number as f64),
            (Self::Number(number), Some(unit)) => quantity(unit, *number),
            (Self::Text(text), _) => Value::Text(text.clone()),
            (Self::Whole(number), None) => Value::Integer(*number),
            (Self::Number(number), None) => Value::Float(*number),
            (Self::Truth(truth), _) => Value::Boolean(*truth),
        }
    }
}

impl PointTable {
    /// How many points it has.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |(_, cells)| cells.len())
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The keys without their units, and the values as a file would write them.
    pub(crate) fn axes(&self) -> impl Iterator<Item = (String, Vec<Node>)> {
        self.columns.iter().map(|(name, cells)| {
            let (unit, key) = AxisUnit::of_column(name);
            let node = |cell: &Cell| Node { value: cell.value(unit), span: 0..0 };
            (key.to_owned(), cells.iter().map(node).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_as_a_file_would_be() {
        let read = ["7", " 0.5 ", "true", "0.1 ms", "inf", "dvsr"].map(Cell::of_text);
        let text = |text: &str| Cell::Text(text.to_owned());
        let expected =
            [Cell::Whole(7), Cell::Number(0.5), Cell::Truth(true), text("0.1 ms"), text("inf"), text("dvsr")];
        assert_eq!(read, expected);
        let table = PointTable {
            name: "points.csv".to_owned(),
            columns: vec![("ring.span-delay_ns".to_owned(), vec![Cell::Whole(100_000)])],
        };
        let axes: Vec<_> = table.axes().map(|(key, nodes)| (key, nodes[0].to_inline_toml())).collect();
        assert_eq!(axes, [("ring.span-delay".to_owned(), "\"100 us\"".to_owned())]);
        let wrong = [Cell::Whole(-5), Cell::Number(f64::NAN)].map(|cell| cell.value(Some(AxisUnit::Time)));
        assert!(matches!(&wrong, [Value::Text(one), Value::Text(other)] if one == "-5 ns" && other == "NaN ns"));
    }
}
