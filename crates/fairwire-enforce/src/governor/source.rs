//! The source of a flow that enters at a node: the law's own, for data that the kernel sends.

use super::demand::Demand;
use crate::counts::ClassCount;
use crate::plan::FlowPlan;
use fairwire_core::{BitRate, Instant, Span};
use fairwire_laws::rate::{Refusal, Sender, Terms};

/// This part of its safe rate a flow may always send, so that it is heard of even where a law would have it stop. Whoever sends
/// nothing is taken for one that can use as much: all who are silent keep no more than that from others.
const LEAST_PART: f64 = 1.0 / 32.0;

/// A limit that would move by less than this part stays: each that moves is a line for `tc`.
const STEADY: f64 = 1.0 / 1024.0;

/// The source of a flow, and its limit.
pub struct Source<'a> {
    plan: &'a FlowPlan,
    /// What was agreed for it, but that it has no use for more than its demand.
    terms: Terms,
    sender: Sender,
    demand: Demand,
    lease: Span,
    tick: Span,
    /// When a control packet came back last.
    heard: Instant,
    leased: bool,
    /// No control packet leaves before.
    quiet_until: Instant,
    looked: Instant,
    sent_packets: u32,
    /// Which life of the source this is, and the number of its last control packet, from 1 on.
    life: u64,
    number: u32,
    holds: BitRate,
}

impl<'a> Source<'a> {
    /// A source that has sent nothing, in a `life` of its own. Until it is answered it has its safe rate.
    pub fn new(plan: &'a FlowPlan, lease: Span, tick: Span, life: u64) -> Self {
        let least_bps = plan.terms.minimum_bps.max(plan.safe.as_bps_f64() * LEAST_PART);
        Self {
            plan,
            terms: plan.terms,
            sender: Sender::new(&plan.law, &plan.sending, &plan.terms),
            demand: Demand::new(least_bps, plan.terms.peak_bps),
            lease,
            tick,
            heard: Instant::ZERO,
            leased: false,
            quiet_until: Instant::ZERO,
            looked: Instant::ZERO,
            sent_packets: 0,
            life,
            number: 0,
            holds: plan.safe,
        }
    }

    /// It begins.
    pub fn start(&mut self, now: Instant, count: &ClassCount) {
        self.demand.start(now, count);
        (self.looked, self.sent_packets) = (now, count.sent_packets);
        self.sender.start(now, Instant::NEVER, None);
    }

    /// Its class has counted so much.
    pub fn look(&mut self, now: Instant, count: &ClassCount) {
        self.sender.on_sent(count.sent_packets.wrapping_sub(self.sent_packets).into());
        (self.looked, self.sent_packets) = (now, count.sent_packets);
        if let Some(peak_bps) = self.demand.look(now, count) {
            self.terms.peak_bps = peak_bps;
            self.sender.on_terms(now, &self.terms);
        }
    }

    /// When there is something to do without a message.
    pub fn due_at(&self) -> Instant {
        let control = self.sender.control_due_at().max(self.quiet_until);
        self.lease_ends_at().min(control).min(self.demand.look_at(self.looked))
    }

    fn lease_ends_at(&self) -> Instant {
        if self.leased { self.heard + self.lease } else { Instant::NEVER }
    }

    /// Does what is due: life and number of the control packet that leaves, if one does, which stands in `bytes`.
    pub fn advance(&mut self, now: Instant, bytes: &mut Vec<u8>) -> Option<(u64, u32)> {
        if self.lease_ends_at() <= now {
            self.begin_anew(now);
        }
        let leaves = self.quiet_until <= now && self.sender.take_control(now, bytes);
        leaves.then(|| {
            self.quiet_until = now + self.tick;
            self.number = self.number.saturating_add(1);
            (self.life, self.number)
        })
    }

    /// The lease is over: the law's source is another one, and what is still under way answers nobody.
    fn begin_anew(&mut self, now: Instant) {
        self.leased = false;
        (self.life, self.number) = (self.life.wrapping_add(1), 0);
        self.sender = Sender::new(&self.plan.law, &self.plan.sending, &self.terms);
        self.sender.start(now, Instant::NEVER, None);
    }

    /// A control packet has come back, with its number. What a port tells by itself, with number 0, is heeded but renews no
    /// lease: it says nothing of the rest of the way.
    ///
    /// # Errors
    /// [`Refusal`] if it answers nothing that was asked: then it tells nothing.
    pub fn on_return(&mut self, now: Instant, number: u32, bytes: &[u8]) -> Result<(), Refusal> {
        self.sender.on_return(now, bytes)?;
        if number > 0 {
            (self.heard, self.leased) = (now, true);
        }
        Ok(())
    }

