//! What DVSR costs to compute, and how many laps it takes in the upstream parallel parking lot.

use super::dvsr_rules::{ROOM, Visit, site};
use super::rates_seen::{at_ms, finely, lasting, plan_under, run_under, shown};
use super::{Claim, Finding, Trouble, expected_number};
use crate::runs;
use crate::tolerance::{compare, round, rounded};
use crate::ways::Way;
use fairwire_core::{Ringlet, Span, Streams};
use fairwire_laws::ring::dvsr::{Encoding, Frame};
use fairwire_scenario::Scenario;
use rand::RngExt;
use serde_json::json;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// What one feedback value took.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cost {
    share: f64,
    comparisons: u32,
    turns: u32,
}

/// Table I as printed on parts of a full link, counted.
fn table_one(parts: &[f64]) -> Cost {
    let mut comparisons = 0;
    let mut sorted = parts.to_vec();
    sorted.sort_unstable_by(|a, b| {
        comparisons += 1;
        a.partial_cmp(b).unwrap_or(Ordering::Equal)
    });
    let largest = sorted[sorted.len() - 1];
    let (mut share, mut count, mut room, mut turns) = (1.0 / sorted.len() as f64, sorted.len() as f64, 1.0, 0);
    for part in &sorted[..sorted.len() - 1] {
        if *part >= share || largest < share {
            break;
        }
        turns += 1;
        count -= 1.0;
        room -= part;
        share = room / count;
    }
    Cost { share, comparisons, turns }
}

/// Random counts of `k` ingresses that fill a link of `ROOM` bytes.
fn counts(k: usize, rng: &mut impl rand::Rng) -> Vec<u32> {
    let mut bytes: Vec<u32> = (0..k).map(|_| rng.random_range(1..=2 * ROOM / k as u32)).collect();
    let total: u32 = bytes.iter().sum();
    bytes[0] += ROOM.saturating_sub(total);
    bytes
}

fn parts(bytes: &[u32], room: f64) -> Vec<f64> {
    bytes.iter().map(|&bytes| f64::from(bytes) / room).collect()
}

/// The most that sorting and the loop took for `k` ingresses in so many cases.
fn worst(k: usize, cases: usize, rng: &mut impl rand::Rng) -> (u32, u32) {
    let costs = (0..cases).map(|_| table_one(&parts(&counts(k, rng), f64::from(ROOM))));
    costs.fold((0, 0), |(comparisons, turns), cost| (comparisons.max(cost.comparisons), turns.max(cost.turns)))
}

/// How far Table I as counted here is from what the law puts into its frame.
fn distance_to_the_law(cases: usize, rng: &mut impl rand::Rng) -> Result<f64, Trouble> {
    let mut distance = 0.0f64;
    for _ in 0..cases {
        let bytes = counts(32, rng);
        let arrived: Vec<(usize, u32)> = bytes.iter().copied().enumerate().collect();
        let frame = Frame::new(Encoding::Exact, 64);
        let outcome = Visit { site: site(40, 64, &[]), arrived: &arrived, sent: ROOM, frame }.happen()?;
        distance = distance.max((outcome.frame.fraction(40) - table_one(&parts(&bytes, f64::from(ROOM))).share).abs());
    }
    Ok(distance)
}

/// What hides in O(k log k), generously: a sort takes k log2 k comparisons and a little.
const FACTOR: f64 = 2.0;

/// Ingresses on the busiest link of a ring where all send to all the shorter way.
fn most_ingresses(stations: u16) -> Result<usize, Trouble> {
    let all: Vec<String> = (0..stations).map(|station| station.to_string()).collect();
    let mut text = format!(
        "schema = 1\n[run]\nduration = \"1 ms\"\n[ring]\nstations = {stations}\ncapacity = \"622 Mb/s\"\nspan-delay = \"0.1 ms\"\nlaw = {{ name = \"dvsr\" }}\n"
    );
    for from in 0..stations {
        let others: Vec<&str> =
            all.iter().enumerate().filter(|(to, _)| *to != usize::from(from)).map(|(_, name)| name.as_str()).collect();
        text += &format!(
            "[[flow]]\nname = \"from-{from}\"\nfrom = {from}\nto = [{}]\ntraffic = {{ kind = \"cbr\", rate = \"1 Mb/s\", packet = \"1 kB\" }}\n",
            others.join(", ")
        );
    }
    let scenario = Scenario::parse("all to all", &text).map_err(|errors| errors.to_string())?;
    let plan = scenario.ring_plan(0).ok_or("the scenario is not a ring")?;
    let mut on_link = vec![BTreeSet::new(); 2 * usize::from(stations)];
    for flow in &plan.flows {
        let (from, stations) = (flow.from.index(), usize::from(stations));
        for hop in 0..flow.ringlet.hops(from, flow.to.index(), stations) {
            let link = match flow.ringlet {
                Ringlet::Zero => (from + hop) % stations,
                Ringlet::One => stations + (from + stations - hop) % stations,
            };
            on_link[link].insert(from);
        }
    }
    Ok(on_link.iter().map(BTreeSet::len).max().unwrap_or(0))
}

