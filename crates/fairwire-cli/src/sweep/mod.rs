//! What `fairwire sweep` says.

mod answer;
mod estimate;
mod shown;

pub use answer::{StoppedAnswer, SweepAnswer};
pub use estimate::forecast;
pub use shown::tables;

use fairwire_sweep::SweepError;
use fairwire_terminal::CliError;

/// What kept a sweep from being done, for people.
pub fn wrong(error: SweepError) -> CliError {
    let message = error.to_string();
    match error {
        SweepError::Scenario(errors) => errors.into(),
        SweepError::Unsolved { .. } | SweepError::Plan { .. } => CliError::bad_input(message, "change the scenario"),
        SweepError::Points { .. } => {
            let help = "write a header of keys, such as `ring.span-delay`, and a row a point: as CSV, or as Parquet that is not \
                        compressed otherwise than by Snappy";
            CliError::bad_input(message, help)
        }
        SweepError::Damaged { path, .. } => CliError::bad_input(
            message,
            format!("remove {} to run what it held again, or bring back a copy of it", path.display()),
        ),
        SweepError::Line { .. } => {
            CliError::bad_input(message, "take the line out: what it stands for is run again, or found elsewhere")
        }
        SweepError::Foreign { .. } => CliError::bad_input(message, "name another place with `--out DIR`"),
        SweepError::Busy(_) => {
            CliError::Missing { message, help: "wait until it ends, or name another place with `--out DIR`".to_owned() }
        }
        SweepError::Io { doing: doing @ ("make" | "open" | "read"), path, source } => {
            CliError::file(doing, &path, &source, "name a folder that can be used, with `--out DIR` or `--merge DIR`")
        }
        SweepError::Io { .. } => {
            CliError::Missing { message, help: "all finished runs are kept; calling it again goes on".to_owned() }
        }
        SweepError::OtherBuild { .. } | SweepError::Garbled(_) => {
            CliError::Missing { message, help: "use the same build of fairwire everywhere".to_owned() }
        }
    }
}
