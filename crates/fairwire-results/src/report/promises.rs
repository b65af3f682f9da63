//! What became of the scenario's promises.

use super::input::Promise;
use super::table::{head, named_by_parts, table};
use maud::{Markup, html};

/// The section: a line for each promise; nothing where the scenario makes none.
pub(super) fn section(promises: &[Promise]) -> Markup {
    let Some(first) = promises.first() else { return Markup::default() };
    let word = |promise: &Promise| if promise.kept { "kept" } else { "broken" };
    let whose = if first.law.is_empty() { String::new() } else { format!(", held against {}", first.law) };
    let broken = promises.iter().filter(|promise| !promise.kept).count();
    let verdict = match (broken, promises.len()) {
        (0, 1) => "The promise is kept".to_owned(),
        (0, _) => format!("All {} are kept", promises.len()),
        (broken, all) => format!("{broken} of {all} broken"),
    };
    html! {
        section #promises {
            h2 { "Promises" }
            p.note { "What the scenario expects" (whose) ". " (verdict) "." }
            // The verdict is what a narrow page must not lose.
            (table("Promises", Some("promises"), head(&["promise", "verdict", "measured", "expected"]), html! {
                @for promise in promises {
                    tr {
                        th { (named_by_parts(&promise.about, ".")) }
                        @for text in [word(promise), &promise.measured, &promise.expected] { td { (text) } }
                    }
                }
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_promise_has_a_line_and_the_broken_ones_are_counted() {
        let promise = |about: &str, kept| Promise {
            about: about.to_owned(),
            law: "dvsr".to_owned(),
            expected: "at least 0.99".to_owned(),
            measured: "0.98".to_owned(),
            kept,
        };
        let section = |promises: &[Promise]| section(promises).into_string();
        assert_eq!(section(&[]), "");
        let html = section(&[promise("jain", false), promise("flow.<b>.loss", true)]);
        assert!(html.contains("held against dvsr. 1 of 2 broken."), "{html}");
        assert!(
            html.contains("<th>flow.<wbr>&lt;b&gt;.<wbr>loss</th><td>kept</td><td>0.98</td><td>at least 0.99</td>"),
            "{html}"
        );
        assert!(section(&[promise("jain", true), promise("fair", true)]).contains("All 2 are kept."));
        assert!(section(&[promise("jain", true)]).contains("The promise is kept."));
    }
}
