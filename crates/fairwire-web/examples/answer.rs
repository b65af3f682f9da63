//! Answers the questions on stdin, a line of JSON each, as the module does in a browser, in a world without time. Tests compare both.

use fairwire_web::{Outside, answer_json};
use std::io::{self, Write};

struct Timeless;

impl Outside for Timeless {
    fn progress(&self, _fraction: f64) {}

    fn now_s(&self) -> f64 {
        0.0
    }
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    io::stdin().lines().try_for_each(|question| writeln!(out, "{}", answer_json(&question?, &Timeless)))
}
