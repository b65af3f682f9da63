//! What sources offer, measured where it arrives: over a wire so fast that every
//! packet arrives a fixed time after it was made, in rows of a microsecond.

use crate::common::{cbr, flow, law, ring, ring_of, run, traffic};
use fairwire_core::{BitRate, Bytes, Instant, Ringlet, Span, StationId};
use fairwire_laws::ring::Datapath;
use fairwire_plan::*;

const MEAN_US: f64 = 200.0;

/// 1000 bytes every 200 us in the mean.
const RATE: BitRate = BitRate::from_mbps(40);

fn transparent(flows: Vec<FlowPlan>, seconds: f64) -> RingPlan {
    let mut plan = ring_of(2, BitRate::from_mbps(1_000_000), Span::from_millis(1));
    plan.window = Span::from_micros(1);
    plan.duration = Span::from_secs_f64(seconds);
    plan.flows = flows;
    plan
}

/// Row numbers of all packets, for sources with less than a packet a microsecond.
fn arrival_rows(flow: &FlowRecord) -> Vec<f64> {
    flow.delivered_bytes.iter().enumerate().filter(|(_, bytes)| **bytes > 0).map(|(row, _)| row as f64).collect()
}

fn intervals(arrivals: Arrivals, seconds: f64) -> Vec<f64> {
    let record = run(&transparent(vec![flow(0, 1, arrivals)], seconds), &law("fifo"));
    arrival_rows(&record.flows[0]).windows(2).map(|pair| pair[1] - pair[0]).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

/// Largest distance between the sample's distribution and `cdf`, times √n.
fn kolmogorov(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let distance = sample.iter().enumerate().map(|(i, &x)| {
        let (below, above) = (i as f64 / n, (i as f64 + 1.0) / n);
        (cdf(x) - below).abs().max((cdf(x) - above).abs())
    });
    distance.fold(0.0, f64::max) * n.sqrt()
}

/// At 1.95 a sample of the right distribution fails once in a thousand seeds.
const KOLMOGOROV: f64 = 1.95;

#[test]
fn poisson_intervals_are_exponential_and_uncorrelated() {
    let sample = intervals(Arrivals::Poisson { rate: RATE }, 4.0);
    let n = sample.len() as f64;
    assert!((n - 20_000.0).abs() < 4.0 * 20_000f64.sqrt(), "{n} packets");
    assert!((mean(&sample) / MEAN_US - 1.0).abs() < 4.0 / n.sqrt(), "{}", mean(&sample));
    // The variance of an exponential sample's variance is 8 µ⁴ / n.
    assert!((variance(&sample) / MEAN_US.powi(2) - 1.0).abs() < 4.0 * (8.0 / n).sqrt(), "{}", variance(&sample));
    let lag: Vec<f64> = sample.windows(2).map(|pair| (pair[0] - MEAN_US) * (pair[1] - MEAN_US)).collect();
    assert!((mean(&lag) / variance(&sample)).abs() < 4.0 / n.sqrt(), "{}", mean(&lag));
    let exponential = |x: f64| 1.0 - (-(x.max(0.0)) / MEAN_US).exp();
    // Rows round to a microsecond, 0.5 % of the mean, which √n magnifies; spread it out again.
    let smooth: Vec<f64> =
        sample.iter().enumerate().map(|(i, x)| x + (i * 618 % 1_000) as f64 / 1_000.0 - 0.5).collect();
    let distance = kolmogorov(smooth, exponential);
    assert!(distance < KOLMOGOROV, "{distance}");
}

#[test]
fn jittered_intervals_are_uniform_around_the_mean_and_never_drift() {
    for jitter in [0.1, 0.5, 1.0] {
        let arrivals = Arrivals::Cbr { rate: RATE, jitter };
        let sample = intervals(arrivals, 2.0);
        let (least, most) = (MEAN_US * (1.0 - jitter), MEAN_US * (1.0 + jitter));
        assert!(sample.iter().all(|x| (least - 1.0..=most + 1.0).contains(x)), "{jitter}");
        let spread = MEAN_US * jitter / 3f64.sqrt(); // of the uniform distribution
        let n = sample.len() as f64;
        assert!((mean(&sample) - MEAN_US).abs() < 4.0 * spread / n.sqrt(), "{jitter}: {}", mean(&sample));
        assert!((variance(&sample).sqrt() / spread - 1.0).abs() < 0.03, "{jitter}: {}", variance(&sample).sqrt());
        let smooth = sample.iter().enumerate().map(|(i, x)| x + (i * 618 % 1_000) as f64 / 1_000.0 - 0.5).collect();
        let distance = kolmogorov(smooth, |x| ((x - least) / (most - least)).clamp(0.0, 1.0));
        assert!(distance < KOLMOGOROV, "{jitter}: {distance}");
    }
}

#[test]
fn without_jitter_the_clock_is_exact() {
    // 1000 bytes at 37 Mb/s take 216216.2 ns: by 8 s that is 37,000 packets to the last one.
    let mut plan = ring_of(2, BitRate::from_mbps(1_000_000), Span::from_millis(1));
    plan.flows = vec![flow(0, 1, crate::common::cbr(37_000_000))];
    plan.flows[0].stop = Instant::from_nanos(8_000_000_000);
    plan.duration = Span::from_secs_f64(9.0);
    assert_eq!(run(&plan, &law("fifo")).flows[0].offered, 37_000);
    plan.flows[0].stop = Instant::from_nanos(8_000_000_001);
    assert_eq!(run(&plan, &law("fifo")).flows[0].offered, 37_001);
}

/// Eight micro-flows of a station are sources of their own, more are one crowd.
#[test]
fn many_micro_flows_offer_so_many_times_what_one_does() {
    let offered = |micro_flows| {
        let flows = vec![FlowPlan { micro_flows, ..flow(0, 1, cbr(10_000_000)) }];
        run(&transparent(flows, 0.1), &law("fifo")).flows[0].offered
    };
    let one = offered(1);
    assert!(one > 100);
    assert_eq!([8, 9, 20].map(offered), [8 * one, 9 * one, 20 * one]);
}

#[test]
fn jittered_sizes_are_uniform_and_within_range() {
    let arrivals = Arrivals::Cbr { rate: RATE, jitter: 0.0 };
    let mut source = flow(0, 1, arrivals);
    traffic(&mut source).size_jitter = 0.05;
    let record = run(&transparent(vec![source], 4.0), &law("fifo"));
    let sizes: Vec<f64> =
        record.flows[0].delivered_bytes.iter().filter(|bytes| **bytes > 0).map(|&bytes| f64::from(bytes)).collect();
    assert!(sizes.iter().all(|size| (950.0..=1_050.0).contains(size)));
    let mut seen = [0u32; 101];
    sizes.iter().for_each(|size| seen[(size - 950.0) as usize] += 1);
    let due = sizes.len() as f64 / 101.0;
    let chi_square: f64 = seen.iter().map(|&count| (f64::from(count) - due).powi(2) / due).sum();
    // 100 degrees of freedom: above 149 once in a thousand seeds.
    assert!(chi_square < 149.0, "{chi_square}");
}

#[test]
fn the_rate_holds_for_every_kind_and_any_size_jitter() {
    for size_jitter in [0.0, 0.5] {
        for arrivals in [
            crate::common::cbr(RATE.as_bps()),
            Arrivals::Cbr { rate: RATE, jitter: 0.7 },
            Arrivals::Poisson { rate: RATE },
            on_off(2.9, 20.0, 30.0),
        ] {
            let mut source = flow(0, 1, arrivals);
            traffic(&mut source).size_jitter = size_jitter;
            let seconds = 20.0;
            let mut plan = transparent(vec![source], seconds);
            plan.window = Span::from_millis(10);
            let got = crate::common::rate_bps(&run(&plan, &law("fifo")), 0);
            let due = arrivals.mean_rate().unwrap().as_bps_f64();
            assert!((got / due - 1.0).abs() < 0.02, "{arrivals:?}: {got} where {due} is due");
        }
    }
}

/// Mean lengths in packets at the peak of 100 Mb/s, 80 us each.
fn on_off(shape: f64, on: f64, off: f64) -> Arrivals {
    Arrivals::ParetoOnOff {
        peak: BitRate::from_mbps(100),
        mean_on: Span::from_secs_f64(on * 80e-6),
        mean_off: Span::from_secs_f64(off * 80e-6),
        shape,
    }
}

/// On periods of few packets each: counting a packet at each period's start whatever
/// was left of the last interval would offer half a packet a period too much.
#[test]
fn short_on_periods_do_not_raise_the_mean_rate() {
    for on in [0.5, 1.0, 3.0] {
        let arrivals = on_off(2.5, on, on);
        let mut plan = transparent(vec![flow(0, 1, arrivals)], 20.0);
        plan.window = Span::from_millis(10);
        let got = crate::common::rate_bps(&run(&plan, &law("fifo")), 0);
        assert!((got / 50e6 - 1.0).abs() < 0.02, "{on} packets a period: {got} b/s");
    }
}

#[test]
fn pareto_periods_have_the_duty_cycle_and_the_tail_of_their_shape() {
    let shape = 1.5;
    let (on, off) = (100.0, 300.0);
    let record = run(&transparent(vec![flow(0, 1, on_off(shape, on, off))], 10.0), &law("fifo"));
    let rows = arrival_rows(&record.flows[0]);
    let mut silences = Vec::new();
    let mut lengths = vec![1.0];
    for pair in rows.windows(2) {
        match pair[1] - pair[0] {
            gap if gap > 100.0 => {
                silences.push((gap - 80.0) / 80.0);
                lengths.push(1.0);
            }
            gap => {
                assert!((79.0..=81.0).contains(&gap), "while on, packets come every 80 us, not {gap}");
                *lengths.last_mut().unwrap() += 1.0;
            }
        }
    }
    // Infinite variance: the means are rough, the quantiles are not.
    let periods = silences.len() as f64;
    assert!((150.0..=600.0).contains(&periods), "{periods} periods of 32 ms in 10 s");
    let scale = |mean: f64| mean * (shape - 1.0) / shape;
    let pareto = |mean: f64| move |x: f64| if x <= scale(mean) { 0.0 } else { 1.0 - (scale(mean) / x).powf(shape) };
    let far = kolmogorov(silences, pareto(off));
    assert!(far < KOLMOGOROV, "off periods: {far}");
    lengths.pop();
    let spread: Vec<f64> =
        lengths.iter().enumerate().map(|(i, x)| x + (i * 618 % 1_000) as f64 / 1_000.0 - 0.5).collect();
    let far = kolmogorov(spread, pareto(on));
    assert!(far < KOLMOGOROV, "on periods: {far}");
}

/// What one source draws does not hang on which others there are, nor on their order.
#[test]
fn streams_go_by_the_flows_name() {
    let named = |name: &str, ringlet, from: u16| FlowPlan {
        name: name.to_owned(),
        ringlet,
        from: StationId(from),
        to: StationId(1 - from),
        ..flow(0, 1, Arrivals::Poisson { rate: RATE })
    };
    let [zero, one] = Ringlet::BOTH;
    let (a, b, c) = (named("a", zero, 0), named("b", zero, 0), named("c", one, 1));
    let rows = |flows: Vec<FlowPlan>, at: usize| {
        run(&transparent(flows, 0.05), &law("fifo")).flows.swap_remove(at).delivered_bytes
    };
    let alone = rows(vec![a.clone()], 0);
    assert_eq!(alone, rows(vec![c.clone(), a.clone()], 1));
    assert_eq!(alone, rows(vec![a.clone(), c], 0));
    let renamed = rows(vec![FlowPlan { name: "b".to_owned(), ..a.clone() }], 0);
    assert_ne!(alone, renamed);
    assert_eq!(renamed, rows(vec![b], 0));
    // Two streams that shared draws would coincide far more often than by chance.
    let both = alone.iter().zip(&renamed).filter(|(x, y)| **x > 0 && **y > 0).count();
    assert!(both < 12, "{both} of about 250 packets coincide; chance gives 1 or 2");
}

/// Sources of one station that make packets at the same nanoseconds, where one queue takes a packet of either: the order in
/// which they are declared gives nobody bandwidth.
#[test]
fn whoever_is_declared_first_has_nothing_of_it() {
    let datapaths = [Datapath::Merged, Datapath::TransitFirst, Datapath::DualQueue];
    let queues = [StationQueues::Single, StationQueues::PerDestination];
    for (datapath, station_queues) in datapaths.into_iter().flat_map(|datapath| queues.map(|queues| (datapath, queues)))
    {
        let mut plan = RingPlan {
            duration: Span::from_millis(200),
            station_queues,
            station_buffer: Bytes::new(20_000),
            flows: [2, 3, 4].map(|to| flow(0, to, cbr(622_000_000))).into(),
            ..ring(6)
        };
        plan.transit = TransitPlan { datapath, primary_buffer: Bytes::new(30_000), ..plan.transit };
        let record = run(&plan, &law("fifo"));
        let rates: Vec<f64> = record.flows.iter().map(|flow| flow.measured_bytes as f64).collect();
        let mean = rates.iter().sum::<f64>() / 3.0;
        assert!(
            rates.iter().all(|rate| (rate / mean - 1.0).abs() < 0.05),
            "{datapath:?}, {station_queues:?}: {rates:?}"
        );
    }
}
