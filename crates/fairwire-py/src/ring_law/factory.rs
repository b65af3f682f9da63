//! A class of Python as a law that the engine takes.

use super::law::Law;
use super::text::kept;
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
        let about = LawAbout {
            name: kept(&text(class, "name")?),
            summary: kept(&text(class, "summary")?),
            source: kept(&text(class, "source")?),
        };
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

/// What the class says under `key`.
fn text(class: &Bound<'_, PyAny>, key: &str) -> PyResult<String> {
    let value = class.getattr(key)?;
    let text: Option<String> = value.extract().ok();
    text.filter(|text| !text.is_empty()).ok_or_else(|| {
        setting(format!(
            "{}.{key}: text, not {value}",
            class.str().map_or_else(|_| "law".to_owned(), |name| name.to_string())
        ))
    })
}

/// What the word under `key` means.
fn word<T: Copy>(class: &Bound<'_, PyAny>, key: &str, words: &[(&str, T)]) -> PyResult<T> {
    let said = text(class, key)?;
    let known = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
    let found = words.iter().find(|(word, _)| *word == said);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| setting(format!("{key} = \"{said}\": use one of {}", known())))
}
