//! Max-Min, ERICA and CAPC on a schedule that leaves them time: §1 of [wmfqc].

use super::central::Central;
use super::table::FLOWS;
use super::{Claim, Finding, Trouble};
use crate::runs::{checked_network, wmfqc_stretched};
use crate::tolerance::{round, rounded};
use fairwire_core::{Instant, Span};
use fairwire_laws::rate::RateLawChoice;
use fairwire_plan::NetworkRecord;
use fairwire_results::{Curve, Figure};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

/// A rate is there when it is, and stays, so near to what its law aims at.
const BAND: f64 = 0.05;

/// A law, what part of its links it aims at, and how soon it was there after each turn-on.
struct Answered {
    name: &'static str,
    aims_at: f64,
    /// In ms; the whole time to the next event where some rate is not there at its end.
    ms: Vec<f64>,
    unsettled: usize,
    /// The allowed rate of VC1.
    vc1: Curve,
}

impl Answered {
    fn mean_ms(&self) -> f64 {
        self.ms.iter().sum::<f64>() / self.ms.len() as f64
    }
}

/// What part of the available bandwidth a law hands out.
fn aim(law: &RateLawChoice) -> f64 {
    match law {
        RateLawChoice::erica_early(params) => params.target,
        RateLawChoice::capc(params) => params.target,
        // The later ERICA hands out all of it where the queue is as long as it aims at.
        _ => 1.0,
    }
}

fn answered(law: RateLawChoice) -> Result<Answered, Trouble> {
    let plan = wmfqc_stretched()?.with_rate_law(law.clone()).network_plan(0).ok_or("the scenario is not a network")?;
    let (record, aims_at) = (checked_network(&plan)?, aim(&law));
    let central = Central::of(&plan)?.scaled(aims_at);
    let (mut ms, mut unsettled) = (Vec::new(), 0);
    for event in 0..FLOWS {
        let from = plan.flows[event].start;
        let until = plan.flows.get(event + 1).map_or(Instant::ZERO + plan.duration, |next| next.start);
        let active: Vec<usize> = (0..=event).collect();
        let aims = central.rates(&active)?;
        let answer = active.iter().zip(&aims).map(|(flow, aim)| last_outside(&record, *flow, *aim, from, until));
        let answer = answer.max().unwrap_or(Span::ZERO);
        unsettled += usize::from(answer == until.since(from));
        ms.push(answer.as_secs_f64() * 1e3);
    }
    let name = law.about().name;
    Ok(Answered { vc1: of_vc1(&record, name), name, aims_at, ms, unsettled })
}

/// How long after `from` the rate of a flow is last outside the band around `aim`, before `until`.
fn last_outside(record: &NetworkRecord, flow: usize, aim: f64, from: Instant, until: Instant) -> Span {
    let rates = record.flows[flow].rate.as_ref().map_or(&[][..], |rate| &rate.allowed);
    let outside = |bps: f64| (bps / aim - 1.0).abs() > BAND;
    let before = rates.iter().take_while(|rate| rate.t <= from).last().map_or(0.0, |rate| rate.rate_bps);
    let mut is_outside = outside(before);
    let mut left = Span::ZERO;
    for rate in rates.iter().filter(|rate| rate.t > from && rate.t < until) {
        if is_outside {
            left = rate.t.since(from);
        }
        is_outside = outside(rate.rate_bps);
    }
    if is_outside { until.since(from) } else { left }
}

/// The allowed rate of VC1 in Mb/s over s.
fn of_vc1(record: &NetworkRecord, name: &str) -> Curve {
    let rates = record.flows[0].rate.as_ref().map_or(&[][..], |rate| &rate.allowed);
    let points = rates.iter().map(|rate| (rate.t.as_nanos() as f64 / 1e9, rate.rate_bps / 1e6)).collect();
    Curve { name: name.to_owned(), points }
}

/// §1: Max-Min before ERICA before CAPC.
pub fn ordering(_claim: &Claim) -> Result<Finding, Trouble> {
    let points = wmfqc_stretched()?.expand_sweep().map_err(|errors| errors.to_string())?;
    let laws: Vec<RateLawChoice> = points.iter().filter_map(|(_, point)| point.rate_law().cloned()).collect();
    let answered = laws.into_par_iter().map(answered).collect::<Result<Vec<Answered>, Trouble>>()?;
    let mean = |name: &str| {
        let law = answered.iter().find(|law| law.name == name);
        law.map(Answered::mean_ms).ok_or_else(|| format!("the sweep does not have {name}"))
    };
    let (max_min, capc) = (mean("max-min-marking")?, mean("capc")?);
    let erica = [mean("erica-early")?, mean("erica")?];
    let holds = erica.iter().all(|erica| max_min < *erica && *erica < capc);
    let mut measured: Map<String, Value> = answered
        .iter()
        .map(|law| {
            let told = json!({
                "mean_ms": round(law.mean_ms()), "after_each_turn_on_ms": rounded(&law.ms), "not_there_within_a_second": law.unsettled,
                "aims_at": law.aims_at,
            });
            (law.name.to_owned(), told)
        })
        .collect();
    measured.insert("in_order".to_owned(), holds.into());
    let figure = Figure {
        title: "Allowed rate of VC1 while the others come on, a second apart".to_owned(),
        x: "s".to_owned(),
        y: "Mb/s".to_owned(),
        curves: answered.iter().map(|law| law.vc1.clone()).collect(),
        printed: Vec::new(),
    };
    let note = "scenarios/papers/wmfqc-stretched.toml: a second between turn-ons, as 10 ms are too short for ERICA and CAPC, equal terms, defaults of all \
                laws. The time until all rates are, and stay, within 5 % of what their law aims at: fair rates of 95 % of the links under early \
                ERICA and CAPC, of all under Max-Min and the later ERICA. A second where they are not";
    Ok(Finding::new(measured.into(), holds, note).drawn(figure))
}
