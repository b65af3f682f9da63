//! Round trips, activity and short transfers at RED, FRED and VRR gateways: Figs. 4, 8,
//! 11 and 12 of [vrr-gateway], its table, and its conclusion.

use super::drawn::{self, PRINTED};
use super::drop_spacing::{Spacing, every_way};
use super::gateway_shares::{chain, mixture, over_seeds, ten_rates};
use super::{Claim, Finding, Trouble, expected_number, expected_rates};
use crate::gateways::{GatewayRun, Gateways, Open, Sender, Traffic};
use crate::tolerance::{compare, round, rounded};
use fairwire_alloc::jain_index;
use fairwire_core::Span;
use fairwire_results::measures::Interval;
use fairwire_results::{Curve, Figure};
use serde_json::{Value, json};

/// Fig. 4, eq. (2): how far the flow of 100 ms stays behind the mean of the others, in Mb/s.
fn deficit(run: &GatewayRun) -> f64 {
    let rates = run.all_mbps();
    rates[1..].iter().sum::<f64>() / (rates.len() - 1) as f64 - rates[0]
}

/// Fig. 4.
pub fn round_trips(claim: &Claim) -> Result<Finding, Trouble> {
    every_way(claim, round_trips_spaced)
}

fn round_trips_spaced(claim: &Claim, spacing: Spacing) -> Result<Finding, Trouble> {
    const REPETITIONS: u64 = 20;
    /// So few flows fill their receive windows.
    const FEW: usize = 3;
    const WIDE: u32 = 1_000;
    let counts = [2usize, 3, 5, 8, 12, 16, 20];
    let mut holds = true;
    let mut rows = Vec::new();
    let mut curves = vec![Curve::counted("VRR", 0, &[]), Curve::counted("FRED", 0, &[])];
    for count in counts {
        let mut senders = vec![Sender::reno(100.0, 0.5)];
        senders.extend(vec![Sender::reno(4.0, 0.5); count - 1]);
        let gateways = Gateways { delay_ms: 0.5, ..Gateways::single(senders) };
        let seen = |law, receive_window| {
            let gateways = gateways.open(Open { receive_window, ..Open::OURS });
            Ok::<_, Trouble>(Interval::of(&over_seeds(&gateways, law, spacing, REPETITIONS, deficit)?))
        };
        let (vrr, fred) = (seen("vrr", Open::OURS.receive_window)?, seen("fred", Open::OURS.receive_window)?);
        let behind = vrr.ends()[0] > 0.0 && fred.ends()[0] > 0.0;
        let less = vrr.is_below(&fred);
        holds &= behind && less;
        let printed = (count - 1) as f64 / count as f64;
        let mut row = json!({
            "n": count, "vrr_mbps": round(vrr.mean), "fred_mbps": round(fred.mean),
            "half_widths": rounded(&[vrr.half_width.unwrap_or(0.0), fred.half_width.unwrap_or(0.0)]),
            "divided_by_n": rounded(&[vrr.mean * printed, fred.mean * printed]), "less_under_vrr": less,
        });
        if count <= FEW {
            let (vrr, fred) = (seen("vrr", WIDE)?, seen("fred", WIDE)?);
            row["with_a_window_of_1000"] = json!({ "vrr_mbps": round(vrr.mean), "fred_mbps": round(fred.mean) });
        }
        rows.push(row);
        curves[0].points.push((count as f64, vrr.mean));
        curves[1].points.push((count as f64, fred.mean));
    }
    let note = "E[u] over 20 runs, 20 to 100 s, divided by n - 1; `divided_by_n` scales the difference as eq. (2) prints it. The link has \
                0.5 ms, so that 4 ms are possible. Between two flows our receive window of 64 packets, which the paper does not tell, \
                holds the far one to 4 Mb/s whatever the gateway does, and the longer queue under VRR holds it more";
    let drawn = Figure {
        title: drawn::title(claim, "how far one TCP flow of 100 ms stays behind n - 1 of 4 ms"),
        x: "n".to_owned(),
        y: "E[u], Mb/s".to_owned(),
        curves,
        ..Figure::default()
    };
    Ok(Finding::new(Value::Array(rows), holds, note).drawn(drawn))
}

