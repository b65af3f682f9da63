//! Proportional fairness where prices run into zero just as flows reach their demands.

use fairwire_alloc::{Criterion, Flow, Link, Problem, check, solve_rates};

/// Fifteen flows over nine links: Newton's direction alone leads nowhere here.
#[test]
fn prices_that_run_into_zero_do_not_stop_the_search() {
    let inf = f64::INFINITY;
    let capacities =
        [9.89309927, 8.02469238, 9.2444554, 9.02805476, 5.74677017, 9.22388053, 4.16290221, 2.15731942, 4.99952687];
    let flows: [(f64, f64, &[usize]); 15] = [
        (0.99980132, 8.0, &[7, 0, 1, 6, 5, 4]),
        (inf, 1.0, &[2, 7]),
        (1.46167, 8.0, &[1, 0]),
        (2.02433652, 8.0, &[0, 2, 5, 3, 8, 4]),
        (inf, 4.0, &[1]),
        (1.93605712, 1.0, &[5, 8, 0]),
        (inf, 8.0, &[3, 1, 6]),
        (2.43566472, 1.0, &[8, 4]),
        (1.74449836, 4.0, &[3, 6, 5, 4, 0]),
        (inf, 1.0, &[1, 3, 2, 6, 0]),
        (2.74053898, 4.0, &[4, 8, 0, 1]),
        (2.66739696, 4.0, &[2]),
        (inf, 4.0, &[5, 4, 0, 6, 3, 2]),
        (inf, 8.0, &[1, 2, 3]),
        (inf, 2.0, &[7]),
    ];
    let flow = |(number, (demand_bps, weight, route)): (usize, (f64, f64, &[usize]))| Flow {
        id: number.to_string(),
        ingress: 0,
        egress: 1,
        route: route.to_vec(),
        demand_bps,
        weight,
    };
    let problem = Problem {
        nodes: vec!["in".to_owned(), "out".to_owned()],
        ingress_weights: vec![1.0; 2],
        links: (0..)
            .zip(capacities)
            .map(|(id, capacity_bps): (u32, f64)| Link { id: id.to_string(), capacity_bps })
            .collect(),
        flows: flows.into_iter().enumerate().map(flow).collect(),
    };
    let rates = solve_rates(&problem, Criterion::Proportional).expect("solvable").rates_bps;
    check(&problem, Criterion::Proportional, &rates, 1e-9).expect("proportionally fair");
}
