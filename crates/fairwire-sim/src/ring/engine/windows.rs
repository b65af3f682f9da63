//! Walks through time in windows: each station by itself, as far as nothing unknown can reach it.

use super::Ring;
use super::horizons::{Horizons, Tour};
use crate::report::{Ending, Report};

/// Tours between two reports at most.
pub(super) const TOURS_A_REPORT: u32 = 32;

impl Ring {
    /// Tours the stations again and again, taking each as far as what is known of its neighbours allows.
    pub(super) fn walk_windows(
        &mut self,
        end: u64,
        horizons: &mut Horizons,
        tours: &[Tour],
        (mut report, ending): (Report, Ending),
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Option<u64> {
        let mut limit = end;
        let mut reached = horizons.reached(limit);
        loop {
            let leash = limit.min(horizons.leash(reached));
            for tour in tours {
                for station in &tour.stations {
                    self.advance_to_horizon(*station, tour, horizons, leash);
                    let is_enough = self.hosts.effort.take_enough();
                    if ending == Ending::AtOnce && (is_enough || horizons.are_crowded()) {
                        report.hurry();
                        if !report.go_on(reached, watch) {
                            return None;
                        }
                    }
                }
            }
            reached = horizons.reached(limit);
            if reached >= limit {
                self.wake_sleepers(horizons, limit);
                return Some(limit);
            }
            if limit == end && !report.go_on(reached, watch) {
                if ending == Ending::AtOnce {
                    return None;
                }
                // All stop at the same instant: where the one that is farthest ahead stands.
                limit = horizons.farthest();
            }
        }
    }

    /// Takes those who sleep to where all others stand.
    fn wake_sleepers(&mut self, horizons: &mut Horizons, limit: u64) {
        for station in horizons.sleepers(limit) {
            self.advance(station, limit, None);
            horizons.has_reached(station, limit);
        }
    }

    /// Takes `station` as far as it can go before `limit`, and finds out until when its neighbours know what comes.
    #[inline]
    fn advance_to_horizon(&mut self, station: usize, tour: &Tour, horizons: &mut Horizons, limit: u64) {
        if self.sends_advice && horizons.may_wait(station, limit) {
            return;
        }
        if let Some(stop) = horizons.next_stop(station, limit) {
            let reached = self.advance(station, stop, tour.leaves);
            horizons.has_reached(station, reached);
            if self.stations[station].is_at_rest() {
                return horizons.rest(station);
            }
        }
        let (at, inbound, arriving) = (&self.stations[station], self.inbound(station), horizons.arriving(station));
        for ringlet in tour.tells {
            if horizons.is_used(station, *ringlet) {
                let sends = at.earliest_send(*ringlet, inbound, arriving);
                horizons.will_send(station, *ringlet, sends);
            }
        }
    }
}
