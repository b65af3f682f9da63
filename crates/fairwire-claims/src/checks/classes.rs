//! Classes, shapers, weights, domains and many stations: Figs. 7, 9 and 11 of
//! [rpr-enhanced-conservative] and what its text says about them.

use super::drawn::{self, PRINTED};
use super::five_ms::{as_it_stands, run_with};
use super::{Claim, Finding, Trouble, expected_number};
use crate::catalogue::number;
use crate::reading::Reading;
use crate::runs::{self, Run};
use crate::tolerance::{compare, round, rounded};
use fairwire_core::Span;
use fairwire_plan::{Arrivals, Shaper, Traffic};
use fairwire_results::Figure;
use fairwire_scenario::Scenario;
use serde_json::json;

const ENHANCED: &str = "rpr-conservative-enhanced";
/// Flows of the scenario of Fig. 9.
const A0: usize = 0;
const B: usize = 1;
const C: std::ops::Range<usize> = 2..19;
/// When class C starts there, in ms.
const START_MS: f64 = 500.0;

/// L and the add rate that `station` shows, means from `from_ms` on, in Mb/s.
fn shown(run: &Run, station: u16, name: &str, from_ms: f64) -> f64 {
    let late = run.record.laws.iter().filter(|sample| {
        sample.station.0 == station && sample.name == name && sample.t.as_nanos() as f64 >= from_ms * 1e6
    });
    let (sum, count) = late.fold((0.0, 0u32), |(sum, count), sample| (sum + sample.value, count + 1));
    sum / f64::from(count) / 1e6
}

/// What a head that falls short says of itself: its L, and what it adds.
fn head_note(run: &Run, station: u16, from_ms: f64) -> String {
    format!(
        "the head, station {station}, finds L = {:.1} Mb/s and adds {:.1}",
        shown(run, station, "fair_rate_bps", from_ms),
        shown(run, station, "add_rate_bps", from_ms)
    )
}

/// Fig. 7.
pub fn spatial_reuse(claim: &Claim) -> Result<Finding, Trouble> {
    let run = as_it_stands(&runs::ecm_two_domains()?, |_| {})?;
    let (from, to) = (1_000.0, 2_000.0);
    let (near, small, far) = (run.mbps_of(0..2, from, to), run.mbps(2, from, to), run.mbps_of(3..9, from, to));
    let number = |key| expected_number(claim, key);
    let nodes = number("fd1_nodes_1_2_mbps")?;
    let (found, mut expected) = ([near.clone(), vec![small], far.clone()].concat(), vec![nodes, nodes]);
    expected.push(number("fd1_node_0_mbps")?);
    expected.resize(9, number("derived_fd2_mbps")?);
    let comparison = compare(claim, &found, &expected);
    let measured = json!({
        "fd1_nodes_1_2_mbps": rounded(&near), "fd1_node_0_mbps": round(small), "fd2_mbps": rounded(&far),
    });
    let short = if comparison.holds { String::new() } else { format!("; {}", head_note(&run, 2, from)) };
    let note = format!("the second second; worst flow {:.1} % off{short}", comparison.worst * 100.0);
    let figure =
        drawn::throughputs(&run, drawn::title(claim, "throughput in two fairness domains"), 5, [0.0, 1_000.0], 0.0)
            .at_level("the paper, nodes 1 and 2 of the first", nodes)
            .at_level("the paper, node 0", number("fd1_node_0_mbps")?)
            .at_level("the paper, the second", number("fd2_mbps")?);
    let ends = drawn::bars(
        drawn::title(claim, "the second second"),
        drawn::flow_names(&run),
        "Mb/s",
        &[("here", &found)],
        &[(drawn::DERIVED, &expected)],
    );
    Ok(Finding::new(measured, comparison.holds, note).drawn(figure).drawn(ends))
}

/// Fig. 11.
pub fn weights(claim: &Claim) -> Result<Finding, Trouble> {
    const KEYS: [&str; 4] = ["mbps_0_7", "mbps_1_6", "mbps_2_5", "mbps_3_4"];
    let run = as_it_stands(&runs::ecm_weights()?, |_| {})?;
    let found = run.mbps_of(0..4, 1_500.0, 2_000.0);
    let expected = KEYS.iter().map(|key| expected_number(claim, key)).collect::<Result<Vec<_>, _>>()?;
    let comparison = compare(claim, &found, &expected);
    let measured: serde_json::Map<_, _> =
        KEYS.iter().zip(&found).map(|(key, rate)| ((*key).to_owned(), json!(round(*rate)))).collect();
    let short = if comparison.holds { String::new() } else { format!("; {}", head_note(&run, 3, 1_500.0)) };
    let note = format!(
        "spans of 2 ms, which the paper does not tell for this network; 1.5 to 2 s; worst flow {:.1} % off{short}",
        comparison.worst * 100.0
    );
    let figure = drawn::throughputs(&run, drawn::title(claim, "throughput by weights"), 5, [0.0, 1_000.0], 0.0);
    let ends = drawn::bars(
        drawn::title(claim, "from 1.5 s to 2 s"),
        drawn::flow_names(&run).into_iter().take(found.len()).collect(),
        "Mb/s",
        &[("here", &found)],
        &[(PRINTED, &expected)],
    );
    Ok(Finding::new(measured.into(), comparison.holds, note).drawn(figure).drawn(ends))
}

