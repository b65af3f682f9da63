//! All TCP connections, and through which station queues their ends send; and who sends what is brought from outside.

use crate::brought::BroughtLine;
use crate::endpoint::session::Session;
use fairwire_core::{Ringlet, StationId};
use fairwire_plan::{FlowRecord, WindowSample};

/// The micro-flows of all TCP flows, one flow's after the other's.
pub struct Hosts {
    pub sessions: Vec<Session>,
    pub addresses: Vec<Address>,
    /// Who sends what is brought from outside: of a ring that can be fed one for each flow of datagrams.
    pub bringers: Vec<Bringer>,
    /// By declared flow, where these are wanted.
    pub windows: Option<Vec<Vec<WindowSample>>>,
    /// How much ends have done since somebody last asked.
    pub effort: Effort,
}

/// How often ends of connections did something: at one instant all of a million may.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    done: u32,
    enough: u32,
}

/// So often they do something before somebody asks whether that is still wanted.
const ENOUGH: u32 = 1 << 12;

impl Effort {
    /// That of nobody. Where the run is `breakable` a station stops in the middle of an instant once there is enough.
    pub fn new(breakable: bool) -> Self {
        Self { done: 0, enough: if breakable { ENOUGH } else { u32::MAX } }
    }

    /// One end has done something: whether that is enough for now.
    #[inline]
    pub(super) fn add(&mut self) -> bool {
        self.done = self.done.saturating_add(1);
        self.is_enough()
    }

    fn is_enough(self) -> bool {
        self.done >= self.enough
    }

    /// Whether there has been enough since this last was so.
    #[inline]
    pub fn take_enough(&mut self) -> bool {
        let is_enough = self.is_enough();
        if is_enough {
            self.done = 0;
        }
        is_enough
    }
}

/// Where a micro-flow's ends are.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    /// The declared flow it belongs to, and which of its micro-flows it is.
    pub flow: u32,
    pub number: u32,
    /// The doors of its senders and of its receivers.
    pub senders: Door,
    pub receivers: Door,
    /// Size of an acknowledgement.
    pub ack_bytes: u16,
}

/// Sends packets of a flow that are brought from outside, each at its time.
#[derive(Debug)]
pub struct Bringer {
    pub door: Door,
    pub line: BroughtLine,
}

/// How an end of a micro-flow sends.
#[derive(Clone, Copy, Debug)]
pub struct Door {
    pub station: StationId,
    /// Its number among the ends at its station.
    pub end: usize,
    /// The flow that its packets belong to, and where they go.
    pub flow: u32,
    pub egress: u16,
    /// The station queue that they enter: its ringlet (if nothing is steered), its place there, and which
    /// of those that feed it this is.
    pub ringlet: Ringlet,
    pub slot: usize,
    pub feeder: usize,
}

/// What is at one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Senders(u32),
    Receivers(u32),
    /// One of [`Hosts::bringers`].
    Bringer(u32),
}

impl Hosts {
    /// When something happens at `end` by itself, `u64::MAX` if never.
    pub fn wake_at(&self, end: End) -> u64 {
        match end {
            End::Senders(micro_flow) => self.sessions[micro_flow as usize].senders_wake_at(),
            End::Receivers(micro_flow) => self.sessions[micro_flow as usize].receivers_wake_at(),
            End::Bringer(number) => self.bringers[number as usize].line.next_at(),
        }
    }

    /// The ends at `station`, in the order of their numbers there.
    pub fn ends_at(&self, station: StationId) -> Vec<End> {
        let mut ends = Vec::new();
        for (micro_flow, address) in (0..).zip(&self.addresses) {
            let both = [(address.senders, End::Senders(micro_flow)), (address.receivers, End::Receivers(micro_flow))];
            ends.extend(both.into_iter().filter(|(door, _)| door.station == station));
        }
        let bringers = (0..).zip(&self.bringers).filter(|(_, bringer)| bringer.door.station == station);
        ends.extend(bringers.map(|(number, bringer)| (bringer.door, End::Bringer(number))));
        ends.sort_by_key(|(door, _)| door.end);
        ends.into_iter().map(|(_, end)| end).collect()
    }

    /// The run is over at `reached`: adds what the connections did to the records of their flows.
    pub fn tell(&mut self, records: &mut [FlowRecord], reached: u64) {
        for (address, session) in self.addresses.iter().zip(&self.sessions) {
            let counts = session.counts();
            let record = &mut records[address.flow as usize];
            record.retransmitted += counts.retransmitted;
            record.timeouts += counts.timeouts;
            record.waited += session.waited(reached);
            record.transfers.extend_from_slice(session.transfers());
            record.unfinished += session.unfinished();
        }
        records.iter_mut().for_each(|record| record.transfers.sort_by_key(|transfer| transfer.end));
        for (record, windows) in records.iter_mut().zip(self.windows.take().unwrap_or_default()) {
            record.windows = windows;
        }
    }

    /// A row ends at `now`: notes the state of these senders, if it is wanted.
    pub fn sample(&mut self, now: u64, ends: &[End]) {
        let Some(windows) = &mut self.windows else { return };
        for end in ends {
            let End::Senders(micro_flow) = *end else { continue };
            let address = &self.addresses[micro_flow as usize];
            let sample = self.sessions[micro_flow as usize].sample(now, address.number);
            windows[address.flow as usize].extend(sample);
        }
    }
}
