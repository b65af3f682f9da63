//! TCP as `traffic`: how both ends are set, and what is to be sent.

use super::tcp_profile::{Profile, Usual};
use super::traffic::LARGEST_PACKET;
use super::work::Work;
use crate::law;
use crate::reading::diagnostic::Reported;
use crate::reading::quantity::packets_text;
use crate::reading::table::{Field, Table};
use fairwire_core::{Bytes, Span};
use fairwire_laws::transport::{ControlChoice, TcpSettings};
use fairwire_plan as plan;
use serde::Serialize;

/// One TCP connection after another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tcp {
    /// What is to be sent.
    #[serde(flatten)]
    pub work: Work,
    /// How the sender controls its window.
    pub control: ControlChoice,
    /// Size of a full segment on the wire.
    pub segment: Bytes,
    /// Size of an acknowledgement on the wire.
    pub ack: Bytes,
    /// Window that the receiver offers, in segments.
    #[serde(serialize_with = "packets_text")]
    pub receive_window: u32,
    /// Window at the start, in segments.
    #[serde(serialize_with = "packets_text")]
    pub initial_window: u32,
    /// Slow-start threshold at the start, in segments; none for the receive window.
    #[serde(serialize_with = "maybe_packets", skip_serializing_if = "Option::is_none")]
    pub initial_threshold: Option<u32>,
    /// Smallest retransmission timeout.
    pub min_timeout: Span,
    /// Tick in which the retransmission timer measures and waits.
    pub granularity: Span,
    /// Longest time an acknowledgement is held back; none, written as zero, if each segment gets one at once.
    #[serde(serialize_with = "maybe_span")]
    pub delayed_ack: Option<Span>,
    /// Whether queues may mark instead of drop.
    pub ecn: bool,
}

/// The keys of every kind of TCP traffic, in the order in which they are written.
pub(crate) const KEYS: &[&str] = &[
    "profile",
    "control",
    "segment",
    "ack",
    "receive-window",
    "initial-window",
    "initial-threshold",
    "min-timeout",
    "granularity",
    "delayed-ack",
    "ecn",
];
impl Tcp {
    /// Reads what all kinds of TCP traffic have in common; `work` has been read.
    pub(crate) fn read(field: &Field<'_>, table: &Table<'_>, work: Result<Work, Reported>) -> Result<Self, Reported> {
        let profile = table.field("profile").map_or(Ok(Profile::default()), |field| Profile::read(&field))?;
        let usual = Usual::of(profile);
        let size = |key: &str, usual: Bytes| table.field(key).map_or(Ok(usual), |field| read_size(&field));
        let packets = |key: &str, usual: u32| table.field(key).map_or(Ok(usual), |field| field.packet_count());
        let time = |key: &str, usual: Span| table.field(key).map_or(Ok(usual), |field| field.positive());
        let control = table.field("control").map_or_else(|| Ok(usual.control), |field| law::read_short(&field));
        let (segment, ack) = (size("segment", usual.segment), size("ack", usual.ack));
        let receive_window = packets("receive-window", usual.receive_window);
        let initial_window = packets("initial-window", usual.initial_window);
        let initial_threshold = table.field("initial-threshold").map(|field| field.packet_count()).transpose();
        let min_timeout = time("min-timeout", usual.min_timeout);
        let granularity = time("granularity", usual.granularity);
        let delayed_ack = table.field("delayed-ack").map_or(Ok(usual.delayed_ack), |field| field.quantity::<Span>());
        let ecn = table.field("ecn").map_or(Ok(false), |field| field.boolean());
        let tcp = Self {
            work: work?,
            control: control?,
            segment: segment?,
            ack: ack?,
            receive_window: receive_window?,
            initial_window: initial_window?,
            initial_threshold: initial_threshold?,
            min_timeout: min_timeout?,
            granularity: granularity?,
            delayed_ack: Some(delayed_ack?).filter(|longest| *longest > Span::ZERO),
            ecn: ecn?,
        };
        if tcp.ack > tcp.segment {
            let message = format!("an acknowledgement of {} is larger than a segment of {}", tcp.ack, tcp.segment);
            return Err(field.error(message, "too large", "write a smaller `ack` or a larger `segment`"));
        }
        Ok(tcp)
    }

    /// The same for a simulator.
    pub(crate) fn plan(&self) -> plan::TcpPlan {
        plan::TcpPlan {
            control: self.control,
            settings: TcpSettings {
                segment: self.segment,
                ack: self.ack,
                receive_window: self.receive_window,
                initial_window: self.initial_window,
                initial_threshold: self.initial_threshold,
                min_timeout: self.min_timeout,
                granularity: self.granularity,
                delayed_ack: self.delayed_ack,
                ecn: self.ecn,
            },
            work: self.work.plan(),
        }
    }
}

fn read_size(field: &Field<'_>) -> Result<Bytes, Reported> {
    let size = field.positive::<Bytes>()?;
    if size > LARGEST_PACKET {
        let message = format!("a packet has at most {LARGEST_PACKET}, not {size}");
        return Err(field.error(message, "too large", format!("write {}", field.written("\"1 kB\""))));
    }
    Ok(size)
}

fn maybe_packets<S: serde::Serializer>(packets: &Option<u32>, serializer: S) -> Result<S::Ok, S::Error> {
    packets_text(&packets.unwrap_or_default(), serializer)
}

fn maybe_span<S: serde::Serializer>(span: &Option<Span>, serializer: S) -> Result<S::Ok, S::Error> {
    span.unwrap_or_default().serialize(serializer)
}
