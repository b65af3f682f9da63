//! What a law needs of its ring: the protocol's own facts, which every driver has to heed.

use super::{Datapath, Weighing};

/// What a law needs of its ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingNeeds {
    /// The transit path that the law is described for, which a scenario that
    /// names none gets.
    pub datapath: Datapath,
    /// What the weights of stations mean to the law.
    pub weighing: Weighing,
    /// Whether the law holds upstream stations back, so that the links that they share have room for those downstream.
    pub holds_back: bool,
    /// Whether the law keeps what stations are promised as ingresses
    /// ([`super::RingSite::minimum`]).
    pub keeps_minima: bool,
    /// Whether the law limits what a station adds altogether
    /// ([`super::RingAction::SetStationRate`], [`super::RingAction::SetBeyondRate`]), which a
    /// station does only where its packets wait for their turn at the link.
    pub limits_together: bool,
    /// To whom the law sends messages.
    pub sends: Sends,
    /// Whether what the law sends upstream circulates and may turn round where the
    /// ring is open, to pass all stations again on its way to the other end. If not,
    /// it goes there without anybody reading it.
    pub turns: bool,
}

/// To whom a law sends messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sends {
    /// To nobody.
    Nothing,
    /// To the next station upstream.
    Upstream,
    /// To the next stations upstream and downstream.
    BothWays,
}

/// Which counters of [`super::LinkTraffic`] a driver has to keep. It may keep more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// What arrived by ingress.
    pub arrived_by_ingress: bool,
    /// What arrived and is reclaimable.
    pub arrived_reclaimable: bool,
    /// What was sent.
    pub sent: bool,
    /// What was added and what was forwarded.
    pub added_and_forwarded: bool,
    /// What was sent by ingress.
    pub sent_by_ingress: bool,
    /// What was forwarded by the links that it still crosses.
    pub forwarded_by_hops: bool,
    /// Not a counter: which packet the link is sending, and how much of it is left ([`super::LinkView::sending`]).
    pub sending: bool,
    /// Nor is this: the most that waited in the secondary transit queue ([`super::TransitView::secondary_deepest`]).
    pub secondary_deepest: bool,
}

impl RingNeeds {
    /// Any weights, upstream stations held back, one transit queue that the station's packets join, and messages to the next
    /// station upstream.
    pub const PLAIN: Self = Self {
        datapath: Datapath::Merged,
        weighing: Weighing::Any,
        holds_back: true,
        keeps_minima: false,
        limits_together: false,
        sends: Sends::Upstream,
        turns: false,
    };
}

impl Counters {
    /// None at all.
    pub const NONE: Self = Self {
        arrived_by_ingress: false,
        arrived_reclaimable: false,
        sent: false,
        added_and_forwarded: false,
        sent_by_ingress: false,
        forwarded_by_hops: false,
        sending: false,
        secondary_deepest: false,
    };

    /// Whether anything that arrives is counted.
    #[inline]
    pub const fn counts_arrivals(self) -> bool {
        self.arrived_by_ingress || self.arrived_reclaimable
    }

    /// Whether anything that is sent is counted.
    #[inline]
    pub const fn counts_sent(self) -> bool {
        self.sent || self.sorts_by_station()
    }

    /// Whether it matters from which station it is.
    #[inline]
    pub const fn sorts_by_station(self) -> bool {
        self.added_and_forwarded || self.sent_by_ingress || self.forwarded_by_hops || self.sending
    }
}
