//! wmfqc-plus, fairwire's own rate law: WMFQC's shares, and grants on top of them, so that a link is never offered more
//! than it has.
//!
//! ER is WMFQC's. Beside it a control packet carries GR, what the flow is granted: its share, and no more than the port
//! has left beside what the other flows *hold*. A flow holds what it says that it uses, or the largest grant that it has
//! not confirmed. Sources ask first, confirm at once what they give back, and ask again at the pace of the round trip
//! while they are granted less than their share. What comes above grants is dropped.
//!
//! Source: fairwire, after [wmfqc] §3; `docs/laws/wmfqc-plus.md` has all rules, the reasons, and why queues stay short.

mod bandwidth;
mod bucket;
mod cell;
mod drain;
mod ledger;
mod notices;
mod source;

pub use cell::GrantCell;
pub use source::Source;

use super::parts::active::earlier;
use super::parts::lasting;
use super::parts::longest_time::LongestTime;
use super::parts::shares::Shares;
use super::parts::total::Total;
use super::{Admission, PortSite, PortView, RateLaw, Refusal, Terms};
use crate::{LawAbout, WireMessage};
use bandwidth::Bandwidth;
use bucket::Bucket;
use drain::{Drain, Queue};
use fairwire_core::{BitRate, Cx, FlowId, Instant, Span};
use ledger::Ledger;
use notices::{Known, LOOKED_AT, Need, Notices};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Two bottlenecks whose shares differ by less than this part have the same.
const SLACK: f64 = 1e-9;
/// So many packets of a flow may come at once: they may have waited elsewhere.
const BURST: f64 = 32.0;
/// Who sends as much as he may is not to be stopped by what he once sent too early.
const LENIENT: f64 = 1.0 + 1.0 / 128.0;
/// A port answers control packets of a flow up to this part of the rate that the flow holds (ours).
const CONTROL_PART: f64 = 0.125;
/// It answers this many more a second (ours).
const CONTROL_LEAST_HZ: f64 = 2000.0;
/// And this many at once (ours).
const CONTROL_BURST: f64 = 32.0;
/// Weight of a packet in the mean size of packets.
const SIZE_GAIN: f64 = 1.0 / 16.0;
/// A loop that is told as longer counts as this long, in s.
const MOST_LOOP_S: f64 = 10.0;
/// A port waits for a confirmation for this many of the longest loops.
const PATIENCE: u64 = 4;

