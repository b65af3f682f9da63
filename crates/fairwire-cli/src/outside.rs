//! The names of laws from outside the list.

use fairwire_laws::ring::OutsideLaw;
use fairwire_scenario::{check_outside_names, kind_of_law};
use fairwire_terminal::CliError;

/// Refuses a law from outside that has the name of another law, of whatever kind.
///
/// # Errors
/// [`CliError::BadInput`] with the name.
pub fn check_names(laws: &[OutsideLaw]) -> Result<(), CliError> {
    let help = "give the law from outside another name in its `ABOUT`";
    check_outside_names(laws).map_err(|error| CliError::bad_input(error.to_string(), help))
}

/// What to do where a run under a law of the lists broke an invariant.
pub const SIMULATOR_IS_WRONG: &str = "this is a mistake of the simulator; please report it with the scenario";

/// What to do where a run under `law` broke an invariant: a law from outside may not do as it promises.
pub fn help_with_violation(law: &str) -> String {
    if kind_of_law(law).is_some() {
        return SIMULATOR_IS_WRONG.to_owned();
    }
    format!("`{law}` is a law from outside: see that it keeps the contract; if it does, please report law and scenario")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_laws::ring::fifo;

    #[test]
    fn a_law_from_outside_is_suspected_first() {
        assert!(help_with_violation("dvsr").contains("mistake of the simulator"));
        assert!(help_with_violation("red").contains("mistake of the simulator"));
        assert!(help_with_violation("equal-parts").starts_with("`equal-parts` is a law from outside"));
    }

    #[test]
    fn a_name_belongs_to_one_law() {
        let fifo = OutsideLaw::of::<fifo::Law>(fifo::Params::default());
        let Err(CliError::BadInput { message, .. }) = check_names(&[fifo]) else { panic!("the name was accepted") };
        assert_eq!(message, "two laws are called `fifo`, and one is a built-in ring law");
        assert!(check_names(&[]).is_ok());
    }
}
