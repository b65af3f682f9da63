//! What holds after every call.

use crate::rate_contract::chain::{Flow, Port};
use fairwire_laws::rate::AnyRateLaw;

/// What a port keeps adds up, and it knows nobody who never came.
pub fn port(port: &Port) {
    assert_eq!(port.law.violation(), None);
    let reserved_bps = port.law.reserved_bps();
    assert!(reserved_bps.is_finite() && reserved_bps >= 0.0, "{reserved_bps} bit/s are reserved");
    assert!(port.law.flows() <= port.open.len(), "{} flows where {:?} are open", port.law.flows(), port.open);
}

/// A source is told a rate that it may have. Here minimums need not fit, so that it may be less than its minimum.
pub fn source(Flow { source, terms, .. }: &Flow) {
    let allowed_bps = source.allowed_bps();
    let range = 0.0..=terms.peak_bps;
    assert!(range.contains(&allowed_bps), "{allowed_bps} bit/s under {terms:?}");
}

/// The state of two ports is the same.
pub fn is_the_same(one: &AnyRateLaw, other: &AnyRateLaw) {
    assert_eq!(format!("{one:?}"), format!("{other:?}"), "what is refused changes nothing");
}
