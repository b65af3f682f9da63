//! What the scoreboards, of rings, gateways and explicit rates, have in common.

use fairwire_scoreboard::ScoreError;
use fairwire_sweep::SweepError;
use fairwire_terminal::CliError;

/// This very build, by its bytes: scores of another one are another law's scores for all we know.
pub fn build() -> Result<String, CliError> {
    let bytes = std::env::current_exe().and_then(std::fs::read).map_err(|error| CliError::Missing {
        message: format!("cannot read the program itself: {error}"),
        help: "run it where its file can be read".to_owned(),
    })?;
    Ok(fairwire_scoreboard::fingerprint(&bytes))
}

/// What went wrong, with its mend.
pub fn told(error: ScoreError) -> CliError {
    let help = match &error {
        ScoreError::Io { .. } | ScoreError::Csv { .. } => "name another place with `--out DIR`",
        ScoreError::UnknownCase(_) => "`fairwire-bench fairness` runs them all",
        ScoreError::UnknownAqmCase(_) => "`fairwire-bench aqm --list` names them all",
        ScoreError::UnknownRatesCase(_) => "`fairwire-bench rates` runs them all",
        _ => "leave the law or the case out with `--law` and `--case`, and report it",
    };
    match error {
        ScoreError::Store(error) => unkept(error),
        error => CliError::bad_input(error.to_string(), help),
    }
}

/// The same of what is kept.
pub fn unkept(error: SweepError) -> CliError {
    let message = error.to_string();
    let missing = |help: &str| CliError::Missing { message: message.clone(), help: help.to_owned() };
    match error {
        SweepError::Busy(_) => missing("wait until it ends, or name another place with `--out DIR`"),
        SweepError::Io { doing: doing @ ("make" | "open" | "read"), path, source } => {
            CliError::file(doing, &path, &source, "name another place with `--out DIR`")
        }
        SweepError::Io { .. } => missing(
            "all that is finished is kept, and calling it again goes on; or name another place with `--out DIR`",
        ),
        SweepError::Garbled(_) => {
            CliError::bad_input(message, "begin anew with `--fresh`, or name another place with `--out DIR`")
        }
        _ => CliError::bad_input(message, "name another place with `--out DIR`"),
    }
}
