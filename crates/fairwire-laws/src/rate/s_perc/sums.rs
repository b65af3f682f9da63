//! What the flows of a port take together, counted without keeping anything of a flow.

use super::super::parts::total::Total;
use super::cell::HopState;

/// Sums over all flows that have passed of late. They go on from round to round by what each flow says that it was counted
/// as, and beside that they are counted anew in each round: whoever does not come back in a round is not in the sums of
/// the next.
///
/// A flow is counted anew on its way back, when less of its way is left: if its packet is lost after that, its source tells
/// once more what was counted in the round before, and it is counted twice.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    /// The number of the round that goes on.
    round: u16,
    /// In them is who was counted in this round or in the one before, and in `anew` who was counted in this one.
    sums: Sums,
    anew: Sums,
}

/// Sums over flows.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// SumE: what those that are held elsewhere take beyond their minimums, in bit/s.
    excess_bps: Total,
    /// W_B: the weights of those that are held here.
    weights: Total,
    /// W: the weights of all.
    all_weights: Total,
    /// SMR: the minimums of all, in bit/s.
    minimums_bps: Total,
}

impl Sums {
    fn count(&mut self, state: &HopState, sign: f64) {
        if state.elsewhere {
            self.excess_bps.add(sign * state.excess_bps);
        } else {
            self.weights.add(sign * state.weight);
        }
        self.all_weights.add(sign * state.weight);
        self.minimums_bps.add(sign * state.minimum_bps);
    }
}

impl Counted {
    /// SumE in bit/s.
    pub fn excess_bps(&self) -> f64 {
        self.sums.excess_bps.get().max(0.0)
    }

    /// W_B.
    pub fn weights(&self) -> f64 {
        self.sums.weights.get().max(0.0)
    }

    /// W.
    pub fn all_weights(&self) -> f64 {
        self.sums.all_weights.get().max(0.0)
    }

    /// SMR in bit/s.
    pub fn minimums_bps(&self) -> f64 {
        self.sums.minimums_bps.get().max(0.0)
    }

    /// The flow with this state is not counted any more: whether it was counted anew in this round. A state of an earlier
    /// round than the last is not in the sums.
    pub fn take_out(&mut self, state: &HopState) -> bool {
        let age = self.round.wrapping_sub(state.round);
        if age <= 1 {
            self.sums.count(state, -1.0);
        }
        if age == 0 {
            self.anew.count(state, -1.0);
        }
        age == 0
    }

    /// A flow is counted, `anew` or as one of the round before: `state` is told so.
    pub fn put_in(&mut self, state: &mut HopState, anew: bool) {
        self.sums.count(state, 1.0);
        state.round = self.round.wrapping_sub(u16::from(!anew));
        if anew {
            self.anew.count(state, 1.0);
        }
    }

    /// A round is over.
    pub fn next_round(&mut self) {
        self.round = self.round.wrapping_add(1);
        self.sums = std::mem::take(&mut self.anew);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held_here(weight: f64) -> HopState {
        HopState {
            elsewhere: false,
            round: 0,
            excess_bps: 0.0,
            weight,
            minimum_bps: 1.0,
            offers: f64::INFINITY,
            tag: 0,
        }
    }

    #[test]
    fn who_does_not_come_back_in_a_round_is_forgotten_after_it() {
        let mut counted = Counted::default();
        let (mut stays, mut goes) = (held_here(2.0), held_here(3.0));
        counted.put_in(&mut stays, true);
        counted.put_in(&mut goes, true);
        // Both were counted in the first round.
        counted.next_round();
        assert_eq!((counted.weights(), counted.excess_bps(), counted.minimums_bps()), (5.0, 0.0, 2.0));
        assert!(!counted.take_out(&stays));
        stays = HopState { elsewhere: true, excess_bps: 7.0, ..stays };
        counted.put_in(&mut stays, true);
        assert_eq!((counted.weights(), counted.excess_bps(), counted.minimums_bps()), (3.0, 7.0, 2.0));
        assert_eq!(counted.all_weights(), 5.0);
        // Only one was in the second.
        counted.next_round();
        assert_eq!((counted.weights(), counted.excess_bps(), counted.minimums_bps()), (0.0, 7.0, 1.0));
        // It comes back late: what it was counted as is not in the sums any more.
        assert!(!counted.take_out(&goes));
        assert_eq!((counted.weights(), counted.minimums_bps()), (0.0, 1.0));
    }

    #[test]
    fn who_passes_forward_alone_is_in_the_sums_of_this_round_alone() {
        let mut counted = Counted::default();
        let mut flow = held_here(2.0);
        counted.put_in(&mut flow, false);
        assert_eq!(counted.weights(), 2.0);
        assert!(!counted.take_out(&flow));
        counted.put_in(&mut flow, true);
        assert!(counted.take_out(&flow));
        counted.put_in(&mut flow, true);
        counted.next_round();
        assert_eq!(counted.weights(), 2.0);
        // In this round it passes forward, and its packet is lost.
        assert!(!counted.take_out(&flow));
        counted.put_in(&mut flow.clone(), false);
        // Its source tells again what it knows: it is in the sums once, and in those of the next round, too.
        assert!(!counted.take_out(&flow));
        counted.put_in(&mut flow, true);
        assert_eq!(counted.weights(), 2.0);
        counted.next_round();
        assert_eq!(counted.weights(), 2.0);
        counted.next_round();
        assert_eq!((counted.weights(), counted.all_weights()), (0.0, 0.0));
    }
}
