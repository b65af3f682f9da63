//! Virtual time of an ideal fluid fair server, and what can be known of it from byte counts.

use super::drawn::{self, DERIVED, PRINTED};
use super::dvsr_rules::{ROOM, Visit, site};
use super::{Claim, Finding, Trouble, allocation, expected_number};
use crate::tandem::{flows_of, unit_tandem};
use crate::tolerance::{compare, round, rounded};
use fairwire_alloc::Criterion;
use fairwire_analysis::gps::{GpsServer, announced_rate};
use fairwire_analysis::local_queueing::deliveries;
use fairwire_analysis::metaring::{MetaRing, Release};
use fairwire_core::Streams;
use fairwire_laws::ring::dvsr::{Encoding, Frame};
use fairwire_results::{Curve, Figure};
use rand::{Rng, RngExt};
use serde_json::json;

fn unit(flows: usize) -> GpsServer {
    GpsServer::new(1.0, vec![1.0; flows])
}

/// Fig. 12: every flow is limited to dv/dt, or to the capacity while nobody is
/// backlogged, and the fourth turns off.
pub fn slopes(claim: &Claim) -> Result<Finding, Trouble> {
    let (coarse, fine) = (followed(1e-3), followed(1e-5));
    let keys = ["slope_before", "slope_after", "min_controller_rate"];
    let expected = keys.iter().map(|key| expected_number(claim, key)).collect::<Result<Vec<_>, _>>()?;
    let found = [fine.slopes[0], fine.slopes[1], fine.least_limit];
    let holds = compare(claim, &found, &expected).holds && fine.backlog < coarse.backlog / 50.0;
    let measured = json!({
        "slope_before": round(found[0]), "slope_after": round(found[1]), "min_controller_rate": round(found[2]),
        "largest_backlog": round(fine.backlog), "largest_backlog_with_steps_a_hundred_times_as_long": round(coarse.backlog),
    });
    let note = "fluid server of capacity 1; controllers follow dv/dt in steps of 1e-5 time units, and the backlog, which the \
                paper calls infinitesimal, shrinks with the step";
    let figure = Figure {
        title: drawn::title(claim, "virtual time while four flows, then three, are on"),
        x: "time, in thousandths of a unit".to_owned(),
        y: "virtual time, in thousandths".to_owned(),
        curves: vec![Curve { name: "virtual time".to_owned(), points: fine.virtual_time }],
        ..Figure::default()
    };
    // Both stretches last ten thousandths.
    let turn = 10.0 * expected[0];
    let figure = figure.with_point(DERIVED, (10.0, turn)).with_point(DERIVED, (20.0, turn + 10.0 * expected[1]));
    Ok(Finding::new(measured, holds, note).drawn(figure))
}

/// Controllers that follow the slope, first four of them, then three.
struct Followed {
    slopes: Vec<f64>,
    least_limit: f64,
    backlog: f64,
    /// Virtual time over time, both in thousandths.
    virtual_time: Vec<(f64, f64)>,
}

fn followed(step: f64) -> Followed {
    let mut server = unit(4);
    let mut found =
        Followed { slopes: Vec::new(), least_limit: f64::INFINITY, backlog: 0.0, virtual_time: vec![(0.0, 0.0)] };
    // The system has been idle, so all may send at the full rate.
    let mut limit = 1.0f64;
    for (phase, active) in [4, 3].into_iter().enumerate() {
        for number in 1..=1_000 {
            found.least_limit = found.least_limit.min(limit);
            let arrivals: Vec<f64> = (0..4).map(|flow| if flow < active { limit } else { 0.0 }).collect();
            let (before, sent) = (server.virtual_time(), server.served().iter().sum::<f64>());
            server.advance(step, &arrivals);
            let is_busy = server.served().iter().sum::<f64>() - sent >= step * (1.0 - 1e-9);
            limit = if is_busy { ((server.virtual_time() - before) / step).min(1.0) } else { 1.0 };
            found.backlog = found.backlog.max(server.backlog().iter().sum());
            if number % 50 == 0 {
                let time = (phase * 1_000 + number) as f64 * step;
                found.virtual_time.push((time * 1e3, server.virtual_time() * 1e3));
            }
        }
        found.slopes.push(limit);
    }
    found
}

