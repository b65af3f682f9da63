//! The post between kernels and the simulation: takes frames from TAPs, brings them as packets, and hands over what arrives.

use super::stage::Stage;
use crate::access_line::AccessLine;
use crate::clock::Clock;
use crate::error::NetError;
use crate::frame::{self, Foreign};
use crate::options::{Frames, Written};
use crate::pauses::Pauses;
use crate::stamp;
use fairwire_core::{Instant, Span};
use fairwire_sim::{BroughtPacket, Captured, CapturedContent, Delivery, Fate, Outside};
use hdrhistogram::Histogram;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use std::collections::BTreeMap;
use std::time::Duration;

/// With nothing on its way nobody looks for longer than this, unless a frame comes.
const IDLE: Span = Span::from_millis(1);
/// With no more frames than this on their way the engine looks more often by so much: that costs little, and a program that
/// waits for an answer feels each tick twice.
const FEW: usize = 4;
const QUICKER: u64 = 4;
/// So many frames are taken from one station before others have their turn.
const A_TURN: usize = 512;
/// Lines of connections that are idle are put away when there are more than this.
const MANY_LINES: usize = 4_096;

/// What is later counts as this late, in ns: a minute.
const LONGEST_LATENESS: u64 = 60_000_000_000;

/// What is counted.
#[derive(Debug)]
pub struct Counts {
    pub lateness: Histogram<u64>,
    pub came: u64,
    /// Frames that a station's kernel did not take.
    pub refused_down: u64,
    pub line_refused: u64,
    pub foreign: BTreeMap<Foreign, u64>,
    /// What could not be written down.
    pub write_error: Option<NetError>,
}

impl Counts {
    /// What became of the frames that came.
    pub fn frames(&self) -> Frames {
        let Self { came, refused_down, line_refused, .. } = *self;
        let foreign: u64 = self.foreign.values().sum();
        let carried = came - line_refused - foreign;
        Frames { came, carried, line_refused, foreign: self.foreign.clone(), not_taken: refused_down }
    }
}

/// The post of one run.
pub struct Post<'a> {
    stage: &'a Stage,
    clock: Clock,
    tick: Span,
    end: Instant,
    /// Whether somebody wants to stop.
    stop: &'a dyn Fn(Instant) -> bool,
    /// Frames that are on their way, by the numbers of their packets.
    frames: Vec<Vec<u8>>,
    free: Vec<u32>,
    lines: BTreeMap<(usize, u32), AccessLine>,
    pub written: Written,
    pub pauses: Pauses,
    buffer: Vec<u8>,
    pub counts: Counts,
    pub stopped: bool,
}

impl<'a> Post<'a> {
    pub fn new(
        stage: &'a Stage,
        clock: Clock,
        tick: Span,
        end: Instant,
        written: Written,
        stop: &'a dyn Fn(Instant) -> bool,
    ) -> Self {
        let counts = Counts {
            lateness: Histogram::new_with_max(LONGEST_LATENESS, 2).expect("two digits are allowed"),
            came: 0,
            refused_down: 0,
            line_refused: 0,
            foreign: BTreeMap::new(),
            write_error: None,
        };
        Self {
            stage,
            clock,
            tick,
            end,
            stop,
            frames: Vec::new(),
            free: Vec::new(),
            lines: BTreeMap::new(),
            written,
            pauses: Pauses::default(),
            // One byte more than any frame that is carried tells those that are too large.
            buffer: vec![0; stage.largest + 1],
            counts,
            stopped: false,
        }
    }

    /// Sleeps until `at`; while nothing is on its way a frame ends that.
    fn sleep(&self, now: Instant, at: Instant, busy: bool) {
        self.clock.expect(at);
        let left = Duration::from_nanos(at.since(self.clock.now().max(now)).as_nanos());
        if busy {
            std::thread::sleep(left);
            return;
        }
        let mut taps: Vec<_> =
            self.stage.stations.iter().map(|station| PollFd::new(station.tap(), PollFlags::POLLIN)).collect();
        // A signal that ends it is as good as a frame.
        let _ = ppoll(&mut taps, Some(TimeSpec::from_duration(left)), None);
    }

