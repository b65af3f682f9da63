//! s-PERC: exact weighted max-min rates with minimums, and nothing of a flow is kept in switches.
//!
//! A control packet carries what each port on its way knows of its flow: whether the port counts it as held elsewhere or
//! here, and what it takes. The port itself has sums. When the packet passes, the port takes the flow out of its sums,
//! works out what the others leave, and puts it in again as what it is now.
//!
//! | rule | source |
//! | --- | --- |
//! | b = (C − SumE) / W_B: what the flows held here get, if this one is held here, too | s-PERC, Algorithm 1 |
//! | b ≥ C / W, where W are the weights of all: fair rates never leave less, but sums may while they move | ours |
//! | e: the least that the source, the destination and the other hops may give | s-PERC, Algorithm 1 |
//! | e < b: the flow is held elsewhere and takes e; else it is held here | s-PERC, Algorithm 1 |
//! | MaxE: the largest e of those held elsewhere, in this round and the last | s-PERC, Algorithm 1 |
//! | p = b, but a port whose b is below MaxE is not believed: p = ∞ | s-PERC, Algorithm 1 |
//! | b, e and p are rates for each unit of weight, beyond the minimum; C = ABW − Σ MR | ours, as in WMFQC |
//! | ER = the least of w·min(b, e), AR = min(PR, MR + ER) | ours, as in WMFQC |
//! | both directions look at a packet | ours |
//! | a round of MaxE lasts 1.25 times the longest time between two visits of one flow, as sources promise it | ours |
//! | sums are counted anew in rounds of their own, and count from the next one on | ours: the paper loses no packet |
//! | one packet of a flow at a time carries states; if it is lost, the source tells those before | ours |
//! | what a source tells in doubt is counted anew at once | ours |
//! | a source sends its states on as soon as they are back while its rate changes, and when it has promised to at the latest | ours |
//! | a port tags the states that it writes, and refuses others | ours |
//!
//! A packet knows how many hops it has passed. On its way out it comes to its next hop, whose state is the next one in the
//! packet, or none yet; on its way back it comes to the hops in reverse.
//!
//! **A flow that ends** takes itself out of all sums with its last packet. If that is lost, or it ends without a word, it is
//! no longer counted after two rounds. A packet that is lost between two ports leaves a flow counted otherwise than its
//! source believes; that heals the same way.
//!
//! **A false state** has no tag of the port, and is refused. What a liar can do is to tell a state of its own twice, or none
//! where it has one: then it is counted twice, until two rounds later.

mod cell;
mod source;
mod sums;
mod tag;

pub use cell::{HopState, MOST_HOPS, PercCell};
pub use source::Source;

use super::parts::available::Available;
use super::parts::lasting;
use super::parts::longest_time::LongestTime;
use super::{Admission, PortSite, PortView, RateLaw, Refusal, Terms};
use crate::LawAbout;
use fairwire_core::{BitRate, Cx, FlowId, Instant, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use sums::Counted;
use tag::Secret;

/// MaxE is forgotten after rounds of so many of the longest loops: queues move them a little.
const STRETCH: f64 = 1.25;
/// Sums are counted anew over so many of them: packets that are lost put a visit off.
const RECOUNT_STRETCH: f64 = 4.0;
/// A round is not shorter.
const LEAST_ROUND: Span = Span::from_micros(10);
/// Who is counted wrongly may be so in the round that goes on, too: sums are right after the second recount.
const DOUBTFUL_ROUNDS: u32 = 2;
/// Shares of two ports that differ by less than this part are one.
const SLACK: f64 = 1e-9;

/// What s-PERC may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// Sums are counted anew over this time, or over four of the longest loops that sources tell, if that is longer. Who
    /// is not heard for so long is forgotten.
    pub recount: Span,
    /// For how long the port measures the bandwidth that other traffic leaves. Above 0 s.
    pub measure: Span,
}

impl Default for Params {
    fn default() -> Self {
        Self { recount: Span::from_millis(100), measure: Span::from_millis(10) }
    }
}

/// s-PERC at one output port.
#[derive(Clone, Debug)]
pub struct Law {
    available: Available,
    /// Rounds of MaxE, and those in which sums are counted anew.
    rounds: LongestTime,
    recounts: LongestTime,
    counted: Counted,
    /// MaxE' and MaxE, in bit/s a unit of weight: the largest e in this round, and in the one before or this.
    most_elsewhere: [f64; 2],
    secret: Secret,
    /// For so many rounds of counting sums may still be wrong: a source has told states that may not be what was counted.
    doubts: u32,
    /// Flows that have ended in this round of counting and in the one before: what is still under way of them does not
    /// count.
    ended: [BTreeSet<FlowId>; 2],
}

/// What a port gives a flow, in bit/s a unit of weight.
struct Offer {
    /// b: what it would get if it were held here.
    here: f64,
    /// e: what it can get elsewhere.
    elsewhere: f64,
}

impl Law {
    /// A packet with states is at the hop whose number is `at`.
    fn visit(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        cell: &mut PercCell,
        at: usize,
        port: &PortView,
    ) -> Result<(), Refusal> {
        let before = cell.hops.get(at).copied();
        if before.is_some_and(|state| self.secret.tag(cx.rng, flow, &state) != state.tag) {
            return Err(Refusal::Checksum);
        }
        self.pass_rounds(cx.now);
        let a_loop = Span::from_secs_f64(cell.loop_s);
        self.rounds.tell(a_loop);
        self.recounts.tell(a_loop);
        let counted_anew = before.is_some_and(|state| self.counted.take_out(&state));
        if cell.last {
            return Ok(());
        }
        let offer = self.offer(cx.now, cell, at, port);
        let mut state = self.decide(&offer, cell);
        self.counted.put_in(&mut state, counted_anew || cell.backward);
        state.tag = self.secret.tag(cx.rng, flow, &state);
        match cell.hops.get_mut(at) {
            Some(hop) => *hop = state,
            None => cell.hops.push(state),
        }
        let given_bps = cell.weight * offer.here.min(offer.elsewhere);
        cell.explicit_bps = cell.explicit_bps.min(given_bps);
        Ok(())
    }