/// Fig. 8: Jain's index of the flows active in each interval of 20 s.
pub fn random_activity(claim: &Claim) -> Result<Finding, Trouble> {
    every_way(claim, random_activity_spaced)
}

fn random_activity_spaced(claim: &Claim, spacing: Spacing) -> Result<Finding, Trouble> {
    let mut gateways = mixture();
    (gateways.duration_s, gateways.warmup_s) = (2_000.0, 0.0);
    let every_20_s = "active = { every = \"20 s\", probability = \"60 %\" }";
    gateways.senders.iter_mut().for_each(|sender| sender.keys = every_20_s.to_owned());
    let indices = |law| Ok::<_, Trouble>(over_seeds(&gateways, law, spacing, 3, interval_indices)?.concat());
    let (vrr, fred) = (indices("vrr")?, indices("fred")?);
    let spread = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
    };
    let (of_vrr, of_fred) = (Interval::of(&vrr), Interval::of(&fred));
    let expected = [expected_number(claim, "vrr_mean")?, expected_number(claim, "fred_mean")?];
    let smoother = spread(&vrr) < spread(&fred);
    let holds = compare(claim, &[of_vrr.mean, of_fred.mean], &expected).holds && smoother;
    let measured = json!({
        "vrr_mean": round(of_vrr.mean), "vrr_confidence": rounded(&of_vrr.ends()),
        "fred_mean": round(of_fred.mean), "fred_confidence": rounded(&of_fred.ends()),
        "standard_deviations": rounded(&[spread(&vrr), spread(&fred)]), "intervals": vrr.len(),
    });
    let note = "three runs of 100 intervals of 20 s, those with fewer than two active flows left out; a TCP flow that becomes active \
                opens a new connection. The 1 Mb/s flow asks for less than its share where fewer than ten are active, which lowers the \
                index of the best of sharings, too";
    let run = |name: &str, indices: &[f64]| Curve::counted(name, 1, &indices[..indices.len() / 3]);
    let drawn = Figure {
        title: drawn::title(claim, "Jain's index of the active flows, the first of three runs"),
        x: "interval of 20 s".to_owned(),
        y: "index".to_owned(),
        curves: vec![run("VRR", &vrr), run("FRED", &fred)],
        ..Figure::default()
    }
    .at_level("VRR, the paper's mean", expected[0])
    .at_level("FRED, the paper's mean", expected[1]);
    Ok(Finding::new(measured, holds, note).drawn(drawn))
}

fn interval_indices(run: &GatewayRun) -> Vec<f64> {
    let record = &run.record;
    let rows = (Span::from_millis(20_000).as_nanos() / record.window.as_nanos()) as usize;
    let intervals = (record.duration.as_nanos() / Span::from_millis(20_000).as_nanos()) as usize;
    let index = |interval: usize| {
        let active = record.flows.iter().filter(|flow| flow.active.get(interval) == Some(&true));
        let bytes = |flow: &fairwire_plan::NetworkFlowRecord| {
            let rows = &flow.delivered_bytes[interval * rows..(interval + 1) * rows];
            rows.iter().map(|bytes| f64::from(*bytes)).sum::<f64>()
        };
        let rates: Vec<f64> = active.map(bytes).collect();
        (rates.len() > 1).then(|| jain_index(&rates))
    };
    (0..intervals).filter_map(index).collect()
}

