//! Laws from outside with the name of another law.

use crate::law_choice::kind_of_law;
use fairwire_laws::ring::OutsideLaw;

/// Two laws have one name, and one of them at least is from outside.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two laws are called `{name}`{}", and_one(*.built_in))]
pub struct SameName {
    /// What they are called.
    pub name: &'static str,
    /// The kind of the law of the lists that has the name, if one does: `queue law`.
    pub built_in: Option<&'static str>,
}

fn and_one(built_in: Option<&str>) -> String {
    built_in.map_or_else(String::new, |kind| format!(", and one is a built-in {kind}"))
}

/// Refuses a law from outside that has the name of another one, or of a law of the lists, of whatever kind.
///
/// # Errors
/// [`SameName`] of the first such law.
pub fn check_outside_names<'a>(laws: impl IntoIterator<Item = &'a OutsideLaw>) -> Result<(), SameName> {
    let mut taken = Vec::new();
    for law in laws {
        let name = law.about().name;
        let built_in = kind_of_law(name);
        if built_in.is_some() || taken.contains(&name) {
            return Err(SameName { name, built_in });
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
        let said = check_outside_names(&[fifo]).unwrap_err().to_string();
        assert_eq!(said, "two laws are called `fifo`, and one is a built-in ring law");
        assert_eq!(check_outside_names(&[]), Ok(()));
    }

    #[test]
    fn laws_of_all_lists_have_a_kind() {
        let kinds = ["dvsr", "red", "erica", "reno", "equal-parts"].map(kind_of_law);
        assert_eq!(kinds, [Some("ring law"), Some("queue law"), Some("rate law"), Some("congestion control"), None]);
    }
}