    fn offer(&mut self, now: Instant, cell: &PercCell, at: usize, port: &PortView) -> Offer {
        let minimums_bps = self.counted.minimums_bps() + cell.minimum_bps;
        let available_bps = self.available.bps(now, port, minimums_bps);
        let excess_bps = (available_bps - minimums_bps).max(0.0);
        let left_bps = (excess_bps - self.counted.excess_bps()).max(0.0);
        let equal = excess_bps / (self.counted.all_weights() + cell.weight);
        let others = cell.hops.iter().enumerate().filter(|(hop, _)| *hop != at).map(|(_, state)| state.offers);
        Offer {
            here: (left_bps / (self.counted.weights() + cell.weight)).max(equal),
            elsewhere: others.fold(cell.most_bps / cell.weight, f64::min),
        }
    }

    /// Where the flow is held.
    fn decide(&mut self, offer: &Offer, cell: &PercCell) -> HopState {
        let elsewhere = offer.elsewhere < offer.here;
        if elsewhere {
            for most in &mut self.most_elsewhere {
                *most = most.max(offer.elsewhere);
            }
        }
        let believed = offer.here >= self.most_elsewhere[1] * (1.0 - SLACK);
        HopState {
            elsewhere,
            round: 0,
            excess_bps: if elsewhere { cell.weight * offer.elsewhere } else { 0.0 },
            weight: cell.weight,
            minimum_bps: cell.minimum_bps,
            offers: if believed { offer.here } else { f64::INFINITY },
            tag: 0,
        }
    }

    fn pass_rounds(&mut self, now: Instant) {
        for _ in 0..self.rounds.rounds(now) {
            self.most_elsewhere = [0.0, self.most_elsewhere[0]];
        }
        // What is in doubt is counted anew as soon as all have come by.
        let recounts = match self.doubts {
            0 => self.recounts.rounds(now),
            _ => self.recounts.rounds_of(now, LEAST_ROUND),
        };
        for _ in 0..recounts {
            self.doubts = self.doubts.saturating_sub(1);
            self.counted.next_round();
            self.ended[1] = std::mem::take(&mut self.ended[0]);
        }
    }
}

impl RateLaw for Law {
    type Params = Params;
    type Message = PercCell;
    type Source = Source;

    const ABOUT: LawAbout = LawAbout {
        name: "s-perc",
        summary: "Exact rates by minimums and weights without flow state in switches: control packets carry it",
        source: "Jose, Ibanez, Alizadeh and McKeown, s-PERC (2019); minimums, weights and lost packets: fairwire",
    };

    fn problem(params: &Params) -> Option<String> {
        lasting::problem(&[("recount", params.recount), ("measure", params.measure)])
    }

    fn new(params: &Params, site: &PortSite) -> Self {
        Self {
            available: Available::new(params.measure, site.start),
            rounds: LongestTime::new(STRETCH, LEAST_ROUND, site.start),
            recounts: LongestTime::new(RECOUNT_STRETCH, params.recount, site.start),
            counted: Counted::default(),
            most_elsewhere: [0.0; 2],
            doubts: 0,
            secret: Secret::default(),
            ended: [BTreeSet::new(), BTreeSet::new()],
        }
    }

    fn turn(_params: &Params, terms: &Terms, message: &mut PercCell) {
        message.most_bps = message.most_bps.min(terms.most_excess_bps());
        message.explicit_bps = message.explicit_bps.min(message.most_bps);
    }

    fn on_open(&mut self, _cx: &mut Cx<'_>, flow: FlowId, _terms: &Terms) {
        for ended in &mut self.ended {
            ended.remove(&flow);
        }
    }

    fn on_terms(&mut self, _cx: &mut Cx<'_>, _flow: FlowId, _terms: &Terms) {}

    fn on_close(&mut self, _cx: &mut Cx<'_>, flow: FlowId) {
        self.ended[0].insert(flow);
    }

    fn on_data(&mut self, _cx: &mut Cx<'_>, _flow: FlowId, _size_bytes: u32, _port: &PortView) -> Admission {
        Admission::Accept
    }

    fn on_forward(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        message: &mut PercCell,
        port: &PortView,
    ) -> Result<(), Refusal> {
        if message.doubtful {
            self.doubts = DOUBTFUL_ROUNDS;
        }
        if !message.carries_states {
            return Ok(());
        }
        if message.passed == MOST_HOPS {
            return Err(Refusal::Field);
        }
        self.visit(cx, flow, message, message.passed, port)?;
        message.passed = (message.passed + 1).min(message.hops.len());
        Ok(())
    }

    fn on_backward(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        message: &mut PercCell,
        port: &PortView,
    ) -> Result<(), Refusal> {
        // A farewell that was the first control packet has no states.
        if message.last || !message.carries_states {
            return Ok(());
        }
        message.passed = message.passed.checked_sub(1).ok_or(Refusal::Field)?;
        if self.ended.iter().any(|ended| ended.contains(&flow)) {
            return Ok(());
        }
        self.visit(cx, flow, message, message.passed, port)
    }

    fn on_capacity(&mut self, _now: Instant, _capacity: BitRate) {}

    fn reserved_bps(&self) -> f64 {
        self.counted.minimums_bps()
    }

    fn flows(&self) -> usize {
        0
    }
}
