//! Charts as inline SVG: one frame for all, and lines over time in it.

mod axis;
mod decimate;
mod lines;
mod panel;
mod path;

pub(super) use decimate::min_max;
pub(super) use lines::{Band, LineChart, Marker, Reference, Series, Shape};
pub use panel::{Panel, Scale};
