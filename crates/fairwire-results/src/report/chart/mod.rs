//! Line charts as inline SVG.

mod axis;
mod decimate;
mod lines;
mod path;

pub(super) use axis::Ticks;
pub(super) use lines::{Band, LineChart, Marker, Reference, Series, Shape};
pub(super) use path::polyline;
