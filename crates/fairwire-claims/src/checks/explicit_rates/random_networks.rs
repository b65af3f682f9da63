//! Random networks whose switches tell rates by WMFQC, to their steady state.

use super::Trouble;
use super::central::Central;
use super::runs::allowed_before;
use crate::kept::RecordCache;
use crate::runs::checked_network;
use fairwire_core::{Instant, RandomStream, Streams};
use fairwire_plan::AllowedRate;
use fairwire_scenario::Scenario;
use fairwire_sweep::side_by_side;
use rand::RngExt;
use std::fmt::Write;
use std::sync::Arc;

/// So many networks are tried.
pub const NETWORKS: u64 = 40;

/// What came out of one.
pub struct Outcome {
    /// Flows that send at the end.
    pub flows: usize,
    /// Largest distance of an allowed rate from the one solved centrally, as a part of it.
    pub apart: f64,
    /// Whether the checker takes the allowed rates for general weighted fair.
    pub certified: bool,
    /// Allowed rates below the minimum, at any time.
    pub below_minimum: usize,
    /// Flows that are held by no link, and how far they are from min(PR, SR), as a part of it.
    pub unheld: usize,
    pub unheld_apart: f64,
}

/// Of all networks, the same each time.
pub fn outcomes(within: f64) -> Result<Vec<Arc<Outcome>>, Trouble> {
    static OUTCOMES: RecordCache<(u64, u64), Outcome> = RecordCache::new();
    let outcome = |seed| OUTCOMES.run((seed, within.to_bits()), |(seed, _)| outcome(*seed, within));
    side_by_side(1..=NETWORKS, outcome)
}

fn outcome(seed: u64, within: f64) -> Result<Outcome, Trouble> {
    let drawn = Drawn::new(seed);
    let scenario = Scenario::parse("random", &drawn.text).map_err(|errors| errors.to_string())?;
    let plan = scenario.network_plan(0).ok_or("the scenario is not a network")?;
    let record = checked_network(&plan)?;
    let allowed: Vec<&[AllowedRate]> =
        record.flows.iter().map(|flow| flow.rate.as_ref().map_or(&[][..], |rate| &rate.allowed)).collect();
    let central = Central::of(&plan)?;
    let end = Instant::ZERO + plan.duration;
    let rates: Vec<f64> = drawn.active.iter().map(|flow| allowed_before(&record.flows[*flow], end)).collect();
    let fair = central.rates(&drawn.active)?;
    let off = |rate: &f64, fair: &f64| (rate / fair - 1.0).abs();
    // Zero is no rate of a flow that is on.
    let below_minimum = allowed.iter().enumerate().flat_map(|(flow, rates)| {
        let [minimum, _] = central.ends_of(flow);
        rates.iter().filter(move |rate| rate.rate_bps > 0.0 && rate.rate_bps < minimum)
    });
    let (mut unheld, mut unheld_apart) = (0, 0.0f64);
    for ((flow, rate), fair) in drawn.active.iter().zip(&rates).zip(&fair) {
        let [_, most] = central.ends_of(*flow);
        if off(fair, &most) <= 1e-12 {
            unheld += 1;
            unheld_apart = unheld_apart.max(off(rate, &most));
        }
    }
    Ok(Outcome {
        flows: rates.len(),
        apart: rates.iter().zip(&fair).map(|(rate, fair)| off(rate, fair)).fold(0.0, f64::max),
        certified: central.certify(&drawn.active, &rates, within).is_ok(),
        below_minimum: below_minimum.count(),
        unheld,
        unheld_apart,
    })
}

/// A scenario, and the flows that send at its end.
struct Drawn {
    text: String,
    active: Vec<usize>,
}

