//! `--quiet`: only data, errors and warnings.

use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on notes and progress are not shown.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether notes and progress are not to be shown.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}
