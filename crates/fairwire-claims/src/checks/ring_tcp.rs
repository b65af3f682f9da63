//! TCP over rings: Figs. 17 and 18 of [dvsr], scenario III of the slides, and ten
//! connections a station in [rpr-enhanced-conservative].
//!
//! The papers tell nothing of their TCP but its name. All runs here have the settings of the
//! scenario files; what other settings do is measured beside them.

use super::drawn::{self, PRINTED};
use super::{Claim, Finding, Trouble, expected_number, expected_rates};
use crate::catalogue::number;
use crate::reading::Reading;
use crate::runs::{self, Run, law};
use crate::tolerance::{compare, round, rounded};
use crate::ways::Way;
use fairwire_core::Span;
use fairwire_laws::ring::Datapath;
use fairwire_laws::transport::ControlChoice;
use fairwire_plan::{RingPlan, TcpPlan};
use fairwire_results::measures::Interval;
use fairwire_results::{Curve, Figure};
use fairwire_scenario::Scenario;
use fairwire_sweep::side_by_side;
use serde_json::{Map, Value, json};

/// Runs that every mean here is over.
const RUNS: u64 = 10;
/// Micro-flows of the aggregate in Fig. 17: our choice but for 5 and 20.
const AGGREGATES: [u32; 6] = [1, 2, 5, 10, 20, 30];

/// Each flow's share of capacity over the runs of a scenario that was changed.
struct Shares(Vec<Vec<f64>>);

impl Shares {
    fn of(
        scenario: &Scenario,
        name: &str,
        parameters: &str,
        change: impl Fn(&mut RingPlan) + Sync,
    ) -> Result<Self, Trouble> {
        let law = law(name, parameters)?;
        let run = |number: u64| {
            let mut plan =
                scenario.with_law(law.clone()).ring_plan(number).ok_or("the scenario is not a ring".to_owned())?;
            change(&mut plan);
            Ok::<_, Trouble>(runs::run_plan(plan, &law)?.shares())
        };
        side_by_side(0..RUNS, run).map(Self)
    }

    fn figure(&self, claim: &Claim, what: &str, printed: &[(&str, &[f64])]) -> Figure {
        drawn::rates(claim, what, &[("here", &self.means())], printed)
    }

    fn interval(&self, flow: usize) -> Interval {
        Interval::of(&self.0.iter().map(|shares| shares[flow]).collect::<Vec<_>>())
    }

    fn means(&self) -> Vec<f64> {
        (0..self.0[0].len()).map(|flow| self.interval(flow).mean).collect()
    }

    /// Half of the widest 95 % interval of a mean.
    fn uncertainty(&self) -> f64 {
        (0..self.0[0].len()).filter_map(|flow| self.interval(flow).half_width).fold(0.0, f64::max)
    }
}

fn micro_flows(plan: &mut RingPlan, count: u32) {
    plan.flows.iter_mut().filter(|flow| flow.offer.tcp().is_some()).for_each(|flow| flow.micro_flows = count);
}

fn change_tcp(plan: &mut RingPlan, change: impl Fn(&mut TcpPlan)) {
    plan.flows.iter_mut().filter_map(|flow| flow.offer.tcp_mut()).for_each(change);
}

fn control(plan: &mut RingPlan, name: &str) {
    let control = ControlChoice::by_name(name);
    change_tcp(plan, |tcp| tcp.control = control.clone().unwrap_or(tcp.control));
}

