//! CoDel: controlled delay.
//!
//! If every packet of an interval has waited longer than the target, the queue is a
//! standing one; heads are then dropped, or marked, at a rate that grows with the
//! root of their number, until one has waited less.
//!
//! Source: RFC 8289. Chosen here: the largest packet is the largest seen; marks as in Linux.

use super::parts::codel_control::{Codel, CodelSettings, Deed};
use super::{DropReason, Limit, Order, QueueLaw, QueueSite, QueueView, QueuedPacket, Selection, Verdict};
use crate::LawAbout;
use fairwire_core::{Cx, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What CoDel may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// TARGET: waiting time that a standing queue may cause (RFC 8289 §4).
    pub target: Span,
    /// INTERVAL: for how long it must be exceeded; about the longest round trip (RFC 8289 §4).
    pub interval: Span,
    /// Whether capable packets are marked instead of dropped.
    pub ecn: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { target: Span::from_millis(5), interval: Span::from_millis(100), ecn: false }
    }
}

/// CoDel in front of one link.
#[derive(Clone, Debug)]
pub struct Law {
    limit: Limit,
    settings: CodelSettings,
    codel: Codel,
    largest: u32,
}

impl QueueLaw for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "codel",
        summary: "Drops heads, ever faster, while all packets of an interval have waited too long",
        source: "RFC 8289",
    };
    const ORDER: Order = Order::Chosen;

    fn problem(params: &Params) -> Option<String> {
        CodelSettings::problem(params.target, params.interval)
    }

    fn marking(params: &Params) -> Option<Params> {
        Some(Params { ecn: true, ..params.clone() })
    }

    fn new(params: &Params, site: &QueueSite) -> Self {
        let Params { target, interval, ecn } = *params;
        Self {
            limit: site.limit,
            settings: CodelSettings { target, interval, ecn },
            codel: Codel::default(),
            largest: 0,
        }
    }

    #[inline]
    fn on_arrival(&mut self, _cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict {
        self.largest = self.largest.max(packet.size_bytes);
        if self.limit.admits(queue.packets, queue.bytes, packet.size_bytes) {
            Verdict::ACCEPT
        } else {
            Verdict::Drop(DropReason::Full)
        }
    }

    #[inline]
    fn select(&mut self, cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Selection> {
        let lane = queue.lanes.lane(0);
        let head = lane.head()?;
        let deed = self.codel.judge(&self.settings, cx.now, lane, self.largest);
        if cx.is_watched() {
            cx.show("sojourn_ns", 0, cx.now.since(head.since).as_nanos() as f64);
            cx.show("is_dropping", 0, f64::from(u8::from(self.codel.is_dropping())));
        }
        Some(match deed {
            Deed::Send => Selection::Send { lane: 0, mark: false },
            Deed::Mark => Selection::Send { lane: 0, mark: true },
            Deed::Drop => Selection::Drop { lane: 0, reason: DropReason::Early },
        })
    }
}
