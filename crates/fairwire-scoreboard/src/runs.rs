//! Runs that are made once and kept.

use crate::ScoreError;
use fairwire_sweep::{Key, Record, Records};

/// The run that is kept under `key`, or that `make` makes now; none where `watch`, which is told how far it is, stopped it.
///
/// # Errors
/// Those of `make`, and if it cannot be kept.
pub fn get_or_make<R: Record>(
    runs: &Records<R>,
    key: Key,
    watch: &mut dyn FnMut(f64) -> bool,
    make: impl FnOnce(&mut dyn FnMut(f64) -> bool) -> Result<Option<R>, ScoreError>,
) -> Result<Option<R>, ScoreError> {
    let mut is_known = true;
    let run = runs.get_or_make(key, || {
        is_known = false;
        if watch(0.0) { make(watch) } else { Ok(None) }
    })?;
    if is_known {
        watch(1.0);
    }
    Ok(run)
}
