//! The sending end of a flow under a rate law: when packets leave, and which of them are control packets.

use super::{AnyRateSource, Farewell, FirstRate, RateLawChoice, Refusal, Terms};
use fairwire_core::{Instant, Span};
use prefetch_index::prefetch_index;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::mem::offset_of;
use std::slice;

mod counted;

/// However slow a flow is, a control packet leaves so often: 100 ms, as TRM has it in ATM. Without it a source that is
/// told to stop would never hear that it may go on.
const STARVED_AFTER: Span = Span::from_millis(100);

/// Who asks and hears nothing asks again once so many packets could have left at his peak rate. So askers are few beside
/// the packets that come after them, and do not meet in the queue of a slow link.
const PACKETS_AN_ASK: f64 = 16.0;

/// So many control packets may leave before their turn; each of them puts those that follow off by as many data packets
/// as lie between two.
const MOST_EARLY: i32 = 4;

/// How a source sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SendingPlan {
    /// Size of a data packet in bytes; at least 1.
    pub packet_bytes: u16,
    /// One of so many packets is a control packet; at least 2.
    pub control_every: u32,
    /// A control packet leaves when none has left for so long, if `control_least` data packets have.
    pub control_within: Option<Span>,
    /// So many data packets leave between two control packets at least, unless none has left for 100 ms, or for
    /// `control_within` if that is longer.
    pub control_least: u32,
    /// The rate at which it begins.
    pub first: FirstRate,
    /// What a changed rate does to the packet that is due next.
    pub on_change: OnChange,
    /// How the source behaves.
    pub manner: Manner,
}

/// What a changed rate does to the packet that is due next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnChange {
    /// It leaves as the new rate has it, counted from the packet before.
    #[default]
    Reschedule,
    /// It leaves when the old rate had it, as in [wmfqc] §5.
    Keep,
}

/// How a source behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Manner {
    /// As the law wants it.
    #[default]
    Honest,
    /// It sends at its peak rate, whatever it is told.
    IgnoresRates,
    /// It claims twice the minimum that was admitted; a tenth of its peak rate if none was.
    ClaimsMinimum,
    /// It confirms nothing.
    ConfirmsNothing,
    /// It ends without a word.
    Vanishes,
}

/// A packet that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// Data.
    Data,
    /// A control packet, whose bytes stand in the buffer that was lent.
    Control,
}

/// The sending end of one flow. Its driver wakes it at the time that [`Sender::poll_timeout`] tells, takes the packet, and
/// hands it the control packets that come back.
///
/// Fields stand in the order of how often they are needed. With thousands of flows each packet's sender comes from afar: a
/// data packet needs the first 96 bytes, and only a control packet the terms and the source itself.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub struct Sender {
    /// AR, as the sender's manner has it. This, when it asks and whether it may send data is what the source said of itself
    /// when it was last told something.
    allowed_bps: f64,
    /// When it asks, if it `asks`.
    asks_at: Instant,
    /// When the next packet is due by rate, in ns; infinite if never.
    next_ns: f64,
    /// When the last packet left, and its size in bits.
    last_ns: f64,
    last_bits: f64,
    /// When it is to stop.
    stop: Instant,
    control_at: Instant,
    /// Data packets that it has still to send; [`NO_END`] if there is no last one.
    remaining: u64,
    /// See [`SendingPlan::control_within`]; [`NEVER_BY_TIME`] for none.
    control_within: Span,
    control_every: u32,
    control_least: i32,
    /// Data packets since the last control packet; less than none after control packets that left before their turn.
    since_control: i32,
    packet_bytes: u16,
    /// Packets sent since the flow came on, 255 at most. Packet 0 is data, packet 1 a control packet.
    index: u8,
    asks: bool,
    may_send_data: bool,
    state: State,
    farewell: Farewell,
    on_change: OnChange,
    manner: Manner,
    terms: Terms,
    source: AnyRateSource,
}

const _: () = assert!(offset_of!(Sender, terms) <= 96);

/// So many packets never come to an end.
const NO_END: u64 = u64::MAX;

