//! `[fair]`: what fair means in a scenario.

use crate::expect::table::read_criterion;
use crate::reading::diagnostic::Reported;
use crate::reading::table::Table;
use fairwire_alloc::Criterion;
use serde::ser::{SerializeMap, Serializer};

pub(crate) const KEYS: &[&str] = &["criterion"];

/// Reads `[fair]`.
pub(crate) fn read(root: &Table<'_>) -> Result<Option<Criterion>, Reported> {
    let Some(field) = root.field("fair") else { return Ok(None) };
    let table = field.table("[fair]", KEYS, "{ criterion = \"proportional\" }")?;
    let criterion = table.need("criterion", "\"proportional\"")?;
    read_criterion(&criterion).map(Some)
}

/// The table as a file has it.
pub(crate) fn table<S: Serializer>(criterion: &Option<Criterion>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut table = serializer.serialize_map(Some(1))?;
    table.serialize_entry("criterion", criterion.map_or("", Criterion::name))?;
    table.end()
}
