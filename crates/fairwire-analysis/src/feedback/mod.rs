//! Senders that are told once a window what a fluid fair server would give them.
//!
//! The setting of `[dvsr]` §VI: ideal fair servers in a row, flows throttled at
//! their ingress to what eq. (8) announces, the least over the links on their
//! way. Every window begins with new limits that rest on the window before
//! (Δ = 0), or on an earlier one (Δ > 0). An adversary sets what the other flows
//! ask for, window by window.
//!
//! [`excess`] runs such a schedule and measures how far a flow that always has
//! something to send strays from its fair share: what Lemmas 1 to 3 bound.

mod excess;
mod history;
mod tandem;

pub use excess::{Excess, Watched, excess};
pub use tandem::{Arrival, FeedbackTandem, Setting, Window};