/// No control packet leaves because none has left for so long.
const NEVER_BY_TIME: Span = Span::from_nanos(u64::MAX);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The flow has not come on, or is over.
    Off,
    On,
    /// Its last packet has left, a control packet. When the flow stops another one says so again.
    SaysAgain,
}

impl Sender {
    /// A sender that is off.
    pub fn new(law: &RateLawChoice, plan: &SendingPlan, terms: &Terms) -> Self {
        let claimed = claimed(plan.manner, terms);
        let mut source = law.source(&claimed, plan.first);
        if plan.manner == Manner::ConfirmsNothing {
            source.confirm_nothing();
        }
        let mut sender = Self {
            allowed_bps: 0.0,
            asks_at: Instant::NEVER,
            asks: false,
            may_send_data: false,
            farewell: law.farewell(),
            source,
            packet_bytes: plan.packet_bytes,
            control_within: plan.control_within.unwrap_or(NEVER_BY_TIME),
            control_every: plan.control_every,
            control_least: plan.control_least as i32,
            on_change: plan.on_change,
            manner: plan.manner,
            terms: claimed,
            state: State::Off,
            stop: Instant::NEVER,
            remaining: NO_END,
            next_ns: f64::INFINITY,
            last_ns: 0.0,
            last_bits: 0.0,
            since_control: 0,
            control_at: Instant::ZERO,
            index: 0,
        };
        sender.hear();
        sender
    }

    /// The flow comes on at `now` and stops at `stop`, or when it has sent so many data `packets`, if that is told.
    pub fn start(&mut self, now: Instant, stop: Instant, packets: Option<u64>) {
        self.state = if now < stop && packets != Some(0) { State::On } else { State::Off };
        (self.stop, self.remaining) = (stop, packets.unwrap_or(NO_END));
        self.next_ns = now.as_nanos() as f64;
        (self.since_control, self.control_at, self.index, self.last_bits) = (0, now, 0, 0.0);
        let packets_s = self.terms.peak_bps / (f64::from(self.packet_bytes) * 8.0);
        self.source.on_start(now, Span::from_secs_f64(PACKETS_AN_ASK / packets_s.max(1.0)));
        self.hear();
    }

    /// The source was told something: what it says of itself now.
    fn hear(&mut self) {
        let ignores = self.manner == Manner::IgnoresRates;
        self.allowed_bps = if ignores { self.terms.peak_bps } else { self.source.allowed_bps() };
        self.asks_at = self.source.asks_at().unwrap_or(Instant::NEVER);
        self.asks = self.source.asks_at().is_some();
        self.may_send_data = ignores || self.source.may_send_data();
    }

    /// It will soon be asked: what it needs for a data packet is fetched into the cache.
    pub fn look_ahead(&self) {
        prefetch_index(slice::from_ref(&self.allowed_bps), 0);
        prefetch_index(slice::from_ref(&self.manner), 0);
    }

    /// A control packet will soon come back: what tells the source is fetched, too.
    pub fn look_at_source(&self) {
        self.look_ahead();
        prefetch_index(slice::from_ref(&self.terms), 0);
        prefetch_index(slice::from_ref(&self.source), 0);
    }

    /// Size of a data packet in bytes.
    #[inline]
    pub fn packet_bytes(&self) -> u16 {
        self.packet_bytes
    }

    /// When the flow stops, or has stopped.
    pub fn stops_at(&self) -> Instant {
        self.stop
    }

    /// Whether it has more to send.
    pub fn is_on(&self) -> bool {
        self.state != State::Off
    }

    /// AR: the rate that the source keeps to, in bit/s.
    #[inline]
    pub fn allowed_bps(&self) -> f64 {
        self.allowed_bps
    }

    /// The whole nanosecond in which the next packet is due by rate, the last one there is if never.
    #[inline]
    fn due_in(&self) -> u64 {
        self.next_ns as u64
    }

