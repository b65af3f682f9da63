//! The names of laws from outside the list.

use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::rate::RateLawChoice;
use fairwire_laws::ring::{OutsideLaw, RingLawChoice};
use fairwire_laws::transport::ControlChoice;
use fairwire_terminal::CliError;

/// Refuses a law from outside that has the name of another law, of whatever kind.
///
/// # Errors
/// [`CliError::BadInput`] with the name.
pub fn check_names(laws: &[OutsideLaw]) -> Result<(), CliError> {
    let built_in = [RingLawChoice::ALL, QueueLawChoice::ALL, RateLawChoice::ALL, ControlChoice::ALL].concat();
    let mut taken: Vec<&str> = built_in.iter().map(|about| about.name).collect();
    for law in laws {
        let name = law.about().name;
        if taken.contains(&name) {
            let message = format!("two laws are called `{name}`");
            return Err(CliError::bad_input(message, "give the law from outside another name in its `ABOUT`"));
        }
        taken.push(name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_laws::ring::fifo;

    #[test]
    fn a_name_belongs_to_one_law() {
        let fifo = OutsideLaw::of::<fifo::Law>(fifo::Params::default());
        let Err(CliError::BadInput { message, .. }) = check_names(&[fifo]) else { panic!("the name was accepted") };
        assert_eq!(message, "two laws are called `fifo`");
        assert!(check_names(&[]).is_ok());
    }
}