    /// Takes all frames that kernels have sent, as of `now`; the simulation has come to `walked`.
    fn take_frames(&mut self, walked: Instant, now: Instant, came: &mut Vec<(usize, BroughtPacket)>) {
        for station in 0..self.stage.stations.len() {
            for _ in 0..A_TURN {
                // A device that is gone gives nothing.
                let Ok(Some(length)) = self.stage.stations[station].read(&mut self.buffer) else { break };
                self.counts.came += 1;
                match self.take_frame(station as u16, length, walked, now) {
                    Ok(Some((flow, packet))) => {
                        self.note(flow, &packet);
                        came.push((flow, packet));
                    }
                    Ok(None) => self.counts.line_refused += 1,
                    Err(foreign) => *self.counts.foreign.entry(foreign).or_insert(0) += 1,
                }
            }
        }
        if self.lines.len() > MANY_LINES {
            self.lines.retain(|_, line| !line.is_idle(now));
        }
    }

    /// The packet that a frame is, if its line takes it.
    fn take_frame(
        &mut self,
        station: u16,
        length: usize,
        walked: Instant,
        now: Instant,
    ) -> Result<Option<(usize, BroughtPacket)>, Foreign> {
        if length > self.stage.largest {
            return Err(Foreign::TooLarge);
        }
        let headers = frame::read(&self.buffer[..length])?;
        let place = self.stage.layout.place(station, &headers)?;
        let ends = &self.stage.layout.flows[place.flow];
        let is_tcp = headers.ports.is_some_and(|ports| ports.tcp);
        // Connections send window by window, here as in the simulator.
        let at = if is_tcp {
            Some(now)
        } else {
            let line = self.lines.entry((place.flow, place.connection)).or_insert_with(|| AccessLine::new(ends.line));
            // The scenario's own come when they are due, or as soon afterwards as can be.
            let due = stamp::read(&self.buffer[..length], &headers, now);
            line.take(due.map_or(now, |due| due.max(walked)), length as u16)
        };
        let Some(at) = at else { return Ok(None) };
        let packet = BroughtPacket {
            number: u64::from(self.keep(length)),
            size_bytes: length as u16,
            at,
            connection: place.connection,
            back: place.back,
            ecn_capable: headers.ecn_capable,
        };
        Ok(Some((place.flow, packet)))
    }

    fn note(&mut self, flow: usize, packet: &BroughtPacket) {
        let Some(journal) = &mut self.written.journal else { return };
        if packet.at < self.end
            && let Err(error) = journal.write(flow, packet)
        {
            self.counts.write_error = Some(NetError::Journal(error));
            self.written.journal = None;
        }
    }

    /// Keeps the frame in the buffer: its number.
    fn keep(&mut self, length: usize) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.frames.push(Vec::with_capacity(self.stage.largest));
            (self.frames.len() - 1) as u32
        });
        let frame = &mut self.frames[number as usize];
        frame.clear();
        frame.extend_from_slice(&self.buffer[..length]);
        number
    }
}

impl Outside for Post<'_> {
    fn wait(&mut self, now: Instant, busy: bool, came: &mut Vec<(usize, BroughtPacket)>) -> Option<Instant> {
        // What cannot be written down need not be carried to its end.
        if (self.stop)(now) || self.counts.write_error.is_some() {
            self.stopped = true;
            return None;
        }
        let tick = if self.frames.len() - self.free.len() > FEW {
            self.tick
        } else {
            Span::from_nanos(self.tick.as_nanos() / QUICKER)
        };
        self.sleep(now, now + if busy { tick } else { IDLE }, busy);
        let woken = self.clock.wake().max(now);
        self.take_frames(now, woken, came);
        // What is done with them takes its time, too.
        self.clock.expect(woken);
        Some(woken)
    }

    fn see(&mut self, captured: &Captured) {
        let Some(capture) = &mut self.written.capture else { return };
        let frame = match &captured.content {
            CapturedContent::Packet(packet) => packet.brought.map(|number| self.frames[number as usize].as_slice()),
            _ => None,
        };
        if let Err(error) = capture.write(captured, frame) {
            self.counts.write_error = Some(NetError::Capture(error));
            self.written.capture = None;
        }
    }

    fn take_back(&mut self, delivery: &Delivery) {
        let number = delivery.packet.number as u32;
        self.free.push(number);
        if delivery.fate != Fate::Arrived {
            return;
        }
        let frame = &mut self.frames[number as usize];
        if delivery.marked {
            frame::mark(frame);
        }
        let ends = &self.stage.layout.flows[delivery.flow];
        if self.pauses.has_events() && ends.tcp.is_some() && !delivery.packet.back {
            self.pauses.arrive(delivery.flow, delivery.packet.connection, delivery.at);
        }
        let to = if delivery.packet.back { ends.from } else { ends.to };
        let late = self.clock.now().since(delivery.at);
        self.counts.lateness.saturating_record(late.as_nanos());
        if !self.stage.stations[usize::from(to)].write(frame) {
            self.counts.refused_down += 1;
        }
    }
}