    /// When the next packet leaves, [`Instant::NEVER`] if never. A time that has passed is now.
    #[inline]
    pub fn poll_timeout(&self) -> Instant {
        match self.state {
            State::Off => return Instant::NEVER,
            State::SaysAgain => return self.stop,
            State::On => {}
        }
        let asks_alone = self.asks_alone();
        let by_rate = match self.next_ns {
            next_ns if next_ns < u64::MAX as f64 && !asks_alone => Instant::from_nanos(next_ns as u64),
            _ => Instant::NEVER,
        };
        // Who has no rate and asks is not starved.
        let starved = if asks_alone { Instant::NEVER } else { self.control_at + self.starved_after() };
        by_rate.min(self.asks_at).min(starved).min(self.stop)
    }

    /// Whether it has no rate yet, and asks for one.
    #[inline]
    fn asks_alone(&self) -> bool {
        self.asks && !self.may_send_data
    }

    /// After so long a control packet leaves in any case. Who may send nothing has no data packets to wait for.
    #[inline]
    fn starved_after(&self) -> Span {
        match self.control_within {
            NEVER_BY_TIME => STARVED_AFTER,
            within if self.allowed_bps() == 0.0 => within,
            within => within.max(STARVED_AFTER),
        }
    }

    /// Whether the packet that has just left is the last one: the next one is due after the stop. Who has no rate yet
    /// does not know that, and says farewell by a control packet when the time comes.
    fn was_last(&self) -> bool {
        let knows = self.may_send_data && self.allowed_bps() > 0.0;
        self.farewell != Farewell::ControlPacket && knows && self.poll_timeout() >= self.stop
    }

    /// A packet has said that the flow ends.
    fn said_farewell(&mut self, leaving: Leaving) {
        let is_first = leaving == Leaving::Control && self.state == State::On;
        let again = is_first && self.farewell == Farewell::Twice && self.manner != Manner::Vanishes;
        self.state = if again { State::SaysAgain } else { State::Off };
    }

    /// Passes over a time in which the flow is silent: nothing leaves before `resumes`.
    pub fn pause(&mut self, resumes: Instant) {
        if resumes == Instant::NEVER {
            self.state = State::Off;
        }
        self.next_ns = self.next_ns.max(resumes.as_nanos() as f64);
        self.control_at = self.control_at.max(resumes);
        self.source.on_pause(resumes);
        self.hear();
    }

    /// The packet that leaves at `now`, which is the time that was told, or a later one; and whether it is the last of the
    /// flow. A control packet is written into `bytes`. None if the flow has come to its end.
    pub fn take(&mut self, now: Instant, bytes: &mut Vec<u8>) -> Option<(Leaving, bool)> {
        if self.state == State::Off || (self.state == State::SaysAgain && now < self.stop) {
            return None;
        }
        if now >= self.stop {
            self.said_farewell(Leaving::Control);
            if self.manner == Manner::Vanishes {
                return None;
            }
            self.source.write(now, true, bytes);
            self.hear();
            return Some((Leaving::Control, true));
        }
        let asks = self.asks && now >= self.asks_at;
        let leaving = if asks || self.is_control_due(now) { Leaving::Control } else { Leaving::Data };
        let size = match leaving {
            Leaving::Data => {
                self.since_control += 1;
                if self.remaining != NO_END {
                    self.remaining = self.remaining.saturating_sub(1);
                }
                u32::from(self.packet_bytes)
            }
            Leaving::Control => {
                self.write_control(now, asks, bytes);
                bytes.len() as u32
            }
        };
        self.index = self.index.saturating_add(1);
        self.schedule(now, f64::from(size) * 8.0);
        if self.remaining == 0 {
            // What is left to say is said at once.
            self.stop = now;
        }
        let is_last = self.was_last();
        if is_last {
            self.said_farewell(leaving);
        }
        Some((leaving, is_last && self.manner != Manner::Vanishes))
    }

    /// A control packet leaves at `now`, before its turn if it `asks`.
    fn write_control(&mut self, now: Instant, asks: bool, bytes: &mut Vec<u8>) {
        self.source.write(now, false, bytes);
        self.hear();
        self.control_at = now;
        // A request sent early delays the next control packets, so that they remain the same part of all packets.
        let least = self.control_least;
        let early = asks && self.since_control < least;
        self.since_control = if early { (self.since_control - least).max(-MOST_EARLY * least) } else { 0 };
    }