/// Fig. 9.
pub fn three_classes(claim: &Claim) -> Result<Finding, Trouble> {
    let run = as_it_stands(&runs::ecm_classes()?, |_| {})?;
    let end = run.plan.duration.as_secs_f64() * 1e3;
    let before = run.mbps(B, 250.0, START_MS);
    let late = |flow| run.mbps(flow, end - 500.0, end);
    let each: Vec<f64> = C.map(late).collect();
    let number = |key| expected_number(claim, key);
    let found = [vec![late(A0), before, late(B)], each.clone()].concat();
    let mut expected = vec![number("class_a0_mbps")?, number("class_b_before_mbps")?, number("class_b_after_mbps")?];
    expected.resize(20, number("class_c_each_mbps")?);
    let comparison = compare(claim, &found, &expected);
    let by_packets = run_with(&runs::ecm_classes()?, ENHANCED, "contributes = \"forwards\"", |_| {})?;
    let other: Vec<f64> = C.map(|flow| by_packets.mbps(flow, end - 500.0, end)).collect();
    let measured = json!({
        "class_a0_mbps": round(found[0]), "class_b_before_mbps": round(before), "class_b_after_mbps": round(found[2]),
        "class_c_each_mbps": rounded(&each), "class_c_flows": each.len(),
    });
    let worst = (0..20).max_by(|&a, &b| off(&found, &expected, a).total_cmp(&off(&found, &expected, b))).unwrap_or(0);
    let note = format!(
        "the last half second of {end:.0} ms; {} is {:.1} % off. \
         All but class A0 is measured, what class B has committed among it. The paper does not say when upstream contributes to congestion: \
         here when more than the advertised rate is forwarded, as in [dvsr]. If it is when a packet came by in the last \
         100 us, sources of 20 Mb/s, one packet in 400 us, are let go again and again and end up with {:.0} to {:.0} Mb/s",
        if worst < 3 { ["a0", "b before", "b after"][worst] } else { run.plan.flows[worst - 1].name.as_str() },
        off(&found, &expected, worst) * 100.0,
        other.iter().copied().fold(f64::INFINITY, f64::min),
        other.iter().copied().fold(0.0, f64::max)
    );
    let width = Span::from_millis(5);
    let curve = |flow: usize, name: &str| drawn::throughput(&run, flow, name, width, [0.0, end], 0.0);
    let first = format!("class C from node {}", run.plan.flows[C.start].from.0);
    let last = format!("class C from node {}", run.plan.flows[C.end - 1].from.0);
    let figure = Figure {
        title: drawn::title(claim, "three classes; class C starts at 500 ms"),
        x: "ms".to_owned(),
        y: "Mb/s in windows of 5 ms".to_owned(),
        curves: vec![curve(A0, "class A0"), curve(B, "class B"), curve(C.start, &first), curve(C.end - 1, &last)],
        ..Figure::default()
    };
    let figure = figure
        .with_point("the paper, class B before", (START_MS - 5.0, expected[1]))
        .with_point("the paper, in the end", (end - 5.0, expected[0]))
        .with_point("the paper, in the end", (end - 5.0, expected[2]))
        .with_point("the paper, in the end", (end - 5.0, expected[3]));
    Ok(Finding::new(measured, comparison.holds, note).drawn(figure))
}

fn off(found: &[f64], expected: &[f64], at: usize) -> f64 {
    (found[at] - expected[at]).abs() / expected[at]
}