/// The web table's gateway: nine long flows and three constant rates, and objects from 50 s on.
fn web_gateway(round_trip_ms: f64) -> Gateways {
    let mut gateways = mixture();
    gateways.senders.iter_mut().for_each(|sender| sender.keys = "start-jitter = \"5 s\"".to_owned());
    let near_ms = round_trip_ms / 2.0 - 6.0;
    let objects = Sender { access_ms: [near_ms, 1.0], ..Sender::new(0, 1, WEB) };
    gateways.senders.push(objects.with("start = \"50 s\""));
    (gateways.duration_s, gateways.warmup_s) = (300.0, 20.0);
    gateways
}

/// 600 objects, asked for over 100 s on average.
const WEB: Traffic = Traffic::Web { objects: 600, mean_interval_s: 1.0 / 6.0 };
const WEB_SEEDS: u64 = 5;
/// Where the axis of transfer times ends.
const LONGEST_DRAWN_S: f64 = 4.0;

/// Delays of all objects in order, and what was lost of them.
struct Objects {
    delays_s: Vec<f64>,
    loss: f64,
    unfinished: u64,
    /// At the first link, on average.
    waiting_packets: f64,
}

impl Objects {
    /// Of several runs of one law; the objects are those of `flow`.
    fn seen(gateways: &Gateways, law: &str, spacing: Spacing, flow: usize) -> Result<Self, Trouble> {
        let runs = over_seeds(gateways, law, spacing, WEB_SEEDS, |run| {
            let flow = &run.record.flows[flow];
            let delays = flow.transfers.iter().map(|object| object.end.since(object.start).as_secs_f64());
            let one = Self {
                delays_s: delays.collect(),
                loss: 0.0,
                unfinished: flow.unfinished,
                waiting_packets: run.waiting_packets(),
            };
            (one, flow.dropped, flow.sent)
        })?;
        let (dropped, sent) = runs.iter().fold((0, 0), |sum, run| (sum.0 + run.1, sum.1 + run.2));
        let mut delays_s: Vec<f64> = runs.iter().flat_map(|run| run.0.delays_s.iter().copied()).collect();
        delays_s.sort_by(f64::total_cmp);
        Ok(Self {
            delays_s,
            loss: dropped as f64 / sent as f64,
            unfinished: runs.iter().map(|run| run.0.unfinished).sum(),
            waiting_packets: runs.iter().map(|run| run.0.waiting_packets).sum::<f64>() / runs.len() as f64,
        })
    }

    fn mean_s(&self) -> f64 {
        self.delays_s.iter().sum::<f64>() / self.delays_s.len() as f64
    }

    fn deviation_s(&self) -> f64 {
        let mean = self.mean_s();
        let squares: f64 = self.delays_s.iter().map(|delay| (delay - mean).powi(2)).sum();
        (squares / (self.delays_s.len() as f64 - 1.0)).sqrt()
    }

    fn percentile_s(&self, part: f64) -> f64 {
        self.delays_s[((self.delays_s.len() as f64 * part) as usize).min(self.delays_s.len() - 1)]
    }
}

/// RED, FRED and VRR, in the order of the paper's table.
fn web_columns(spacing: Spacing, round_trip_ms: f64) -> Result<Vec<Objects>, Trouble> {
    let gateways = web_gateway(round_trip_ms);
    let flow = gateways.senders.len() - 1;
    ["red", "fred", "vrr"].into_iter().map(|law| Objects::seen(&gateways, law, spacing, flow)).collect()
}

/// The table of §III-F.
pub fn web_table(claim: &Claim) -> Result<Finding, Trouble> {
    every_way(claim, web_table_spaced)
}