    /// Whether enough data packets have left since the last control packet.
    fn is_control_due_by_count(&self) -> bool {
        self.index == 1 || self.since_control + 1 >= self.control_every as i32
    }

    fn is_control_due(&self, now: Instant) -> bool {
        let silent = now.since(self.control_at);
        let by_time = silent >= self.control_within;
        let enough = self.since_control >= self.control_least;
        // Who may send no data has only control packets to ask with.
        !self.may_send_data
            || self.allowed_bps() == 0.0
            || self.is_control_due_by_count()
            || (by_time && enough && self.index > 0)
            || silent >= self.starved_after()
    }

    /// A packet of `bits` left at `now`: when the next one does.
    fn schedule(&mut self, now: Instant, bits: f64) {
        if self.asks_alone() {
            // The bits of requests are added to those of the first data packet: they count once there is a rate.
            (self.last_ns, self.next_ns) = (now.as_nanos() as f64, f64::INFINITY);
            self.last_bits += bits;
            return;
        }
        if self.may_send_data && self.next_ns.is_finite() && now.as_nanos() < self.due_in() {
            // It left between two packets, which are so much further apart.
            self.last_bits += bits;
            self.next_ns = match (self.on_change, self.allowed_bps()) {
                (OnChange::Keep, allowed) if allowed > 0.0 => self.next_ns + bits / allowed * 1e9,
                _ => self.due_after_last(),
            };
            return;
        }
        // A driver that is late does not make up for it; one in time keeps the fraction of a nanosecond.
        let left_ns = if self.due_in() == now.as_nanos() { self.next_ns } else { now.as_nanos() as f64 };
        (self.last_ns, self.last_bits) = (left_ns, bits);
        self.next_ns = self.due_after_last();
    }

    fn due_after_last(&self) -> f64 {
        match self.allowed_bps() {
            allowed if allowed > 0.0 => self.last_ns + self.last_bits / allowed * 1e9,
            _ => f64::INFINITY,
        }
    }

    /// A control packet came back: whether the allowed rate is another than before.
    ///
    /// # Errors
    /// [`Refusal`] if it is none that the source can have sent.
    pub fn on_return(&mut self, now: Instant, bytes: &[u8]) -> Result<bool, Refusal> {
        let (before, could) = (self.source.allowed_bps(), self.source.may_send_data());
        self.source.on_return(now, bytes)?;
        self.hear();
        Ok(self.after_change(now, before, could))
    }

    /// The flow has other terms: whether the allowed rate is another than before.
    pub fn on_terms(&mut self, now: Instant, terms: &Terms) -> bool {
        let (before, could) = (self.source.allowed_bps(), self.source.may_send_data());
        self.terms = claimed(self.manner, terms);
        self.source.on_terms(&self.terms);
        self.hear();
        self.after_change(now, before, could)
    }

    fn after_change(&mut self, now: Instant, before_bps: f64, could_send: bool) -> bool {
        let changed = self.source.allowed_bps() != before_bps;
        let keeps = self.on_change == OnChange::Keep && before_bps > 0.0;
        if !could_send && self.source.asks_at().is_some() {
            self.last_ns = now.as_nanos() as f64;
        }
        if self.is_on() && ((changed && !keeps) || could_send != self.source.may_send_data()) {
            self.next_ns = self.due_after_last().max(now.as_nanos() as f64);
        }
        changed
    }
}

/// The terms as the source tells them.
fn claimed(manner: Manner, terms: &Terms) -> Terms {
    let minimum_bps = match manner {
        Manner::ClaimsMinimum if terms.minimum_bps > 0.0 => 2.0 * terms.minimum_bps,
        Manner::ClaimsMinimum => terms.peak_bps / 10.0,
        _ => terms.minimum_bps,
    };
    Terms { minimum_bps: minimum_bps.min(terms.most_bps().max(terms.minimum_bps)), ..*terms }
}