/// Fig. 13 and the cycle after it.
pub fn aggregated_feedback(claim: &Claim) -> Result<Finding, Trouble> {
    const WINDOW: f64 = 10.0;
    let mut server = unit(2);
    server.burst(0, 6.0);
    server.burst(1, 2.0);
    let mut growth = Vec::new();
    for length in [4.0, 4.0, 2.0] {
        let before = server.virtual_time();
        server.advance(length, &[0.0; 2]);
        growth.push(server.virtual_time() - before);
    }
    let (delta, sent) = (server.virtual_time(), server.served().iter().sum::<f64>());
    let rate = announced_rate(1.0, WINDOW, delta, sent);
    let before = server.clone();
    server.advance(WINDOW, &[rate; 2]);
    let sent_next = server.served().iter().sum::<f64>() - sent;
    let next = announced_rate(1.0, WINDOW, server.virtual_time() - before.virtual_time(), sent_next);
    let keys = ["delta_v", "b", "rho", "next_cycle_b_if_both_send_at_rho", "next_cycle_fair_rate"];
    let found = [delta, sent / WINDOW, rate, sent_next / WINDOW, next];
    let expected = keys.iter().map(|key| expected_number(claim, key)).collect::<Result<Vec<_>, _>>()?;
    let pieces = growth.iter().zip([2.0, 4.0, 0.0]).all(|(grown, expected)| (grown - expected).abs() <= 1e-9);
    let holds = pieces && compare(claim, &found, &expected).holds;
    let mut measured: serde_json::Map<String, serde_json::Value> =
        keys.iter().zip(&found).map(|(key, value)| ((*key).to_owned(), json!(round(*value)))).collect();
    measured.insert("growth_on_0_4_on_4_8_on_8_10".to_owned(), json!(rounded(&growth)));
    let grown = growth.iter().scan(0.0, |sum, grown| {
        *sum += grown;
        Some(*sum)
    });
    let figure = Figure {
        title: drawn::title(claim, "virtual time over one period"),
        x: "time".to_owned(),
        y: "virtual time".to_owned(),
        curves: vec![Curve {
            name: "virtual time".to_owned(),
            points: [0.0, 4.0, 8.0, 10.0].into_iter().zip(std::iter::once(0.0).chain(grown)).collect(),
        }],
        ..Figure::default()
    };
    let figure = figure.with_point(PRINTED, (WINDOW, expected[0]));
    let note = "fluid server, eq. (8) with its parentheses put right";
    Ok(Finding::new(measured.into(), holds, note).drawn(figure))
}

/// Two packets that meet, and two that do not.
pub fn overlap(claim: &Claim) -> Result<Finding, Trouble> {
    let run = |gap: f64| {
        let mut server = unit(2);
        for flow in 0..2 {
            server.burst(flow, 1.0);
            server.advance(gap, &[0.0; 2]);
        }
        server.advance(10.0, &[0.0; 2]);
        (server.virtual_time(), server.served().iter().sum::<f64>())
    };
    let ((together, busy), (apart, busy_apart)) = (run(0.0), run(3.0));
    let holds = together == expected_number(claim, "delta_v_back_to_back")?
        && apart == expected_number(claim, "delta_v_separated")?
        && [busy, busy_apart].iter().all(|busy| claim.expected_number("busy_packet_times") == Some(*busy));
    let measured = json!({ "delta_v_back_to_back": together, "delta_v_separated": apart, "busy_packet_times": busy });
    Ok(Finding::new(measured, holds, "fluid server of one packet a time unit"))
}

/// Packets that arrive in a window: when (in byte times), of which ingress, how large.
type Arrivals = Vec<(u32, usize, u32)>;

