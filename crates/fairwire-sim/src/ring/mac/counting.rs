//! What of the packets is counted for the law, and how the law sees the link and the transit queues.
//!
//! On rings that carry nothing but class C the link knows itself what it has sent. What is counted there packet by packet is
//! what the law asks for, and the loops that packets go through are built for that.

use super::{Mac, Road, TransitQueue};
use crate::ring::books::Ledger;
use crate::ring::wire::Packet;
use fairwire_core::{Bytes, Instant};
use fairwire_laws::ring::{Counters, LinkCounters, LinkView, Sending, TransitView};

/// What arrives, by ingress.
pub(super) const ARRIVED: u8 = 1;
/// What the station itself has sent.
pub(super) const ADDED: u8 = 2;
/// And whose packets are sent, and how far they still go; and there may be control messages among the packets.
pub(super) const SORTED: u8 = 4;
/// Likewise, and packets of the station itself may come by in transit: what every packet is has to be looked up.
pub(super) const ALL: u8 = 8;

/// What is counted at one link.
pub(super) struct Counting {
    /// Where nothing but class C is carried: [`ARRIVED`], [`ADDED`], [`SORTED`], or none of them; or [`ALL`].
    pub of_class_c: u8,
    /// The packet that the link began to send last, where no more is kept of it than that ([`ADDED`], [`SORTED`]).
    pub last: Option<Packet>,
}

impl Counting {
    /// Of a law that reads the `wanted` counters.
    pub fn of(wanted: Counters) -> Self {
        let Counters { arrived_by_ingress, added_and_forwarded, sent_by_ingress, forwarded_by_hops, sending, .. } =
            wanted;
        let sorted = sent_by_ingress || forwarded_by_hops;
        let added = added_and_forwarded || sending || sorted;
        let kinds = [(arrived_by_ingress, ARRIVED), (added, ADDED), (sorted, SORTED)];
        let of_class_c = kinds.into_iter().filter(|(wanted, _)| *wanted).fold(0, |all, (_, kind)| all | kind);
        Self { of_class_c, last: None }
    }
}

impl Mac {
    /// Laws may send control messages among the packets.
    pub fn carry_letters(&mut self) {
        self.counting.of_class_c |= SORTED | ADDED;
        self.find_road();
    }

    /// Packets may come by where they have been before.
    pub fn carry_returning(&mut self) {
        self.counting.of_class_c = ALL;
        self.find_road();
    }

    /// The link begins to send `packet` of a ring that carries nothing but class C.
    #[inline(always)]
    pub(super) fn count_sent<const TCP: bool, const COUNT: u8>(
        counters: &mut LinkCounters,
        packet: &Packet,
        ledger: &Ledger,
    ) {
        if COUNT & ALL > 0 {
            counters.send_in_full(&ledger.best_effort_meta::<TCP>(packet));
        } else if COUNT & SORTED > 0 {
            counters.send_sorted(&ledger.best_effort_meta::<TCP>(packet));
        }
    }

    /// `packet` of such a ring reaches the link's scheduler.
    #[inline(always)]
    pub(super) fn count_arrival<const TCP: bool, const COUNT: u8>(
        counters: &mut LinkCounters,
        packet: &Packet,
        ledger: &Ledger,
    ) {
        if COUNT & (ARRIVED | ALL) > 0 {
            counters.arrive(&ledger.best_effort_meta::<TCP>(packet));
        }
    }

    /// The outgoing link and the transit queues as a law sees them at `now`, with all arrivals taken in.
    #[inline(always)]
    pub fn views(&mut self, now: u64, ledger: &Ledger) -> (LinkView, TransitView) {
        let (primary, secondary) = (self.queue.waiting(), Bytes::new(self.secondary_bytes()));
        let waiting = primary + secondary;
        let busy_since = self.link.busy_since(now, waiting == Bytes::ZERO).map(Instant::from_nanos);
        if self.road != Road::Split {
            // There is nothing but class C, and the link knows itself what it has sent.
            self.counters.set_sent(self.link.data_bytes());
        }
        let left = self.counters.wanted().sending.then(|| self.link.left_of_packet(now)).flatten();
        let sending = left.and_then(|left| match self.counting.last {
            Some(last) => Some(Sending::new(ledger.best_effort_meta::<false>(&last), left)),
            None => self.counters.sending(left),
        });
        let queue = self.split.as_deref_mut().and_then(|split| split.secondary.as_mut());
        let asked = queue.filter(|_| self.counters.wanted().secondary_deepest);
        let secondary_deepest = asked.map_or(secondary, TransitQueue::look);
        (LinkView { waiting, busy_since, sending }, TransitView { primary, secondary, secondary_deepest })
    }
}
