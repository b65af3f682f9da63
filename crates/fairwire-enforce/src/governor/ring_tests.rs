//! What a governor does without a kernel: leases, and a ring of them.

use super::ring::{Governor, Neighbour, Wanted};
use crate::counts::{ClassCount, ClassCounts};
use crate::desk::{LEASE, RING, STATIONS, plan, scenario};
use crate::plan::StationPlan;
use fairwire_core::{BitRate, Instant, Ringlet, Span};
use fairwire_exchange::GovernedQueue;

const LAP: Span = Span::from_millis(10);

fn governor(plan: &StationPlan) -> Governor<'_> {
    Governor::new(plan.law.as_ref(), &plan.ringlets[0], LEASE)
}

fn long_leased(plan: &StationPlan) -> Governor<'_> {
    Governor::new(plan.law.as_ref(), &plan.ringlets[0], LEASE * 5)
}

fn mbps(limits: &[BitRate]) -> Vec<f64> {
    limits.iter().map(|limit| (limit.as_bps_f64() / 1e4).round() / 100.0).collect()
}

fn ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

#[test]
fn limits_of_the_law_hold_as_long_as_it_is_heard() {
    let scenario = scenario(RING);
    let plan = plan(&scenario, 0);
    let mut governor = governor(&plan);
    let nothing = ClassCounts::new();
    // The first station waits until all others have forgotten what it has sent before.
    assert_eq!((governor.start(ms(0), &nothing), governor.poll_timeout()), (Wanted::default(), Some(ms(500))));
    assert_eq!((governor.handle_timeout(ms(499), &nothing), governor.is_leased()), (Wanted::default(), false));
    assert_eq!(mbps(governor.limits()), [13.33, 6.67], "before it begins: fair rates, the nearest egress first");
    let begun = governor.handle_timeout(ms(500), &nothing);
    assert_eq!(mbps(governor.limits()), [1.67, 1.67], "its part of what everybody may want");
    let (to, ledger) = begun.messages[0].clone();
    assert_eq!(to, Neighbour::Upstream);

    // Frames that nobody passes on are replaced, and change nothing.
    let mut now = ms(500);
    while now < ms(899) {
        now = governor.poll_timeout().unwrap().min(ms(899));
        assert_eq!(governor.handle_timeout(now, &nothing).limits, []);
    }
    assert_eq!(governor.poll_timeout().unwrap(), ms(900));
    let ended = governor.handle_timeout(ms(900), &nothing);
    assert_eq!((ended.limits.len(), governor.is_leased()), (2, false));
    assert_eq!(mbps(governor.limits()), [13.33, 6.67]);

    assert_eq!(governor.on_message(ms(1_400), b"no ledger".to_vec(), &nothing), Wanted::default());
    assert!(!governor.is_leased(), "what is no message of the law tells nothing");
    governor.on_message(ms(1_400), ledger, &nothing);
    assert!(governor.is_leased());
    assert_eq!(mbps(governor.limits()), [1.67, 1.67]);
}

#[test]
fn a_law_that_talks_with_nobody_holds_for_ever() {
    let scenario = scenario(&RING.replace("dvsr-plus", "fifo"));
    let plan = plan(&scenario, 0);
    let mut governor = governor(&plan);
    let begun = governor.start(ms(0), &ClassCounts::new());
    assert_eq!((mbps(governor.limits()), begun.messages.len()), (vec![20.0, 20.0], 0));
    assert_eq!(governor.poll_timeout(), None);
}

/// A station that is not there for a while.
#[derive(Clone, Copy)]
struct Away {
    station: usize,
    from: Instant,
    until: Instant,
}