impl Drawn {
    /// Three to six switches in a row, some with a link past the next one; three to eight flows of cells downwards over
    /// ways of their own; a third of them stop half-way. Control cells come back over links that no data takes.
    fn new(seed: u64) -> Self {
        let mut rng = Streams::new(seed, 0).component("network");
        let switches = rng.random_range(3..=6usize);
        let mut links: Vec<(usize, usize)> = (1..switches).map(|to| (to - 1, to)).collect();
        links.extend((2..switches).filter(|_| rng.random_bool(0.4)).map(|to| (to - 2, to)));
        let flows = rng.random_range(3..=8usize);
        let nodes = (0..switches).map(|switch| format!("\"s{switch}\""));
        let nodes: Vec<String> = nodes.chain((0..flows).map(|flow| format!("\"h{flow}\""))).collect();
        let mut text = format!(
            "schema = 1\ntitle = \"A random network\"\n\n[run]\nduration = \"2 s\"\nwindow = \"100 ms\"\n\n[network]\nnodes = [{}]\n\
             rate = {{ name = \"wmfqc\" }}\nlimit = \"100000 packets\"\nlink = [\n",
            nodes.join(", ")
        );
        for (from, to) in &links {
            let (kbps, delay_us) = (rng.random_range(20_000..100_000), rng.random_range(50..500));
            let _ = writeln!(
                text,
                "{{ name = \"l{from}-{to}\", from = \"s{from}\", to = \"s{to}\", capacity = \"{kbps} kb/s\", delay = \"{delay_us} us\", duplex = true }},"
            );
        }
        let ways: Vec<Vec<(usize, usize)>> = (0..flows).map(|_| way(&links, switches, &mut rng)).collect();
        for (flow, way) in ways.iter().enumerate() {
            let first = way[0].0;
            let _ = writeln!(
                text,
                "{{ name = \"h{flow}\", from = \"h{flow}\", to = \"s{first}\", capacity = \"10 Gb/s\", delay = \"50 us\", duplex = true, rate = \"none\" }},"
            );
        }
        text.push_str("]\n");
        let mut active = Vec::new();
        for (flow, way) in ways.iter().enumerate() {
            let stops = rng.random_bool(0.33);
            if !stops {
                active.push(flow);
            }
            flow_table(&mut text, flow, way, stops, &mut rng);
        }
        Self { text, active }
    }
}

/// A way down from some switch to a later one.
fn way(links: &[(usize, usize)], switches: usize, rng: &mut RandomStream) -> Vec<(usize, usize)> {
    let mut at = rng.random_range(0..switches - 1);
    let end = rng.random_range(at + 1..switches);
    let mut way = Vec::new();
    while at < end {
        let next: Vec<&(usize, usize)> = links.iter().filter(|(from, to)| *from == at && *to <= end).collect();
        let link = *next[rng.random_range(0..next.len())];
        way.push(link);
        at = link.1;
    }
    way
}

fn flow_table(text: &mut String, flow: usize, way: &[(usize, usize)], stops: bool, rng: &mut RandomStream) {
    let forward = way.iter().map(|(from, to)| format!("\"l{from}-{to}\""));
    let route: Vec<String> = [format!("\"h{flow}\"")].into_iter().chain(forward).collect();
    let back = way.iter().rev().map(|(from, to)| format!("\"l{from}-{to}-back\""));
    let reverse: Vec<String> = back.chain([format!("\"h{flow}-back\"")]).collect();
    let last = way[way.len() - 1].1;
    let [minimum, peak, supported] = [300..2_000, 5_000..120_000, 5_000..120_000].map(|kbps| rng.random_range(kbps));
    let (weight, start_ms) = (rng.random_range(0.2..5.0f64), rng.random_range(0..50));
    let _ = write!(
        text,
        "\n[[flow]]\nname = \"f{flow}\"\nfrom = \"h{flow}\"\nto = \"s{last}\"\nroute = [{}]\nreverse-route = [{}]\n\
         traffic = {{ kind = \"explicit-rate\", packet = \"53 B\" }}\nmin-rate = \"{minimum} kb/s\"\npeak-rate = \"{peak} kb/s\"\n\
         supported-rate = \"{supported} kb/s\"\nweight = {weight}\nstart = \"{start_ms} ms\"\n",
        route.join(", "),
        reverse.join(", ")
    );
    if stops {
        text.push_str("stop = \"1 s\"\n");
    }
}
