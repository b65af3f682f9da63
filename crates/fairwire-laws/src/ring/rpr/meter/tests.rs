//! What a meter makes of counters, in time and late.

use super::*;
use crate::ring::LinkCounters;
use fairwire_core::{BitRate, FlowId, PacketMeta, Ringlet, ServiceClass, StationId, Streams};
use rand::RngExt;

const AGING: Span = Span::from_micros(100);

fn settings() -> MeterSettings {
    MeterSettings { aging: AGING, lp_coef: 1.0, age_coef: 1.0, only_eligible: true, active_period: 1 }
}

/// A meter with the counters that it reads.
struct Metered {
    meter: Meter,
    counters: LinkCounters,
}

impl Metered {
    fn new(settings: MeterSettings, weights: &[f64], asked: Asked) -> Self {
        let site = RingSite::bare(StationId(3), Ringlet::Zero, vec![BitRate::from_mbps(622); weights.len()]);
        let counters = LinkCounters::new(Meter::counters(asked), &site);
        Self { meter: Meter::new(settings, &site, weights, asked), counters }
    }

    fn count(&mut self, packet: &PacketMeta) {
        self.counters.send_in_full(packet);
    }

    fn set_head(&mut self, hops: Option<usize>) {
        self.meter.set_head(hops);
    }
}

/// Station 3 of six; weights 1, 2, 3, …
fn meter(settings: MeterSettings) -> Metered {
    Metered::new(settings, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], Asked { who: true, how_far: true })
}

fn packet(ingress: u16, egress: u16) -> PacketMeta {
    PacketMeta {
        flow: FlowId(0),
        ingress: StationId(ingress),
        egress: StationId(egress),
        size_bytes: 1_000,
        class: ServiceClass::C,
        fairness_eligible: true,
    }
}

fn closed(metered: &mut Metered) -> Sample {
    closed_after(metered, AGING)
}

fn closed_after(metered: &mut Metered, elapsed: Span) -> Sample {
    let Metered { meter, counters } = metered;
    meter.close(&StationView { traffic: counters.traffic(), ..StationView::default() }, Window::new(elapsed, AGING));
    *meter.sample()
}

/// Late by half an interval, or stopped for 50 ms: rates are those of the time that has passed.
#[test]
fn a_late_station_measures_no_more_than_the_link_sends() {
    let mut meter = meter(MeterSettings { lp_coef: 64.0, ..settings() });
    let mut most = 0.0f64;
    for step in 0..2_000 {
        let intervals = if step == 1_000 { 500 } else { 1 };
        (0..6 * intervals).for_each(|_| meter.count(&packet(3, 5)));
        most = most.max(closed_after(&mut meter, AGING * intervals).lp_total_bps());
    }
    assert!(most <= 480e6 * (1.0 + 1e-9), "{most}");
}

#[test]
fn bytes_become_rates_and_are_counted_anew() {
    let mut meter = meter(settings());
    (0..3).for_each(|_| meter.count(&packet(3, 5)));
    (0..2).for_each(|_| meter.count(&packet(1, 4)));
    let sample = closed(&mut meter);
    assert_eq!((sample.lp_add_bps, sample.lp_forward_bps), (240e6, 160e6));
    assert_eq!((sample.lp_total_bps(), sample.added, sample.farthest_hops), (400e6, true, 1));
    assert_eq!(Sample { tail_hops: 0, ..closed(&mut meter) }, Sample::default());
}

/// A link that is full all the time, with a packet under way whenever an interval ends.
#[test]
fn no_sample_is_above_what_the_link_carries() {
    let carried = 622e6 * 100e-6 / 8.0;
    for (ingress, beyond) in [(3, false), (2, true)] {
        let mut meter = meter(settings());
        meter.set_head(Some(0));
        let mut left = 0.0f64;
        for interval in 0..1_000 {
            let mut room = carried - left;
            while room > 0.0 {
                meter.count(&packet(ingress, 5));
                room -= 1_000.0;
            }
            left = -room;
            let Metered { meter, counters } = &mut meter;
            let link = LinkView { sending: counters.sending(left.round() as u64), ..LinkView::default() };
            let view = StationView { link, traffic: counters.traffic(), ..StationView::default() };
            meter.close(&view, Window::Aging);
            let sample = meter.sample();
            let off = sample.lp_total_bps() / 622e6 - 1.0;
            assert!(off.abs() < 2e-4, "{off} in interval {interval}");
            let of_beyond = if beyond { sample.lp_total_bps() } else { 0.0 };
            assert!((sample.lp_forward_beyond_bps - of_beyond).abs() < 1.0);
        }
    }
}

