//! WMFQC with grants: fairwire's own rate law. A link is never offered more than it has.

mod bandwidth;
mod bucket;
mod cell;
mod drain;
mod ledger;
mod source;

pub use cell::GrantCell;
pub use source::Source;

use super::lasting;
use super::longest::Longest;
use super::shares::Shares;
use super::total::Total;
use super::{Admission, PortSite, PortView, RateLaw, Refusal, Terms};
use crate::LawAbout;
use bandwidth::Bandwidth;
use bucket::Bucket;
use drain::{Drain, Queue};
use fairwire_core::{BitRate, Cx, FlowId, Instant, Span};
use ledger::Ledger;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two bottlenecks whose shares differ by less than this part have the same.
const SLACK: f64 = 1e-9;
/// So many packets of a flow may come at once: they may have waited elsewhere.
const BURST: f64 = 32.0;
/// Weight of a packet in the mean size of packets.
const SIZE_GAIN: f64 = 1.0 / 16.0;
/// No loop counts for more, in s.
const MOST_LOOP_S: f64 = 10.0;
/// For so many loops a confirmation is waited for.
const PATIENCE: u64 = 4;

/// What WMFQC with grants may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// GF: the part of the minimums that is kept beside them from traffic of higher priority.
    #[schemars(range(min = 0, max = 1))]
    pub guard: f64,
    /// Over this time it is measured what other traffic leaves.
    pub measure: Span,
    /// Who sends nothing for this long, and for some times its usual gap, no longer counts.
    pub idle_after: Span,
    /// Who has not confirmed a grant after this long is no longer waited for, nor after four of the longest loops that
    /// sources tell, if that is earlier.
    pub confirm_within: Span,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            guard: 0.05,
            measure: Span::from_millis(10),
            idle_after: Span::from_millis(100),
            confirm_within: Span::from_millis(500),
        }
    }
}

/// What a port keeps of a flow.
#[derive(Clone, Debug)]
struct Account {
    ledger: Ledger,
    bucket: Bucket,
    /// The loop that it told last, in s.
    loop_s: f64,
}

impl Account {
    /// What it holds times its loop, in bits.
    fn held_loop(&self) -> f64 {
        self.ledger.held_bps() * self.loop_s
    }
}

/// WMFQC with grants at one output port.
#[derive(Clone, Debug)]
pub struct Law {
    params: Params,
    capacity_bps: f64,
    bandwidth: Bandwidth,
    loops: Longest,
    drain: Drain,
    packet_bits: f64,
    flows: Shares<Account>,
    /// H: what all flows hold, in bit/s.
    held_bps: Total,
    /// The sum of what each holds times its loop, in bits.
    held_loops: Total,
}

impl Law {
    /// The bandwidth that is shared now, in bit/s: what there is, less what drains the queue.
    fn shared_bps(&mut self, now: Instant, port: &PortView) -> f64 {
        let available_bps = self.bandwidth.bps(now, port, self.reserved_bps());
        let excess_bps = (available_bps - self.flows.minimums_bps()).max(0.0);
        let queue = Queue {
            packets: port.packets,
            flows: self.flows.len() as u32,
            packet_bits: self.packet_bits,
            a_loop: self.usual_loop(),
            excess_bps,
        };
        available_bps - self.drain.kept_bps(now, &queue)
    }

    /// After so long most of the traffic is as it was told to be: the mean of all loops, by what flows hold.
    fn usual_loop(&self) -> Span {
        match self.held_bps.get() {
            held_bps if held_bps > 0.0 => Span::from_secs_f64((self.held_loops.get() / held_bps).max(0.0)),
            _ => Span::ZERO,
        }
    }

    /// Changes the account of a flow, and the sums over all by as much.
    fn change(&mut self, slot: u32, change: impl FnOnce(&mut Account)) {
        let Some(account) = self.flows.own_mut(slot) else { return };
        let before = (account.ledger.held_bps(), account.held_loop());
        change(account);
        let after = (account.ledger.held_bps(), account.held_loop());
        if after != before {
            self.held_bps.add(after.0 - before.0);
            self.held_loops.add(after.1 - before.1);
        }
    }

    /// Writes share and grant into a control packet of the flow.
    fn write(&mut self, now: Instant, slot: u32, message: &mut GrantCell, port: &PortView) {
        let shared_bps = self.shared_bps(now, port);
        message.explicit_bps = self.flows.explicit_bps(slot, shared_bps, message.explicit_bps);
        let Some(member) = self.flows.get(slot) else { return };
        let held_bps = member.own.own.ledger.held_bps();
        let room_bps = shared_bps - (self.held_bps.get() - held_bps);
        let share_bps = member.terms.minimum_bps + message.explicit_bps;
        // Nobody has to give back more than his share asks for because others hold too much.
        let granted_bps = share_bps.min(room_bps.max(held_bps));
        message.granted_bps = message.granted_bps.min(granted_bps);
    }

    fn forget(&mut self, flow: FlowId) {
        if let Some(account) = self.flows.close(flow) {
            self.held_bps.add(-account.ledger.held_bps());
            self.held_loops.add(-account.held_loop());
            if self.flows.len() == 0 {
                (self.held_bps, self.held_loops) = (Total::default(), Total::default());
            }
        }
    }

