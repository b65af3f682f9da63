//! Who takes part: every rate law of the list under each manner of sending, and no law at all.

use fairwire_core::Span;
use fairwire_laws::rate::{FirstRate, Manner, OnChange, Packets, RateLawChoice, SendingPlan};

/// How the sources of an entrant send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sources {
    /// Its name on the board.
    pub name: &'static str,
    /// The rate at which a flow begins.
    pub first: FirstRate,
    /// One of so many packets is a control packet.
    pub control_every: u32,
    /// A control packet leaves when none has left for so long ...
    pub control_within: Option<Span>,
    /// ... if so many data packets have.
    pub control_least: u32,
    /// What a changed rate does to the packet that is due next.
    pub on_change: OnChange,
}

/// The manners of sending, those of the paper first. With 16 data packets between two control packets these are no more
/// than 6 % of all.
pub const SOURCES: [Sources; 3] = [
    Sources {
        name: "peak",
        first: FirstRate::Peak,
        control_every: 30,
        control_within: None,
        control_least: 0,
        on_change: OnChange::Keep,
    },
    Sources { name: "minimum", first: FirstRate::Minimum, ..BY_TIME },
    Sources { name: "ask", first: FirstRate::Ask, ..BY_TIME },
];

const BY_TIME: Sources = Sources {
    name: "",
    first: FirstRate::Ask,
    control_every: 30,
    control_within: Some(Span::from_micros(500)),
    control_least: 16,
    on_change: OnChange::Reschedule,
};

/// However slow a flow is, a control packet leaves so often, unless `control_within` is longer.
const STARVED_AFTER: Span = Span::from_millis(100);

impl Sources {
    /// How a source sends.
    pub fn sending(&self, packet_bytes: u16) -> SendingPlan {
        SendingPlan {
            packet_bytes,
            control_every: self.control_every,
            control_within: self.control_within,
            control_least: self.control_least,
            first: self.first,
            on_change: self.on_change,
            manner: Manner::Honest,
        }
    }

    /// The time in s between two control packets of a flow of this rate.
    pub fn between_controls_s(&self, packet_bytes: u16, rate_bps: f64) -> f64 {
        let packets_s = |packets: u32| f64::from(packets) * f64::from(packet_bytes) * 8.0 / rate_bps;
        let by_count = packets_s(self.control_every);
        let by_time = self.control_within.map(|within| within.as_secs_f64().max(packets_s(self.control_least + 1)));
        let starved = self.control_within.map_or(STARVED_AFTER, |within| within.max(STARVED_AFTER)).as_secs_f64();
        by_count.min(by_time.unwrap_or(f64::INFINITY)).min(starved)
    }
}

/// A law, and how sources send under it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// The law; none if nobody tells sources anything, and they send at their peak rates.
    pub law: Option<RateLawChoice>,
    /// How sources send.
    pub sources: &'static Sources,
}

/// Q_T and Q_D: with up to 200 flows on a link, a queue of a packet or two each is nothing to fall to the minimum for.
const THRESHOLDS: [Packets; 2] = [Packets(300), Packets(500)];

impl Entrant {
    /// No law: sources send at their peak rates.
    pub const NONE: &'static str = "none";

    /// These laws with all manners of sending, and no law.
    pub fn of(laws: &[RateLawChoice]) -> Vec<Self> {
        let [q_t, q_d] = THRESHOLDS;
        let set = |law: &RateLawChoice| law.with_queue_thresholds(q_t, q_d).unwrap_or_else(|| law.clone());
        let under = |law| SOURCES.iter().map(move |sources| Self { law: Some(set(law)), sources });
        let all = laws.iter().flat_map(under);
        all.chain([Self { law: None, sources: &SOURCES[0] }]).collect()
    }

    /// The name of the law.
    pub fn law_name(&self) -> &'static str {
        self.law.as_ref().map_or(Self::NONE, |law| law.about().name)
    }

    /// Its name on the board: law, and how a flow begins.
    pub fn name(&self) -> String {
        match self.law {
            Some(_) => format!("{}, {}", self.law_name(), self.sources.name),
            None => Self::NONE.to_owned(),
        }
    }
}