fn web_table_spaced(claim: &Claim, spacing: Spacing) -> Result<Finding, Trouble> {
    let laws = web_columns(spacing, 20.0)?;
    let far = web_columns(spacing, 60.0)?;
    let column = |of: fn(&Objects) -> f64| laws.iter().map(of).collect::<Vec<f64>>();
    let columns = [
        ("transfer_delay_s", column(Objects::mean_s)),
        ("std_dev_s", column(Objects::deviation_s)),
        ("loss_rate", column(|objects| objects.loss)),
    ];
    let mut holds = true;
    let mut in_order = true;
    for (key, found) in &columns {
        holds &= compare(claim, found, &expected_rates(claim, key)?).holds;
        in_order &= found[2] < found[1] && found[1] < found[0];
    }
    let mut measured: serde_json::Map<_, _> =
        columns.iter().map(|(key, found)| ((*key).to_owned(), json!(rounded(found)))).collect();
    measured.insert("in_order".to_owned(), in_order.into());
    measured.insert("unfinished".to_owned(), laws.iter().map(|law| law.unfinished).collect());
    measured
        .insert("delay_s_with_60_ms".to_owned(), json!(rounded(&far.iter().map(Objects::mean_s).collect::<Vec<_>>())));
    let names = ["RED", "FRED", "VRR"].map(str::to_owned).to_vec();
    let mut figures = Vec::new();
    for ((key, found), (what, y)) in columns.iter().zip([
        ("transfer delay", "s"),
        ("standard deviation of the delay", "s"),
        ("part of the packets that is lost", "part"),
    ]) {
        let printed = expected_rates(claim, key)?;
        figures.push(drawn::bars(
            format!("Table: {what}"),
            names.clone(),
            y,
            &[("here", found)],
            &[(PRINTED, &printed)],
        ));
    }
    let note = "RED, FRED, VRR; 600 objects of 20 packets on average (Pareto, shape 1.2) at the times of a Poisson process over 100 s, \
                each over a new Reno connection of 20 ms, which the paper does not tell; five runs. Delay from the first segment sent \
                to the last acknowledged. How ns-2 spaced its objects is not told, \
                and decides the absolute figures";
    let finding = Finding::new(Value::Object(measured), holds && in_order, note);
    Ok(figures.into_iter().fold(finding, Finding::drawn))
}

/// Fig. 11.
pub fn web_distribution(claim: &Claim) -> Result<Finding, Trouble> {
    every_way(claim, web_distribution_spaced)
}

fn web_distribution_spaced(claim: &Claim, spacing: Spacing) -> Result<Finding, Trouble> {
    let laws = web_columns(spacing, 20.0)?;
    let at = |part: f64| laws.iter().map(|law| round(law.percentile_s(part))).collect::<Vec<f64>>();
    let ninetieth = at(0.9);
    let holds = ninetieth[2] <= ninetieth[1] && ninetieth[1] < ninetieth[0];
    let measured =
        json!({ "laws": ["RED", "FRED", "VRR"], "median_s": at(0.5), "p90_s": ninetieth, "p99_s": at(0.99) });
    let curve = |name: &str, law: &Objects| {
        let parts = (0..=100).map(|percent| f64::from(percent) / 100.0);
        Curve {
            name: name.to_owned(),
            points: parts.map(|part| (law.percentile_s(part).min(LONGEST_DRAWN_S), part)).collect(),
        }
    };
    let drawn = Figure {
        title: drawn::title(claim, "how many objects take at most so long"),
        x: "transfer time, s (longer ones at the right edge)".to_owned(),
        y: "part of all objects".to_owned(),
        curves: ["RED", "FRED", "VRR"].into_iter().zip(&laws).map(|(name, law)| curve(name, law)).collect(),
        ..Figure::default()
    };
    Ok(Finding::new(measured, holds, "the transfers of the table, all five runs together").drawn(drawn))
}

/// Fig. 12.
pub fn web_over_links(claim: &Claim) -> Result<Finding, Trouble> {
    every_way(claim, web_over_links_spaced)
}

