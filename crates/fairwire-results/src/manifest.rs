//! How a result came about: enough to do it again.

use crate::folder::RunFolder;
use crate::summary::RunSummary;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::time::UNIX_EPOCH;

/// The layout of folders and tables; grows when something is renamed or removed.
const LAYOUT: u32 = 1;

/// What `manifest.json` holds.
#[derive(Debug, Serialize)]
pub(crate) struct Manifest<'a> {
    /// The layout of the folder.
    layout: u32,
    title: &'a str,
    /// The scenario with every default filled in.
    scenario: &'a Value,
    /// SHA-256 of the resolved scenario in canonical JSON.
    scenario_sha256: String,
    seed: u64,
    /// What was run.
    runs: Vec<ManifestRun<'a>>,
    /// Software by name.
    versions: BTreeMap<&'a str, &'a str>,
    host: Host,
    /// When the runs had ended, in seconds since 1970 UTC.
    written_unix_s: u64,
    /// How long all runs together took.
    wall_s: f64,
    warnings: &'a [String],
    /// Where packets came from, unless they were simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    driver: Option<&'a str>,
    /// What real runs say of themselves.
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    real: &'a [Value],
}

#[derive(Debug, Serialize)]
struct ManifestRun<'a> {
    law: &'a str,
    seed: u64,
    run: u64,
    wall_s: f64,
}

/// Facts about the machine that may matter for speed; none that name it.
#[derive(Debug, Serialize)]
struct Host {
    os: &'static str,
    arch: &'static str,
    cpus: Option<usize>,
}

impl<'a> Manifest<'a> {
    pub fn of(folder: &'a RunFolder<'a>) -> Self {
        let run = |summary: &'a RunSummary| ManifestRun {
            law: &summary.law,
            seed: summary.seed,
            run: summary.run,
            wall_s: summary.wall_s,
        };
        let mut versions = BTreeMap::from([("fairwire", env!("CARGO_PKG_VERSION"))]);
        versions.extend(folder.versions.iter().map(|(name, version)| (name.as_str(), version.as_str())));
        Self {
            layout: LAYOUT,
            title: folder.title,
            scenario: folder.scenario,
            scenario_sha256: scenario_hash(folder.scenario),
            seed: folder.plan.seed(),
            runs: folder.runs.iter().map(|outcome| run(&outcome.summary)).collect(),
            versions,
            host: Host {
                os: std::env::consts::OS,
                arch: std::env::consts::ARCH,
                cpus: std::thread::available_parallelism().ok().map(Into::into),
            },
            written_unix_s: folder.ended.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            wall_s: folder.wall_s,
            warnings: folder.warnings,
            driver: folder.driver,
            real: folder.real,
        }
    }
}

/// SHA-256 of a resolved scenario, in hexadecimal: the same for the same
/// scenario, however its keys are ordered.
pub fn scenario_hash(scenario: &Value) -> String {
    let mut canonical = String::new();
    push_canonical(scenario, &mut canonical);
    let digest = Sha256::digest(canonical.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// JSON without spaces, keys sorted at every level.
fn push_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at > 0 { "," } else { "" });
                push_canonical(item, text);
            }
            text.push(']');
        }
        Value::Object(entries) => {
            let sorted: BTreeMap<_, _> = entries.iter().collect();
            text.push('{');
            for (at, (key, item)) in sorted.into_iter().enumerate() {
                text.push_str(if at > 0 { "," } else { "" });
                text.push_str(&Value::String(key.clone()).to_string());
                text.push(':');
                push_canonical(item, text);
            }
            text.push('}');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_hash_sees_values_and_not_the_order_of_keys() {
        let parse = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        let one = scenario_hash(&parse(r#"{"a": [1, {"x": null, "y": "é"}], "b": 0.5}"#));
        assert_eq!(one, scenario_hash(&parse(r#"{"b":0.5,"a":[1,{"y":"é","x":null}]}"#)));
        assert_ne!(one, scenario_hash(&json!({"a": [1, {"x": null, "y": "e"}], "b": 0.5})));
        // sha256 of the two bytes {} is well known.
        assert_eq!(scenario_hash(&json!({})), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    }
}
