//! Drop-tail: first in, first out, and who finds the queue full is dropped.

use super::{DropReason, Limit, Order, QueueLaw, QueueSite, QueueView, QueuedPacket, Verdict};
use crate::LawAbout;
use fairwire_core::Cx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Drop-tail has nothing to set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// Drop-tail in front of one link.
#[derive(Clone, Debug)]
pub struct Law {
    limit: Limit,
}

impl QueueLaw for Law {
    type Params = Params;

    const ABOUT: LawAbout = LawAbout {
        name: "droptail",
        summary: "No management: who finds the queue full is dropped",
        source: "what [vrr-gateway] §I starts from",
    };
    const ORDER: Order = Order::Fifo;

    fn new(_params: &Params, site: &QueueSite) -> Self {
        Self { limit: site.limit }
    }

    #[inline]
    fn on_arrival(&mut self, _cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict {
        if self.limit.admits(queue.packets, queue.bytes, packet.size_bytes) {
            Verdict::ACCEPT
        } else {
            Verdict::Drop(DropReason::Full)
        }
    }
}
