//! Names that nothing has, and what was probably meant.

use super::suggest::nearest;
use fairwire_alloc::Criterion;

/// There is nothing of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} `{asked}`")]
pub struct NoSuchName {
    /// What was asked for.
    pub asked: String,
    /// What it should be the name of: `ring law`, `criterion`.
    pub what: &'static str,
    /// The names there are.
    pub known: Vec<&'static str>,
    /// The one that was probably meant.
    pub nearest: Option<&'static str>,
    /// What has this name among things of another kind, in words.
    pub elsewhere: Option<String>,
}

impl NoSuchName {
    /// `asked` is none of `known`.
    pub fn new(what: &'static str, asked: &str, known: impl IntoIterator<Item = &'static str>) -> Self {
        let known: Vec<&'static str> = known.into_iter().collect();
        let nearest = nearest(asked, known.iter().copied());
        Self { asked: asked.to_owned(), what, nearest, known, elsewhere: None }
    }

    /// What to write instead: "did you mean `dvsr`? use one of dvsr, fifo".
    pub fn help(&self) -> String {
        let nearest = match (&self.elsewhere, self.nearest) {
            (Some(elsewhere), _) => format!("{elsewhere}; "),
            (None, nearest) => nearest.map_or(String::new(), |nearest| format!("did you mean `{nearest}`? ")),
        };
        format!("{nearest}use one of {}", self.known.join(", "))
    }

    /// What is wrong and what to write instead, in a line.
    pub fn with_help(&self) -> String {
        format!("{self}; {}", self.help())
    }
}

/// The criterion of this name.
///
/// # Errors
/// [`NoSuchName`] with the names there are.
pub fn criterion_called(name: &str) -> Result<Criterion, NoSuchName> {
    name.parse().map_err(|_| NoSuchName::new("criterion", name, Criterion::ALL.map(Criterion::name)))
}

#[cfg(test)]
mod tests {
    use super::criterion_called;

    #[test]
    fn a_slip_of_the_pen_gets_a_proposal() {
        let said = |name: &str| criterion_called(name).unwrap_err().with_help();
        assert!(
            said("maxmin").starts_with("there is no criterion `maxmin`; did you mean `max-min`? use one of rias, ")
        );
        assert!(said("utility").starts_with("there is no criterion `utility`; use one of rias, "));
        assert!(criterion_called("max-min").is_ok());
    }
}
