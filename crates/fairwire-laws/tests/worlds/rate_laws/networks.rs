//! Laws that promise exact rates, on random networks: whatever changes, rates come to what is fair before the next change.
//! `FAIRWIRE_NETWORKS` says on how many.

use crate::rate_laws::measured::{networks, runs};
use crate::rate_laws::world::measures::{Run, quantile, run};
use crate::rate_laws::world::random::{Draw, Trial};
use fairwire_laws::rate::{FirstRate, RateLawChoice};

fn law(name: &str) -> RateLawChoice {
    RateLawChoice::by_name(name).expect("there is such a law")
}

fn few() -> Draw {
    Draw { most_flows: 24, ..Draw::default() }
}

/// All runs, each of which is exact before every change.
#[track_caller]
fn exact(name: &str, draw: &Draw, usual: u64) -> Vec<Run> {
    let runs = runs(&law(name), draw, 0, networks(usual));
    for (network, run) in runs.iter().enumerate() {
        for (phase, outcome) in run.phases.iter().enumerate() {
            assert!(outcome.off <= 1e-6, "{name}, network {network}, phase {phase}: {outcome:?}");
        }
    }
    runs
}

fn of_phases(runs: &[Run], value: impl Fn(&crate::rate_laws::world::measures::Outcome) -> f64, part: f64) -> f64 {
    let mut values: Vec<f64> = runs.iter().flat_map(|run| &run.phases).map(value).collect();
    quantile(&mut values, part)
}

#[test]
fn wmfqc_with_queue_control_is_exact() {
    exact("wmfqc", &few(), 10);
}

#[test]
fn wmfqc_is_exact_when_control_packets_are_lost() {
    exact("wmfqc", &Draw { control_loss: 0.05, ..few() }, 5);
}

#[test]
fn s_perc_is_exact_without_flow_state() {
    exact("s-perc", &few(), 8);
}

#[track_caller]
fn s_perc_is_exact_on(networks: [u64; 3]) {
    for network in networks {
        let [run] = &runs(&law("s-perc"), &few(), network, 1)[..] else { panic!("one network is one run") };
        assert!(run.phases.iter().all(|phase| phase.off <= 1e-6), "network {network}: {run:?}");
    }
}

/// In these a flow is told next to nothing while others move, and would not be heard again in time by its own rate.
#[test]
fn s_perc_is_exact_where_flows_are_slow_for_a_while() {
    s_perc_is_exact_on([658, 857, 886]);
}

/// In these a flow ends while states are under way that are not what its last packet tells.
#[test]
fn s_perc_is_exact_where_flows_end_in_doubt() {
    s_perc_is_exact_on([687, 877, 984]);
}

/// Ports keep nothing of flows, and cannot know what a lost packet has told whom: docs/laws/s-perc.md has the figure.
#[test]
fn s_perc_mostly_heals_when_control_packets_are_lost() {
    let runs = runs(&law("s-perc"), &Draw { control_loss: 0.05, ..few() }, 0, networks(10));
    let phases: Vec<f64> = runs.iter().flat_map(|run| &run.phases).map(|phase| phase.off).collect();
    let exact = phases.iter().filter(|off| **off <= 1e-6).count();
    let whole = runs.iter().filter(|run| run.phases.iter().all(|phase| phase.off <= 1e-6)).count();
    println!("{exact} of {} changes end exactly, and all changes in {whole} of {} networks", phases.len(), runs.len());
    assert!(exact * 10 >= phases.len() * 8, "{exact} of {}", phases.len());
}

#[test]
fn wmfqc_plus_is_exact_and_quick_and_queues_stay_short() {
    let runs = exact("wmfqc-plus", &few(), 10);
    let loops = of_phases(&runs, |phase| phase.loops, 0.95);
    assert!(loops <= 2.5, "{loops}");
    let mut beyond = Vec::new();
    for (network, run) in runs.iter().enumerate() {
        assert_eq!(run.dropped, 0, "network {network}");
        beyond.extend(
            run.phases
                .iter()
                .filter(|phase| !phase.falls)
                .map(|phase| phase.beyond_flows)
                .max()
                .map(|most| most as f64),
        );
    }
    // One network of twenty, or one if there are fewer; one of a thousand has 30.
    let longer = beyond.iter().filter(|beyond| **beyond > 4.0).count();
    let most = quantile(&mut beyond, 1.0);
    assert!(longer * 20 <= beyond.len().max(20) && most <= 32.0, "{longer} of {}, at most {most}", beyond.len());
    let control = runs.iter().map(|run| run.control).sum::<f64>() / runs.len() as f64;
    assert!(control <= 0.06, "{control}");
}

#[test]
fn wmfqc_plus_takes_less_than_half_the_time_of_wmfqc_as_published() {
    let count = networks(6);
    let published = runs(&law("wmfqc"), &Draw { first: FirstRate::Peak, ..few() }, 0, count);
    let plus = runs(&law("wmfqc-plus"), &few(), 0, count);
    let [published, plus] = [published, plus].map(|runs| of_phases(&runs, |phase| phase.seconds, 0.95));
    assert!(plus <= 0.5 * published, "{plus} s, {published} s");
}

#[test]
fn wmfqc_plus_heals_when_control_packets_are_lost() {
    exact("wmfqc-plus", &Draw { control_loss: 0.05, ..few() }, 6);
}

/// Falls by up to 80 %, with buffers of one loop at the link's rate.
#[test]
fn wmfqc_plus_loses_nothing_when_bandwidth_falls() {
    let draw = Draw { fall: 0.8, ..few() };
    let law = law("wmfqc-plus");
    let mut falls = 0;
    for network in 0..networks(8) {
        let mut trial = Trial::draw(network, &draw);
        let longest_s = trial.phases.iter().map(|phase| phase.turn.as_secs_f64()).fold(0.0, f64::max);
        let bits = f64::from(trial.plan.flows[0].sending.packet_bytes) * 8.0;
        for port in &mut trial.plan.ports {
            port.buffer = (port.capacity_bps as f64 * longest_s / bits) as u32 + trial.plan.flows.len() as u32;
        }
        let run = run(&law, &trial);
        assert_eq!(run.dropped, 0, "network {network}");
        for phase in &run.phases {
            assert!(phase.off <= 1e-6, "network {network}: {phase:?}");
            falls += usize::from(phase.falls);
        }
    }
    assert!(falls >= 2);
}
