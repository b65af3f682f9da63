//! Laws that were asked for by name.

use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::rate::RateLawChoice;
use fairwire_laws::ring::RingLawChoice;
use fairwire_scenario::NoSuchName;
use fairwire_terminal::CliError;

/// The ring laws of these names, or all.
pub fn ring_laws(names: &[String]) -> Result<Vec<RingLawChoice>, CliError> {
    let all = || RingLawChoice::ALL.iter().map(|about| about.name);
    let law = |name: &str| RingLawChoice::by_name(name).map_err(|_| no_law("ring law", name, all()));
    if names.is_empty() { all().map(law).collect() } else { names.iter().map(|name| law(name)).collect() }
}

/// The queue laws of these names, or all.
pub fn queue_laws(names: &[String]) -> Result<Vec<QueueLawChoice>, CliError> {
    let all = || QueueLawChoice::ALL.iter().map(|about| about.name);
    let law = |name: &str| QueueLawChoice::by_name(name).map_err(|_| no_law("queue law", name, all()));
    if names.is_empty() { all().map(law).collect() } else { names.iter().map(|name| law(name)).collect() }
}

/// The rate laws of these names, or all.
pub fn rate_laws(names: &[String]) -> Result<Vec<RateLawChoice>, CliError> {
    let all = || RateLawChoice::ALL.iter().map(|about| about.name);
    let law = |name: &str| RateLawChoice::by_name(name).map_err(|_| no_law("rate law", name, all()));
    if names.is_empty() { all().map(law).collect() } else { names.iter().map(|name| law(name)).collect() }
}

fn no_law(what: &'static str, name: &str, known: impl IntoIterator<Item = &'static str>) -> CliError {
    let error = NoSuchName::new(what, name, known);
    CliError::bad_input(error.to_string(), format!("{}; `fairwire laws` says what they do", error.help()))
}
