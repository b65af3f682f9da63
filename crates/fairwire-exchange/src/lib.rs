//! Files of others: networks in, limits out.
//!
//! What operators and researchers have becomes a scenario: tables of links and flows
//! ([`from_csv`]), graphs as GraphML or node-link JSON ([`from_graph`]), and the tree of sites
//! of LibreQoS with its circuits ([`from_libreqos`]). What is fair goes back as a table of
//! limits or as such a tree ([`Limits`]), or as limits of Linux at a node ([`tc()`]). Text in, text out: nothing here reads or writes files.
//!
//! ```
//! use fairwire_exchange::{Foreign, Layout, Senders, from_csv};
//!
//! let links = Foreign { name: "links.csv", text: "from,to,capacity\nhub,mill,40 Mb/s\nmill,farm,10 Mb/s\n" };
//! let scenario = from_csv(links, &Layout::default(), &Senders::Hub("hub".to_owned()).into(), "A chain")?;
//! assert!(scenario.contains("capacity = \"10 Mb/s\""));
//!
//! let wrong = Foreign { text: "from,to,capacity\nhub,mill,40\n", ..links };
//! let errors = from_csv(wrong, &Layout::default(), &Senders::AllPairs.into(), "").unwrap_err();
//! assert!(errors.to_string().starts_with("links.csv:2:10: `capacity`: `40` has no unit"));
//! # Ok::<(), fairwire_scenario::Diagnostics>(())
//! ```
#![forbid(unsafe_code)]

mod circuits;
mod draft;
mod findings;
mod flow_table;
mod graph;
mod graphml;
mod headings;
mod libreqos;
mod limits;
mod link_table;
mod node_link;
mod ordered_json;
mod reach;
mod senders;
mod table;
mod tc;

pub use findings::Foreign;
pub use graph::{GraphOptions, from_graph};
pub use headings::{Layout, rate};
pub use ipnet::{AddrParseError, IpNet};
pub use libreqos::{LibreQosOptions, from_libreqos};
pub use limits::{LimitError, Limits};
pub use link_table::from_csv;
pub use senders::{Senders, Sending, Traffic};
pub use tc::{Governed, GovernedLink, GovernedQueue, TcError, TcOptions, governed_links, governed_queues, tc};
