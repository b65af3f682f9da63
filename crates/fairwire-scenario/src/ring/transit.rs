//! `[ring.transit]`: the queues in front of every link, and who goes first.

use super::{Buffer, OVERFLOWS};
use crate::reading::diagnostic::Reported;
use crate::reading::table::{Field, Table};
use fairwire_core::Bytes;
use fairwire_laws::ring::{Datapath, RingLawChoice};
use fairwire_plan::{Overflow, Shaper, TransitPlan};
use serde::{Serialize, Serializer};

/// The queues in front of every link of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Transit {
    /// How many queues transit traffic has.
    pub mode: TransitMode,
    /// Who goes first where it has one.
    pub scheduler: Scheduler,
    /// Room in bytes of the only queue, or of that of classes B and C, the packet
    /// in transmission not counted.
    pub buffer: Bytes,
    /// Room in bytes of the queue of class A where there are two.
    pub primary_buffer: Bytes,
    /// What is held to the rate that class A0 leaves of a link; written under `shaped`.
    #[serde(rename = "shaped", serialize_with = "shaped_value")]
    pub shaper: Shaper,
    /// What happens when a queue that the station's packets join is full.
    #[serde(serialize_with = "overflow_name")]
    pub overflow: Overflow,
}

/// How many queues transit traffic has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransitMode {
    /// As many as the law is described for.
    ByLaw,
    /// One for all classes.
    SingleQueue,
    /// One for class A and one for classes B and C.
    DualQueue,
}

/// Who goes first where transit traffic has one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// What the law is described for.
    ByLaw,
    /// The station's packets join the transit queue, and whoever came first goes first.
    Fifo,
    /// Transit goes first.
    TransitFirst,
    /// Transit and the station take turns.
    Alternating,
}

pub(crate) const KEYS: &[&str] = &["mode", "scheduler", "buffer", "primary-buffer", "shaped", "overflow"];
pub(crate) const MODES: &[(&str, TransitMode)] = &[
    ("by-law", TransitMode::ByLaw),
    ("single-queue", TransitMode::SingleQueue),
    ("dual-queue", TransitMode::DualQueue),
];
pub(crate) const SCHEDULERS: &[(&str, Scheduler)] = &[
    ("by-law", Scheduler::ByLaw),
    ("fifo", Scheduler::Fifo),
    ("transit-first", Scheduler::TransitFirst),
    ("alternating", Scheduler::Alternating),
];
/// What `shaped` may be beside true and false.
pub(crate) const ADD_ONLY: &str = "add-only";
/// Packets that the primary queue holds unless told: one that is being sent
/// keeps one waiting, and control frames a few more.
const PRIMARY_PACKETS: u64 = 10;

impl Transit {
    /// What stations do under `law`; with flows of several `classes`, they tell
    /// these apart unless told to use one queue.
    pub fn datapath(&self, law: &RingLawChoice, classes: bool) -> Datapath {
        let single = |scheduler| match scheduler {
            Scheduler::Fifo => Datapath::Merged,
            Scheduler::TransitFirst => Datapath::TransitFirst,
            Scheduler::Alternating => Datapath::Alternating,
            Scheduler::ByLaw if law.needs().datapath == Datapath::DualQueue => Datapath::TransitFirst,
            Scheduler::ByLaw => law.needs().datapath,
        };
        match (self.mode, self.scheduler) {
            (TransitMode::DualQueue, _) => Datapath::DualQueue,
            (TransitMode::ByLaw, Scheduler::ByLaw) if classes => Datapath::DualQueue,
            (TransitMode::ByLaw, Scheduler::ByLaw) => law.needs().datapath,
            (_, scheduler) => single(scheduler),
        }
    }

    pub(crate) fn plan(&self, law: &RingLawChoice, classes: bool) -> TransitPlan {
        TransitPlan {
            datapath: self.datapath(law, classes),
            buffer: self.buffer,
            primary_buffer: self.primary_buffer,
            overflow: self.overflow,
            shaper: self.shaper,
        }
    }
}

/// `transit` as read, before the largest packet is known that buffers may be counted in.
pub(crate) struct Draft {
    mode: TransitMode,
    scheduler: Scheduler,
    buffer: Buffer,
    primary_buffer: Option<Buffer>,
    shaper: Shaper,
    overflow: Overflow,
}

