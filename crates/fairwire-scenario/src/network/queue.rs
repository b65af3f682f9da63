//! `queue` and `limit`: the queue in front of a link of a network.

use crate::law;
use crate::reading::diagnostic::Reported;
use crate::reading::quantity::packets_text;
use crate::reading::table::Table;
use fairwire_core::Bytes;
use fairwire_laws::queue::{Limit, QueueLawChoice, droptail};
use serde::Serializer;
use std::ops::Range;

/// What a queue holds if nothing is said.
pub(crate) const DEFAULT_LIMIT: Limit = Limit::Packets(200);

/// The law of a queue if nothing is said.
pub(crate) fn default_law() -> QueueLawChoice {
    QueueLawChoice::droptail(droptail::Params::default())
}

/// A limit, and where it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlacedLimit {
    pub limit: Limit,
    pub span: Range<usize>,
}

impl PlacedLimit {
    /// What there is if nothing is said.
    pub fn usual(table: &Table<'_>) -> Self {
        Self { limit: DEFAULT_LIMIT, span: table.span.clone() }
    }

    /// A bound in bytes must let the largest packet in.
    pub fn check(&self, largest_packet: Bytes, root: &Table<'_>) -> Result<(), Reported> {
        match self.limit {
            Limit::Bytes(bytes) if bytes < largest_packet => {
                let message = format!("a queue of {bytes} has no room: packets have up to {largest_packet}");
                let help = format!("write a limit of at least \"{largest_packet}\"");
                Err(root.report.error(self.span.clone(), message, "too small", help))
            }
            _ => Ok(()),
        }
    }
}

/// Reads the law under `key`, if one is named.
pub(crate) fn read_law(table: &Table<'_>, key: &str) -> Result<Option<QueueLawChoice>, Reported> {
    table.field(key).map(|field| law::read(&field)).transpose()
}

/// Reads the limit under `key`, if there is one: `"200 packets"` or `"200 kB"`.
pub(crate) fn read_limit(table: &Table<'_>, key: &str) -> Result<Option<PlacedLimit>, Reported> {
    let Some(field) = table.field(key) else { return Ok(None) };
    let limit = match field.packets() {
        Some(_) => Limit::Packets(field.packet_count()?),
        None => Limit::Bytes(field.positive()?),
    };
    Ok(Some(PlacedLimit { limit, span: field.span() }))
}

/// A limit as a file writes it.
pub(crate) fn limit_text<S: Serializer>(limit: &PlacedLimit, serializer: S) -> Result<S::Ok, S::Error> {
    match limit.limit {
        Limit::Packets(packets) => packets_text(&packets, serializer),
        Limit::Bytes(bytes) => serializer.serialize_str(&bytes.to_text()),
    }
}
