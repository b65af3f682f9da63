//! The figures of docs/real.md: measured when asked for, compared with nothing.

use crate::bless::{PAGES, around};
use crate::common::{fairwire, root, shipped};
use std::fs;

const PAGE: &str = "docs/real.md";
const NAME: &str = "real-ring";
const LAWS: &str = "dvsr-plus,dvsr,fifo";

/// Measures and writes under `FAIRWIRE_BLESS=real`; otherwise sees to it that the page shows a measurement.
pub fn check_or_measure() {
    let _guard = PAGES.lock();
    let text = fs::read_to_string(root().join(PAGE)).expect("the page is there");
    let (before, after) = around(PAGE, &text, NAME);
    if std::env::var_os("FAIRWIRE_BLESS").is_some_and(|value| value == "real") {
        let ring = shipped("teaching/laptop-ring.toml");
        let said = fairwire(&["compare", &ring, "--real", "--no-folder", "--law", LAWS]).ends_with(0);
        let command = format!("$ fairwire compare scenarios/teaching/laptop-ring.toml --real --law {LAWS}");
        let figures = format!("\n```text\n{command}\n{}```\n\n", said.stdout);
        fs::write(root().join(PAGE), format!("{before}{figures}{after}")).expect("the page can be written");
        return;
    }
    let figures = &text[before.len()..text.len() - after.len()];
    assert!(
        figures.contains("$ fairwire compare") && figures.contains("how real it is"),
        "{PAGE} shows no measurement"
    );
}

/// Whether real packets can be had here; a page whose commands need them stays as it is where not.
pub fn is_possible() -> bool {
    fairwire(&["doctor"]).code == Some(0)
}
