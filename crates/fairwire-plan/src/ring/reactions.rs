//! What stations make of events: when they take spans out of use, and into use again.
//!
//! This is what the state machine of `fairwire-laws` comes to, told from the events alone, as if all stations heard of
//! them at once. A span that is dead for long enough is out of use; mended, it waits to be restored. How long
//! that is, and which requests take effect beside each other, are the machine's own rules ([`Params::notices_silence`],
//! [`Request`]).

use super::plan::RingPlan;
use super::protection::RingChange;
use super::spans::DeadSpans;
use fairwire_core::{Instant, Span};
use fairwire_laws::protection::{Params, Request};

/// From when on which spans are out of use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reaction {
    /// From when on.
    pub at: Instant,
    /// The events that it comes of.
    pub events: Vec<usize>,
    /// What is out of use.
    pub out: DeadSpans,
    /// Whether that is another than before: stations have noticed something.
    pub noticed: bool,
}

/// A time for which a span carries nothing.
#[derive(Clone, Copy, Debug)]
struct Outage {
    from: Instant,
    /// When it carries again, and the event that mends it; none if the run ends before.
    mended: Option<(Instant, usize)>,
}

impl Outage {
    fn until(&self) -> Instant {
        self.mended.map_or(Instant::NEVER, |(at, _)| at)
    }

    /// When the wait after it is over, if it ever is, and the event that mended it.
    fn restored(&self, params: &Params) -> Option<(Instant, usize)> {
        self.mended.and_then(|(at, event)| Some((params.restored_at(at)?, event)))
    }

    /// What stations ask for the span.
    fn asks(&self, now: Instant, params: &Params) -> Request {
        let waits = self.restored(params).is_none_or(|(at, _)| now < at);
        match () {
            () if now < self.from => Request::Idle,
            () if now < self.until() => Request::SignalFail,
            () if waits => Request::WaitToRestore,
            () => Request::Idle,
        }
    }
}

impl RingPlan {
    /// Every change that stations make within the run, and every failure, noticed or not.
    pub(crate) fn reactions(&self) -> Vec<Reaction> {
        let Some(protection) = &self.protection else { return Vec::new() };
        let (params, end) = (&protection.params, Instant::ZERO + self.duration);
        let mut happened: Vec<Instant> = protection.events.iter().map(|event| event.at).collect();
        let (spans, mattering) = self.outages();
        let noticed = |(span, outages)| noticed(outages, params, self.delay(span), end);
        let spans: Vec<Vec<Outage>> = spans.into_iter().enumerate().map(noticed).collect();
        let restored: Vec<(Instant, usize)> =
            spans.iter().flatten().filter_map(|outage| outage.restored(params)).collect();
        happened.extend(restored.iter().map(|(at, _)| *at));
        happened.retain(|at| *at <= end);
        happened.sort();
        happened.dedup();
        let mut before = DeadSpans::none(self.stations.len());
        let mut reactions = Vec::new();
        for at in happened {
            let out = out_of_use(&spans, at, params);
            let noticed = out != before;
            let matters = |event: &usize| {
                let event = &protection.events[*event];
                event.at == at && (noticed || event.change.breaks())
            };
            let mut events: Vec<usize> = mattering.iter().copied().filter(matters).collect();
            events.extend(restored.iter().filter(|(then, _)| noticed && *then == at).map(|(_, event)| *event));
            events.sort_unstable();
            events.dedup();
            if !events.is_empty() {
                before = out.clone();
                reactions.push(Reaction { at, events, out, noticed });
            }
        }
        reactions
    }

    /// The longer propagation time of the two links between the station and the next on ringlet 0.
    fn delay(&self, span: usize) -> Span {
        let [zero, one] = &self.links;
        zero[span].delay.max(one[(span + 1) % one.len()].delay)
    }

    /// The outages of each span within the run, and the events that begin or end one.
    fn outages(&self) -> (Vec<Vec<Outage>>, Vec<usize>) {
        let stations = self.stations.len();
        let (mut cut, mut down) = (vec![false; stations], vec![false; stations]);
        let mut spans: Vec<Vec<Outage>> = vec![Vec::new(); stations];
        let mut mattering = Vec::new();
        let Some(protection) = &self.protection else { return (spans, mattering) };
        let end = Instant::ZERO + self.duration;
        let mut order: Vec<usize> =
            (0..protection.events.len()).filter(|&event| protection.events[event].at <= end).collect();
        order.sort_by_key(|&event| protection.events[event].at);
        for event in order {
            let at = protection.events[event].at;
            match protection.events[event].change {
                RingChange::Cut(span) => cut[span.index()] = true,
                RingChange::Restore(span) => cut[span.index()] = false,
                RingChange::StationDown(station) => down[station.index()] = true,
                RingChange::StationUp(station) => down[station.index()] = false,
            }
            for (span, outages) in spans.iter_mut().enumerate() {
                let dead = cut[span] || down[span] || down[(span + 1) % stations];
                match outages.last_mut().filter(|outage| outage.mended.is_none()) {
                    None if dead => outages.push(Outage { from: at, mended: None }),
                    Some(outage) if !dead => outage.mended = Some((at, event)),
                    _ => continue,
                }
                mattering.push(event);
            }
        }
        mattering.dedup();
        (spans, mattering)
    }
}

/// Those outages that stations take for one: nothing comes for as long as the machine has it, which what was on the
/// wire makes longer by the `delay`. Mended for so short that no keepalive crosses it a span is as dead as before.
fn noticed(outages: Vec<Outage>, params: &Params, delay: Span, end: Instant) -> Vec<Outage> {
    let mut heard: Vec<Outage> = Vec::new();
    for outage in outages {
        match heard.last_mut() {
            Some(last) if outage.from < last.until() + params.keepalive_interval + delay => last.mended = outage.mended,
            _ => heard.push(outage),
        }
    }
    // Nothing has come yet when the run ends; else what comes first has to cross the span.
    let silent_until = |outage: &Outage| outage.mended.map_or(end, |(at, _)| end.min(at + delay));
    heard.retain(|outage| params.notices_silence(outage.from, silent_until(outage)));
    heard
}

/// What is out of use at an instant.
fn out_of_use(spans: &[Vec<Outage>], now: Instant, params: &Params) -> DeadSpans {
    let asked = |outages: &Vec<Outage>| {
        let begun = outages.iter().rev().find(|outage| outage.from <= now);
        begun.map_or(Request::Idle, |outage| outage.asks(now, params))
    };
    let asked: Vec<Request> = spans.iter().map(asked).collect();
    if asked.iter().any(|request| request.stands_beside_others()) {
        return DeadSpans::new(asked.iter().map(|request| request.stands_beside_others()).collect());
    }
    let foremost = Request::foremost((0..).zip(asked.iter().copied())).filter(|(_, request)| *request > Request::Idle);
    DeadSpans::new((0..asked.len()).map(|span| foremost.is_some_and(|(out, _)| out == span)).collect())
}
