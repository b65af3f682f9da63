//! In what unit frames of the packet ring tell rates.

use fairwire_core::Ringlet;
use fairwire_laws::ring::{RingLawChoice, Weighing};
use fairwire_plan::RingPlan;

/// What makes bit/s of the rates in a law's frames.
#[derive(Clone, Debug, PartialEq)]
pub struct RateUnits {
    /// One in the frames that control a ringlet, in bit/s.
    steps_bps: [f64; 2],
    /// What stations weigh, in units of the least; one each where the law takes them for alike.
    weights: Vec<f64>,
}

/// Of one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateUnit {
    /// One in its rates, in bit/s per unit weight.
    pub step_bps: f64,
    /// What the station weighs that it goes to.
    pub weight: f64,
}

impl RateUnits {
    /// Those of a ring under a law, by its capacities and weights at first; none if the law tells rates in another way.
    pub fn of(plan: &RingPlan, law: &RingLawChoice) -> Option<Self> {
        let step = |ringlet: Ringlet| {
            let capacities: Vec<_> = plan.links[ringlet.index()].iter().map(|link| link.capacity).collect();
            law.rate_unit_bps(&capacities)
        };
        let weights = || plan.stations.iter().map(|station| station.weight.get());
        let least = weights().fold(f64::INFINITY, f64::min);
        let is_alike = law.needs().weighing == Weighing::Alike;
        Some(Self {
            steps_bps: [step(Ringlet::Zero)?, step(Ringlet::One)?],
            weights: weights().map(|weight| if is_alike { 1.0 } else { weight / least }).collect(),
        })
    }

    /// Of a message on its way to a station. Its second byte begins with the ringlet that it was first sent on, against the
    /// traffic that it is about.
    pub fn of_message(&self, message: &[u8], to: u32) -> Option<RateUnit> {
        let sent_on = usize::from(message.get(1)? >> 7);
        Some(RateUnit { step_bps: self.steps_bps[1 - sent_on], weight: *self.weights.get(to as usize)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::tests::ring;
    use fairwire_core::{BitRate, Weight};

    /// A frame goes against the traffic that it is about: sent on one ringlet, it tells rates of the other.
    #[test]
    fn frames_tell_rates_of_the_ringlet_that_they_control() {
        let mut plan = ring();
        plan.links[1].iter_mut().for_each(|link| link.capacity = BitRate::from_mbps(500));
        (plan.stations[0].weight, plan.stations[2].weight) = (Weight::new(2.0).unwrap(), Weight::new(6.0).unwrap());
        plan.stations[1].weight = Weight::new(2.0).unwrap();
        let law = |name: &str| RingLawChoice::by_name(name).unwrap();
        let unit = |name: &str, sent_on: u8, to: u32| {
            RateUnits::of(&plan, &law(name)).unwrap().of_message(&[0, sent_on << 7], to).unwrap()
        };
        let step = |ringlet: usize| {
            let capacities: Vec<_> = plan.links[ringlet].iter().map(|link| link.capacity).collect();
            law("rpr-aggressive").rate_unit_bps(&capacities).unwrap()
        };
        assert_ne!(step(0), step(1));
        assert_eq!([0, 1].map(|sent_on| unit("rpr-aggressive", sent_on, 0).step_bps), [step(1), step(0)]);
        // In units of the least; a law for which all stations are alike knows no weights.
        assert_eq!([0, 1, 2].map(|to| unit("rpr-aggressive-stq", 0, to).weight), [1.0, 1.0, 3.0]);
        assert_eq!([0, 1, 2].map(|to| unit("rpr-aggressive", 0, to).weight), [1.0; 3]);
    }
}
