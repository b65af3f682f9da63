//! No control at all: the Gigabit-Ethernet ring of the papers.
//!
//! Every station sends as fast as its link, station and transit traffic share
//! one first-in-first-out queue, and who enters last gets most.
//!
//! Source: [dvsr] §VII-A1 ("GigE"), [rias-benchmark-slides] simulations I–VI.
//! The paper leaves the arbitration between equal arrival times open; transit
//! goes first here.

use super::{LawAbout, RingLaw, RingNeeds, RingSite, Sends, Weighing};
use crate::NoMessage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// There is nothing to set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// The law that does nothing.
#[derive(Clone, Debug)]
pub struct Law;

impl RingLaw for Law {
    type Params = Params;
    type Msg = NoMessage;

    const ABOUT: LawAbout = LawAbout {
        name: "fifo",
        summary: "No control: one first-in-first-out queue a link, as on a Gigabit-Ethernet ring",
        source: "[dvsr] §VII-A1",
    };

    const NEEDS: RingNeeds =
        RingNeeds { weighing: Weighing::Alike, holds_back: false, sends: Sends::Nothing, ..RingNeeds::PLAIN };

    fn new(_params: &Params, _site: RingSite) -> Self {
        Self
    }
}
