//! Compares what is written with what should be, or writes it.

use crate::common::root;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

/// Held from reading a page to writing it: tests run side by side, and two of them may
/// write to one page.
pub static PAGES: Mutex<()> = Mutex::new(());

/// Whether this run rewrites the documentation.
pub fn is_on() -> bool {
    std::env::var_os("FAIRWIRE_BLESS").is_some_and(|value| value == "1")
}

/// Compares the file at `path` with `wanted`, or writes it.
pub fn differs(path: &Path, wanted: &str) -> Result<(), String> {
    let file = root().join(path);
    let found = fs::read_to_string(&file).unwrap_or_default();
    if found == wanted {
        return Ok(());
    }
    if is_on() {
        fs::write(&file, wanted).expect("the documentation can be written");
        return Ok(());
    }
    let (nth, found, wanted) = first_difference(&found, wanted);
    Err(format!("{}:{nth}\n  shown: {found}\n  is:    {wanted}\n  {HOW}", path.display()))
}

const HOW: &str = "with FAIRWIRE_BLESS=1 the same test writes it anew";

fn first_difference<'a>(found: &'a str, wanted: &'a str) -> (usize, &'a str, &'a str) {
    let (mut found, mut wanted) = (found.lines(), wanted.lines());
    for nth in 1.. {
        match (found.next(), wanted.next()) {
            (Some(left), Some(right)) if left == right => {}
            (None, None) => return (nth, "(the end)", "(the end)"),
            (left, right) => return (nth, left.unwrap_or("(the end)"), right.unwrap_or("(the end)")),
        }
    }
    unreachable!("texts end")
}

/// Compares the part of a page between `<!-- generated: NAME -->` and
/// `<!-- end -->` with `wanted`, or writes it.
pub fn block(page: &str, name: &str, wanted: &str) -> Result<(), String> {
    let _guard = PAGES.lock();
    let text = fs::read_to_string(root().join(page)).expect("the page is there");
    let (before, after) = around(page, &text, name);
    differs(Path::new(page), &format!("{before}\n{wanted}{after}"))
}

/// The generated part called `name`.
pub fn within<'a>(page: &str, text: &'a str, name: &str) -> &'a str {
    let (before, after) = around(page, text, name);
    &text[before.len()..text.len() - after.len()]
}

/// The page before and after the generated part called `name`.
pub fn around<'a>(page: &str, text: &'a str, name: &str) -> (&'a str, &'a str) {
    let begin = format!("<!-- generated: {name} -->\n");
    let start = text.find(&begin).unwrap_or_else(|| panic!("{page} has no `{}`", begin.trim())) + begin.len();
    let length = text[start..].find("<!-- end -->").unwrap_or_else(|| panic!("{page}: `{name}` has no end"));
    (&text[..start], &text[start + length..])
}
