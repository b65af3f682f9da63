//! Walks through time in windows: each station by itself, as far as nothing unknown can reach it.

use super::Ring;
use super::horizons::Horizons;
use crate::report::Report;
use fairwire_core::Ringlet;
use fairwire_laws::ring::RingLaw;

/// Sweeps between two reports at most.
const SWEEPS_A_REPORT: u32 = 32;

impl<L: RingLaw> Ring<L> {
    /// Sweeps down ringlet 0 and down ringlet 1 in turn, where both carry something,
    /// taking every station as far as what is known of its neighbours allows.
    pub(super) fn walk_windows(&mut self, end: u64, mut horizons: Horizons, watch: &mut dyn FnMut(f64) -> bool) -> u64 {
        let mut report = Report::new(end, SWEEPS_A_REPORT);
        let mut limit = end;
        let mut sweeps = Ringlet::BOTH.map(|ringlet| horizons.sweep(ringlet));
        if sweeps.iter().all(Vec::is_empty) {
            sweeps[0] = (0..self.stations.len()).collect();
        }
        loop {
            for (down, stations) in Ringlet::BOTH.iter().zip(&sweeps) {
                let leave = horizons.only_frames_go(*down).then_some(*down);
                stations
                    .iter()
                    .for_each(|station| self.advance_to_horizon(*station, *down, leave, &mut horizons, limit));
            }
            if horizons.reached() >= limit {
                return limit;
            }
            if limit == end && !report.go_on(horizons.reached(), watch) {
                // All stop at the same instant: where the one that is farthest ahead stands.
                limit = horizons.farthest();
            }
        }
    }

    /// Takes `station` as far as it can go, in a sweep down ringlet `down`, and finds out until when the next one down
    /// there knows what comes. The other neighbour is told in a sweep the other way.
    #[inline]
    fn advance_to_horizon(
        &mut self,
        station: usize,
        down: Ringlet,
        leave: Option<Ringlet>,
        horizons: &mut Horizons,
        limit: u64,
    ) {
        if horizons.waits(station) {
            return;
        }
        if let Some(stop) = horizons.next_stop(station, limit) {
            let reached = self.advance(station, stop, leave);
            horizons.has_reached(station, reached);
            let deaf_to = |ringlet: &&Ringlet| self.stations[station].is_deaf_to(**ringlet);
            Ringlet::BOTH.iter().filter(deaf_to).for_each(|ringlet| horizons.ignore(station, *ringlet));
        }
        if horizons.is_used(station, down) {
            let arriving = horizons.arriving(station);
            let sends = self.stations[station].earliest_send(down, self.inbound(station), arriving);
            horizons.will_send(station, down, sends);
        }
    }
}
