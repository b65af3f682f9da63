//! Rules of [rpr-enhanced-conservative] §III beside its tables, asked of the law at
//! one station: what a station may add, what it tells, when, and its queue's marks.

use super::lone_station::{AGING, FAR, Interval, LawAnswer, LoneStation, STQ, UNRESERVED_BPS, rate_code};
use super::{Claim, Finding, Trouble};
use crate::runs::of_toml;
use crate::tolerance::round;
use fairwire_core::{Bytes, Ringlet, StationId, Streams};
use fairwire_laws::frame::Address;
use fairwire_laws::ring::RingLaw;
use fairwire_laws::ring::rpr::{Choke, FULL_RATE, FairnessFrame};
use fairwire_laws::ring::rpr_conservative_enhanced::{Law, Params};
use rand::RngExt;
use serde_json::json;

const GAMMA: f64 = 64.0;
/// The head in question, twice as heavy as the others.
const HEAD: u16 = 4;
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0];
const EQUAL: [f64; 8] = [1.0; 8];

fn frame(head: u16, fair_rate: u16) -> FairnessFrame {
    FairnessFrame::new(Choke::Single, Ringlet::One, Address::of(StationId(head)), fair_rate)
}

/// AllowedRate and AllowedRateCongested through a random history.
pub fn allowed_rates(_claim: &Claim) -> Result<Finding, Trouble> {
    const INTERVALS: usize = 20_000;
    let mut law = LoneStation::<Law>::new(&of_toml("lp-coef = 1")?, HEAD, &WEIGHTS)?;
    let (weight, beyond_head, code) = (WEIGHTS[usize::from(HEAD)], 5, rate_code());
    let (mut station, mut beyond, mut worst) = (UNRESERVED_BPS, UNRESERVED_BPS, 0.0f64);
    let (mut drops, mut climbs) = ([0u32; 2], [0u32; 2]);
    let mut rng = Streams::new(2, 0).component("allowed rates");
    let (mut stretch, mut congested, mut hears) = (0, false, false);
    for _ in 0..INTERVALS {
        if stretch == 0 {
            (stretch, congested, hears) = (rng.random_range(1..200), rng.random(), rng.random());
        }
        stretch -= 1;
        let said = if hears { rng.random_range(0..30_000u16) } else { FULL_RATE };
        let interval = Interval {
            add: rng.random_range(0..3_000),
            forward: vec![(2, FAR, rng.random_range(1..4_000))],
            stq: if congested { rng.random_range(32_001..90_000) } else { 0 },
            heard: Some(frame(beyond_head, said)),
        };
        let found = law.pass(&interval)?;
        let climb = |rate: f64| rate + (UNRESERVED_BPS - rate) / GAMMA;
        station = if found.congested { found.fair_bps } else { climb(station) };
        beyond = match code.decode(said) {
            Some(rate) => found.fair_bps.min(weight * rate),
            None => climb(beyond),
        };
        for (limit, binds) in [found.congested, hears].into_iter().enumerate() {
            if binds { drops[limit] += 1 } else { climbs[limit] += 1 }
        }
        worst = worst.max((found.station_bps as f64 - station).abs()).max((found.beyond_bps as f64 - beyond).abs());
    }
    let measured = json!({
        "gamma": GAMMA,
        "largest_difference_bps": round(worst),
        "intervals_held_to_L": drops[0], "intervals_held_to_min_L_WA": drops[1],
        "intervals_climbing": climbs,
    });
    let exercised = drops.iter().chain(&climbs).all(|times| *times > 0);
    let note = format!(
        "{INTERVALS} random aging intervals of a station of weight {weight} with 22 Mb/s reserved for class A0; limits are \
         whole bit/s"
    );
    Ok(Finding::new(measured, exercised && worst <= 0.5 + 1e-6, note))
}

/// What is told, passed on and withheld by stations in a row.
pub fn advertised_rates(_claim: &Claim) -> Result<Finding, Trouble> {
    let code = rate_code();
    let head_says = |add, stq| {
        let mut head = LoneStation::<Law>::new(&of_toml("lp-coef = 1")?, HEAD, &WEIGHTS)?;
        head.pass(&Interval { add, forward: vec![(3, FAR, 3_000), (2, FAR, 500)], stq, heard: None })
    };
    let at = |station: u16, forward: &[(u16, u16, u32)], stq, heard| -> Result<LawAnswer, Trouble> {
        let mut law = LoneStation::<Law>::new(&of_toml("lp-coef = 1")?, station, &WEIGHTS)?;
        law.pass(&Interval { add: 1_000, forward: forward.to_vec(), stq, heard: Some(heard) })
    };
    let own = head_says(2_000, 40_000)?;
    let normalised = code.encode(own.fair_bps / WEIGHTS[usize::from(HEAD)]);
    let through = [(2, FAR, 500)];
    let middle = at(3, &through, 0, own.said)?.said;
    // Its own L is (600 - 80) / 1 with one station upstream, or 300 if that adds its part.
    let slower_below = at(3, &through, 40_000, frame(HEAD, 9_000))?;
    let faster_below = at(3, &through, 40_000, frame(HEAD, 55_000))?;
    let tail = at(2, &[], 0, middle)?.said;
    let not_past_the_head = at(3, &[(2, 4, 500)], 0, own.said)?.said;
    let calm = head_says(2_000, 0)?.said;
    let head = |said: FairnessFrame| said.source().station().map(|station| station.0);
    let cases = [
        ("the head tells L/W", own.congested && own.said.fair_rate() == normalised && head(own.said) == Some(HEAD)),
        ("the next passes it on", middle.fair_rate() == normalised && head(middle) == Some(HEAD)),
        ("a congested one passes a smaller one on", slower_below.said.fair_rate() == 9_000),
        (
            "and tells its own if that is smaller",
            faster_below.said.fair_rate() == code.encode(faster_below.fair_bps) && head(faster_below.said) == Some(3),
        ),
        ("the tail tells full rate", tail.fair_rate() == FULL_RATE),
        ("so does one whose upstream leaves before the head", not_past_the_head.fair_rate() == FULL_RATE),
        ("and an uncongested one that hears nothing", calm.fair_rate() == FULL_RATE),
    ];
    let outcome: serde_json::Map<_, _> = cases.iter().map(|(case, holds)| ((*case).to_owned(), json!(holds))).collect();
    let note = "frames of stations in a row; a rate is told in steps of 10 kb/s, rounded down, and compared as its code. \
                Upstream contributes if in the last aging interval some of its traffic was bound beyond the head";
    Ok(Finding::new(json!({ "cases": outcome }), cases.iter().all(|(_, holds)| *holds), note))
}