fn web_over_links_spaced(claim: &Claim, spacing: Spacing) -> Result<Finding, Trouble> {
    let lengths = [1usize, 2, 4, 6, 8, 10];
    let mut curves = [Vec::new(), Vec::new()];
    let (mut losses, mut waiting) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for links in lengths {
        let objects = Sender::new(0, links, WEB).with("start = \"50 s\"");
        let mut senders = vec![objects];
        let ftp = |link: usize| Sender { access_ms: [8.0, 1.0], ..Sender::new(link, link + 1, Traffic::Reno) };
        senders.extend((0..links).flat_map(|link| vec![ftp(link).with("start-jitter = \"5 s\""); 10]));
        let gateways = Gateways { links, delay_ms: 1.0, senders, duration_s: 200.0, warmup_s: 20.0, open: Open::OURS };
        for (number, law) in ["vrr", "fred"].into_iter().enumerate() {
            let objects = Objects::seen(&gateways, law, spacing, 0)?;
            curves[number].push(objects.mean_s());
            losses[number].push(objects.loss);
            waiting[number].push(objects.waiting_packets);
        }
    }
    let [vrr, fred] = &curves;
    let less = vrr.iter().zip(fred).all(|(vrr, fred)| vrr < fred);
    let grows = curves.iter().all(|curve| curve.windows(2).all(|pair| pair[0] < pair[1]));
    let measured = json!({ "links": lengths, "vrr_s": rounded(vrr), "fred_s": rounded(fred), "vrr_below": less, "both_grow": grows,
        "vrr_loss": rounded(&losses[0]), "fred_loss": rounded(&losses[1]),
        "vrr_waiting_packets": rounded(&waiting[0]), "fred_waiting_packets": rounded(&waiting[1]),
    });
    let note = "ten Reno flows of 20 ms at every link, links of 1 ms, five runs each of 600 objects. Objects lose less under VRR, as \
                the paper says. Where it waits between drops and FRED does not, its queues are longer by 15 packets, and a \
                transfer of 20 packets waits in them several times";
    let xs = lengths.map(|links| links as f64);
    let drawn = Figure {
        title: drawn::title(claim, "mean transfer time of objects over congested links"),
        x: "congested links".to_owned(),
        y: "s".to_owned(),
        curves: vec![Curve::over("VRR", &xs, vrr), Curve::over("FRED", &xs, fred)],
        ..Figure::default()
    };
    Ok(Finding::new(measured, less && grows, note).drawn(drawn))
}

/// §IV: VRR before FRED before RED.
pub fn overall(claim: &Claim) -> Result<Finding, Trouble> {
    every_way(claim, overall_spaced)
}

fn overall_spaced(_claim: &Claim, spacing: Spacing) -> Result<Finding, Trouble> {
    let laws = ["vrr", "fred", "red"];
    let indices = |gateways: &Gateways| {
        let index = |law| {
            let seen = over_seeds(gateways, law, spacing, 5, |run| jain_index(&run.all_mbps()))?;
            Ok(Interval::of(&seen).mean)
        };
        laws.into_iter().map(index).collect::<Result<Vec<f64>, Trouble>>()
    };
    let through = |gateways: &Gateways| {
        let rate = |law| Ok(Interval::of(&over_seeds(gateways, law, spacing, 5, |run| run.mbps(0))?).mean);
        laws.into_iter().map(rate).collect::<Result<Vec<f64>, Trouble>>()
    };
    let experiments = [
        ("jain_of_ten_rates", indices(&ten_rates())?),
        ("jain_of_the_mixture", indices(&mixture())?),
        ("udp_over_ten_links", through(&chain(10, 1.0, Traffic::Constant(1.0)))?),
        ("tcp_over_ten_links", through(&chain(10, 1.0, Traffic::Reno))?),
        (
            "quickness_of_objects_per_s",
            web_columns(spacing, 20.0)?.iter().rev().map(|law| 1.0 / law.mean_s()).collect(),
        ),
    ];
    let holds = experiments.iter().all(|(_, found)| found[0] > found[1] && found[1] > found[2]);
    let measured: serde_json::Map<_, _> =
        experiments.iter().map(|(key, found)| ((*key).to_owned(), json!(rounded(found)))).collect();
    Ok(Finding::new(measured.into(), holds, "VRR, FRED, RED; five runs each; more is better in every line"))
}
