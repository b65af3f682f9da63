//! What names of the values that laws show end with.

/// The units that names of values end with.
pub const SHOWN_UNITS: [&str; 8] = ["_bps", "_fraction", "_bytes", "_packets", "_hops", "_stations", "_flows", "_ns"];

/// Whether the name of a value ends with its unit. A name without one shows whether something is so, by 1 or 0.
pub fn tells_its_unit(name: &str, value: f64) -> bool {
    value == 0.0 || value == 1.0 || SHOWN_UNITS.iter().any(|unit| name.ends_with(unit))
}
