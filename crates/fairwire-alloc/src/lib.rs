//! Who gets how much bandwidth, and why.
//!
//! A [`Problem`] is a set of links, and flows with a route, a demand and a
//! weight. [`solve`] computes the fair rates under a [`Criterion`], says for
//! every flow what holds it back, and whether those rates are the only fair
//! ones. [`check`] decides, with code of its own, whether given rates are
//! fair. All rates are in bit/s.
//!
//! The crate is a pure function of its input: no input or output, no clock,
//! no random numbers.
//!
//! ```
//! use fairwire_alloc::{Criterion, Flow, Link, Problem, check, solve};
//!
//! let problem = Problem {
//!     nodes: vec!["a".into(), "b".into(), "c".into()],
//!     ingress_weights: vec![1.0; 3],
//!     links: vec![
//!         Link { id: "ab".into(), capacity_bps: 10e6 },
//!         Link { id: "bc".into(), capacity_bps: 4e6 },
//!     ],
//!     flows: vec![
//!         Flow { id: "long".into(), ingress: 0, egress: 2, route: vec![0, 1], demand_bps: f64::INFINITY, weight: 1.0 },
//!         Flow { id: "short".into(), ingress: 0, egress: 1, route: vec![0], demand_bps: f64::INFINITY, weight: 1.0 },
//!     ],
//! };
//! let fair = solve(&problem, Criterion::MaxMin)?;
//! let rates: Vec<f64> = fair.flows.iter().map(|flow| flow.rate_bps).collect();
//! assert_eq!(rates, [4e6, 6e6]);
//! check(&problem, Criterion::MaxMin, &rates, 1e-9).expect("the solver's answer is fair");
//! # Ok::<(), fairwire_alloc::AllocError>(())
//! ```

mod allocation;
mod arrays;
mod check;
mod criterion;
mod error;
mod explain;
mod fairness;
mod general_weighted;
mod incidence;
mod ingress_egress;
mod interrupt;
mod iterative;
mod live;
mod one_resource;
mod problem;
mod promises;
mod proportional;
mod rias;
mod ring_arrays;
mod sensitivity;
mod solve;
mod terms;
pub mod text;
mod water_filling;
mod what_if;

pub use allocation::{Allocation, FlowRate, Limit, LinkLoad, Rates, Sharer, Uniqueness};
pub use arrays::{Arrays, MaxMin};
pub use check::{Violation, check, check_with_terms};
pub use criterion::Criterion;
pub use error::AllocError;
pub use fairness::jain_index;
pub use interrupt::{Heeded, Interrupt};
pub use live::{LiveFlow, LiveProblem, Precision, Update};
pub use one_resource::max_min_shares;
pub use problem::{Flow, LARGEST_WEIGHT, LEAST_WEIGHT, Link, Problem, is_weight};
pub use ring_arrays::{RingArrays, RingMaxMin};
pub use sensitivity::{Sensitivity, sensitivities, sensitivity};
pub use solve::{solve, solve_rates, solve_rates_with_terms, solve_with_terms};
pub use terms::{Ceiling, Terms, is_promise};
pub use what_if::{Change, FlowOutcome, Holder, LinkOutcome, WhatIf, what_if};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
