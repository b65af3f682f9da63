//! Text of Python that laws and probes want for as long as the process lives.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The same text, kept until the process ends; once, however often it is asked for.
pub fn kept(text: &str) -> &'static str {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(text) {
        return known;
    }
    let new: &'static str = Box::leak(text.into());
    all.insert(new);
    new
}