/// The scenario of Fig. 9 with each shaper and with none.
pub fn shaping_needed(claim: &Claim) -> Result<Finding, Trouble> {
    let end = 2_000.0;
    let run = |shaper: Shaper| {
        as_it_stands(&runs::ecm_classes()?, |plan| {
            plan.duration = Span::from_millis(2_000);
            plan.transit.shaper = shaper;
        })
    };
    let [joint, add_only, none] = [run(Shaper::AddAndTransit)?, run(Shaper::AddOnly)?, run(Shaper::None)?];
    // The head of the congestion is node 17, or 18 where too much gets that far; 18 sends class A0 only.
    let head = C.end - 1;
    let starved = |run: &Run| run.starved(head, 20.11, START_MS, end);
    let rate = |run: &Run, flow| round(run.mbps(flow, START_MS, end));
    let dropped = |run: &Run| run.record.links.iter().map(|link| link.dropped).sum::<u64>();
    let mut measured = json!({
        "starved": { "shaper_on": round(starved(&joint)), "shaper_off": round(starved(&none)) },
    });
    for (name, run) in [("add_and_transit", &joint), ("add_only", &add_only), ("none", &none)] {
        measured[name] = json!({
            "starved": round(starved(run)),
            "node_17_mbps": rate(run, head), "class_a0_mbps": rate(run, A0), "class_b_mbps": rate(run, B),
            "stq_drops": dropped(run),
        });
    }
    let compared = |off: &Run, on: &Run| {
        let starved = [starved(off), starved(on)];
        let measured = json!({ "starved": { "shaper_on": round(starved[1]), "shaper_off": round(starved[0]) } });
        (measured, starved[0] > starved[1])
    };
    let (found, holds) = compared(&add_only, &joint);
    let not_joint = Reading::argued(
        "off is `shaped = \"add-only\"`: transit spends credits, and only added traffic waits for them",
        "sec. V-D blames credits that are spent at another rate than they build up, so there is a shaper; what it proposes \
         is to shape transit as well",
    )
    .found(found, holds);
    let (found, holds) = compared(&none, &add_only);
    let mut adopted = Reading::argued(
        "on is `shaped = \"add-only\"`, off is no shaper",
        "sec. I lets transit go before what a station adds, and so a shaper can hold only the latter",
    )
    .found(found, holds);
    let committed = joint.plan.flows[B].guaranteed.as_bps_f64() / 1e6;
    let class_b = add_only.mbps(B, START_MS, end);
    if class_b < committed {
        adopted = adopted.breaks(format!("Fig. 9: class B has {class_b:.1} of the {committed:.0} Mb/s committed"));
    }
    let note = format!(
        "part of 5 ms windows, from the start of class C to 2 s, with less than a tenth of 20.11 Mb/s for node 17. As \
         printed, off means no shaper at all: then up to 622 Mb/s reach node 18, which has 422 for them, and {} packets of \
         transit are lost; node 17 itself has a faster link and is better off. Where transit spends credits and is not held, \
         the first senders spend all of R, no queue of transit grows, and the law never learns that node 17 has {:.3} Mb/s",
        dropped(&none),
        add_only.mbps(head, START_MS, end),
    );
    let (_, holds) = compared(&none, &joint);
    let names = ["add and transit", "add only", "no shaper"].map(str::to_owned).to_vec();
    let values = [starved(&joint), starved(&add_only), starved(&none)];
    let title = drawn::title(claim, "how long node 17 starves");
    let figure = drawn::bars(title, names, "part of windows", &[("here", &values)], &[]);
    Ok(Finding::new(measured, holds, note).tried(not_joint).tried(adopted).drawn(figure))
}

/// The start of class C, as class A0 sees it.
pub fn class_a_delay(claim: &Claim) -> Result<Finding, Trouble> {
    let run = |from_ms: u64, to_ms: u64, part: f64| {
        as_it_stands(&runs::ecm_classes()?, |plan| {
            (plan.warmup, plan.duration) = (Span::from_millis(from_ms), Span::from_millis(to_ms));
            if let Some(Traffic { arrivals: Arrivals::Cbr { rate, .. }, .. }) = plan.flows[A0].offer.datagrams_mut() {
                *rate = rate.scaled(part);
            }
        })
    };
    let (calm, busy, with_room) = (run(0, 500, 1.0)?, run(500, 1_500, 1.0)?, run(500, 1_500, 0.95)?);
    let link = calm.plan.links[0][18];
    let packet = f64::from(calm.plan.flows[A0].offer.packet_bytes()) * 8e6 / calm.capacity();
    let fixed_us = link.delay.as_secs_f64() * 1e6 + packet;
    let wait = |ns: u64| ns as f64 / 1e3 - fixed_us;
    let of = |run: &Run| {
        let delay = run.record.flows[A0].delay;
        [delay.p50_ns, delay.p99_ns, delay.max_ns].map(wait)
    };
    let (before, after, roomy) = (of(&calm), of(&busy), of(&with_room));
    let rate = busy.mbps(A0, START_MS, 1_500.0);
    let limit = claim.tolerance.get("wait_us").and_then(number).ok_or("no wait_us in the catalogue")?;
    let near = claim.tolerance.get("rate_rel").and_then(number).ok_or("no rate_rel in the catalogue")?;
    let wanted = expected_number(claim, "rate_mbps")?;
    let later = before.iter().zip(&after).map(|(before, after)| after - before).fold(0.0, f64::max);
    let holds = (rate - wanted).abs() <= near * wanted && later <= limit && roomy[2] <= limit;
    let measured = json!({
        "rate_mbps": round(rate),
        "wait_us_p50_p99_max": {
            "before_class_c": rounded(&before), "after": rounded(&after), "after_at_95_percent": rounded(&roomy),
        },
    });
    let note = "from source to egress less propagation and transmission, to two digits of the whole. A source that sends \
                exactly what is reserved never gets back the time of a wait for its tokens, before class C starts as after; \
                at 95 % of the reservation what is left is the wait for the link";
    Ok(Finding::new(measured, holds, note))
}

