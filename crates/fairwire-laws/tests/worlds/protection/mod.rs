//! Protection on rings of many stations, in lock step.

mod cuts;
mod discovery;
mod frames;
mod requests;
mod ring;
mod robustness;
mod strict_order;
mod wrapping;

use fairwire_core::Span;
use fairwire_laws::protection::Params;

/// The standard's defaults, but a short wait to restore.
fn params() -> Params {
    Params { wait_to_restore: Span::from_millis(200), ..Params::default() }
}

/// Long enough for a change to be seen and known everywhere, and for order to be kept again.
const SETTLING: Span = Span::from_millis(60);
