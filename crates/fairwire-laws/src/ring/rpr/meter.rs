//! What a station measures at the output of its scheduler, aging interval by
//! aging interval ([dvsr] §II-B, [rpr-enhanced-conservative] §III).
//!
//! A packet that is being sent when an interval ends counts there with the bytes that have left, and with the others in the next
//! interval. So no sample is above what the link carries. Counted whole where it begins, as a counter of packets
//! has it, a full link would seem to carry more than it can in every few intervals, and a rule that asks whether that is so would
//! act on it. Where a driver cannot tell what is being sent, packets do count where they begin.

use super::counted::Counted;
use super::filter::{Coefficients, Filter, Window};
use crate::ring::{ClassBytes, Counters, LinkTraffic, LinkView, RingSite, Sending, StationView};
use fairwire_core::Span;

/// What was so many aging intervals ago, or less, was lately: an ingress of which nothing came since then no longer counts
/// towards how far the congestion domain reaches.
const FORGET_AFTER: u64 = 64;

/// How a station measures.
#[derive(Clone, Copy, Debug)]
pub struct MeterSettings {
    /// Length of an aging interval.
    pub aging: Span,
    /// A sample weighs 1/this in the filtered rates.
    pub lp_coef: f64,
    /// And before that 1/this in the aged ones; 1 for none.
    pub age_coef: f64,
    /// Whether only fairness-eligible traffic counts; else all that is not class A0.
    pub only_eligible: bool,
    /// Active weights are summed up over so many aging intervals.
    pub active_period: u32,
}

impl MeterSettings {
    /// The bytes that count.
    #[inline(always)]
    const fn count(&self, bytes: ClassBytes) -> u64 {
        if self.only_eligible { bytes.eligible } else { bytes.eligible + bytes.reclaimable }
    }
}

/// Rates and who is active, as of the end of the last aging interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Filtered rate of what the station added, in bit/s.
    pub lp_add_bps: f64,
    /// Filtered rate of what it forwarded, in bit/s.
    pub lp_forward_bps: f64,
    /// Of that, what goes beyond the head of the congestion domain downstream.
    pub lp_forward_beyond_bps: f64,
    /// Stations, others than this one, of which a packet was forwarded. Where a look came too late to tell this of one period,
    /// each counts by how likely that is.
    pub active_others: f64,
    /// The sum of their weights, likewise.
    pub active_weight: f64,
    /// Whether the station itself added anything.
    pub added: bool,
    /// Whether it is active itself, which lasts as long as it does for others.
    pub is_active: bool,
    /// How many links the farthest packet forwarded still goes.
    pub farthest_hops: usize,
    /// How many links upstream the farthest of those is that were active lately.
    pub tail_hops: usize,
}

impl Sample {
    /// The filtered rate of all that counts, in bit/s.
    pub fn lp_total_bps(&self) -> f64 {
        self.lp_add_bps + self.lp_forward_bps
    }
}

/// What is asked of a meter beside rates. What a sample tells of the rest is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Who is active, and how far upstream.
    pub who: bool,
    /// How far packets still go, and how much goes beyond the head.
    pub how_far: bool,
}

impl Asked {
    const fn rates_alone(self) -> bool {
        !self.who && !self.how_far
    }
}

/// Turns the station's counters into a [`Sample`].
#[derive(Clone, Debug)]
pub struct Meter {
    settings: MeterSettings,
    coefficients: Coefficients,
    asked: Asked,
    own: usize,
    weights: Vec<f64>,
    max_packet: f64,
    /// Links from each other station down to this one, and from this one down to each other.
    hops_up: Vec<usize>,
    hops_down: Vec<usize>,
    /// What the counters told at the last look: added, forwarded, and by ingress and hops to go.
    before: Totals,
    served_before: Vec<u64>,
    hops_before: Vec<u64>,
    /// At the last look: bytes of transit packets that were begun, and the one being sent.
    begun_before: u64,
    under_way_before: Option<UnderWay>,
    /// Traffic that crosses more links than this goes beyond the head.
    head_hops: usize,
    /// How many links the farthest packet still goes that was forwarded since the look before.
    found_hops: usize,
    /// The last interval of which is known that nothing went beyond the head in it.
    silent_at: Option<u64>,
    /// The number of the current interval, from 1, and of the period of active weights.
    interval: u64,
    /// In which interval an ingress was first seen within the current period.
    first_seen: Vec<u64>,
    last_seen: Vec<u64>,
    /// In which interval the station itself last added something.
    added_at: Option<u64>,
    period_start: u64,
    active: Active,
    active_before: Active,
    tail: (usize, u64),
    /// Of what is added, forwarded, and of that beyond the head.
    filters: [Filter; 3],
    sample: Sample,
}

