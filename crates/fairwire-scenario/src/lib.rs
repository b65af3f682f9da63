//! Scenario files: TOML in, a validated [`Scenario`] out, and every mistake
//! with its line and what to write instead.
//!
//! One validator serves every front. It is handed text and never reads a file.
#![forbid(unsafe_code)]

mod diagnostic;
mod document;
mod ends;
mod expect;
mod expect_table;
mod flow;
mod flow_table;
mod format;
mod law;
mod network;
mod percent;
mod plan;
mod problem;
mod quantity;
mod resolved;
mod ring;
mod run;
mod scenario;
mod schema;
mod suggest;
mod sweep;
mod syntax;
mod table;
mod template;
mod traffic;
mod weights;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use expect::{Bound, Expectation, FlowMeasure, Measure, Unit};
pub use flow::{End, Flow, Way};
pub use format::format;
pub use network::{Network, NetworkLink};
pub use percent::Percent;
pub use ring::{Ring, RingLink, Transit, TransitMode};
pub use run::Run;
pub use scenario::{Scenario, SettingError, Source, Topology};
pub use schema::json_schema;
pub use sweep::{SweepAxis, SweepPoint};
pub use template::{TEMPLATES, Template, UnknownTemplate, template};
pub use traffic::{Arrivals, Traffic};
