//! Those who send and receive: sockets in the stations' namespaces, driven by the simulator's own sources and schedules.

mod connections;
mod datagrams;
mod poller;

use super::stage::Stage;
use crate::clock::Follower;
use crate::error::NetError;
use crate::options::TcpCounts;
use crate::stamp::AHEAD;
use connections::Connections;
use datagrams::Datagrams;
use fairwire_core::{Instant, Span};
use fairwire_laws::transport::KernelControl;
use fairwire_sim::{Maker, MicroFlowMaker};
use poller::Poller;
use std::sync::atomic::{AtomicBool, Ordering};

/// Senders look no more often: who is woken for every packet starves on few processors.
const TICK: Span = Span::from_micros(100);
/// Datagrams are sent so early that those who send nothing else need not look as often: this and the most that they may be
/// woken late ([`crate::clock::MOST_GAP`]) is less than [`AHEAD`].
const DATAGRAM_TICK: Span = Span::from_micros(400);
/// And no less often.
const LONGEST: Span = Span::from_millis(5);

/// All senders and receivers of a run.
pub struct Traffic<'a> {
    datagrams: Datagrams,
    connections: Connections<'a>,
    poller: Poller,
    end: Instant,
}

/// What they did.
#[derive(Debug, Default)]
pub struct Done {
    /// Datagrams that were due.
    pub due: u64,
    /// Of these, not sent.
    pub not_sent: u64,
    /// By flow.
    pub tcp: Vec<TcpCounts>,
}

impl<'a> Traffic<'a> {
    /// Opens sockets for what `makers` send until `end`.
    pub fn open(
        stage: &'a Stage,
        makers: Vec<MicroFlowMaker>,
        tcp: Option<KernelControl>,
        end: Instant,
    ) -> Result<Self, NetError> {
        let mut poller = Poller::new()?;
        let mut datagrams = Datagrams::new();
        let mut connections = Connections::listen(stage, tcp, &mut poller)?;
        for MicroFlowMaker { flow, maker, .. } in makers {
            match maker {
                Maker::Datagrams(maker) => datagrams.add(stage, flow, *maker)?,
                Maker::Connections(maker) => connections.add(flow, *maker),
            }
        }
        stage.home.go()?;
        Ok(Self { datagrams, connections, poller, end })
    }

    /// Sends and receives by this clock until `finished` or the end. The calling thread changes namespaces.
    pub fn work(mut self, clock: &Follower, finished: &AtomicBool) -> Done {
        // Programs of others do not wait for those who have nothing to send, nor does the clock.
        let has_to_send = self.datagrams.next_at().min(self.connections.next_at()) < Instant::NEVER;
        let tick = if self.connections.are_any() { TICK } else { DATAGRAM_TICK };
        while !finished.load(Ordering::Acquire) {
            let now = clock.now();
            if has_to_send {
                clock.expect(now);
            }
            let ahead = now + AHEAD;
            self.datagrams.send_due(ahead.min(self.end));
            self.connections.act(now.min(self.end), &mut self.poller);
            let next = self.datagrams.next_at().since(ahead).min(self.connections.next_at().since(now));
            let left = next.clamp(tick, LONGEST);
            if has_to_send {
                clock.expect(clock.now() + left);
            }
            for event in self.poller.wait(left) {
                self.connections.on_event(event, clock.now(), &mut self.poller);
            }
        }
        clock.leave();
        let (due, not_sent) = self.datagrams.count_until(clock.now().min(self.end));
        Done { due, not_sent, tcp: self.connections.finish() }
    }
}
