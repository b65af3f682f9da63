//! The processor time of this thread.

use rustix::time::{ClockId, clock_gettime};

/// Seconds that this thread has had of a processor so far.
pub fn processor_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}
