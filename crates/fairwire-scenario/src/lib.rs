//! Scenario files: TOML in, a validated [`Scenario`] out, and every mistake
//! with its line and what to write instead.
//!
//! One validator serves every front. It is handed text and never reads a file.
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

mod activity;
mod by_node;
mod diagnostic;
mod document;
mod ends;
mod expect;
mod expect_table;
mod fair_rates;
mod flow;
mod flow_table;
mod format;
mod guarantee;
mod law;
mod law_choice;
mod network;
mod network_link;
mod network_schema;
mod no_such_name;
mod percent;
mod plan;
mod problem;
mod proposal;
mod protection;
mod quantity;
mod queue;
mod resolved;
mod ring;
mod run;
mod scenario;
mod scenario_table;
mod schema;
mod setting_error;
mod suggest;
mod sweep;
mod syntax;
mod table;
mod tcp;
mod template;
mod topology;
mod traffic;
mod traffic_schema;
mod transit;
mod work;

pub use activity::Activity;
pub use by_node::IngressMinimum;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use expect::{Bound, Expectation, FlowMeasure, Measure, Unit};
pub use fair_rates::Satisfied;
pub use flow::{End, Flow, Way};
pub use format::format;
pub use law_choice::LawChoice;
pub use network::Network;
pub use network_link::{CapacityChange, NetworkLink};
pub use no_such_name::{NoSuchName, criterion_called};
pub use percent::Percent;
pub use proposal::{Proposal, ProposalError};
pub use protection::{Event, EventKind};
pub use ring::{Ring, RingLink};
pub use run::Run;
pub use scenario::{Scenario, Source};
pub use schema::json_schema;
pub use setting_error::SettingError;
pub use suggest::nearest;
pub use sweep::{SweepAxis, SweepPoint};
pub use tcp::Tcp;
pub use template::{TEMPLATES, Template, UnknownTemplate, template};
pub use topology::Topology;
pub use traffic::{Arrivals, Datagrams, Traffic};
pub use transit::{Scheduler, Transit, TransitMode};
pub use work::{TransferSize, Work};
