//! Walks through time from event to event: always the station whose next one is earliest.

use super::Ring;
use super::calls::Call;
use crate::report::{Ending, Report};
use crate::ring::station::Effort;
use crate::winner_tree::WinnerTree;
use fairwire_core::Ringlet;

/// Events between two reports at most.
pub(super) const EVENTS_A_REPORT: u32 = 1 << 10;

/// What is next.
struct Agenda {
    /// Whose turn it is.
    turns: WinnerTree,
    /// By station.
    posts: Vec<StationAgenda>,
}

/// What is next at one station.
struct StationAgenda {
    /// When each link next looks for a packet, by ringlet.
    links_at: [u64; 2],
    /// When the first of all else happens.
    event_at: u64,
    /// What calls the station from its wires, by ringlet.
    calls: [Call; 2],
}

impl StationAgenda {
    #[inline(always)]
    fn next_at(&self) -> u64 {
        self.links_at[0].min(self.links_at[1]).min(self.event_at)
    }
}

impl Ring {
    /// Takes the ring to `end`, or to where `watch` stops it; returns how far it got.
    pub(super) fn walk_events(
        &mut self,
        end: u64,
        mut report: Report,
        ending: Ending,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Option<u64> {
        // Where there is protection, it takes packets off the wires, and puts some onto others.
        let protected = self.stations.iter().any(|station| station.guard.is_some());
        let mut agenda = self.agenda();
        let mut now = 0;
        loop {
            let (station, at) = agenda.turns.first();
            if self.hosts.effort.take_enough() {
                report.hurry();
            }
            // What happens at one instant happens whole, or not at all.
            let may_end = at > now || ending == Ending::AtOnce;
            now = at;
            let is_over = at >= end;
            if is_over || (may_end && !report.go_on(at, watch)) {
                if !is_over && ending == Ending::AtOnce {
                    return None;
                }
                let reached = at.min(end);
                self.hosts.effort = Effort::new(false);
                for station in 0..self.stations.len() {
                    self.advance(station, reached, None);
                }
                return Some(reached);
            }
            if protected {
                self.advance(station, at + 1, None);
                self.look_around(&mut agenda, station);
            } else if agenda.posts[station].event_at <= at {
                self.advance(station, at + 1, None);
                self.look_at(&mut agenda, station);
                Ringlet::BOTH.iter().for_each(|ringlet| self.call_receiver(&mut agenda, *ringlet, station));
            } else {
                for ringlet in Ringlet::BOTH {
                    if agenda.posts[station].links_at[ringlet.index()] <= at {
                        self.run_link(&mut agenda, ringlet, station, at);
                    }
                }
                agenda.turns.update(station, agenda.posts[station].next_at());
            }
        }
    }

    fn agenda(&self) -> Agenda {
        let stations = self.stations.len();
        let post = || StationAgenda { links_at: [u64::MAX; 2], event_at: u64::MAX, calls: [Call::NONE; 2] };
        let posts = (0..stations).map(|_| post()).collect();
        let mut agenda = Agenda { turns: WinnerTree::new(vec![u64::MAX; stations]), posts };
        (0..stations).for_each(|station| self.look_at(&mut agenda, station));
        agenda
    }

    /// The link of `ringlet` that leaves `station` does what it does at `now`.
    #[inline(always)]
    fn run_link(&mut self, agenda: &mut Agenda, ringlet: Ringlet, station: usize, now: u64) {
        let (on, stations) = (ringlet.index(), self.stations.len());
        let receiver = ringlet.downstream(station, stations);
        let wires = &mut self.wires[on * stations..][..stations];
        let Ok([inbound, outbound]) = wires.get_disjoint_mut([station, receiver]) else { return };
        let mac = &mut self.stations[station].sides[on].mac;
        mac.run(now + 1, now, inbound, outbound, &mut self.ledger);
        let post = &mut agenda.posts[station];
        if post.calls[on].passing_at <= now {
            post.calls[on].find_passing(inbound);
        }
        post.links_at[on] = mac.next_service(post.calls[on].passing_at);
        self.call_receiver(agenda, ringlet, station);
    }

    /// Lets whoever is downstream of `station` on `ringlet` hear what was sent there.
    #[inline(always)]
    fn call_receiver(&self, agenda: &mut Agenda, ringlet: Ringlet, station: usize) {
        let (on, stations) = (ringlet.index(), self.stations.len());
        let receiver = ringlet.downstream(station, stations);
        let post = &mut agenda.posts[receiver];
        let (packet, event) = post.calls[on].hear(&self.wires[on * stations + receiver]);
        if packet {
            post.links_at[on] = self.stations[receiver].sides[on].mac.next_service(post.calls[on].passing_at);
        }
        if event {
            post.event_at = post.event_at.min(post.calls[on].event_at);
        }
        if packet || event {
            agenda.turns.update(receiver, post.next_at());
        }
    }

    /// Finds out when something next happens at `station`.
    #[inline(never)]
    fn look_at(&self, agenda: &mut Agenda, station: usize) {
        let inbound = self.inbound(station);
        let post = &mut agenda.posts[station];
        for (call, wire) in post.calls.iter_mut().zip(inbound) {
            call.find_passing(wire);
            call.find_event(wire);
        }
        let passing_at = post.calls.map(|call| call.passing_at);
        (post.links_at, post.event_at) = self.stations[station].next_at(passing_at, inbound);
        agenda.turns.update(station, post.next_at());
    }

    /// The same at `station` and at its neighbours.
    #[inline(never)]
    fn look_around(&self, agenda: &mut Agenda, station: usize) {
        self.look_at(agenda, station);
        for ringlet in Ringlet::BOTH {
            self.look_at(agenda, ringlet.downstream(station, self.stations.len()));
        }
    }
}
