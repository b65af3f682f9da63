//! How questions and answers cross the border of a module of WebAssembly.
//!
//! The page asks for room, writes a question there as JSON in UTF-8, has it answered, and reads the answer where the module
//! says that it lies. There is one question at a time.
//!
//! | what the page calls | what comes back |
//! | --- | --- |
//! | `room(bytes)` | where a question of so many bytes is to be written |
//! | `answer()` | where the answer lies |
//! | `answer_bytes()` | how many bytes it has |
//!
//! | what the page is called for | with |
//! | --- | --- |
//! | `progress(fraction)` | how much is done, from 0 to 1 |
//! | `now()` | answers the time since any moment, in milliseconds |
//! | `failed(at, bytes)` | where it stands why the module gives up, which is a mistake of ours |
#![allow(unsafe_code)]

use crate::questions::{Outside, answer_json};
use std::sync::Mutex;

static QUESTION: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<String> = Mutex::new(String::new());

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    safe fn progress(fraction: f64);
    safe fn now() -> f64;
    safe fn failed(at: *const u8, bytes: usize);
}

/// The page that has loaded the module.
struct Page;

impl Outside for Page {
    fn progress(&self, fraction: f64) {
        progress(fraction);
    }

    fn now_s(&self) -> f64 {
        now() / 1e3
    }
}

/// Where a question of so many bytes is to be written.
// SAFETY: no other function of the module is called so.
#[unsafe(no_mangle)]
extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut question = QUESTION.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    question.clear();
    question.resize(bytes, 0);
    question.as_mut_ptr()
}

/// Answers the question: where the answer lies until the next one.
// SAFETY: as for `room`.
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    std::panic::set_hook(Box::new(|why| {
        let why = why.to_string();
        failed(why.as_ptr(), why.len());
    }));
    let question = QUESTION.lock().map(|mut question| std::mem::take(&mut *question)).unwrap_or_default();
    let said = answer_json(&String::from_utf8_lossy(&question), &Page);
    let mut answer = ANSWER.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    *answer = said;
    answer.as_ptr()
}

/// How many bytes the answer has.
// SAFETY: as for `room`.
#[unsafe(no_mangle)]
extern "C" fn answer_bytes() -> usize {
    ANSWER.lock().map_or(0, |answer| answer.len())
}
