//! What a station does about dead spans and lost stations, driven by the protection of `fairwire-laws`.

mod fold;
mod guard;
mod wrap;

pub use fold::Fold;
pub use guard::{Guard, Reservation, Route, Surroundings};
pub use wrap::Wrap;
