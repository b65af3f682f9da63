//! What a station can tell without going on: when something next happens there, and
//! until when it sends nothing new.

use super::Station;
use crate::ring::protection::Wrap;
use crate::ring::wire::Wire;
use fairwire_core::Ringlet;
use fairwire_laws::ring::Sends;

impl Station {
    /// When something next happens here, as far as is known now: when each link looks for a packet, and when the first of
    /// all else comes. The next packets that links have to look for arrive at `passing_at`; who wraps, looks for all.
    #[inline]
    pub fn next_at(&self, passing_at: [u64; 2], inbound: [&Wire; 2]) -> ([u64; 2], u64) {
        let services = |at: [u64; 2]| Ringlet::BOTH.map(|on| self.sides[on.index()].mac.next_service(at[on.index()]));
        if !self.wraps() {
            return (services(passing_at), self.next_event::<false>(inbound).0);
        }
        let arriving_at = inbound.map(|wire| wire.data.next_at());
        (self.or_turning(services(arriving_at), Wrap::next_at), self.next_event::<true>(inbound).0)
    }

    /// Nothing leaves here on `ringlet` sooner than this but what is already on its wire, if nothing unknown
    /// arrives before `arriving`.
    #[inline]
    pub fn earliest_send(&self, ringlet: Ringlet, inbound: [&Wire; 2], arriving: [u64; 2]) -> u64 {
        if self.wraps() {
            return self.earliest_wrapping_send(ringlet, inbound, arriving);
        }
        self.earliest_send_as::<false>(ringlet, inbound, arriving)
    }

    #[inline(always)]
    pub fn earliest_send_as<const WRAPS: bool>(
        &self,
        ringlet: Ringlet,
        inbound: [&Wire; 2],
        arriving: [u64; 2],
    ) -> u64 {
        let (on, opposite) = (ringlet.index(), ringlet.opposite().index());
        let mac = &self.sides[on].mac;
        if mac.has_to_send() {
            return mac.link.free_at();
        }
        let advised = self.only_advice();
        if advised && !mac.packets_pass {
            // Advice goes nowhere.
            let laws = self.sides[0].timeout.min(self.sides[1].timeout).min(self.next_change_at());
            return mac.link.free_at().max(laws);
        }
        // Data and frames that arrive here, and own packets, may go on at once.
        let passing = inbound[on].data.next_at().min(inbound[on].next_frame_at()).min(arriving[on]);
        // Either ringlet's law sends on the other, and may let own packets go sooner on its own.
        let laws =
            self.sides[0].timeout.min(self.sides[1].timeout).min(self.protection_at()).min(self.next_change_at());
        // Whoever answers here, or acts by itself, may have something to send at once.
        let answers = match &self.ends {
            Some(ends) => ends.next(self.ending_at::<WRAPS>(inbound)).0.min(arriving[0]).min(arriving[1]),
            None => u64::MAX,
        };
        let freed = if advised || (mac.adds_nothing() && self.needs.sends != Sends::BothWays && self.guard.is_none()) {
            u64::MAX
        } else {
            inbound[opposite].next_frame_at().min(arriving[opposite])
        };
        mac.link.free_at().max(passing.min(mac.next_own_at()).min(laws).min(answers).min(freed))
    }
}
