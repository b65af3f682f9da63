//! A class of Python as a law that the engine takes.

use super::arguments::{name, some_text, text};
use super::law::Law;
use super::trouble::Trouble;
use crate::run::setting;
use fairwire_core::Bytes;
use fairwire_laws::LawAbout;
use fairwire_laws::ring::{
    Counters, Datapath, RingLawFactory, RingLawObject, RingNeeds, RingSite, Sends, StqThresholds, Weighing,
};
use pyo3::prelude::*;
use std::sync::Arc;

/// A subclass of `fairwire.RingLaw`.
pub struct PythonLaw {
    class: Py<PyAny>,
    about: LawAbout,
    needs: RingNeeds,
    trouble: Arc<Trouble>,
}

impl PythonLaw {
    /// The law of `class`; what its instances raise is kept in `trouble`.
    ///
    /// # Errors
    /// SettingError if the class says something of itself that has no meaning.
    pub fn new(class: &Bound<'_, PyAny>, trouble: &Arc<Trouble>) -> PyResult<Self> {
        let said = |key: &str| some_text(&called(class, key), &class.getattr(key)?);
        let about = LawAbout {
            name: name(&called(class, "name"), &class.getattr("name")?)?,
            summary: said("summary")?,
            source: said("source")?,
        };
        check_parameters(class)?;
        let needs = RingNeeds {
            datapath: word(
                class,
                "datapath",
                &[
                    ("merged", Datapath::Merged),
                    ("transit-first", Datapath::TransitFirst),
                    ("alternating", Datapath::Alternating),
                    ("dual-queue", Datapath::DualQueue),
                ],
            )?,
            weighing: word(
                class,
                "weighing",
                &[("alike", Weighing::Alike), ("bytes", Weighing::Bytes), ("any", Weighing::Any)],
            )?,
            sends: word(
                class,
                "sends",
                &[("nothing", Sends::Nothing), ("upstream", Sends::Upstream), ("both-ways", Sends::BothWays)],
            )?,
            ..RingNeeds::PLAIN
        };
        Ok(Self { class: class.clone().unbind(), about, needs, trouble: Arc::clone(trouble) })
    }
}

impl RingLawFactory for PythonLaw {
    fn about(&self) -> LawAbout {
        self.about
    }

    fn needs(&self) -> RingNeeds {
        self.needs
    }

    /// All: which of them the law reads shows when it does.
    fn counters(&self) -> Counters {
        Counters {
            arrived_by_ingress: true,
            arrived_reclaimable: true,
            sent: true,
            added_and_forwarded: true,
            sent_by_ingress: true,
            forwarded_by_hops: true,
            sending: true,
            secondary_deepest: true,
        }
    }

    fn stq_thresholds(&self, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
        StqThresholds::never_stopping(secondary, max_packet)
    }

    fn least_message(&self, _stations: usize) -> Bytes {
        if self.needs.sends == Sends::Nothing { Bytes::ZERO } else { Bytes::new(1) }
    }

    fn sends_advice(&self) -> bool {
        false
    }

    fn make(&self, site: RingSite) -> Box<dyn RingLawObject> {
        Box::new(Law::new(&self.class, site, self.needs.sends, Arc::clone(&self.trouble)))
    }
}

/// What messages call what the class says under `key`: `EqualParts.name`.
fn called(class: &Bound<'_, PyAny>, key: &str) -> String {
    let name = class.getattr("__name__").and_then(|name| name.extract::<String>());
    format!("{}.{key}", name.as_deref().unwrap_or("law"))
}

/// Parameters are a dictionary.
fn check_parameters(class: &Bound<'_, PyAny>) -> PyResult<()> {
    let (key, parameters) = (called(class, "parameters"), class.getattr("parameters")?);
    let arguments = class.py().import("fairwire._arguments")?;
    arguments.call_method1("mapping", (key, parameters, "{\"interval_ns\": 1_000_000}")).map(drop)
}

/// What the word under `key` means.
fn word<T: Copy>(class: &Bound<'_, PyAny>, key: &str, words: &[(&str, T)]) -> PyResult<T> {
    let value = class.getattr(key)?;
    let said = text(&called(class, key), &value)?;
    let known = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
    let found = words.iter().find(|(word, _)| *word == said);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| setting(format!("{key} = \"{said}\": use one of {}", known())))
}
