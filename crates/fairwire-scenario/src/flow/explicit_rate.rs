//! `explicit-rate` traffic: a source that sends as switches tell it.

use super::traffic::{DEFAULT_PACKET, read_packet};
use crate::reading::diagnostic::Reported;
use crate::reading::table::Table;
use fairwire_core::{Bytes, Span};
use fairwire_laws::rate::{FirstRate, Manner, OnChange, SendingPlan, Terms};
use fairwire_plan::RatePlan;
use serde::Serialize;

/// A source that sends as switches tell it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExplicitRate {
    /// `explicit-rate`, as the kind is written.
    kind: Kind,
    /// Size of a data packet, from 1 to 65535 bytes.
    pub packet: Bytes,
    /// One of so many packets is a control packet.
    pub control_every: u32,
    /// A control packet leaves when none has left for so long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control_within: Option<Span>,
    /// So many data packets leave between two control packets at least.
    pub control_least: u32,
    /// The rate at which it begins.
    pub initial: FirstRate,
    /// What a changed rate does to the packet that is due next.
    pub on_change: OnChange,
    /// How the source behaves.
    pub manner: Manner,
    /// What it has to send; none for no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    ExplicitRate,
}

/// The keys of the kind, in the order in which they are written.
pub(crate) const KEYS: &[&str] =
    &["packet", "control-every", "control-within", "control-least", "initial", "on-change", "manner", "size"];

pub(crate) const DEFAULT_CONTROL_EVERY: u32 = 30;
/// A source that sends more data packets between two control packets hears from nobody.
pub(crate) const MOST_CONTROL_EVERY: u64 = 1_000_000;
pub(crate) const INITIAL: &[(&str, FirstRate)] =
    &[("peak", FirstRate::Peak), ("minimum", FirstRate::Minimum), ("ask", FirstRate::Ask)];
pub(crate) const ON_CHANGE: &[(&str, OnChange)] = &[("reschedule", OnChange::Reschedule), ("keep", OnChange::Keep)];
pub(crate) const MANNERS: &[(&str, Manner)] = &[
    ("honest", Manner::Honest),
    ("ignores-rates", Manner::IgnoresRates),
    ("claims-minimum", Manner::ClaimsMinimum),
    ("confirms-nothing", Manner::ConfirmsNothing),
    ("vanishes", Manner::Vanishes),
];

impl ExplicitRate {
    pub(crate) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let packet = table.field("packet").map_or(Ok(DEFAULT_PACKET), |field| read_packet(&field));
        let control_every = table
            .field("control-every")
            .map_or(Ok(u64::from(DEFAULT_CONTROL_EVERY)), |field| field.integer(2..=MOST_CONTROL_EVERY, "30"));
        let control_within = table.field("control-within").map(|field| field.positive()).transpose();
        let control_least =
            table.field("control-least").map_or(Ok(0), |field| field.integer(0..=MOST_CONTROL_EVERY, "8"));
        let initial = table.field("initial").map_or(Ok(FirstRate::default()), |field| field.word(INITIAL));
        let on_change = table.field("on-change").map_or(Ok(OnChange::default()), |field| field.word(ON_CHANGE));
        let manner = table.field("manner").map_or(Ok(Manner::default()), |field| field.word(MANNERS));
        let size = table.field("size").map(|field| field.positive()).transpose();
        Ok(Self {
            kind: Kind::ExplicitRate,
            packet: packet?,
            control_every: control_every? as u32,
            control_within: control_within?,
            control_least: control_least? as u32,
            initial: initial?,
            on_change: on_change?,
            manner: manner?,
            size: size?,
        })
    }

    /// The same for a simulator, for each of the micro-flows under `terms`.
    pub(crate) fn plan(&self, terms: Terms) -> RatePlan {
        RatePlan {
            sending: SendingPlan {
                packet_bytes: self.packet.get() as u16,
                control_every: self.control_every,
                control_within: self.control_within,
                control_least: self.control_least,
                first: self.initial,
                on_change: self.on_change,
                manner: self.manner,
            },
            terms,
            size: self.size,
        }
    }
}
