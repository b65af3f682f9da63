//! What laws make of many random networks, as figures. `FAIRWIRE_NETWORKS` says how many, `FAIRWIRE_LAW` which law.

use crate::rate_laws::world::measures::{Run, quantile, run};
use crate::rate_laws::world::random::{Draw, Trial};
use fairwire_laws::rate::{FirstRate, RateLawChoice};

/// So many networks, or as many as `FAIRWIRE_NETWORKS` says.
pub fn networks(usual: u64) -> u64 {
    std::env::var("FAIRWIRE_NETWORKS").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// Runs the law on networks `first` and those after it, on two threads; in order.
pub fn runs(law: &RateLawChoice, draw: &Draw, first: u64, count: u64) -> Vec<Run> {
    let of = |parity: u64| {
        (first..first + count).filter(move |seed| seed % 2 == parity).map(|seed| run(law, &Trial::draw(seed, draw)))
    };
    let (even, odd) = std::thread::scope(|scope| {
        let odd = scope.spawn(move || of(1).collect::<Vec<_>>());
        (of(0).collect::<Vec<_>>(), odd.join().expect("no run panics"))
    });
    let (mut even, mut odd) = (even.into_iter(), odd.into_iter());
    (first..first + count).filter_map(|seed| if seed % 2 == 0 { even.next() } else { odd.next() }).collect()
}

/// The figures of these runs, in words.
pub fn figures(runs: &[Run]) -> String {
    let phases = || runs.iter().flat_map(|run| &run.phases);
    let many = |value: &dyn Fn(&Run) -> f64| {
        let mut values: Vec<f64> = runs.iter().map(value).collect();
        format!(
            "{:.4} {:.4} {:.4}",
            quantile(&mut values, 0.5),
            quantile(&mut values, 0.95),
            quantile(&mut values, 1.0)
        )
    };
    let loops = |falls: Option<bool>| {
        let kept = phases().filter(|phase| falls.is_none_or(|falls| phase.falls == falls));
        let mut values: Vec<f64> = kept.map(|phase| phase.loops).collect();
        let of = values.len();
        if of == 0 {
            return "none".to_owned();
        }
        format!(
            "{of}: {:.2} {:.2} {:.2}",
            quantile(&mut values, 0.5),
            quantile(&mut values, 0.95),
            quantile(&mut values, 1.0)
        )
    };
    let mut ms: Vec<f64> = phases().map(|phase| phase.seconds * 1e3).collect();
    let mut off: Vec<f64> = phases().map(|phase| phase.off).collect();
    let wrong: Vec<usize> =
        (0..runs.len()).filter(|at| runs[*at].phases.iter().any(|phase| phase.off > 1e-6)).collect();
    let beyond = |run: &Run| {
        run.phases.iter().filter(|phase| !phase.falls).map(|phase| phase.beyond_flows).max().unwrap_or(0) as f64
    };
    let mut longest: Vec<(i64, usize)> = runs.iter().enumerate().map(|(at, run)| (-beyond(run) as i64, at)).collect();
    longest.sort_unstable();
    let longest: Vec<(usize, i64)> = longest.into_iter().take(8).map(|(beyond, at)| (at, -beyond)).collect();
    format!(
        "networks {}, not exact {} {:?}; off p95 {:.2e} max {:.2e}\nloops, all {}\nloops, no fall {}\nloops, fall {}\n\
         ms p50 p95 {:.3} {:.3}\nqueue beyond flows {}, the longest {longest:?}\nlongest {}\ndropped {} in {}, refused {}\ncontrol {}",
        runs.len(),
        wrong.len(),
        &wrong[..wrong.len().min(12)],
        quantile(&mut off, 0.95),
        quantile(&mut off, 1.0),
        loops(None),
        loops(Some(false)),
        loops(Some(true)),
        quantile(&mut ms, 0.5),
        quantile(&mut ms, 0.95),
        many(&beyond),
        many(&|run| run.phases.iter().map(|phase| phase.longest).max().unwrap_or(0) as f64),
        runs.iter().map(|run| run.dropped).sum::<usize>(),
        runs.iter().filter(|run| run.dropped > 0).count(),
        runs.iter().map(|run| run.refused).sum::<usize>(),
        many(&|run| run.control),
    )
}

#[test]
#[ignore = "prints figures, for as long as it takes"]
fn figures_of_a_law() {
    let text = std::env::var("FAIRWIRE_LAW").unwrap_or_else(|_| "name = \"wmfqc\"\nqueue-control = false".to_owned());
    let law: RateLawChoice = toml::from_str(&text).expect("the law is well written");
    let number = |name: &str, usual: f64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let draw = Draw {
        most_flows: number("FAIRWIRE_FLOWS", 200.0) as usize,
        fall: number("FAIRWIRE_FALL", 0.0),
        control_loss: number("FAIRWIRE_LOSS", 0.0),
        loops: number("FAIRWIRE_LOOPS", 50.0) as u64,
        first: match std::env::var("FAIRWIRE_FIRST_RATE").as_deref() {
            Ok("peak") => FirstRate::Peak,
            Ok("minimum") => FirstRate::Minimum,
            _ => FirstRate::Ask,
        },
        ..Default::default()
    };
    println!("{}", figures(&runs(&law, &draw, number("FAIRWIRE_FIRST", 0.0) as u64, networks(100))));
}
