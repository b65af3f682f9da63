//! The figures of docs/speed.md and docs/solvers.md, which the benchmark writes: compared with nothing.

use crate::bless::around;
use crate::common::root;
use std::fs;

/// Sees to it that the pages show a measurement and the machine.
pub fn check() {
    for (page, name) in [("docs/speed.md", "fairwire-bench"), ("docs/solvers.md", "fairwire-bench solvers")] {
        let text = fs::read_to_string(root().join(page)).expect("the page is there");
        let (before, after) = around(page, &text, name);
        let figures = &text[before.len()..text.len() - after.len()];
        let shows = figures.contains(&format!("$ {name}")) && figures.contains("\nmeasured on ");
        assert!(shows, "{page} shows no measurement");
    }
}