/// V-B2: one sort of k numbers, k at most 32 on a ring of 64.
pub fn fair_rate(claim: &Claim) -> Result<Finding, Trouble> {
    let mut rng = Streams::new(1, 0).component("cost");
    let max_k = most_ingresses(64)?;
    let (comparisons, turns) = worst(32, 4_000, &mut rng);
    let distance = distance_to_the_law(500, &mut rng)?;
    let sizes = [2usize, 4, 8, 16, 32, 64, 128, 256, 1_024];
    let each: Vec<f64> = sizes.iter().map(|&k| f64::from(worst(k, 500, &mut rng).0) / log_times(k)).collect();
    let bytes = counts(32, &mut rng);
    let slow = table_one(&parts(&bytes, f64::from(ROOM)));
    let fast: Vec<u32> = bytes.iter().map(|bytes| bytes * 16).collect();
    let same = table_one(&parts(&fast, 16.0 * f64::from(ROOM))) == slow;
    let holds = max_k as f64 == expected_number(claim, "max_k")?
        && log_times(32) == expected_number(claim, "k_log2_k")?
        && turns <= 32
        && each.iter().all(|&each| each <= FACTOR)
        && distance <= 1e-9
        && same;
    let measured = json!({
        "max_k": max_k, "k_log2_k": log_times(32), "comparisons": comparisons, "max_loop_iterations": turns,
        "k": sizes, "comparisons_over_k_log2_k": rounded(&each), "independent_of_capacity": same, "distance_to_the_law": distance,
    });
    let note = "ingresses of the busiest link where 64 stations send to all others the shorter way; comparisons of the library's sort, which the \
                law uses, and turns of the loop in Table I as printed, most of 4000 random counts that fill a link, with the law's own \
                value as result; O(k log k) means here: at most twice k log2 k, up to k = 1024. The same counts sixteen times as large on a link sixteen times as fast take the same steps";
    Ok(Finding::new(measured, holds, note))
}

fn log_times(k: usize) -> f64 {
    k as f64 * (k as f64).log2()
}

/// Slides: k at most N/2, every 0.1 ms at the least.
pub fn slides(claim: &Claim) -> Result<Finding, Trouble> {
    let mut rng = Streams::new(1, 0).component("cost");
    let rings = [4u16, 8, 16, 64];
    let most: Vec<usize> = rings.iter().map(|&stations| most_ingresses(stations)).collect::<Result<_, _>>()?;
    let halves = rings.iter().zip(&most).all(|(&stations, &k)| k == usize::from(stations) / 2);
    let (comparisons, _) = worst(32, 2_000, &mut rng);
    let update = update_ms()?;
    let holds = halves
        && f64::from(comparisons) <= FACTOR * log_times(32)
        && update >= expected_number(claim, "min_update_ms")?;
    let measured = json!({
        "stations": rings, "max_k": most, "comparisons_for_k_of_32": comparisons, "min_update_ms": round(update),
    });
    let note = "k as for dvsr-sec5-fair-rate-cost. The update time is the mean between two visits of the frame on a ring whose lap \
                takes 0.02 ms, with min-interval set to 0.1 ms, so that no lap begins sooner after the one before";
    Ok(Finding::new(measured, holds, note))
}

/// Mean time in ms between two visits of the frame to a station (single ones vary: it waits for the packet under way) on a ring of ten spans of 2 µs.
fn update_ms() -> Result<f64, Trouble> {
    let parameters = "min-interval = \"0.1 ms\"";
    let mut plan = plan_under(&runs::parking_lot()?, "dvsr", parameters)?;
    lasting(&mut plan, Span::from_millis(20));
    plan.warmup = Span::ZERO;
    plan.window = Span::from_micros(2);
    plan.links.iter_mut().flatten().for_each(|link| link.delay = Span::from_micros(2));
    let run = run_under(plan, "dvsr", parameters)?;
    let visits = shown(&run, "allowed_rate_bps", 1, 5, at_ms(0));
    let gaps = visits.windows(2).map(|pair| pair[1].0.since(pair[0].0).as_secs_f64() * 1e3);
    if visits.len() < 10 {
        return Err("the frame did not circulate".into());
    }
    let gaps: Vec<f64> = gaps.collect();
    Ok(gaps.iter().sum::<f64>() / gaps.len() as f64)
}

/// V-A3: the upstream parallel parking lot in two periods.
pub fn two_periods(claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    let mut plan = plan_under(&runs::upstream_parallel()?, "dvsr", &way.parameters(""))?;
    lasting(&mut plan, Span::from_millis(50));
    plan.warmup = Span::ZERO;
    finely(&mut plan);
    let run = run_under(plan, "dvsr", &way.parameters(""))?;
    let series = |station: u16, egress: u16| -> Vec<f64> {
        let all = shown(&run, "allowed_rate_bps", station, egress, at_ms(0));
        all.iter().take(8).map(|(_, bps)| bps / run.capacity()).collect()
    };
    let (short, long) = (series(1, 3), series(2, 6));
    if short.len() < 8 || long.len() < 8 {
        return Err("the frame did not circulate".into());
    }
    let found = [short[0], long[0], short[1]];
    let keys = ["rate_1_3_after_first_T", "rate_2_6_after_first_T", "rate_1_3_after_second_T"];
    let expected = keys.iter().map(|key| expected_number(claim, key)).collect::<Result<Vec<_>, _>>()?;
    let measured = json!({
        keys[0]: round(found[0]), keys[1]: round(found[1]), keys[2]: round(found[2]),
        "limits_of_1_3_by_lap": rounded(&short), "limits_of_2_6_by_lap": rounded(&long),
    });
    let note = "limits that the stations set at the frame's visits, all flows at the link's rate from time zero. What (1,3) gets is there \
                after three visits instead of two: (2,6) is told more than a quarter at its first visit, since by then link 5 has not \
                carried all four flows for a whole lap (an ideal fluid goes through 0.5, 0.72, 0.75)";
    Ok(Finding::new(measured, compare(claim, &found, &expected).holds, note))
}
