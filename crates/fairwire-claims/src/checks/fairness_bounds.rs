//! Lemmas 1 to 3: adversaries against senders that are told fair rates once a window.
//!
//! What a fluid server does decides; what becomes of it among packets is told beside it.

use super::bounds_in_packets::{SETTING, told};
use super::drawn;
use super::{Claim, Finding, Trouble, expected_number};
use crate::tolerance::{compare, round};
use fairwire_analysis::bounds::{pairwise_bound_bits, throttling_bound_bits};
use fairwire_analysis::feedback::{Arrival, Excess, Setting, Watched, excess};
use fairwire_core::Streams;
use rand::{Rng, RngExt};
use serde_json::json;
use std::ops::Range;
use std::sync::LazyLock;

const CAPACITY_BPS: f64 = 1e9;
const WINDOW_S: f64 = 0.5e-3;
/// Sums of many terms are equal up to this part.
const ROUNDING: f64 = 1e-9;

/// The largest deviations of all schedules, over the bounds.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    schedules: u64,
    under: f64,
    over: f64,
    behind: f64,
    pairwise: f64,
    /// Service behind feedback without delay, over (1 − 1/N)·C·T.
    behind_undelayed: f64,
    /// The same bounds where feedback is a window late: it must show.
    under_if_late: f64,
}

static WORST: LazyLock<Result<Worst, Trouble>> = LazyLock::new(all_schedules);

fn worst() -> Result<Worst, Trouble> {
    WORST.clone()
}

impl Worst {
    fn take(&mut self, setting: &Setting, schedule: &[Vec<f64>], watched: &[Watched]) -> Result<(), Trouble> {
        let found = excess(setting, schedule, watched).map_err(|error| error.to_string())?;
        let (flows, capacity, window) = (setting.routes.len(), setting.capacity_bps, setting.window_s);
        let bound = throttling_bound_bits(capacity, window, flows);
        self.schedules += 1;
        self.under = self.under.max(found.underthrottled_bits / bound);
        self.over = self.over.max(found.overthrottled_bits / bound);
        self.behind = self.behind.max(found.service_behind_bits / bound);
        self.pairwise = self.pairwise.max(found.pairwise_bits / pairwise_bound_bits(capacity, window, flows));
        self.behind_undelayed = self.behind_undelayed.max(found.behind_undelayed_bits / bound);
        Ok(())
    }
}

fn first() -> Watched {
    Watched { flow: 0, from_window: 0 }
}

/// Every on-off pattern of few flows over few windows, then random ones of up to 64 flows.
fn all_schedules() -> Result<Worst, Trouble> {
    let mut worst = Worst::default();
    for (flows, windows) in [(2usize, 10usize), (3, 6), (4, 4)] {
        let bits = (flows - 1) * windows;
        for pattern in 0..1u32 << bits {
            let on = |window: usize, flow: usize| flow > 0 && pattern >> (window * (flows - 1) + flow - 1) & 1 == 1;
            let demand = |window, flow| if on(window, flow) { f64::INFINITY } else { 0.0 };
            let mut schedule: Vec<Vec<f64>> =
                (0..windows).map(|window| (0..flows).map(|flow| demand(window, flow)).collect()).collect();
            // What was queued comes out.
            schedule.extend((0..flows).map(|_| vec![0.0; flows]));
            worst.take(&Setting::one_link(flows, CAPACITY_BPS, WINDOW_S), &schedule, &[first()])?;
        }
    }
    let mut rng = Streams::new(4, 0).component("adversary");
    for flows in [2usize, 3, 5, 8, 16, 32, 64] {
        worst.take(&Setting::one_link(flows, CAPACITY_BPS, WINDOW_S), &surge(flows, 2 * flows), &[first()])?;
        for case in 0..40 {
            let mut setting = Setting::one_link(flows, CAPACITY_BPS, WINDOW_S);
            setting.arrival = if case % 2 == 0 { Arrival::Spread } else { Arrival::AtOnce };
            let schedule = random_schedule(&mut rng, flows, 24);
            let second = Watched { flow: 1, from_window: rng.random_range(0..12) };
            worst.take(&setting, &schedule, &[first(), second])?;
        }
    }
    let mut late = Setting::one_link(4, CAPACITY_BPS, WINDOW_S);
    late.delay_s = WINDOW_S;
    let mut with_late = Worst::default();
    with_late.take(&late, &surge(4, 8), &[first()])?;
    worst.under_if_late = with_late.under;
    Ok(worst)
}