/// What the server made of a window: virtual time plus idle time over its length,
/// bytes sent, and whether anything was left.
fn exact_window(ingresses: usize, arrivals: &Arrivals) -> (f64, u32, bool) {
    let mut server = unit(ingresses);
    let none = vec![0.0; ingresses];
    let mut now = 0u32;
    for &(at, ingress, bytes) in arrivals {
        server.advance(f64::from(at - now), &none);
        server.burst(ingress, f64::from(bytes));
        now = at;
    }
    server.advance(f64::from(ROOM - now), &none);
    let sent = server.served().iter().sum::<f64>().round();
    let rate = server.virtual_time() / f64::from(ROOM) + 1.0 - sent / f64::from(ROOM);
    (rate, sent as u32, server.backlog().iter().sum::<f64>() > 0.5)
}

fn random_window(rng: &mut impl Rng, ingresses: usize, packets: usize, first_at: Option<u32>) -> Arrivals {
    let mut arrivals: Arrivals = (0..packets)
        .map(|_| (rng.random_range(0..ROOM), rng.random_range(0..ingresses), rng.random_range(64..=1_500)))
        .collect();
    if let Some(at) = first_at {
        arrivals.iter_mut().for_each(|arrival| arrival.0 = at);
    }
    arrivals.sort_unstable();
    arrivals
}

/// The law's value F for such a window.
fn announced_by_the_law(ingresses: usize, arrivals: &Arrivals, sent: u32) -> Result<f64, Trouble> {
    let mut counts = vec![0u32; ingresses];
    arrivals.iter().for_each(|&(_, ingress, bytes)| counts[ingress] += bytes);
    let arrived: Vec<(usize, u32)> = counts.into_iter().enumerate().filter(|(_, bytes)| *bytes > 0).collect();
    let frame = Frame::new(Encoding::Exact, 64);
    let outcome = Visit { site: site(40, 64, &[]), arrived: &arrived, sent, frame }.happen()?;
    Ok(outcome.frame.fraction(40))
}

