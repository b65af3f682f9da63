//! A law that is not in the list: written in another crate, or in another language.

use super::{Counters, RingLaw, RingLawFactory, RingLawObject, RingNeeds, RingSite, StqThresholds, Typed};
use crate::LawAbout;
use fairwire_core::Bytes;
use serde::{Serialize, Serializer};
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

/// A law from outside, chosen like one of the list. It has no name that a scenario could say.
#[derive(Clone)]
pub struct OutsideLaw {
    about: &'static LawAbout,
    factory: Arc<dyn RingLawFactory>,
}

impl OutsideLaw {
    /// The law that `factory` makes. What is known of it stays known until the process ends.
    pub fn new(factory: Arc<dyn RingLawFactory>) -> Self {
        Self { about: Box::leak(Box::new(factory.about())), factory }
    }

    /// The law given as a type, with its parameters.
    pub fn of<L: RingLaw>(params: L::Params) -> Self
    where
        L::Params: Send + Sync,
    {
        Self::new(Arc::new(Typed::<L>(params)))
    }

    /// Name, idea and source.
    pub const fn about(&self) -> &'static LawAbout {
        self.about
    }
}

impl RingLawFactory for OutsideLaw {
    fn about(&self) -> LawAbout {
        *self.about
    }

    fn needs(&self) -> RingNeeds {
        self.factory.needs()
    }

    fn counters(&self) -> Counters {
        self.factory.counters()
    }

    fn stq_thresholds(&self, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
        self.factory.stq_thresholds(secondary, max_packet)
    }

    fn least_message(&self, stations: usize) -> Bytes {
        self.factory.least_message(stations)
    }

    fn sends_advice(&self) -> bool {
        self.factory.sends_advice()
    }

    fn make(&self, site: RingSite) -> Box<dyn RingLawObject> {
        self.factory.make(site)
    }
}

impl Debug for OutsideLaw {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OutsideLaw").field(&self.about.name).finish()
    }
}

/// The same law is the same object.
impl PartialEq for OutsideLaw {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.factory, &other.factory)
    }
}

/// By its name and source, where an answer tells of the law.
impl Serialize for OutsideLaw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Told<'a> {
            law: &'a str,
            source: &'a str,
        }
        Told { law: self.about.name, source: self.about.source }.serialize(serializer)
    }
}
