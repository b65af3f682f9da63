//! Laws that tell all flows one rate, which they change by factors.

/// Such a rate never falls below a cell of 53 bytes a second, as from zero no factor leads back.
pub const LEAST_BPS: f64 = 424.0;
