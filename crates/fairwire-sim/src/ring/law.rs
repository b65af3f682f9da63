//! The law of a run: what it needs, and what makes it at each station.

use super::station::{MakeLaw, maker, outside_maker};
use fairwire_core::Bytes;
use fairwire_laws::ring::{Counters, RingLawChoice, RingLawFactory, RingNeeds, StqThresholds};
use std::rc::Rc;

/// The law of a run.
pub struct Law {
    pub needs: RingNeeds,
    pub counters: Counters,
    /// Whether it ever sends advice.
    pub sends_advice: bool,
    pub make: MakeLaw,
    factory: Rc<dyn RingLawFactory>,
}

impl Law {
    /// The chosen law.
    pub fn chosen(law: &RingLawChoice) -> Self {
        Self::new(law.factory().into(), maker(law))
    }

    /// The law that `factory` makes, which need not be in the list.
    pub fn outside(factory: Rc<dyn RingLawFactory>) -> Self {
        Self::new(Rc::clone(&factory), outside_maker(factory))
    }

    fn new(factory: Rc<dyn RingLawFactory>, make: MakeLaw) -> Self {
        Self {
            needs: factory.needs(),
            counters: factory.counters(),
            sends_advice: factory.sends_advice(),
            make,
            factory,
        }
    }

    /// As [`RingLawFactory::stq_thresholds`].
    pub fn stq_thresholds(&self, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
        self.factory.stq_thresholds(secondary, max_packet)
    }

    /// As [`RingLawFactory::least_message`].
    pub fn least_message(&self, stations: usize) -> Bytes {
        self.factory.least_message(stations)
    }
}
