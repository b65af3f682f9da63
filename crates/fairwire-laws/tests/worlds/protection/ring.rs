//! A ring of nothing but protection machines: wires with a delay that can be
//! cut, and an event queue.

use fairwire_core::{Instant, Ringlet, Span, StationId};
use fairwire_laws::frame::Address;
use fairwire_laws::protection::{Action, Event, Params, Protection, Side};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A frame that will arrive: when, in which order, where, on which ringlet, on
/// which life of the wire, and what.
type Arrival = (Instant, u64, usize, Ringlet, u64, Vec<u8>);

pub struct Ring {
    pub now: Instant,
    pub params: Params,
    pub delay: Span,
    machines: Vec<Option<Protection>>,
    timeouts: Vec<Instant>,
    /// By ringlet and sending station: whether the wire carries, and how often it was cut.
    wires: [Vec<(bool, u64)>; 2],
    arrivals: BinaryHeap<Reverse<Arrival>>,
    sent: u64,
    /// What stations were told to do beside sending frames.
    pub deeds: Vec<(Instant, usize, Action)>,
}

pub fn address(station: usize) -> Address {
    Address::of(StationId(station as u16))
}

impl Ring {
    /// Stations that know nothing yet.
    pub fn unknown(stations: usize, params: &Params) -> Self {
        let mut ring = Self::silent(stations, params);
        (0..stations).for_each(|station| ring.switch_on(station));
        ring
    }

    /// Stations that know each other.
    pub fn settled(stations: usize, params: &Params) -> Self {
        let mut ring = Self::silent(stations, params);
        let all: Vec<Address> = (0..stations).map(address).collect();
        for station in 0..stations {
            let mut machine = Protection::new(&ring.params, address(station), [1, 1]);
            machine.start_settled(ring.now, &all);
            ring.machines[station] = Some(machine);
            ring.act(station);
        }
        ring
    }

    fn silent(stations: usize, params: &Params) -> Self {
        params.validate().unwrap();
        Self {
            now: Instant::ZERO,
            params: params.clone(),
            delay: Span::from_micros(100),
            machines: vec![None; stations],
            timeouts: vec![Instant::NEVER; stations],
            wires: [vec![(true, 0); stations], vec![(true, 0); stations]],
            arrivals: BinaryHeap::new(),
            sent: 0,
            deeds: Vec::new(),
        }
    }

    pub fn stations(&self) -> usize {
        self.machines.len()
    }

    pub fn lap(&self) -> Span {
        self.delay * self.stations() as u64
    }

    pub fn machine(&self, station: usize) -> &Protection {
        self.machines[station].as_ref().unwrap()
    }

    pub fn live(&self) -> impl Iterator<Item = (usize, &Protection)> {
        self.machines.iter().enumerate().filter_map(|(station, machine)| Some((station, machine.as_ref()?)))
    }

    /// The span between `span` and the next station.
    pub fn set_span(&mut self, span: usize, carries: bool) {
        let next = (span + 1) % self.stations();
        self.set_wire(Ringlet::Zero, span, carries);
        self.set_wire(Ringlet::One, next, carries);
    }

    /// The wire of `ringlet` that leaves `station`. What is on a wire that is cut is lost.
    pub fn set_wire(&mut self, ringlet: Ringlet, station: usize, carries: bool) {
        let wire = &mut self.wires[ringlet.index()][station];
        wire.0 = carries;
        wire.1 += u64::from(!carries);
    }

    pub fn switch_off(&mut self, station: usize) {
        self.machines[station] = None;
        self.timeouts[station] = Instant::NEVER;
    }

    pub fn switch_on(&mut self, station: usize) {
        self.switch_on_with(station, &self.params.clone());
    }

    pub fn switch_on_with(&mut self, station: usize, params: &Params) {
        let mut machine = Protection::new(params, address(station), [1, 1]);
        machine.start(self.now);
        self.machines[station] = Some(machine);
        self.act(station);
    }

    pub fn tell(&mut self, station: usize, event: Event) {
        let now = self.now;
        if let Some(machine) = &mut self.machines[station] {
            machine.handle(now, event);
            self.act(station);
        }
    }

