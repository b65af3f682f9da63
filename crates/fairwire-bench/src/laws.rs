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

/// The same with other values of parameters, each written `KEY=VALUE` as in a scenario; text needs no quotes.
pub fn ring_laws_with(names: &[String], settings: &[String]) -> Result<Vec<RingLawChoice>, CliError> {
    let parameters: toml::Table = settings.iter().map(|setting| parameter(setting)).collect::<Result<_, _>>()?;
    let with = |law: RingLawChoice| {
        let name = law.about().name;
        let mut table = parameters.clone();
        table.insert("name".to_owned(), name.into());
        let changed = serde_json::to_value(table).and_then(serde_json::from_value::<RingLawChoice>);
        let changed = changed.map_err(|error| bad_parameters(name, &error.to_string()))?;
        changed.problem().map_or(Ok(changed), |problem| Err(bad_parameters(name, &problem)))
    };
    let laws = ring_laws(names)?;
    if settings.is_empty() { Ok(laws) } else { laws.into_iter().map(with).collect() }
}

fn parameter(setting: &str) -> Result<(String, toml::Value), CliError> {
    let Some((key, value)) = setting.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else {
        return Err(CliError::bad_input(format!("--with {setting} has no `=`"), "write `--with KEY=VALUE`".to_owned()));
    };
    if key == "name" {
        return Err(CliError::bad_input("--with name is no parameter", "another law is `--law NAME`".to_owned()));
    }
    let read = format!("value = {value}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("value"));
    Ok((key.to_owned(), read.unwrap_or_else(|| value.into())))
}

fn bad_parameters(law: &str, problem: &str) -> CliError {
    CliError::bad_input(format!("{law}: {problem}"), format!("`fairwire laws {law}` tells its parameters"))
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