/// F against the server's own virtual time, over random windows.
pub fn lower_bound(_claim: &Claim) -> Result<Finding, Trouble> {
    const CASES: usize = 3_000;
    let mut rng = Streams::new(2, 0).component("windows");
    let (mut worst_carried, mut worst_busy, mut worst_left_over) =
        (f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
    let (mut carried, mut left_over) = (0, 0);
    for case in 0..CASES {
        let ingresses = rng.random_range(1..=8);
        let is_busy = case % 3 == 0;
        // Enough for the whole window from its beginning, or some packets now and then.
        let packets = if is_busy { rng.random_range(1_700..2_400) } else { rng.random_range(1..140) };
        let arrivals = random_window(&mut rng, ingresses, packets, is_busy.then_some(0));
        let (exact, sent, is_left) = exact_window(ingresses, &arrivals);
        let above = announced_by_the_law(ingresses, &arrivals, sent)? - exact.min(1.0);
        match (is_busy, is_left) {
            (true, _) => worst_busy = worst_busy.max(above),
            (false, false) => (carried, worst_carried) = (carried + 1, worst_carried.max(above)),
            (false, true) => (left_over, worst_left_over) = (left_over + 1, worst_left_over.max(above)),
        }
    }
    let holds = worst_carried <= 1e-9 && worst_busy <= 1e-9;
    let measured = json!({
        "windows": CASES, "all_carried": carried, "largest_excess_carried": worst_carried,
        "largest_excess_busy": worst_busy, "left_over": left_over, "largest_excess_left_over": round(worst_left_over),
    });
    let note = format!(
        "the law's F, read back from its frame, less virtual time and idle time of an exact fluid server over the same \
         packets. The inequality needs what arrives to be carried in the window, or a link that is busy all through: where \
         packets came too late after idle time ({left_over} windows), counts promise what was not served, by at most {:.3}",
        worst_left_over.max(0.0)
    );
    Ok(Finding::new(measured, holds, note))
}

/// Flow (1,2) of the parallel parking lot among fair queues that nobody coordinates.
pub fn local_queues_only(claim: &Claim) -> Result<Finding, Trouble> {
    let problem = unit_tandem(&flows_of(claim).ok_or("the catalogue gives no flows")?);
    let found = deliveries(&problem).map_err(|error| error.to_string())?;
    let rates: Vec<f64> = found.iter().map(|flow| flow.delivered_bps()).collect();
    let (_, fair) = allocation::certified(&problem, Criterion::Rias)?;
    let expected = [expected_number(claim, "rate_1_2")?, expected_number(claim, "target_1_2")?];
    let holds = compare(claim, &[rates[0], fair[0]], &expected).holds;
    let measured = json!({
        "rate_1_2": round(rates[0]), "target_1_2": round(fair[0]), "rates": rounded(&rates),
        "carried_and_lost_of_1_5": round(found[1].wasted_bps()),
    });
    let note =
        "fluid, fair among ingresses and then among their flows at every link, what exceeds a share is lost there";
    let figure = drawn::rates(claim, "fair queueing in every node alone", &[("here", &rates), ("RIAS", &fair)], &[])
        .with_point("the paper, (1,2)", (1.0, expected[0]))
        .with_point("the paper, (1,2) fair", (1.0, expected[1]));
    Ok(Finding::new(measured, holds, note).drawn(figure))
}

/// A flow that is backlogged now and then, beside k that always are.
pub fn intermittent_flow(_claim: &Claim) -> Result<Finding, Trouble> {
    let mut worst = 0.0f64;
    for others in 1..=31usize {
        let mut server = unit(others + 1);
        (1..=others).for_each(|flow| server.burst(flow, 1e6));
        // Just what keeps it backlogged on [0, 10] and not longer.
        server.burst(0, 10.0 / (others + 1) as f64);
        let mut expected = vec![1.0 / (others + 1) as f64; others + 1];
        for (from, to) in [(0.0, 10.0), (10.0, 20.0)] {
            let before = server.served().to_vec();
            server.advance(to - from, &vec![0.0; others + 1]);
            for (flow, share) in expected.iter().enumerate() {
                worst = worst.max(((server.served()[flow] - before[flow]) / (to - from) - share).abs());
            }
            expected = (0..=others).map(|flow| if flow == 0 { 0.0 } else { 1.0 / others as f64 }).collect();
        }
    }
    let measured = json!({ "others": "1 to 31", "worst_distance": worst });
    Ok(Finding::new(measured, worst <= 1e-9, "shares on [0, 10] and on [10, 20] against 1/(k+1) and 1/k, capacity 1"))
}

/// Random rings under the SAT rule.
pub fn metaring_quota(_claim: &Claim) -> Result<Finding, Trouble> {
    let mut rng = Streams::new(3, 0).component("metaring");
    let (mut rotations, mut broken, mut held) = (0u64, 0u64, 0u64);
    for _ in 0..300 {
        let stations = rng.random_range(2..17);
        let at_most = rng.random_range(1..12u64);
        let at_least = rng.random_range(0..=at_most);
        let mut ring = MetaRing::new(stations, at_least, at_most).map_err(|error| error.to_string())?;
        for _ in 0..2_000 {
            if rng.random_range(0..8) == 0 {
                let from = rng.random_range(0..stations);
                ring.enqueue(from, (from + rng.random_range(1..stations)) % stations, rng.random_range(1..20));
            }
            if let Some(Release { sent, backlog_before, held_slots, .. }) = ring.step() {
                rotations += 1;
                held += u64::from(held_slots > 0);
                broken += u64::from(sent > at_most || sent < at_least.min(backlog_before));
            }
        }
    }
    let measured =
        json!({ "rotations": rotations, "of_which_sat_was_held": held, "outside_min_L_backlog_to_K": broken });
    let note = "slotted rings of 2 to 16 stations with random K, L, destinations and bursts; destination stripping, SAT \
                against the data";
    Ok(Finding::new(measured, broken == 0 && held > 0, note))
}