/// Bytes that the link has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    added: u64,
    forwarded: u64,
}

/// The transit packet that is being sent.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    ingress: usize,
    /// Links that it still crosses.
    hops: usize,
    size_bytes: u64,
    left_bytes: u64,
}

impl UnderWay {
    /// What has not left yet of what goes over so many links.
    fn left_over(self, hops: usize) -> u64 {
        if hops == self.hops { self.left_bytes } else { 0 }
    }
}

/// Which counters of transit packets are others than at the last look: on a ring of many stations it takes far longer than all
/// else to look through them, and packets often last for several intervals.
#[derive(Clone, Copy, Debug)]
enum Changed {
    None,
    /// Those of the packet that is being sent, the only one that was begun.
    Of(UnderWay),
    Any,
}

#[derive(Clone, Copy, Debug, Default)]
struct Active {
    others: f64,
    weight: f64,
}

impl Meter {
    /// A meter at `site`, with the weights that count there.
    pub fn new(settings: MeterSettings, site: &RingSite, weights: &[f64], asked: Asked) -> Self {
        let stations = site.stations();
        let here = site.station.index();
        Self {
            settings,
            coefficients: Coefficients::new(settings.aging, settings.age_coef, settings.lp_coef),
            asked,
            own: here,
            weights: weights.to_vec(),
            max_packet: site.max_packet.get().max(1) as f64,
            hops_up: (0..stations).map(|from| site.ringlet.hops(from, here, stations)).collect(),
            hops_down: (0..stations).map(|to| site.ringlet.hops(here, to, stations)).collect(),
            before: Totals::default(),
            served_before: vec![0; stations],
            hops_before: vec![0; stations],
            begun_before: 0,
            under_way_before: None,
            head_hops: usize::MAX,
            found_hops: 0,
            silent_at: None,
            interval: 1,
            first_seen: vec![0; stations],
            last_seen: vec![0; stations],
            added_at: None,
            period_start: 1,
            active: Active::default(),
            active_before: Active::default(),
            tail: (0, 0),
            filters: [Filter::SILENT; 3],
            sample: Sample::default(),
        }
    }

    /// Which counters it reads.
    pub const fn counters(asked: Asked) -> Counters {
        Counters {
            added_and_forwarded: true,
            sent_by_ingress: asked.who,
            forwarded_by_hops: asked.how_far,
            sending: true,
            ..Counters::NONE
        }
    }

    /// Stations weigh so much from now on.
    pub fn set_weights(&mut self, weights: &[f64]) {
        self.weights.clear();
        self.weights.extend_from_slice(weights);
    }

    /// What the counters tell so far has passed before.
    pub fn begin(&mut self, view: &StationView<'_>) {
        let (traffic, under_way) = (view.traffic, self.under_way(&view.link));
        self.before = self.totals(view);
        (self.begun_before, self.under_way_before) = (self.settings.count(traffic.forwarded), under_way);
        let (sent, forwarded) = self.counted(traffic);
        let served = self.served_before.iter_mut().enumerate();
        served.for_each(|(ingress, before)| *before = sent.at(ingress));
        let hops = self.hops_before.iter_mut().enumerate();
        hops.for_each(|(hops, before)| {
            *before = forwarded.at(hops).saturating_sub(under_way.map_or(0, |packet| packet.left_over(hops)));
        });
    }

