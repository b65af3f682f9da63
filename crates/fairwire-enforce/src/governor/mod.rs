//! Laws at a router, what they want, and for how long that holds.
//!
//! Limits are leases. While a law is heard, what it wants holds; after a silence what is limited has its safe rate, and the
//! law begins anew with the next message.
//!
//! | file | holds |
//! | --- | --- |
//! | `ring.rs` | a law of rings at a station |
//! | `port.rs` | a rate law at a link of a node, fed from counters |
//! | `source.rs` | the source of a flow that enters at a node |
//! | `demand.rs` | what such a flow can use |
//! | `order.rs` | which control packets of a flow are late, or come twice |
//! | `node.rs` | ports and sources of a node, and the ways of control packets |

mod demand;
pub mod node;
mod order;
mod port;
pub mod ring;
mod source;

#[cfg(test)]
pub mod lab;
#[cfg(test)]
mod network_tests;
#[cfg(test)]
mod ring_tests;
