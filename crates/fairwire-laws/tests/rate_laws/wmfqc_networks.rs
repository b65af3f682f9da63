//! WMFQC on random networks: whatever changes, rates come to what is fair. Flows ask first, as those whose minimum is next
//! to nothing would else send their first control packet late.

use crate::world::measures::{Run, quantile, run};
use crate::world::random::{Draw, Trial};
use fairwire_laws::rate::{RateLawChoice, wmfqc};

fn without_queue_control() -> RateLawChoice {
    RateLawChoice::wmfqc(wmfqc::Params { queue_control: false, ..Default::default() })
}

fn is_exact(networks: u64, draw: Draw) {
    let mut loops = Vec::new();
    for seed in 0..networks {
        let Run { phases, .. } = run(&without_queue_control(), &Trial::draw(seed, &draw));
        for (at, phase) in phases.iter().enumerate() {
            assert!(phase.off <= 1e-6, "network {seed}, phase {at}: {phase:?}");
            loops.push(phase.loops);
        }
    }
    println!("loops to 1 %: median {:.2}, 95 % {:.2}", quantile(&mut loops, 0.5), quantile(&mut loops, 0.95));
}

#[test]
fn exact_before_every_next_change() {
    is_exact(40, Draw { most_flows: 24, loops: 20, ..Default::default() });
}

#[test]
#[ignore = "takes minutes"]
fn exact_on_two_hundred_networks() {
    is_exact(200, Draw { most_flows: 40, ..Default::default() });
}
