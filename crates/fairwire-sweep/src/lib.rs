//! Many runs of one scenario.
//!
//! * A [`Plan`] has all points of a sweep, checked, each with the [`Key`] that its runs are known by.
//! * A [`Store`] keeps what every run came to, as [`Records`], a line a run: work that ends at any moment goes on where it ended.
//! * [`Rounds`] says what to run next, by what is known of runs 0 to n − 1 of each point and of nothing else, so that it does not
//!   matter who ran them, in which order, and how often that was interrupted.
//! * Runs are done here on all cores ([`fill`]), or from text that travelled ([`Task`]).
//! * [`finish`] writes tables and report: the same bytes for the same runs.
//!
//! The command and Python are two fronts of this.

mod error;
mod estimate;
mod files;
mod folder;
mod frame;
mod journal;
mod key;
mod known;
mod local;
mod pairs;
mod plan;
mod question;
mod records;
mod report;
mod result;
mod rounds;
mod series;
mod side_by_side;
mod so_far;
mod store;
mod tables;
mod task;
mod work;

pub use error::SweepError;
pub use estimate::{Estimate, Kind, Sample, binomial, estimate, paired, unpaired};
pub use files::read_points;
pub use folder::{Finished, check_part, check_place, check_writable, finish};
pub use frame::{Data, Frame, FrameColumn, read_frames};
pub use key::{BUILD, Key};
pub use known::{known_in, take_over};
pub use local::{Tried, fill, try_some};
pub use pairs::Pair;
pub use plan::{Columns, Part, Plan, Point, Rule};
pub use question::{Asked, Column};
pub use records::{Record, Records};
pub use report::value_text;
pub use result::{Answer, MeasureAnswer, PointAnswer};
pub use rounds::{Job, Rounds, Stop};
pub use series::{FlowSeries, SeriesLine, files as series_files};
pub use side_by_side::side_by_side;
pub use so_far::{PointSoFar, SoFar, so_far};
pub use store::{RunLine, Store};
pub use task::{Task, TaskAnswer, TaskPoint};
