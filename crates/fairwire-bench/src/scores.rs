//! What the scoreboards, of rings, gateways and explicit rates, have in common.

use fairwire_scoreboard::ScoreError;
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
    CliError::bad_input(error.to_string(), help)
}
