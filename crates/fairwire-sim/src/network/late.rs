//! A queue that serves in the order of arrival: departures are told late.

use super::books::Depth;
use super::ledger::{Ledger, Owner};
use super::link::{Arriving, Common, Outcome};
use super::packet::Packet;
use crate::brought::Fate;
use crate::line::Line;
use fairwire_core::FlowId;
use fairwire_laws::queue::{Lanes, QueueView, QueuedPacket, Verdict};

/// What has been accepted and of whose departure the law was not told.
#[derive(Debug)]
pub struct Late {
    waiting: Line<Waiting>,
    bytes: u64,
    /// Whether the link is idle and the law knows it.
    idle: bool,
    /// Such a law sees no lanes.
    no_lanes: Lanes,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    since: u64,
    /// When its transmission begins.
    start: u64,
    queued: QueuedPacket,
    owner: Owner,
    /// Whether it will be lost on the link.
    lost: bool,
}

impl Late {
    pub fn new() -> Self {
        Self { waiting: Line::new(), bytes: 0, idle: true, no_lanes: Lanes::default() }
    }

    #[inline(always)]
    pub fn depth(&self) -> Depth {
        Depth { packets: self.waiting.len() as u32, bytes: self.bytes }
    }

    /// Packets that wait at `now`, and the one in transmission.
    #[inline]
    pub fn packets_and_one_sent(&mut self, link: &mut Common, now: u64, ledger: &mut Ledger) -> u32 {
        self.catch_up(link, now, ledger);
        self.waiting.len() as u32 + u32::from(link.transmitter.free_at > now)
    }

    #[inline(always)]
    fn view(&self) -> QueueView<'_> {
        let Depth { packets, bytes } = self.depth();
        QueueView { packets, bytes, lanes: &self.no_lanes }
    }

    #[inline(always)]
    pub fn arrive(
        &mut self,
        link: &mut Common,
        now: u64,
        packet: &mut Packet,
        arriving: &Arriving,
        ledger: &mut Ledger,
    ) -> Outcome {
        self.catch_up(link, now, ledger);
        link.arrive(now, self.depth().packets);
        let Arriving { queued, owner } = arriving;
        let view = self.view();
        match link.ask(now, queued, &view) {
            Verdict::Drop(reason) => {
                link.books.drop(reason);
                ledger.drop(*owner, now);
                return Outcome::Gone(Fate::Dropped, now);
            }
            Verdict::Accept { mark: true, .. } => link.mark(packet, *owner, ledger),
            Verdict::Accept { .. } => {}
        }
        self.idle = false;
        let start = link.transmitter.free_at.max(now);
        let arrival = link.transmitter.send(start, queued.size_bytes);
        let lost = arrival.is_none();
        if start > now {
            self.waiting.push(Waiting { since: now, start, queued: *queued, owner: *owner, lost });
            self.bytes += u64::from(queued.size_bytes);
            link.deepen(self.depth());
        } else {
            link.books.depart(now, now, queued.size_bytes);
            if lost {
                link.books.lost += 1;
                ledger.lose(*owner, now);
            }
            let view = self.view();
            link.tell_departure(now, queued, &view);
            link.after_leaving(queued.flow, || self.holds(queued.flow));
        }
        arrival.map_or(Outcome::Gone(Fate::Lost, start), Outcome::Sent)
    }

    /// Tells the law all that happened up to and including `until`: departures first,
    /// then timeouts.
    #[inline(always)]
    pub fn catch_up(&mut self, link: &mut Common, until: u64, ledger: &mut Ledger) {
        loop {
            let next = match self.waiting.front() {
                Some(waiting) => waiting.start,
                None if self.idle => u64::MAX,
                None => link.transmitter.free_at,
            };
            if next > until && link.timeout > until {
                return;
            }
            if link.timeout < next {
                self.time_out(link);
            } else if let Some(waiting) = self.waiting.pop() {
                link.books.reach(waiting.start, self.depth().packets + 1);
                self.bytes -= u64::from(waiting.queued.size_bytes);
                self.depart(link, &waiting, ledger);
            } else {
                self.idle = true;
                link.tell_idle(next);
            }
        }
    }

    #[inline(always)]
    fn depart(&mut self, link: &mut Common, waiting: &Waiting, ledger: &mut Ledger) {
        link.books.depart(waiting.since, waiting.start, waiting.queued.size_bytes);
        if waiting.lost {
            link.books.lost += 1;
            ledger.lose(waiting.owner, waiting.start);
        }
        let view = self.view();
        link.tell_departure(waiting.start, &waiting.queued, &view);
        link.after_leaving(waiting.queued.flow, || self.holds(waiting.queued.flow));
    }

    #[cold]
    fn time_out(&mut self, link: &mut Common) {
        let now = link.timeout;
        link.books.reach(now, self.depth().packets);
        let view = self.view();
        link.call(now, |law, cx| law.handle_timeout(cx, &view));
        link.after_timeout(now);
    }

    /// Tells what happened before `reached`.
    pub fn catch_up_before(&mut self, link: &mut Common, reached: u64, ledger: &mut Ledger) {
        if let Some(last) = reached.checked_sub(1) {
            self.catch_up(link, last, ledger);
        }
    }

    /// Tells what happened before `reached`, and accounts for what waits then.
    pub fn finish(&mut self, link: &mut Common, reached: u64, ledger: &mut Ledger) {
        self.catch_up_before(link, reached, ledger);
        self.waiting.iter().for_each(|waiting| {
            link.books.waited(waiting.since, reached, waiting.queued.size_bytes);
        });
    }

    /// Owners of packets that will be lost, and so are on no wire.
    pub fn lost_owners(&self) -> impl Iterator<Item = Owner> {
        self.waiting.iter().filter(|waiting| waiting.lost).map(|waiting| waiting.owner)
    }

    /// Whether a packet of `flow` waits.
    pub fn holds(&self, flow: FlowId) -> bool {
        self.waiting.iter().any(|waiting| waiting.queued.flow == flow)
    }

    /// What waits, counted anew.
    pub fn count(&self) -> Depth {
        let bytes = self.waiting.iter().map(|waiting| u64::from(waiting.queued.size_bytes)).sum();
        Depth { packets: self.waiting.len() as u32, bytes }
    }
}