    /// Puts a frame on the wire that leaves `station`.
    pub fn send(&mut self, station: usize, ringlet: Ringlet, bytes: Vec<u8>) {
        let (carries, life) = self.wires[ringlet.index()][station];
        self.sent += 1;
        if carries {
            let to = ringlet.downstream(station, self.stations());
            self.arrivals.push(Reverse((self.now + self.delay, self.sent, to, ringlet, life, bytes)));
        }
    }

    pub fn frames_sent(&self) -> u64 {
        self.sent
    }

    pub fn on_the_way(&self) -> impl Iterator<Item = &[u8]> {
        self.arrivals.iter().map(|Reverse(arrival)| &arrival.5[..])
    }

    pub fn run_for(&mut self, span: Span) {
        self.run_until(self.now + span);
    }

    /// Everything up to and including `end`.
    pub fn run_until(&mut self, end: Instant) {
        loop {
            let timeouts = self.timeouts.iter().zip(0..);
            let (timeout, station) = timeouts.min().map_or((Instant::NEVER, 0), |(at, station)| (*at, station));
            let arrival = self.arrivals.peek().map_or(Instant::NEVER, |Reverse(arrival)| arrival.0);
            if timeout.min(arrival) > end {
                self.now = end;
                return;
            }
            self.now = self.now.max(timeout.min(arrival));
            if arrival <= timeout {
                let Some(Reverse((_, _, station, ringlet, life, bytes))) = self.arrivals.pop() else { return };
                let from = ringlet.opposite().downstream(station, self.stations());
                if self.wires[ringlet.index()][from].1 == life {
                    self.tell(station, Event::Frame { ringlet, bytes });
                }
            } else if let Some(machine) = &mut self.machines[station] {
                machine.handle_timeout(self.now);
                assert!(machine.poll_timeout() > self.now, "a timeout was handled and is due again");
                self.act(station);
            }
        }
    }

    fn act(&mut self, station: usize) {
        self.timeouts[station] = self.machine(station).poll_timeout();
        while let Some(action) = self.machines[station].as_mut().and_then(Protection::poll_action) {
            match action {
                Action::SendFrame { ringlet, bytes } => self.send(station, ringlet, bytes),
                action => self.deeds.push((self.now, station, action)),
            }
        }
    }

    /// When `station` last did this.
    pub fn last(&self, station: usize, action: &Action) -> Option<Instant> {
        let same = |deed: &&(Instant, usize, Action)| deed.1 == station && deed.2 == *action;
        self.deeds.iter().rev().find(same).map(|deed| deed.0)
    }

    /// Fails unless every live station knows exactly the live ones, on a closed
    /// ring, agrees with all others and keeps strict order.
    pub fn assert_whole(&self) {
        self.assert_knows(&self.live().map(|(station, _)| station).collect::<Vec<_>>(), true);
    }

    /// Fails unless each of these stations knows exactly these, in this order (of a
    /// closed ring from the lowest), and keeps strict order.
    pub fn assert_knows(&self, stations: &[usize], closed: bool) {
        let known: Vec<Address> = stations.iter().copied().map(address).collect();
        for &station in stations {
            let machine = self.machine(station);
            let topology = machine.topology();
            assert_eq!(topology.stations(), known, "station {station} at {}", self.now);
            assert_eq!(topology.is_closed(), closed, "station {station} at {}", self.now);
            assert_eq!(topology.checksum(), self.machine(stations[0]).topology().checksum());
            let told =
                self.deeds.iter().rev().filter(|(_, of, _)| *of == station).find_map(|(_, _, deed)| match deed {
                    Action::StrictOrder { on } => Some(*on),
                    _ => None,
                });
            assert_ne!(told, Some(false), "station {station} at {}", self.now);
        }
    }

    /// The side of `span` at its western and at its eastern station.
    pub fn ends(&self, span: usize) -> [(usize, Side); 2] {
        [(span, Side::East), ((span + 1) % self.stations(), Side::West)]
    }
}