/// A reservation that nobody uses, for each class, under a greedy class C.
pub fn reclaim(claim: &Claim) -> Result<Finding, Trouble> {
    let class_c = |class: &str| -> Result<f64, Trouble> {
        let text = format!(
            "schema = 1\n[run]\nduration = \"300 ms\"\nwarmup = \"100 ms\"\nwindow = \"5 ms\"\n[ring]\nstations = 6\n\
             capacity = \"622 Mb/s\"\nspan-delay = \"0.2 ms\"\nlaw = {{ name = \"{ENHANCED}\" }}\n\
             transit = {{ buffer = \"256 kB\" }}\n\
             [[flow]]\nname = \"reserved\"\nfrom = 1\nto = 2\nringlet = 0\nclass = \"{class}\"\nmin-rate = \"200 Mb/s\"\n\
             start = \"299 ms\"\ntraffic = {{ kind = \"cbr\", rate = \"200 Mb/s\", packet = \"978 B\" }}\n\
             [[flow]]\nname = \"greedy\"\nfrom = 0\nto = 2\nringlet = 0\ntraffic = {{ kind = \"greedy\", packet = \"978 B\" }}\n"
        );
        let scenario = Scenario::parse("reclaim", &text).map_err(|errors| errors.to_string())?;
        Ok(as_it_stands(&scenario, |_| {})?.mbps(1, 100.0, 300.0))
    };
    let (mut measured, mut holds) = (serde_json::Map::new(), true);
    for (class, left) in [("A0", 422.0), ("A1", 622.0), ("B", 622.0)] {
        let rate = class_c(class)?;
        holds &= compare(claim, &[rate], &[left]).holds;
        measured.insert(format!("class_c_mbps_while_{class}_is_idle"), json!(round(rate)));
    }
    let note =
        "200 Mb/s of a 622 Mb/s link reserved (A0, A1) or committed (B) and left idle, with one greedy class C flow";
    Ok(Finding::new(measured.into(), holds, note))
}

/// Twenty stations, three values of α.
pub fn alpha_scaling(claim: &Claim) -> Result<Finding, Trouble> {
    let over = |alpha: u32| -> Result<[f64; 2], Trouble> {
        let run = run_with(&runs::ecm_twenty_stations()?, ENHANCED, &format!("alpha = {alpha}"), |_| {})?;
        let rows = |from: usize, to: usize| {
            let links = run.record.links.iter().filter(|link| link.ringlet.index() == 0 && link.station.0 < 19);
            let rows: Vec<u32> = links.flat_map(|link| link.deepest_bytes[from..to].to_vec()).collect();
            rows.iter().filter(|&&deepest| deepest > 64_000).count() as f64 / rows.len() as f64
        };
        Ok([rows(0, 4_000), rows(3_000, 4_000)])
    };
    let parts = [64, 128, 256].map(over).into_iter().collect::<Result<Vec<_>, _>>()?;
    let [all, late] = [0, 1].map(|which| parts.iter().map(|part| part[which]).collect::<Vec<f64>>());
    let holds = all.windows(2).all(|pair| pair[1] < pair[0]);
    let measured = json!({
        "alpha": [64, 128, 256], "part_of_time_over_high": rounded(&all), "in_fourth_second": rounded(&late),
    });
    let note = "19 greedy senders in a row, spans of 0.2 ms: stations and milliseconds with a queue above 64 kB in 4 s, and \
                in the last of them. Nearly all of it belongs to the start, when everybody sends at full rate and the 8 \
                packets of 100 us cannot show 19 active stations; rows 5 and 7, which do without α, end it. Once settled, \
                queues stay low at every α";
    let names = ["64", "128", "256"].map(str::to_owned).to_vec();
    let title = drawn::title(claim, "how long queues are above their high mark");
    let figure =
        drawn::bars(title, names, "part of stations and ms", &[("in 4 s", &all), ("in the last of them", &late)], &[]);
    let figure = Figure { x: "alpha".to_owned(), ..figure };
    Ok(Finding::new(measured, holds, note).drawn(figure))
}
