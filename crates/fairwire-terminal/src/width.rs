//! How wide what people read may be.

use std::env;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU16, Ordering};
use terminal_size::{Width, terminal_size_of};

/// Nothing is pressed into fewer columns of characters than this.
const NARROWEST: u16 = 20;

/// None is 0: a file or a pipe is as wide as its longest line.
static WIDTH: AtomicU16 = AtomicU16::new(0);

/// From now on tables fit into `asked` columns of characters; without that into the terminal that stdout is, if it is one.
///
/// Of a terminal `COLUMNS` tells the width before the terminal itself does, as `ls` and `git` have it.
pub fn fit(asked: Option<u16>) {
    let width = asked.or_else(of_terminal).map_or(0, |width| width.max(NARROWEST));
    WIDTH.store(width, Ordering::Relaxed);
}

/// Columns of characters that a line may have, where there is a limit.
pub fn width() -> Option<usize> {
    Some(WIDTH.load(Ordering::Relaxed)).filter(|&width| width > 0).map(usize::from)
}

fn of_terminal() -> Option<u16> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let told = env::var("COLUMNS").ok().and_then(|columns| read(&columns));
    told.or_else(|| terminal_size_of(io::stdout()).map(|(Width(width), _)| width)).filter(|&width| width > 0)
}

/// What `COLUMNS` says; nothing where it is no whole number above 0.
fn read(columns: &str) -> Option<u16> {
    columns.trim().parse().ok().filter(|&width| width > 0)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn columns_are_a_whole_number_above_zero_or_nothing() {
        assert_eq!([" 80 ", "0", "-1", "wide", ""].map(read), [Some(80), None, None, None, None]);
    }
}