    fn confirm_within(&self) -> Span {
        match self.loops.get() {
            Span::ZERO => self.params.confirm_within,
            a_loop => (a_loop * PATIENCE).min(self.params.confirm_within),
        }
    }
}

impl RateLaw for Law {
    type Params = Params;
    type Message = GrantCell;
    type Source = Source;

    const ABOUT: LawAbout = LawAbout {
        name: "wmfqc-plus",
        summary: "WMFQC with grants: nobody is granted what others have not given back, so that queues stay empty",
        source: "fairwire, after [wmfqc]",
    };

    fn problem(params: &Params) -> Option<String> {
        if !(0.0..=1.0).contains(&params.guard) {
            return Some(format!("`guard` is {}; write a part from 0 to 1, such as 0.05", params.guard));
        }
        let times =
            [("measure", params.measure), ("idle-after", params.idle_after), ("confirm-within", params.confirm_within)];
        lasting::problem(&times)
    }

    fn new(params: &Params, site: &PortSite) -> Self {
        Self {
            params: params.clone(),
            capacity_bps: site.capacity.as_bps_f64(),
            bandwidth: Bandwidth::new(params.measure, site.start),
            loops: Longest::new(1.0, Span::from_micros(10), site.start),
            drain: Drain::new(site.start),
            packet_bits: 0.0,
            flows: Shares::new(SLACK, params.idle_after),
            held_bps: Total::default(),
            held_loops: Total::default(),
        }
    }

    fn turn(_params: &Params, terms: &Terms, message: &mut GrantCell) {
        message.explicit_bps = (terms.supported_bps - terms.minimum_bps).max(0.0);
        message.granted_bps = message.granted_bps.min(terms.supported_bps);
    }

    fn on_open(&mut self, cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
        let account = Account { ledger: Ledger::default(), bucket: Bucket::new(cx.now), loop_s: 0.0 };
        self.flows.open(cx.now, flow, terms, self.capacity_bps, account);
    }

    fn on_terms(&mut self, _cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
        self.flows.set_terms(flow, terms);
    }

    fn on_close(&mut self, _cx: &mut Cx<'_>, flow: FlowId) {
        self.forget(flow);
    }

    #[inline]
    fn on_data(&mut self, cx: &mut Cx<'_>, flow: FlowId, size_bytes: u32, _port: &PortView) -> Admission {
        let bits = f64::from(size_bytes) * 8.0;
        self.packet_bits += if self.packet_bits == 0.0 { bits } else { SIZE_GAIN * (bits - self.packet_bits) };
        let Some(slot) = self.flows.on_data(cx.now, flow) else { return Admission::AboveAllowed };
        let Some(account) = self.flows.own_mut(slot) else { return Admission::AboveAllowed };
        let held_bps = account.ledger.held_bps();
        match account.bucket.take(cx.now, bits, held_bps, BURST * bits) {
            true => Admission::Accept,
            false => Admission::AboveAllowed,
        }
    }

    fn on_forward(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        message: &mut GrantCell,
        port: &PortView,
    ) -> Result<(), Refusal> {
        let slot = self.flows.on_forward(cx.now, flow, message.number, message.explicit_bps)?;
        self.loops.rounds(cx.now);
        let loop_s = message.loop_s.min(MOST_LOOP_S);
        self.loops.tell(Span::from_secs_f64(loop_s));
        let (applied, used_bps, confirm_within) = (message.applied, message.current_bps, self.confirm_within());
        self.change(slot, |account| {
            account.ledger.confirm(applied, used_bps);
            account.ledger.forget(cx.now, confirm_within);
            account.loop_s = loop_s;
        });
        self.write(cx.now, slot, message, port);
        Ok(())
    }

    fn on_backward(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        message: &mut GrantCell,
        port: &PortView,
    ) -> Result<(), Refusal> {
        let slot = self.flows.on_backward(flow, message.number, message.explicit_bps)?;
        self.write(cx.now, slot, message, port);
        let (number, granted_bps) = (message.number, message.granted_bps);
        self.change(slot, |account| account.ledger.grant(cx.now, number, granted_bps));
        Ok(())
    }

    fn on_capacity(&mut self, _now: Instant, capacity: BitRate) {
        self.capacity_bps = capacity.as_bps_f64();
    }

    fn reserved_bps(&self) -> f64 {
        self.flows.minimums_bps() * (1.0 + self.params.guard)
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.flows.poll_timeout()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, _port: &PortView) {
        while let Some(flow) = self.flows.silent(cx.now) {
            self.forget(flow);
        }
    }

    fn violation(&self) -> Option<String> {
        let counted: f64 = self.flows.iter().map(|member| member.own.own.ledger.held_bps()).sum();
        let kept = self.held_bps.get();
        let same = (counted - kept).abs() <= 1e-9 * counted.max(1.0);
        let wrong = || format!("flows hold {counted} bit/s, but {kept} is what is kept");
        self.flows.violation().or_else(|| (!same).then(wrong))
    }

    fn flows(&self) -> usize {
        self.flows.len()
    }
}