    #[inline(always)]
    fn totals(&self, view: &StationView<'_>) -> Totals {
        let (traffic, settings) = (view.traffic, &self.settings);
        let mut totals = Totals { added: settings.count(traffic.added), forwarded: settings.count(traffic.forwarded) };
        if let Some(sending) = self.counted_of_sending(&view.link) {
            let own = sending.packet.ingress.index() == self.own;
            let total = if own { &mut totals.added } else { &mut totals.forwarded };
            *total = total.saturating_sub(sending.left_bytes);
        }
        totals
    }

    /// What counts of transit traffic, by ingress and by links to go.
    #[inline(always)]
    fn counted<'a>(&self, traffic: &'a LinkTraffic) -> (Counted<'a>, Counted<'a>) {
        let reclaimable = !self.settings.only_eligible && traffic.forwarded.reclaimable > 0;
        (Counted::of(&traffic.sent_by_ingress, reclaimable), Counted::of(&traffic.forwarded_by_hops, reclaimable))
    }

    /// The packet that is being sent, if it is one that counts.
    #[inline(always)]
    fn counted_of_sending(&self, link: &LinkView) -> Option<Sending> {
        let only_eligible = self.settings.only_eligible;
        link.sending
            .filter(|sending| sending.packet.fairness_eligible || (!only_eligible && sending.packet.is_reclaimable()))
    }

    /// The transit packet that is being sent, if it is one that counts.
    #[inline(always)]
    fn under_way(&self, link: &LinkView) -> Option<UnderWay> {
        let Sending { packet, left_bytes } = self.counted_of_sending(link)?;
        let ingress = packet.ingress.index();
        (ingress != self.own).then(|| UnderWay {
            ingress,
            hops: self.hops_down[packet.egress.index()],
            size_bytes: packet.size_bytes.into(),
            left_bytes,
        })
    }

    /// What goes over more than `hops` links goes beyond the head from now on.
    pub fn set_head(&mut self, hops: Option<usize>) {
        if self.asked.how_far {
            self.head_hops = hops.unwrap_or(usize::MAX);
        }
    }

    /// The aging interval ends, of which the counters tell; the last look was a `window` ago. What was found is told as a value,
    /// too: a copy of what was just written would wait for the writes.
    #[inline(always)]
    pub fn close(&mut self, view: &StationView<'_>, window: Window) -> Sample {
        let totals = self.totals(view);
        let added = totals.added.saturating_sub(self.before.added);
        let forwarded = totals.forwarded.saturating_sub(self.before.forwarded);
        self.before = totals;
        if !self.asked.rates_alone() {
            self.close_beside_rates(view.traffic, self.under_way(&view.link), window, added > 0);
        }
        let (coefficients, [add, forward, _]) = (&self.coefficients, &mut self.filters);
        let sample = Sample {
            lp_add_bps: add.age(added, window, coefficients),
            lp_forward_bps: forward.age(forwarded, window, coefficients),
            added: added > 0,
            ..self.sample
        };
        self.sample = sample;
        sample
    }

    /// The same for all that is told beside rates.
    #[inline(never)]
    fn close_beside_rates(&mut self, traffic: &LinkTraffic, under_way: Option<UnderWay>, window: Window, added: bool) {
        let share = if window.missed() > 0 { self.pass_by(window.missed()) } else { 1.0 };
        let (sent, forwarded) = self.counted(traffic);
        let changed = self.changed(traffic, under_way);
        if self.asked.who {
            self.note_added(added);
            self.note_seen(sent, changed, share);
            self.tell_active();
        }
        if self.asked.how_far {
            self.note_how_far(forwarded, changed, under_way, window);
        }
        self.turn_interval();
    }

    #[inline]
    fn changed(&mut self, traffic: &LinkTraffic, under_way: Option<UnderWay>) -> Changed {
        let begun = self.settings.count(traffic.forwarded);
        let bytes = begun.wrapping_sub(std::mem::replace(&mut self.begun_before, begun));
        match under_way {
            _ if bytes == 0 => Changed::None,
            Some(packet) if packet.size_bytes == bytes => Changed::Of(packet),
            _ => Changed::Any,
        }
    }

    /// Takes down how far packets went, and how much went beyond the head. Where no other packet was begun, more has left of the
    /// one that is being sent now and of the one before alone.
    #[inline]
    fn note_how_far(&mut self, forwarded: Counted<'_>, changed: Changed, under_way: Option<UnderWay>, window: Window) {
        let (mut beyond_bytes, mut found_hops) = (0, 0);
        let head_hops = self.head_hops;
        let mut note = |hops: usize, now: u64, before: &mut u64| {
            let now = now.saturating_sub(under_way.map_or(0, |packet| packet.left_over(hops)));
            let bytes = now.saturating_sub(*before);
            *before = now;
            if bytes > 0 {
                found_hops = found_hops.max(hops);
                beyond_bytes += if hops > head_hops { bytes } else { 0 };
            }
        };
        let under_way_before = std::mem::replace(&mut self.under_way_before, under_way);
        if matches!(changed, Changed::Any) {
            forwarded.each_change(&mut self.hops_before, note);
        } else {
            for hops in [under_way_before, under_way].into_iter().flatten().map(|packet| packet.hops) {
                note(hops, forwarded.at(hops), &mut self.hops_before[hops]);
            }
        }
        let (sample, [_, _, beyond]) = (&mut self.sample, &mut self.filters);
        sample.lp_forward_beyond_bps = beyond.age(beyond_bytes, window, &self.coefficients);
        let before_hops = std::mem::replace(&mut self.found_hops, found_hops);
        self.sample.farthest_hops = if window.is_short() { self.farthest_of_both(before_hops) } else { found_hops };
        self.note_silence(window);
    }

    /// An early look covers less than an aging interval. That it finds nothing tells nothing, as long as packets come so near
    /// to each other that no aging interval goes by without one: then what the look before found counts, too. Where they
    /// do not, looks tell of silence as often as aging intervals do, for together they are as long.
    #[cold]
    fn farthest_of_both(&self, before_hops: usize) -> usize {
        let silent_lately = self.silent_at.is_some_and(|at| self.interval - at <= FORGET_AFTER);
        if silent_lately { self.found_hops } else { self.found_hops.max(before_hops) }
    }

    /// Takes it down if in a whole aging interval nothing went beyond the head.
    #[inline]
    fn note_silence(&mut self, window: Window) {
        let has_head = self.head_hops < usize::MAX;
        if has_head && self.found_hops <= self.head_hops && !window.is_short() {
            self.silent_at = Some(self.interval);
        }
    }

    /// So many intervals ended without a look before the one that ends now. Which part of the time since the last look
    /// belongs to the period of active weights that is told of: who sends a packet now and then is seen in a long time, and
    /// is still not active in each period.
    #[cold]
    fn pass_by(&mut self, missed: u64) -> f64 {
        let (first, period) = (self.interval, u64::from(self.settings.active_period.max(1)));
        let period_end = self.period_start + period;
        self.interval += missed;
        let counted = if self.interval >= period_end + period {
            // A whole period has passed by meanwhile: what was gathered before is older.
            self.first_seen.fill(0);
            self.added_at = None;
            (self.active, self.active_before) = (Active::default(), Active::default());
            period
        } else {
            period_end.min(self.interval + 1) - first
        };
        counted as f64 / (missed + 1) as f64
    }

    /// Takes down whether the station itself is active: in the period that is under way or in the last one it added something.
    #[inline]
    fn note_added(&mut self, added: bool) {
        if added {
            self.added_at = Some(self.interval);
        }
        let period = u64::from(self.settings.active_period);
        let since = if period > 1 { self.period_start.saturating_sub(period) } else { self.interval };
        self.sample.is_active = self.added_at.is_some_and(|at| at >= since);
    }

    /// Takes all down of whom something was forwarded, of which this `share` falls into the period.
    #[inline]
    fn note_seen(&mut self, sent: Counted<'_>, changed: Changed, share: f64) {
        let Self {
            own,
            served_before,
            last_seen,
            first_seen,
            hops_up,
            weights,
            max_packet,
            active,
            tail,
            interval,
            ..
        } = self;
        let period_start = self.period_start;
        let mut note = |ingress: usize, now: u64, before: &mut u64| {
            let bytes = now.saturating_sub(*before);
            *before = now;
            if ingress == *own {
                return;
            }
            last_seen[ingress] = *interval;
            if first_seen[ingress] < period_start {
                first_seen[ingress] = *interval;
                // So many packets fall into the period, or more if they are small.
                let part = if share < 1.0 { (bytes as f64 * share / *max_packet).min(1.0) } else { 1.0 };
                active.others += part;
                active.weight += part * weights[ingress];
            }
            if hops_up[ingress] >= tail.0 {
                *tail = (hops_up[ingress], *interval);
            }
        };
        match changed {
            Changed::None => {}
            Changed::Of(packet) => {
                note(packet.ingress, sent.at(packet.ingress), &mut served_before[packet.ingress]);
            }
            Changed::Any => sent.each_change(served_before, note),
        }
    }

    /// Tells of those who are active.
    #[inline]
    fn tell_active(&mut self) {
        // Over several intervals the period that is under way may know of more than the last one.
        let active = if self.active.weight > self.active_before.weight { self.active } else { self.active_before };
        self.sample.active_others = active.others;
        self.sample.active_weight = active.weight;
    }

    /// What was found at the end of the last interval.
    pub const fn sample(&self) -> &Sample {
        &self.sample
    }

    /// Whether nothing has passed for so long that another aging interval without a packet
    /// leaves the sample as it is, but for its tail.
    pub fn is_at_rest(&self) -> bool {
        let silent = self.filters.iter().all(Filter::is_silent);
        silent && !self.sample.added && self.sample.farthest_hops == 0 && self.sample.active_weight == 0.0
    }

    /// Whether no packet has been counted in this aging interval.
    #[inline]
    pub fn counted_nothing(&self, view: &StationView<'_>) -> bool {
        self.totals(view) == self.before
    }

    /// An aging interval ends, or several have since the last look; at rest, with nothing counted, that is all.
    #[inline]
    pub fn turn_window(&mut self, window: Window) {
        if window.missed() > 0 && !self.asked.rates_alone() {
            self.pass_by(window.missed());
        }
        self.turn_interval();
    }

    #[inline]
    fn turn_interval(&mut self) {
        if self.asked.rates_alone() {
            return;
        }
        if self.interval - self.tail.1 > FORGET_AFTER {
            self.tail = self.farthest_lately();
        }
        self.sample.tail_hops = self.tail.0;
        self.interval += 1;
        let period = u64::from(self.settings.active_period);
        if self.interval - self.period_start >= period {
            self.active_before = if period > 1 { self.active } else { Active::default() };
            self.active = Active::default();
            self.period_start = self.interval;
        }
    }

    /// The same of so many intervals.
    pub fn turn_intervals(&mut self, intervals: u64) {
        if self.asked.rates_alone() {
            return;
        }
        let knows_nobody = self.tail.0 == 0 && self.active.weight == 0.0 && self.active_before.weight == 0.0;
        if !knows_nobody {
            return (0..intervals).for_each(|_| self.turn_interval());
        }
        let period = u64::from(self.settings.active_period.max(1));
        self.interval += intervals;
        self.period_start += (self.interval - self.period_start) / period * period;
        self.tail.1 = self.interval;
        self.sample.tail_hops = 0;
    }

    fn farthest_lately(&self) -> (usize, u64) {
        let lately = |seen: &u64| *seen > 0 && self.interval - seen <= FORGET_AFTER;
        let seen = self.hops_up.iter().copied().zip(self.last_seen.iter().copied());
        seen.filter(|(_, seen)| lately(seen)).max().unwrap_or((0, self.interval))
    }
}

#[cfg(test)]
mod tests;
