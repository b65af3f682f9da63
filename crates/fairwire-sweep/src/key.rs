//! What a run is known by.

use crate::question::Asked;
use fairwire_scenario::Scenario;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt;

/// Names the code that runs: its version, the system, and a hash of the sources that numbers come from.
pub const BUILD: &str = env!("FAIRWIRE_BUILD");

/// How many digits of the hash are kept: 96 bits.
const DIGITS: usize = 24;

/// What something is known by: a hash of all that determines it.
///
/// Of the runs of a point that is the resolved scenario, its law with all parameters, what is measured, and the build; with the
/// replication it names a run.
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
        Self::from_hash(hash)
    }

    /// Of words that tell all of it.
    pub fn of_words(words: &str) -> Self {
        Self::from_hash(Sha256::new().chain_update(words))
    }

    fn from_hash(hash: Sha256) -> Self {
        let digits: String = hash.finalize().iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect();
        Self::parse(&digits).unwrap_or_default()
    }

    /// Reads what [`Key`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        text.as_bytes().try_into().ok().map(Self)
    }
}

/// That of nothing.
impl Default for Key {
    fn default() -> Self {
        Self([b'0'; DIGITS])
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.0).unwrap_or_default())
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("this is no key"))
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

#[cfg(test)]
mod tests {
    use super::*;

    const RING: &str = r#"schema = 1
title = "one"
[run]
duration = "2 s"
warmup = "100 ms"
seed = 1
window = "1 ms"
replications = 3
[ring]
stations = 6
capacity = "622 Mb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }
[[flow]]
name = "a"
from = 0
to = 5
[sweep]
run.seed = [1, 2]
measures = ["jain"]
"#;

    /// What is known under another key is never taken for this: a run is another one, or something else is measured of it.
    #[test]
    fn a_key_tells_all_that_a_run_comes_from() {
        let key = |from: &str, to: &str| {
            assert!(RING.contains(from), "{from}");
            let scenario = Scenario::parse("ring.toml", &RING.replace(from, to)).unwrap();
            Key::of(&scenario, &Asked::of(&scenario))
        };
        let known = key("one", "one");
        for (from, to) in [("one", "two"), ("replications = 3", "replications = 4")] {
            assert_eq!(key(from, to), known, "{to}");
        }
        for (from, to) in [
            ("\"2 s\"", "\"3 s\""),
            ("\"100 ms\"", "\"0 ms\""),
            ("seed = 1\n", "seed = 2\n"),
            ("\"1 ms\"", "\"2 ms\""),
            ("622", "155"),
            ("\"dvsr\"", "\"dvsr-plus\""),
            ("to = 5", "to = 4"),
            ("[\"jain\"]", "[\"flow.a.delay.p99\"]"),
        ] {
            assert_ne!(key(from, to), known, "{to}");
        }
    }
}