/// Nobody else for two windows, all at once for one, nobody again.
fn surge(flows: usize, windows: usize) -> Vec<Vec<f64>> {
    (0..windows).map(|window| vec![if window == 2 { f64::INFINITY } else { 0.0 }; flows]).collect()
}

/// Flows on without end, off, or at a constant rate, each for some windows.
fn random_schedule(rng: &mut impl Rng, flows: usize, windows: usize) -> Vec<Vec<f64>> {
    let share_on = rng.random_range(0.1..0.9);
    let mut demands = vec![0.0; flows];
    let mut schedule = Vec::with_capacity(windows);
    for _ in 0..windows {
        for demand in &mut demands {
            if rng.random_range(0.0..1.0) < 0.4 {
                *demand = match rng.random_range(0.0..1.0) {
                    part if part < share_on => f64::INFINITY,
                    part if part < 0.95 => 0.0,
                    _ => rng.random_range(0.0..CAPACITY_BPS),
                };
            }
        }
        schedule.push(demands.clone());
    }
    schedule
}

fn within(ratio: f64) -> bool {
    ratio <= 1.0 + ROUNDING
}

fn adversaries(worst: &Worst) -> String {
    format!(
        "{} schedules at 1 Gb/s and T = 0.5 ms: all on-off patterns of 2 to 4 flows over some windows, random ones of up to 64. \
         With feedback a window late the bound of Lemma 1 is exceeded {:.2} times, so a breach would show",
        worst.schedules, worst.under_if_late
    )
}

/// Lemma 1.
pub fn let_through(_claim: &Claim) -> Result<Finding, Trouble> {
    let worst = worst()?;
    let holds = within(worst.under) && !within(worst.under_if_late);
    let measured = json!({ "largest_excess_over_bound": round(worst.under) });
    let tight = if worst.under > 1.0 - ROUNDING { "the bound is reached; " } else { "" };
    let packets = format!(
        "{SETTING}: the first was let through up to {} bounds beyond its fair share; all had settled \
         after {} laps",
        told(|strayed| strayed.let_through)?,
        told(|strayed| strayed.settled_laps[0])?
    );
    Ok(Finding::new(measured, holds, format!("{tight}{}. {packets}", adversaries(&worst))))
}

/// Lemma 2.
pub fn held_back(_claim: &Claim) -> Result<Finding, Trouble> {
    let worst = worst()?;
    let measured = json!({ "largest_excess_over_bound": round(worst.over) });
    let packets = format!(
        "{SETTING}: once the others had stopped, the first was held back up to {} bounds below the link's rate; it had \
         settled after {} laps",
        told(|strayed| strayed.held_back)?,
        told(|strayed| strayed.settled_laps[1])?
    );
    Ok(Finding::new(measured, within(worst.over), format!("{}. {packets}", adversaries(&worst))))
}

/// Fig. 15.
pub fn service_envelope(claim: &Claim) -> Result<Finding, Trouble> {
    let worst = worst()?;
    let measured = json!({
        "service_behind_fair_share_over_bound": round(worst.behind),
        "throttled_beyond_fair_share_over_bound": round(worst.under),
        "throttled_behind_fair_share_over_bound": round(worst.over),
        "service_behind_undelayed_feedback_over_bound": round(worst.behind_undelayed),
    });
    let note = format!(
        "f is what the server's virtual and idle time gave, as in the paper's proof. It counts what other flows still have \
         queued as demand. Against senders who learn of everything at once, service was up to {:.1} bounds behind: N - 1 of 64 flows \
         that each sent for one window stand before the flow, and no lemma is about that. {}. {SETTING}: the first was served up to {} \
         bounds beyond its fair share, a late one up to {} behind; once the others had stopped, the first up to {} behind the \
         link's rate, since what they had queued stood before it",
        worst.behind_undelayed,
        adversaries(&worst),
        told(|strayed| strayed.served_beyond)?,
        told(|strayed| strayed.late_behind)?,
        told(|strayed| strayed.served_behind)?,
    );
    let holds = within(worst.behind) && within(worst.under) && within(worst.over);
    let names = ["let through", "held back", "service behind"].map(str::to_owned).to_vec();
    let values = [worst.under, worst.over, worst.behind];
    let title = drawn::title(claim, "the farthest that any schedule brought about");
    let figure = drawn::bars(title, names, "parts of (1 - 1/N) C T", &[("here", &values)], &[]);
    Ok(Finding::new(measured, holds, note).drawn(figure.at_level("the paper's bound", 1.0)))
}