/// At which depths of the queue the law does what.
pub fn thresholds(claim: &Claim) -> Result<Finding, Trouble> {
    let stop =
        Law::stq_thresholds(&Params::default(), STQ, Bytes::new(978)).stop.ok_or("the law never stops adding")?;
    let (low, medium, high) = (shallowest(congests)?, shallowest(sinks)?, shallowest(estimates_anew)?);
    // The first depth above a mark lies a byte above it.
    let kb = |depth: u64| (depth - 1) as f64 / 1e3;
    let expected =
        claim.expected.get("derived_kB").and_then(|marks| marks.as_table()).ok_or("no marks are expected")?;
    let mark = |name: &str| expected.get(name).and_then(crate::catalogue::number).unwrap_or(f64::NAN);
    let stops_at_kb = stop.get() as f64 / 1e3;
    let found = [kb(low), kb(medium), kb(high), stops_at_kb];
    let holds = found == [mark("low"), mark("medium"), mark("high"), mark("high")];
    let measured = json!({ "kB": { "low": found[0], "medium": found[1], "high": found[2], "stops_adding": found[3] } });
    let note = "by bisection: deepest queue at which a station of 256 kB is not yet congested, does not yet sink (row 5), \
                does not yet estimate anew (row 7); and where it stops adding";
    Ok(Finding::new(measured, holds, note))
}

fn shallowest(acts: fn(u64) -> Result<bool, Trouble>) -> Result<u64, Trouble> {
    let (mut no, mut yes) = (0, STQ.get());
    if acts(no)? || !acts(yes)? {
        return Err("a mark lies outside the queue".into());
    }
    while yes - no > 1 {
        let middle = no.midpoint(yes);
        if acts(middle)? { yes = middle } else { no = middle }
    }
    Ok(yes)
}

/// A station next to one of equal weight, congested at 40 kB if at all; both rates as told.
fn congested_with(add: u32, forward: u32, text: &str) -> Result<(LoneStation<Law>, LawAnswer, Interval), Trouble> {
    let mut law = LoneStation::new(&of_toml(&format!("lp-coef = 1\n{text}"))?, HEAD, &EQUAL)?;
    let interval = Interval { add, forward: vec![(3, FAR, forward)], stq: 40_000, heard: None };
    let found = law.pass(&interval)?;
    Ok((law, found, interval))
}

fn congests(stq: u64) -> Result<bool, Trouble> {
    let mut law = LoneStation::<Law>::new(&of_toml("lp-coef = 1")?, HEAD, &EQUAL)?;
    Ok(law.pass(&Interval { add: 4_000, forward: vec![(3, FAR, 3_000)], stq, heard: None })?.congested)
}

/// Row 5: with more than its part a station has no use for row 7. A round trip is one interval.
fn sinks(stq: u64) -> Result<bool, Trouble> {
    let (mut law, before, interval) = congested_with(4_000, 3_000, "round-trip = \"fixed\"\nrtt = \"100 us\"")?;
    Ok(law.pass(&Interval { stq, ..interval })?.fair_bps < before.fair_bps)
}

/// Row 7, before a round trip has passed. Both rates fill two thirds, so eq. (4) asks for less than eq. (1) gave.
fn estimates_anew(stq: u64) -> Result<bool, Trouble> {
    let (mut law, before, interval) = congested_with(2_000, 3_000, "round-trip = \"fixed\"\nrtt = \"1 s\"")?;
    Ok(law.pass(&Interval { stq, ..interval })?.fair_bps < before.fair_bps)
}

/// Time between two frames, and between two looks at the queue.
pub fn message_period(claim: &Claim) -> Result<Finding, Trouble> {
    const INTERVALS: u64 = 1_000;
    let mut law = LoneStation::<Law>::new(&Params::default(), HEAD, &EQUAL)?;
    let mut punctual = true;
    for interval in 1..=INTERVALS {
        punctual &= law.due().is_some_and(|due| due.as_nanos() == interval * AGING.as_nanos());
        // In which a frame goes out and L is found, or this fails.
        law.pass(&Interval { add: 3_000, forward: vec![(3, FAR, 3_000)], stq: 40_000, heard: None })?;
    }
    let expected = super::expected_number(claim, "period_us")?;
    let period_us = if punctual { AGING.as_secs_f64() * 1e6 } else { f64::NAN };
    let measured = json!({ "period_us": round(period_us), "intervals": INTERVALS });
    let note = "the law asks to be woken every 100 us and each time samples the queue and sends one frame upstream";
    Ok(Finding::new(measured, (period_us - expected).abs() < 1e-9, note))
}