/// What WMFQC with grants may be set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// GF: the part of the minimums that is kept beside them from traffic of higher priority.
    #[schemars(range(min = 0, max = 1))]
    pub guard: f64,
    /// For how long the port measures the bandwidth that other traffic leaves. Above 0 s.
    pub measure: Span,
    /// A flow no longer counts after this long without a packet, or after four of its usual gaps if that is longer. Above 0 s.
    pub idle_after: Span,
    /// The port waits this long for a flow to confirm a grant. Of a flow that has told its loop time, the port waits for four of
    /// the longest loop times told, if that is less. Above 0 s.
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
    data: Bucket,
    control: Bucket,
    /// The loop that it told last, in s.
    loop_s: f64,
    known: Known,
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
    loops: LongestTime,
    drain: Drain,
    packet_bits: f64,
    flows: Shares<Account>,
    /// H: what all flows hold, in bit/s.
    held_bps: Total,
    /// The sum of what each holds times its loop, in bits.
    held_loops: Total,
    notices: Notices,
    /// Notices that are to be sent.
    ready: VecDeque<(FlowId, GrantCell)>,
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
            // A difference would be rounded: the old part goes, then the new one comes.
            self.held_bps.add(-before.0);
            self.held_bps.add(after.0);
            self.held_loops.add(-before.1);
            self.held_loops.add(after.1);
        }
    }

    /// Writes share and grant into a control packet of the flow.
    fn write(&mut self, now: Instant, slot: u32, message: &mut GrantCell, port: &PortView) {
        let shared_bps = self.shared_bps(now, port);
        message.explicit_bps = self.flows.explicit_bps(slot, shared_bps, message.explicit_bps);
        self.notices.see(now, self.flows.level(shared_bps), self.flows.slots());
        let Some(member) = self.flows.get(slot) else { return };
        let held_bps = member.own.own.ledger.held_bps();
        let room_bps = shared_bps - (self.held_bps.get() - held_bps);
        let share_bps = member.terms.minimum_bps + message.explicit_bps;
        // Nobody has to give back more than his share asks for because others hold too much.
        let granted_bps = share_bps.min(room_bps.max(held_bps));
        message.granted_bps = message.granted_bps.min(granted_bps);
    }

    /// Whether the flow may send another control packet.
    fn admits_control(&mut self, now: Instant, slot: u32, size_bytes: usize) -> bool {
        let Some(account) = self.flows.own_mut(slot) else { return false };
        let bits = size_bytes as f64 * 8.0;
        let held_bps = account.ledger.held_bps();
        let rate_bps = held_bps * CONTROL_PART + bits * CONTROL_LEAST_HZ;
        let passes = account.control.take(now, bits, rate_bps, CONTROL_BURST * bits);
        if passes && held_bps > 0.0 {
            account.data.pay(bits, BURST * self.packet_bits);
        }
        passes
    }

    /// Looks at some flows, if it is time to, and sends notices to those that should know of another share.
    fn look_at_flows(&mut self, now: Instant, port: &PortView) {
        if self.notices.poll_timeout().is_none_or(|at| now < at) {
            return;
        }
        // A driver that does not ask for notices gets none.
        self.ready.clear();
        let shared_bps = self.shared_bps(now, port);
        let (level_bps, slots) = (self.flows.level(shared_bps), self.flows.slots());
        self.notices.see(now, level_bps, slots);
        for slot in self.notices.next_slots(slots) {
            let Some(member) = self.flows.get(slot) else { continue };
            let (flow, number) = (member.flow, member.numbers.last_forward());
            let explicit_bps = (level_bps * member.terms.weight).min(member.own.limits.least_bps());
            let share_bps = member.terms.minimum_bps + explicit_bps;
            let (mut known, loop_s) = (member.own.own.known, member.own.own.loop_s);
            match self.notices.need(now, &known, loop_s, share_bps, member.numbers.is_under_way()) {
                Need::Now if number > 0 => {
                    self.notices.sent(now, &mut known, share_bps);
                    self.ready.push_back((flow, GrantCell::notice(number, explicit_bps, share_bps)));
                }
                Need::Later => self.notices.later(),
                Need::Now | Need::No => {}
            }
            if let Some(account) = self.flows.own_mut(slot) {
                account.known = known;
            }
        }
        let turn = Span::from_secs_f64(f64::from(LOOKED_AT) * GrantCell::BITS / self.capacity_bps);
        self.notices.go_on(now, turn, slots);
    }

    fn forget(&mut self, now: Instant, flow: FlowId) {
        self.notices.look(now);
        if let Some(account) = self.flows.close(flow) {
            self.held_bps.add(-account.ledger.held_bps());
            self.held_loops.add(-account.held_loop());
            if self.flows.len() == 0 {
                (self.held_bps, self.held_loops) = (Total::default(), Total::default());
            }
        }
    }

    /// For how long a confirmation is waited for from a flow that told this loop, 0 for none.
    fn confirm_within(&self, loop_s: f64) -> Span {
        match loop_s {
            0.0 => self.params.confirm_within,
            told_s => (self.loops.get().max(Span::from_secs_f64(told_s)) * PATIENCE).min(self.params.confirm_within),
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
            loops: LongestTime::new(1.0, Span::from_micros(10), site.start),
            drain: Drain::new(site.start),
            packet_bits: 0.0,
            flows: Shares::new(SLACK, params.idle_after),
            held_bps: Total::default(),
            held_loops: Total::default(),
            notices: Notices::new(site.start),
            ready: VecDeque::new(),
        }
    }

    fn turn(_params: &Params, terms: &Terms, message: &mut GrantCell) {
        message.explicit_bps = (terms.supported_bps - terms.minimum_bps).max(0.0);
        message.granted_bps = message.granted_bps.min(terms.supported_bps);
    }

    fn on_open(&mut self, cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
        let account = Account {
            ledger: Ledger::default(),
            data: Bucket::new(cx.now),
            control: Bucket::new(cx.now),
            loop_s: 0.0,
            known: Known::default(),
        };
        self.flows.open(cx.now, flow, terms, self.capacity_bps, account);
        self.notices.pay(cx.now, true, self.flows.len());
        self.notices.look(cx.now);
    }

    fn on_terms(&mut self, cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
        self.flows.set_terms(flow, terms);
        self.notices.look(cx.now);
    }

    fn on_close(&mut self, cx: &mut Cx<'_>, flow: FlowId) {
        self.forget(cx.now, flow);
    }

    #[inline]
    fn on_data(&mut self, cx: &mut Cx<'_>, flow: FlowId, size_bytes: u32, _port: &PortView) -> Admission {
        let bits = f64::from(size_bytes) * 8.0;
        self.packet_bits += if self.packet_bits == 0.0 { bits } else { SIZE_GAIN * (bits - self.packet_bits) };
        self.notices.pay(cx.now, false, self.flows.len());
        let Some(slot) = self.flows.on_data(cx.now, flow) else { return Admission::AboveAllowed };
        let Some(account) = self.flows.own_mut(slot) else { return Admission::AboveAllowed };
        let held_bps = account.ledger.held_bps();
        match account.data.take(cx.now, bits, held_bps * LENIENT, BURST * bits) {
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
        if !self.admits_control(cx.now, slot, message.wire_bytes()) {
            return Err(Refusal::AboveAllowed);
        }
        self.loops.rounds(cx.now);
        let loop_s = message.loop_s.min(MOST_LOOP_S);
        self.loops.tell(Span::from_secs_f64(loop_s));
        if let Some(account) = self.flows.own_mut(slot) {
            self.notices.heard(cx.now, &mut account.known);
        }
        let (applied, used_bps, confirm_within) = (message.applied, message.current_bps, self.confirm_within(loop_s));
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
        if message.notice {
            // What another port tells is between it and the source.
            return Ok(());
        }
        let slot = self.flows.on_backward(flow, message.number, message.explicit_bps)?;
        self.write(cx.now, slot, message, port);
        let GrantCell { number, explicit_bps, granted_bps, .. } = *message;
        let minimum_bps = self.flows.get(slot).map_or(0.0, |member| member.terms.minimum_bps);
        self.change(slot, |account| {
            account.ledger.grant(cx.now, number, granted_bps);
            account.known.told_bps = minimum_bps + explicit_bps;
        });
        Ok(())
    }

    #[inline]
    fn look_ahead(&self, flow: FlowId, control: bool) {
        self.flows.look_ahead(flow, control);
    }

    fn on_capacity(&mut self, now: Instant, capacity: BitRate) {
        self.capacity_bps = capacity.as_bps_f64();
        self.notices.look(now);
    }

    fn reserved_bps(&self) -> f64 {
        self.flows.minimums_bps() * (1.0 + self.params.guard)
    }

    fn poll_timeout(&self) -> Option<Instant> {
        earlier(self.flows.poll_timeout(), self.notices.poll_timeout())
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, port: &PortView) {
        while let Some(flow) = self.flows.silent(cx.now) {
            self.forget(cx.now, flow);
        }
        self.look_at_flows(cx.now, port);
    }

    const SENDS_NOTICES: bool = true;

    fn poll_notice(&mut self) -> Option<(FlowId, GrantCell)> {
        self.ready.pop_front()
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