/// On links where a packet lasts for several intervals, and where several packets fit into one, of both classes that may count.
#[test]
fn each_interval_tells_of_what_left_in_it() {
    const STATIONS: u16 = 20;
    let both = Asked { who: true, how_far: true };
    for (only_eligible, bytes_an_interval) in [(true, 137), (false, 137), (true, 1_000), (false, 3_100)] {
        let mut random = Streams::new(17, bytes_an_interval).component("meter");
        let settings = MeterSettings { only_eligible, ..settings() };
        let mut metered = Metered::new(settings, &[1.0; STATIONS as usize], both);
        metered.set_head(Some(5));
        let (mut hops, mut left) = (0, 0);
        for interval in 0..1_000 {
            let (mut room, mut left_by_hops, mut begun_by) = (bytes_an_interval, [0; STATIONS as usize], vec![]);
            while room > 0 {
                if left == 0 && random.random_bool(0.2) {
                    break;
                }
                if left == 0 {
                    // From upstream of station 3 or itself, to one that is downstream of it and not of the source.
                    let up = random.random_range(0..STATIONS - 1);
                    let down = random.random_range(1..STATIONS - up);
                    let eligible = random.random_bool(0.5);
                    let (ingress, egress) = ((3 + STATIONS - up) % STATIONS, (3 + down) % STATIONS);
                    let class = if eligible { ServiceClass::C } else { ServiceClass::A1 };
                    metered.count(&PacketMeta { class, fairness_eligible: eligible, ..packet(ingress, egress) });
                    left = 1_000;
                    let counts = up > 0 && (eligible || !only_eligible);
                    hops = if counts { usize::from(down) } else { 0 };
                    if counts && !begun_by.contains(&up) {
                        begun_by.push(up);
                    }
                }
                let leaves = room.min(left);
                (room, left) = (room - leaves, left - leaves);
                left_by_hops[hops] += leaves;
            }
            let Metered { meter, counters } = &mut metered;
            let link = LinkView { sending: counters.sending(left).filter(|_| left > 0), ..LinkView::default() };
            let view = StationView { link, traffic: counters.traffic(), ..StationView::default() };
            let sample = meter.close(&view, Window::Aging);
            let beyond: u64 = left_by_hops[6..].iter().sum();
            let farthest = (1..STATIONS as usize).rev().find(|hops| left_by_hops[*hops] > 0);
            let found = (sample.lp_forward_beyond_bps, sample.farthest_hops, sample.active_others);
            let due = (beyond as f64 * 8e4, farthest.unwrap_or(0), begun_by.len() as f64);
            assert!(
                (found.0 - due.0).abs() < 1.0 && (found.1, found.2) == (due.1, due.2),
                "{interval}: {found:?}, not {due:?}"
            );
        }
    }
}

/// A driver that cannot tell what is being sent counts packets where they begin: 8 or 7 of 7.775.
#[test]
fn without_that_packets_count_where_they_begin() {
    let mut meter = meter(settings());
    let mut sent = 0u32;
    let above = (1..=1_000).filter(|interval| {
        let begun = (f64::from(*interval) * 7.775).ceil() as u32;
        (sent..begun).for_each(|_| meter.count(&packet(3, 5)));
        sent = begun;
        closed(&mut meter).lp_total_bps() > 622e6
    });
    assert_eq!(above.count(), 775);
}

