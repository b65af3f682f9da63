//! Any text handed to the importers of other programs' files gives a good scenario or helpful errors.
#![no_main]

#[path = "../../crates/fairwire-exchange/tests/all/any_text.rs"]
mod any_text;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    any_text::import(text);
});
