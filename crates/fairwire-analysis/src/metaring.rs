//! MetaRing's SAT rule on a slotted ring with destination stripping.
//!
//! Packets go one way, one link a slot; the SAT message goes the other way, one
//! station a slot. Between two visits a station may send at most K packets, on
//! empty slots. When SAT comes, it is let go once the station has sent L packets
//! since it last let it go, or has none left to send (`[dvsr]` §IX, after Cidon
//! and Ofek).

use crate::AnalysisError;
use crate::error::parameter;
use std::collections::VecDeque;

/// A ring under the SAT rule.
#[derive(Clone, Debug)]
pub struct MetaRing {
    at_least: u64,
    at_most: u64,
    stations: Vec<Station>,
    /// The slot that stands before each station: its packet's destination.
    slots: Vec<Option<usize>>,
    sat_at: usize,
    sat_waited: u64,
}

#[derive(Clone, Debug, Default)]
struct Station {
    /// Destinations of waiting packets.
    waiting: VecDeque<usize>,
    sent_since_release: u64,
    backlog_at_release: u64,
    received: u64,
}

/// A station lets SAT go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The station.
    pub station: usize,
    /// Packets it sent since it last let SAT go.
    pub sent: u64,
    /// Packets it had waiting when it last did.
    pub backlog_before: u64,
    /// Packets it has waiting now.
    pub backlog_after: u64,
    /// Slots for which it held SAT.
    pub held_slots: u64,
}

impl MetaRing {
    /// An empty ring with L = `at_least` and K = `at_most`; SAT is at station 0.
    ///
    /// # Errors
    /// [`AnalysisError::Parameter`] for fewer than two stations, L above K, or K = 0.
    pub fn new(stations: usize, at_least: u64, at_most: u64) -> Result<Self, AnalysisError> {
        parameter("stations", stations as f64, |value| value >= 2.0, "at least 2")?;
        parameter("K", at_most as f64, |value| value >= 1.0 && at_most >= at_least, "at least 1 and at least L")?;
        Ok(Self {
            at_least,
            at_most,
            stations: vec![Station::default(); stations],
            slots: vec![None; stations],
            sat_at: 0,
            sat_waited: 0,
        })
    }

    /// Gives a station packets to send to another.
    ///
    /// # Panics
    /// If there is no such station.
    pub fn enqueue(&mut self, station: usize, destination: usize, packets: usize) {
        assert!(destination < self.stations.len(), "station {destination} does not exist");
        self.stations[station].waiting.extend(std::iter::repeat_n(destination, packets));
    }

    /// Packets a station has received.
    pub fn received(&self, station: usize) -> u64 {
        self.stations[station].received
    }

    /// Packets a station has waiting.
    pub fn waiting(&self, station: usize) -> usize {
        self.stations[station].waiting.len()
    }

    /// One slot: packets come and go, then SAT moves if its station is satisfied.
    pub fn step(&mut self) -> Option<Release> {
        // A slot that left a station stands before the next one now.
        self.slots.rotate_right(1);
        for (index, (station, slot)) in self.stations.iter_mut().zip(&mut self.slots).enumerate() {
            if *slot == Some(index) {
                station.received += 1;
                *slot = None;
            }
            if slot.is_none() && station.sent_since_release < self.at_most {
                *slot = station.waiting.pop_front();
                station.sent_since_release += u64::from(slot.is_some());
            }
        }
        self.release()
    }

    fn release(&mut self) -> Option<Release> {
        let station = &mut self.stations[self.sat_at];
        if station.sent_since_release < self.at_least && !station.waiting.is_empty() {
            self.sat_waited += 1;
            return None;
        }
        let release = Release {
            station: self.sat_at,
            sent: std::mem::take(&mut station.sent_since_release),
            backlog_before: station.backlog_at_release,
            backlog_after: station.waiting.len() as u64,
            held_slots: std::mem::take(&mut self.sat_waited),
        };
        station.backlog_at_release = release.backlog_after;
        self.sat_at = self.sat_at.checked_sub(1).unwrap_or(self.stations.len() - 1);
        Some(release)
    }
}
