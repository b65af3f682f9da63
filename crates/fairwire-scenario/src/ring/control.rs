//! `control-loss`, `wake-ups` and `[[ring.lost-frame]]`: control messages that get lost, and laws that are called late.

use super::{RINGLETS, ringlet_number};
use crate::reading::diagnostic::Reported;
use crate::reading::percent::Percent;
use crate::reading::table::{Field, Table};
use crate::run::Run;
use fairwire_core::{Instant, Ringlet, Span, StationId};
use fairwire_plan::ControlPlan;
use serde::Serialize;

/// What happens to the laws' messages on their way, and how late laws are called.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Control {
    /// With which probability a law's message is lost on each link.
    #[serde(skip_serializing_if = "is_nothing")]
    pub control_loss: Percent,
    /// How late laws are called, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake_ups: Option<WakeUps>,
    /// Single messages that are lost.
    #[serde(rename = "lost-frame", skip_serializing_if = "Vec::is_empty")]
    pub lost_frames: Vec<LostFrame>,
}

/// How late laws are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct WakeUps {
    /// Each call is late by a uniform time up to this.
    pub late: Span,
    /// How long the process that runs the laws stands still, each time that it does.
    #[serde(skip_serializing_if = "is_no_time")]
    pub stall: Span,
    /// From the begin of a stall to the begin of the next.
    #[serde(skip_serializing_if = "is_no_time")]
    pub every: Span,
    /// Whether all stations stand still together.
    pub together: bool,
    /// Each law begins at a uniform time up to this.
    #[serde(skip_serializing_if = "is_no_time")]
    pub begin: Span,
}

/// The first message that a link sends at or after some time is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LostFrame {
    /// The time.
    pub at: Span,
    /// The link's direction.
    #[serde(serialize_with = "ringlet_number")]
    pub ringlet: Ringlet,
    /// The station it leaves.
    pub from: u16,
}

pub(crate) const WAKE_UPS_KEYS: &[&str] = &["late", "stall", "every", "together", "begin"];
pub(crate) const LOST_FRAME_KEYS: &[&str] = &["at", "ringlet", "from"];

fn is_nothing(loss: &Percent) -> bool {
    loss.fraction() == 0.0
}

fn is_no_time(span: &Span) -> bool {
    *span == Span::ZERO
}

impl Control {
    /// As a plan has it.
    pub(crate) fn plan(&self) -> ControlPlan {
        let lost = |lost: &LostFrame| fairwire_plan::LostFrame {
            at: Instant::ZERO + lost.at,
            ringlet: lost.ringlet,
            from: StationId(lost.from),
        };
        let wake_ups = |&WakeUps { late, stall, every, together, begin }: &WakeUps| fairwire_plan::WakeUps {
            late,
            stall,
            every,
            together,
            begin,
        };
        ControlPlan {
            loss: self.control_loss.fraction(),
            lost: self.lost_frames.iter().map(lost).collect(),
            wake_ups: self.wake_ups.as_ref().map(wake_ups),
        }
    }

    /// Reads what `[ring]` says of it.
    pub(crate) fn read(ring: &Table<'_>, stations: Result<u16, Reported>, run: Option<&Run>) -> Result<Self, Reported> {
        let control_loss = ring.field("control-loss").map_or(Ok(Percent::default()), |field| field.percent(true));
        let wake_ups = ring.field("wake-ups").map(|field| read_wake_ups(&field)).transpose();
        let lost_frames = read_lost_frames(ring, stations, run);
        Ok(Self { control_loss: control_loss?, wake_ups: wake_ups?, lost_frames: lost_frames? })
    }
}

fn read_wake_ups(field: &Field<'_>) -> Result<WakeUps, Reported> {
    let table = field.table("`wake-ups`", WAKE_UPS_KEYS, "{ late = \"66 us\" }")?;
    let time = |key: &str| table.field(key).map_or(Ok(Span::ZERO), |field| field.quantity());
    let (late, stall, every, begin) = (time("late"), time("stall"), time("every"), time("begin"));
    let together = table.field("together").map_or(Ok(true), |field| field.boolean());
    let wake_ups = WakeUps { late: late?, stall: stall?, every: every?, together: together?, begin: begin? };
    for (given, other, example) in [("stall", "every", "100 ms"), ("every", "stall", "4 ms")] {
        if table.field(given).is_some() && table.field(other).is_none() {
            let message = format!("`wake-ups` has `{given}` without `{other}`: a stall is so long, and comes so often");
            let help = format!("add `{other} = \"{example}\"`, or remove `{given}`");
            return Err(field.report.error(table.key_span(given), message, "half of a pair", help));
        }
    }
    if table.field("stall").is_some() && wake_ups.stall >= wake_ups.every {
        let message = format!("laws that stand still for {} each {} are never called", wake_ups.stall, wake_ups.every);
        return Err(field.report.error(
            table.key_span("stall"),
            message,
            "too long",
            "write a `stall` that is shorter than `every`",
        ));
    }
    Ok(wake_ups)
}

fn read_lost_frames(
    ring: &Table<'_>,
    stations: Result<u16, Reported>,
    run: Option<&Run>,
) -> Result<Vec<LostFrame>, Reported> {
    let Some(field) = ring.field("lost-frame") else { return Ok(Vec::new()) };
    let items = field.tables("[[ring.lost-frame]]")?;
    let stations = stations?;
    let mut frames = Vec::new();
    let mut fine = Ok(());
    for item in &items {
        match read_lost_frame(item, stations, run) {
            Ok(frame) => frames.push(frame),
            Err(reported) => fine = Err(reported),
        }
    }
    fine.map(|()| frames)
}

fn read_lost_frame(item: &Field<'_>, stations: u16, run: Option<&Run>) -> Result<LostFrame, Reported> {
    let table = item.table("[[ring.lost-frame]]", LOST_FRAME_KEYS, "{ at = \"0.5 s\", ringlet = 1, from = 4 }")?;
    let at = table.need("at", "\"0.5 s\"").and_then(|field| {
        let at: Span = field.quantity()?;
        match run.filter(|run| at >= run.duration) {
            Some(run) => {
                let message =
                    format!("a frame that is lost at {at} is sent after the end of the run at {}", run.duration);
                Err(field.error(message, "never happens", "write an earlier `at`, or a longer `duration` in [run]"))
            }
            None => Ok(at),
        }
    });
    let ringlet = table.need("ringlet", "1").and_then(|field| field.integer(0..=1, "1"));
    let from = table.need("from", "4").and_then(|field| field.integer(0..=u64::from(stations) - 1, "4"));
    Ok(LostFrame { at: at?, ringlet: RINGLETS[ringlet? as usize], from: from? as u16 })
}