    /// Whether its limit is the law's, and not its safe rate.
    pub const fn is_leased(&self) -> bool {
        self.leased
    }

    /// What it has at most.
    pub const fn limit(&self) -> BitRate {
        self.holds
    }

    /// Its limit, if that is another than before by more than next to nothing.
    pub fn moved(&mut self) -> Option<BitRate> {
        let law = || BitRate::from_bps(self.sender.allowed_bps() as u64).max(self.plan.safe.scaled(LEAST_PART));
        let wants = if self.leased { law() } else { self.plan.safe };
        let moves = (wants.as_bps_f64() - self.holds.as_bps_f64()).abs() > STEADY * self.holds.as_bps_f64();
        moves.then(|| {
            self.holds = wants;
            wants
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::{NETWORK, scenario};
    use crate::governor::lab::plans;
    use fairwire_laws::rate::RateMessage;
    use fairwire_laws::rate::wmfqc_plus::GrantCell;

    const LEASE: Span = Span::from_millis(500);
    const LIFE: u64 = 7;

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    /// A source that has begun, and sent nothing.
    fn begun(flow: &FlowPlan) -> Source<'_> {
        let mut source = Source::new(flow, LEASE, Span::from_millis(10), LIFE);
        source.start(ms(0), &ClassCount::default());
        source
    }

    /// The first control packet, as it comes back.
    fn answer(source: &mut Source<'_>, now: Instant) -> (u32, Vec<u8>) {
        let mut bytes = Vec::new();
        let (_, number) = source.advance(now, &mut bytes).expect("it asks");
        source.plan.law.turn(&source.plan.terms, &mut bytes).expect("it is turned");
        (number, bytes)
    }

    fn mbps(source: &mut Source<'_>) -> f64 {
        source.moved();
        (source.limit().as_bps_f64() / 1e4).round() / 100.0
    }

    #[test]
    fn a_lease_begins_with_an_answer_and_what_a_port_tells_by_itself_does_not_renew_it() {
        let plans = plans(&scenario(NETWORK));
        let mut source = begun(&plans[0].flows[&0]);
        assert_eq!((mbps(&mut source), source.is_leased()), (6.67, false), "its safe rate");
        let (number, bytes) = answer(&mut source, ms(0));
        source.on_return(ms(5), number, &bytes).expect("an answer");
        assert_eq!((mbps(&mut source), source.is_leased()), (20.0, true));
        assert!(source.on_return(ms(6), number, &bytes).is_err(), "once is enough");

        let mut notice = GrantCell::read(&bytes).expect("the law's");
        (notice.notice, notice.explicit_bps, notice.granted_bps) = (true, 4e6, 4e6);
        let mut told = Vec::new();
        notice.write(&mut told);
        source.on_return(ms(400), 0, &told).expect("a notice");
        assert_eq!((mbps(&mut source), source.is_leased()), (4.0, true), "it is heeded");
        source.advance(ms(505), &mut Vec::new());
        assert_eq!((mbps(&mut source), source.is_leased()), (6.67, false), "500 ms after the answer");
    }

    #[test]
    fn after_a_silence_a_source_begins_another_life() {
        let plans = plans(&scenario(NETWORK));
        let mut source = begun(&plans[0].flows[&0]);
        let (number, bytes) = answer(&mut source, ms(0));
        source.on_return(ms(5), number, &bytes).expect("an answer");
        let mut bytes = Vec::new();
        let lives: Vec<_> = (1..80).filter_map(|ten| source.advance(ms(10 * ten), &mut bytes)).collect();
        let numbers = |life| lives.iter().filter(move |(of, _)| *of == life).map(|(_, number)| *number);
        assert!(numbers(LIFE).eq(2..7) && numbers(LIFE + 1).take(3).eq(1..4), "{lives:?}");
    }

    #[test]
    fn control_packets_leave_no_sooner_than_a_tick_after_each_other() {
        let plans = plans(&scenario(NETWORK));
        let mut source = begun(&plans[0].flows[&0]);
        let (number, bytes) = answer(&mut source, ms(0));
        source.on_return(ms(1), number, &bytes).expect("an answer");
        let mut bytes = Vec::new();
        let leaves = |at: u64| {
            // A thousand packets a millisecond.
            source.look(ms(at), &ClassCount { sent_packets: at as u32 * 1_000, ..ClassCount::default() });
            source.advance(ms(at), &mut bytes).map(|_| at)
        };
        assert_eq!((1..=40).filter_map(leaves).collect::<Vec<_>>(), [10, 20, 30, 40]);
    }
}