/// Lemma 3, and that it goes to zero with T.
pub fn between_two_flows(_claim: &Claim) -> Result<Finding, Trouble> {
    let worst = worst()?;
    let shortest = pairwise_at(1e-12)?;
    let measured = json!({
        "largest_difference_over_bound": round(worst.pairwise),
        "difference_bits_at_T_of_1_ps": shortest,
    });
    let note = format!(
        "the second flow begins at a random window, after a past of the adversary's choice; {}. {SETTING}: two stations' \
         services since the others began differed by up to {} bounds",
        adversaries(&worst),
        told(|strayed| strayed.pairwise)?
    );
    Ok(Finding::new(measured, within(worst.pairwise) && shortest <= 2e-3, note))
}

/// The difference that the same adversary brings about with a window of `window_s`.
fn pairwise_at(window_s: f64) -> Result<f64, Trouble> {
    let mut rng = Streams::new(5, 0).component("short windows");
    let mut largest = 0.0f64;
    for _ in 0..20 {
        let schedule = random_schedule(&mut rng, 5, 24);
        let watched = [first(), Watched { flow: 1, from_window: rng.random_range(1..12) }];
        let found = excess(&Setting::one_link(5, CAPACITY_BPS, window_s), &schedule, &watched);
        largest = largest.max(found.map_err(|error| error.to_string())?.pairwise_bits);
    }
    Ok(largest)
}

/// §VI-C in numbers.
pub fn in_kilobytes(claim: &Claim) -> Result<Finding, Trouble> {
    let given = |key: &str| claim.scenario.get(key).and_then(crate::catalogue::number);
    let (Some(gbps), Some(nodes), Some(window_ms)) = (given("link_gbps"), given("ring_nodes"), given("T_ms")) else {
        return Err("the catalogue gives no ring".into());
    };
    let bound = |nodes: usize| pairwise_bound_bits(gbps * 1e9, window_ms * 1e-3, nodes) / 8_000.0;
    let (all, half) = (bound(nodes as usize), bound(nodes as usize / 2));
    let expected = [expected_number(claim, "bound_kB")?, expected_number(claim, "derived_bound_kB_N64")?];
    let holds = compare(claim, &[all, all], &expected).holds;
    let measured = json!({ "bound_kB": all, "bound_kB_half_the_ring": half, "without_1_over_N_kB": 2.0 * gbps * 125.0 * window_ms });
    let note = "2 (C - C/N) T; the printed value leaves 1/N out. With the shorter way chosen, no more than half of the ring \
                shares a link";
    Ok(Finding::new(measured, holds, note))
}

/// §VI-C: servers in a row.
pub fn several_nodes(claim: &Claim) -> Result<Finding, Trouble> {
    let allowed = claim.tolerance.get("rel").and_then(toml::Value::as_float).unwrap_or(0.0);
    let mut rng = Streams::new(6, 0).component("tandems");
    let (mut under, mut over, mut behind) = (0.0f64, 0.0f64, 0.0f64);
    const TANDEMS: usize = 400;
    for _ in 0..TANDEMS {
        let links = rng.random_range(2..6usize);
        let flows = rng.random_range(2..9usize);
        // Flow 0 crosses all links.
        let route = |_| {
            let start = rng.random_range(0..links);
            start..rng.random_range(start + 1..=links)
        };
        let mut routes: Vec<Range<usize>> = (0..flows).map(route).collect();
        routes[0] = 0..links;
        let most =
            (0..links).map(|link| routes.iter().filter(|route| route.contains(&link)).count()).max().unwrap_or(1);
        let setting = Setting { routes, ..Setting::one_link(0, CAPACITY_BPS, WINDOW_S) };
        let schedule = random_schedule(&mut rng, flows, 24);
        let found: Excess = excess(&setting, &schedule, &[first()]).map_err(|error| error.to_string())?;
        let bound = throttling_bound_bits(CAPACITY_BPS, WINDOW_S, most).max(f64::MIN_POSITIVE);
        if most > 1 {
            under = under.max(found.underthrottled_bits / bound);
            over = over.max(found.overthrottled_bits / bound);
            behind = behind.max(found.service_behind_bits / bound);
        }
    }
    let measured = json!({
        "largest_underthrottling_over_bound": round(under), "largest_overthrottling_over_bound": round(over),
        "end_to_end_service_behind_over_bound": round(behind),
    });
    let note = format!(
        "{TANDEMS} random rows of 2 to 5 fair servers, N the most flows on a link of the way, fair share the least over the \
         way window by window. A limit is the fair share of one window before, so the sums telescope and the bound holds \
         whenever limits stay between C/N and C, which they did. End to end, where the lemmas promise nothing, service was \
         up to {behind:.2} bounds behind"
    );
    Ok(Finding::new(measured, under <= 1.0 + allowed && over <= 1.0 + allowed, note))
}
