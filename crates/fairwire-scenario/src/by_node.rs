//! What is said of stations or nodes one by one: a list of all, or a table of those that differ.

use crate::reading::diagnostic::Reported;
use crate::reading::document::Value;
use crate::reading::quantity::Quantity;
use crate::reading::suggest::nearest;
use crate::reading::table::Field;
use fairwire_core::BitRate;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::Range;

/// What an ingress is promised on every link that its flows cross.
#[derive(Clone, Debug, PartialEq)]
pub struct IngressMinimum {
    /// Bits per second; zero where nothing is promised.
    pub rate: BitRate,
    /// The place in the file.
    pub(crate) span: Range<usize>,
}

impl Serialize for IngressMinimum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rate.serialize(serializer)
    }
}

/// Reads the weights of `names`, in their order; 1 where nothing is said.
pub(crate) fn weights(field: Option<Field<'_>>, names: &[String], what: &str) -> Result<Vec<f64>, Reported> {
    let kind = Kind { of: "weights", items: "numbers", example: "2".to_owned() };
    Ok(read(field, names, what, &kind, |field| field.weight())?.unwrap_or_default().filled(names.len(), 1.0))
}

/// Reads what `names` are promised as ingresses; empty where nobody is promised anything.
pub(crate) fn minimums(
    field: Option<Field<'_>>,
    names: &[String],
    what: &str,
) -> Result<Vec<IngressMinimum>, Reported> {
    let example = format!("\"{}\"", BitRate::example("min-rates"));
    let kind = Kind { of: "min-rates", items: "rates", example };
    let one = |field: &Field<'_>| Ok(IngressMinimum { rate: field.quantity()?, span: field.span() });
    let nothing = IngressMinimum { rate: BitRate::ZERO, span: 0..0 };
    let said = read(field, names, what, &kind, one)?;
    Ok(said.map_or_else(Vec::new, |said| said.filled(names.len(), nothing)))
}

/// How messages speak of a key and its values.
struct Kind {
    of: &'static str,
    items: &'static str,
    example: String,
}

/// What was said, by number.
struct Said<T>(Vec<(usize, T)>);

impl<T> Default for Said<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone> Said<T> {
    fn filled(self, count: usize, otherwise: T) -> Vec<T> {
        let mut all = vec![otherwise; count];
        self.0.into_iter().for_each(|(index, value)| all[index] = value);
        all
    }
}

fn read<T>(
    field: Option<Field<'_>>,
    names: &[String],
    what: &str,
    kind: &Kind,
    read_one: impl Fn(&Field<'_>) -> Result<T, Reported>,
) -> Result<Option<Said<T>>, Reported> {
    let Some(field) = field else { return Ok(None) };
    let Kind { of, items: noun, example } = kind;
    if let Some(items) = field.items() {
        if items.len() != names.len() {
            let message = format!("`{of}` lists {} {noun} for {} {what}", items.len(), names.len());
            let help = format!(
                "write one for each of the {} {what}, or a table such as `{of} = {{ {} = {example} }}`",
                names.len(),
                quoted(&names[0])
            );
            return Err(field.error(message, format!("wrong number of {of}"), help));
        }
        // All are read, so that all mistakes are told.
        let all: Vec<_> = items.iter().map(read_one).collect();
        let all: Result<Vec<T>, Reported> = all.into_iter().collect();
        return all.map(|all| Some(Said(all.into_iter().enumerate().collect())));
    }
    let Value::Table(entries) = &field.node.value else {
        return Err(field.wrong_type(&format!("a list of {noun} or a table"), &format!("{{ 0 = {example} }}")));
    };
    let by_name: BTreeMap<&str, usize> = names.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
    let mut said = Vec::new();
    let mut fine = Ok(());
    for entry in entries {
        let value =
            Field { node: &entry.node, name: entry.key.clone(), place: format!("`{of}`"), report: field.report };
        let result = match by_name.get(entry.key.as_str()) {
            Some(&index) => read_one(&value).map(|value| said.push((index, value))),
            None => {
                let message = format!("`{of}` speaks of `{}`, which is none of the {} {what}", entry.key, names.len());
                let help = match nearest(&entry.key, names.iter().map(String::as_str)) {
                    Some(name) => format!("write `{}`", quoted(name)),
                    None => format!("the {what} go from {} to {}; use one of them", names[0], names[names.len() - 1]),
                };
                Err(field.report.error(entry.key_span.clone(), message, "not there", help))
            }
        };
        fine = fine.and(result);
    }
    fine.map(|()| Some(Said(said)))
}

/// A name as a TOML key.
fn quoted(name: &str) -> String {
    toml_edit::Key::new(name).to_string()
}
