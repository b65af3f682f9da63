//! `[sweep]`: one file for many scenarios.
//!
//! | file | holds |
//! | --- | --- |
//! | `axes` | which keys take which values, and which go together |
//! | `range` | values between two ends |
//! | `design` | how points are laid out in ranges: on a grid, by chance, by Sobol |
//! | `table` | points given one by one, from outside the file |
//! | `until` | what is measured, and when there are enough runs |
//! | `set` | a value put into the tree of the file |
//! | `points` | all points in order, built one by one |

pub(crate) mod axes;
pub(crate) mod design;
mod points;
pub(crate) mod range;
pub(crate) mod set;
mod table;
pub(crate) mod until;
mod value;

pub use axes::SweepAxis;
pub use points::{Sweep, SweepPoint};
pub use table::{Cell, PointTable};
pub use until::{HalfWidth, SweepMeasure, Until};
pub use value::AxisUnit;

/// Words of `[sweep]` that are no keys of a scenario.
pub(crate) const DESIGN: &str = "design";
pub(crate) const UNTIL: &str = "until";
pub(crate) const TOGETHER: &str = "together";
pub(crate) const MEASURES: &str = "measures";
/// All of these.
pub(crate) const WORDS: [&str; 4] = [DESIGN, UNTIL, TOGETHER, MEASURES];

/// More points than this are a slip.
pub(crate) const MOST_POINTS: usize = 1_000_000;
/// More values than this, over all keys, are one, too.
pub(crate) const MOST_VALUES: usize = 4_000_000;