/// Six governors whose ledger goes around in 10 ms. Senders never run out but those of `silent`. Rates flow at once, and a
/// link sends what it can; the rest waits in transit. The station that is `away` ends, and begins anew.
fn after(seconds: u64, silent: Option<u16>, away: Option<Away>) -> Vec<Vec<f64>> {
    let scenario = scenario(RING);
    let plans: Vec<StationPlan> = (0..STATIONS).map(|station| plan(&scenario, station)).collect();
    let mut governors: Vec<Governor> = plans.iter().map(long_leased).collect();
    let mut counts = vec![ClassCounts::new(); plans.len()];
    let mut ledgers: Vec<Option<Vec<u8>>> = vec![None; plans.len()];
    let mut now = ms(0);
    for station in 0..plans.len() {
        let wanted = governors[station].start(now, &counts[station]);
        deliver(&wanted, station, &mut ledgers);
    }
    while now < ms(1_000 * seconds) {
        now += LAP;
        flow(&plans, &governors, silent, &mut counts);
        // A lap: against the traffic, from the first station on.
        for station in (0..plans.len()).rev().chain([0]) {
            if let Some(away) = away.filter(|away| away.station == station && away.from <= now && now <= away.until) {
                ledgers[station] = None;
                if now == away.until {
                    governors[station] = long_leased(&plans[station]);
                    let wanted = governors[station].start(now, &counts[station]);
                    deliver(&wanted, station, &mut ledgers);
                }
                continue;
            }
            if let Some(ledger) = ledgers[station].take() {
                let wanted = governors[station].on_message(now, ledger, &counts[station]);
                deliver(&wanted, station, &mut ledgers);
            }
            while governors[station].poll_timeout().is_some_and(|due| due <= now) {
                let wanted = governors[station].handle_timeout(now, &counts[station]);
                deliver(&wanted, station, &mut ledgers);
            }
        }
    }
    governors.iter().map(|governor| mbps(governor.limits())).collect()
}

fn deliver(wanted: &Wanted, station: usize, ledgers: &mut [Option<Vec<u8>>]) {
    let upstream = (station + ledgers.len() - 1) % ledgers.len();
    if let Some((Neighbour::Upstream, ledger)) = wanted.messages.last() {
        ledgers[upstream] = Some(ledger.clone());
    }
}

/// What passes each link in a lap.
fn flow(plans: &[StationPlan], governors: &[Governor], silent: Option<u16>, counts: &mut [ClassCounts]) {
    let bytes = |bps: f64| bps * LAP.as_secs_f64() / 8.0;
    for (link, count) in counts.iter_mut().enumerate() {
        let mut load_bps = 0.0;
        for (station, (plan, governor)) in plans.iter().zip(governors).enumerate() {
            let site = &plan.ringlets[0].site;
            assert_eq!(site.ringlet, Ringlet::Zero);
            for (place, (flow, limit)) in site.flows.iter().zip(governor.limits()).enumerate() {
                let hops = (link + plans.len() - station) % plans.len();
                if silent == Some(station as u16) || hops >= flow.hops {
                    continue;
                }
                load_bps += limit.as_bps_f64();
                if hops == 0 {
                    let class = count.entry(GovernedQueue::class_of(place)).or_default();
                    let sent_bytes = class.sent_bytes + bytes(limit.as_bps_f64()) as u64;
                    *class = ClassCount {
                        sent_bytes,
                        waiting_packets: 9,
                        waiting_bytes: 9 * 1_514,
                        ..ClassCount::default()
                    };
                }
            }
        }
        let transit = count.entry(GovernedQueue::TRANSIT).or_default();
        let room = bytes(plans[link].ringlets[0].site.capacity().as_bps_f64());
        transit.waiting_bytes = (f64::from(transit.waiting_bytes) + bytes(load_bps) - room).max(0.0) as u32;
    }
}

#[test]
fn six_governors_come_to_what_is_fair() {
    let near =
        |limits: &[f64], fair: &[f64]| limits.iter().zip(fair).all(|(limit, fair)| (limit / fair - 1.0).abs() < 0.01);
    let limits = after(8, None, None);
    assert!(near(&limits[0], &[13.33, 6.67]) && near(&limits[1], &[6.67]) && near(&limits[2], &[6.67]), "{limits:?}");
    let limits = after(8, Some(1), None);
    assert!(near(&limits[0], &[10.0, 10.0]) && near(&limits[2], &[10.0]), "{limits:?}");
}

#[test]
fn a_station_that_was_away_for_any_time_leaves_nobody_with_what_is_not_fair() {
    // Whichever the number of the frame was that was lost: they begin again after 16 laps.
    let times = [50, 100, 200, 300, 400, 500, 700, 1_000, 2_000, 3_000];
    let all = [0, 2].into_iter().flat_map(|station| times.map(|lasts| (station, lasts)));
    for ((station, lasts), lap) in all.flat_map(|away| (0..16).map(move |lap| (away, lap))) {
        let from = ms(4_000) + LAP * lap;
        let limits = after(14, None, Some(Away { station, from, until: from + Span::from_millis(lasts) }));
        let near = |limit: f64, fair: f64| (limit / fair - 1.0).abs() < 0.02;
        let is_fair = near(limits[0][1], 6.67) && near(limits[1][0], 6.67) && near(limits[2][0], 6.67);
        assert!(is_fair, "station {station} away for {lasts} ms after {lap} laps: {limits:?}");
    }
}