/// A new sample weighs 1/LPCOEF; with an ageCoef it comes late as well.
#[test]
fn filters_follow_slowly() {
    let mut plain = meter(MeterSettings { lp_coef: 64.0, ..settings() });
    let mut aged = meter(MeterSettings { lp_coef: 64.0, age_coef: 4.0, ..settings() });
    let mut seen = (0.0, 0.0);
    for step in 1..=1_000 {
        plain.count(&packet(3, 4));
        aged.count(&packet(3, 4));
        seen = (closed(&mut plain).lp_add_bps, closed(&mut aged).lp_add_bps);
        let due = 80e6 * (1.0 - (63.0_f64 / 64.0).powi(step));
        assert!((seen.0 - due).abs() < 1.0 && seen.1 < seen.0, "{step}: {seen:?}");
        if step == 1 {
            assert_eq!(seen, (80e6 / 64.0, 80e6 / 4.0 / 64.0));
        }
    }
    assert!((seen.1 / 80e6 - 1.0).abs() < 1e-5, "{seen:?}");
}

#[test]
fn what_is_asked_is_the_same_whatever_else_is_asked() {
    for asked in [[false, false], [true, false], [false, true]].map(|[who, how_far]| Asked { who, how_far }) {
        let mut all = meter(settings());
        let mut some = Metered::new(settings(), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], asked);
        for step in 0..200 {
            for meter in [&mut all, &mut some] {
                (0..step % 7).for_each(|which| meter.count(&packet(which % 4, 4 + which % 2)));
                meter.set_head((step % 3 > 0).then_some(1));
            }
            let (all, some) = (closed(&mut all), closed(&mut some));
            let who = if asked.who { all } else { Sample::default() };
            let how_far = if asked.how_far { all } else { Sample::default() };
            let expected = Sample {
                active_others: who.active_others,
                active_weight: who.active_weight,
                is_active: who.is_active,
                tail_hops: who.tail_hops,
                farthest_hops: how_far.farthest_hops,
                lp_forward_beyond_bps: how_far.lp_forward_beyond_bps,
                ..all
            };
            assert_eq!(some, expected, "{asked:?}");
        }
    }
}

#[test]
fn active_ingresses_are_counted_once_an_interval() {
    let mut meter = meter(settings());
    [0, 2, 0, 2, 3].into_iter().for_each(|ingress| meter.count(&packet(ingress, 4)));
    let sample = closed(&mut meter);
    assert_eq!((sample.active_others, sample.active_weight), (2.0, 4.0), "the station itself is no other");
    meter.count(&packet(1, 4));
    let sample = closed(&mut meter);
    assert_eq!((sample.active_others, sample.active_weight), (1.0, 2.0));
    assert_eq!(closed(&mut meter).active_others, 0.0);
}

/// Weights over four intervals: known while they gather, kept until the next four are over.
#[test]
fn active_weights_are_kept_for_a_period() {
    let mut meter = meter(MeterSettings { active_period: 4, ..settings() });
    let mut close = |ingresses: &[u16]| {
        ingresses.iter().for_each(|&ingress| meter.count(&packet(ingress, 4)));
        closed(&mut meter).active_weight
    };
    let first = [close(&[0]), close(&[1]), close(&[0]), close(&[])];
    assert_eq!(first, [1.0, 3.0, 3.0, 3.0]);
    let second = [close(&[]), close(&[0]), close(&[2]), close(&[])];
    assert_eq!(second, [3.0, 3.0, 4.0, 4.0], "at least what the last period saw");
    let third = [close(&[]), close(&[]), close(&[]), close(&[])];
    assert_eq!(third, [4.0; 4]);
    assert_eq!(close(&[]), 0.0);
}

/// The station itself counts for as long as others do, and no longer when it looks late.
#[test]
fn the_station_itself_is_active_as_long_as_others() {
    let mut metered = meter(MeterSettings { active_period: 4, ..settings() });
    let mut both = |packets: &[u16], intervals| {
        packets.iter().for_each(|&ingress| metered.count(&packet(ingress, 4)));
        let sample = closed_after(&mut metered, AGING * intervals);
        (sample.is_active, sample.active_others == 1.0)
    };
    assert_eq!(both(&[], 1), (false, false));
    assert_eq!([both(&[0, 3], 1), both(&[], 1), both(&[], 1)], [(true, true); 3], "the first period");
    assert_eq!([0; 4].map(|_| both(&[], 1)), [(true, true); 4], "and the next");
    assert_eq!(both(&[], 1), (false, false));
    assert_eq!((both(&[0, 3], 1), both(&[], 20)), ((true, true), (false, false)), "whole periods later");
    let mut once = meter(settings());
    let mut own = |packets: &[u16]| {
        packets.iter().for_each(|&ingress| once.count(&packet(ingress, 4)));
        closed(&mut once).is_active
    };
    assert_eq!([own(&[3]), own(&[0]), own(&[3])], [true, false, true]);
}

