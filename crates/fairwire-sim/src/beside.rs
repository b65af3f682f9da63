//! A way through time beside a clock: what comes from outside is brought, and what becomes of it is handed back.
//!
//! The simulation goes where the clock says; how long that takes, who sends what and what a tick is belongs to the
//! [`Outside`]. Nothing here reads a clock: it is asked. Packets that were written down and are brought once more give
//! the same record, whatever steps the clock took then.

use crate::brought::{BringError, BroughtPacket, Delivery};
use crate::captured::Captured;
use crate::network::NetworkSimulation;
use crate::ring::RingSimulation;
use fairwire_core::Instant;

/// A simulation that is taken through time in steps, and fed.
pub trait Steps {
    /// The present time: what happens before has happened, and nothing else.
    fn now(&self) -> Instant;
    /// When the run ends.
    fn end(&self) -> Instant;
    /// Goes on to `until`, or to the end if that is earlier.
    fn advance(&mut self, until: Instant);
    /// Brings a packet, which `flow` sends at the packet's time.
    ///
    /// # Errors
    /// [`BringError`] if it cannot be taken.
    fn inject(&mut self, flow: usize, packet: BroughtPacket) -> Result<(), BringError>;
    /// Hands back packets whose fate was decided before the present time, each once, in order of time.
    fn deliveries(&mut self) -> Vec<Delivery>;
    /// How many packets were brought and have not been handed back.
    fn outstanding(&self) -> usize;
    /// What captured links have begun to send before the present time, and not before the last call; in order of time. To
    /// be called before deliveries are.
    fn captured(&mut self) -> Vec<Captured>;
}

/// The same by another name, twice.
macro_rules! steps {
    ($simulation:ty) => {
        impl Steps for $simulation {
            fn now(&self) -> Instant {
                self.now()
            }
            fn end(&self) -> Instant {
                self.end()
            }
            fn advance(&mut self, until: Instant) {
                self.advance(until);
            }
            fn inject(&mut self, flow: usize, packet: BroughtPacket) -> Result<(), BringError> {
                self.inject(flow, packet)
            }
            fn deliveries(&mut self) -> Vec<Delivery> {
                self.deliveries()
            }
            fn outstanding(&self) -> usize {
                self.outstanding()
            }
            fn captured(&mut self) -> Vec<Captured> {
                self.captured()
            }
        }
    };
}

steps!(RingSimulation);
steps!(NetworkSimulation);

/// Who brings packets and takes them back: the owner of the clock.
pub trait Outside {
    /// Waits for a tick, or, while the simulation is not `busy` with any packet, until one comes.
    ///
    /// Answers the time that it is then, not before `now`, and puts what came meanwhile into `came`, with the flows' numbers:
    /// packets are sent at `now` or later, those of one flow and way in order of time. None ends the walk here.
    fn wait(&mut self, now: Instant, busy: bool, came: &mut Vec<(usize, BroughtPacket)>) -> Option<Instant>;

    /// A packet comes back: what became of it and when.
    fn take_back(&mut self, delivery: &Delivery);

    /// A captured link has sent something. Packets that were brought have not come back yet.
    fn see(&mut self, captured: &Captured) {
        let _ = captured;
    }
}

/// Walks `simulation` beside the clock of `outside`, to its end or until that has had enough. Packets that would be sent
/// after the end are left out.
///
/// # Errors
/// [`BringError`] for a packet that cannot be taken.
pub fn walk_beside(simulation: &mut impl Steps, outside: &mut impl Outside) -> Result<(), BringError> {
    let mut came = Vec::new();
    let end = simulation.end();
    while simulation.now() < end {
        let busy = simulation.outstanding() > 0;
        let Some(now) = outside.wait(simulation.now(), busy, &mut came) else { break };
        for (flow, packet) in came.drain(..).filter(|(_, packet)| packet.at < end) {
            simulation.inject(flow, packet)?;
        }
        simulation.advance(now);
        simulation.captured().iter().for_each(|captured| outside.see(captured));
        simulation.deliveries().iter().for_each(|delivery| outside.take_back(delivery));
    }
    Ok(())
}
