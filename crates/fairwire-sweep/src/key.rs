//! What a run is known by.

use crate::question::Asked;
use fairwire_scenario::Scenario;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt;

/// Names the code that runs: its version, the system, and a hash of the sources that numbers come from.
pub const BUILD: &str = env!("FAIRWIRE_BUILD");

/// How many digits of the hash are kept: 96 bits.
const DIGITS: usize = 24;

/// What all runs of a point are known by: a hash of the resolved scenario, its law with all parameters, what is measured, and the
/// build. With the replication it names a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key([u8; DIGITS]);

impl Key {
    /// Title, promises, the number of runs and the way through time change nothing in a run.
    pub(crate) fn of(scenario: &Scenario, asked: &Asked) -> Self {
        let run = scenario.run();
        let mut hash = Sha256::new();
        let mut put = |part: &dyn erased::Part| hash.update(part.bytes());
        put(&BUILD);
        put(&(run.duration.as_nanos(), run.warmup.as_nanos(), run.seed, run.window.as_nanos()));
        put(&scenario.topology());
        put(&scenario.flows());
        put(&scenario.events());
        asked.columns.iter().for_each(|column| put(&column.name));
        let digits: String = hash.finalize().iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect();
        Self::parse(&digits).unwrap_or(Self([b'0'; DIGITS]))
    }

    /// Reads what [`Key`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        text.as_bytes().try_into().ok().map(Self)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.0).unwrap_or_default())
    }
}

/// Things of all types, written the same way.
mod erased {
    use super::Serialize;

    pub trait Part {
        fn bytes(&self) -> Vec<u8>;
    }

    impl<T: Serialize> Part for T {
        /// A zero byte ends it: no two lists of parts look alike.
        fn bytes(&self) -> Vec<u8> {
            let mut bytes = serde_json::to_vec(self).unwrap_or_default();
            bytes.push(0);
            bytes
        }
    }
}