/// Who is active is told of a period, however late the look: in ten intervals one that sends in each is seen in each, and
/// one that sent once is so with a chance of one in ten.
#[test]
fn a_late_look_tells_no_more_of_active() {
    let max_packet = 1_500;
    let mut meter = meter(settings());
    (0..10 * max_packet / 1_000).for_each(|_| meter.count(&packet(0, 4)));
    meter.count(&packet(1, 4));
    let sample = closed_after(&mut meter, AGING * 10);
    let once = 1_000.0 / f64::from(max_packet) / 10.0;
    assert!((sample.active_others - (1.0 + once)).abs() < 1e-12, "{sample:?}");
    assert!((sample.active_weight - (1.0 + 2.0 * once)).abs() < 1e-12, "{sample:?}");
    meter.count(&packet(1, 4));
    assert_eq!(closed(&mut meter).active_others, 1.0, "in time it is seen");
}

/// Periods of four intervals: two looks in time, then one that covers so many intervals.
#[test]
fn a_late_look_ends_the_period_that_it_passes() {
    let late_by = |intervals: u64| {
        let mut meter = meter(MeterSettings { active_period: 4, ..settings() });
        meter.count(&packet(0, 4));
        (0..2).for_each(|_| _ = closed(&mut meter));
        (0..3).for_each(|_| meter.count(&packet(1, 4)));
        let told = closed_after(&mut meter, AGING * intervals).active_others;
        (told, (0..5).map(|_| closed(&mut meter).active_others).collect::<Vec<_>>())
    };
    assert_eq!(late_by(1), (2.0, vec![2.0, 2.0, 2.0, 2.0, 2.0]));
    assert_eq!(late_by(2), (2.0, vec![2.0, 2.0, 2.0, 2.0, 0.0]), "the period is over");
    // 3,000 bytes in four intervals, two of them within the period: one packet of 1,500.
    assert_eq!(late_by(4), (2.0, vec![2.0, 2.0, 2.0, 2.0, 0.0]));
    assert_eq!(late_by(5), (1.8, vec![1.8, 1.8, 1.8, 1.8, 0.0]));
    // In twenty a whole period has passed by: two packets in five periods, and nobody knows of station 0 any more.
    assert_eq!(late_by(20), (0.4, vec![0.4, 0.4, 0.4, 0.4, 0.0]));
}

/// What a packet takes to leave, in microseconds.
const PACKET_US: u64 = 25;

/// When packets begin to leave of sources that send one every so many microseconds: each as soon as the one before has left.
fn begins_us(sources_us: &[u64], until_us: u64) -> Vec<u64> {
    let of_source = |every_us: &u64| (0..until_us / every_us).map(|packet| packet * every_us).collect::<Vec<_>>();
    let mut begins: Vec<u64> = sources_us.iter().flat_map(of_source).collect();
    begins.sort_unstable();
    let mut free_us = 0;
    for begin_us in &mut begins {
        *begin_us = free_us.max(*begin_us);
        free_us = *begin_us + PACKET_US;
    }
    begins
}

