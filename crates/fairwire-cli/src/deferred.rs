//! Options of a verb that are described only once the verb is called: to describe those of all verbs takes longer than a
//! short run.

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use std::ops::Deref;

/// The options `T` of a verb.
#[derive(Debug)]
pub struct Deferred<T>(T);

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args_for_update))
    }
}

/// With its options; what it is about has been said already.
fn described(command: Command, options: impl FnOnce(Command) -> Command) -> Command {
    let about = command.get_about().cloned().unwrap_or_default();
    options(command).about(about).long_about(None)
}
