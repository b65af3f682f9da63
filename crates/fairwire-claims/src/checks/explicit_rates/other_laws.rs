//! Max-Min, ERICA and CAPC on a schedule that leaves them time: §1 of [wmfqc].

use super::central::Central;
use super::runs::steps;
use super::table::FLOWS;
use super::{Claim, Finding, Trouble};
use crate::reading::Reading;
use crate::runs::{checked_network, wmfqc_stretched};
use crate::tolerance::{round, rounded};
use fairwire_core::{Instant, Span};
use fairwire_laws::rate::{RateLawChoice, capc, erica, erica_early};
use fairwire_plan::NetworkRecord;
use fairwire_results::{Curve, Figure};
use fairwire_sweep::side_by_side;
use serde_json::{Map, Value, json};
use std::ops::Range;

/// A rate is there when it is, and stays, so near to what its law aims at; the verdict is by the wide band.
const WIDE: f64 = 0.05;
const NARROW: f64 = 0.01;

/// A law, what part of its links it aims at, and how soon it was there after each turn-on.
struct Answered {
    name: &'static str,
    aims_at: f64,
    /// Within either band, in ms; the whole time to the next event where some rate is not there at its end.
    wide_ms: Vec<f64>,
    narrow_ms: Vec<f64>,
    /// The allowed rate of VC5.
    vc5: Curve,
}

impl Answered {
    fn mean_ms(&self) -> f64 {
        self.wide_ms.iter().sum::<f64>() / self.wide_ms.len() as f64
    }

    fn json(&self) -> Value {
        json!({
            "aims_at": self.aims_at, "mean_ms": round(self.mean_ms()), "after_each_turn_on_ms": rounded(&self.wide_ms),
            "within_1_percent_ms": rounded(&self.narrow_ms),
        })
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
    let until = |event: usize| plan.flows.get(event + 1).map_or(Instant::ZERO + plan.duration, |next| next.start);
    let within = |event: usize, band: f64| {
        let active: Vec<usize> = (0..=event).collect();
        let times = plan.flows[event].start..until(event);
        let aims = central.rates(&active)?;
        let answers = active.iter().zip(&aims).map(|(flow, aim)| last_outside(&record, *flow, *aim, band, &times));
        Ok(answers.max().unwrap_or(Span::ZERO).as_secs_f64() * 1e3)
    };
    let all = |band: f64| (0..FLOWS).map(|event| within(event, band)).collect::<Result<Vec<f64>, Trouble>>();
    let name = law.about().name;
    Ok(Answered { name, aims_at, wide_ms: all(WIDE)?, narrow_ms: all(NARROW)?, vc5: of_vc5(&record, name) })
}

/// How long after the beginning of `times` the rate of a flow is last outside the `band` around `aim`, before their end.
fn last_outside(record: &NetworkRecord, flow: usize, aim: f64, band: f64, times: &Range<Instant>) -> Span {
    let rates = record.flows[flow].rate.as_ref().map_or(&[][..], |rate| &rate.allowed);
    let outside = |bps: f64| (bps / aim - 1.0).abs() > band;
    let before = rates.iter().take_while(|rate| rate.t <= times.start).last().map_or(0.0, |rate| rate.rate_bps);
    let (mut is_outside, mut left) = (outside(before), Span::ZERO);
    for rate in rates.iter().filter(|rate| rate.t > times.start && rate.t < times.end) {
        if is_outside {
            left = rate.t.since(times.start);
        }
        is_outside = outside(rate.rate_bps);
    }
    if is_outside { times.end.since(times.start) } else { left }
}

/// The allowed rate of VC5.
fn of_vc5(record: &NetworkRecord, name: &str) -> Curve {
    let rates = record.flows[4].rate.as_ref().map_or(&[][..], |rate| &rate.allowed);
    Curve { name: name.to_owned(), points: steps(rates) }
}

/// The same law with averaging intervals of this length, if it has any.
fn with_interval(law: RateLawChoice, interval: Span) -> RateLawChoice {
    match law {
        RateLawChoice::erica_early(params) => RateLawChoice::erica_early(erica_early::Params { interval, ..params }),
        RateLawChoice::erica(params) => RateLawChoice::erica(erica::Params { interval, ..params }),
        RateLawChoice::capc(params) => RateLawChoice::capc(capc::Params { interval, ..params }),
        other => other,
    }
}

/// What came out for these laws, whether it is in the order that the paper tells, and curves of VC5.
fn compared(laws: Vec<RateLawChoice>) -> Result<(Value, bool, Vec<Curve>), Trouble> {
    let answered = side_by_side(laws, answered)?;
    let mean = |name: &str| {
        let law = answered.iter().find(|law| law.name == name);
        law.map(Answered::mean_ms).ok_or_else(|| format!("the sweep does not have {name}"))
    };
    let (max_min, capc) = (mean("max-min-marking")?, mean("capc")?);
    let erica = [mean("erica-early")?, mean("erica")?];
    let first = erica.iter().all(|erica| max_min < *erica) && max_min < capc;
    let holds = first && erica.iter().all(|erica| *erica < capc);
    let mut measured: Map<String, Value> = answered.iter().map(|law| (law.name.to_owned(), law.json())).collect();
    measured.insert("max_min_is_first".to_owned(), first.into());
    measured.insert("erica_before_capc".to_owned(), erica.map(|erica| erica < capc).to_vec().into());
    Ok((measured.into(), holds, answered.into_iter().map(|law| law.vc5).collect()))
}

/// §1: Max-Min before ERICA before CAPC.
pub fn ordering(_claim: &Claim) -> Result<Finding, Trouble> {
    const SHORT: Span = Span::from_millis(1);
    let points = wmfqc_stretched()?.expand_sweep().map_err(|errors| errors.to_string())?;
    let laws: Vec<RateLawChoice> = points.iter().filter_map(|(_, point)| point.rate_law().cloned()).collect();
    let (measured, holds, curves) = compared(laws.clone())?;
    let (in_short, short_holds, _) = compared(laws.into_iter().map(|law| with_interval(law, SHORT)).collect())?;
    let figure = Figure {
        title: "Allowed rate of VC5, which comes on at 4 s, VC6 at 5 s".to_owned(),
        x: "ms".to_owned(),
        y: "cell/ms".to_owned(),
        curves,
        ..Figure::default()
    };
    let reading = Reading::argued(
        "`interval = \"1 ms\"` in ERICA and CAPC",
        "round trips take 1.5 to 3 ms, and in a longer interval early ERICA divides a rate by the same overload several times",
    );
    let note = "scenarios/papers/wmfqc-stretched.toml: a second between turn-ons, as 10 ms are too short for ERICA and CAPC, equal terms, defaults of all \
                laws. The time until all rates are, and stay, within 5 % of what their law aims at: fair rates of 95 % of the links under early \
                ERICA and CAPC, of all under Max-Min and the later ERICA. A second where they are not. Intervals last 5 ms, which the paper does not tell. \
                Early ERICA's VC5 and VC6 swing for good: a port divides by the overload of the last interval rates that have answered it already. The later \
                ERICA leaves fair rates again, for a while, long after VC6 has come on";
    Ok(Finding::new(measured, holds, note).drawn(figure).tried(reading.found(in_short, short_holds)))
}