/// Which part of the looks finds traffic of such sources beyond the head, where looks are late by up to so many microseconds.
fn part_beyond(sources_us: &[u64], late_us: u64) -> f64 {
    const LOOKS: u64 = 20_000;
    let mut rng = Streams::new(1, 0).component("meter");
    let mut metered = meter(settings());
    metered.set_head(Some(1));
    let begins_us = begins_us(sources_us, (LOOKS + 1) * 100);
    let (mut begun, mut last_us, mut beyond) = (0, 0, 0);
    for due_us in (1..=LOOKS).map(|look| look * 100) {
        let now_us = due_us + if late_us > 0 { rng.random_range(0..=late_us) } else { 0 };
        while begins_us.get(begun).is_some_and(|begin_us| *begin_us <= now_us) {
            metered.count(&packet(2, 5));
            begun += 1;
        }
        let left_bytes = (begins_us[begun - 1] + PACKET_US).saturating_sub(now_us) * 1_000 / PACKET_US;
        let Metered { meter, counters } = &mut metered;
        let link = LinkView { sending: counters.sending(left_bytes), ..LinkView::default() };
        let view = StationView { link, traffic: counters.traffic(), ..StationView::default() };
        meter.close(&view, Window::new(Span::from_micros(now_us - last_us), AGING));
        beyond += u32::from(meter.sample().farthest_hops > 1);
        last_us = now_us;
    }
    f64::from(beyond) / LOOKS as f64
}

/// Of packets that come so near to each other that no aging interval misses them, that come now and then, and of several
/// stations by turns.
#[test]
fn late_looks_find_traffic_beyond_the_head_as_often_as_looks_in_time() {
    for near_us in [61, 113, 119] {
        assert_eq!([0, 20, 66, 99].map(|late_us| part_beyond(&[near_us], late_us)), [1.0; 4], "one each {near_us} us");
    }
    for rare_us in [&[157][..], &[283], &[709], &[151, 239], &[283, 401], &[211, 307, 701], &[283, 293, 307]] {
        let in_time = part_beyond(rare_us, 0);
        assert!(in_time < 0.95, "one each {rare_us:?} us: {in_time}");
        for late_us in [20, 66] {
            let late = part_beyond(rare_us, late_us);
            assert!((late - in_time).abs() < 0.02, "one each {rare_us:?} us, late by {late_us}: {late}, not {in_time}");
        }
    }
}

/// Intervals count by time where it is about who was active lately, too.
#[test]
fn the_tail_is_forgotten_in_time() {
    let mut meter = meter(settings());
    meter.count(&packet(0, 4));
    closed(&mut meter);
    assert_eq!(closed_after(&mut meter, AGING * (FORGET_AFTER - 1)).tail_hops, 3);
    assert_eq!(closed_after(&mut meter, AGING * 2).tail_hops, 0);
}

#[test]
fn traffic_beyond_the_head_is_told_apart() {
    let mut meter = meter(settings());
    meter.set_head(Some(1));
    meter.count(&packet(2, 4));
    meter.count(&packet(2, 5));
    let sample = closed(&mut meter);
    assert_eq!((sample.lp_forward_bps, sample.lp_forward_beyond_bps), (160e6, 80e6));
    assert_eq!(sample.farthest_hops, 2);
    meter.set_head(None);
    meter.count(&packet(2, 5));
    assert_eq!(closed(&mut meter).lp_forward_beyond_bps, 0.0);
}

#[test]
fn the_tail_is_the_farthest_that_was_active_lately() {
    let mut meter = meter(settings());
    meter.count(&packet(0, 4));
    assert_eq!(closed(&mut meter).tail_hops, 3);
    for _ in 1..FORGET_AFTER {
        meter.count(&packet(2, 4));
        assert_eq!(closed(&mut meter).tail_hops, 3);
    }
    let after: Vec<usize> = (0..3).map(|_| closed(&mut meter).tail_hops).collect();
    assert_eq!(after, [3, 1, 1]);
    let last = (0..FORGET_AFTER).map(|_| closed(&mut meter).tail_hops).last();
    assert_eq!(last, Some(0));
}

#[test]
fn what_is_not_eligible_may_count() {
    let bound = PacketMeta { fairness_eligible: false, class: ServiceClass::B, ..packet(2, 4) };
    let reserved = PacketMeta { class: ServiceClass::A0, ..bound };
    let rate = |only_eligible, packet| {
        let mut meter = meter(MeterSettings { only_eligible, ..settings() });
        meter.count(packet);
        closed(&mut meter).lp_forward_bps
    };
    assert_eq!([rate(true, &bound), rate(false, &bound), rate(false, &reserved)], [0.0, 80e6, 0.0]);
}
