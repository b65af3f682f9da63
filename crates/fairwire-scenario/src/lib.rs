//! Scenario files: TOML in, a validated [`Scenario`] out, and every mistake
//! with its line and what to write instead.
//!
//! One validator serves every front. It is handed text and never reads a file.
//!
//! | folder | holds |
//! | --- | --- |
//! | `reading` | text to tables: values with their places, mistakes with their mends |
//! | `ring`, `network`, `flow`, `expect`, `sweep` | the tables of the format |
//! | `schema` | the same as JSON schema |
//! | `into` | what a scenario is turned into: a problem, a plan, fair rates, a file without gaps |
//! | `proposal` | *what if*: a changed scenario |
//! | `answer` | fair rates, and what a proposal would do, as programs get them |
//!
//! ```
//! use fairwire_scenario::Scenario;
//!
//! let text = r#"
//! schema = 1
//!
//! [ring]
//! stations = 10
//! capacity = "622 Mb/s"
//! span-delay = "0.1 ms"
//! law = { name = "dvsr" }
//!
//! [[flow]]
//! name = "to-hub"
//! from = [1, 2, 3, 4]
//! to = 5
//! "#;
//! let scenario = Scenario::parse("parking-lot.toml", text)?;
//! assert_eq!(scenario.flows()[3].name, "to-hub-4");
//! assert_eq!(scenario.problem().links[4].id, "r0:4");
//! assert!(scenario.ring_plan(0).is_some());
//!
//! let errors = Scenario::parse("parking-lot.toml", &text.replace("622 Mb/s", "622")).unwrap_err();
//! assert_eq!(
//!     errors.to_string(),
//!     "parking-lot.toml:6:12: `capacity` of [ring]: `622` has no unit — write `capacity = \"622 Mb/s\"`"
//! );
//! # Ok::<(), fairwire_scenario::Diagnostics>(())
//! ```
#![forbid(unsafe_code)]

pub mod answer;
mod by_node;
mod cautions;
mod event;
mod expect;
mod fair;
mod flow;
mod format;
mod into;
mod law;
mod law_choice;
mod network;
mod proposal;
mod reading;
mod ring;
mod run;
mod same_name;
mod scenario;
mod scenario_table;
mod schema;
mod sweep;
mod template;
mod topology;

pub use by_node::IngressMinimum;
pub use event::{Event, EventKind};
pub use expect::{Bound, Expectation, FlowMeasure, Measure, Unit};
pub use flow::activity::Activity;
pub use flow::ends::MOST_FLOWS;
pub use flow::tcp::Tcp;
pub use flow::traffic::{Arrivals, Datagrams, Traffic};
pub use flow::work::{TransferSize, Work};
pub use flow::{End, Flow, Way};
pub use format::format;
pub use into::fair_rates::{FairAllocation, First, Satisfied};
pub use into::steps::Step;
pub use law_choice::{LawChoice, kind_of_law};
pub use network::Network;
pub use network::link::{CapacityChange, NetworkLink};
pub use proposal::{Proposal, ProposalError};
pub use reading::diagnostic::{Diagnostic, Diagnostics, MOST_FINDINGS};
pub use reading::no_such_name::{NoSuchName, criterion_called};
pub use reading::percent::Percent;
pub use reading::setting_error::SettingError;
pub use reading::suggest::nearest;
pub use ring::control::{Control, LostFrame, WakeUps};
pub use ring::transit::{Scheduler, Transit, TransitMode};
pub use ring::{FASTEST, Ring, RingLink};
pub use run::Run;
pub use same_name::{SameName, check_outside_names};
pub use scenario::{Scenario, Source};
pub use schema::json_schema;
pub use sweep::{AxisUnit, Cell, HalfWidth, PointTable, Sweep, SweepAxis, SweepMeasure, SweepPoint, Until};
pub use template::{TEMPLATES, Template, UnknownTemplate, template};
pub use topology::Topology;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