/// What other choices than those of the scenario would have been, by name.
type Choice = (&'static str, fn(&mut RingPlan));

const OF_TCP: [Choice; 4] = [
    ("newreno", |plan| control(plan, "newreno")),
    ("sack", |plan| control(plan, "sack")),
    ("timeouts of 1 s at least", |plan| change_tcp(plan, |tcp| tcp.settings.min_timeout = Span::from_millis(1_000))),
    ("windows of 64 segments", |plan| change_tcp(plan, |tcp| tcp.settings.receive_window = 64)),
];
const OF_SPANS: [Choice; 2] =
    [("spans of 0.103 ms", |plan| spans_of(plan, 103)), ("spans of 0.11 ms", |plan| spans_of(plan, 110))];
/// Receive windows, in segments: what the sweeps on the page go through.
const WINDOWS: [u32; 9] = [16, 24, 32, 40, 48, 56, 64, 96, 128];
/// The one that both rings of Fig. 18 are read with. On its longest path, 0.8 ms there and back, a segment of 1 kB and a window of
/// 62 of them fill the link; a quarter of it takes 16.
const WINDOW: u32 = 48;
const WHY_WINDOW: &str = "simulators of the time gave a source one fixed window; this one lets a connection have three times \
                          its fair share, and not the whole link, whichever ring it is on";

fn window(plan: &mut RingPlan, segments: u32) {
    change_tcp(plan, |tcp| tcp.settings.receive_window = segments);
}

const OF_SCHEDULERS: Choice = ("transit first", |plan| plan.transit.datapath = Datapath::TransitFirst);

fn spans_of(plan: &mut RingPlan, us: u64) {
    plan.links.iter_mut().flatten().for_each(|link| link.delay = Span::from_micros(us));
}

/// Fig. 17 under DVSR.
pub fn isolation(claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    let scenario = runs::tcp_isolation()?;
    let share = |count: u32, choice: fn(&mut RingPlan)| {
        let shares = Shares::of(&scenario, "dvsr", &way.parameters(""), |plan| {
            micro_flows(plan, count);
            choice(plan);
        })?;
        Ok::<_, Trouble>(shares.interval(0))
    };
    let curve = AGGREGATES.iter().map(|&count| share(count, |_| {})).collect::<Result<Vec<_>, _>>()?;
    let means: Vec<f64> = curve.iter().map(|interval| interval.mean).collect();
    let printed = printed_points(claim)?;
    let at =
        |count: f64| AGGREGATES.iter().position(|&other| f64::from(other) == count).map_or(f64::NAN, |at| means[at]);
    let (expected, measured): (Vec<f64>, Vec<f64>) = printed.iter().map(|&(count, share)| (share, at(count))).unzip();
    let comparison = compare(claim, &measured, &expected);
    let rises = means.windows(2).all(|pair| pair[1] >= pair[0] - 0.005);
    let fair_from_20 = compare(claim, &means[4..], &[0.25; 2]).holds;
    let others = OF_TCP
        .iter()
        .filter(|_| way.is_printed())
        .map(|(name, choice)| Ok(((*name).to_owned(), json!(round(share(5, *choice)?.mean)))))
        .collect::<Result<Map<String, Value>, Trouble>>()?;
    let counts = AGGREGATES.map(f64::from);
    let figure = Figure {
        title: drawn::title(claim, "a TCP aggregate among three constant rates, under DVSR"),
        x: "micro-flows".to_owned(),
        y: "share of capacity".to_owned(),
        curves: vec![Curve::over("the aggregate", &counts, &means)],
        printed: vec![Curve { name: "the paper".to_owned(), points: printed }],
        ..Figure::default()
    };
    let measured = json!({
        "micro_flows": AGGREGATES,
        "tcp_share": rounded(&means),
        "interval_half_width": curve.iter().map(|one| one.half_width.map(round)).collect::<Vec<_>>(),
        "tcp_share_of_5_with": others,
    });
    let note = format!(
        "means of {RUNS} runs of 5 s, start-up included; windows larger than all queues hold, timeouts of 0.2 s at least; \
         worst of the paper's two points {:.3} off; the law keeps the share that many connections use and lends what few \
         leave, as the paper says; how much five leave hangs on how TCP recovers from several losses in one window: the \
         printed 0.17 lies between Reno, which waits for its timer, and NewReno, which does not",
        comparison.worst
    );
    Ok(Finding::new(measured, comparison.holds && rises && fair_from_20, note).drawn(figure))
}

/// Micro-flows and share.
fn printed_points(claim: &Claim) -> Result<Vec<(f64, f64)>, Trouble> {
    let points = claim.expected.get("tcp_share").and_then(toml::Value::as_array);
    let point = |entry: &toml::Value| Some((number(entry.get("n")?)?, number(entry.get("share")?)?));
    points
        .and_then(|points| points.iter().map(point).collect())
        .ok_or_else(|| "the catalogue gives no list `tcp_share`".to_owned())
}

/// The same aggregate of twenty on a ring without control.
pub fn isolation_fifo(claim: &Claim) -> Result<Finding, Trouble> {
    let shares = Shares::of(&runs::tcp_isolation()?, "fifo", "", |_| {})?;
    let tcp = shares.interval(0);
    let comparison = compare(claim, &[tcp.mean], &[expected_number(claim, "tcp_share")?]);
    let measured = json!({
        "tcp_share": round(tcp.mean),
        "interval_half_width": tcp.half_width.map(round),
        "throughput": rounded(&shares.means()),
    });
    let figure = shares.figure(claim, "twenty connections and three constant rates, a ring without control", &[]);
    let figure = figure.with_point("the paper, the connections", (1.0, expected_number(claim, "tcp_share")?));
    let note = format!("mean of {RUNS} runs; {:.3} off", comparison.worst);
    Ok(Finding::new(measured, comparison.holds, note).drawn(figure))
}

/// What the four stations of Fig. 18 get, and what they would get otherwise.
fn each(claim: &Claim, count: u32, way: Way) -> Result<Finding, Trouble> {
    let scenario = runs::tcp_each()?;
    let shares = |name: &str, choice: fn(&mut RingPlan)| {
        Shares::of(&scenario, name, &way.of(name), |plan| {
            micro_flows(plan, count);
            choice(plan);
        })
    };
    let dvsr = shares("dvsr", |_| {})?;
    let expected = expected_rates(claim, "throughput")?;
    let comparison = compare(claim, &dvsr.means(), &expected);
    let worst = dvsr.0.iter().map(|shares| compare(claim, shares, &expected).worst).fold(0.0, f64::max);
    let mut measured = json!({
        "throughput": rounded(&dvsr.means()),
        "interval_half_width": round(dvsr.uncertainty()),
        "worst_of_one_run": round(worst),
    });
    let what = if count == 1 { "one TCP flow a station, DVSR" } else { "ten TCP flows a station, DVSR" };
    let figure = dvsr.figure(claim, what, &[(PRINTED, &expected)]);
    if !way.is_printed() {
        return Ok(Finding::new(measured, comparison.holds, ""));
    }
    let mut others = Map::new();
    for (name, choice) in OF_TCP.iter().take(1).chain(&OF_SPANS).chain([&OF_SCHEDULERS]) {
        others.insert((*name).to_owned(), json!(rounded(&shares("dvsr", *choice)?.means())));
    }
    let plus = shares("dvsr-plus", |_| {})?;
    let sack = shares("dvsr", |plan| control(plan, "sack"))?;
    others.insert("dvsr-plus".to_owned(), json!(rounded(&plus.means())));
    others.insert("sack".to_owned(), json!(rounded(&sack.means())));
    measured["throughput_with"] = Value::Object(others);
    let windows = by_window(&scenario, "dvsr", &way.parameters(""), count)?;
    measured["throughput_by_window"] = shown(&windows);
    let percent_off = |shares: &Shares| compare(claim, &shares.means(), &[0.25; 4]).worst * 100.0;
    let note = format!(
        "means of {RUNS} runs of 5 s; worst flow {:.1} % off; counted as printed DVSR does not drain the queue that stations and \
         transit share: once full it stays so, packets of one size lock in phase with those that pass, and bursts of the last \
         station, where most pass, lose several segments at once, for which Reno waits for its timer; SACK, which does not, \
         comes within {:.1} %, and dvsr-plus, which drains the queue, within {:.1} % with Reno",
        comparison.worst * 100.0,
        percent_off(&sack),
        percent_off(&plus)
    );
    let chosen = chosen_window(&windows);
    let read = |name: String, shares: &[f64]| {
        let holds = compare(claim, shares, &expected).holds;
        Reading::argued(name, WHY_WINDOW).found(json!({ "throughput": rounded(shares) }), holds)
    };
    let alone = read(format!("`receive-window = {WINDOW}` on both rings of the figure"), chosen);
    let of_the_product = by_window(&scenario, "dvsr", "", count)?;
    measured["throughput_by_window_with_a_margin"] = shown(&of_the_product);
    let both = read(
        format!("`receive-window = {WINDOW}` on both rings of the figure, `count-margin = 1`"),
        chosen_window(&of_the_product),
    );
    Ok(Finding::new(measured, comparison.holds, note).tried(alone).tried(both).drawn(figure))
}

/// What each station gets with each of the windows.
fn by_window(scenario: &Scenario, law: &str, parameters: &str, count: u32) -> Result<Vec<(u32, Vec<f64>)>, Trouble> {
    let with = |&segments: &u32| {
        let shares = Shares::of(scenario, law, parameters, |plan| {
            micro_flows(plan, count);
            window(plan, segments);
        })?;
        Ok((segments, shares.means()))
    };
    WINDOWS.iter().map(with).collect()
}

fn chosen_window(windows: &[(u32, Vec<f64>)]) -> &[f64] {
    windows.iter().find(|(segments, _)| *segments == WINDOW).map_or(&[], |(_, shares)| shares)
}

fn shown(windows: &[(u32, Vec<f64>)]) -> Value {
    let of = |(segments, shares): &(u32, Vec<f64>)| (segments.to_string(), json!(rounded(shares)));
    Value::Object(windows.iter().map(of).collect())
}

/// Fig. 18 under DVSR, and what the slides say of the same.
pub fn one_each(claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    each(claim, 1, way)
}

/// §VII-A3: ten connections a station.
pub fn ten_each(claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    each(claim, 10, way)
}

/// Fig. 18 on a ring without control.
pub fn one_each_fifo(claim: &Claim) -> Result<Finding, Trouble> {
    let scenario = runs::tcp_each()?;
    let shares = |choice: fn(&mut RingPlan)| Shares::of(&scenario, "fifo", "", choice);
    let plain = shares(|_| {})?;
    let falls = |means: &[f64]| means.windows(2).all(|pair| pair[1] > pair[0]);
    let mut others = Map::new();
    for (name, choice) in OF_SPANS.iter().chain(&OF_TCP) {
        others.insert((*name).to_owned(), json!(rounded(&shares(*choice)?.means())));
    }
    let means = plain.means();
    let windows = by_window(&scenario, "fifo", "", 1)?;
    let measured = json!({
        "throughput": rounded(&means),
        "interval_half_width": round(plain.uncertainty()),
        "throughput_with": others,
        "throughput_by_window": shown(&windows),
    });
    let note = format!(
        "means of {RUNS} runs of 5 s, flows (1,5) to (4,5) in order, expected to rise; packets of one size on links of one \
         rate lock in phase, and the length of a span decides whether what passes or what is added finds the place that \
         comes free in a full queue: the paper's order comes out with some lengths and not with others"
    );
    let chosen = chosen_window(&windows);
    let read = Reading::argued(format!("`receive-window = {WINDOW}` on both rings of the figure"), WHY_WINDOW)
        .found(json!({ "throughput": rounded(chosen) }), falls(chosen));
    let figure = plain.figure(claim, "one TCP flow a station, a ring without control", &[]);
    let holds = falls(&means) && claim.expected.contains_key("ordering");
    Ok(Finding::new(measured, holds, note).tried(read).drawn(figure))
}

/// Scenario III of the slides.
pub fn among_greedy(claim: &Claim, way: Way) -> Result<Finding, Trouble> {
    let scenario = runs::tcp_among_greedy()?;
    let share = |name: &str| Ok::<_, Trouble>(Shares::of(&scenario, name, &way.of(name), |_| {})?.interval(0));
    let (dvsr, fifo) = (share("dvsr")?, share("fifo")?);
    let comparison = compare(claim, &[dvsr.mean], &[expected_number(claim, "share_1_5")?]);
    let measured = json!({
        "share_1_5": round(dvsr.mean),
        "interval_half_width": dvsr.half_width.map(round),
        "share_1_5_fifo": round(fifo.mean),
    });
    let note = format!(
        "dvsr, means of {RUNS} runs, twenty Reno connections; the slide does not tell how many an aggregate has; \
         {:.3} off; without control next to nothing is left of them",
        comparison.worst
    );
    let names = ["DVSR", "FIFO ring"].map(str::to_owned).to_vec();
    let title = drawn::title(claim, "what the TCP aggregate has");
    let figure = drawn::bars(title, names, "share of capacity", &[("here", &[dvsr.mean, fifo.mean])], &[])
        .with_point("the slides", (1.0, expected_number(claim, "share_1_5")?));
    Ok(Finding::new(measured, comparison.holds, note).drawn(figure))
}

/// §V-A: ten connections in place of each greedy source.
pub fn ten_for_each_greedy(claim: &Claim) -> Result<Finding, Trouble> {
    let expected = [expected_number(claim, "final_greedy_mbps_enhanced_cm")?, expected_number(claim, "node4_mbps")?];
    let scenario = runs::ecm_tcp()?;
    let mbps = |run: &Run| run.shares().iter().map(|share| share * run.capacity() / 1e6).collect::<Vec<_>>();
    let tcp = |name: &str| {
        Ok::<_, Trouble>(mbps(&*runs::run(&scenario, &law(name, "")?, 0, fairwire_plan::Detail::Summary)?))
    };
    let udp = |name: &str| {
        let law = law(name, "")?;
        let mut plan = runs::ecm_unequal()?.with_law(law.clone()).ring_plan(0).ok_or("the scenario is not a ring")?;
        let like = scenario.ring_plan(0).ok_or("the scenario is not a ring")?;
        (plan.duration, plan.warmup) = (like.duration, like.warmup);
        plan.flows.iter_mut().zip(&like.flows).for_each(|(flow, like)| flow.stop = like.stop);
        Ok::<_, Trouble>(mbps(&*runs::run_plan(plan, &law)?))
    };
    let enhanced = tcp("rpr-conservative-enhanced")?;
    let wanted = [expected[0], expected[0], expected[0], expected[0], expected[1]];
    let comparison = compare(claim, &enhanced, &wanted);
    let mut measured = Map::new();
    for name in ["rpr-conservative-enhanced", "rpr-aggressive-stq", "rpr-conservative-original"] {
        measured.insert(format!("tcp {name}"), json!(rounded(&tcp(name)?)));
        measured.insert(format!("udp {name}"), json!(rounded(&udp(name)?)));
    }
    let note = format!(
        "Mb/s of stations 0 to 4 from 2 s to 4 s, Reno with windows of 2000 segments; enhanced mode is {:.1} % off at most; \
         there and in aggressive mode TCP gets what datagrams get; the original mode, in which datagrams starve station 4, \
         leaves it its rate beside TCP, which gives way",
        comparison.worst * 100.0
    );
    let names =
        scenario.ring_plan(0).map(|plan| plan.flows.iter().map(|flow| format!("node {}", flow.from.0)).collect());
    let datagrams = udp("rpr-conservative-enhanced")?;
    let curves = [("ten TCP flows each", &enhanced[..]), ("datagrams", &datagrams[..])];
    let title = drawn::title(claim, "what stations have in enhanced conservative mode");
    let printed = [(PRINTED, &wanted[..])];
    let figure = drawn::bars(title, names.unwrap_or_default(), "Mb/s", &curves, &printed);
    Ok(Finding::new(Value::Object(measured), comparison.holds, note).drawn(figure))
}
