//! `weights` of stations and nodes: a list of all, or a table of those that differ.

use crate::diagnostic::Reported;
use crate::document::Value;
use crate::suggest::nearest;
use crate::table::Field;
use std::collections::BTreeMap;

/// Reads the weights of `names`, in their order; 1 where nothing is said.
pub(crate) fn read(field: Option<Field<'_>>, names: &[String], what: &str) -> Result<Vec<f64>, Reported> {
    let mut weights = vec![1.0; names.len()];
    let Some(field) = field else { return Ok(weights) };
    if let Some(items) = field.items() {
        if items.len() != names.len() {
            let message = format!("`weights` lists {} numbers for {} {what}", items.len(), names.len());
            let help = format!(
                "write one for each of the {} {what}, or a table such as `weights = {{ {} = 2 }}`",
                names.len(),
                quoted(&names[0])
            );
            return Err(field.error(message, "wrong number of weights", help));
        }
        let mut fine = Ok(());
        for (weight, item) in weights.iter_mut().zip(&items) {
            fine = item.weight().map(|value| *weight = value).and(fine);
        }
        return fine.map(|()| weights);
    }
    let Value::Table(entries) = &field.node.value else {
        return Err(field.wrong_type("a list of numbers or a table", "{ 0 = 2 }"));
    };
    let by_name: BTreeMap<&str, usize> = names.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
    let mut fine = Ok(());
    for entry in entries {
        let value =
            Field { node: &entry.node, name: entry.key.clone(), place: "`weights`".to_owned(), report: field.report };
        let result = match by_name.get(entry.key.as_str()) {
            Some(&index) => value.weight().map(|weight| weights[index] = weight),
            None => {
                let message =
                    format!("`weights` speaks of `{}`, which is none of the {} {what}", entry.key, names.len());
                let help = match nearest(&entry.key, names.iter().map(String::as_str)) {
                    Some(name) => format!("write `{}`", quoted(name)),
                    None => format!("the {what} go from {} to {}; use one of them", names[0], names[names.len() - 1]),
                };
                Err(field.report.error(entry.key_span.clone(), message, "not there", help))
            }
        };
        fine = fine.and(result);
    }
    fine.map(|()| weights)
}

/// A name as a TOML key.
fn quoted(name: &str) -> String {
    toml_edit::Key::new(name).to_string()
}