impl Draft {
    pub fn read(ring: &Table<'_>) -> Result<Self, Reported> {
        let Some(field) = ring.field("transit") else {
            return Ok(Self {
                mode: TransitMode::ByLaw,
                scheduler: Scheduler::ByLaw,
                buffer: Buffer::usual(ring),
                primary_buffer: None,
                shaper: Shaper::default(),
                overflow: Overflow::Drop,
            });
        };
        let transit = field.table("`transit`", KEYS, "{ mode = \"dual-queue\", buffer = \"200 kB\" }")?;
        let mode = transit.field("mode").map_or(Ok(TransitMode::ByLaw), |field| field.word(MODES));
        let scheduler = transit.field("scheduler").map_or(Ok(Scheduler::ByLaw), |field| field.word(SCHEDULERS));
        let buffer = Buffer::read(&transit, "buffer");
        let primary_buffer = transit.field("primary-buffer").map(|_| Buffer::read(&transit, "primary-buffer"));
        let shaper = transit.field("shaped").map_or(Ok(Shaper::default()), |field| read_shaper(&field));
        let overflow = transit.field("overflow").map_or(Ok(Overflow::Drop), |field| field.word(OVERFLOWS));
        let (mode, scheduler) = (mode?, scheduler?);
        // What goes by the law chooses nothing, and resolved files say so.
        let chooses = mode == TransitMode::DualQueue && scheduler != Scheduler::ByLaw;
        if let Some(field) = transit.field("scheduler").filter(|_| chooses) {
            let message = "`scheduler` says who goes first where transit traffic has one queue, and here it has two";
            return Err(field.error(message, "no choice here", "remove `scheduler`, or write mode = \"single-queue\""));
        }
        let merged = mode != TransitMode::DualQueue && matches!(scheduler, Scheduler::ByLaw | Scheduler::Fifo);
        let overflow = overflow?;
        if let Some(field) = transit.field("overflow").filter(|_| overflow == Overflow::Hold && !merged) {
            let message = "stations that wait for transit traffic lose none of it, so there is nothing to hold back";
            return Err(field.error(message, "no choice here", "remove `overflow`, or write scheduler = \"fifo\""));
        }
        Ok(Self {
            mode,
            scheduler,
            buffer: buffer?,
            primary_buffer: primary_buffer.transpose()?,
            shaper: shaper?,
            overflow,
        })
    }

    pub fn finish(self, field: &Field<'_>, largest_packet: Bytes) -> Result<Transit, Reported> {
        let least = match self.overflow {
            Overflow::Drop => largest_packet,
            // Stations hold back until three of the largest and a control frame fit,
            // and then one of their own.
            Overflow::Hold => Bytes::new(largest_packet.get().saturating_mul(5)),
        };
        let buffer = self.buffer.resolve(field, largest_packet, least);
        let usual = Bytes::new(PRIMARY_PACKETS.saturating_mul(largest_packet.get()));
        let primary_buffer =
            self.primary_buffer.map_or(Ok(usual), |buffer| buffer.resolve(field, largest_packet, largest_packet));
        Ok(Transit {
            mode: self.mode,
            scheduler: self.scheduler,
            buffer: buffer?,
            primary_buffer: primary_buffer?,
            shaper: self.shaper,
            overflow: self.overflow,
        })
    }
}

fn read_shaper(field: &Field<'_>) -> Result<Shaper, Reported> {
    Ok(match field.boolean_or(ADD_ONLY)? {
        Some(true) => Shaper::AddAndTransit,
        Some(false) => Shaper::None,
        None => Shaper::AddOnly,
    })
}

fn shaped_value<S: Serializer>(shaper: &Shaper, serializer: S) -> Result<S::Ok, S::Error> {
    match shaper {
        Shaper::AddAndTransit => serializer.serialize_bool(true),
        Shaper::AddOnly => serializer.serialize_str(ADD_ONLY),
        Shaper::None => serializer.serialize_bool(false),
    }
}

fn overflow_name<S: Serializer>(overflow: &Overflow, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(OVERFLOWS.iter().find(|(_, value)| value == overflow).map_or("drop", |(name, _)| name))
}
